//! The model view: what the next request would send, folded from the facts of the log one by one.
//!
//! The live machine and a resumed session run the same fold, so both end with the same view. Entries are shared and
//! never rebuilt: a request builder may keep what it made of an entry for as long as the entry lives. Deliberately
//! absent: the wire form of entries, and facts that the model never sees.

use crate::machine::estimate;
use protocol::log::LogEvent;
use protocol::message::{Block, Part, StopReason, ViewEntry};
use protocol::tool_call::{CallStatus, ToolCall};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// Longest message of the person that a summary leaves whole, in tokens; of a longer one the ends stay.
const MAX_PINNED_TOKENS: u64 = 4_000;

/// The entries in order, and what is known of each.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct View {
    entries: Vec<Arc<ViewEntry>>,
    marks: Vec<Mark>,
    turn: u32,
    turn_start: usize,
    turn_has_run: bool,
    anchor: Option<Anchor>,
}

/// What is known of an entry beside its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    /// Where its fact stands.
    pub(crate) at: Place,
    /// Turn it belongs to.
    pub(crate) turn: u32,
    /// Its estimate.
    pub(crate) tokens: u64,
    /// Kept word for word by a summary: no cut before it.
    pub(crate) pinned: bool,
    /// A result whose content was removed.
    pub(crate) pruned: bool,
}

/// Where a fact stands in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Place {
    /// Its sequence number.
    Seq(u64),
    /// Not durable yet: how many facts the machine had emitted before it.
    Emitted(u64),
}

impl Place {
    /// The sequence number, once it is known.
    pub(crate) fn seq(self) -> Option<u64> {
        match self {
            Self::Seq(seq) => Some(seq),
            Self::Emitted(_) => None,
        }
    }
}

/// Tokens the provider counted, and the number of entries they stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Anchor {
    entries: usize,
    tokens: u64,
}

impl View {
    /// The entries, oldest first.
    #[must_use]
    pub fn entries(&self) -> &[Arc<ViewEntry>] {
        &self.entries
    }

    /// What is known of the entries, in the same order.
    pub(crate) fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// Index of the first entry of the newest turn.
    pub(crate) fn turn_start(&self) -> usize {
        self.turn_start
    }

    /// Turns so far.
    pub(crate) fn turn(&self) -> u32 {
        self.turn
    }

    /// Tokens of a request with everything in it. System prompt and declarations are in the provider's count; where
    /// there is none yet, `overhead` stands for them.
    pub(crate) fn used_tokens(&self, overhead: u64) -> u64 {
        self.used_until(self.marks.len(), overhead)
    }

    /// The same without what the person said last.
    pub(crate) fn used_before_turn(&self, overhead: u64) -> u64 {
        self.used_until(self.turn_start, overhead)
    }

    fn used_until(&self, end: usize, overhead: u64) -> u64 {
        let estimate = |range: Range<usize>| -> u64 {
            let marks = self.marks.get(range).unwrap_or_default();
            marks.iter().map(|mark| mark.tokens).sum()
        };
        match self.anchor {
            Some(anchor) => anchor.tokens.saturating_add(estimate(anchor.entries..end)),
            None => estimate::of_uncounted(overhead.saturating_add(estimate(0..end))),
        }
    }

    /// The place of facts that became durable: the first is the `first`-th the machine emitted.
    pub(crate) fn stamp(&mut self, first: u64, seqs: &[u64]) {
        for mark in self.marks.iter_mut().rev() {
            let Place::Emitted(order) = mark.at else {
                continue;
            };
            let Some(offset) = order.checked_sub(first) else {
                break;
            };
            let index = usize::try_from(offset).unwrap_or(usize::MAX);
            if let Some(seq) = seqs.get(index) {
                mark.at = Place::Seq(*seq);
            }
        }
    }

