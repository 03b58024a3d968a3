//! Commands in terminals, as the window sees them. Terminal bytes travel on a channel of their own.

use crate::ids::{CallId, SessionId, ShellId};
use serde::{Deserialize, Serialize};

/// One shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ShellInfo {
    /// Which shell.
    pub shell_id: ShellId,
    /// Whose.
    pub session_id: SessionId,
    /// The call that started it.
    pub call_id: Option<CallId>,
    /// The command.
    pub command: String,
    /// Absolute working folder.
    pub cwd: String,
    /// Process id of the command.
    pub pid: Option<u32>,
    /// Milliseconds since 1970, UTC.
    pub started_at: i64,
    /// Milliseconds since 1970, UTC, once it ended.
    pub ended_at: Option<i64>,
    /// Where it stands. One-way.
    pub state: ShellState,
    /// Exit code, if it ended by itself.
    pub exit_code: Option<i32>,
    /// Signal name, if one ended it.
    pub signal: Option<String>,
    /// Bytes of output.
    pub bytes: u64,
    /// It seems to wait for input.
    pub waiting: bool,
    /// What is typed is not echoed: a password, most likely.
    pub echo_off: bool,
    /// The keys go to it.
    pub input_owner: InputOwner,
    /// Milliseconds after which it is stopped.
    pub timeout_ms: Option<u64>,
    /// Nobody waits for its end.
    pub background: bool,
    /// Milliseconds since 1970, UTC, of its last output; absent before the first.
    #[serde(default)]
    pub last_output_at: Option<i64>,
    /// Processes it started that run, as of the last look.
    #[serde(default)]
    pub children: u32,
    /// Processes that run though the command ended.
    #[serde(default)]
    pub leftovers: u32,
    /// The first of these, by name.
    #[serde(default)]
    pub left: Vec<LeftProcess>,
    /// The person wants to hear of its end.
    #[serde(default)]
    pub notify_me: bool,
    /// The model hears of its end.
    #[serde(default)]
    pub tell_agent: bool,
}

/// A process that runs though the command that started it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct LeftProcess {
    /// Process id.
    pub pid: u32,
    /// Name of its program.
    pub name: String,
}

/// Where a shell stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ShellState {
    /// It runs.
    Running,
    /// Exit code 0.
    Completed,
    /// Another exit code, a signal, or it did not start.
    Failed,
    /// Stopped by a person.
    Cancelled,
    /// Its time ran out.
    TimedOut,
    /// It ran when the program ended.
    Lost,
}

impl ShellState {
    /// The state's name, as facts and the model have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timed_out",
            Self::Lost => "lost",
        }
    }
}

/// Who types into a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum InputOwner {
    /// Nobody; keys go nowhere.
    None,
    /// The person.
    Human,
    /// The model, as long as the person does not take them.
    Agent,
}

/// The first thing a view of a terminal gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TerminalSnapshot {
    /// The shell as it stands.
    pub shell: ShellInfo,
    /// Bytes of output before the frames that follow.
    pub offset: u64,
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
    /// Escape sequences that draw the screen, Base64.
    pub screen_base64: String,
}
