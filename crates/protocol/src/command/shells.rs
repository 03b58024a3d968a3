//! What is asked and answered about terminals and shells.

use crate::ids::{SessionId, ShellId};
use crate::shell::ShellInfo;
use serde::{Deserialize, Serialize};

shapes! {
    /// Keys.
    pub struct WriteTerminal {
        /// Which shell.
        shell_id: ShellId,
        /// The bytes, Base64.
        bytes_base64: String,
        /// They are not kept anywhere: a password, for example.
        #[serde(default)]
        hidden: bool,
    }

    /// A size.
    pub struct ResizeTerminal {
        /// Which shell.
        shell_id: ShellId,
        /// Columns.
        cols: u16,
        /// Rows.
        rows: u16,
    }

    /// Who types.
    pub struct OwnTerminal {
        /// Which shell.
        shell_id: ShellId,
        /// Who.
        owner: crate::shell::InputOwner,
    }

    /// A command that goes on in the background.
    pub struct PromoteTerminal {
        /// Which shell.
        shell_id: ShellId,
    }

    /// A signal.
    pub struct SignalTerminal {
        /// Which shell.
        shell_id: ShellId,
        /// Which signal.
        signal: TerminalSignal,
    }

    /// The shells of a session.
    pub struct ShellsOf {
        /// Which session.
        session_id: SessionId,
    }

    /// One shell.
    pub struct ShellOp {
        /// Which shell.
        shell_id: ShellId,
    }

    /// Shells that run.
    pub struct RunningShells {
        /// In the order of their start.
        shells: Vec<ShellInfo>,
    }

    /// Who hears of the end of a shell.
    pub struct NotifyShell {
        /// Which shell.
        shell_id: ShellId,
        /// The person, by a notification.
        notify_me: bool,
        /// The model, by a note.
        tell_agent: bool,
    }

    /// Some lines of an output.
    pub struct ShellLogQuery {
        /// Which shell.
        shell_id: ShellId,
        /// The first line, counted from zero.
        from_line: u64,
        /// How many at most.
        lines: u64,
    }

    /// Lines of an output.
    pub struct ShellLog {
        /// The lines as they were printed, escape sequences included; colours that began before them come first.
        text: String,
        /// Lines of the whole output.
        total_lines: u64,
    }

    /// A text to look for in an output.
    pub struct FindInShellLog {
        /// Which shell.
        shell_id: ShellId,
        /// The text; upper and lower case are alike.
        query: String,
        /// Lines to name at most.
        max: u64,
    }

    /// Where a text is in an output.
    pub struct FoundInShellLog {
        /// The first lines with it, counted from zero.
        lines: Vec<u64>,
        /// How many lines have it.
        total: u64,
    }
}

/// A signal for a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TerminalSignal {
    /// Ctrl+C, and some time later the end of the whole tree.
    Stop,
    /// The end of the whole tree at once, and of what outlived the command.
    Kill,
}
