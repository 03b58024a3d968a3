//! Why a text cannot be read as text, or a change of it is refused.
//!
//! A refusal is written for the model: what is wrong, that nothing was written, and what to send instead. The path is
//! the caller's and comes in with [`EditError::message`]. Deliberately absent: everything about disks and rights.

#[cfg(test)]
mod tests;

use crate::hint::Hints;
use crate::lines::Position;
use crate::locate::Layer;
use crate::patch::ChunkError;
use crate::refusal::{Refusal, RefusalReason};
use crate::warning::{ConfirmReason, ConfirmWords};

/// Occurrences that a message lists by line.
pub(crate) const MAX_LISTED_PLACES: usize = 10;

/// Characters of file or argument text that a message quotes.
pub(crate) const MAX_QUOTED_CHARS: usize = 160;

/// Why nothing was planned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The arguments ask for no change.
    #[error(
        "old_string and new_string are identical, apart from line endings at most. Nothing was written. \
         Line endings cannot be changed by an edit."
    )]
    IdenticalStrings,
    /// The result would be the file as it is.
    #[error(
        "The result is identical to the file as it is. Nothing was written. Line endings are always kept."
    )]
    SameResult,
    /// The text is not there.
    #[error("old_string was not found: 0 occurrences. Nothing was written.{0}")]
    NoOccurrence(Box<Hints>),
    /// The text is there more than once.
    #[error(
        "old_string occurs {count} times ({}), but exactly 1 was expected. Nothing was written. Add surrounding text \
         to old_string until it is unique, or set replace_all to change all of them.",
        LineList { lines, count: *count }
    )]
    Ambiguous {
        /// Number of places, overlapping ones included.
        count: usize,
        /// 1-based line numbers of the first places.
        lines: Vec<usize>,
    },
    /// A tolerant layer finds the text at more than one place.
    #[error(
        "old_string was not found exactly; {} it fits {count} places ({}), but exactly 1 was expected. Nothing was \
         written. Copy the exact text from the file, with enough around it to be unique.",
        layer.words().unwrap_or("there"),
        LineList { lines, count: *count }
    )]
    AmbiguousFuzzy {
        /// The layer that found them.
        layer: Layer,
        /// Number of places, overlapping ones included.
        count: usize,
        /// 1-based line numbers of the first places.
        lines: Vec<usize>,
    },
    /// A tolerant layer finds the text, but what was meant is not certain enough.
    #[error("{0}")]
    FuzzyRefused(Box<Refusal>),
    /// A person must look at the change, and nobody can.
    #[error(
        "This change needs the approval of a person, and nobody can be asked here: {}. Nothing was written. Change \
         the file in smaller exact edits of lines that you have read.",
        ConfirmWords(reasons)
    )]
    NeedsConfirmation {
        /// Why.
        reasons: Vec<ConfirmReason>,
    },
    /// The text was copied with something that is only shown, not in the file.
    #[error("{0}")]
    ReadArtifact(ReadArtifact),
    /// The new text leaves something out instead of writing it.
    #[error(
        "Line {line_number} of the new text stands for text that was left out: `{line}`. Nothing was written. \
         Write the full text; for a small change, edit only the lines that change."
    )]
    OmissionPlaceholder {
        /// 1-based line of the new text.
        line_number: usize,
        /// The line, shortened.
        line: String,
    },
    /// U+FFFD in an argument stands for a byte that cannot be shown.
    #[error(
        "The text contains U+FFFD, which stands for {count} undecodable bytes of this file (at {}). They can be \
         neither matched nor written. Nothing was written. Leave them out of the text that is sent, and edit the \
         text around them.",
        PositionList { positions, count: *count }
    )]
    ReplacementChar {
        /// The first undecodable bytes in the file.
        positions: Vec<Position>,
        /// Number of undecodable bytes.
        count: usize,
    },
    /// A chunk of a patch has no place in the file.
    #[error("{0}")]
    Chunk(ChunkError),
    /// The file is no text.
    #[error("This is a binary file; it cannot be read or edited as text.")]
    BinaryFile,
    /// The file is text in a form that cannot be mapped to characters.
    #[error("The encoding of this file is not supported: {0}. Nothing was written.")]
    EncodingUnsupported(UnsupportedForm),
    /// The encoding of the file has no bytes for a character.
    #[error(
        "The file is encoded in {encoding}, which cannot hold {}. Nothing was written. Use other characters, or ask \
         the user whether the file may be converted to UTF-8.",
        CharList(chars)
    )]
    EncodingUnmappable {
        /// Label of the encoding.
        encoding: String,
        /// The first characters that do not fit.
        chars: Vec<UnmappableChar>,
    },
    /// An empty `old_string` creates a file, but there is one with text.
    #[error(
        "The file exists already ({size} bytes), and an empty old_string only creates a file. Nothing was written. \
         Read the file and edit it, or replace it with write_file."
    )]
    AlreadyExists {
        /// Size of the file in bytes.
        size: usize,
    },
    /// The file after the change would be too large.
    #[error(
        "The file would have more than {limit} bytes. Nothing was written. Use a shell command for such files."
    )]
    ResultTooLarge {
        /// Most bytes a result may have.
        limit: usize,
    },
    /// A place was found that cuts through a character of the file; a fault of ours.
    #[error(
        "The edit could not be prepared (internal fault). Nothing was written. Retry once, then tell the user."
    )]
    Internal,
    /// The file is beyond what offsets can address.
    #[error(
        "The file has {size} bytes; at most {limit} can be handled as text. Use a shell command for such files."
    )]
    TextTooLarge {
        /// Size of the file in bytes.
        size: usize,
        /// Most bytes a text may have.
        limit: usize,
    },
}

