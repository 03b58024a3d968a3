//! The text engine: values in, values out.
//!
//! [`TextFile`] shows the bytes of a file as text. [`plan_edit`], [`plan_write`], [`plan_final`] and [`plan_new_file`]
//! say which bytes the file would have; they splice, and so every byte that nobody asked to change stays. A text that is
//! not quite the file's is found by [`Layer`]s that end in one place or a [`Refusal`]. [`Alignment`]
//! is the one answer to which lines changed; [`unified_diff`], [`diff_stat`] and [`snippet`] all show it.
//! [`merge_back`] takes one change out of a text that was changed again.
//! [`success_text`] and [`EditError::message`] are what a model reads. Deliberately absent: disks, clocks, settings.

mod align;
mod diff;
mod elision;
mod error;
mod hint;
mod line_diff;
mod lines;
mod locate;
mod merge;
mod normalize;
mod overlap;
mod patch;
mod refusal;
mod replace;
mod report;
mod rewrite;
mod sed;
mod seen;
mod snippet;
mod splice;
mod stat;
#[cfg(test)]
mod test_support;
mod text;
mod tolerant;
mod unescape;
mod warning;

pub use align::{Alignment, Exactness, Hunk, MAX_EXACT_LINES, Run};
pub use diff::{CONTEXT_LINES, Labels, unified_diff, unified_hunks};
pub use elision::refuse_elision;
pub use error::{EditError, ReadArtifact, UnmappableChar, UnsupportedForm};
pub use hint::difference::DifferenceKind;
pub use hint::{Candidate, Difference, Hints};
pub use line_diff::LineDiff;
pub use lines::{Position, count_lines, lines, pieces, with_lf};
pub use locate::Layer;
pub use merge::{MergeRefusal, Versions, merge_back};
pub use patch::{Chunk, ChunkError, ChunkLine, FilePatch, PatchSyntax, Sameness, parse_patch};
pub use refusal::{OtherForm, QuotedLine, Refusal, RefusalReason};
pub use replace::{
    EditPlan, EditRequest, Occurrences, Reviewer, TextChange, plan_edit, refuse_identical,
};
pub use report::{Action, Success, USER_CHANGED_PROPOSAL, success_text};
pub use rewrite::{
    FinalText, NewBom, NewBreaks, NewFileFormat, WriteRequest, new_file_bytes, plan_bytes,
    plan_final, plan_new_file, plan_patch, plan_write,
};
pub use sed::{SedCommand, SedRefusal, parse_sed};
pub use seen::LineRanges;
pub use snippet::{LineShown, Shown, Snippet, push_numbered_line, snippet};
pub use stat::{
    LineSource, LineSources, NotLineSources, SourceRun, diff_stat, diff_stat_as_proposed,
};
pub use text::encoding::TextEncoding;
pub use text::{Breaks, MAX_TEXT_BYTES, TextFile};
pub use warning::{ConfirmReason, Warning};
