//! The text engine.

mod align;
mod diff;
mod lines;
mod stat;
#[cfg(test)]
mod test_support;

pub use align::{Alignment, Exactness, Hunk, MAX_EXACT_LINES, Run};
pub use diff::{CONTEXT_LINES, Labels, unified_diff, unified_hunks};
pub use lines::{Position, count_lines, lines, pieces, with_lf};
pub use stat::{diff_stat, diff_stat_as_proposed};
