//! Puts a model view into the one shape that every provider accepts.
//!
//! A view becomes exchanges: what a model said, the results of its calls, what people said after that. Whatever
//! happened before (a crash, a stop, a rewind), each call ends up with exactly one result, in the order of the calls,
//! and the first word is a person's. Invariant: a closed exchange never changes, so its text can be kept.
//! Deliberately absent: any provider's JSON.

use protocol::ids::CallId;
use protocol::message::{Block, ImageRef, Origin, Part, Reminder, StopReason, ViewEntry};
use protocol::tool_call::ToolCall;
use std::sync::Arc;

/// One message of a model with everything up to the next.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Exchange<'a> {
    /// Place of its first entry in the view.
    pub(crate) start: usize,
    /// Several where nothing came between them; none before the first message of a model.
    pub(crate) said: Vec<Said<'a>>,
    /// One per call, in the order of the calls.
    pub(crate) results: Vec<CallResult<'a>>,
    /// What people said, the summary included.
    pub(crate) people: Vec<Spoken<'a>>,
}

/// A model's message that has text or calls.
#[derive(Debug, PartialEq)]
pub(crate) struct Said<'a> {
    pub(crate) blocks: &'a [Block],
    /// Without those whose id came before.
    pub(crate) calls: Vec<&'a ToolCall>,
    pub(crate) stop: StopReason,
    pub(crate) origin: &'a Origin,
}

/// What one call gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CallResult<'a> {
    pub(crate) call_id: &'a CallId,
    pub(crate) outcome: Outcome<'a>,
}

/// A result, or that there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Outcome<'a> {
    Given {
        content: &'a [Part],
        is_error: bool,
        hint: Option<&'a str>,
    },
    NotRun,
}

/// What people said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Spoken<'a> {
    Person {
        text: &'a str,
        images: &'a [ImageRef],
        reminders: &'a [Reminder],
    },
    Summary(&'a str),
}

impl Spoken<'_> {
    /// Whether anything would be sent.
    fn is_empty(&self) -> bool {
        match self {
            Self::Summary(text) => text.trim().is_empty(),
            Self::Person {
                text,
                images,
                reminders,
            } => {
                text.trim().is_empty()
                    && images.is_empty()
                    && reminders
                        .iter()
                        .all(|reminder| reminder.text.trim().is_empty())
            }
        }
    }
}

impl Exchange<'_> {
    /// Whether it ends with the model's word, which only a pause allows.
    pub(crate) fn ends_with_model(&self) -> bool {
        !self.said.is_empty() && self.results.is_empty() && self.people.is_empty()
    }

    /// Whether the provider wants the same conversation again, with its own words last.
    pub(crate) fn is_paused(&self) -> bool {
        let last = self.said.last();
        last.is_some_and(|said| said.stop == StopReason::Pause)
    }
}

/// Something in a view that had to be put right; each is a fault of whoever made the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewDefect {
    /// A call has no result; it is sent as not run.
    MissingResult(CallId),
    /// A result belongs to no open call; it is not sent.
    OrphanResult(CallId),
    /// A call has a second result; it is not sent.
    SecondResult(CallId),
    /// Two calls of one message have the same id; the second is not sent.
    RepeatedCall(CallId),
    /// The view begins with a model's message.
    BeginsWithModel,
    /// The view ends with a model's message, although it was no pause.
    EndsWithModel,
}

/// What is wrong with a view; nothing if it can be sent as it is.
#[must_use]
pub fn check_view(view: &[Arc<ViewEntry>]) -> Vec<ViewDefect> {
    normalise_view(view, 0).1
}

/// The exchanges of `view` from entry `from` on, and what had to be put right. `from` is 0 or the start of an exchange.
pub(crate) fn normalise_view(
    view: &[Arc<ViewEntry>],
    from: usize,
) -> (Vec<Exchange<'_>>, Vec<ViewDefect>) {
    let before = Exchange {
        start: from,
        ..Exchange::default()
    };
    let mut exchanges = vec![before];
    let mut defects = Vec::new();
    for (at, entry) in view.iter().enumerate().skip(from) {
        match &**entry {
            ViewEntry::Assistant { .. } => {
                if let Some(begun) = exchange(at, entry, &mut defects) {
                    begin(&mut exchanges, begun);
                }
            }
            ViewEntry::Result { call_id, .. } => {
                defects.extend(place_result(&mut exchanges, call_id, entry));
            }
            ViewEntry::User {
                text,
                images,
                reminders,
                steer: _,
            } => {
                let spoken = Spoken::Person {
                    text,
                    images,
                    reminders,
                };
                add_spoken(&mut exchanges, spoken);
            }
            ViewEntry::Summary { text } => add_spoken(&mut exchanges, Spoken::Summary(text)),
        }
    }
    if from > 0 {
        // The place before the first kept exchange belongs to what is already closed.
        exchanges.remove(0);
    }
    note_gaps(&exchanges, from, &mut defects);
    (exchanges, defects)
}

