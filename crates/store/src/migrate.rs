//! The format of the database and how it changes.
//!
//! One file per step, never edited once released. A step is one transaction; before the first one the whole database
//! is copied, and without the copy nothing is changed. A new database is made beside its place and renamed into it,
//! so that a file under the final name is always whole.

use crate::blobs::private_file;
use crate::error::OpenError;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use std::fs;
use std::path::Path;

/// `BDOG`, in the header of every database of ours.
pub(crate) const APPLICATION_ID: u32 = 1_111_772_999;
/// Step n makes format n + 1.
pub(crate) const STEPS: &[&str] = &[
    include_str!("../migrations/0001_initial.sql"),
    include_str!("../migrations/0002_reads.sql"),
    include_str!("../migrations/0003_shell_runs.sql"),
];

/// The format that `steps` lead to.
pub(crate) fn newest(steps: &[&str]) -> u32 {
    u32::try_from(steps.len()).unwrap_or(u32::MAX)
}

/// Makes an empty database at `path`, which must not exist. It is not flushed: until the engine has flushed the first
/// sessions there is nothing in it to lose.
pub(crate) fn create(path: &Path, journal: &str, steps: &[&str]) -> Result<(), OpenError> {
    let io_error = |operation, path: &Path, source| OpenError::Io {
        operation,
        path: path.to_owned(),
        source,
    };
    let unfinished = path.with_extension("db.new");
    private_file(&unfinished).map_err(|source| io_error("create", &unfinished, source))?;
    fill(&unfinished, journal, steps).map_err(|source| OpenError::Database {
        path: unfinished.clone(),
        source,
    })?;
    fs::rename(&unfinished, path).map_err(|source| io_error("create", path, source))
}

fn fill(path: &Path, journal: &str, steps: &[&str]) -> rusqlite::Result<()> {
    let conn = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    // Nobody has this file yet, so nothing is lost if making it is interrupted.
    conn.execute_batch(
        "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA auto_vacuum=INCREMENTAL; BEGIN",
    )?;
    for step in steps {
        conn.execute_batch(step)?;
    }
    // The mode is part of the file; setting it later would cost several flushes.
    conn.execute_batch(&format!(
        "PRAGMA user_version={}; COMMIT; PRAGMA journal_mode={journal}",
        newest(steps)
    ))?;
    conn.close().map_err(|(_, error)| error)
}

/// Brings an older database up to the newest format, after copying it to `backup`.
pub(crate) fn upgrade(
    conn: &Connection,
    from: u32,
    steps: &[&str],
    backup: &Path,
) -> Result<(), OpenError> {
    back_up(conn, backup)?;
    for (version, step) in (1..).zip(steps).skip(from as usize) {
        one_step(conn, version, step).map_err(|source| OpenError::Database {
            path: conn.path().map(Into::into).unwrap_or_default(),
            source,
        })?;
        tracing::info!(version, "the database has a new format");
    }
    Ok(())
}

/// Copies the database, whole and consistent.
pub(crate) fn back_up(conn: &Connection, to: &Path) -> Result<(), OpenError> {
    let folder = to.parent().unwrap_or(to);
    crate::blobs::create_private_dir(folder).map_err(|source| OpenError::Io {
        operation: "create",
        path: folder.to_owned(),
        source,
    })?;
    conn.execute("VACUUM INTO ?1", [to.to_string_lossy()])
        .map_err(|source| OpenError::Backup {
            path: to.to_owned(),
            source,
        })?;
    Ok(())
}

fn one_step(conn: &Connection, version: u32, step: &str) -> rusqlite::Result<()> {
    let tx = Transaction::new_unchecked(conn, TransactionBehavior::Immediate)?;
    tx.execute_batch(step)?;
    let broken = tx
        .prepare("PRAGMA foreign_key_check")?
        .query_map([], |_| Ok(()))?
        .count();
    if broken > 0 {
        return Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CONSTRAINT_FOREIGNKEY),
            Some(format!("{broken} rows refer to nothing")),
        ));
    }
    tx.pragma_update(None, "user_version", version)?;
    tx.commit()
}

#[cfg(test)]
mod tests;
