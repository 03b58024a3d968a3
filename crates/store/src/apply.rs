//! Puts one fact into the tables: its own row, the rows it changes, the counters of its session.
//!
//! Live writing and rebuilding both come through here. Deliberately absent: the `event` table itself.

use crate::derive::{self, Place, Row};
use crate::error::Error;
use crate::events;
use crate::head::{Head, standing};
use crate::rows;
use crate::versions;
use protocol::changes::{EditMark, EditState};
use protocol::diff::NetStat;
use protocol::ids::{CallId, SessionId};
use protocol::item::{Item, ItemBody};
use protocol::log::{LogEvent, StepSummary};
use protocol::message::StopReason;
use protocol::session::Outcome;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashMap;

/// What became of the transcript.
#[derive(Debug, Clone, PartialEq)]
pub enum ItemChange {
    /// A new row at the end.
    Added(Box<Item>),
    /// A row as it now is.
    Changed(Box<Item>),
    /// Rows from this number on left the transcript.
    Hidden {
        /// The first of them.
        from: u64,
    },
    /// Rows that had left the transcript are back: read it again.
    Shown,
}

/// The row of a call while facts change it.
struct CallRow {
    call_id: CallId,
    row: Row,
    /// It is in the transcript, so a change of it is to be told.
    told: bool,
}

/// Applies facts of one session in order. Whoever gives it facts calls [`Applier::write_calls`] after the last one.
pub(crate) struct Applier<'a> {
    pub(crate) conn: &'a Connection,
    pub(crate) head: &'a mut Head,
    pub(crate) epoch: i64,
    /// Rows of calls that changed and are not written yet. The facts of one step change the same row several times.
    calls: Vec<CallRow>,
    /// Row ids to use again, by sequence number; empty unless rebuilding.
    pub(crate) rowids: HashMap<u64, i64>,
    pub(crate) changes: Vec<ItemChange>,
    /// The row of the list looks different now.
    pub(crate) summary_changed: bool,
}

impl<'a> Applier<'a> {
    pub(crate) fn new(conn: &'a Connection, head: &'a mut Head, epoch: i64) -> Self {
        Self {
            conn,
            head,
            epoch,
            calls: Vec::new(),
            rowids: HashMap::new(),
            changes: Vec::new(),
            summary_changed: false,
        }
    }

    fn id(&self) -> &SessionId {
        &self.head.session_id
    }

    /// Applies one fact.
    pub(crate) fn apply(
        &mut self,
        seq: u64,
        turn: u32,
        ts: i64,
        event: &LogEvent,
    ) -> Result<(), Error> {
        let workspace = self.head.workspace.clone();
        let place = Place {
            seq,
            turn,
            ts,
            workspace: &workspace,
        };
        self.summary_changed |= self.head.note(place, self.epoch, event);
        self.add_row(place, event)?;
        if let Some(call_id) = derive::changed_call(event) {
            self.change_call(seq, call_id, event)?;
        }
        match event {
            LogEvent::StepFinished { summary } => self.name_kinds(summary),
            LogEvent::TurnEnded {
                outcome: Outcome::Refusal,
                ..
            } => self.exclude_refused(turn),
            LogEvent::Prune { seqs } => self.prune(seqs),
            LogEvent::Rewound { to_seq } => self.hide(seq, *to_seq),
            LogEvent::RewindUndone { rewind_seq } => self.show(*rewind_seq),
            LogEvent::ShellState { .. } => self.note_shell(ts, event),
            LogEvent::FileVersions {
                call_id,
                rows,
                takes_back,
                brings_back,
            } => {
                for row in rows {
                    versions::insert(self.conn, self.id(), (turn, ts), call_id, row)?;
                }
                self.mark_edits(std::slice::from_ref(call_id), EditState::Landed, None)?;
                self.mark_edits(takes_back, EditState::Undone, Some(call_id))?;
                self.mark_edits(brings_back, EditState::Landed, None)
            }
            _ => Ok(()),
        }
    }

