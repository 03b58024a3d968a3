//! Takes what can still be read out of a database that was set aside.
//!
//! Works on a copy; the damaged file is never opened. Rows are read in ranges, and a range that fails is halved down
//! to single rows. Only facts are taken over, everything else is made anew from them. Sessions that the store has
//! already are left alone, so doing it twice is harmless.

use crate::append::append;
use crate::aside::beside;
use crate::blobs::{self, Why, create_private_dir};
use crate::error::Error;
use crate::payload::Fact;
use crate::rebuild;
use crate::recover;
use crate::shell_runs::Ends;
use crate::writer::Tx;
use protocol::ids::SessionId;
use protocol::log::LogEvent;
use rusqlite::{Connection, OpenFlags, Row, params};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Rows read at once.
const RANGE_ROWS: i64 = 512;
/// Row numbers that are tried where even the largest cannot be read.
const UNKNOWN_LAST_ROW: i64 = 1 << 20;
/// Reads of one table that may fail before ranges are no longer halved: some pages are lost, not all of them.
const MAX_FAILURES: u32 = 20_000;
/// The code of the warning in a session that has lost facts.
pub const SALVAGED_WITH_GAPS: &str = "salvaged_with_gaps";

/// What was taken over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Salvaged {
    /// Sessions.
    pub sessions: usize,
    /// Their facts.
    pub facts: usize,
    /// Sessions among them that have lost facts.
    pub with_gaps: usize,
}

/// A session as it is taken over.
pub(crate) struct Found {
    id: SessionId,
    columns: Vec<rusqlite::types::Value>,
    facts: BTreeMap<i64, RawFact>,
    /// Number of the newest fact it had.
    last_seq: i64,
    /// Name and, if they were in the table, bytes.
    blobs: Vec<(String, Option<Vec<u8>>)>,
}

struct RawFact {
    ts: i64,
    turn: i64,
    kind: String,
    payload: String,
}

/// Columns of a session that do not come from its facts.
const SESSION_COLUMNS: &str = "kind, workspace, created_at, updated_at, archived_at, deleted_at, parent_session_id, parent_call_id,
    forked_from_id, forked_from_seq, provider_id, model, mode, draft";
const SESSION_COLUMN_COUNT: usize = 14;

/// A folder that goes when it is no longer needed.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, path = %self.0.display(), "a copy of a damaged database stays");
        }
    }
}

/// Reads what can be read of `damaged`, with a copy in `scratch`, which must not exist.
pub(crate) fn read(damaged: &Path, scratch: &Path) -> Result<Vec<Found>, Error> {
    let failed = |source: io::Error| Error::io("copy", damaged.to_owned(), source);
    create_private_dir(scratch).map_err(failed)?;
    let scratch = Scratch(scratch.to_owned());
    let copy = scratch.0.join("copy.db");
    fs::copy(damaged, &copy).map_err(failed)?;
    match fs::copy(beside(damaged, "-wal"), beside(&copy, "-wal")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        Ok(_) | Err(_) => {}
    }
    let conn = Connection::open_with_flags(
        &copy,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    let found = read_all(&conn);
    // What closing the copy finds does not matter any more.
    drop(conn);
    Ok(found)
}

fn read_all(conn: &Connection) -> Vec<Found> {
    let mut found: HashMap<String, Found> = rows(
        conn,
        "session",
        &format!("id, last_seq, {SESSION_COLUMNS}"),
        session,
    )
    .into_iter()
    .map(|found| (found.id.0.clone(), found))
    .collect();
    let columns = "session_id, seq, ts, turn, kind, payload";
    for (id, seq, fact) in rows(conn, "event", columns, fact) {
        let readable = serde_json::from_str::<serde::de::IgnoredAny>(&fact.payload).is_ok();
        if let Some(found) = found.get_mut(&id).filter(|_| readable && seq > 0) {
            found.facts.insert(seq, fact);
        }
    }
    let blobs: HashMap<String, Option<Vec<u8>>> = rows(conn, "blob", "sha256, data", blob)
        .into_iter()
        .collect();
    for (id, sha256) in references(conn) {
        if let (Some(found), Some(bytes)) = (found.get_mut(&id), blobs.get(&sha256)) {
            found.blobs.push((sha256, bytes.clone()));
        }
    }
    let mut found: Vec<Found> = found
        .into_values()
        .filter(|found| !found.facts.is_empty())
        .collect();
    found.sort_by(|a, b| a.id.cmp(&b.id));
    found
}

fn session(row: &Row<'_>) -> rusqlite::Result<Found> {
    Ok(Found {
        id: SessionId(row.get(0)?),
        last_seq: row.get(1)?,
        columns: (2..SESSION_COLUMN_COUNT + 2)
            .map(|column| row.get(column))
            .collect::<Result<_, _>>()?,
        facts: BTreeMap::new(),
        blobs: Vec::new(),
    })
}

fn fact(row: &Row<'_>) -> rusqlite::Result<(String, i64, RawFact)> {
    let fact = RawFact {
        ts: row.get(2)?,
        turn: row.get(3)?,
        kind: row.get(4)?,
        payload: row.get(5)?,
    };
    Ok((row.get(0)?, row.get(1)?, fact))
}

fn blob(row: &Row<'_>) -> rusqlite::Result<(String, Option<Vec<u8>>)> {
    Ok((row.get(0)?, row.get(1)?))
}

/// Rows of a table that can be read, in ranges of row numbers.
fn rows<T>(
    conn: &Connection,
    table: &str,
    columns: &str,
    read: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Vec<T> {
    let last = conn
        .query_row(&format!("SELECT max(rowid) FROM {table}"), [], |row| {
            row.get::<_, Option<i64>>(0)
        })
        .map_or(UNKNOWN_LAST_ROW, |last| last.unwrap_or(0));
    let sql = format!("SELECT {columns} FROM {table} WHERE rowid>=?1 AND rowid<=?2 ORDER BY rowid");
    // Without the table's own description there is nothing to read rows by.
    let Ok(mut statement) = conn.prepare(&sql) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let mut failures = 0;
    let mut ranges: Vec<(i64, i64)> = (0..=last / RANGE_ROWS)
        .rev()
        .map(|n| (n * RANGE_ROWS, n * RANGE_ROWS + RANGE_ROWS - 1))
        .collect();
    while let Some((from, to)) = ranges.pop() {
        let range = statement
            .query_map([from, to], read)
            .and_then(|rows| rows.collect::<Result<Vec<T>, _>>());
        match range {
            Ok(rows) => out.extend(rows),
            Err(error) => {
                tracing::debug!(%error, table, from, to, "rows cannot be read");
                failures += 1;
                if from < to && failures < MAX_FAILURES {
                    let middle = from + (to - from) / 2;
                    ranges.extend([(middle + 1, to), (from, middle)]);
                }
            }
        }
    }
    out
}

/// Which session needs which blob, from both ends of the table up to where it cannot be read.
fn references(conn: &Connection) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for order in ["ASC", "DESC"] {
        let sql = format!(
            "SELECT session_id, sha256 FROM blob_ref ORDER BY session_id {order}, sha256 {order}"
        );
        let Ok(mut statement) = conn.prepare(&sql) else {
            continue;
        };
        let Ok(rows) = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))) else {
            continue;
        };
        out.extend(rows.map_while(Result::ok));
    }
    out.sort();
    out.dedup();
    out
}