    /// Takes one fact in. Facts that the model never sees change nothing.
    pub(crate) fn apply(&mut self, at: Place, event: &LogEvent) {
        match event {
            LogEvent::TurnStarted { .. } => self.begin_turn(),
            LogEvent::UserMessage { .. } => self.add_user(at, event),
            LogEvent::AssistantMessage { .. } => self.add_answer(at, event),
            LogEvent::ToolCall { call } => self.add_call(call),
            LogEvent::ToolResult { .. } => self.add_result(at, event),
            LogEvent::Compaction {
                summary,
                tail_from,
                pinned,
                ..
            } => {
                self.replace_head(at, summary, *tail_from, *pinned);
            }
            LogEvent::Prune { seqs } => self.prune(&seqs.iter().copied().collect()),
            LogEvent::SessionCreated { .. }
            | LogEvent::SystemFrozen { .. }
            | LogEvent::RequestStarted { .. }
            | LogEvent::AttemptDiscarded { .. }
            | LogEvent::ApprovalRequested { .. }
            | LogEvent::ApprovalResolved { .. }
            | LogEvent::ToolStarted { .. }
            | LogEvent::FileVersions { .. }
            | LogEvent::StepFinished { .. }
            | LogEvent::TurnEnded { .. }
            | LogEvent::ModeChanged { .. }
            | LogEvent::ModelChanged { .. }
            | LogEvent::TodoChanged { .. }
            | LogEvent::ToolsRevealed { .. }
            | LogEvent::RuleAdded { .. }
            | LogEvent::QueueChanged { .. }
            | LogEvent::ShellState { .. }
            | LogEvent::TitleChanged { .. }
            | LogEvent::Warning { .. }
            | LogEvent::Rewound { .. }
            | LogEvent::RewindUndone { .. }
            | LogEvent::ForkedFrom { .. }
            | LogEvent::Recovered { .. } => {}
        }
    }

    fn begin_turn(&mut self) {
        self.turn += 1;
        self.turn_start = self.entries.len();
        self.turn_has_run = false;
    }

    fn add_user(&mut self, at: Place, event: &LogEvent) {
        let LogEvent::UserMessage {
            text,
            images,
            reminders,
            steer,
        } = event
        else {
            return;
        };
        let entry = ViewEntry::User {
            text: text.clone(),
            images: images.clone(),
            reminders: reminders.clone(),
            steer: *steer,
        };
        self.push(at, entry);
    }

    /// A refused answer is never part of the view, and neither is a message of thinking alone.
    fn add_answer(&mut self, at: Place, event: &LogEvent) {
        let LogEvent::AssistantMessage {
            blocks,
            stop,
            usage,
            origin,
            ..
        } = event
        else {
            return;
        };
        if *stop == StopReason::Refusal {
            return self.take_back_refused_turn();
        }
        if !is_sendable(blocks) {
            return;
        }
        let entry = ViewEntry::Assistant {
            blocks: blocks.clone(),
            calls: Vec::new(),
            stop: *stop,
            origin: origin.clone(),
        };
        self.push(at, entry);
        if let Some(usage) = usage {
            let tokens = usage.input.saturating_add(usage.output);
            self.anchor = Some(Anchor {
                entries: self.entries.len(),
                tokens,
            });
        }
    }

    fn add_result(&mut self, at: Place, event: &LogEvent) {
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
        self.turn_has_run |= has_run(*status);
        let entry = ViewEntry::Result {
            call_id: call_id.clone(),
            status: *status,
            content: content.clone(),
            is_error: *is_error,
            edited: *edited,
            hint: hint.clone(),
        };
        self.push(at, entry);
    }

    fn push(&mut self, at: Place, entry: ViewEntry) {
        self.marks.push(Mark {
            at,
            turn: self.turn,
            tokens: estimate::of_entry(&entry),
            pinned: false,
            pruned: false,
        });
        self.entries.push(Arc::new(entry));
    }

    fn add_call(&mut self, call: &ToolCall) {
        let (Some(last), Some(mark)) = (self.entries.last_mut(), self.marks.last_mut()) else {
            return;
        };
        if let ViewEntry::Assistant { calls, .. } = Arc::make_mut(last) {
            mark.tokens += estimate::of_call(call);
            calls.push(call.clone());
        }
    }

    /// Where no tool ran, the whole turn leaves: with it in the view, every later request would be refused too.
    fn take_back_refused_turn(&mut self) {
        if self.turn_has_run {
            return;
        }
        self.entries.truncate(self.turn_start);
        self.marks.truncate(self.turn_start);
        if self
            .anchor
            .is_some_and(|anchor| anchor.entries > self.entries.len())
        {
            self.anchor = None;
        }
    }

