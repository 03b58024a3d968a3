//! The row of a session: what the list shows and where the log stands. Derived from the facts, except for the flags
//! that a person sets on it.

use crate::derive::{self, Place};
use crate::error::Error;
use crate::text::one_line;
use protocol::changes::EditState;
use protocol::diff::NetStat;
use protocol::ids::SessionId;
use protocol::item::ToolItem;
use protocol::log::LogEvent;
use protocol::message::{Origin, Usage};
use protocol::session::{Mode, Outcome, SessionState, SessionSummary, TitleSource};
use protocol::tool_call::CallStatus;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A title made from the first message.
const MAX_TITLE_CHARS: usize = 60;

/// The derived columns of a session.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Head {
    pub(crate) session_id: SessionId,
    pub(crate) workspace: String,
    pub(crate) title: String,
    pub(crate) title_source: TitleSource,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) archived: bool,
    pub(crate) origin: Origin,
    pub(crate) mode: Mode,
    pub(crate) running: bool,
    pub(crate) writer_epoch: i64,
    pub(crate) last_seq: u64,
    pub(crate) last_turn: u32,
    pub(crate) item_count: u64,
    pub(crate) tokens: Usage,
    pub(crate) cost_micros: Option<u64>,
    pub(crate) last_outcome: Option<String>,
    pub(crate) net: NetStat,
}

const COLUMNS: &str = "id, workspace, title, title_source, created_at, updated_at, archived_at IS NOT NULL, provider_id, model, mode,
    state='running', writer_epoch, last_seq, last_turn, item_count, tok_in, tok_out, tok_cache_read, tok_cache_write,
    cost_micros, last_outcome, net";

impl Head {
    /// The session, unless it was deleted.
    pub(crate) fn load(conn: &Connection, id: &SessionId) -> Result<Self, Error> {
        conn.prepare_cached(&format!(
            "SELECT {COLUMNS} FROM session WHERE id=?1 AND deleted_at IS NULL"
        ))?
        .query_row([id.as_str()], Self::from_row)
        .optional()?
        .ok_or_else(|| Error::SessionNotFound(id.clone()))
    }

