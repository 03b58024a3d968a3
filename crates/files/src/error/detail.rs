//! The small facts an [`Error`](super::Error) is made of, and how they are said.

use crate::ContentHash;

/// Something that is no regular file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecialKind {
    /// Named pipe.
    Fifo,
    /// Socket.
    Socket,
    /// Character or block device.
    Device,
    /// A link whose target is missing.
    DanglingLink,
    /// A path that goes through a file as if it were a folder.
    BelowFile,
}

impl SpecialKind {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Fifo => "FIFO",
            Self::Socket => "socket",
            Self::Device => "device",
            Self::DanglingLink => "dangling link",
            Self::BelowFile => "path below a file",
        }
    }
}

/// What a size limit protects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizePurpose {
    /// Reading without a range.
    Read,
    /// Reading at all.
    StreamedRead,
    /// Editing.
    Edit,
    /// The text after the change.
    Result,
    /// A picture, scaled down as far as makes sense.
    Picture,
    /// Turning a document into text.
    Document,
}

impl SizePurpose {
    pub(super) fn remedy(self) -> &'static str {
        match self {
            Self::Read => "Give offset and limit to read a part",
            Self::StreamedRead => "Use a shell command to look at a part",
            Self::Edit => "Use a shell command to change it",
            Self::Result => "The result of the change would be over the limit; nothing was written",
            Self::Picture => "Use a shell command to make a smaller copy, and read that",
            Self::Document => "Use a shell command to take out the pages that matter",
        }
    }
}

/// What a page consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageUnit {
    /// Lines of text.
    Line,
    /// Cells of a notebook.
    Cell,
    /// Pages of a document.
    Page,
}

impl PageUnit {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Cell => "cell",
            Self::Page => "page",
        }
    }
}

/// What is missing for the right to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriorRead {
    /// A part is enough.
    AnyPart,
    /// The whole file, since all of it is replaced.
    Whole,
    /// It was shown as something else than text.
    NonText,
    /// Every cell of a notebook, since cells refer to each other.
    AllCells,
}

impl PriorRead {
    pub(super) fn detail(self) -> &'static str {
        match self {
            Self::AnyPart => "Reading the part to change is enough",
            Self::Whole => "Read the whole file: bytes you have not seen would be lost",
            Self::NonText => "It was not shown as text; reading it again will not help",
            Self::AllCells => {
                "Read all cells of the notebook; give offset to go on where a page ends"
            }
        }
    }
}

/// What someone else did to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutsideChange {
    /// Other bytes.
    Changed,
    /// Gone.
    Deleted,
    /// There, though it was not.
    Appeared,
}

impl OutsideChange {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "changed on disk",
            Self::Deleted => "deleted",
            Self::Appeared => "created by someone else",
        }
    }

    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Deleted => "deleted",
            Self::Appeared => "appeared",
        }
    }
}

/// When an outside change was noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noticed {
    /// After the read, before planning.
    BeforePlanning,
    /// While the change was planned.
    WhilePlanning,
    /// While the proposal waited for a decision.
    WhileWaiting,
    /// Right before the exchange.
    AtCommit,
}

impl Noticed {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::BeforePlanning => "after it was read",
            Self::WhilePlanning => "while the change was planned",
            Self::WhileWaiting => "while the change waited for approval",
            Self::AtCommit => "right before the write",
        }
    }
}

/// State of the file after a failed write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteOutcome {
    /// As before.
    Unchanged,
    /// Written over in place and put back.
    Restored,
    /// Partly overwritten; the backup has the old bytes.
    Partial {
        /// The blob with the bytes before.
        backup: ContentHash,
    },
    /// It could be written only in place, and that is switched off.
    InPlaceNotAllowed,
}

impl WriteOutcome {
    pub(super) fn detail(&self) -> String {
        match self {
            Self::Unchanged => "The file is unchanged".to_owned(),
            Self::Restored => "The old bytes were put back".to_owned(),
            Self::Partial { backup } => {
                format!("It is partly overwritten; the bytes before are in backup {backup}")
            }
            Self::InPlaceNotAllowed => {
                "It can only be written in place, which the settings do not allow".to_owned()
            }
        }
    }
}

/// What became of the version another process put in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// It is in place again.
    Restored,
    /// It is in the store, as is the version that was to be written.
    Both,
}

impl Kept {
    pub(super) fn detail(self) -> &'static str {
        match self {
            Self::Restored => "its version is in place and yours was not written",
            Self::Both => "both versions are kept in the store",
        }
    }

    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::Restored => "restored",
            Self::Both => "kept_both",
        }
    }
}

/// Which search failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// Text in files.
    Grep,
    /// Names by pattern.
    Glob,
    /// Entries of a folder.
    List,
}
