//! Errors that cross to the window. The window branches on the code and has the sentence in each language.

use serde::{Deserialize, Serialize};

/// A command that could not be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ApiError {
    /// What kind of failure.
    pub code: ErrorCode,
    /// English, for a person: what failed and what to do next.
    pub message: String,
    /// What fills the sentence of another language.
    #[serde(default)]
    pub args: Vec<String>,
}

impl ApiError {
    /// An error with a sentence.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            args: Vec::new(),
        }
    }
}

impl std::fmt::Display for ApiError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ApiError {}

/// Why a command could not be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// The request itself is not usable.
    BadRequest,
    /// No such session.
    SessionNotFound,
    /// No such item, call or shell.
    NotFound,
    /// The session can only be read.
    ReadOnly,
    /// The folder does not exist, is a file, or cannot be read.
    WorkspaceUnusable,
    /// The question was answered before.
    AlreadyDecided,
    /// No such question is open.
    NotPending,
    /// The proposal on screen is not the one that waits.
    Stale,
    /// The file's encoding cannot hold a character.
    Encoding,
    /// The session is busy; stop the turn first.
    Busy,
    /// The queue is full.
    QueueFull,
    /// The settings are not usable.
    Settings,
    /// A provider is not set up or did not answer.
    Provider,
    /// The demo script has a mistake.
    Script,
    /// The store cannot be written now: busy or full.
    StoreBusy,
    /// The store cannot be used.
    StoreUnusable,
    /// The shell has ended.
    ShellNotRunning,
    /// The shell takes no more input now.
    InputBusy,
    /// The file is no longer as the change left it.
    UndoConflict,
    /// The content from before is no longer kept.
    BackupMissing,
    /// The file changed since it was shown.
    FileChanged,
    /// The file could not be written.
    WriteFailed,
    /// A fault of ours.
    Internal,
}
