//! Ends what the end of the program cut off.
//!
//! Each session in one transaction, by appending facts like anyone else, so that the log says what happened. A
//! session that was put right is idle, so doing it again changes nothing. Nothing is sent by itself afterwards.

use crate::append::append;
use crate::error::Error;
use crate::events;
use crate::head::Head;
use crate::partial::{self, PartialContent};
use crate::payload::{Fact, Texts};
use crate::reads;
use crate::shell_runs::{Ends, ShellEnd};
use crate::writer::Tx;
use protocol::ids::{CallId, SessionId, ShellId};
use protocol::log::{LogEvent, LogRow};
use protocol::message::{Block, Origin, Part, StopReason};
use protocol::session::Outcome;
use protocol::shell::ShellState;
use protocol::tool_call::{CallStatus, Display, ToolCall};
use rusqlite::Connection;

/// What the model reads about a call that was running.
pub const LOST_TEXT: &str = "The application stopped while this was running. It may or may not have finished. Check before repeating it.";
/// What the model reads about a call that had not begun.
pub const NOT_RUN_TEXT: &str = "Not run: the application stopped first.";

/// What was done for one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// Which session.
    pub session_id: SessionId,
    /// The turn that was cut off; none where only shells had been left behind.
    pub turn: Option<u32>,
    /// A half answer was kept.
    pub kept_text: bool,
    /// Calls that were running.
    pub lost_calls: Vec<CallId>,
    /// Calls that had not begun.
    pub not_run_calls: Vec<CallId>,
    /// Messages that went back to the composer.
    pub queued: usize,
    /// Shells that were running, and nobody knows how they ended.
    pub lost_shells: Vec<ShellId>,
}

/// Sessions in the middle of a turn, or with shells that are no longer ours.
pub(crate) fn unfinished(conn: &Connection) -> Result<Vec<SessionId>, Error> {
    let ids = conn
        .prepare_cached(
            "SELECT id FROM session WHERE state='running'
             UNION SELECT session_id FROM shell WHERE state='running' ORDER BY 1",
        )?
        .query_map([], |row| row.get(0).map(SessionId))?
        .collect::<Result<_, _>>()?;
    Ok(ids)
}

