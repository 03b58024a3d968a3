//! What a running command says to those who watch it.

use crate::outcome::{Exit, LeftProcess};
use protocol::shell::InputOwner;
use std::time::Duration;

/// Something happened, besides output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShellEvent {
    /// The terminal has another size.
    Resized {
        /// Columns.
        cols: u16,
        /// Rows.
        rows: u16,
    },
    /// The program named its window; clean and short.
    Title(String),
    /// It rang; at most once a second.
    Bell,
    /// It seems to wait for input, or no longer does. A hint, never a reason to answer.
    Waiting {
        /// Whether it does.
        waiting: bool,
        /// The line it waits in, at most 200 characters.
        line: String,
    },
    /// Typed characters are shown by the terminal, or no longer are.
    Echo {
        /// Whether they are.
        on: bool,
    },
    /// Somebody else has the keys, or nobody.
    Owner(InputOwner),
    /// The output is not text.
    Binary,
    /// Nothing was printed for a while; comes again while that lasts.
    Quiet {
        /// Since the start.
        elapsed: Duration,
        /// Since the last output.
        idle: Duration,
        /// Output so far.
        bytes: u64,
    },
    /// The time is almost over.
    TimeoutWarning {
        /// What is left of it.
        remaining: Duration,
    },
    /// Nobody waits for the end any more; it runs on in the background.
    MovedToBackground,
    /// These still run though the command ended; empty when they are gone.
    Leftovers(Vec<LeftProcess>),
    /// The command ended; output may follow.
    Exited(Exit),
    /// The outcome is there. Nothing but leftovers follows.
    Settled,
}

/// What a view gets, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TerminalFrame {
    /// Output.
    Chunk {
        /// Offset of the first byte in the whole output.
        offset: u64,
        /// The bytes, as the program wrote them.
        bytes: Vec<u8>,
    },
    /// The view fell behind and gets nothing more; it has to attach again.
    Gap {
        /// First byte it did not get.
        from: u64,
        /// Output so far.
        to: u64,
    },
    /// Anything else.
    Event(ShellEvent),
}
