//! `status.json`: how a command stands, for whoever has nothing but its folder.
//!
//! It is always whole: a new file takes the place of the old one. The program writes it while it runs; its supervisor
//! does when the program is gone, and never changes an end that is written there. Deliberately absent: anything the
//! program itself would read back while it runs.

use crate::outcome::{EndReason, Exit, Outcome, signal_name};
use crate::spool::create_private_file;
use protocol::shell::ShellState;
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A longer file is not ours; the command is in it, and little else.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// Where a command stands; what the program knows, and two states only files have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Standing {
    Starting,
    Running,
    Completed,
    Failed,
    Cancelled,
    TimedOut,
    Lost,
    /// The program went away, so the supervisor ended it.
    KilledAppGone,
}

impl Standing {
    pub(crate) fn is_settled(self) -> bool {
        match self {
            Self::Starting | Self::Running => false,
            Self::Completed
            | Self::Failed
            | Self::Cancelled
            | Self::TimedOut
            | Self::Lost
            | Self::KilledAppGone => true,
        }
    }
}

impl From<ShellState> for Standing {
    fn from(state: ShellState) -> Self {
        match state {
            ShellState::Running => Self::Running,
            ShellState::Completed => Self::Completed,
            ShellState::Failed => Self::Failed,
            ShellState::Cancelled => Self::Cancelled,
            ShellState::TimedOut => Self::TimedOut,
            ShellState::Lost => Self::Lost,
        }
    }
}

/// What the file says. Models and people read it, so times are text and signals have names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    pub(crate) id: String,
    pub(crate) status: Standing,
    pub(crate) command: String,
    pub(crate) cwd: String,
    pub(crate) pid: Option<i32>,
    pub(crate) start_time: jiff::Timestamp,
    pub(crate) updated_at: jiff::Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) end_time: Option<jiff::Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) signal: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    pub(crate) leftovers: usize,
}

impl Record {
    fn end(&mut self, status: Standing, exit: &Exit) {
        self.status = status;
        self.exit_code = exit.code;
        self.signal = exit.signal.map(signal_name);
        self.end_time = Some(now());
    }
}

/// Whether the disk had all of the output when it was said to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flushed {
    InTime,
    Late,
}

/// The file of a command the program runs.
#[derive(Debug)]
pub(crate) struct StatusFile {
    path: PathBuf,
    record: Record,
}

impl StatusFile {
    /// Creates the file of a command that is about to start.
    pub(crate) fn create(path: PathBuf, id: &str, command: &str, cwd: &Path) -> io::Result<Self> {
        let start_time = now();
        let record = Record {
            id: id.to_owned(),
            status: Standing::Starting,
            command: command.to_owned(),
            cwd: cwd.to_string_lossy().into_owned(),
            pid: None,
            start_time,
            updated_at: start_time,
            end_time: None,
            exit_code: None,
            signal: None,
            error: None,
            leftovers: 0,
        };
        create_private_file(&path)?.write_all(&serde_json::to_vec(&record)?)?;
        Ok(Self { path, record })
    }

    /// It runs, or still does.
    pub(crate) fn running(&mut self, pid: i32, error: Option<&str>) {
        self.record.status = Standing::Running;
        self.record.pid = Some(pid);
        self.record.error = error.map(str::to_owned);
        self.write();
    }

    /// It is settled.
    pub(crate) fn ended(&mut self, pid: i32, outcome: &Outcome, flushed: Flushed) {
        let mut errors = Vec::new();
        if outcome.reason == EndReason::Lost {
            errors.push("supervisor died");
        }
        if outcome.spool_failed {
            errors.push(SPOOL_FULL);
        }
        if flushed == Flushed::Late {
            errors.push("flush_timeout");
        }
        self.record.pid = Some(pid);
        self.record.error = (!errors.is_empty()).then(|| errors.join(", "));
        self.record.leftovers = outcome.leftovers_total;
        self.record.end(outcome.state().into(), &outcome.exit);
        self.write();
    }

    /// So many still run though it is settled.
    pub(crate) fn left(&mut self, leftovers: usize) {
        if self.record.leftovers != leftovers {
            self.record.leftovers = leftovers;
            self.write();
        }
    }

    fn write(&mut self) {
        self.record.updated_at = now();
        if let Err(error) = replace(&self.path, &self.record) {
            tracing::debug!(%error, path = %self.path.display(), "the status was not written");
        }
    }
}

/// What the file says of a disk that did not take everything.
pub(crate) const SPOOL_FULL: &str = "spool_full";

/// What a supervisor without its program knows.
#[derive(Debug)]
pub(crate) struct Orphaned<'a> {
    /// The command's end, if it came by itself before the program was gone.
    pub(crate) own_end: Option<&'a Exit>,
    /// Its end, if it came.
    pub(crate) exit: Option<&'a Exit>,
    pub(crate) leftovers: usize,
}

/// Notes what happened after the program was gone.
pub(crate) fn note_orphaned(path: &Path, orphaned: &Orphaned) -> io::Result<()> {
    let mut record = read(path)?;
    match (record.status.is_settled(), orphaned.own_end) {
        (false, Some(exit)) => {
            let status = match exit.code {
                Some(0) => Standing::Completed,
                Some(_) | None => Standing::Failed,
            };
            record.end(status, exit);
        }
        (false, None) => record.end(Standing::KilledAppGone, &Exit::default()),
        (true, _) => {}
    }
    if let (Standing::KilledAppGone, Some(exit)) = (record.status, orphaned.exit) {
        record.end(Standing::KilledAppGone, exit);
    }
    record.leftovers = orphaned.leftovers;
    record.updated_at = now();
    replace(path, &record)
}

/// Reads the file of a command, of this run or of an earlier one.
pub(crate) fn read(path: &Path) -> io::Result<Record> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(path)?;
    let mut text = Vec::new();
    file.take(MAX_FILE_BYTES).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

/// The time, for people; nothing is decided by it. To the millisecond.
fn now() -> jiff::Timestamp {
    let now = jiff::Timestamp::now();
    jiff::Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
}

fn replace(path: &Path, record: &Record) -> io::Result<()> {
    let new = path.with_extension("json.new");
    let mut file = match create_private_file(&new) {
        // Somebody was killed while writing.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            std::fs::remove_file(&new)?;
            create_private_file(&new)?
        }
        created => created?,
    };
    let written = file.write_all(&serde_json::to_vec(record)?);
    written
        .and_then(|()| std::fs::rename(&new, path))
        .inspect_err(|_| {
            // A disk that is full gets the room back.
            std::fs::remove_file(&new).ok();
        })
}

#[cfg(test)]
mod tests;
