//! Versions of files: what was there before a change, kept so that it can be put back.
//!
//! The bytes are durable before the file is changed; the version comes from the fact that it was. When the copies of all sessions grow over their
//! limit, those of the oldest sessions are given up; never those of the session at work.

use crate::blobs::{self, Why};
use crate::error::Error;
use crate::head::{as_word, word};
use crate::writer::Tx;
use protocol::ids::{CallId, SessionId};
use protocol::log::FileVersion;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// A version as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredVersion {
    /// Turn it belongs to.
    pub turn: u32,
    /// The call that made it.
    pub call_id: CallId,
    /// Milliseconds since 1970, UTC.
    pub created_at: i64,
    /// The version.
    pub version: FileVersion,
}

/// Keeps bytes for a session and gives their name.
pub(crate) fn put(tx: &Tx<'_>, id: &SessionId, why: Why, bytes: &[u8]) -> Result<String, Error> {
    let sha256 = blobs::sha256_hex(bytes);
    put_named(tx, id, why, (&sha256, bytes))?;
    Ok(sha256)
}

/// Keeps bytes whose name is known.
pub(crate) fn put_named(
    tx: &Tx<'_>,
    id: &SessionId,
    why: Why,
    (sha256, bytes): (&str, &[u8]),
) -> Result<(), Error> {
    let size = bytes.len() as u64;
    if size > tx.limits.blob_bytes {
        return Err(Error::BlobTooLarge { size });
    }
    if why == Why::File && !is_kept(tx.conn, sha256)? {
        make_room(tx, id, size)?;
    }
    blobs::put_named(tx, sha256, bytes, None)?;
    blobs::refer(tx.conn, id, why, sha256)
}

/// Whether the bytes of a blob are there.
pub(crate) fn is_kept(conn: &Connection, sha256: &str) -> Result<bool, Error> {
    let kept = conn
        .prepare_cached("SELECT EXISTS(SELECT 1 FROM blob WHERE sha256=?1 AND dropped_at IS NULL)")?
        .query_row([sha256], |row| row.get(0))?;
    Ok(kept)
}

/// Gives up copies of other sessions, oldest first, until `size` more bytes fit.
fn make_room(tx: &Tx<'_>, current: &SessionId, size: u64) -> Result<(), Error> {
    let limit = tx.limits.file_copies_bytes;
    if tx
        .blobs
        .bound_file_bytes(size)
        .is_some_and(|bound| bound <= limit)
    {
        return Ok(());
    }
    let mut total = file_bytes(tx.conn)?;
    let sessions: Vec<String> = tx
        .conn
        .prepare_cached("SELECT id FROM session WHERE id<>?1 ORDER BY updated_at, id")?
        .query_map([current.as_str()], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for session in sessions {
        if total + size <= limit {
            break;
        }
        total -= give_up(tx, &session)?;
    }
    if total + size > limit {
        return Err(Error::BlobStoreFull);
    }
    tx.blobs.set_file_bytes(total + size);
    Ok(())
}

fn file_bytes(conn: &Connection) -> Result<u64, Error> {
    let total: i64 = conn
        .prepare_cached(
            "SELECT coalesce(sum(size), 0) FROM blob b WHERE dropped_at IS NULL
               AND EXISTS(SELECT 1 FROM blob_ref r WHERE r.sha256=b.sha256 AND r.why='file')",
        )?
        .query_row([], |row| row.get(0))?;
    Ok(total.unsigned_abs())
}

/// Drops the copies that only `session` needs. Says how many bytes that frees.
fn give_up(tx: &Tx<'_>, session: &str) -> Result<u64, Error> {
    let dropped: Vec<(String, i64)> = tx
        .conn
        .prepare_cached(
            "UPDATE blob SET dropped_at=?2, data=NULL WHERE dropped_at IS NULL
               AND sha256 IN(SELECT sha256 FROM blob_ref WHERE session_id=?1 AND why='file')
               AND NOT EXISTS(SELECT 1 FROM blob_ref r WHERE r.sha256=blob.sha256 AND (r.session_id<>?1 OR r.why<>'file'))
             RETURNING sha256, size",
        )?
        .query_map(params![session, tx.now], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    let freed = dropped.iter().map(|(_, size)| size.unsigned_abs()).sum();
    tx.doomed
        .borrow_mut()
        .extend(dropped.into_iter().map(|(sha256, _)| sha256));
    Ok(freed)
}

/// Adds the version that a fact tells of. Bytes that were never kept count as lost.
pub(crate) fn insert(
    conn: &Connection,
    id: &SessionId,
    (turn, ts): (u32, i64),
    call_id: &CallId,
    version: &FileVersion,
) -> Result<(), Error> {
    if let Some(before) = &version.before_hash {
        conn.prepare_cached(
            "INSERT OR IGNORE INTO blob(sha256, size, created_at, dropped_at) VALUES(?1,0,?2,?2)",
        )?
        .execute(params![before, ts])?;
        blobs::refer(conn, id, Why::File, before)?;
    }
    conn.prepare_cached(
        "INSERT INTO file_version(session_id, turn, call_id, path, kind, before_hash, proposed_hash, after_hash, mode,
           in_place, created_at, diff_stat) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)",
    )?
    .execute(params![
        id.as_str(),
        turn,
        call_id.as_str(),
        version.path,
        as_word(&version.change)?,
        version.before_hash,
        version.proposed_hash,
        version.after_hash,
        version.mode,
        version.in_place,
        ts,
        serde_json::to_string(&version.stat)?,
    ])?;
    Ok(())
}

const COLUMNS: &str = "turn, call_id, created_at, path, kind, before_hash, proposed_hash, after_hash, mode, in_place, diff_stat";

/// The versions of a session, oldest first.
pub(crate) fn load(
    conn: &Connection,
    id: &SessionId,
    path: Option<&str>,
) -> Result<Vec<StoredVersion>, Error> {
    let versions = conn
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM file_version WHERE session_id=?1 AND (?2 IS NULL OR path=?2) ORDER BY id"
        ))?
        .query_map(params![id.as_str(), path], stored)?
        .collect::<Result<_, _>>()?;
    Ok(versions)
}

/// The newest version of a path in a session.
pub(crate) fn newest(
    conn: &Connection,
    id: &SessionId,
    path: &str,
) -> Result<Option<StoredVersion>, Error> {
    let version = conn
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM file_version WHERE session_id=?1 AND path=?2 ORDER BY id DESC LIMIT 1"
        ))?
        .query_row(params![id.as_str(), path], stored)
        .optional()?;
    Ok(version)
}

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredVersion> {
    Ok(StoredVersion {
        turn: row.get(0)?,
        call_id: CallId(row.get(1)?),
        created_at: row.get(2)?,
        version: FileVersion {
            path: row.get(3)?,
            change: word(row, 4)?,
            before_hash: row.get(5)?,
            proposed_hash: row.get(6)?,
            after_hash: row.get(7)?,
            mode: row.get(8)?,
            in_place: row.get(9)?,
            stat: row
                .get::<_, Option<String>>(10)?
                .and_then(|text| serde_json::from_str(&text).ok())
                .unwrap_or_default(),
            // The fact has it; nobody asks the table for it.
            owners: None,
        },
    })
}
