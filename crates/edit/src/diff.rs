//! Unified diffs of two texts with LF breaks.
//!
//! White space is never ignored and a missing final newline is marked as in `diff -u`, so a diff shows all that a
//! write would change in the text. Deliberately absent: colours, and anything about files.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::ops::Range;

use crate::align::Hunk;
use crate::line_diff::LineDiff;

/// Unchanged lines around a change.
pub const CONTEXT_LINES: usize = 3;

/// What the two header lines of a diff name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Labels<'a> {
    /// After `---`: the old file, or `/dev/null`.
    pub old: &'a str,
    /// After `+++`: the new file, or `/dev/null`.
    pub new: &'a str,
}

/// The unified diff with header lines, empty when the texts are equal.
pub fn unified_diff(old: &str, new: &str, labels: Labels<'_>) -> String {
    let groups = unified_hunks(old, new);
    if groups.is_empty() {
        return String::new();
    }
    let mut out = format!("--- {}\n+++ {}\n", labels.old, labels.new);
    for group in groups {
        out.push_str(&group);
    }
    out
}

/// The hunks of the unified diff, each with its `@@` line.
pub fn unified_hunks(old: &str, new: &str) -> Vec<String> {
    let diff = LineDiff::of_pieces(old, new);
    let hunks = diff.hunks();
    let groups =
        hunks.chunk_by(|before, after| after.old.start - before.old.end <= 2 * CONTEXT_LINES);
    groups.map(|group| render(&diff, group)).collect()
}

/// One `@@` hunk from neighbouring changes.
fn render(diff: &LineDiff<'_>, group: &[Hunk]) -> String {
    let (Some(first), Some(last)) = (group.first(), group.last()) else {
        return String::new();
    };
    let old = diff.with_context_old(first.old.start..last.old.end, CONTEXT_LINES);
    let new = diff.with_context_new(first.new.start..last.new.end, CONTEXT_LINES);
    let mut out = String::from("@@ -");
    push_range(&mut out, old.clone());
    out.push_str(" +");
    push_range(&mut out, new);
    out.push_str(" @@\n");
    let mut next = old.start;
    for hunk in group {
        push_lines(&mut out, ' ', diff.old_lines(next..hunk.old.start));
        push_lines(&mut out, '-', diff.old_lines(hunk.old.clone()));
        push_lines(&mut out, '+', diff.new_lines(hunk.new.clone()));
        next = hunk.old.end;
    }
    push_lines(&mut out, ' ', diff.old_lines(next..old.end));
    out
}

/// A range of lines as the `@@` line names it: an empty range names the line before it.
fn push_range(out: &mut String, range: Range<usize>) {
    let first = range.start + usize::from(!range.is_empty());
    // Writing into a string cannot fail.
    let written = match range.len() {
        1 => write!(out, "{first}"),
        len => write!(out, "{first},{len}"),
    };
    debug_assert!(written.is_ok());
}

/// Lines with their mark.
fn push_lines(out: &mut String, mark: char, lines: &[&str]) {
    for line in lines {
        out.push(mark);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}
