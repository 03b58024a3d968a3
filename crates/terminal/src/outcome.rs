//! How a command ended and what it left: the one value everything after it is made from.

use crate::text::Excerpt;
use crate::wire::WireProcess;
use protocol::shell::ShellState;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

/// How the command's process ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exit {
    /// Its code, if it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

/// Why it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    /// By itself.
    Natural,
    /// Somebody stopped it.
    Cancelled,
    /// Its time was over.
    TimedOut,
    /// Its supervisor died, and what was left was killed.
    Lost,
}

/// What a command reads from and writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    /// A terminal.
    Terminal,
    /// The system had none left: it reads nothing, and writes into a pipe.
    Pipe,
}

/// A process that outlived the command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftProcess {
    /// Its id.
    pub pid: i32,
    /// Its name.
    pub name: String,
}

impl From<&WireProcess> for LeftProcess {
    fn from(process: &WireProcess) -> Self {
        Self {
            pid: process.pid,
            name: process.name.clone(),
        }
    }
}

/// The output for reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputText {
    /// Its two ends.
    Text(Excerpt),
    /// It is no text.
    Binary,
}

/// What a person typed into it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypedInput {
    /// What the terminal showed; at most 4,096 bytes, the first ones.
    pub shown: String,
    /// How many bytes were typed while it showed nothing. They are not kept anywhere.
    pub hidden_bytes: u64,
}

/// A command that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How.
    pub exit: Exit,
    /// Why.
    pub reason: EndReason,
    /// Where it ran.
    pub medium: Medium,
    /// What it was kept in, if it was.
    pub sandbox: Option<sandbox::Policy>,
    /// Protected files that it changed, and what was done about it.
    pub touched: Vec<sandbox::Touched>,
    /// What it printed.
    pub output: OutputText,
    /// How many bytes that were.
    pub raw_bytes: u64,
    /// Offsets of bytes that are not on disk any more.
    pub dropped: Option<Range<u64>>,
    /// Where all of the output is: readable if there is such a file, raw otherwise.
    pub output_file: PathBuf,
    /// The disk refused, so not all is there.
    pub spool_failed: bool,
    /// What still runs, at most 200 of them.
    pub leftovers: Vec<LeftProcess>,
    /// How many still run.
    pub leftovers_total: usize,
    /// How long it ran.
    pub duration: Duration,
    /// How long it might have.
    pub timeout: Option<Duration>,
    /// What a person typed.
    pub typed: TypedInput,
}

impl Outcome {
    /// Whether it seems to have failed because of its sandbox.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        let (OutputText::Text(excerpt), Some(_), EndReason::Natural) =
            (&self.output, &self.sandbox, self.reason)
        else {
            return false;
        };
        [&excerpt.head, &excerpt.tail]
            .into_iter()
            .any(|text| sandbox::looks_denied(self.exit.code, self.exit.signal, text))
    }

    /// The state this outcome is shown as.
    #[must_use]
    pub fn state(&self) -> ShellState {
        match self.reason {
            EndReason::Cancelled => ShellState::Cancelled,
            EndReason::TimedOut => ShellState::TimedOut,
            EndReason::Lost => ShellState::Failed,
            EndReason::Natural if self.exit.code == Some(0) => ShellState::Completed,
            EndReason::Natural => ShellState::Failed,
        }
    }
}

/// The usual name of a signal; `SIG<n>` for those without one.
#[must_use]
pub fn signal_name(signal: i32) -> String {
    let names = [
        (libc::SIGHUP, "SIGHUP"),
        (libc::SIGINT, "SIGINT"),
        (libc::SIGQUIT, "SIGQUIT"),
        (libc::SIGILL, "SIGILL"),
        (libc::SIGTRAP, "SIGTRAP"),
        (libc::SIGABRT, "SIGABRT"),
        (libc::SIGBUS, "SIGBUS"),
        (libc::SIGFPE, "SIGFPE"),
        (libc::SIGKILL, "SIGKILL"),
        (libc::SIGUSR1, "SIGUSR1"),
        (libc::SIGSEGV, "SIGSEGV"),
        (libc::SIGUSR2, "SIGUSR2"),
        (libc::SIGPIPE, "SIGPIPE"),
        (libc::SIGALRM, "SIGALRM"),
        (libc::SIGTERM, "SIGTERM"),
        (libc::SIGXCPU, "SIGXCPU"),
        (libc::SIGXFSZ, "SIGXFSZ"),
        (libc::SIGSYS, "SIGSYS"),
    ];
    let known = names.iter().find(|(number, _)| *number == signal);
    known.map_or_else(|| format!("SIG{signal}"), |(_, name)| (*name).to_owned())
}