/// Puts one session right. `None` where nothing was to be done.
pub(crate) fn recover(
    tx: &Tx<'_>,
    id: &SessionId,
    ends: &Ends,
) -> Result<Option<Recovered>, Error> {
    let head = match Head::load(tx.conn, id) {
        Ok(head) => head,
        // Being deleted: there is nobody to put right.
        Err(Error::SessionNotFound(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let turn = head.last_turn;
    let shells = ended_shells(tx.conn, id, ends)?;
    if !head.running && shells.is_empty() {
        return Ok(None);
    }
    let mut done = Recovered {
        session_id: id.clone(),
        turn: head.running.then_some(turn),
        kept_text: false,
        lost_calls: Vec::new(),
        not_run_calls: Vec::new(),
        queued: 0,
        lost_shells: lost(&shells),
    };
    if head.running {
        keep_half_answer(tx, id, turn, &mut done)?;
        answer_calls(tx, id, turn, &mut done)?;
        if !done.lost_calls.is_empty() {
            reads::forget_turn(tx.conn, id, turn)?;
        }
        queue_to_composer(tx, id, turn, &mut done)?;
    }
    add(tx, id, turn, shells)?;
    if head.running {
        let ended = LogEvent::TurnEnded {
            outcome: Outcome::Crashed,
            message: None,
            steps: steps(tx, id, turn)?,
        };
        let what = LogEvent::Recovered { what: words(&done) };
        add(tx, id, turn, [ended, what])?;
    }
    Ok(Some(done))
}

fn add(
    tx: &Tx<'_>,
    id: &SessionId,
    turn: u32,
    events: impl IntoIterator<Item = LogEvent>,
) -> Result<(), Error> {
    let facts = events
        .into_iter()
        .map(Fact::new)
        .collect::<Result<Vec<_>, _>>()?;
    append(tx, id, turn, &facts).map(|_| ())
}

/// What becomes of the shells that were running: none is taken over, whatever is known of it.
fn ended_shells(conn: &Connection, id: &SessionId, ends: &Ends) -> Result<Vec<LogEvent>, Error> {
    let shells = conn
        .prepare_cached("SELECT shell_id, command FROM shell WHERE session_id=?1 AND state='running' ORDER BY started_at, shell_id")?
        .query_map([id.as_str()], |row| {
            let shell_id = ShellId(row.get(0)?);
            let end = ends.of(id, &shell_id);
            let known = end.filter(|end| end.state != ShellState::Running);
            let state = known.map_or(ShellState::Lost, |end| end.state);
            Ok(LogEvent::ShellState {
                shell_id,
                command: row.get(1)?,
                state: state.name().to_owned(),
                exit_code: known.and_then(|end| end.exit_code),
                note: known.and_then(|end: &ShellEnd| end.note.clone()),
            })
        })?
        .collect::<Result<_, _>>()?;
    Ok(shells)
}

fn lost(shells: &[LogEvent]) -> Vec<ShellId> {
    let lost = shells.iter().filter_map(|event| match event {
        LogEvent::ShellState {
            shell_id, state, ..
        } if state == ShellState::Lost.name() => Some(shell_id.clone()),
        _ => None,
    });
    lost.collect()
}

/// Live text becomes a message: text, signed thinking, whole calls.
fn keep_half_answer(
    tx: &Tx<'_>,
    id: &SessionId,
    turn: u32,
    done: &mut Recovered,
) -> Result<(), Error> {
    let partials = partial::load(tx.conn, id)?;
    let Some(request) = partials.first().map(|partial| partial.request) else {
        return Ok(());
    };
    let mut blocks = Vec::new();
    let mut calls = Vec::new();
    for partial in partials {
        match partial.content {
            PartialContent::Block(block) if is_worth_keeping(&block) => blocks.push(block),
            PartialContent::Block(_) | PartialContent::OpenCall { .. } => {}
            PartialContent::Call(call) => {
                blocks.push(Block::Call {
                    call_id: call.call_id.clone(),
                });
                calls.push(call);
            }
        }
    }
    let only_thinking = blocks
        .iter()
        .all(|block| matches!(block, Block::Thinking { .. }));
    if !only_thinking {
        done.kept_text = true;
        let (step, origin) = started(tx, id, turn, request)?;
        let message = LogEvent::AssistantMessage {
            request,
            step,
            blocks,
            stop: StopReason::Interrupted,
            raw_stop: None,
            usage: None,
            cost_micros: None,
            origin,
        };
        let calls = calls
            .into_iter()
            .map(|call: ToolCall| LogEvent::ToolCall { call });
        add(tx, id, turn, std::iter::once(message).chain(calls))?;
    }
    partial::clear(tx.conn, id)
}

fn is_worth_keeping(block: &Block) -> bool {
    match block {
        Block::Text { text, .. } => !text.is_empty(),
        Block::Thinking {
            signature,
            redacted,
            ..
        } => signature.is_some() || redacted.is_some(),
        Block::ServerToolCall { .. } | Block::ServerToolResult { .. } | Block::Opaque { .. } => {
            true
        }
        // A call arrives as a call, never as a block.
        Block::Call { .. } => false,
    }
}

/// Step and receiver of a request.
fn started(tx: &Tx<'_>, id: &SessionId, turn: u32, number: u64) -> Result<(u32, Origin), Error> {
    let found = turn_events(tx, id, turn)?
        .into_iter()
        .rev()
        .find_map(|row| match row.event {
            Some(LogEvent::RequestStarted {
                request,
                step,
                origin,
                ..
            }) if request == number => Some((step, origin)),
            _ => None,
        });
    match found {
        Some(found) => Ok(found),
        None => Ok((0, Head::load(tx.conn, id)?.origin)),
    }
}

fn steps(tx: &Tx<'_>, id: &SessionId, turn: u32) -> Result<u32, Error> {
    let newest = turn_events(tx, id, turn)?
        .into_iter()
        .rev()
        .find_map(|row| match row.event {
            Some(LogEvent::RequestStarted { step, .. }) => Some(step),
            _ => None,
        });
    Ok(newest.unwrap_or(0))
}

fn turn_events(tx: &Tx<'_>, id: &SessionId, turn: u32) -> Result<Vec<LogRow>, Error> {
    let from = events::turn_start(tx.conn, id, turn)?;
    let rows = events::load(tx.conn, tx.blobs, id, from.unwrap_or(1), Texts::ForModel)?;
    Ok(rows.into_iter().filter(|row| row.turn == turn).collect())
}

/// Every call without a result gets one.
fn answer_calls(tx: &Tx<'_>, id: &SessionId, turn: u32, done: &mut Recovered) -> Result<(), Error> {
    let open: Vec<(CallId, bool)> = tx
        .conn
        .prepare_cached(
            "SELECT call_id, status='running' FROM item WHERE session_id=?1 AND kind='tool' AND result_seq IS NULL ORDER BY seq",
        )?
        .query_map([id.as_str()], |row| Ok((CallId(row.get(0)?), row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    for (call_id, ran) in open {
        let (status, text) = if ran {
            done.lost_calls.push(call_id.clone());
            (CallStatus::Lost, LOST_TEXT)
        } else {
            done.not_run_calls.push(call_id.clone());
            (CallStatus::NotRun, NOT_RUN_TEXT)
        };
        let result = LogEvent::ToolResult {
            call_id,
            status,
            content: vec![Part::Text {
                text: text.to_owned(),
            }],
            is_error: true,
            ms: 0,
            failure: None,
            display: Display::None,
            edited: false,
            hint: None,
        };
        add(tx, id, turn, [result])?;
    }
    Ok(())
}

/// Messages that were waiting go back to where they were written, before what is being written now.
fn queue_to_composer(
    tx: &Tx<'_>,
    id: &SessionId,
    turn: u32,
    done: &mut Recovered,
) -> Result<(), Error> {
    let queue = events::newest_queue(tx.conn, tx.blobs, id)?;
    if queue.is_empty() {
        return Ok(());
    }
    done.queued = queue.len();
    let draft: String = tx
        .conn
        .prepare_cached("SELECT draft FROM session WHERE id=?1")?
        .query_row([id.as_str()], |row| row.get(0))?;
    let texts: Vec<&str> = queue
        .iter()
        .map(|queued| queued.text.as_str())
        .chain(std::iter::once(draft.as_str()))
        .filter(|text| !text.is_empty())
        .collect();
    tx.conn
        .prepare_cached("UPDATE session SET draft=?2 WHERE id=?1")?
        .execute([id.as_str(), texts.join("\n\n").as_str()])?;
    add(tx, id, turn, [LogEvent::QueueChanged { queue: Vec::new() }])
}

fn words(done: &Recovered) -> Vec<String> {
    let mut words = Vec::new();
    if done.kept_text {
        words.push("half_answer".to_owned());
    }
    let mut count = |name: &str, n: usize| {
        if n > 0 {
            words.push(format!("{name}:{n}"));
        }
    };
    count("lost_calls", done.lost_calls.len());
    count("not_run_calls", done.not_run_calls.len());
    count("queued", done.queued);
    count("lost_shells", done.lost_shells.len());
    words
}
