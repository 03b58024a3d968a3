//! Scripted model messages as provider events.

use llm::{BlockEnd, BlockKind, Failure, FailureKind, ProviderEvent};
use protocol::message::{Block, StopReason, Usage};
use protocol::tool_call::{ArgsError, CallArgs, ToolCall};
use serde_json::Value;

/// One message: for each entry of the script, its events. The terminal event is an entry of its own.
pub(crate) type Message = Vec<Vec<ProviderEvent>>;

/// Reads one message of a scenario.
pub(crate) fn message(entries: &[Value]) -> Message {
    let mut all: Message = Vec::new();
    let mut block = 0;
    for entry in entries {
        let events = content(block, entry).unwrap_or_else(|| vec![other(entry)]);
        let opens = |event: &ProviderEvent| matches!(event, ProviderEvent::BlockStart { .. });
        block += u32::from(events.iter().any(opens));
        all.push(events);
    }
    let has = |test: fn(&ProviderEvent) -> bool| all.iter().flatten().any(test);
    if !has(ProviderEvent::is_terminal) {
        let calls = has(|event| {
            matches!(
                event,
                ProviderEvent::BlockStop {
                    end: BlockEnd::Call { .. },
                    ..
                }
            )
        });
        all.push(vec![stop(if calls {
            StopReason::ToolUse
        } else {
            StopReason::EndTurn
        })]);
    }
    all
}

/// The events of a block, if the entry is one.
fn content(block: u32, entry: &Value) -> Option<Vec<ProviderEvent>> {
    if let Some(text) = entry["say"].as_str() {
        let content = Block::Text {
            text: text.to_owned(),
            meta: None,
        };
        return Some(whole(
            block,
            BlockKind::Text,
            text,
            BlockEnd::Content { content },
        ));
    }
    if let Some(text) = entry["think"].as_str() {
        let signature = entry["sig"].as_str().map(str::to_owned);
        let content = Block::Thinking {
            text: text.to_owned(),
            signature,
            redacted: None,
            meta: None,
        };
        return Some(whole(
            block,
            BlockKind::Thinking,
            text,
            BlockEnd::Content { content },
        ));
    }
    if let Some(call) = entry["call"].as_array() {
        let args = CallArgs::Usable {
            value: call[2].clone(),
        };
        return Some(whole(
            block,
            BlockKind::ToolCall,
            &call[2].to_string(),
            called(call, args),
        ));
    }
    if let Some(call) = entry["bad_call"].as_array() {
        let error: ArgsError = serde_json::from_value(call[2].clone()).unwrap();
        let raw = text_of(&call[3]);
        let end = called(
            call,
            CallArgs::Unusable {
                error,
                raw: raw.clone(),
                detail: None,
            },
        );
        return Some(whole(block, BlockKind::ToolCall, &raw, end));
    }
    let call = entry["partial_call"].as_array()?;
    let mut events = whole(
        block,
        BlockKind::ToolCall,
        &text_of(&call[2]),
        BlockEnd::Dropped,
    );
    events.pop();
    Some(events)
}

fn other(entry: &Value) -> ProviderEvent {
    if let Some(usage) = entry["usage"].as_array() {
        let (input, output) = (usage[0].as_u64().unwrap(), usage[1].as_u64().unwrap());
        return ProviderEvent::Usage {
            usage: Usage {
                input,
                output,
                ..Usage::default()
            },
        };
    }
    if let Some(reason) = entry.get("stop") {
        return stop(serde_json::from_value(reason.clone()).unwrap());
    }
    ProviderEvent::Error(failure(entry["error"].as_array().unwrap()))
}

/// A failure as a scenario writes it: kind, retryable, wait.
pub(crate) fn failure(parts: &[Value]) -> Failure {
    let kind: FailureKind = serde_json::from_value(parts[0].clone()).unwrap();
    let retry_after_ms = parts.get(2).and_then(Value::as_u64);
    let retryable = parts[1].as_bool().unwrap();
    Failure {
        retryable,
        retry_after_ms,
        ..Failure::new(kind, "scripted")
    }
}

pub(crate) fn stop(reason: StopReason) -> ProviderEvent {
    ProviderEvent::Stop {
        reason,
        raw: None,
        details: None,
    }
}

pub(crate) fn whole(block: u32, kind: BlockKind, text: &str, end: BlockEnd) -> Vec<ProviderEvent> {
    vec![
        ProviderEvent::BlockStart {
            block,
            kind,
            id: None,
            name: None,
        },
        ProviderEvent::BlockDelta {
            block,
            delta: text.to_owned(),
        },
        ProviderEvent::BlockStop { block, end },
    ]
}

fn called(call: &[Value], args: CallArgs) -> BlockEnd {
    let call_id = text_of(&call[0]).into();
    BlockEnd::Call {
        call: ToolCall {
            call_id,
            name: text_of(&call[1]),
            args,
            meta: None,
        },
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