    pub(crate) fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            session_id: SessionId(row.get(0)?),
            workspace: row.get(1)?,
            title: row.get(2)?,
            title_source: word(row, 3)?,
            created_at: row.get(4)?,
            updated_at: row.get(5)?,
            archived: row.get(6)?,
            origin: Origin {
                provider: row.get(7)?,
                model: row.get(8)?,
            },
            mode: word(row, 9)?,
            running: row.get(10)?,
            writer_epoch: row.get(11)?,
            last_seq: number(row, 12)?,
            last_turn: row.get(13)?,
            item_count: number(row, 14)?,
            tokens: Usage {
                input: number(row, 15)?,
                output: number(row, 16)?,
                cache_read: Some(number(row, 17)?),
                cache_write: Some(number(row, 18)?),
                ..Usage::default()
            },
            cost_micros: row
                .get::<_, Option<i64>>(19)?
                .and_then(|cost| u64::try_from(cost).ok()),
            last_outcome: row.get(20)?,
            net: serde_json::from_str(&row.get::<_, String>(21)?).unwrap_or_default(),
        })
    }

    /// Writes what facts have changed since `before`. Most change nothing that the list shows or an index holds, and
    /// then the pages of the indexes stay as they are.
    pub(crate) fn save(&self, conn: &Connection, before: &Self) -> Result<(), Error> {
        if !self.looks_like(before) {
            self.save_looks(conn)?;
        }
        conn.prepare_cached(
            "UPDATE session SET writer_epoch=?2, last_seq=?3, last_turn=?4, item_count=?5, tok_in=?6, tok_out=?7,
               tok_cache_read=?8, tok_cache_write=?9, cost_micros=?10, net=?11 WHERE id=?1",
        )?
        .execute(params![
            self.session_id.as_str(),
            self.writer_epoch,
            self.last_seq as i64,
            self.last_turn,
            self.item_count as i64,
            self.tokens.input as i64,
            self.tokens.output as i64,
            self.tokens.cache_read.unwrap_or(0) as i64,
            self.tokens.cache_write.unwrap_or(0) as i64,
            self.cost_micros.map(|cost| cost as i64),
            serde_json::to_string(&self.net)?,
        ])?;
        Ok(())
    }

    fn looks_like(&self, before: &Self) -> bool {
        self.title == before.title
            && self.title_source == before.title_source
            && self.updated_at == before.updated_at
            && self.origin == before.origin
            && self.mode == before.mode
            && self.running == before.running
            && self.last_outcome == before.last_outcome
    }

    fn save_looks(&self, conn: &Connection) -> Result<(), Error> {
        conn.prepare_cached(
            "UPDATE session SET title=?2, title_source=?3, updated_at=?4, provider_id=?5, model=?6, mode=?7, state=?8,
               last_outcome=?9 WHERE id=?1",
        )?
        .execute(params![
            self.session_id.as_str(),
            self.title,
            as_word(&self.title_source)?,
            self.updated_at,
            self.origin.provider,
            self.origin.model,
            derive::mode_name(self.mode),
            if self.running { "running" } else { "idle" },
            self.last_outcome,
        ])?;
        Ok(())
    }

    /// As it was before the first fact; for building it up again.
    pub(crate) fn reset(&mut self) {
        self.title = String::new();
        self.title_source = TitleSource::Default;
        self.updated_at = self.created_at;
        self.running = false;
        self.last_seq = 0;
        self.last_turn = 0;
        self.item_count = 0;
        self.tokens = Usage::default();
        self.cost_micros = None;
        self.last_outcome = None;
        self.net = NetStat::default();
    }

    /// Takes a fact into account. Says whether the row of the list looks different now.
    pub(crate) fn note(&mut self, place: Place<'_>, epoch: i64, event: &LogEvent) -> bool {
        self.last_seq = place.seq;
        self.last_turn = self.last_turn.max(place.turn);
        match event {
            LogEvent::SessionCreated { origin, mode, .. } => {
                self.origin = origin.clone();
                self.mode = *mode;
            }
            LogEvent::TurnStarted { .. } => {
                self.running = true;
                self.writer_epoch = epoch;
                self.updated_at = place.ts;
            }
            LogEvent::UserMessage { text, .. } => {
                self.updated_at = place.ts;
                if self.title.is_empty() && self.title_source == TitleSource::Default {
                    self.title = title_from(text);
                }
            }
            LogEvent::AssistantMessage {
                usage, cost_micros, ..
            } => {
                self.add_usage(usage.as_ref(), *cost_micros);
                return false;
            }
            LogEvent::TurnEnded { outcome, .. } => {
                self.running = false;
                self.last_outcome = Some(outcome.to_string());
                self.updated_at = place.ts;
            }
            LogEvent::ModeChanged { new, .. } => self.mode = *new,
            LogEvent::ModelChanged { new, .. } => self.origin = new.clone(),
            LogEvent::TitleChanged { title, source } => self.set_title(title, *source),
            LogEvent::ApprovalRequested { .. } | LogEvent::ApprovalResolved { .. } => {}
            _ => return false,
        }
        true
    }

    fn add_usage(&mut self, usage: Option<&Usage>, cost_micros: Option<u64>) {
        if let Some(usage) = usage {
            let sum =
                |old: Option<u64>, new: Option<u64>| Some(old.unwrap_or(0) + new.unwrap_or(0));
            self.tokens.input += usage.input;
            self.tokens.output += usage.output;
            self.tokens.cache_read = sum(self.tokens.cache_read, usage.cache_read);
            self.tokens.cache_write = sum(self.tokens.cache_write, usage.cache_write);
        }
        if let Some(cost) = cost_micros {
            self.cost_micros = Some(self.cost_micros.unwrap_or(0) + cost);
        }
    }

    /// A title the person set is only replaced by the person.
    fn set_title(&mut self, title: &str, source: TitleSource) {
        if self.title_source != TitleSource::User || source == TitleSource::User {
            self.title = title.to_owned();
            self.title_source = source;
        }
    }

    /// Counts lines of a call instead of those it had before. Says whether that is different.
    pub(crate) fn change_lines(&mut self, gone: NetStat, come: NetStat) -> bool {
        let change = |sum: u64, gone: u64, come: u64| (sum + come).saturating_sub(gone);
        self.net = NetStat {
            ai_added: change(self.net.ai_added, gone.ai_added, come.ai_added),
            human_added: change(self.net.human_added, gone.human_added, come.human_added),
            ai_removed: change(self.net.ai_removed, gone.ai_removed, come.ai_removed),
            human_removed: change(
                self.net.human_removed,
                gone.human_removed,
                come.human_removed,
            ),
            ai_added_undone: change(
                self.net.ai_added_undone,
                gone.ai_added_undone,
                come.ai_added_undone,
            ),
            ai_removed_undone: change(
                self.net.ai_removed_undone,
                gone.ai_removed_undone,
                come.ai_removed_undone,
            ),
        };
        gone != come
    }

    /// The row of the list.
    pub(crate) fn summary(&self, conn: &Connection) -> Result<SessionSummary, Error> {
        Ok(SessionSummary {
            session_id: self.session_id.clone(),
            title: self.title.clone(),
            workspace: self.workspace.clone(),
            created_at: self.created_at,
            updated_at: self.updated_at,
            archived: self.archived,
            item_count: self.item_count,
            state: self.state(conn)?,
            last_outcome: self.last_outcome.clone(),
            net: self.net,
            origin: self.origin.clone(),
            mode: self.mode,
        })
    }

    fn state(&self, conn: &Connection) -> Result<SessionState, Error> {
        if self.running {
            let asks = conn
                .prepare_cached(
                    "SELECT EXISTS(SELECT 1 FROM item WHERE session_id=?1 AND kind='tool' AND result_seq IS NULL AND status='asking')",
                )?
                .query_row([self.session_id.as_str()], |row| row.get(0))?;
            return Ok(if asks {
                SessionState::Waiting
            } else {
                SessionState::Running
            });
        }
        let failed = match self.last_outcome.as_deref().map(Outcome::from) {
            Some(Outcome::Error(_) | Outcome::ContextFull | Outcome::Crashed) => true,
            Some(
                Outcome::Completed
                | Outcome::Cancelled
                | Outcome::MaxSteps
                | Outcome::MaxTokens
                | Outcome::Refusal
                | Outcome::LoopDetected,
            )
            | None => false,
        };
        Ok(if failed {
            SessionState::Error
        } else {
            SessionState::Idle
        })
    }
}

