//! The shells of a session, as far as its facts tell.

use crate::error::Error;
use protocol::ids::{SessionId, ShellId};
use protocol::shell::ShellState;
use rusqlite::Connection;

/// One shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredShell {
    /// Which shell.
    pub shell_id: ShellId,
    /// Its command.
    pub command: String,
    /// Where it stands.
    pub state: ShellState,
    /// Exit code, if it ended by itself.
    pub exit_code: Option<i32>,
    /// Name of the signal that ended it, if that is known.
    pub signal: Option<String>,
    /// Absolute working folder; empty if that is not known.
    pub cwd: String,
    /// Process id of the command, if that is known.
    pub pid: Option<u32>,
    /// Bytes of output.
    pub raw_bytes: u64,
    /// Milliseconds since 1970, UTC.
    pub started_at: i64,
    /// Milliseconds since 1970, UTC, once it ended.
    pub ended_at: Option<i64>,
}

/// All of them, oldest first.
pub(crate) fn load(conn: &Connection, id: &SessionId) -> Result<Vec<StoredShell>, Error> {
    let shells = conn
        .prepare_cached(
            "SELECT shell_id, shell.command, state, exit_code, signal, coalesce(cwd, ''), pid, coalesce(raw_bytes, 0),
               coalesce(run.started_at, shell.started_at) AS began, coalesce(run.ended_at, shell.ended_at)
             FROM shell LEFT JOIN shell_run AS run USING(session_id, shell_id)
             WHERE session_id=?1 ORDER BY began, shell_id",
        )?
        .query_map([id.as_str()], |row| {
            Ok(StoredShell {
                shell_id: ShellId(row.get(0)?),
                command: row.get(1)?,
                // A word of a newer version is a shell that no longer runs here.
                state: crate::head::word(row, 2).unwrap_or(ShellState::Lost),
                exit_code: row.get(3)?,
                signal: row.get(4)?,
                cwd: row.get(5)?,
                pid: row.get(6)?,
                raw_bytes: crate::head::number(row, 7)?,
                started_at: row.get(8)?,
                ended_at: row.get(9)?,
            })
        })?
        .collect::<Result<_, _>>()?;
    Ok(shells)
}

/// Takes the shells that ended out of the list; `running` stay. Their facts stay, so a session that is made anew has
/// them again.
pub(crate) fn forget(conn: &Connection, id: &SessionId, running: &[ShellId]) -> Result<(), Error> {
    for shell in load(conn, id)? {
        if !running.contains(&shell.shell_id) {
            for table in ["shell", "shell_run"] {
                conn.prepare_cached(&format!(
                    "DELETE FROM {table} WHERE session_id=?1 AND shell_id=?2"
                ))?
                .execute([id.as_str(), shell.shell_id.as_str()])?;
            }
        }
    }
    Ok(())
}
