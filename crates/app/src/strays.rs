//! Shells of an earlier run of the program: ended if something of them still runs, and told of as they ended.
//!
//! None is taken over: without its terminal there is nothing to take over. Deliberately absent: which process is ours,
//! which `terminal` proves, and what becomes of the rows, which `store` does.

use protocol::message::Reminder;
use protocol::shell::ShellState;
use std::path::Path;
use store::{EndStrays, ShellEnd, ShellRun};
use terminal::{Aftermath, ProcessIdentity, ShellIdentity, aftermath, kept_tail};
use tools::{EndedShell, NOTE_TAIL_BYTES, OutputTail, note_of};

/// What is done about shells of an earlier run. One that does not end holds up nobody else.
pub(crate) fn end_strays() -> EndStrays {
    EndStrays::new(|strays| {
        std::thread::scope(|scope| {
            let ends: Vec<_> = strays
                .iter()
                .map(|stray| scope.spawn(|| end(stray)))
                .collect();
            ends.into_iter()
                .map(|end| end.join().unwrap_or_else(|_| unknown()))
                .collect()
        })
    })
}

fn end(stray: &ShellRun) -> ShellEnd {
    let status_file = stray.spool_dir.join("status.json");
    let after = aftermath(&identity(stray), &status_file);
    tracing::info!(shell_id = %stray.shell_id.as_str(), state = ?after.state, was_alive = after.was_alive,
        "a shell of an earlier run");
    ShellEnd {
        state: after.state,
        exit_code: after.exit_code,
        signal: after.signal.clone(),
        ended_at: after.ended_at_ms,
        raw_bytes: after.bytes.max(stray.raw_bytes),
        note: note(stray, &after, &status_file),
    }
}

fn unknown() -> ShellEnd {
    ShellEnd {
        state: ShellState::Lost,
        exit_code: None,
        signal: None,
        ended_at: None,
        raw_bytes: 0,
        note: None,
    }
}

fn identity(stray: &ShellRun) -> ShellIdentity {
    ShellIdentity {
        boot_id: stray.boot_id.clone(),
        host: ProcessIdentity {
            pid: stray.host_pid,
            start: stray.host_start,
        },
        command: ProcessIdentity {
            pid: stray.pid,
            start: stray.pid_start,
        },
    }
}

/// One that ended by itself is news; that the end of the program ended one, the model is told in other words.
fn note(stray: &ShellRun, after: &Aftermath, status_file: &Path) -> Option<Reminder> {
    match after.state {
        ShellState::Lost | ShellState::Running => return None,
        ShellState::Completed
        | ShellState::Failed
        | ShellState::Cancelled
        | ShellState::TimedOut => {}
    }
    let tail = kept_tail(status_file, NOTE_TAIL_BYTES as u64);
    let clean = status_file.with_file_name("clean.txt");
    Some(note_of(&EndedShell {
        shell_id: stray.shell_id.clone(),
        command: stray.command.clone(),
        cwd: stray.cwd.clone(),
        pid: stray.pid,
        state: after.state,
        exit_code: after.exit_code,
        signal: after.signal.clone(),
        tail: tail.map_or(OutputTail::Unreadable, OutputTail::Text),
        bytes: after.bytes,
        output_file: clean.is_file().then_some(clean),
        leftovers: 0,
    }))
}