/// Takes one session over. `None` if the store has it already.
pub(crate) fn take_over(tx: &Tx<'_>, found: &Found) -> Result<Option<Salvaged>, Error> {
    let marks = vec!["?"; SESSION_COLUMN_COUNT + 1].join(",");
    let mut values = vec![rusqlite::types::Value::from(found.id.0.clone())];
    values.extend(found.columns.iter().cloned());
    let added = tx
        .conn
        .prepare_cached(&format!(
            "INSERT OR IGNORE INTO session(id, {SESSION_COLUMNS}) VALUES({marks})"
        ))?
        .execute(rusqlite::params_from_iter(values))?;
    if added == 0 {
        return Ok(None);
    }
    for (sha256, bytes) in &found.blobs {
        match bytes {
            Some(bytes) if blobs::sha256_hex(bytes) == *sha256 => {
                blobs::put_named(tx, sha256, bytes, None)?
            }
            Some(_) => continue,
            None if blobs::adopt_file(tx, sha256)? => {}
            None => continue,
        }
        blobs::refer(tx.conn, &found.id, Why::Event, sha256)?;
    }
    for (seq, fact) in &found.facts {
        tx.conn
            .prepare_cached("INSERT INTO event(session_id, seq, ts, turn, kind, payload) VALUES(?1,?2,?3,?4,?5,?6)")?
            .execute(params![found.id.as_str(), seq, fact.ts, fact.turn, fact.kind, fact.payload])?;
    }
    rebuild::rebuild(tx, &found.id)?;
    recover::recover(tx, &found.id, &Ends::default())?;
    let last = found.facts.keys().next_back().copied().unwrap_or(0);
    let lost = last.max(found.last_seq) - found.facts.len() as i64;
    if lost > 0 {
        say_what_is_lost(tx, found, lost)?;
    }
    Ok(Some(Salvaged {
        sessions: 1,
        facts: found.facts.len(),
        with_gaps: usize::from(lost > 0),
    }))
}

fn say_what_is_lost(tx: &Tx<'_>, found: &Found, lost: i64) -> Result<(), Error> {
    let warning = Fact::new(LogEvent::Warning {
        code: SALVAGED_WITH_GAPS.to_owned(),
        text: format!(
            "This session was taken from a damaged database; {lost} entries of its log are lost."
        ),
        args: vec![lost.to_string()],
    })?;
    let turn = crate::head::Head::load(tx.conn, &found.id)?.last_turn;
    append(tx, &found.id, turn, &[warning]).map(|_| ())
}
