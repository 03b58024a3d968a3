//! The journal of file commits: what a restart must know about a file that was being replaced.
//!
//! A row is there from before the temporary file until nothing of it is left, so only files that the program made
//! itself are ever removed after a crash.

use crate::error::Error;
use crate::writer::Tx;
use protocol::ids::SessionId;
use rusqlite::{Connection, params};
use std::path::PathBuf;

/// A commit that has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitEntry {
    /// The session that changes it.
    pub session_id: SessionId,
    /// The file that changes.
    pub target: PathBuf,
    /// Name of the temporary file in the target's folder.
    pub temp_name: String,
    /// SHA-256 before; `None` if there was no file.
    pub base: Option<String>,
    /// SHA-256 after; `None` if the file is deleted.
    pub new: Option<String>,
    /// Permission bits before.
    pub mode: Option<u32>,
}

pub(crate) fn begin(tx: &Tx<'_>, entry: &CommitEntry) -> Result<i64, Error> {
    let CommitEntry {
        session_id,
        target,
        temp_name,
        base,
        new,
        mode,
    } = entry;
    tx.conn
        .prepare_cached("INSERT INTO file_commit(session_id, target, temp_name, base, new, mode) VALUES(?1,?2,?3,?4,?5,?6)")?
        .execute(params![session_id.as_str(), target.to_string_lossy(), temp_name, base, new, mode])?;
    Ok(tx.conn.last_insert_rowid())
}

pub(crate) fn end(tx: &Tx<'_>, id: i64) -> Result<(), Error> {
    tx.conn
        .prepare_cached("DELETE FROM file_commit WHERE id=?1")?
        .execute([id])?;
    Ok(())
}

pub(crate) fn open(conn: &Connection) -> Result<Vec<(i64, CommitEntry)>, Error> {
    let rows = conn
        .prepare_cached("SELECT id, target, temp_name, base, new, mode, session_id FROM file_commit ORDER BY id")?
        .query_map([], |row| {
            let target: String = row.get(1)?;
            let entry = CommitEntry {
                session_id: SessionId(row.get(6)?),
                target: target.into(),
                temp_name: row.get(2)?,
                base: row.get(3)?,
                new: row.get(4)?,
                mode: row.get(5)?,
            };
            Ok((row.get(0)?, entry))
        })?
        .collect::<Result<_, _>>()?;
    Ok(rows)
}
