//! Adds facts to a session, with everything that follows from them, in one transaction.
//!
//! The writer gives out the sequence numbers. Deliberately absent: what the facts mean for rows; that is `derive`.

use crate::apply::{Applier, ItemChange};
use crate::blobs::{self, Why};
use crate::error::Error;
use crate::head::Head;
use crate::order;
use crate::partial;
use crate::payload::Fact;
use crate::writer::{Tx, Urgency};
use protocol::ids::SessionId;
use protocol::log::LogEvent;
use protocol::session::SessionSummary;
use rusqlite::params;

/// What became of appended facts.
#[derive(Debug, Clone, PartialEq)]
pub struct Appended {
    /// Number of the first fact; the others follow without gaps.
    pub first_seq: u64,
    /// Number of the last fact; of the newest fact of the session if none was given.
    pub last_seq: u64,
    /// Time of all of them: milliseconds since 1970, UTC.
    pub ts: i64,
    /// What became of the transcript, in order.
    pub changes: Vec<ItemChange>,
    /// The row of the list, where it looks different now.
    pub summary: Option<Box<SessionSummary>>,
}

/// Whether something is likely to wait for these facts.
pub(crate) fn urgency(facts: &[Fact]) -> Urgency {
    let waits = facts.iter().any(|fact| {
        matches!(
            fact.event,
            LogEvent::ToolStarted { .. }
                | LogEvent::ToolResult { .. }
                | LogEvent::UserMessage { .. }
                | LogEvent::TurnEnded { .. }
        )
    });
    if waits {
        Urgency::Durable
    } else {
        Urgency::Normal
    }
}

pub(crate) fn append(
    tx: &Tx<'_>,
    id: &SessionId,
    turn: u32,
    facts: &[Fact],
) -> Result<Appended, Error> {
    let mut head = Head::load(tx.conn, id)?;
    let before = head.clone();
    let first_seq = head.last_seq + 1;
    let mut applier = Applier::new(tx.conn, &mut head, tx.epoch);
    for fact in facts {
        if matches!(fact.event, LogEvent::TurnEnded { .. }) {
            // The order is checked against the rows.
            applier.write_calls()?;
        }
        order::check(tx.conn, applier.head, &fact.event)?;
        let seq = applier.head.last_seq + 1;
        insert_event(tx, id, seq, turn, fact)?;
        applier.apply(seq, turn, tx.now, &fact.event)?;
        forget_live_text(tx, id, &fact.event)?;
    }
    applier.write_calls()?;
    let (changes, summary_changed) = (applier.changes, applier.summary_changed);
    head.save(tx.conn, &before)?;
    let summary = if summary_changed {
        Some(Box::new(head.summary(tx.conn)?))
    } else {
        None
    };
    Ok(Appended {
        first_seq,
        last_seq: head.last_seq,
        ts: tx.now,
        changes,
        summary,
    })
}

fn insert_event(
    tx: &Tx<'_>,
    id: &SessionId,
    seq: u64,
    turn: u32,
    fact: &Fact,
) -> Result<(), Error> {
    for (sha256, text) in &fact.blobs {
        blobs::put_named(tx, sha256, text.as_bytes(), None)?;
        blobs::refer(tx.conn, id, Why::Event, sha256)?;
    }
    tx.conn
        .prepare_cached(
            "INSERT INTO event(session_id, seq, ts, turn, kind, payload) VALUES(?1,?2,?3,?4,?5,?6)",
        )?
        .execute(params![
            id.as_str(),
            seq as i64,
            tx.now,
            turn,
            fact.event.kind(),
            fact.payload
        ])?;
    Ok(())
}

/// A finished message replaces its live text in the same transaction, so neither is ever seen twice; and live text
/// never outlives its turn.
fn forget_live_text(tx: &Tx<'_>, id: &SessionId, event: &LogEvent) -> Result<(), Error> {
    match event {
        LogEvent::AssistantMessage { request, .. } | LogEvent::AttemptDiscarded { request, .. } => {
            partial::clear_up_to(tx.conn, id, *request)
        }
        LogEvent::TurnStarted { .. } | LogEvent::TurnEnded { .. } => partial::clear(tx.conn, id),
        _ => Ok(()),
    }
}
