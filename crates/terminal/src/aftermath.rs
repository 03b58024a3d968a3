//! What became of a command whose program did not see its end.
//!
//! A process is only ever signalled after its pid, its start and the run of the system are known to be those of our
//! supervisor. No command is taken over again: without its terminal there is nothing to take over. Deliberately absent:
//! where the identities are kept in between.

use crate::process_tree::{self, Process};
use crate::status::{self, Standing};
use protocol::shell::ShellState;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::fs::OpenOptions;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A supervisor ends its tree within this; one that does not is ended by force.
const TERM_MAX: Duration = Duration::from_secs(5);
/// And what is killed is gone within this, or waits in the kernel.
const KILL_MAX: Duration = Duration::from_secs(1);
/// Between two looks at a process of somebody else, which tells nobody of its end.
const LOOK_PERIOD: Duration = Duration::from_millis(20);

/// Names a process for good, within one run of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessIdentity {
    /// Its process id.
    pub pid: i32,
    /// When it started, in clock ticks of that run; zero where that cannot be told.
    pub start: u64,
}

impl ProcessIdentity {
    pub(crate) fn of(pid: i32) -> Self {
        let start = process_tree::process(pid).map_or(0, |process| process.start);
        Self { pid, start }
    }

    fn find(self) -> Option<Process> {
        live(self.pid, self.start)
    }
}

/// Names the processes of a shell, also after a new start of the program or the system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellIdentity {
    /// The run of the system; empty where that cannot be told.
    pub boot_id: String,
    /// The supervisor.
    pub host: ProcessIdentity,
    /// The command.
    pub command: ProcessIdentity,
}

impl ShellIdentity {
    pub(crate) fn of(host: ProcessIdentity, command: ProcessIdentity) -> Self {
        Self {
            boot_id: boot_id(),
            host,
            command,
        }
    }

    /// Ends what of it is still there. True if something was.
    fn end(&self) -> bool {
        if self.boot_id.is_empty() || self.boot_id != boot_id() {
            return false;
        }
        let supervisor = self.host.find();
        if let Some(supervisor) = &supervisor {
            end(supervisor);
        }
        // Somebody may have ended the supervisor by force, which leaves the command to nobody.
        let command = self.command.find();
        if let Some(command) = &command {
            end_command(command);
        }
        supervisor.is_some() || command.is_some()
    }
}

/// How a command of an earlier run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aftermath {
    /// Its state; [`ShellState::Lost`] if nobody wrote down how it ended, or if it ended because the program had.
    pub state: ShellState,
    /// Exit code, if it is known.
    pub exit_code: Option<i32>,
    /// Name of the signal that ended it, if it is known.
    pub signal: Option<String>,
    /// When it ended, in milliseconds since 1970, if it is known.
    pub ended_at_ms: Option<i64>,
    /// Bytes of its output that are kept.
    pub bytes: u64,
    /// Something of it still ran, and was ended now.
    pub was_alive: bool,
}

/// Finds out how a command ended, and ends what is left of it. Blocks, at most for seven seconds.
#[must_use]
pub fn aftermath(shell: &ShellIdentity, status_file: &Path) -> Aftermath {
    let was_alive = shell.end();
    let lost = Aftermath {
        state: ShellState::Lost,
        exit_code: None,
        signal: None,
        ended_at_ms: None,
        bytes: status_file.parent().map_or(0, kept_bytes),
        was_alive,
    };
    let record = match status::read(status_file) {
        Ok(record) => record,
        Err(error) => {
            tracing::debug!(%error, path = %status_file.display(), "nobody knows how a command ended");
            return lost;
        }
    };
    Aftermath {
        state: state_of(record.status),
        exit_code: record.exit_code,
        signal: record.signal,
        ended_at_ms: record.end_time.map(|time| time.as_millisecond()),
        ..lost
    }
}

