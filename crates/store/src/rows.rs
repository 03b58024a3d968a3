//! The `item` table: rows in and out.
//!
//! A row whose body cannot be read comes back as a notice, so that one bad row never keeps a session from opening.
//! Deliberately absent: which row a fact makes; that is `derive`.

use crate::derive::Row;
use crate::error::Error;
use crate::head::number;
use protocol::ids::{CallId, SessionId};
use protocol::item::{Item, ItemBody};
use rusqlite::{Connection, OptionalExtension, params};

/// Columns that [`item`] reads, in its order.
pub(crate) const COLUMNS: &str = "seq, turn, step, ts, excluded, body";
/// The planner would rather walk the whole session backwards than sort the one or two rows of a call.
const CALL: &str = "SELECT seq, turn, step, ts, excluded, body, est_tokens, result_seq FROM item INDEXED BY item_call
    WHERE session_id=?1 AND call_id=?2 ORDER BY seq DESC LIMIT 1";
/// The code of the notice that stands for an unreadable row.
pub const UNREADABLE_ROW: &str = "unreadable_row";

/// A row of the transcript from [`COLUMNS`].
pub(crate) fn item(row: &rusqlite::Row<'_>) -> rusqlite::Result<Item> {
    let body = row
        .get_ref(5)?
        .as_str()
        .ok()
        .and_then(|text| serde_json::from_str(text).ok());
    Ok(Item {
        seq: number(row, 0)?,
        turn: row.get(1)?,
        step: row.get(2)?,
        ts: row.get(3)?,
        excluded: row.get(4)?,
        body: body.unwrap_or_else(|| ItemBody::Notice {
            code: UNREADABLE_ROW.to_owned(),
            text: "This entry cannot be read.".to_owned(),
            args: Vec::new(),
        }),
    })
}

/// Adds a row. `rowid` is given where a row is built again, so that its place in search results stays.
pub(crate) fn insert(
    conn: &Connection,
    id: &SessionId,
    row: &Row,
    rowid: Option<i64>,
) -> Result<(), Error> {
    let tool = row.tool();
    conn.prepare_cached(
        "INSERT INTO item(rowid, session_id, seq, turn, step, ts, kind, call_id, name, status, est_tokens, body, text)
         VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13)",
    )?
    .execute(params![
        rowid,
        id.as_str(),
        row.item.seq as i64,
        row.item.turn,
        row.item.step,
        row.item.ts,
        row.kind(),
        tool.map(|tool| tool.call_id.as_str()),
        tool.map(|tool| tool.name.as_str()),
        row.status(),
        row.est_tokens as i64,
        serde_json::to_string(&row.item.body)?,
        row.text,
    ])?;
    Ok(())
}

/// The row of a call, if the session has it.
pub(crate) fn call(
    conn: &Connection,
    id: &SessionId,
    call_id: &CallId,
) -> Result<Option<Row>, Error> {
    let row = conn
        .prepare_cached(CALL)?
        .query_row([id.as_str(), call_id.as_str()], |row| {
            Ok(Row {
                item: item(row)?,
                text: String::new(),
                est_tokens: number(row, 6)?,
                result_seq: row
                    .get::<_, Option<i64>>(7)?
                    .and_then(|seq| u64::try_from(seq).ok()),
            })
        })
        .optional()?;
    Ok(row)
}

/// Writes the changed row of a call. Its text is only touched with its result, because the search index follows it.
pub(crate) fn update_call(conn: &Connection, id: &SessionId, row: &Row) -> Result<(), Error> {
    let body = serde_json::to_string(&row.item.body)?;
    let seq = row.item.seq as i64;
    match row.result_seq {
        None => conn
            .prepare_cached("UPDATE item SET status=?3, body=?4 WHERE session_id=?1 AND seq=?2")?
            .execute(params![id.as_str(), seq, row.status(), body])?,
        Some(result_seq) if row.text.is_empty() => conn
            .prepare_cached("UPDATE item SET status=?3, body=?4, result_seq=?5 WHERE session_id=?1 AND seq=?2")?
            .execute(params![id.as_str(), seq, row.status(), body, result_seq as i64])?,
        Some(result_seq) => conn
            .prepare_cached(
                "UPDATE item SET status=?3, body=?4, result_seq=?5, est_tokens=?6, text=?7 WHERE session_id=?1 AND seq=?2",
            )?
            .execute(params![
                id.as_str(),
                seq,
                row.status(),
                body,
                result_seq as i64,
                row.est_tokens as i64,
                row.text
            ])?,
    };
    Ok(())
}

/// One row by its number, hidden or not.
pub(crate) fn by_seq(conn: &Connection, id: &SessionId, seq: u64) -> Result<Item, Error> {
    conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM item WHERE session_id=?1 AND seq=?2"
    ))?
    .query_row(params![id.as_str(), seq as i64], item)
    .optional()?
    .ok_or(Error::ItemNotFound(seq))
}

/// Whether a row is in the transcript.
pub(crate) fn is_visible(conn: &Connection, id: &SessionId, seq: u64) -> Result<bool, Error> {
    let visible: Option<bool> = conn
        .prepare_cached("SELECT hidden_by IS NULL FROM item WHERE session_id=?1 AND seq=?2")?
        .query_row(params![id.as_str(), seq as i64], |row| row.get(0))
        .optional()?;
    Ok(visible == Some(true))
}

/// Number of the fact that holds the result of the call in row `seq`.
pub(crate) fn result_seq(
    conn: &Connection,
    id: &SessionId,
    seq: u64,
) -> Result<Option<u64>, Error> {
    let found = conn
        .prepare_cached("SELECT result_seq FROM item WHERE session_id=?1 AND seq=?2")?
        .query_row(params![id.as_str(), seq as i64], |row| {
            row.get::<_, Option<i64>>(0)
        })
        .optional()?
        .flatten();
    Ok(found.and_then(|seq| u64::try_from(seq).ok()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open;
    use rusqlite::StatementStatus;

    #[test]
    fn a_plan_is_made_once_whatever_is_bound() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let database = folder.path().join("plans.db");
        Connection::open(&database)?
            .execute_batch(include_str!("../migrations/0001_initial.sql"))?;
        let conn = open::reader(&database, open::Sharing::Shared)?;
        for call_id in ["first", "second", "third"] {
            let mut statement = conn.prepare_cached(CALL)?;
            assert!(!statement.exists(["session", call_id])?);
            assert_eq!(statement.get_status(StatementStatus::RePrepare), 0);
        }
        Ok(())
    }
}
