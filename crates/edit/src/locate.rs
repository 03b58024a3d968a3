//! Finds where a model's `old_string` really sits in a file.
//!
//! Layers are tried from strict to loose; the first with any candidate decides, and a looser one never runs after it.
//! The answer is always ranges of the *file's* text that start and end between characters of the file, never the
//! model's own text. Deliberately absent: how many candidates are acceptable, and what is written.

#[cfg(test)]
mod tests;

use std::ops::Range;

use memchr::memmem;

use crate::error::{EditError, ReadArtifact};
use crate::text::TextFile;

/// What a line that was shown cut ends with.
pub(crate) const TRUNCATION_MARKER: &str = "…[line truncated";

/// The rule that decided about a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// Nothing was looked for: an empty file was filled.
    Create,
    /// The text stands in the file exactly so.
    Exact,
}

impl Layer {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Exact => "L1",
        }
    }
}

/// The places of the layer that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Located {
    pub(crate) layer: Layer,
    /// Byte ranges of the file's text, by start; they may overlap, and there is at least one.
    pub(crate) spans: Vec<Range<usize>>,
}

/// Finds all candidates of one layer.
type Search = fn(&TextFile<'_>, &str) -> Vec<Range<usize>>;

/// From strict to loose.
const LAYERS: &[(Layer, Search)] = &[(Layer::Exact, find_exact)];

/// All places of a non-empty text, or `None` when there are none.
pub(crate) fn locate(file: &TextFile<'_>, old: &str) -> Result<Option<Located>, EditError> {
    for &(layer, search) in LAYERS {
        let spans = search(file, old);
        if !spans.is_empty() {
            return Ok(Some(Located { layer, spans }));
        }
        if layer == Layer::Exact {
            // Only after the exact search: such text may really be in the file.
            refuse_read_artifact(old)?;
        }
    }
    Ok(None)
}

/// The exact occurrences, overlapping ones included.
fn find_exact(file: &TextFile<'_>, old: &str) -> Vec<Range<usize>> {
    let is_whole = |span: &Range<usize>| {
        file.byte_offset(span.start).is_some() && file.byte_offset(span.end).is_some()
    };
    find_overlapping(file.text(), old)
        .into_iter()
        .filter(is_whole)
        .collect()
}

/// All occurrences of a non-empty text, overlapping ones included, in linear time.
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
    let mut spans = Vec::new();
    let mut matched = 0;
    for (at, byte) in haystack.iter().enumerate().skip(first) {
        while matched > 0 && (matched == needle.len() || needle[matched] != *byte) {
            matched = borders[matched - 1];
        }
        matched += usize::from(needle[matched] == *byte);
        if matched == needle.len() {
            spans.push(span(at + 1 - needle.len()));
        }
    }
    spans
}

/// For each prefix: the length of its longest proper end that is also its start (Knuth, Morris, Pratt).
fn borders(needle: &[u8]) -> Vec<usize> {
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

/// Refuses text that was copied with what reading adds.
fn refuse_read_artifact(old: &str) -> Result<(), EditError> {
    if old.contains(TRUNCATION_MARKER) {
        return Err(EditError::ReadArtifact(ReadArtifact::TruncationMarker));
    }
    let mut visible = old
        .lines()
        .filter(|line| !line.trim().is_empty())
        .peekable();
    if visible.peek().is_some() && visible.all(has_line_number) {
        return Err(EditError::ReadArtifact(ReadArtifact::LineNumbers));
    }
    Ok(())
}

/// `   12<TAB>` or `   12→` at the start.
fn has_line_number(line: &str) -> bool {
    let from_number = line.trim_start();
    let after_number = from_number.trim_start_matches(|c: char| c.is_ascii_digit());
    after_number.len() < from_number.len() && after_number.starts_with(['\t', '→'])
}
