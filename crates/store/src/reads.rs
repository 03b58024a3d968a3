//! What the model was shown of which file, so that a session that is opened again need not show it anew.
//!
//! Notes ride along: they wait in memory for the next facts of their session that end a call or a turn, and are written
//! in the same transaction, so that no note costs a commit and none is there without the result that it belongs to.
//! Deliberately absent: whether a file still is what was shown.

use crate::error::Error;
use protocol::ids::SessionId;
use protocol::log::LogEvent;
use rusqlite::{Connection, Row, params};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How a file was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredView {
    /// As lines of text.
    Text,
    /// In another way.
    NonText,
}

impl StoredView {
    fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::NonText => "non_text",
        }
    }
}

/// A file as it was shown. Numbers of the system are kept bit by bit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRead {
    /// Canonical path.
    pub path: String,
    /// Device and inode.
    pub file: (i64, i64),
    /// Bytes.
    pub size: i64,
    /// Last change of the content and of the inode, nanoseconds since 1970.
    pub changed_ns: (i64, i64),
    /// Hash of the bytes; none of a file that was too large for one.
    pub hash: Option<String>,
    /// How it was shown.
    pub shown_as: StoredView,
    /// Lines that were shown, first and last of each run.
    pub seen: String,
    /// All of it was shown.
    pub is_full: bool,
    /// When it was hashed, nanoseconds since 1970.
    pub hashed_at_ns: i64,
    /// When it was read last.
    pub read_at_ns: i64,
    /// When a tool wrote it last.
    pub written_at_ns: Option<i64>,
}

/// Notes that wait for a ride, by session and path. `None` where what was known of a path no longer counts.
#[derive(Debug, Default)]
pub(crate) struct Waiting(Mutex<HashMap<SessionId, Notes>>);

pub(crate) type Notes = BTreeMap<String, Option<StoredRead>>;

impl Waiting {
    pub(crate) fn note(&self, id: &SessionId, path: &str, read: Option<StoredRead>) {
        let mut waiting = self.lock();
        let notes = waiting.entry(id.clone()).or_default();
        notes.insert(path.to_owned(), read);
    }

    /// The notes that are written with these facts.
    pub(crate) fn riding_with<'a>(
        &self,
        id: &SessionId,
        mut facts: impl Iterator<Item = &'a LogEvent>,
    ) -> Notes {
        let ends_something = |fact: &LogEvent| {
            matches!(
                fact,
                LogEvent::ToolResult { .. } | LogEvent::TurnEnded { .. }
            )
        };
        match facts.any(ends_something) {
            true => self.lock().remove(id).unwrap_or_default(),
            false => Notes::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Notes>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn write(
    conn: &Connection,
    id: &SessionId,
    turn: u32,
    notes: &Notes,
) -> Result<(), Error> {
    for (path, read) in notes {
        match read {
            None => {
                conn.prepare_cached("DELETE FROM file_read WHERE session_id=?1 AND path=?2")?
                    .execute(params![id.as_str(), path])?;
            }
            Some(read) => upsert(conn, id, turn, read)?,
        }
    }
    Ok(())
}

fn upsert(conn: &Connection, id: &SessionId, turn: u32, read: &StoredRead) -> Result<(), Error> {
    conn.prepare_cached(
        "INSERT OR REPLACE INTO file_read(session_id, path, turn, dev, ino, size, mtime_ns, ctime_ns, hash, shown_as,
           seen, is_full, hashed_at_ns, read_at_ns, written_at_ns)
         VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15)",
    )?
    .execute(params![
        id.as_str(),
        read.path,
        turn,
        read.file.0,
        read.file.1,
        read.size,
        read.changed_ns.0,
        read.changed_ns.1,
        read.hash,
        read.shown_as.word(),
        read.seen,
        read.is_full,
        read.hashed_at_ns,
        read.read_at_ns,
        read.written_at_ns,
    ])?;
    Ok(())
}

/// Forgets what was noted in a turn: of a call that was lost nobody knows whether its result arrived.
pub(crate) fn forget_turn(conn: &Connection, id: &SessionId, turn: u32) -> Result<(), Error> {
    conn.prepare_cached("DELETE FROM file_read WHERE session_id=?1 AND turn=?2")?
        .execute(params![id.as_str(), turn])?;
    Ok(())
}

/// All of a session, by path.
pub(crate) fn load(conn: &Connection, id: &SessionId) -> Result<Vec<StoredRead>, Error> {
    let reads = conn
        .prepare_cached(
            "SELECT path, dev, ino, size, mtime_ns, ctime_ns, hash, shown_as, seen, is_full, hashed_at_ns, read_at_ns,
               written_at_ns FROM file_read WHERE session_id=?1 ORDER BY path",
        )?
        .query_map([id.as_str()], stored)?
        .collect::<Result<_, _>>()?;
    Ok(reads)
}

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredRead> {
    let shown_as: String = row.get(7)?;
    Ok(StoredRead {
        path: row.get(0)?,
        file: (row.get(1)?, row.get(2)?),
        size: row.get(3)?,
        changed_ns: (row.get(4)?, row.get(5)?),
        hash: row.get(6)?,
        shown_as: match shown_as == StoredView::Text.word() {
            true => StoredView::Text,
            false => StoredView::NonText,
        },
        seen: row.get(8)?,
        is_full: row.get(9)?,
        hashed_at_ns: row.get(10)?,
        read_at_ns: row.get(11)?,
        written_at_ns: row.get(12)?,
    })
}
