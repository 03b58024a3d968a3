//! All places where one sequence occurs in another, overlapping ones included, in linear time.
//!
//! Knuth, Morris and Pratt. Bytes of a text and lines of a file are searched by the same walk. Deliberately absent:
//! what counts as equal; the caller gives items that are.

#[cfg(test)]
mod tests;

use std::ops::Range;

use memchr::memmem;

/// All occurrences of a non-empty text, overlapping ones included.
pub(crate) fn find_overlapping(text: &str, wanted: &str) -> Vec<Range<usize>> {
    let (haystack, needle) = (text.as_bytes(), wanted.as_bytes());
    let span = |start: usize| start..start + needle.len();
    let finder = memmem::Finder::new(needle);
    let Some(first) = finder.find(haystack) else {
        return Vec::new();
    };
    let borders = borders(needle);
    if borders.last() == Some(&0) {
        // No end of it is a start of it: occurrences cannot overlap.
        return finder.find_iter(haystack).map(span).collect();
    }
    walk(haystack, needle, first, &borders)
        .into_iter()
        .map(span)
        .collect()
}

/// Where a non-empty sequence of items starts in another, overlapping occurrences included.
pub(crate) fn starts_of(haystack: &[u32], needle: &[u32]) -> Vec<usize> {
    walk(haystack, needle, 0, &borders(needle))
}

/// The starts of all occurrences from an index on.
fn walk<T: Eq>(haystack: &[T], needle: &[T], first: usize, borders: &[usize]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut matched = 0;
    for (at, item) in haystack.iter().enumerate().skip(first) {
        while matched > 0 && (matched == needle.len() || needle[matched] != *item) {
            matched = borders[matched - 1];
        }
        matched += usize::from(needle[matched] == *item);
        if matched == needle.len() {
            starts.push(at + 1 - needle.len());
        }
    }
    starts
}

/// For each prefix: the length of its longest proper end that is also its start.
fn borders<T: Eq>(needle: &[T]) -> Vec<usize> {
    let mut borders = vec![0; needle.len()];
    let mut matched = 0;
    for at in 1..needle.len() {
        while matched > 0 && needle[matched] != needle[at] {
            matched = borders[matched - 1];
        }
        matched += usize::from(needle[matched] == needle[at]);
        borders[at] = matched;
    }
    borders
}

/// The leftmost spans that do not overlap.
pub(crate) fn non_overlapping(spans: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut end = 0;
    let mut chosen = Vec::with_capacity(spans.len());
    for span in spans {
        if span.start >= end {
            end = span.end;
            chosen.push(span.clone());
        }
    }
    chosen
}
