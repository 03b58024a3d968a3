//! What holds after every input, whatever came before.

use agent::machine::{Effect, LoopState};
use protocol::log::LogEvent;
use protocol::message::{Block, StopReason, ViewEntry};
use protocol::session::Phase;
use std::collections::{BTreeMap, BTreeSet};

/// B1, B2, B3, B5 and B7 of a view that may be sent: each call has one result in call order right after its message.
pub(crate) fn sendable(state: &LoopState) {
    complete(state);
    let last = state
        .view()
        .last()
        .expect("a request never sends an empty view");
    let ends_with_answer =
        matches!(&**last, ViewEntry::Assistant { stop, .. } if *stop != StopReason::Pause);
    assert!(
        !ends_with_answer,
        "B7: the view ends with an assistant message"
    );
    let first = &**state.view().first().unwrap();
    assert!(
        matches!(first, ViewEntry::User { .. } | ViewEntry::Summary { .. }),
        "B3: the view begins with {first:?}"
    );
}

/// The same while calls of the newest message may still be open.
pub(crate) fn well_formed(state: &LoopState) {
    let open = matches!(state.phase(), Phase::Calls | Phase::Stopping);
    check(state, open);
}

/// Every call of the view has its result.
pub(crate) fn complete(state: &LoopState) {
    check(state, false);
}

fn check(state: &LoopState, last_may_be_open: bool) {
    let mut due: Vec<&str> = Vec::new();
    let mut ids: BTreeSet<&str> = BTreeSet::new();
    for entry in state.view() {
        match &**entry {
            ViewEntry::Result { call_id, .. } => {
                assert!(!due.is_empty(), "B1: orphan result {call_id}");
                assert_eq!(due.remove(0), call_id.as_str(), "B2: results in call order");
            }
            ViewEntry::Assistant { blocks, calls, .. } => {
                assert!(due.is_empty(), "B1: no result for {due:?}");
                let named: Vec<&str> = blocks
                    .iter()
                    .filter_map(|block| match block {
                        Block::Call { call_id } => Some(call_id.as_str()),
                        _ => None,
                    })
                    .collect();
                due = calls.iter().map(|call| call.call_id.as_str()).collect();
                assert_eq!(named, due, "blocks and calls name the same calls");
                assert!(
                    due.iter().all(|id| ids.insert(id)),
                    "call ids are unique: {due:?}"
                );
                let says_something = blocks.iter().any(|block| match block {
                    Block::Text { text, .. } => !text.is_empty(),
                    Block::Thinking { .. } => false,
                    _ => true,
                });
                assert!(
                    says_something,
                    "B5: an assistant message without text or call"
                );
            }
            ViewEntry::User {
                text,
                images,
                reminders,
                ..
            } => {
                assert!(due.is_empty(), "B1: no result for {due:?}");
                assert!(
                    !text.is_empty() || !images.is_empty() || !reminders.is_empty(),
                    "B5"
                );
            }
            ViewEntry::Summary { .. } => {}
        }
    }
    assert!(
        last_may_be_open || due.is_empty(),
        "B1: no result for {due:?}"
    );
}

/// I2: facts first, in one piece; a call runs only with its start in the same or an earlier piece.
pub(crate) fn ordered(effects: &[Effect]) {
    let position = effects
        .iter()
        .position(|effect| matches!(effect, Effect::Persist { .. }));
    assert!(
        matches!(position, None | Some(0)),
        "Persist comes first: {effects:?}"
    );
    let count = effects
        .iter()
        .filter(|effect| matches!(effect, Effect::Persist { .. }))
        .count();
    assert!(count <= 1, "one Persist for all facts");
    let started = started(effects);
    for effect in effects {
        if let Effect::RunCall { call_id, .. } = effect {
            assert!(
                started.contains(call_id.as_str()),
                "{call_id} runs without tool_started"
            );
        }
    }
}

fn started(effects: &[Effect]) -> BTreeSet<&str> {
    let Some(Effect::Persist { events }) = effects.first() else {
        return BTreeSet::new();
    };
    events
        .iter()
        .filter_map(|event| match event {
            LogEvent::ToolStarted { call_id, .. } => Some(call_id.as_str()),
            _ => None,
        })
        .collect()
}

/// I8 and the order rules of the log: turns do not overlap and end once, each call has one result.
pub(crate) fn log(events: &[&LogEvent]) {
    let (mut open, mut calls) = (false, BTreeMap::new());
    for event in events {
        match event {
            LogEvent::TurnStarted { .. } => {
                assert!(!std::mem::replace(&mut open, true), "turns overlap")
            }
            LogEvent::TurnEnded { .. } => {
                assert!(std::mem::replace(&mut open, false), "a turn ended twice");
                assert!(
                    calls.values().all(|results| *results == 1),
                    "a call without result: {calls:?}"
                );
            }
            LogEvent::ToolCall { call } => {
                let old = calls.insert(call.call_id.clone(), 0);
                assert_eq!(old, None, "call {} twice", call.call_id);
            }
            LogEvent::ToolResult { call_id, .. } => {
                let results = calls
                    .get_mut(call_id)
                    .expect("a result for a call that is known");
                *results += 1;
                assert_eq!(*results, 1, "two results for {call_id}");
            }
            LogEvent::UserMessage { .. }
            | LogEvent::RequestStarted { .. }
            | LogEvent::AssistantMessage { .. }
            | LogEvent::ToolStarted { .. }
            | LogEvent::StepFinished { .. }
            | LogEvent::ApprovalRequested { .. }
            | LogEvent::Prune { .. }
            | LogEvent::TodoChanged { .. } => assert!(open, "{} while idle", event.kind()),
            _ => {}
        }
    }
}