/// The exchange that a model's message begins; nothing if nothing of it would be sent.
fn exchange<'a>(
    at: usize,
    entry: &'a ViewEntry,
    defects: &mut Vec<ViewDefect>,
) -> Option<Exchange<'a>> {
    let ViewEntry::Assistant {
        blocks,
        calls,
        stop,
        origin,
    } = entry
    else {
        return None;
    };
    if calls.is_empty() && !blocks.iter().any(is_said) {
        return None;
    }
    let calls = distinct(calls, defects);
    let not_run = |call: &&'a ToolCall| CallResult {
        call_id: &call.call_id,
        outcome: Outcome::NotRun,
    };
    Some(Exchange {
        start: at,
        results: calls.iter().map(not_run).collect(),
        said: vec![Said {
            blocks,
            calls,
            stop: *stop,
            origin,
        }],
        people: Vec::new(),
    })
}

/// Adds an exchange, or joins it with the last one if the model spoke twice without anything between.
fn begin<'a>(exchanges: &mut Vec<Exchange<'a>>, begun: Exchange<'a>) {
    match exchanges.last_mut() {
        Some(last) if last.ends_with_model() => {
            last.said.extend(begun.said);
            last.results = begun.results;
        }
        Some(_) | None => exchanges.push(begun),
    }
}

/// Whether a block would be sent as text.
fn is_said(block: &Block) -> bool {
    match block {
        Block::Text { text, .. } => !text.trim().is_empty(),
        Block::ServerToolCall { .. } => true,
        Block::Thinking { .. }
        | Block::Call { .. }
        | Block::ServerToolResult { .. }
        | Block::Opaque { .. } => false,
    }
}

fn distinct<'a>(calls: &'a [ToolCall], defects: &mut Vec<ViewDefect>) -> Vec<&'a ToolCall> {
    let mut kept: Vec<&ToolCall> = Vec::with_capacity(calls.len());
    for call in calls {
        if kept.iter().any(|other| other.call_id == call.call_id) {
            defects.push(ViewDefect::RepeatedCall(call.call_id.clone()));
        } else {
            kept.push(call);
        }
    }
    kept
}

fn place_result<'a>(
    exchanges: &mut [Exchange<'a>],
    call_id: &CallId,
    entry: &'a ViewEntry,
) -> Option<ViewDefect> {
    let ViewEntry::Result {
        content,
        is_error,
        hint,
        ..
    } = entry
    else {
        return None;
    };
    let results = exchanges
        .last_mut()
        .map(|exchange| exchange.results.iter_mut());
    let place = results
        .into_iter()
        .flatten()
        .find(|result| result.call_id == call_id);
    match place {
        None => Some(ViewDefect::OrphanResult(call_id.clone())),
        Some(result) if result.outcome != Outcome::NotRun => {
            Some(ViewDefect::SecondResult(call_id.clone()))
        }
        Some(result) => {
            result.outcome = Outcome::Given {
                content,
                is_error: *is_error,
                hint: hint.as_deref(),
            };
            None
        }
    }
}

fn add_spoken<'a>(exchanges: &mut [Exchange<'a>], spoken: Spoken<'a>) {
    if let Some(exchange) = exchanges.last_mut()
        && !spoken.is_empty()
    {
        exchange.people.push(spoken);
    }
}

fn note_gaps(exchanges: &[Exchange<'_>], from: usize, defects: &mut Vec<ViewDefect>) {
    for result in exchanges.iter().flat_map(|exchange| &exchange.results) {
        if result.outcome == Outcome::NotRun {
            defects.push(ViewDefect::MissingResult(result.call_id.clone()));
        }
    }
    let silent_start = exchanges
        .first()
        .is_some_and(|first| first.people.is_empty());
    if from == 0 && exchanges.len() > 1 && silent_start {
        defects.push(ViewDefect::BeginsWithModel);
    }
    if exchanges
        .last()
        .is_some_and(|last| last.ends_with_model() && !last.is_paused())
    {
        defects.push(ViewDefect::EndsWithModel);
    }
}

#[cfg(test)]
mod tests;
