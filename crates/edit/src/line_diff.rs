//! What changed between two texts, by lines.
//!
//! Most changes are small and most files are not, so the texts are split into lines only between their common ends,
//! with a few lines more on both sides: those that are shown around a change, and those of the common end that the
//! canonical walk may reach. Line numbers and hunks are those of the whole texts. Deliberately absent: how lines are
//! matched; see [`crate::align`].

#[cfg(test)]
mod tests;

use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

use crate::align::{Alignment, Exactness, Hunk, Run};
use crate::lines::{part, without_break};

/// Lines before the first difference that are split too; no more are shown around a change.
const MARGIN_LINES: usize = 4;

/// Lines of the common end that are split first; at least the margin.
const FIRST_TAIL_LINES: usize = 64;

/// Growth of that part when the walk did not come back to the diagonal within it.
const TAIL_GROWTH: usize = 4;

/// Bytes that are compared at once.
const BLOCK_BYTES: usize = 4096;

/// Two texts compared by lines.
#[derive(Debug, Clone)]
pub struct LineDiff<'t> {
    /// Lines of both texts before those that are split.
    first_line: usize,
    /// Bytes of both texts before those that are split.
    first_byte: usize,
    old: Vec<&'t str>,
    new: Vec<&'t str>,
    alignment: Alignment,
}

impl<'t> LineDiff<'t> {
    /// Compares lines with their breaks: a last line without one differs from the same line with one.
    pub fn of_pieces(old: &'t str, new: &'t str) -> Self {
        Self::of(old, new, |piece| piece)
    }

    /// Compares lines without their breaks.
    pub fn of_lines(old: &'t str, new: &'t str) -> Self {
        Self::of(old, new, without_break)
    }

