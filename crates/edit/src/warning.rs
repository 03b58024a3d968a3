//! What deserves a second look about a change that is allowed.
//!
//! A warning goes to the model with the result and to the person with the question. A confirmation reason forces the
//! question whatever the mode. Deliberately absent: refusals; those are in [`crate::error`].

use crate::error::LineList;
use crate::locate::Layer;

/// Something about a change that the model should know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// The break after the replaced text is gone.
    #[error(
        "old_string ended with a newline and new_string does not, so the following line was joined to it. If that \
         was not meant, put the newline back."
    )]
    LinesJoined,
    /// The file ended with a break and does not any more.
    #[error("The file ended with a newline and no longer does.")]
    FinalNewlineRemoved,
    /// `replace_all` left places that differ only in typographic characters.
    #[error(
        "{count} more place(s) differ from old_string only in typographic characters and were left unchanged ({}).",
        LineList { lines, count: *count }
    )]
    NearMatchesLeft {
        /// Number of places.
        count: usize,
        /// 1-based lines of the first places, in the text before the change.
        lines: Vec<usize>,
    },
    /// Non-ASCII text was written in an encoding that is only likely.
    #[error(
        "The encoding of the file ({encoding}) is a guess, and non-ASCII text was written in it."
    )]
    EncodingGuessed {
        /// Label of the encoding.
        encoding: String,
    },
    /// Lines go that the model never saw.
    #[error("{count} line(s) that you have not read were removed or replaced.")]
    UnseenLinesReplaced {
        /// Number of lines.
        count: usize,
    },
    /// The whole content looks as if it was escaped once too often.
    #[error(
        "The content has `\\n` as two characters and no line break. It was written as given; if line breaks were \
         meant, write the file again with real ones."
    )]
    LiteralEscapes,
}

impl Warning {
    /// The code that callers and the window branch on.
    pub fn code(&self) -> &'static str {
        match self {
            Self::LinesJoined => "LINES_JOINED",
            Self::FinalNewlineRemoved => "FINAL_NEWLINE_REMOVED",
            Self::NearMatchesLeft { .. } => "NEAR_MATCHES_LEFT",
            Self::EncodingGuessed { .. } => "ENCODING_GUESSED",
            Self::UnseenLinesReplaced { .. } => "UNSEEN_LINES_REPLACED",
            Self::LiteralEscapes => "LITERAL_ESCAPES",
        }
    }
}

/// Why a person must look at a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfirmReason {
    /// Non-ASCII text goes into an encoding that is only likely.
    EncodingGuessed,
    /// Lines go that the model never saw.
    UnseenLines,
    /// Most of the file goes.
    LargeShrink,
    /// The place was found with another indentation.
    Indentation,
    /// The place was found after undoing one level of escaping.
    DoubleEscaping,
    /// The place was found without blank lines around it.
    BoundaryLines,
    /// The place was found with other white space inside its lines.
    WhiteSpace,
    /// The place was found by its first and last line.
    DriftedContext,
}

impl ConfirmReason {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::EncodingGuessed => "encoding_guessed",
            Self::UnseenLines => "unseen_lines",
            Self::LargeShrink => "large_shrink",
            Self::Indentation => "indentation",
            Self::DoubleEscaping => "double_escaping",
            Self::BoundaryLines => "boundary_lines",
            Self::WhiteSpace => "white_space",
            Self::DriftedContext => "drifted_context",
        }
    }
}

impl ConfirmReason {
    /// Why the place that a layer found must be looked at; `None` if the layer is certain enough.
    pub(crate) fn of(layer: Layer) -> Option<Self> {
        match layer {
            Layer::Create
            | Layer::Exact
            | Layer::Typographic
            | Layer::TrailingBlanks
            | Layer::TypographicLines
            | Layer::FinalNewline => None,
            Layer::Indentation => Some(Self::Indentation),
            Layer::DoubleEscaping => Some(Self::DoubleEscaping),
            Layer::BoundaryLines => Some(Self::BoundaryLines),
            Layer::WhiteSpace => Some(Self::WhiteSpace),
            Layer::DriftedContext => Some(Self::DriftedContext),
        }
    }

    /// What the person would have to look at, for the model.
    fn words(self) -> &'static str {
        match self {
            Self::EncodingGuessed => {
                "non-ASCII text would go into a file whose encoding is only likely"
            }
            Self::UnseenLines => "lines that you have not read would be lost",
            Self::LargeShrink => "most of the file would go",
            Self::Indentation => "the indentation of old_string is not the file's",
            Self::DoubleEscaping => "old_string is escaped once too often",
            Self::BoundaryLines => "old_string has blank lines that the file lacks",
            Self::WhiteSpace => "the white space of old_string is not the file's",
            Self::DriftedContext => "some lines of old_string are not the file's",
        }
    }
}

/// Reasons in words.
pub(crate) struct ConfirmWords<'r>(pub(crate) &'r [ConfirmReason]);

impl std::fmt::Display for ConfirmWords<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, reason) in self.0.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { ", and " })?;
            f.write_str(reason.words())?;
        }
        Ok(())
    }
}