/// The lines of a change, as long as it landed and was not taken back.
pub(crate) fn standing(tool: &ToolItem) -> NetStat {
    let is_undone = tool
        .edit
        .as_ref()
        .is_some_and(|mark| mark.state == EditState::Undone);
    match tool.stat {
        Some(stat) if tool.status == Some(CallStatus::Ok) && !is_undone => stat.net,
        Some(_) | None => NetStat::default(),
    }
}

fn title_from(text: &str) -> String {
    let line = one_line(text, MAX_TITLE_CHARS * 4);
    match line.char_indices().nth(MAX_TITLE_CHARS) {
        None => line,
        Some(_) => line
            .chars()
            .take(MAX_TITLE_CHARS - 1)
            .chain(['…'])
            .collect(),
    }
}

/// A column that holds the wire name of an enum.
pub(crate) fn word<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_value(serde_json::Value::String(text)).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
    })
}

/// The wire name of an enum.
pub(crate) fn as_word<T: Serialize>(value: &T) -> Result<String, Error> {
    match serde_json::to_value(value)? {
        serde_json::Value::String(text) => Ok(text),
        other => Ok(other.to_string()),
    }
}

/// A column that holds a count.
pub(crate) fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}

/// The derived columns of the sessions in the list, newest first. A row that cannot be read is left out: one damaged
/// session must not hide the others.
pub(crate) fn load_all(
    conn: &Connection,
    condition: &str,
    arguments: impl rusqlite::Params,
) -> Result<Vec<Head>, Error> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM session WHERE deleted_at IS NULL AND kind='main' {condition} ORDER BY updated_at DESC, id DESC"
    ))?;
    let mut rows = statement.query(arguments)?;
    let mut heads = Vec::new();
    while let Some(row) = rows.next()? {
        match Head::from_row(row) {
            Ok(head) => heads.push(head),
            Err(error) => tracing::warn!(%error, "a session cannot be read"),
        }
    }
    Ok(heads)
}