    fn add_row(&mut self, place: Place<'_>, event: &LogEvent) -> Result<(), Error> {
        let step = match event {
            LogEvent::ToolCall { .. } => self.newest_step(place.turn)?,
            _ => 0,
        };
        let Some(row) = derive::row(place, step, event) else {
            return Ok(());
        };
        let rowid = self.rowids.get(&place.seq).copied();
        rows::insert(self.conn, self.id(), &row, rowid)?;
        self.head.item_count += 1;
        self.changes.push(ItemChange::Added(Box::new(row.item)));
        Ok(())
    }

    /// The step of the assistant message that a call belongs to.
    fn newest_step(&self, turn: u32) -> Result<u32, Error> {
        let step = self
            .conn
            .prepare_cached(
                "SELECT step FROM item WHERE session_id=?1 AND seq<=?2 AND turn=?3 AND kind IN('assistant','tool')
                 ORDER BY seq DESC LIMIT 1",
            )?
            .query_row(params![self.id().as_str(), self.head.last_seq as i64, turn], |row| row.get(0))
            .optional()?;
        Ok(step.unwrap_or(0))
    }

    fn change_call(&mut self, seq: u64, call_id: &CallId, event: &LogEvent) -> Result<(), Error> {
        let mut row = self
            .call(call_id)?
            .ok_or_else(|| Error::CallNotFound(call_id.clone()))?;
        if row.result_seq.is_some() {
            return Err(Error::Order("a call that has its result changes no more"));
        }
        let before = row.tool().map(standing);
        derive::change_call(&mut row, seq, event);
        self.count_lines(before, &row);
        self.keep_call(call_id, row, true);
        Ok(())
    }

    /// The session counts the lines of a call as it now is, and no longer those it had.
    fn count_lines(&mut self, before: Option<NetStat>, after: &Row) {
        if let (Some(before), Some(after)) = (before, after.tool().map(standing)) {
            self.summary_changed |= self.head.change_lines(before, after);
        }
    }

    /// Cards of changes say whether these are still in the files. A change that no call of the model made has no card.
    fn mark_edits(
        &mut self,
        calls: &[CallId],
        state: EditState,
        by: Option<&CallId>,
    ) -> Result<(), Error> {
        for call_id in calls {
            let Some(mut row) = self.call(call_id)? else {
                continue;
            };
            let before = row.tool().map(standing);
            let ItemBody::Tool { tool } = &mut row.item.body else {
                continue;
            };
            tool.edit = Some(EditMark {
                state,
                by: by.cloned(),
            });
            self.count_lines(before, &row);
            let told = rows::is_visible(self.conn, self.id(), row.item.seq)?;
            self.keep_call(call_id, row, told);
        }
        Ok(())
    }

    /// A finished step knows the kinds of its calls.
    fn name_kinds(&mut self, summary: &StepSummary) -> Result<(), Error> {
        for call in &summary.calls {
            let Some(mut row) = self.call(&call.call_id)? else {
                continue;
            };
            let ItemBody::Tool { tool } = &mut row.item.body else {
                continue;
            };
            if call.kind.is_none() || tool.tool_kind == call.kind {
                continue;
            }
            tool.tool_kind = call.kind;
            self.keep_call(&call.call_id, row, true);
        }
        Ok(())
    }

    /// The row of a call as the facts so far make it.
    fn call(&self, call_id: &CallId) -> Result<Option<Row>, Error> {
        match self.calls.iter().find(|known| known.call_id == *call_id) {
            Some(known) => Ok(Some(known.row.clone())),
            None => rows::call(self.conn, self.id(), call_id),
        }
    }

    fn keep_call(&mut self, call_id: &CallId, row: Row, told: bool) {
        match self
            .calls
            .iter_mut()
            .find(|known| known.call_id == *call_id)
        {
            Some(known) => {
                known.row = row;
                known.told |= told;
            }
            None => self.calls.push(CallRow {
                call_id: call_id.clone(),
                row,
                told,
            }),
        }
    }

    /// Writes the rows of calls that facts have changed, each once.
    pub(crate) fn write_calls(&mut self) -> Result<(), Error> {
        for changed in std::mem::take(&mut self.calls) {
            rows::update_call(self.conn, self.id(), &changed.row)?;
            if changed.told {
                let item = Box::new(changed.row.item);
                self.changes.push(ItemChange::Changed(item));
            }
        }
        Ok(())
    }

