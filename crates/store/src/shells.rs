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
    /// Milliseconds since 1970, UTC.
    pub started_at: i64,
    /// Milliseconds since 1970, UTC, once it ended.
    pub ended_at: Option<i64>,
}

/// All of them, oldest first.
pub(crate) fn load(conn: &Connection, id: &SessionId) -> Result<Vec<StoredShell>, Error> {
    let shells = conn
        .prepare_cached(
            "SELECT shell_id, command, state, exit_code, started_at, ended_at FROM shell WHERE session_id=?1
             ORDER BY started_at, shell_id",
        )?
        .query_map([id.as_str()], |row| {
            Ok(StoredShell {
                shell_id: ShellId(row.get(0)?),
                command: row.get(1)?,
                // A word of a newer version is a shell that no longer runs here.
                state: crate::head::word(row, 2).unwrap_or(ShellState::Lost),
                exit_code: row.get(3)?,
                started_at: row.get(4)?,
                ended_at: row.get(5)?,
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
            conn.prepare_cached("DELETE FROM shell WHERE session_id=?1 AND shell_id=?2")?
                .execute([id.as_str(), shell.shell_id.as_str()])?;
        }
    }
    Ok(())
}
