//! Which processes run the shells, for the next start of the program.
//!
//! A row is written when a shell starts and again whenever it changes, so that a program that starts after a crash can
//! prove which process is a stray of ours, end it, and find out how its command ended. Nothing here follows from facts.
//! Deliberately absent: processes themselves; whoever opens the store looks at them.

use crate::error::Error;
use protocol::ids::{SessionId, ShellId};
use protocol::message::Reminder;
use protocol::shell::ShellState;
use rusqlite::{Connection, Row, params};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// One shell and its processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellRun {
    /// Whose.
    pub session_id: SessionId,
    /// Which shell.
    pub shell_id: ShellId,
    /// Its command.
    pub command: String,
    /// Absolute working folder.
    pub cwd: String,
    /// Somebody waits for its end.
    pub foreground: bool,
    /// Milliseconds since 1970, UTC.
    pub started_at: i64,
    /// Milliseconds since 1970, UTC, once it ended.
    pub ended_at: Option<i64>,
    /// The process of the command.
    pub pid: i32,
    /// When that started, in clock ticks since the boot.
    pub pid_start: u64,
    /// The process that supervises it.
    pub host_pid: i32,
    /// When that started, in clock ticks since the boot.
    pub host_start: u64,
    /// The run of the system all these numbers belong to.
    pub boot_id: String,
    /// Where its files lie.
    pub spool_dir: PathBuf,
    /// Name of the signal that ended it.
    pub signal: Option<String>,
    /// Bytes of output.
    pub raw_bytes: u64,
    /// Bytes of output that were not kept.
    pub dropped: Option<Range<u64>>,
    /// Processes that ran though the command had ended.
    pub leftovers: u32,
    /// Nothing of it can be running.
    pub is_gone: bool,
}

/// How a shell of an earlier run of the program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellEnd {
    /// Its state; one that is running still counts as lost.
    pub state: ShellState,
    /// Exit code, if it ended by itself.
    pub exit_code: Option<i32>,
    /// Name of the signal that ended it, if that is known.
    pub signal: Option<String>,
    /// Milliseconds since 1970, UTC, if that is known.
    pub ended_at: Option<i64>,
    /// Bytes of output.
    pub raw_bytes: u64,
    /// What the model is told of it.
    pub note: Option<Reminder>,
}

/// Ends what an earlier run of the program left running, and says how each ended, in the same order. Blocks.
#[derive(Clone)]
pub struct EndStrays(Arc<End>);

type End = dyn Fn(&[ShellRun]) -> Vec<ShellEnd> + Send + Sync;

impl EndStrays {
    /// Does it with this.
    #[must_use]
    pub fn new(end: impl Fn(&[ShellRun]) -> Vec<ShellEnd> + Send + Sync + 'static) -> Self {
        Self(Arc::new(end))
    }

    /// Ends the strays that the database knows.
    pub(crate) fn end(&self, conn: &Connection) -> Result<Ends, Error> {
        let strays = load_present(conn)?;
        if strays.is_empty() {
            return Ok(Ends::default());
        }
        let ends = (self.0)(&strays);
        let keys = strays
            .into_iter()
            .map(|stray| (stray.session_id, stray.shell_id));
        Ok(Ends(keys.zip(ends).collect()))
    }
}

impl Default for EndStrays {
    /// Looks at no process, so nobody knows how anything ended.
    fn default() -> Self {
        Self::new(|_| Vec::new())
    }
}

impl fmt::Debug for EndStrays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EndStrays")
    }
}

/// How shells of an earlier run ended, as far as somebody knows.
#[derive(Debug, Default)]
pub(crate) struct Ends(BTreeMap<(SessionId, ShellId), ShellEnd>);

impl Ends {
    /// What is known of one.
    pub(crate) fn of(&self, session_id: &SessionId, shell_id: &ShellId) -> Option<&ShellEnd> {
        self.0.get(&(session_id.clone(), shell_id.clone()))
    }
}

/// Puts a row in its place. That of a command in the foreground goes with the last of its processes.
pub(crate) fn save(conn: &Connection, run: &ShellRun) -> Result<(), Error> {
    if run.is_gone && run.foreground {
        conn.prepare_cached("DELETE FROM shell_run WHERE session_id=?1 AND shell_id=?2")?
            .execute([run.session_id.as_str(), run.shell_id.as_str()])?;
        return Ok(());
    }
    let dropped = run.dropped.as_ref();
    conn.prepare_cached(
        "REPLACE INTO shell_run(session_id, shell_id, command, cwd, foreground, started_at, ended_at, pid, pid_start,
           host_pid, host_start, boot_id, spool_dir, signal, raw_bytes, dropped_from, dropped_to, leftovers, is_gone)
         SELECT ?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19
         WHERE EXISTS(SELECT 1 FROM session WHERE id=?1)",
    )?
    .execute(params![
        run.session_id.as_str(),
        run.shell_id.as_str(),
        run.command,
        run.cwd,
        run.foreground,
        run.started_at,
        run.ended_at,
        run.pid,
        number(run.pid_start),
        run.host_pid,
        number(run.host_start),
        run.boot_id,
        run.spool_dir.to_string_lossy(),
        run.signal,
        number(run.raw_bytes),
        dropped.map(|range| number(range.start)),
        dropped.map(|range| number(range.end)),
        run.leftovers,
        run.is_gone,
    ])?;
    Ok(())
}

/// Notes that nothing of an earlier run is running any more, and how what ran then ended.
pub(crate) fn settle(conn: &Connection, ends: &Ends) -> Result<(), Error> {
    for mut run in load_present(conn)? {
        run.is_gone = true;
        run.leftovers = 0;
        if let (Some(end), None) = (ends.of(&run.session_id, &run.shell_id), run.ended_at) {
            run.ended_at = end.ended_at;
            run.signal.clone_from(&end.signal);
            run.raw_bytes = end.raw_bytes;
        }
        save(conn, &run)?;
    }
    Ok(())
}

/// Those of which something may be running.
fn load_present(conn: &Connection) -> Result<Vec<ShellRun>, Error> {
    let runs = conn
        .prepare_cached(
            "SELECT session_id, shell_id, command, cwd, foreground, started_at, ended_at, pid, pid_start, host_pid,
               host_start, boot_id, spool_dir, signal, raw_bytes, dropped_from, dropped_to, leftovers, is_gone
             FROM shell_run WHERE is_gone=0 ORDER BY session_id, shell_id",
        )?
        .query_map([], read)?
        .collect::<Result<_, _>>()?;
    Ok(runs)
}

fn read(row: &Row<'_>) -> rusqlite::Result<ShellRun> {
    let count = |at| row.get(at).map(i64::unsigned_abs);
    let dropped: (Option<i64>, Option<i64>) = (row.get(15)?, row.get(16)?);
    Ok(ShellRun {
        session_id: SessionId(row.get(0)?),
        shell_id: ShellId(row.get(1)?),
        command: row.get(2)?,
        cwd: row.get(3)?,
        foreground: row.get(4)?,
        started_at: row.get(5)?,
        ended_at: row.get(6)?,
        pid: row.get(7)?,
        pid_start: count(8)?,
        host_pid: row.get(9)?,
        host_start: count(10)?,
        boot_id: row.get(11)?,
        spool_dir: PathBuf::from(row.get::<_, String>(12)?),
        signal: row.get(13)?,
        raw_bytes: count(14)?,
        dropped: dropped
            .0
            .zip(dropped.1)
            .map(|(from, to)| from.unsigned_abs()..to.unsigned_abs()),
        leftovers: row.get(17)?,
        is_gone: row.get(18)?,
    })
}

fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