    /// A refused answer leaves the model view; if no tool ran, its whole turn does.
    fn exclude_refused(&mut self, turn: u32) -> Result<(), Error> {
        self.write_calls()?;
        let id = self.id().clone();
        let from = events::turn_start(self.conn, &id, turn)?.unwrap_or(0);
        let items = self
            .conn
            .prepare_cached(&format!(
                "SELECT {} FROM item WHERE session_id=?1 AND seq>=?2 AND turn=?3 AND hidden_by IS NULL
                   AND kind IN('user','assistant','tool') ORDER BY seq",
                rows::COLUMNS
            ))?
            .query_map(params![id.as_str(), from as i64, turn], rows::item)?
            .collect::<Result<Vec<Item>, _>>()?;
        let ran = items.iter().any(|item| match &item.body {
            ItemBody::Tool { tool } => tool.status.is_some_and(derive::has_run),
            ItemBody::User { .. }
            | ItemBody::Assistant { .. }
            | ItemBody::Summary { .. }
            | ItemBody::Notice { .. } => false,
        });
        for mut item in items {
            let refused = matches!(
                item.body,
                ItemBody::Assistant {
                    stop: StopReason::Refusal,
                    ..
                }
            );
            if ran && !refused {
                continue;
            }
            self.conn
                .prepare_cached("UPDATE item SET excluded=1 WHERE session_id=?1 AND seq=?2")?
                .execute(params![id.as_str(), item.seq as i64])?;
            item.excluded = true;
            self.changes.push(ItemChange::Changed(Box::new(item)));
        }
        Ok(())
    }

    fn prune(&self, seqs: &[u64]) -> Result<(), Error> {
        // From the result to its call by the fact, because no index leads from a result to its row.
        let mut statement = self.conn.prepare_cached(
            "UPDATE item SET pruned=1 WHERE session_id=?1 AND call_id=(
               SELECT payload->>'call_id' FROM event WHERE session_id=?1 AND seq=?2 AND kind='tool_result')",
        )?;
        for seq in seqs {
            statement.execute(params![self.head.session_id.as_str(), *seq as i64])?;
        }
        Ok(())
    }

    fn hide(&mut self, by: u64, from: u64) -> Result<(), Error> {
        self.write_calls()?;
        let hidden = self
            .conn
            .prepare_cached("UPDATE item SET hidden_by=?3 WHERE session_id=?1 AND seq>=?2 AND seq<?3 AND hidden_by IS NULL")?
            .execute(params![self.id().as_str(), from as i64, by as i64])?;
        self.head.item_count = self.head.item_count.saturating_sub(hidden as u64);
        self.changes.push(ItemChange::Hidden { from });
        Ok(())
    }

    fn show(&mut self, by: u64) -> Result<(), Error> {
        self.write_calls()?;
        let shown = self
            .conn
            .prepare_cached("UPDATE item SET hidden_by=NULL WHERE session_id=?1 AND hidden_by=?2")?
            .execute(params![self.id().as_str(), by as i64])?;
        self.head.item_count += shown as u64;
        self.changes.push(ItemChange::Shown);
        Ok(())
    }

    fn note_shell(&self, ts: i64, event: &LogEvent) -> Result<(), Error> {
        let LogEvent::ShellState {
            shell_id,
            command,
            state,
            exit_code,
            note: _,
        } = event
        else {
            return Ok(());
        };
        let ended = (state != "running").then_some(ts);
        self.conn
            .prepare_cached(
                "INSERT INTO shell(session_id, shell_id, command, state, exit_code, started_at, ended_at)
                 VALUES(?1,?2,?3,?4,?5,?6,?7)
                 ON CONFLICT(session_id, shell_id) DO UPDATE SET command=excluded.command, state=excluded.state,
                   exit_code=excluded.exit_code, ended_at=excluded.ended_at",
            )?
            .execute(params![
                self.id().as_str(),
                shell_id.as_str(),
                command,
                state,
                exit_code,
                ts,
                ended
            ])?;
        Ok(())
    }
}
