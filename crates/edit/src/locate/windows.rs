//! Runs of whole lines that are the wanted ones under a key, such as the line without its trailing blanks.
//!
//! Keys become numbers once, so even a file of equal lines is searched in linear time.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::lines::LineIndex;
use crate::normalize::trim_blanks;
use crate::overlap::starts_of;

/// What of a line must be equal.
pub(super) type LineKey = for<'l> fn(&'l str) -> Cow<'l, str>;

/// No wanted line has this number.
const OTHER: u32 = 0;

/// The fewest lines that have something between two anchors.
const MIN_ANCHORED_LINES: usize = 3;

/// Characters of an anchor.
const MIN_ANCHOR_CHARS: usize = 4;

/// The first lines of all windows with the wanted lines, overlapping ones included.
pub(super) fn windows(index: &LineIndex<'_>, wanted: &[&str], key: LineKey) -> Vec<usize> {
    let mut numbers = HashMap::new();
    let mut needle = Vec::with_capacity(wanted.len());
    for line in wanted {
        let next = numbers.len() as u32 + 1;
        needle.push(*numbers.entry(key(line)).or_insert(next));
    }
    let number = |line: &str| numbers.get(&*key(line)).copied().unwrap_or(OTHER);
    let haystack: Vec<u32> = index.lines().map(number).collect();
    starts_of(&haystack, &needle)
}

/// The first lines of all windows of that many lines between the first and the last line; none if these say too
/// little.
pub(super) fn anchored(index: &LineIndex<'_>, wanted: &[&str]) -> Vec<usize> {
    let (Some(first), Some(last)) = (wanted.first(), wanted.last()) else {
        return Vec::new();
    };
    if wanted.len() < MIN_ANCHORED_LINES || !is_anchor(first) || !is_anchor(last) {
        return Vec::new();
    }
    let is_same = |line: usize, wanted: &str| trim_blanks(index.line(line)) == trim_blanks(wanted);
    let n_starts = (index.len() + 1).saturating_sub(wanted.len());
    (0..n_starts)
        .filter(|&start| is_same(start, first) && is_same(start + wanted.len() - 1, last))
        .collect()
}

/// Whether a line is long enough, and has a letter or digit.
fn is_anchor(line: &str) -> bool {
    let line = trim_blanks(line);
    line.chars().nth(MIN_ANCHOR_CHARS - 1).is_some() && line.chars().any(char::is_alphanumeric)
}
