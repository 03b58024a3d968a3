//! Why an edit is refused where a tolerant layer found the text.
//!
//! The model gets everything it needs to send the edit again: the layer, what is in doubt, and the lines of the file
//! as they are, as far as it has seen them.

#[cfg(test)]
mod tests;

use std::fmt::{Display, Formatter, Result as FmtResult};
use std::ops::Range;

use crate::error::MAX_QUOTED_CHARS;
use crate::hint::CharName;
use crate::locate::Layer;

/// Lines of the file that a refusal quotes.
const MAX_QUOTED_LINES: usize = 6;

/// Why a place is not edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalReason {
    /// Only a person may approve the match, and nobody can be asked.
    NeedsConfirmation,
    /// One text ends with a newline and the other does not.
    NewlineMismatch,
    /// The model has not been shown the place.
    UnseenLines,
    /// Several places at once must be exact.
    ReplaceAll,
    /// A character of the new text has another form in the file.
    TypographyInChangedText(OtherForm),
    /// The lines are not indented otherwise in one way.
    IndentNonuniform,
    /// A new line has indentation that cannot be carried over.
    IndentUnmappable {
        /// 1-based line of the new text.
        new_line: usize,
    },
    /// The new text is not escaped as the old one is.
    EscapeInconsistent,
    /// The new text does not have the blank lines that the old one has around it.
    BoundaryMismatch,
    /// White space inside lines has a meaning in such files.
    WhitespaceSensitiveFile,
    /// White space in quotes has a meaning.
    WhitespaceInQuotedLine,
    /// Lines differ that would change, or too much.
    DriftedLines,
}

impl RefusalReason {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::NeedsConfirmation => "needs_confirmation",
            Self::NewlineMismatch => "newline_mismatch",
            Self::UnseenLines => "unseen_lines",
            Self::ReplaceAll => "replace_all",
            Self::TypographyInChangedText(_) => "typography_in_changed_text",
            Self::IndentNonuniform => "indent_nonuniform",
            Self::IndentUnmappable { .. } => "indent_unmappable",
            Self::EscapeInconsistent => "escape_inconsistent",
            Self::BoundaryMismatch => "boundary_mismatch",
            Self::WhitespaceSensitiveFile => "whitespace_sensitive_file",
            Self::WhitespaceInQuotedLine => "whitespace_in_quoted_line",
            Self::DriftedLines => "drifted_lines",
        }
    }

    /// What to send instead.
    fn remedy(self) -> &'static str {
        match self {
            Self::NeedsConfirmation => "Copy old_string exactly from the file, and send it again.",
            Self::NewlineMismatch => {
                "Copy old_string exactly from the file; let both strings end with a newline, or neither."
            }
            Self::UnseenLines => "Read these lines, and copy old_string exactly from them.",
            Self::ReplaceAll => {
                "Copy old_string exactly from the file, or edit the places one by one."
            }
            Self::TypographyInChangedText(_) => {
                "Copy old_string exactly from the file, and give in new_string the characters that are to be written."
            }
            Self::IndentNonuniform => {
                "Copy old_string exactly from the file, with its indentation."
            }
            Self::IndentUnmappable { .. } => {
                "Copy old_string exactly from the file, and indent new_string as the file is."
            }
            Self::EscapeInconsistent => {
                "Copy old_string exactly from the file, and write both strings without extra backslashes."
            }
            Self::BoundaryMismatch => {
                "Leave blank lines that the file does not have out of both strings."
            }
            Self::WhitespaceSensitiveFile | Self::WhitespaceInQuotedLine => {
                "Copy old_string exactly from the file, with its white space."
            }
            Self::DriftedLines => "Copy old_string exactly from the file as it is now.",
        }
    }
}

impl Display for RefusalReason {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        f.write_str(match self {
            Self::NeedsConfirmation => {
                "such a match needs the approval of a person, and nobody can be asked here"
            }
            Self::NewlineMismatch => "only one of old_string and new_string ends with a newline",
            Self::UnseenLines => "not all of these lines have been read",
            Self::ReplaceAll => "replace_all does not go with such a match",
            Self::TypographyInChangedText(OtherForm { in_old, in_file }) => {
                return write!(
                    f,
                    "new_string contains {} in a changed part, which old_string has where the file has {}; which of \
                     them is meant cannot be known",
                    CharName(Some(*in_old)),
                    CharName(Some(*in_file))
                );
            }
            Self::IndentNonuniform => {
                "the indentation of old_string differs from the file's, and not by the same in every line"
            }
            Self::IndentUnmappable { new_line } => {
                return write!(
                    f,
                    "line {new_line} of new_string has indentation that cannot be turned into the file's"
                );
            }
            Self::EscapeInconsistent => {
                "old_string is escaped once too often, and new_string is not escaped in the same way"
            }
            Self::BoundaryMismatch => {
                "old_string has blank lines at its start or end that the file lacks, and new_string does not have \
                 the same ones"
            }
            Self::WhitespaceSensitiveFile => "white space has a meaning in files of this kind",
            Self::WhitespaceInQuotedLine => {
                "white space differs in a line with quotes, where it may have a meaning"
            }
            Self::DriftedLines => {
                "lines of old_string differ too much from the file, or are among those that would change"
            }
        })
    }
}

/// A character that stands in another form in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtherForm {
    /// The character of `old_string`.
    pub in_old: char,
    /// The character of the file at the same place.
    pub in_file: char,
}

impl OtherForm {
    /// The characters of a text that differ from those of the file, which has equally many.
    pub(crate) fn all_in(old: &str, file: &str) -> Vec<Self> {
        let pairs = old.chars().zip(file.chars());
        pairs
            .filter(|(in_old, in_file)| in_old != in_file)
            .map(|(in_old, in_file)| Self { in_old, in_file })
            .collect()
    }
}

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotedLine {
    /// 1-based.
    pub number: usize,
    /// Its text, shortened.
    pub text: String,
}

impl QuotedLine {
    /// The first of some lines.
    pub(crate) fn first_of<'t>(lines: impl Iterator<Item = (usize, &'t str)>) -> Vec<Self> {
        let quoted = |(number, line): (usize, &str)| Self {
            number,
            text: line.chars().take(MAX_QUOTED_CHARS).collect(),
        };
        lines.take(MAX_QUOTED_LINES).map(quoted).collect()
    }
}

/// A place that was found and is not edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The layer that found it.
    pub layer: Layer,
    /// Why it is not edited.
    pub reason: RefusalReason,
    /// 1-based lines of the place.
    pub place: Range<usize>,
    /// The first of the lines concerned that the model has been shown.
    pub quoted: Vec<QuotedLine>,
    /// Number of lines concerned.
    pub n_concerned: usize,
}

impl Display for Refusal {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        let (first, last) = (self.place.start, self.place.end - 1);
        let words = self.layer.words().unwrap_or("there");
        write!(f, "old_string was not found exactly; {words} it fits ")?;
        match first == last {
            true => write!(f, "line {first}")?,
            false => write!(f, "lines {first}-{last}")?,
        }
        write!(
            f,
            ", but {}. Nothing was written. {}",
            self.reason,
            self.reason.remedy()
        )?;
        if self.quoted.is_empty() {
            return Ok(());
        }
        f.write_str("\nThe file has:")?;
        for QuotedLine { number, text } in &self.quoted {
            write!(f, "\n{number}\t{text}")?;
        }
        match self.quoted.len() < self.n_concerned {
            true => f.write_str("\n…"),
            false => Ok(()),
        }
    }
}
