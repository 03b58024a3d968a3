//! Numbered lines around a change.
//!
//! The form is that of reading a file, `<number><TAB><text>`, so a model can go on from it. What was shown whole is
//! said in line numbers, because only that counts as seen. Deliberately absent: when a snippet is shown.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::ops::Range;

use crate::align::Hunk;
use crate::line_diff::LineDiff;
use crate::lines::without_break;
use crate::locate::TRUNCATION_MARKER;
use crate::seen::LineRanges;

/// Unchanged lines that are shown around a change.
const CONTEXT_LINES: usize = 4;

/// A snippet of more changed lines tells a model nothing it does not know.
const MAX_CHANGED_LINES: usize = 1_000;

/// Longest snippet.
const MAX_SNIPPET_CHARS: usize = 16_000;

/// Whether a line was shown whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineShown {
    /// All of it.
    Whole,
    /// Only its start.
    Cut,
}

/// Appends a numbered line and a break. A line of more than `max_chars` characters is cut, and says so.
pub fn push_numbered_line(
    out: &mut String,
    number: usize,
    line: &str,
    max_chars: usize,
) -> LineShown {
    // Writing into a string cannot fail.
    let written = write!(out, "{number}\t");
    debug_assert!(written.is_ok());
    let Some((end, _)) = line.char_indices().nth(max_chars) else {
        out.push_str(line);
        out.push('\n');
        return LineShown::Whole;
    };
    out.push_str(line.get(..end).unwrap_or_default());
    let n_chars = line.chars().count();
    let written = writeln!(out, " {TRUNCATION_MARKER}: {max_chars} of {n_chars} chars]");
    debug_assert!(written.is_ok());
    LineShown::Cut
}

/// Text for the model, and the 1-based lines of the file that it shows whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    /// The text.
    pub text: String,
    /// The lines.
    pub lines: LineRanges,
}

/// The changed places of a text with the lines around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Snippet {
    /// Numbered lines; an ellipsis stands between places that are apart.
    Lines(Shown),
    /// Too long to show: the 1-based lines from the first to behind the last change.
    TooLong(Range<usize>),
}

/// The snippet of a change from `old` to `new`, both with LF breaks. A line of more than `max_line_chars` characters
/// is cut.
pub fn snippet(old: &str, new: &str, max_line_chars: usize) -> Snippet {
    let diff = LineDiff::of_pieces(old, new);
    let hunks = diff.hunks();
    let n_changed: usize = hunks
        .iter()
        .map(|hunk| hunk.old.len().max(hunk.new.len()))
        .sum();
    let limits = ShowLimits {
        max_lines: usize::MAX,
        max_chars: MAX_SNIPPET_CHARS,
        max_line_chars,
    };
    if n_changed <= MAX_CHANGED_LINES {
        let (shown, left_out) = show_places(&diff, &places(&diff), limits);
        if left_out.is_empty() {
            return Snippet::Lines(shown);
        }
    }
    Snippet::TooLong(changed_range(&hunks))
}

/// The 1-based lines of the new text from the first change to behind the last.
pub(crate) fn changed_range(hunks: &[Hunk]) -> Range<usize> {
    let first = hunks.first().map_or(0, |hunk| hunk.new.start);
    let end = hunks.last().map_or(0, |hunk| hunk.new.end);
    first + 1..end + 1
}

/// The places in the new text where something changed, with the lines around; 0-based, apart, in order.
pub(crate) fn places(diff: &LineDiff<'_>) -> Vec<Range<usize>> {
    let mut places: Vec<Range<usize>> = Vec::new();
    for hunk in diff.hunks() {
        let place = diff.with_context_new(hunk.new, CONTEXT_LINES);
        match places.last_mut() {
            Some(last) if last.end >= place.start => last.end = place.end,
            _ => places.push(place),
        }
    }
    places
}

/// How much is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShowLimits {
    pub(crate) max_lines: usize,
    pub(crate) max_chars: usize,
    pub(crate) max_line_chars: usize,
}

/// Whole places while they fit, and the places that did not.
pub(crate) fn show_places(
    diff: &LineDiff<'_>,
    places: &[Range<usize>],
    limits: ShowLimits,
) -> (Shown, Vec<Range<usize>>) {
    let mut shown = Shown::default();
    let mut left_out = Vec::new();
    let (mut n_lines, mut n_chars) = (0, 0);
    for place in places {
        let mut text = String::new();
        let mut whole = LineRanges::new();
        for (at, piece) in place.clone().zip(diff.new_lines(place.clone())) {
            match push_numbered_line(
                &mut text,
                at + 1,
                without_break(piece),
                limits.max_line_chars,
            ) {
                LineShown::Whole => whole.insert(at + 1..at + 2),
                LineShown::Cut => {}
            }
        }
        let place_chars = text.chars().count();
        if n_lines + place.len() > limits.max_lines || n_chars + place_chars > limits.max_chars {
            left_out.push(place.clone());
            continue;
        }
        (n_lines, n_chars) = (n_lines + place.len(), n_chars + place_chars);
        if !shown.text.is_empty() {
            shown.text.push_str("…\n");
        }
        shown.text.push_str(&text);
        shown.lines.extend(&whole);
    }
    (shown, left_out)
}