impl EditError {
    /// The code that callers and the window branch on.
    pub fn code(&self) -> &'static str {
        match self {
            Self::IdenticalStrings | Self::SameResult => "EDIT_NO_CHANGE",
            Self::NoOccurrence(_) => "EDIT_NO_OCCURRENCE_FOUND",
            Self::Ambiguous { .. } => "EDIT_EXPECTED_OCCURRENCE_MISMATCH",
            Self::AmbiguousFuzzy { .. } => "EDIT_AMBIGUOUS_FUZZY_MATCH",
            Self::FuzzyRefused(_) | Self::NeedsConfirmation { .. } => "EDIT_FUZZY_REFUSED",
            Self::ReadArtifact(_) => "EDIT_READ_ARTIFACT_IN_OLD_STRING",
            Self::OmissionPlaceholder { .. } => "EDIT_OMISSION_PLACEHOLDER",
            Self::ReplacementChar { .. } => "ENCODING_REPLACEMENT_CHAR",
            Self::Chunk(error) => error.code(),
            Self::BinaryFile => "BINARY_FILE",
            Self::EncodingUnsupported(_) => "ENCODING_UNSUPPORTED",
            Self::EncodingUnmappable { .. } => "ENCODING_UNMAPPABLE",
            Self::AlreadyExists { .. } => "ATTEMPT_TO_CREATE_EXISTING_FILE",
            Self::ResultTooLarge { .. } | Self::TextTooLarge { .. } => "FILE_TOO_LARGE",
            Self::Internal => "EDIT_PREPARATION_FAILURE",
        }
    }

    /// What sets this case apart from others with the same code.
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Self::FuzzyRefused(refusal) => Some(refusal.reason.name()),
            Self::NeedsConfirmation { .. } => Some(RefusalReason::NeedsConfirmation.name()),
            Self::ReadArtifact(artifact) => Some(artifact.reason()),
            Self::EncodingUnsupported(form) => Some(form.reason()),
            Self::ResultTooLarge { .. } => Some("result"),
            Self::IdenticalStrings
            | Self::SameResult
            | Self::NoOccurrence(_)
            | Self::Ambiguous { .. }
            | Self::AmbiguousFuzzy { .. }
            | Self::OmissionPlaceholder { .. }
            | Self::ReplacementChar { .. }
            | Self::Chunk(_)
            | Self::BinaryFile
            | Self::EncodingUnmappable { .. }
            | Self::AlreadyExists { .. }
            | Self::Internal
            | Self::TextTooLarge { .. } => None,
        }
    }

    /// The text for the model.
    pub fn message(&self, path: &str) -> String {
        format!("{path}: {self}")
    }
}

/// What was copied from the display of a file instead of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReadArtifact {
    /// Line numbers at the start of each line.
    #[error(
        "Every line of old_string starts with a line number as read_file shows it; the numbers are not part of the \
         file. Nothing was written. Remove the line numbers from old_string and new_string."
    )]
    LineNumbers,
    /// The mark of a line that was shown cut.
    #[error(
        "old_string contains the marker of a line that was shown cut; the marker is not part of the file. Nothing \
         was written. Remove the truncation marker, and use only text that was shown."
    )]
    TruncationMarker,
}

impl ReadArtifact {
    fn reason(self) -> &'static str {
        match self {
            Self::LineNumbers => "line_numbers",
            Self::TruncationMarker => "truncation_marker",
        }
    }
}

/// Text that is recognised but cannot be mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnsupportedForm {
    /// A UTF-32 byte order mark.
    #[error("UTF-32")]
    Utf32,
    /// Half a code unit at the end.
    #[error("UTF-16 with an odd number of bytes")]
    Utf16OddLength,
    /// A surrogate without its partner.
    #[error("UTF-16 with a lone surrogate")]
    Utf16LoneSurrogate,
}

impl UnsupportedForm {
    fn reason(self) -> &'static str {
        match self {
            Self::Utf32 => "utf-32",
            Self::Utf16OddLength => "utf-16-odd-length",
            Self::Utf16LoneSurrogate => "utf-16-lone-surrogate",
        }
    }
}

/// A character that the encoding of the file has no bytes for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnmappableChar {
    /// The character.
    pub char: char,
    /// Where it stands in the text that was to be written.
    pub position: Position,
}

/// Line numbers, with a word about those that are left out.
pub(crate) struct LineList<'a> {
    pub(crate) lines: &'a [usize],
    pub(crate) count: usize,
}

impl std::fmt::Display for LineList<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.lines.len() == 1 {
            "line "
        } else {
            "lines "
        })?;
        write_list(f, self.lines, self.count)
    }
}

/// Positions, with a word about those that are left out.
struct PositionList<'a> {
    positions: &'a [Position],
    count: usize,
}

impl std::fmt::Display for PositionList<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("line:column ")?;
        write_list(f, self.positions, self.count)
    }
}

/// Items with commas, and an ellipsis when there are more.
fn write_list<T: std::fmt::Display>(
    f: &mut std::fmt::Formatter<'_>,
    items: &[T],
    count: usize,
) -> std::fmt::Result {
    for (at, item) in items.iter().enumerate() {
        f.write_str(if at == 0 { "" } else { ", " })?;
        write!(f, "{item}")?;
    }
    f.write_str(if count > items.len() { ", …" } else { "" })
}

/// Characters with their numbers and places.
struct CharList<'a>(&'a [UnmappableChar]);

impl std::fmt::Display for CharList<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, UnmappableChar { char, position }) in self.0.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { ", " })?;
            write!(
                f,
                "U+{:04X} `{char}` (line:column {position} of the new text)",
                u32::from(*char)
            )?;
        }
        Ok(())
    }
}
