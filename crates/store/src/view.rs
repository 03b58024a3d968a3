//! What the next request would send, made from the facts of a session. Pure.
//!
//! Facts that were taken back are not there, a refused answer is not there, a summary stands for what it covers, and
//! old results may be emptied. A call is only shown with its message, a result only with its call. Deliberately
//! absent: the rules of any provider.

use crate::derive::has_run;
use crate::shorten::result_text;
use crate::text::{estimate_tokens, head_chars};
use protocol::ids::CallId;
use protocol::log::{LogEvent, LogRow};
use protocol::message::{Block, Part, StopReason, ViewEntry};
use protocol::session::Outcome;
use protocol::tool_call::ToolCall;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The pinned message is kept word for word up to this size; of a longer one the ends.
const MAX_PINNED_TOKENS: u64 = 4000;

/// The parts of a log that were taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hidden(Vec<(u64, u64)>);

impl Hidden {
    pub(crate) fn of(rows: &[LogRow]) -> Self {
        let undone: HashSet<u64> = rows
            .iter()
            .filter_map(|row| match &row.event {
                Some(LogEvent::RewindUndone { rewind_seq }) => Some(*rewind_seq),
                _ => None,
            })
            .collect();
        let ranges = rows.iter().filter_map(|row| match &row.event {
            Some(LogEvent::Rewound { to_seq }) if !undone.contains(&row.seq) => {
                Some((*to_seq, row.seq))
            }
            _ => None,
        });
        Self(ranges.collect())
    }

    pub(crate) fn covers(&self, seq: u64) -> bool {
        self.0.iter().any(|(from, to)| (*from..*to).contains(&seq))
    }
}

/// The model view of a session, from all of its facts in order.
#[must_use]
pub fn model_view(rows: &[LogRow]) -> Vec<Arc<ViewEntry>> {
    let hidden = Hidden::of(rows);
    let seen: Vec<(u64, u32, &LogEvent)> = rows
        .iter()
        .filter(|row| !hidden.covers(row.seq))
        .filter_map(|row| row.event.as_ref().map(|event| (row.seq, row.turn, event)))
        .collect();
    let mut view = View::new(&seen);
    let mut tail_from = 0;
    if let Some((from, pinned)) = view.summary(&seen) {
        tail_from = from;
        view.pinned(&seen, pinned.filter(|seq| *seq < from));
    }
    for (seq, _, event) in seen.iter().filter(|(seq, ..)| *seq >= tail_from) {
        view.add(*seq, event);
    }
    view.entries
}

struct View<'a> {
    calls: HashMap<&'a CallId, &'a ToolCall>,
    pruned: HashSet<u64>,
    excluded: HashSet<u64>,
    shown: HashSet<&'a CallId>,
    entries: Vec<Arc<ViewEntry>>,
}

