//! Lines with their numbers.

use super::{ReadLimits, ReadRange};
use edit::LineRanges;

/// The lines that are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    /// 1-based.
    pub(super) first: usize,
    pub(super) max_lines: usize,
}

impl Window {
    pub(super) fn of(range: ReadRange, limits: ReadLimits) -> Self {
        Self {
            first: range.offset.unwrap_or(1).max(1),
            max_lines: range.limit.unwrap_or(limits.max_lines).max(1),
        }
    }
}

/// A page without its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Numbered {
    pub(super) text: String,
    /// 1-based.
    pub(super) first: usize,
    pub(super) n_lines: usize,
    /// Lines that were shown uncut.
    pub(super) whole_lines: LineRanges,
    pub(super) reached_end: bool,
}

impl Numbered {
    pub(super) fn starting_at(first: usize) -> Self {
        Self {
            text: String::new(),
            first,
            n_lines: 0,
            whole_lines: LineRanges::new(),
            reached_end: false,
        }
    }

    /// Adds a line that has `n_chars` characters, of which `line` may be the beginning. `false` if the page is full.
    pub(super) fn push(
        &mut self,
        line: &str,
        n_chars: usize,
        chars_left: &mut usize,
        limits: ReadLimits,
    ) -> bool {
        let number = self.first + self.n_lines;
        let is_cut = n_chars > limits.max_line_chars;
        let shown = if is_cut {
            beginning(line, limits.max_line_chars)
        } else {
            line
        };
        let mut row = format!("{number}\t{shown}");
        if is_cut {
            row.push_str(&format!(
                " …[line truncated: {} of {n_chars} chars]",
                limits.max_line_chars
            ));
        }
        row.push('\n');
        let n_row_chars = row.chars().count();
        // A page holds at least one line, or paging would never get past a long one.
        if self.n_lines > 0 && n_row_chars > *chars_left {
            return false;
        }
        *chars_left = chars_left.saturating_sub(n_row_chars);
        self.text.push_str(&row);
        self.n_lines += 1;
        if !is_cut {
            self.whole_lines.insert(number..number + 1);
        }
        true
    }
}

/// The lines of a text in a window.
pub(super) fn number_lines(text: &str, window: Window, limits: ReadLimits) -> Numbered {
    let mut page = Numbered::starting_at(window.first);
    let mut chars_left = limits.max_chars;
    let mut pieces = text.split_inclusive('\n').skip(window.first - 1);
    for piece in pieces.by_ref().take(window.max_lines) {
        let line = piece.strip_suffix('\n').unwrap_or(piece);
        if !page.push(line, line.chars().count(), &mut chars_left, limits) {
            return page;
        }
    }
    page.reached_end = pieces.next().is_none();
    page
}

fn beginning(line: &str, n_chars: usize) -> &str {
    match line.char_indices().nth(n_chars) {
        Some((end, _)) => line.split_at(end).0,
        None => line,
    }
}
