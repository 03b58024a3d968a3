//! Finds where a model's `old_string` really sits in a file.
//!
//! Layers are tried from strict to loose; the first with any candidate decides, and a looser one never runs after it.
//! The answer is always ranges of the *file's* text that start and end between characters of the file, never the
//! model's own text. Deliberately absent: how many candidates are acceptable, and what is written.

mod layers;
#[cfg(test)]
mod tests;
mod windows;

use std::ops::Range;

use protocol::settings::EditProfile;

use crate::error::{EditError, ReadArtifact};
use crate::overlap::find_overlapping;
use crate::text::TextFile;
use layers::{EXTENDED_LAYERS, SAFE_LAYERS, Sought};

/// What a line that was shown cut ends with.
pub(crate) const TRUNCATION_MARKER: &str = "…[line truncated";

/// The rule that decided about a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// Nothing was looked for: an empty file was filled.
    Create,
    /// The text stands in the file exactly so.
    Exact,
    /// Quotes, hyphens and blanks have other forms in the file.
    Typographic,
    /// Lines have other blanks at their ends.
    TrailingBlanks,
    /// Both of these.
    TypographicLines,
    /// The file lacks the newline that the text ends with.
    FinalNewline,
    /// All lines are indented otherwise, in one way.
    Indentation,
    /// The text was escaped once too often.
    DoubleEscaping,
    /// The text has blank lines around it that the file lacks.
    BoundaryLines,
    /// White space inside lines differs.
    WhiteSpace,
    /// The first and the last line are there, and lines between have drifted.
    DriftedContext,
}

impl Layer {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Exact => "L1",
            Self::Typographic => "L2",
            Self::TrailingBlanks => "L3",
            Self::TypographicLines => "L4",
            Self::FinalNewline => "L5",
            Self::Indentation => "L6",
            Self::DoubleEscaping => "L7",
            Self::BoundaryLines => "L8",
            Self::WhiteSpace => "X1",
            Self::DriftedContext => "X2",
        }
    }

    /// How the place was matched, for the model; nothing to say about an exact match.
    pub(crate) fn words(self) -> Option<&'static str> {
        match self {
            Self::Create | Self::Exact => None,
            Self::Typographic => Some("ignoring typographic forms of quotes, hyphens and blanks"),
            Self::TrailingBlanks => Some("ignoring blanks at the ends of lines"),
            Self::TypographicLines => {
                Some("ignoring typographic characters and blanks at the ends of lines")
            }
            Self::FinalNewline => Some("without a newline at the end, which the file lacks"),
            Self::Indentation => Some("with the indentation of the file"),
            Self::DoubleEscaping => Some("after undoing one level of JSON escaping"),
            Self::BoundaryLines => Some("without blank lines around it, which the file lacks"),
            Self::WhiteSpace => Some("ignoring the amount of white space"),
            Self::DriftedContext => {
                Some("by its first and last line, with other lines between that are kept")
            }
        }
    }
}

/// How the new text takes the place of what was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writing {
    /// As given.
    Literal,
    /// Character by character: what the model did not change stays.
    Typographic,
    /// Line by line: lines that the model did not change stay.
    Lines,
    /// Line by line, and no character that the file has in another form.
    TypographicLines,
    /// Line by line, indented as the file is.
    Indented,
    /// After undoing the escaping.
    Unescaped,
    /// As typographic lines, without the blank lines around.
    Core,
    /// Indented, if white space means nothing in the file.
    Collapsed,
    /// Line by line, if what changes is what the file has.
    Anchored,
}

/// The places of the layer that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Located {
    pub(crate) layer: Layer,
    pub(crate) writing: Writing,
    /// Byte ranges of the file's text, by start; they may overlap, and there is at least one.
    pub(crate) spans: Vec<Range<usize>>,
}

/// All places of a non-empty text, or `None` when there are none.
pub(crate) fn locate(
    file: &TextFile<'_>,
    old: &str,
    profile: EditProfile,
) -> Result<Option<Located>, EditError> {
    let spans = find_exact(file, old);
    if !spans.is_empty() {
        return Ok(Some(Located {
            layer: Layer::Exact,
            writing: Writing::Literal,
            spans,
        }));
    }
    // Only after the exact search: such text may really be in the file.
    refuse_read_artifact(old)?;
    let sought = Sought::new(file, old);
    let layers = match profile {
        EditProfile::Exact => [].iter().chain(&[]),
        EditProfile::Safe => SAFE_LAYERS.iter().chain(&[]),
        EditProfile::Extended => SAFE_LAYERS.iter().chain(&EXTENDED_LAYERS),
    };
    Ok(layers.into_iter().find_map(|layer| layer(&sought)))
}

/// The exact occurrences, overlapping ones included.
pub(crate) fn find_exact(file: &TextFile<'_>, old: &str) -> Vec<Range<usize>> {
    let mut spans = find_overlapping(file.text(), old);
    spans.retain(|span| is_whole(file, span));
    spans
}

/// Whether a span cuts through no character of the file.
fn is_whole(file: &TextFile<'_>, span: &Range<usize>) -> bool {
    file.byte_offset(span.start).is_some() && file.byte_offset(span.end).is_some()
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
