//! Scripted model messages as provider events.

use llm::{BlockEnd, BlockKind, Failure, FailureKind, ProviderEvent};
use protocol::message::{Block, StopReason, Usage};
use protocol::tool_call::{ArgsError, CallArgs, ToolCall};
use serde_json::Value;

/// One message: for each entry of the script, its events. The terminal event is an entry of its own.
pub(crate) type Message = Vec<Vec<ProviderEvent>>;

/// Reads one message of a scenario.
pub(crate) fn message(entries: &[Value]) -> Message {
    let mut all = Vec::new();
    let (mut block, mut has_calls, mut ended) = (0, false, false);
    for entry in entries {
        let events = if let Some(text) = entry["say"].as_str() {
            let content = Block::Text {
                text: text.to_owned(),
                meta: None,
            };
            whole(block, BlockKind::Text, text, BlockEnd::Content { content })
        } else if let Some(text) = entry["think"].as_str() {
            let signature = entry["sig"].as_str().map(str::to_owned);
            let content = Block::Thinking {
                text: text.to_owned(),
                signature,
                redacted: None,
                meta: None,
            };
            whole(
                block,
                BlockKind::Thinking,
                text,
                BlockEnd::Content { content },
            )
        } else if let Some(call) = entry["call"].as_array() {
            has_calls = true;
            let args = CallArgs::Usable {
                value: call[2].clone(),
            };
            whole(
                block,
                BlockKind::ToolCall,
                &call[2].to_string(),
                called(call, args),
            )
        } else if let Some(call) = entry["bad_call"].as_array() {
            has_calls = true;
            let error = match call[2].as_str() {
                Some("truncated") => ArgsError::Truncated,
                Some("invalid_json") => ArgsError::InvalidJson,
                other => panic!("argument error {other:?}"),
            };
            let raw = text_of(&call[3]);
            whole(
                block,
                BlockKind::ToolCall,
                &raw.clone(),
                called(
                    call,
                    CallArgs::Unusable {
                        error,
                        raw,
                        detail: None,
                    },
                ),
            )
        } else if let Some(call) = entry["partial_call"].as_array() {
            let mut events = whole(
                block,
                BlockKind::ToolCall,
                &text_of(&call[2]),
                BlockEnd::Dropped,
            );
            events.pop();
            events
        } else if let Some(usage) = entry["usage"].as_array() {
            let (input, output) = (usage[0].as_u64().unwrap(), usage[1].as_u64().unwrap());
            vec![ProviderEvent::Usage {
                usage: Usage {
                    input,
                    output,
                    ..Usage::default()
                },
            }]
        } else if let Some(reason) = entry.get("stop") {
            ended = true;
            vec![stop(serde_json::from_value(reason.clone()).unwrap())]
        } else if let Some(error) = entry["error"].as_array() {
            ended = true;
            vec![ProviderEvent::Error(failure(error))]
        } else {
            panic!("script entry {entry}")
        };
        block += u32::from(
            events
                .iter()
                .any(|event| matches!(event, ProviderEvent::BlockStart { .. })),
        );
        all.push(events);
    }
    if !ended {
        all.push(vec![stop(if has_calls {
            StopReason::ToolUse
        } else {
            StopReason::EndTurn
        })]);
    }
    all
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
