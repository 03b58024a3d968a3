//! A tool call and how it ends.

use crate::diff::FileDiff;
use crate::ids::{CallId, ShellId};
use crate::todo::Todo;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A call the model made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ToolCall {
    /// Unique within its session.
    pub call_id: CallId,
    /// The tool's name as the model wrote it.
    pub name: String,
    /// The arguments, or why they cannot be used.
    pub args: CallArgs,
    /// Provider data that must go back with the call.
    #[serde(default)]
    pub meta: Option<Value>,
}

/// The arguments of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum CallArgs {
    /// One JSON object.
    Usable {
        /// The object, as the model sent it.
        value: Value,
    },
    /// Nothing that may be run.
    Unusable {
        /// Why.
        error: ArgsError,
        /// The text as it came.
        raw: String,
        /// The parser's words and position.
        #[serde(default)]
        detail: Option<String>,
    },
}

/// Why arguments cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ArgsError {
    /// Not JSON, and no lossless repair made it JSON.
    InvalidJson,
    /// Cut off at the output limit.
    Truncated,
    /// JSON, but not an object.
    NotObject,
}

/// What a tool does to the world; decides batches and the default permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// Reads files or state.
    Read,
    /// Searches files.
    Search,
    /// Fetches from elsewhere.
    Fetch,
    /// Changes files.
    Edit,
    /// Deletes files.
    Delete,
    /// Moves files.
    Move,
    /// Runs programs.
    Execute,
    /// Writes notes or asks; changes no file.
    Think,
    /// Hands work to a child.
    Agent,
    /// Everything else.
    Other,
}

impl ToolKind {
    /// Whether neighbouring calls of this kind may run at the same time.
    #[must_use]
    pub fn is_concurrent(self) -> bool {
        match self {
            Self::Read | Self::Search | Self::Fetch => true,
            Self::Edit
            | Self::Delete
            | Self::Move
            | Self::Execute
            | Self::Think
            | Self::Agent
            | Self::Other => false,
        }
    }
}

/// How a call ended. Every call gets exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// It did its work.
    Ok,
    /// It ran, or was checked, and failed.
    Error,
    /// Its arguments were unusable.
    Invalid,
    /// No such tool.
    UnknownTool,
    /// The person declined it.
    Denied,
    /// Not run because of an earlier call.
    Skipped,
    /// The mode forbids it.
    Blocked,
    /// Stopped before it started.
    Cancelled,
    /// Stopped while it ran.
    CancelledRunning,
    /// The person ended this one call.
    Killed,
    /// Its time ran out.
    Timeout,
    /// The program ended while it ran.
    Lost,
    /// The program ended before it ran.
    NotRun,
}

impl CallStatus {
    /// The wire name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Invalid => "invalid",
            Self::UnknownTool => "unknown_tool",
            Self::Denied => "denied",
            Self::Skipped => "skipped",
            Self::Blocked => "blocked",
            Self::Cancelled => "cancelled",
            Self::CancelledRunning => "cancelled_running",
            Self::Killed => "killed",
            Self::Timeout => "timeout",
            Self::Lost => "lost",
            Self::NotRun => "not_run",
        }
    }
}

/// Why a tool failed, for the store, the window and tests. The model reads the message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ToolFailure {
    /// `UPPER_SNAKE`, from the closed list of the tool's document.
    pub code: String,
    /// A finer cause, such as `deleted`.
    #[serde(default)]
    pub reason: Option<String>,
    /// What happened and what to do next.
    pub message: String,
}

/// What the window shows of a result. Never sent to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Display {
    /// Nothing of its own: the model's text is shown.
    None,
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// A changed file.
    FileDiff {
        /// The change.
        diff: Box<FileDiff>,
    },
    /// A task list.
    Todos {
        /// The list as it now stands.
        todos: Vec<Todo>,
        /// Items that became completed.
        done: u32,
        /// Items that are new.
        created: u32,
    },
    /// A command and its terminal.
    Terminal {
        /// The shell that ran it.
        shell_id: ShellId,
        /// The command.
        command: String,
        /// Working folder as people read it.
        cwd: String,
        /// Exit code, if it ended by itself.
        exit_code: Option<i32>,
        /// Signal name, if one ended it.
        signal: Option<String>,
        /// The last lines, without control characters.
        tail: String,
        /// Lines in all.
        lines: u64,
    },
    /// Search hits.
    Matches {
        /// The header line.
        summary: String,
        /// The hits shown.
        hits: Vec<MatchLine>,
        /// The search stopped early.
        incomplete: bool,
    },
    /// Files or folder entries.
    FileList {
        /// The header line.
        summary: String,
        /// Paths as shown.
        paths: Vec<String>,
    },
    /// A file that was read.
    FileRead {
        /// The path as people read it.
        path: String,
        /// First line shown, 1-based; 0 where nothing was shown.
        first_line: u64,
        /// Last line shown.
        last_line: u64,
        /// Lines of the file.
        total_lines: u64,
    },
    /// Questions with their answers.
    Answers {
        /// One line per question.
        lines: Vec<String>,
    },
}

/// One hit of a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct MatchLine {
    /// The path as shown.
    pub path: String,
    /// Line number, 1-based.
    pub line: u64,
    /// The line's text, shortened.
    pub text: String,
}