    fn replace_head(&mut self, at: Place, summary: &str, tail_from: u64, pinned: Option<u64>) {
        let old_entries = std::mem::take(&mut self.entries);
        let old_marks = std::mem::take(&mut self.marks);
        let old_start = std::mem::take(&mut self.turn_start);
        self.anchor = None;
        let mut new_start = None;
        self.push(
            at,
            ViewEntry::Summary {
                text: summary.to_owned(),
            },
        );
        for (index, (entry, mark)) in old_entries.into_iter().zip(old_marks).enumerate() {
            let seq = mark.at.seq().unwrap_or(u64::MAX);
            let is_pinned = pinned == Some(seq);
            let is_summary = matches!(*entry, ViewEntry::Summary { .. });
            if is_summary || !(is_pinned || seq >= tail_from) {
                continue;
            }
            if index >= old_start && new_start.is_none() {
                new_start = Some(self.entries.len());
            }
            let (entry, tokens) = if is_pinned && !mark.pinned {
                pin(entry, mark.tokens)
            } else {
                (entry, mark.tokens)
            };
            self.entries.push(entry);
            self.marks.push(Mark {
                tokens,
                pinned: is_pinned,
                ..mark
            });
        }
        self.turn_start = new_start.unwrap_or(self.entries.len());
    }

    fn prune(&mut self, seqs: &BTreeSet<u64>) {
        let mut freed = 0;
        for (index, (entry, mark)) in self.entries.iter_mut().zip(&mut self.marks).enumerate() {
            let listed = mark.at.seq().is_some_and(|seq| seqs.contains(&seq));
            if !listed || mark.pruned {
                continue;
            }
            let Some(stub) = pruned_entry(entry) else {
                continue;
            };
            let tokens = estimate::of_entry(&stub);
            if self.anchor.is_some_and(|anchor| index < anchor.entries) {
                freed += mark.tokens.saturating_sub(tokens);
            }
            (mark.tokens, mark.pruned) = (tokens, true);
            *entry = Arc::new(stub);
        }
        if let Some(anchor) = &mut self.anchor {
            anchor.tokens = anchor.tokens.saturating_sub(freed);
        }
    }
}

/// What a result looks like in the view once its content was removed.
pub(crate) fn pruned_entry(entry: &ViewEntry) -> Option<ViewEntry> {
    let ViewEntry::Result {
        call_id,
        status,
        content,
        is_error,
        edited,
        hint,
    } = entry
    else {
        return None;
    };
    let characters: usize = content
        .iter()
        .map(|part| match part {
            Part::Text { text } => text.chars().count(),
            Part::Image { .. } => 0,
        })
        .sum();
    let text = format!(
        "[Old tool output removed: {characters} characters. Run the tool again if you need it.]"
    );
    Some(ViewEntry::Result {
        call_id: call_id.clone(),
        status: *status,
        content: vec![Part::Text { text }],
        is_error: *is_error,
        edited: *edited,
        hint: hint.clone(),
    })
}

/// Whether a message may go back to a provider: thinking alone may not.
fn is_sendable(blocks: &[Block]) -> bool {
    blocks.iter().any(|block| match block {
        Block::Text { text, .. } => !text.is_empty(),
        Block::Thinking { .. } => false,
        Block::Call { .. }
        | Block::ServerToolCall { .. }
        | Block::ServerToolResult { .. }
        | Block::Opaque { .. } => true,
    })
}

/// A message that stays beside a summary: its words, and of too many words the ends.
fn pin(entry: Arc<ViewEntry>, tokens: u64) -> (Arc<ViewEntry>, u64) {
    let ViewEntry::User {
        text,
        images,
        steer,
        ..
    } = &*entry
    else {
        return (entry, tokens);
    };
    let short = ViewEntry::User {
        text: estimate::ends(text, MAX_PINNED_TOKENS),
        images: images.clone(),
        reminders: Vec::new(),
        steer: *steer,
    };
    let tokens = estimate::of_entry(&short);
    (Arc::new(short), tokens)
}

/// Whether a call that ended like this had begun to run.
fn has_run(status: CallStatus) -> bool {
    match status {
        CallStatus::Ok
        | CallStatus::Error
        | CallStatus::CancelledRunning
        | CallStatus::Killed
        | CallStatus::Timeout
        | CallStatus::Lost => true,
        CallStatus::Invalid
        | CallStatus::UnknownTool
        | CallStatus::Denied
        | CallStatus::Skipped
        | CallStatus::Blocked
        | CallStatus::Cancelled
        | CallStatus::NotRun => false,
    }
}
