//! The events of one message in the form that case files compare.
//!
//! How a text was cut into deltas disappears; what was said, in which block, and how it ended remains.

use crate::event::{BlockEnd, BlockKind, ProviderEvent};
use crate::failure::Failure;
use protocol::message::{Block, Usage};
use protocol::tool_call::{CallArgs, ToolCall};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};

struct Open {
    kind: BlockKind,
    id: Option<String>,
    name: Option<String>,
    text: String,
}

/// The records of a message.
#[must_use]
pub fn canonical(events: &[ProviderEvent]) -> Vec<Value> {
    let mut records = Records::default();
    for event in events {
        match event {
            ProviderEvent::BlockStart { .. }
            | ProviderEvent::BlockDelta { .. }
            | ProviderEvent::BlockStop { .. } => records.block(event),
            ProviderEvent::ResponseStart { id, model } => {
                records.start = Some(compact(json!({"type": "start", "id": id, "model": model})));
            }
            ProviderEvent::Warning { code, .. } => records.warnings.push(code.as_str()),
            ProviderEvent::Usage { usage } => records.usage = Some(usage_record(usage)),
            ProviderEvent::Stop { .. } | ProviderEvent::Error(_) => {
                records.terminal = end_record(event)
            }
        }
    }
    records.into_list()
}

#[derive(Default)]
struct Records {
    start: Option<Value>,
    open: BTreeMap<u32, Open>,
    blocks: BTreeMap<u32, Value>,
    usage: Option<Value>,
    terminal: Option<Value>,
    warnings: Vec<&'static str>,
}

impl Records {
    fn block(&mut self, event: &ProviderEvent) {
        match event {
            ProviderEvent::BlockStart {
                block,
                kind,
                id,
                name,
            } => {
                let (id, name) = (id.clone(), name.clone());
                let text = String::new();
                self.open.insert(
                    *block,
                    Open {
                        kind: *kind,
                        id,
                        name,
                        text,
                    },
                );
            }
            ProviderEvent::BlockDelta { block, delta } => {
                if let Some(open) = self.open.get_mut(block) {
                    open.text.push_str(delta);
                }
            }
            ProviderEvent::BlockStop { block, end } => {
                self.open.remove(block);
                let record = closed(*block, end);
                self.blocks.extend(record.map(|record| (*block, record)));
            }
            ProviderEvent::ResponseStart { .. }
            | ProviderEvent::Warning { .. }
            | ProviderEvent::Usage { .. }
            | ProviderEvent::Stop { .. }
            | ProviderEvent::Error(_) => {}
        }
    }

    fn into_list(mut self) -> Vec<Value> {
        let halves = self.open.into_iter();
        self.blocks
            .extend(halves.filter_map(|(block, open)| Some((block, partial(block, open)?))));
        let codes = (!self.warnings.is_empty()).then_some(self.warnings);
        let warnings = codes.map(|codes| json!({"type": "warnings", "codes": codes}));
        self.start
            .into_iter()
            .chain(self.blocks.into_values())
            .chain(self.usage)
            .chain(self.terminal)
            .chain(warnings)
            .collect()
    }
}

fn usage_record(usage: &Usage) -> Value {
    compact(json!({
        "type": "usage", "input": usage.input, "output": usage.output,
        "cache_read": usage.cache_read, "cache_write": usage.cache_write,
        "reasoning": usage.reasoning, "web_search_requests": usage.web_search_requests,
    }))
}

fn end_record(event: &ProviderEvent) -> Option<Value> {
    match event {
        ProviderEvent::Error(failure) => Some(error_record(failure)),
        ProviderEvent::Stop {
            reason,
            raw,
            details,
        } => {
            let mut record = json!({"type": "stop", "reason": reason, "raw": raw});
            if let (Some(details), Some(record)) = (details, record.as_object_mut()) {
                record.insert("details".to_owned(), details.clone());
            }
            Some(record)
        }
        _ => None,
    }
}

/// How many deltas each text and thinking block came in.
#[must_use]
pub fn delta_counts(events: &[ProviderEvent]) -> HashMap<u32, usize> {
    let mut counts = HashMap::new();
    for event in events {
        match event {
            ProviderEvent::BlockStart {
                block,
                kind: BlockKind::Text | BlockKind::Thinking,
                ..
            } => {
                counts.insert(*block, 0);
            }
            ProviderEvent::BlockDelta { block, .. } => {
                counts.entry(*block).and_modify(|count| *count += 1);
            }
            _ => {}
        }
    }
    counts
}

fn error_record(failure: &Failure) -> Value {
    compact(json!({
        "type": "error", "kind": failure.kind, "retryable": failure.retryable, "message": failure.message,
        "status": failure.status, "code": failure.code, "retry_after_ms": failure.retry_after_ms,
    }))
}

fn closed(block: u32, end: &BlockEnd) -> Option<Value> {
    match end {
        BlockEnd::Dropped => None,
        BlockEnd::Call { call } => Some(call_record(block, call)),
        BlockEnd::Content { content } => content_record(block, content),
    }
}

fn content_record(block: u32, content: &Block) -> Option<Value> {
    match content {
        Block::Text { text, .. } if text.is_empty() => None,
        Block::Text { text, .. } => Some(json!({"type": "text", "block": block, "text": text})),
        Block::Thinking {
            text,
            signature,
            redacted,
            meta,
        } => Some(compact(json!({
            "type": "thinking", "block": block, "text": text, "signature": signature,
            "redacted": redacted, "meta": meta,
        }))),
        Block::Call { .. } => None,
        Block::ServerToolCall { id, name, args, .. } => Some(json!({
            "type": "server_tool_call", "block": block, "id": id, "name": name, "args": args,
        })),
        Block::ServerToolResult {
            call_id,
            result_kind,
            content,
            ..
        } => Some(json!({
            "type": "server_tool_result", "block": block, "call_id": call_id,
            "result_kind": result_kind, "content": content,
        })),
        Block::Opaque { raw } => Some(json!({"type": "opaque", "block": block, "raw": raw})),
    }
}

fn call_record(block: u32, call: &ToolCall) -> Value {
    match &call.args {
        CallArgs::Usable { value } => compact(json!({
            "type": "tool_call", "block": block, "id": call.call_id, "name": call.name,
            "args": value, "meta": call.meta,
        })),
        CallArgs::Unusable { error, raw, .. } => json!({
            "type": "tool_call_invalid", "block": block, "id": call.call_id, "name": call.name,
            "error": error, "raw": raw,
        }),
    }
}

fn partial(block: u32, open: Open) -> Option<Value> {
    match open.kind {
        BlockKind::Text if open.text.is_empty() => None,
        BlockKind::Text | BlockKind::Thinking => Some(json!({
            "type": open.kind, "block": block, "text": open.text, "partial": true,
        })),
        BlockKind::ToolCall => Some(json!({
            "type": "tool_call_partial", "block": block, "id": open.id, "name": open.name, "raw": open.text,
        })),
        BlockKind::ServerToolCall | BlockKind::ServerToolResult | BlockKind::Opaque => None,
    }
}

/// Without the fields that say nothing.
fn compact(record: Value) -> Value {
    match record {
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .collect::<Map<_, _>>(),
        ),
        other => other,
    }
}
