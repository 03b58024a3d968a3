//! Makes everything that is derived from the facts of a session anew.

use crate::apply::Applier;
use crate::error::Error;
use crate::events;
use crate::head::{Head, number};
use crate::payload::Texts;
use crate::writer::Tx;
use protocol::ids::SessionId;
use std::collections::HashMap;

pub(crate) fn rebuild(tx: &Tx<'_>, id: &SessionId) -> Result<(), Error> {
    let mut head = Head::load(tx.conn, id)?;
    let rowids: HashMap<u64, i64> = tx
        .conn
        .prepare_cached("SELECT seq, rowid FROM item WHERE session_id=?1")?
        .query_map([id.as_str()], |row| Ok((number(row, 0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    for table in ["item", "shell", "file_version"] {
        tx.conn.execute(
            &format!("DELETE FROM {table} WHERE session_id=?1"),
            [id.as_str()],
        )?;
    }
    let before = head.clone();
    head.reset();
    let epoch = head.writer_epoch;
    let mut applier = Applier::new(tx.conn, &mut head, epoch);
    applier.rowids = rowids;
    for row in events::load(tx.conn, tx.blobs, id, 1, Texts::All)? {
        applier.changes.clear();
        let Some(event) = row.event else {
            applier.head.last_seq = row.seq;
            applier.head.last_turn = applier.head.last_turn.max(row.turn);
            continue;
        };
        match applier.apply(row.seq, row.turn, row.ts, &event) {
            Ok(()) => applier.write_calls()?,
            // A log with holes, after damage: the fact stays, its row cannot.
            Err(error @ (Error::CallNotFound(_) | Error::Order(_))) => {
                tracing::warn!(%error, seq = row.seq, "a fact has nothing to change");
            }
            Err(error) => return Err(error),
        }
    }
    head.save(tx.conn, &before)
}