    fn of(old: &'t str, new: &'t str, unit: fn(&'t str) -> &'t str) -> Self {
        let ends = CommonEnds::of(old, new);
        let first_byte = before_lines(old, ends.head, MARGIN_LINES);
        let first_line = memchr_iter(b'\n', part(old, 0..first_byte).as_bytes()).count();
        let tail = part(old, old.len() - ends.tail..old.len());
        let middle =
            |text: &'t str| part(text, first_byte..text.len() - ends.tail).split_inclusive('\n');
        let mut n_tail_lines = FIRST_TAIL_LINES;
        loop {
            let some_tail: Vec<&str> = tail
                .split_inclusive('\n')
                .take(n_tail_lines)
                .map(unit)
                .collect();
            let is_whole_tail = some_tail.len() < n_tail_lines;
            let split = |text| {
                middle(text)
                    .map(unit)
                    .chain(some_tail.iter().copied())
                    .collect()
            };
            let (old, new): (Vec<&str>, Vec<&str>) = (split(old), split(new));
            let alignment = Alignment::of(&old, &new);
            // Cutting k lines off the common end lowers all lengths that the walk compares by k, so the walk is the
            // same up to the cut. Back on the diagonal before it, the rest is kept line by line, and the cut is
            // without effect. Else more of the end is needed.
            let reaches_cut =
                |run: &Run| run.old + run.len == old.len() && run.new + run.len == new.len();
            if is_whole_tail || alignment.runs().last().is_some_and(reaches_cut) {
                return Self {
                    first_line,
                    first_byte,
                    old,
                    new,
                    alignment,
                };
            }
            n_tail_lines *= TAIL_GROWTH;
        }
    }

    /// Whether the fewest lines possible differ.
    pub fn exactness(&self) -> Exactness {
        self.alignment.exactness()
    }

    /// What changed, in order.
    pub fn hunks(&self) -> Vec<Hunk> {
        let shift =
            |lines: Range<usize>| lines.start + self.first_line..lines.end + self.first_line;
        let hunks = self.alignment.hunks().into_iter();
        hunks
            .map(|hunk| Hunk {
                old: shift(hunk.old),
                new: shift(hunk.new),
            })
            .collect()
    }

    /// The kept lines of whole texts, the old one of `n_old` lines.
    pub(crate) fn kept_runs(&self, n_old: usize) -> Vec<Run> {
        let (mut old, mut new) = (0, 0);
        let mut runs = Vec::new();
        for hunk in self.hunks() {
            let len = hunk.old.start - old;
            runs.push(Run { old, new, len });
            (old, new) = (hunk.old.end, hunk.new.end);
        }
        let len = n_old - old;
        runs.push(Run { old, new, len });
        runs
    }

    /// Lines of the old text, at most a few lines away from a change.
    pub(crate) fn old_lines(&self, lines: Range<usize>) -> &[&'t str] {
        self.old.get(self.split_range(lines)).unwrap_or_default()
    }

    /// Lines of the new text, at most a few lines away from a change.
    pub(crate) fn new_lines(&self, lines: Range<usize>) -> &[&'t str] {
        self.new.get(self.split_range(lines)).unwrap_or_default()
    }

    fn split_range(&self, lines: Range<usize>) -> Range<usize> {
        lines.start.saturating_sub(self.first_line)..lines.end.saturating_sub(self.first_line)
    }

    /// Some lines before and behind a range of the old text, as far as there are any.
    pub(crate) fn with_context_old(&self, lines: Range<usize>, n_lines: usize) -> Range<usize> {
        widened(lines, n_lines, self.first_line + self.old.len())
    }

    /// Some lines before and behind a range of the new text, as far as there are any.
    pub(crate) fn with_context_new(&self, lines: Range<usize>, n_lines: usize) -> Range<usize> {
        widened(lines, n_lines, self.first_line + self.new.len())
    }

    /// The byte ranges of the changes, old and new, when the lines are pieces.
    pub(crate) fn byte_ranges(&self) -> Vec<(Range<usize>, Range<usize>)> {
        let (mut old_byte, mut new_byte) = (self.first_byte, self.first_byte);
        let (mut old_line, mut new_line) = (0, 0);
        let n_bytes = |lines: &[&str]| -> usize { lines.iter().map(|line| line.len()).sum() };
        let mut ranges = Vec::new();
        for hunk in self.alignment.hunks() {
            old_byte += n_bytes(&self.old[old_line..hunk.old.start]);
            new_byte += n_bytes(&self.new[new_line..hunk.new.start]);
            let old = old_byte..old_byte + n_bytes(&self.old[hunk.old.clone()]);
            let new = new_byte..new_byte + n_bytes(&self.new[hunk.new.clone()]);
            (old_byte, new_byte) = (old.end, new.end);
            (old_line, new_line) = (hunk.old.end, hunk.new.end);
            ranges.push((old, new));
        }
        ranges
    }
}

fn widened(lines: Range<usize>, by: usize, end: usize) -> Range<usize> {
    debug_assert!(by <= MARGIN_LINES);
    lines.start.saturating_sub(by)..(lines.end + by).min(end)
}

/// How many bytes of whole lines two texts share at both ends, without overlap.
struct CommonEnds {
    head: usize,
    tail: usize,
}

impl CommonEnds {
    fn of(old: &str, new: &str) -> Self {
        let (old, new) = (old.as_bytes(), new.as_bytes());
        if old == new {
            return Self {
                head: old.len(),
                tail: 0,
            };
        }
        let head = common_prefix(old, new);
        let head = memrchr(b'\n', &old[..head]).map_or(0, |at| at + 1);
        let tail = common_suffix(&old[head..], &new[head..]);
        // The line at the start of the common suffix may begin differently.
        let suffix = &old[old.len() - tail..];
        let tail = memchr(b'\n', suffix).map_or(0, |at| suffix.len() - at - 1);
        Self { head, tail }
    }
}

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.chunks(BLOCK_BYTES).zip(b.chunks(BLOCK_BYTES));
    let skipped = blocks.take_while(|(x, y)| x == y).count() * BLOCK_BYTES;
    let skipped = skipped.min(a.len()).min(b.len());
    let rest = a[skipped..].iter().zip(&b[skipped..]);
    skipped + rest.take_while(|(x, y)| x == y).count()
}

fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.rchunks(BLOCK_BYTES).zip(b.rchunks(BLOCK_BYTES));
    let skipped = blocks.take_while(|(x, y)| x == y).count() * BLOCK_BYTES;
    let skipped = skipped.min(a.len()).min(b.len());
    let rest = a[..a.len() - skipped]
        .iter()
        .rev()
        .zip(b[..b.len() - skipped].iter().rev());
    skipped + rest.take_while(|(x, y)| x == y).count()
}

/// Where the line starts that is some lines before the line that starts at `offset`.
fn before_lines(text: &str, offset: usize, n_lines: usize) -> usize {
    let mut start = offset;
    for _ in 0..n_lines {
        // The break right before a line start ends the line before.
        let Some(line_end) = start.checked_sub(1) else {
            break;
        };
        start = memrchr(b'\n', &text.as_bytes()[..line_end]).map_or(0, |at| at + 1);
    }
    start
}
