//! Facts, read back.

use crate::blobs::Blobs;
use crate::error::Error;
use crate::head::number;
use crate::hidden::Hidden;
use crate::payload::{Texts, decode};
use protocol::ids::SessionId;
use protocol::log::{LogEvent, LogRow};
use protocol::session::Queued;
use protocol::todo::Todo;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// The facts of a session from number `from` on, in order.
pub(crate) fn load(
    conn: &Connection,
    blobs: &Blobs,
    id: &SessionId,
    from: u64,
    texts: Texts,
) -> Result<Vec<LogRow>, Error> {
    let rows = conn
        .prepare_cached("SELECT seq, ts, turn, kind, payload FROM event WHERE session_id=?1 AND seq>=?2 ORDER BY seq")?
        .query_map(params![id.as_str(), from as i64], |row| log_row(conn, blobs, row, texts))?
        .collect::<Result<_, _>>()?;
    Ok(rows)
}

/// The facts of one kind, in order, without long texts.
pub(crate) fn of_kind(
    conn: &Connection,
    blobs: &Blobs,
    id: &SessionId,
    kind: &str,
) -> Result<Vec<LogRow>, Error> {
    let rows = conn
        .prepare_cached("SELECT seq, ts, turn, kind, payload FROM event WHERE session_id=?1 AND kind=?2 ORDER BY seq")?
        .query_map(params![id.as_str(), kind], |row| log_row(conn, blobs, row, Texts::ForModel))?
        .collect::<Result<_, _>>()?;
    Ok(rows)
}

/// One fact, whole.
pub(crate) fn one(
    conn: &Connection,
    blobs: &Blobs,
    id: &SessionId,
    seq: u64,
) -> Result<Option<LogEvent>, Error> {
    let mut statement = conn.prepare_cached(
        "SELECT seq, ts, turn, kind, payload FROM event WHERE session_id=?1 AND seq=?2",
    )?;
    let mut rows = statement.query(params![id.as_str(), seq as i64])?;
    match rows.next()? {
        Some(row) => Ok(log_row(conn, blobs, row, Texts::All)?.event),
        None => Ok(None),
    }
}

fn log_row(
    conn: &Connection,
    blobs: &Blobs,
    row: &Row<'_>,
    texts: Texts,
) -> rusqlite::Result<LogRow> {
    let fetch = |sha256: &str| {
        let bytes = blobs.get(conn, sha256).ok()?;
        String::from_utf8(bytes).ok()
    };
    // A fact that cannot be read is like one of a newer version: kept, and passed over.
    let event = match (row.get_ref(3)?.as_str(), row.get_ref(4)?.as_str()) {
        (Ok(kind), Ok(payload)) => decode(kind, payload, texts, &fetch),
        _ => None,
    };
    Ok(LogRow {
        seq: number(row, 0)?,
        ts: row.get(1)?,
        turn: row.get(2)?,
        event,
    })
}

/// What the index `event_state` covers, word for word: SQLite uses it only where a query says the same.
pub(crate) const STATE_KINDS: &str =
    "kind IN('turn_started','todo_changed','queue_changed','compaction','rewound','rewind_undone')";

/// The facts of one of those kinds, newest first, until `pick` has found one.
fn newest<T>(
    conn: &Connection,
    blobs: &Blobs,
    (id, kind): (&SessionId, &str),
    mut pick: impl FnMut(&LogRow) -> Option<T>,
) -> Result<Option<T>, Error> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT seq, ts, turn, kind, payload FROM event WHERE session_id=?1 AND kind=?2 AND {STATE_KINDS} ORDER BY seq DESC"
    ))?;
    let mut rows = statement.query(params![id.as_str(), kind])?;
    while let Some(row) = rows.next()? {
        if let Some(found) = pick(&log_row(conn, blobs, row, Texts::All)?) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Number of the fact that began the newest turn, or that began turn `turn`.
pub(crate) fn turn_start(
    conn: &Connection,
    id: &SessionId,
    turn: u32,
) -> Result<Option<u64>, Error> {
    let seq = conn
        .prepare_cached(&format!(
            "SELECT seq FROM event WHERE session_id=?1 AND kind='turn_started' AND {STATE_KINDS} AND turn=?2
             ORDER BY seq DESC LIMIT 1"
        ))?
        .query_row(params![id.as_str(), turn], |row| number(row, 0))
        .optional()?;
    Ok(seq)
}

/// The parts of the log that were taken back.
pub(crate) fn hidden(conn: &Connection, blobs: &Blobs, id: &SessionId) -> Result<Hidden, Error> {
    let mut rows = Vec::new();
    for kind in ["rewound", "rewind_undone"] {
        newest(conn, blobs, (id, kind), |row| {
            rows.push(row.clone());
            None::<()>
        })?;
    }
    Ok(Hidden::of(&rows))
}

/// The task list as it now stands, and since when.
pub(crate) fn newest_todos(
    conn: &Connection,
    blobs: &Blobs,
    id: &SessionId,
) -> Result<Option<(Vec<Todo>, i64)>, Error> {
    let hidden = hidden(conn, blobs, id)?;
    newest(conn, blobs, (id, "todo_changed"), |row| match &row.event {
        Some(LogEvent::TodoChanged { todos }) if !hidden.covers(row.seq) => {
            Some((todos.clone(), row.ts))
        }
        _ => None,
    })
}

/// The messages that wait. They belong to no part of the conversation, so taking one back does not change them.
pub(crate) fn newest_queue(
    conn: &Connection,
    blobs: &Blobs,
    id: &SessionId,
) -> Result<Vec<Queued>, Error> {
    let queue = newest(conn, blobs, (id, "queue_changed"), |row| match &row.event {
        Some(LogEvent::QueueChanged { queue }) => Some(queue.clone()),
        _ => None,
    })?;
    Ok(queue.unwrap_or_default())
}
