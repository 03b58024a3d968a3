//! The search index runs behind the rows.
//!
//! Indexing a row costs several times as much as writing it. So rows are indexed later, many at once: by the writer
//! when nobody has needed it for a moment, and before every search. Triggers keep the part that is indexed in
//! step with its rows. Deliberately absent: searching.

use crate::error::Error;
use rusqlite::Connection;

/// Rows indexed at once while others may want to write: a few milliseconds.
pub(crate) const SLICE_ROWS: u32 = 32;

/// Rows indexed at once before a search, where somebody waits for all of them.
pub(crate) const SEARCH_ROWS: u32 = 4096;

/// Rows the index may be behind where there is never a pause, so that no search waits long.
pub(crate) const MAX_BEHIND: u32 = 4096;

/// How many rows the index is behind.
pub(crate) fn behind(conn: &Connection) -> Result<u32, Error> {
    let behind: i64 = conn
        .prepare_cached(
            "SELECT (SELECT coalesce(max(rowid), 0) FROM item) - upto FROM search_state",
        )?
        .query_row([], |row| row.get(0))?;
    Ok(u32::try_from(behind.max(0)).unwrap_or(u32::MAX))
}

/// Indexes the next rows, at most `limit` of them. Says how many there were.
pub(crate) fn advance(conn: &Connection, limit: u32) -> Result<u32, Error> {
    let (last, rows): (Option<i64>, u32) = conn
        .prepare_cached(
            "SELECT max(rowid), count(*) FROM
               (SELECT rowid FROM item WHERE rowid>(SELECT upto FROM search_state) ORDER BY rowid LIMIT ?1)",
        )?
        .query_row([limit], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let Some(last) = last else {
        return Ok(0);
    };
    conn.prepare_cached(
        "INSERT INTO item_fts(rowid, text) SELECT rowid, text FROM item
         WHERE rowid>(SELECT upto FROM search_state) AND rowid<=?1",
    )?
    .execute([last])?;
    conn.prepare_cached("UPDATE search_state SET upto=?1")?
        .execute([last])?;
    Ok(rows)
}

/// Makes the index anew, for all rows there are.
pub(crate) fn rebuild(conn: &Connection) -> Result<(), Error> {
    conn.execute("INSERT INTO item_fts(item_fts) VALUES('rebuild')", [])?;
    conn.execute(
        "UPDATE search_state SET upto=(SELECT coalesce(max(rowid), 0) FROM item)",
        [],
    )?;
    Ok(())
}

/// After a deletion: new rows take the numbers that became free, and shall wait like all new ones.
pub(crate) fn step_back(conn: &Connection) -> Result<(), Error> {
    conn.prepare_cached(
        "UPDATE search_state SET upto=min(upto, (SELECT coalesce(max(rowid), 0) FROM item))",
    )?
    .execute([])?;
    Ok(())
}
