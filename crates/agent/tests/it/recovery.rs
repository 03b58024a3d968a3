//! What the store does after a crash, as far as the machine sees it.

use agent::machine::LoopState;
use llm::{BlockEnd, BlockKind};
use protocol::ids::CallId;
use protocol::log::{LogEvent, LogRow};
use protocol::message::{Block, Part, StopReason};
use protocol::session::Outcome;
use protocol::tool_call::{CallStatus, Display, ToolCall};
use std::collections::BTreeMap;

/// The facts that put an interrupted session right.
pub(crate) fn facts(state: &LoopState, rows: &[LogRow]) -> Vec<LogEvent> {
    let mut facts = half_answer(state);
    let events: Vec<&LogEvent> = rows
        .iter()
        .filter_map(|row| row.event.as_ref())
        .chain(&facts)
        .collect();
    let mut open: Vec<(CallId, CallStatus)> = Vec::new();
    let (mut turn_open, mut steps) = (false, 0);
    for event in events {
        match event {
            LogEvent::ToolCall { call } => open.push((call.call_id.clone(), CallStatus::NotRun)),
            LogEvent::ToolStarted { call_id, .. } => {
                let call = open.iter_mut().find(|call| call.0 == *call_id).unwrap();
                call.1 = CallStatus::Lost;
            }
            LogEvent::ToolResult { call_id, .. } => open.retain(|call| call.0 != *call_id),
            LogEvent::TurnStarted { .. } => (turn_open, steps) = (true, 0),
            LogEvent::RequestStarted { step, .. } => steps = *step,
            LogEvent::TurnEnded { .. } => turn_open = false,
            _ => {}
        }
    }
    facts.extend(open.into_iter().map(result));
    if !state.queue().is_empty() {
        facts.push(LogEvent::QueueChanged { queue: Vec::new() });
    }
    if turn_open {
        facts.push(LogEvent::TurnEnded {
            outcome: Outcome::Crashed,
            message: None,
            steps,
        });
    }
    facts.push(LogEvent::Recovered { what: Vec::new() });
    facts
}

fn half_answer(state: &LoopState) -> Vec<LogEvent> {
    let Some(answer) = state.answer() else {
        return Vec::new();
    };
    let mut calls: BTreeMap<usize, ToolCall> = BTreeMap::new();
    let mut blocks = Vec::new();
    for block in answer.blocks() {
        match &block.end {
            Some(BlockEnd::Call { call }) => {
                blocks.push(Block::Call {
                    call_id: call.call_id.clone(),
                });
                calls.insert(calls.len(), call.clone());
            }
            Some(
                BlockEnd::Content {
                    content:
                        Block::Thinking {
                            signature: None, ..
                        },
                }
                | BlockEnd::Dropped,
            ) => {}
            Some(BlockEnd::Content { content }) => blocks.push(content.clone()),
            None if block.kind == BlockKind::Text && !block.text.is_empty() => {
                blocks.push(Block::Text {
                    text: block.text.clone(),
                    meta: None,
                });
            }
            None => {}
        }
    }
    if blocks
        .iter()
        .all(|block| matches!(block, Block::Thinking { .. }))
    {
        return Vec::new();
    }
    let mut facts = vec![LogEvent::AssistantMessage {
        request: answer.request(),
        step: 0,
        blocks,
        stop: StopReason::Interrupted,
        raw_stop: None,
        usage: None,
        cost_micros: None,
        origin: answer.origin().clone(),
    }];
    facts.extend(calls.into_values().map(|call| LogEvent::ToolCall { call }));
    facts
}

fn result((call_id, status): (CallId, CallStatus)) -> LogEvent {
    LogEvent::ToolResult {
        call_id,
        status,
        content: vec![Part::Text {
            text: "It may or may not have finished.".to_owned(),
        }],
        is_error: true,
        ms: 0,
        failure: None,
        display: Display::None,
        edited: false,
        hint: None,
    }
}