/// The last bytes of the readable output of a command of an earlier run; none where it has no such file.
///
/// # Errors
/// The file is there, and cannot be read.
pub fn kept_tail(status_file: &Path, max_bytes: u64) -> io::Result<String> {
    let clean = status_file.with_file_name("clean.txt");
    let mut file = match OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(clean)
    {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        opened => opened?,
    };
    let start = file.metadata()?.len().saturating_sub(max_bytes);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(max_bytes).read_to_end(&mut bytes)?;
    let cut = bytes
        .iter()
        .take_while(|byte| start > 0 && **byte & 0xC0 == 0x80);
    let whole = cut.count();
    Ok(String::from_utf8_lossy(bytes.get(whole..).unwrap_or_default()).into_owned())
}

/// What is in the raw files.
fn kept_bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let raw = entries.filter_map(Result::ok).filter(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("raw.") && name.ends_with("bin")
    });
    raw.filter_map(|entry| Some(entry.metadata().ok()?.len()))
        .sum()
}

fn state_of(standing: Standing) -> ShellState {
    match standing {
        Standing::Completed => ShellState::Completed,
        Standing::Failed => ShellState::Failed,
        Standing::Cancelled => ShellState::Cancelled,
        Standing::TimedOut => ShellState::TimedOut,
        Standing::Starting | Standing::Running | Standing::Lost | Standing::KilledAppGone => {
            ShellState::Lost
        }
    }
}

/// Asks a supervisor to end its tree, and does it by force if that does not help.
fn end(supervisor: &Process) {
    signal(supervisor, Signal::TERM);
    // One that somebody stopped hears nothing.
    signal(supervisor, Signal::CONT);
    if gone_within(supervisor, TERM_MAX) {
        return;
    }
    // Those below it are nobody's once it is gone.
    let tree = process_tree::descendants(supervisor.pid);
    signal(supervisor, Signal::KILL);
    for process in &tree {
        signal(process, Signal::KILL);
    }
    if !gone_within(supervisor, KILL_MAX) {
        tracing::warn!(
            pid = supervisor.pid,
            "a supervisor of an earlier run cannot be ended"
        );
    }
}

/// Ends a command that has no supervisor, with its group and what descends from it.
fn end_command(command: &Process) {
    let tree = process_tree::descendants(command.pid);
    if let Some(pid) = Pid::from_raw(command.pid).filter(|_| command.pgrp == command.pid) {
        // Ended in between: that was the aim.
        kill_process_group(pid, Signal::KILL).ok();
    }
    for process in std::iter::once(command).chain(&tree) {
        signal(process, Signal::KILL);
    }
    if !gone_within(command, KILL_MAX) {
        tracing::warn!(
            pid = command.pid,
            "a command of an earlier run cannot be ended"
        );
    }
}

fn live(pid: i32, start: u64) -> Option<Process> {
    process_tree::process(pid).filter(|process| process.start == start && !process.zombie)
}

fn signal(process: &Process, signal: Signal) {
    if let (Some(_), Some(pid)) = (live(process.pid, process.start), Pid::from_raw(process.pid)) {
        // Ended in between: that was the aim.
        kill_process(pid, signal).ok();
    }
}

fn gone_within(process: &Process, time: Duration) -> bool {
    let until = Instant::now() + time;
    while live(process.pid, process.start).is_some() {
        if Instant::now() >= until {
            return false;
        }
        std::thread::sleep(LOOK_PERIOD);
    }
    true
}

/// Where the files of a command are. Which of them exist depends on what it prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellFiles {
    /// Every byte, or the first ones; `raw.NNN.bin` beside it has the rest.
    pub raw: PathBuf,
    /// The readable text, if it is long or the command is in the background.
    pub clean: PathBuf,
    /// How the command stands.
    pub status: PathBuf,
}

/// Names this run of the system.
#[cfg(target_os = "linux")]
fn boot_id() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .map_or_else(|_| String::new(), |text| text.trim().to_owned())
}

/// Nothing is signalled that cannot be told apart from what took its number later.
#[cfg(not(target_os = "linux"))]
fn boot_id() -> String {
    String::new()
}

#[cfg(test)]
mod tests;
