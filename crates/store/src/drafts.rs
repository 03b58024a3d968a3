//! Texts that are being written. The composer's is a column of the session, because every session has one.

use crate::error::Error;
use protocol::event::Draft;
use protocol::ids::SessionId;
use rusqlite::{Connection, params};

/// The key of the composer's text.
pub const COMPOSER: &str = "composer";

/// Keeps a text; an empty one is forgotten.
pub(crate) fn save(conn: &Connection, id: &SessionId, draft: &Draft) -> Result<(), Error> {
    let changed = if draft.key == COMPOSER {
        conn.prepare_cached("UPDATE session SET draft=?2 WHERE id=?1 AND deleted_at IS NULL")?
            .execute(params![id.as_str(), draft.value])?
    } else if draft.value.is_empty() {
        conn.prepare_cached("DELETE FROM draft WHERE session_id=?1 AND key=?2")?
            .execute(params![id.as_str(), draft.key])?;
        return Ok(());
    } else {
        conn.prepare_cached(
            "INSERT INTO draft(session_id, key, value) SELECT id, ?2, ?3 FROM session WHERE id=?1 AND deleted_at IS NULL
             ON CONFLICT(session_id, key) DO UPDATE SET value=excluded.value",
        )?
        .execute(params![id.as_str(), draft.key, draft.value])?
    };
    if changed == 0 {
        return Err(Error::SessionNotFound(id.clone()));
    }
    Ok(())
}

/// All texts of a session that are not empty, the composer's first.
pub(crate) fn load(conn: &Connection, id: &SessionId) -> Result<Vec<Draft>, Error> {
    let drafts = conn
        .prepare_cached(
            "SELECT ?2, draft FROM session WHERE id=?1 AND draft<>''
             UNION ALL SELECT * FROM (SELECT key, value FROM draft WHERE session_id=?1 ORDER BY key)",
        )?
        .query_map(params![id.as_str(), COMPOSER], |row| {
            Ok(Draft {
                key: row.get(0)?,
                value: row.get(1)?,
            })
        })?
        .collect::<Result<_, _>>()?;
    Ok(drafts)
}
