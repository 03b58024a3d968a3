//! Making, naming, putting away and deleting sessions.
//!
//! A deletion can be taken back for ten seconds. After that the rows go in slices, so that nobody waits for them,
//! the session last; one that was interrupted goes on at the next start.

use crate::append::{Appended, append};
use crate::blobs::{self, Orphans};
use crate::error::Error;
use crate::head::Head;
use crate::index;
use crate::payload::Fact;
use crate::writer::Tx;
use protocol::ids::{CallId, SessionId};
use protocol::log::LogEvent;
use protocol::message::Origin;
use protocol::session::{Mode, SessionSummary, TitleSource};
use rusqlite::{OptionalExtension, params};

/// How long a deletion can be taken back.
pub const UNDO_DELETE_MS: i64 = 10_000;
/// Rows that go in one transaction: a few milliseconds.
const SLICE_ROWS: i64 = 1000;

/// A session to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// Canonical path of its folder, whole.
    pub workspace: String,
    /// Provider and model.
    pub origin: Origin,
    /// Mode.
    pub mode: Mode,
    /// Version of the program.
    pub app_version: String,
    /// The call that it does the work of, for the session of a child agent.
    pub parent: Option<(SessionId, CallId)>,
}

pub(crate) fn create(
    tx: &Tx<'_>,
    id: &SessionId,
    new: &NewSession,
    fact: &Fact,
) -> Result<SessionSummary, Error> {
    tx.conn
        .prepare_cached(
            "INSERT INTO session(id, kind, workspace, created_at, updated_at, parent_session_id, parent_call_id, provider_id,
               model, mode, writer_epoch) VALUES(?1,?2,?3,?4,?4,?5,?6,?7,?8,?9,?10)",
        )?
        .execute(params![
            id.as_str(),
            if new.parent.is_some() { "subagent" } else { "main" },
            new.workspace,
            tx.now,
            new.parent.as_ref().map(|(parent, _)| parent.as_str()),
            new.parent.as_ref().map(|(_, call)| call.as_str()),
            new.origin.provider,
            new.origin.model,
            crate::derive::mode_name(new.mode),
            tx.epoch,
        ])?;
    append(tx, id, 0, std::slice::from_ref(fact))?;
    Head::load(tx.conn, id)?.summary(tx.conn)
}

/// The fact that a session begins with.
pub(crate) fn created(new: &NewSession) -> Result<Fact, Error> {
    Fact::new(LogEvent::SessionCreated {
        workspace: new.workspace.clone(),
        origin: new.origin.clone(),
        mode: new.mode,
        app_version: new.app_version.clone(),
    })
}

/// A new id; ids sort by the time of creation.
pub(crate) fn new_id(now_ms: i64) -> SessionId {
    let ms = now_ms.unsigned_abs();
    let nanos = u32::try_from(ms % 1000).unwrap_or(0) * 1_000_000;
    let time = uuid::Timestamp::from_unix(uuid::NoContext, ms / 1000, nanos);
    SessionId(uuid::Uuid::new_v7(time).to_string())
}

pub(crate) fn rename(tx: &Tx<'_>, id: &SessionId, title: &str) -> Result<Appended, Error> {
    let fact = Fact::new(LogEvent::TitleChanged {
        title: title.to_owned(),
        source: TitleSource::User,
    })?;
    append_aside(tx, id, &fact)
}

/// Adds a fact to the newest turn.
pub(crate) fn append_aside(tx: &Tx<'_>, id: &SessionId, fact: &Fact) -> Result<Appended, Error> {
    let turn = Head::load(tx.conn, id)?.last_turn;
    append(tx, id, turn, std::slice::from_ref(fact))
}

/// Sets or clears when a session was put away.
pub(crate) fn set_archived(
    tx: &Tx<'_>,
    id: &SessionId,
    at: Option<i64>,
) -> Result<SessionSummary, Error> {
    tx.conn
        .prepare_cached("UPDATE session SET archived_at=?2 WHERE id=?1 AND deleted_at IS NULL")?
        .execute(params![id.as_str(), at])?;
    Head::load(tx.conn, id)?.summary(tx.conn)
}

/// Takes a session and its children out of every list.
pub(crate) fn delete(tx: &Tx<'_>, id: &SessionId) -> Result<(), Error> {
    let changed = tx
        .conn
        .prepare_cached("UPDATE session SET deleted_at=?2 WHERE (id=?1 OR parent_session_id=?1) AND deleted_at IS NULL")?
        .execute(params![id.as_str(), tx.now])?;
    if changed == 0 {
        return Err(Error::SessionNotFound(id.clone()));
    }
    Ok(())
}

/// Takes a deletion back, as long as none of it has been carried out.
pub(crate) fn undo_delete(tx: &Tx<'_>, id: &SessionId) -> Result<SessionSummary, Error> {
    tx.conn
        .prepare_cached(
            "UPDATE session SET deleted_at=NULL WHERE (id=?1 OR parent_session_id=?1) AND deleted_at IS NOT NULL
               AND EXISTS(SELECT 1 FROM event WHERE session_id=?1 AND seq=1)",
        )?
        .execute([id.as_str()])?;
    Head::load(tx.conn, id)?.summary(tx.conn)
}

/// What one slice of a deletion did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Slice {
    /// There is more.
    More,
    /// This session is gone.
    SessionGone(SessionId),
    /// Nothing is left to delete.
    Nothing,
}

/// Carries out one slice of the deletions that can no longer be taken back. Facts go first, so that a half deleted
/// session cannot come back.
pub(crate) fn purge_slice(tx: &Tx<'_>) -> Result<Slice, Error> {
    let due: Option<String> = tx
        .conn
        .prepare_cached(
            "SELECT id FROM session WHERE deleted_at<=?1 AND deleted_at IS NOT NULL
             ORDER BY parent_session_id IS NULL, deleted_at, id LIMIT 1",
        )?
        .query_row([tx.now - UNDO_DELETE_MS], |row| row.get(0))
        .optional()?;
    let Some(id) = due else {
        return Ok(Slice::Nothing);
    };
    for table in ["event", "item"] {
        let gone = tx
            .conn
            .prepare_cached(&format!(
                "DELETE FROM {table} WHERE rowid IN(SELECT rowid FROM {table} WHERE session_id=?1 ORDER BY seq LIMIT ?2)"
            ))?
            .execute(params![id, SLICE_ROWS])?;
        if gone > 0 {
            index::step_back(tx.conn)?;
            return Ok(Slice::More);
        }
    }
    tx.conn
        .prepare_cached("DELETE FROM session WHERE id=?1")?
        .execute([&id])?;
    Ok(Slice::SessionGone(SessionId(id)))
}

/// Removes blobs that nothing refers to.
pub(crate) fn remove_orphans(tx: &Tx<'_>, which: Orphans) -> Result<(), Error> {
    let files = blobs::remove_orphans(tx, which)?;
    tx.blobs.forget_file_bytes();
    tx.doomed.borrow_mut().extend(files);
    Ok(())
}
