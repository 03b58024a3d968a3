//! Why file work did not happen.
//!
//! Every variant asks for another reaction of the caller or of the model; its text names the path and the next step.
//! Whatever the variant, the file on disk is as it was, except where the text says otherwise.

mod detail;

pub use detail::{
    Kept, Noticed, OutsideChange, PageUnit, PriorRead, Search, SizePurpose, SpecialKind,
    WriteOutcome,
};

use crate::notebook::NotebookProblem;
use crate::path_policy::ForbiddenClass;
use std::io;
use std::path::{Path, PathBuf};

/// A failure with a code the model and the window can act on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An argument cannot be used.
    #[error("{problem}")]
    InvalidParams {
        /// Which property, and what is allowed.
        problem: String,
    },
    /// A spelling or a place that is never opened.
    #[error("{path} is refused: {class}. Do not retry with this path", path = path.display(), class = class.as_str())]
    Forbidden {
        /// The path as given.
        path: PathBuf,
        /// Why.
        class: ForbiddenClass,
    },
    /// Outside the workspace without a grant.
    #[error("{path} is outside the workspace ({roots}). The user can grant access to it",
        path = path.display(), roots = paths(roots))]
    NotInWorkspace {
        /// The resolved target.
        path: PathBuf,
        /// The workspace roots.
        roots: Vec<PathBuf>,
    },
    /// A folder on the way became a link after the path was approved.
    #[error("a folder of {path} is a link by now and leads elsewhere. Nothing was written; resolve the path again",
        path = path.display())]
    MovedAway {
        /// The path that was approved.
        path: PathBuf,
    },
    /// The product's ignore file hides the path.
    #[error("{path} is hidden by the ignore pattern `{pattern}`", path = path.display())]
    Ignored {
        /// The path.
        path: PathBuf,
        /// The matching pattern.
        pattern: String,
    },
    /// Nothing is there.
    #[error("{path} does not exist.{hint}", path = path.display(), hint = not_found_hint(suggestions))]
    NotFound {
        /// The resolved path.
        path: PathBuf,
        /// Existing paths that resemble it.
        suggestions: Vec<PathBuf>,
    },
    /// A search path leads nowhere.
    #[error("the search path {path} does not exist.{hint}", path = path.display(), hint = suggestion_list(suggestions))]
    SearchPathNotFound {
        /// The resolved path.
        path: PathBuf,
        /// Existing paths that resemble it.
        suggestions: Vec<PathBuf>,
    },
    /// A folder is needed and a file is there.
    #[error("{path} is a file, not a directory; use read_file to read it", path = path.display())]
    NotADirectory {
        /// The resolved path.
        path: PathBuf,
    },
    /// The call would create a file that exists.
    #[error("{path} exists ({size} bytes). Read it and use edit, or replace it with write_file", path = path.display())]
    AlreadyExists {
        /// The resolved path.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
    },
    /// A file is needed and a folder is there.
    #[error("{path} is a directory; use list_directory to see what is in it", path = path.display())]
    IsDirectory {
        /// The resolved path.
        path: PathBuf,
    },
    /// Not a regular file.
    #[error("{path} is a {kind}; only regular files can be used", path = path.display(), kind = kind.as_str())]
    NotRegular {
        /// The resolved path.
        path: PathBuf,
        /// What it is.
        kind: SpecialKind,
    },
    /// Over a size limit.
    #[error("{path} is too large: {size} bytes, the limit is {limit}. {remedy}", path = path.display(), remedy = purpose.remedy())]
    TooLarge {
        /// The resolved path.
        path: PathBuf,
        /// The size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
        /// What the size was needed for.
        purpose: SizePurpose,
    },
    /// The mode does not allow writing.
    #[error("{path} is read-only (mode {mode:04o}). Ask the user to change that; do not chmod it unasked", path = path.display())]
    ReadOnly {
        /// The resolved path.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The system refuses the operation to this user.
    #[error("no permission to {operation} {path}: {source}", path = path.display())]
    PermissionDenied {
        /// What was tried.
        operation: &'static str,
        /// The resolved path.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// The bytes cannot be read.
    #[error("cannot {operation} {path}: {source}", path = path.display())]
    ReadFailed {
        /// What was tried.
        operation: &'static str,
        /// The resolved path.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// The model must read before it writes.
    #[error("{path} must be read with read_file before it is changed. {detail}", path = path.display(), detail = need.detail())]
    RequiresPriorRead {
        /// The resolved path.
        path: PathBuf,
        /// What is missing.
        need: PriorRead,
    },
    /// The file is not what the model read or the human approved.
    #[error("{path} was {what} {when}. Nothing was written; read it again", path = path.display(),
        what = change.as_str(), when = noticed.as_str())]
    Changed {
        /// The resolved path.
        path: PathBuf,
        /// What happened to it.
        change: OutsideChange,
        /// When it was noticed.
        noticed: Noticed,
    },
    /// It cannot be told whether the file is what the model read.
    #[error("cannot check {path}: {source}. Nothing was done; read it again", path = path.display())]
    Unverifiable {
        /// The path.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// The text engine refuses: encoding, matching, no change.
    #[error("{path}: {source}", path = path.display())]
    Edit {
        /// The resolved path.
        path: PathBuf,
        /// The engine's reason.
        source: edit::EditError,
    },
    /// A notebook has its own tool.
    #[error("{path} is a notebook; use notebook_edit", path = path.display())]
    WrongTool {
        /// The resolved path.
        path: PathBuf,
    },
    /// The notebook cannot be changed as asked.
    #[error("{path}: {problem}. Nothing was written", path = path.display())]
    Notebook {
        /// The resolved path.
        path: PathBuf,
        /// What is wrong.
        problem: NotebookProblem,
    },
    /// Something nobody thought of failed before anything was written.
    #[error("the change of {path} could not be prepared: {source}. Try once more, then tell the user", path = path.display())]
    Preparation {
        /// The resolved path.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// The human changed the proposal back.
    #[error("the user edited the proposal for {path} back to the original text; the file is unchanged", path = path.display())]
    KeptOriginal {
        /// The resolved path.
        path: PathBuf,
    },
    /// No backup, no write.
    #[error("nothing was written to {path} because no backup could be made: {source}", path = path.display())]
    BackupFailed {
        /// The resolved path.
        path: PathBuf,
        /// What the store said.
        source: BackupError,
    },
    /// The disk or the quota is full.
    #[error("no space left to write {path}: {source}. The file is unchanged", path = path.display())]
    NoSpace {
        /// The resolved path.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// Writing failed.
    #[error("cannot write {path}: {source}. {outcome}", path = path.display(), outcome = outcome.detail())]
    WriteFailed {
        /// The resolved path.
        path: PathBuf,
        /// What state the file is in.
        outcome: WriteOutcome,
        /// The system's words.
        source: io::Error,
    },
    /// Another process wrote at the moment of the exchange.
    #[error("another process replaced {path} at the moment of writing; {what}. Read it again", path = path.display(), what = kept.detail())]
    Conflict {
        /// The resolved path.
        path: PathBuf,
        /// What became of the other version.
        kept: Kept,
    },
    /// What is on disk is not what was written.
    #[error("{path} does not hold the bytes that were written. Its state is unknown; read it again", path = path.display())]
    VerificationFailed {
        /// The resolved path.
        path: PathBuf,
    },
    /// A page that begins after the end.
    #[error("{path} has {n_lines} {unit}s; {unit} {offset} does not exist", path = path.display(), unit = unit.as_str())]
    OffsetOutOfRange {
        /// The resolved path.
        path: PathBuf,
        /// The line that was asked for.
        offset: usize,
        /// How many there are.
        n_lines: usize,
        /// What is counted.
        unit: PageUnit,
    },
    /// A search could not start.
    #[error("cannot search {path}: {detail}", path = path.display())]
    SearchFailed {
        /// Which search.
        search: Search,
        /// Where.
        path: PathBuf,
        /// What the walker or the matcher says.
        detail: String,
    },
    /// A pattern that compiles to too much.
    #[error("the pattern is too large: {detail}. Use a shorter one")]
    PatternTooLarge {
        /// The engine's words.
        detail: String,
    },
    /// The call was cancelled.
    #[error("the call was cancelled")]
    Cancelled,
}

/// A failure of the store that keeps backups and the journal.
pub type BackupError = Box<dyn std::error::Error + Send + Sync>;

impl Error {
    /// The closed code, `UPPER_SNAKE`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidParams { .. } => "INVALID_TOOL_PARAMS",
            Self::Forbidden { .. } => "PATH_FORBIDDEN",
            Self::NotInWorkspace { .. } | Self::MovedAway { .. } => "PATH_NOT_IN_WORKSPACE",
            Self::Ignored { .. } => "PATH_IGNORED",
            Self::NotFound { .. } => "FILE_NOT_FOUND",
            Self::SearchPathNotFound { .. } => "SEARCH_PATH_NOT_FOUND",
            Self::NotADirectory { .. } => "PATH_IS_NOT_A_DIRECTORY",
            Self::AlreadyExists { .. } => "ATTEMPT_TO_CREATE_EXISTING_FILE",
            Self::IsDirectory { .. } => "TARGET_IS_DIRECTORY",
            Self::NotRegular { .. } => "TARGET_NOT_REGULAR_FILE",
            Self::TooLarge { .. } => "FILE_TOO_LARGE",
            Self::ReadOnly { .. } => "FILE_READ_ONLY",
            Self::PermissionDenied { .. } => "PERMISSION_DENIED",
            Self::ReadFailed { .. } => "READ_CONTENT_FAILURE",
            Self::RequiresPriorRead { .. } => "EDIT_REQUIRES_PRIOR_READ",
            Self::Changed { .. } => "FILE_CHANGED_SINCE_READ",
            Self::Unverifiable { .. } => "PRIOR_READ_VERIFICATION_FAILED",
            Self::Edit { source, .. } => source.code(),
            Self::WrongTool { .. } => "EDIT_WRONG_TOOL",
            Self::Notebook { .. } => "NOTEBOOK_EDIT_FAILURE",
            Self::Preparation { .. } => "EDIT_PREPARATION_FAILURE",
            Self::KeptOriginal { .. } => "USER_KEPT_ORIGINAL",
            Self::BackupFailed { .. } => "BACKUP_FAILED",
            Self::NoSpace { .. } => "NO_SPACE_LEFT",
            Self::WriteFailed { .. } => "FILE_WRITE_FAILURE",
            Self::Conflict { .. } => "WRITE_CONFLICT",
            Self::VerificationFailed { .. } => "WRITE_VERIFICATION_FAILED",
            Self::OffsetOutOfRange { .. } => "OFFSET_OUT_OF_RANGE",
            Self::SearchFailed { search, .. } => match search {
                Search::Grep => "GREP_EXECUTION_ERROR",
                Search::Glob => "GLOB_EXECUTION_ERROR",
                Search::List => "LS_EXECUTION_ERROR",
            },
            Self::PatternTooLarge { .. } => "GREP_PATTERN_TOO_LARGE",
            Self::Cancelled => "CANCELLED",
        }
    }

    /// What tells cases with the same code apart.
    #[must_use]
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Self::NotRegular { kind, .. } => match kind {
                SpecialKind::DanglingLink => Some("dangling_symlink"),
                SpecialKind::BelowFile => Some("parent_not_directory"),
                SpecialKind::Fifo | SpecialKind::Socket | SpecialKind::Device => None,
            },
            Self::TooLarge { purpose, .. } => match purpose {
                SizePurpose::Result => Some("result"),
                SizePurpose::Read
                | SizePurpose::StreamedRead
                | SizePurpose::Edit
                | SizePurpose::Picture
                | SizePurpose::Document => None,
            },
            Self::RequiresPriorRead { need, .. } => match need {
                PriorRead::NonText => Some("non_text"),
                PriorRead::AnyPart | PriorRead::Whole | PriorRead::AllCells => None,
            },
            Self::Changed { change, .. } => Some(change.reason()),
            Self::Edit { source, .. } => source.reason(),
            Self::WrongTool { .. } => Some("notebook"),
            Self::Notebook { problem, .. } => Some(problem.reason()),
            Self::WriteFailed { outcome, .. } => match outcome {
                WriteOutcome::Partial { .. } => Some("partial_write"),
                WriteOutcome::InPlaceNotAllowed => Some("in_place_not_allowed"),
                WriteOutcome::Unchanged | WriteOutcome::Restored => None,
            },
            Self::Conflict { kept, .. } => Some(kept.reason()),
            Self::InvalidParams { .. }
            | Self::Forbidden { .. }
            | Self::NotInWorkspace { .. }
            | Self::MovedAway { .. }
            | Self::Ignored { .. }
            | Self::NotFound { .. }
            | Self::SearchPathNotFound { .. }
            | Self::NotADirectory { .. }
            | Self::AlreadyExists { .. }
            | Self::IsDirectory { .. }
            | Self::ReadOnly { .. }
            | Self::PermissionDenied { .. }
            | Self::ReadFailed { .. }
            | Self::Unverifiable { .. }
            | Self::Preparation { .. }
            | Self::KeptOriginal { .. }
            | Self::BackupFailed { .. }
            | Self::NoSpace { .. }
            | Self::VerificationFailed { .. }
            | Self::OffsetOutOfRange { .. }
            | Self::SearchFailed { .. }
            | Self::PatternTooLarge { .. }
            | Self::Cancelled => None,
        }
    }

    /// A failed read, told apart by whether the user may do it at all.
    pub(crate) fn reading(operation: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        if source.kind() == io::ErrorKind::PermissionDenied {
            Self::PermissionDenied {
                operation,
                path,
                source,
            }
        } else {
            Self::ReadFailed {
                operation,
                path,
                source,
            }
        }
    }

    /// A failed write that left the file as it was.
    pub(crate) fn writing(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::NoSpace { path, source }
            }
            io::ErrorKind::PermissionDenied => Self::PermissionDenied {
                operation: "write",
                path,
                source,
            },
            _ => Self::WriteFailed {
                path,
                outcome: WriteOutcome::Unchanged,
                source,
            },
        }
    }
}

fn paths(list: &[PathBuf]) -> String {
    let shown: Vec<String> = list.iter().map(|path| path.display().to_string()).collect();
    shown.join(", ")
}

fn suggestion_list(suggestions: &[PathBuf]) -> String {
    if suggestions.is_empty() {
        String::new()
    } else {
        format!(" Did you mean {}?", paths(suggestions))
    }
}

fn not_found_hint(suggestions: &[PathBuf]) -> String {
    format!(
        "{} To create the file, use edit with an empty old_string or write_file",
        suggestion_list(suggestions)
    )
}