impl<'a> View<'a> {
    fn new(seen: &[(u64, u32, &'a LogEvent)]) -> Self {
        let mut calls = HashMap::new();
        let mut pruned = HashSet::new();
        for (_, _, event) in seen {
            match event {
                LogEvent::ToolCall { call } => {
                    calls.insert(&call.call_id, call);
                }
                LogEvent::Prune { seqs } => pruned.extend(seqs),
                _ => {}
            }
        }
        Self {
            calls,
            pruned,
            excluded: refused(seen),
            shown: HashSet::new(),
            entries: Vec::new(),
        }
    }

    fn push(&mut self, entry: ViewEntry) {
        self.entries.push(Arc::new(entry));
    }

    /// Adds the newest summary. Says where the tail begins and which message is pinned.
    fn summary(&mut self, seen: &[(u64, u32, &LogEvent)]) -> Option<(u64, Option<u64>)> {
        let (text, found) = seen.iter().rev().find_map(|(_, _, event)| match event {
            LogEvent::Compaction {
                summary,
                tail_from,
                pinned,
                ..
            } => Some((summary.clone(), (*tail_from, *pinned))),
            _ => None,
        })?;
        self.push(ViewEntry::Summary { text });
        Some(found)
    }

    /// Adds the newest message of the person, where it lies before the tail.
    fn pinned(&mut self, seen: &[(u64, u32, &LogEvent)], pinned: Option<u64>) {
        let message = pinned.and_then(|pinned| seen.iter().find(|(seq, ..)| *seq == pinned));
        if let Some((
            _,
            _,
            LogEvent::UserMessage {
                text,
                images,
                steer,
                ..
            },
        )) = message
        {
            self.push(ViewEntry::User {
                text: ends(text),
                images: images.clone(),
                reminders: Vec::new(),
                steer: *steer,
            });
        }
    }

    fn add(&mut self, seq: u64, event: &'a LogEvent) {
        if self.excluded.contains(&seq) {
            return;
        }
        match event {
            LogEvent::UserMessage {
                text,
                images,
                reminders,
                steer,
            } => self.push(ViewEntry::User {
                text: text.clone(),
                images: images.clone(),
                reminders: reminders.clone(),
                steer: *steer,
            }),
            LogEvent::AssistantMessage { .. } => self.add_message(event),
            LogEvent::ToolResult { .. } => self.add_result(seq, event),
            _ => {}
        }
    }

    fn add_message(&mut self, event: &'a LogEvent) {
        let LogEvent::AssistantMessage {
            blocks,
            stop,
            origin,
            ..
        } = event
        else {
            return;
        };
        let mut kept = Vec::with_capacity(blocks.len());
        let mut calls = Vec::new();
        for block in blocks {
            if let Block::Call { call_id } = block {
                let Some(call) = self.calls.get(call_id) else {
                    continue;
                };
                calls.push(ToolCall::clone(call));
                self.shown.insert(call_id);
            }
            kept.push(block.clone());
        }
        // Nothing empty is ever sent.
        if !kept.is_empty() {
            self.push(ViewEntry::Assistant {
                blocks: kept,
                calls,
                stop: *stop,
                origin: origin.clone(),
            });
        }
    }

    fn add_result(&mut self, seq: u64, event: &LogEvent) {
        let LogEvent::ToolResult {
            call_id,
            status,
            content,
            is_error,
            edited,
            hint,
            ..
        } = event
        else {
            return;
        };
        if !self.shown.contains(call_id) {
            return;
        }
        let content = if self.pruned.contains(&seq) {
            vec![pruned_part(content)]
        } else {
            content.clone()
        };
        self.push(ViewEntry::Result {
            call_id: call_id.clone(),
            status: *status,
            content,
            is_error: *is_error,
            edited: *edited,
            hint: hint.clone(),
        });
    }
}

/// What stands for a result that was emptied.
#[must_use]
pub fn pruned_part(content: &[Part]) -> Part {
    let characters = result_text(content).chars().count();
    Part::Text {
        text: format!(
            "[Old tool output removed: {characters} characters. Run the tool again if you need it.]"
        ),
    }
}

/// The facts that a refusal takes out: the refused answer, and the whole turn where no tool ran in it.
fn refused(seen: &[(u64, u32, &LogEvent)]) -> HashSet<u64> {
    let mut out = HashSet::new();
    let mut start = 0;
    for (at, (_, turn, event)) in seen.iter().enumerate() {
        match event {
            LogEvent::TurnStarted { .. } => start = at,
            LogEvent::TurnEnded {
                outcome: Outcome::Refusal,
                ..
            } => {
                let of_turn = seen.get(start..at).unwrap_or_default();
                let of_turn = of_turn.iter().filter(|(_, other, _)| other == turn);
                let ran = of_turn
                    .clone()
                    .any(|(_, _, event)| matches!(event, LogEvent::ToolResult { status, .. } if has_run(*status)));
                out.extend(
                    of_turn
                        .filter(|(_, _, event)| !ran || is_refusal(event))
                        .map(|(seq, ..)| *seq),
                );
            }
            _ => {}
        }
    }
    out
}

fn is_refusal(event: &LogEvent) -> bool {
    matches!(
        event,
        LogEvent::AssistantMessage {
            stop: StopReason::Refusal,
            ..
        }
    )
}

/// The text, or both of its ends where it is too long.
fn ends(text: &str) -> String {
    let tokens = estimate_tokens(text);
    if tokens <= MAX_PINNED_TOKENS {
        return text.to_owned();
    }
    let characters = text.chars().count();
    let half = usize::try_from(characters as u64 * MAX_PINNED_TOKENS / tokens / 2).unwrap_or(0);
    let before_end = head_chars(text, characters - half).len();
    let end = text.get(before_end..).unwrap_or_default();
    format!("{}\n[…]\n{end}", head_chars(text, half))
}

#[cfg(test)]
mod tests;
