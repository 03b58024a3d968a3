//! Builds one message from the frames of a Chat Completions answer.
//!
//! Blocks stay open until the message ends, because only its end says whether a call is whole. Invariant: one terminal
//! event, after which nothing is taken; usage, if known, comes right before it.

use super::frame::{self, Choice, Delta, Frame, Parsed, ReasoningField};
use super::slots::{Piece, Slots};
use super::think::{Prose, ThinkTags};
use super::usage;
use crate::arguments::Ending;
use crate::event::{BlockEnd, BlockKind, ProviderEvent, WarningCode};
use crate::failure::{
    ErrorReport, Failure, FailureKind, by_name, find_error, from_finish_reason, from_object,
    from_text, stream_failure,
};
use crate::provider::EndKind;
use crate::sse::DONE;
use protocol::message::{Block, StopReason, Usage};
use protocol::tool_call::CallArgs;
use serde_json::{Map, Value};

/// How calls look that a server without a tool parser leaves in the text.
const CALLS_AS_TEXT: [&str; 2] = ["<tool_call>", "<invoke name="];

/// Opaque reasoning, in the meta of a thinking block and in a request.
pub(super) const DETAILS: &str = "reasoning_details";

/// Where reasoning came from, in the meta of a thinking block; absent for `reasoning_content`.
pub(super) const FIELD: &str = "field";

#[derive(Debug, Default)]
pub(super) struct Message {
    id: Option<String>,
    model: Option<String>,
    frames: usize,
    started: bool,
    blocks: Vec<Building>,
    calls: Slots,
    think_tags: Option<ThinkTags>,
    usage: Option<Usage>,
    finish: Option<String>,
    refused: bool,
    warned: Vec<WarningCode>,
    closed: bool,
}

/// A block on its way; its place in the list is its number.
#[derive(Debug)]
enum Building {
    Text(String),
    Thinking {
        text: String,
        meta: Map<String, Value>,
    },
    Call(usize),
}

impl Message {
    /// A message whose text may open with reasoning in tags.
    pub(super) fn with_think_tags() -> Self {
        Self {
            think_tags: Some(ThinkTags::default()),
            ..Self::default()
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Takes the data of a frame.
    pub(super) fn frame(&mut self, data: &str, out: &mut Vec<ProviderEvent>) {
        let data = data.trim();
        if self.closed || data.is_empty() {
            return;
        }
        if data == DONE {
            return self.complete(out);
        }
        match frame::parse(data) {
            Some(Parsed::Chunk(frame)) => self.chunk(*frame, out),
            Some(Parsed::Error(report)) => self.report(report, out),
            None => self.warn(WarningCode::BadFrame, out),
        }
    }

    /// Takes the value of a field named `error`.
    pub(super) fn error_field(&mut self, value: &str, out: &mut Vec<ProviderEvent>) {
        let report = match serde_json::from_str::<Value>(value) {
            Ok(error) if error.is_object() => {
                find_error(&error).unwrap_or_else(|| from_object(&error))
            }
            Ok(_) | Err(_) => from_text(value),
        };
        self.report(report, out);
    }

    /// Takes a line of JSON that belongs to no field; only errors come that way.
    pub(super) fn raw_line(&mut self, line: &str, out: &mut Vec<ProviderEvent>) {
        let error = serde_json::from_str::<Value>(line)
            .ok()
            .and_then(|value| find_error(&value));
        match error {
            Some(report) => self.report(report, out),
            None => self.warn(WarningCode::BadFrame, out),
        }
    }

    pub(super) fn warn(&mut self, code: WarningCode, out: &mut Vec<ProviderEvent>) {
        if !self.closed && !self.warned.contains(&code) {
            self.warned.push(code);
            out.push(ProviderEvent::Warning { code, detail: None });
        }
    }

    /// Ends the message with a failure. Its blocks stay open, so nobody can take them for whole.
    pub(super) fn fail(&mut self, failure: Failure, out: &mut Vec<ProviderEvent>) {
        if !self.closed {
            if self.frames > 0 {
                self.start(out);
            }
            self.end_with(ProviderEvent::Error(failure), out);
        }
    }

    /// The transport ended. A message that has its finish reason is whole however that happened.
    pub(super) fn end(&mut self, how: EndKind, out: &mut Vec<ProviderEvent>) {
        if self.closed {
            return;
        }
        if self.finish.is_some() {
            return self.complete(out);
        }
        let failure = how.into_failure().unwrap_or_else(|| {
            if self.frames == 0 {
                Failure::new(FailureKind::EmptyStream, "stream ended without data")
            } else {
                Failure::new(FailureKind::StreamTruncated, "stream ended early")
            }
        });
        self.fail(failure, out);
    }

    fn report(&mut self, report: ErrorReport, out: &mut Vec<ProviderEvent>) {
        self.frames += 1;
        self.fail(stream_failure(report), out);
    }

    fn chunk(&mut self, frame: Frame<'_>, out: &mut Vec<ProviderEvent>) {
        self.frames += 1;
        if !self.started {
            self.id = self
                .id
                .take()
                .or_else(|| frame.id.text().map(str::to_owned));
            self.model = self
                .model
                .take()
                .or_else(|| frame.model.text().map(str::to_owned));
            if self.id.is_some() || self.model.is_some() {
                self.start(out);
            }
        }
        self.take_usage(&frame);
        let Some(choice) = frame.into_choice() else {
            return;
        };
        if let Some(usage) = choice.usage.as_ref().and_then(usage::from_report) {
            self.usage = Some(usage);
        }
        if self.finish.is_some() {
            let delta = choice.delta.as_ref().or(choice.message.as_ref());
            if delta.is_some_and(Delta::has_content) {
                self.warn(WarningCode::DataAfterFinish, out);
            }
            return;
        }
        self.choice(&choice, out);
    }

    fn take_usage(&mut self, frame: &Frame<'_>) {
        let groq = frame.x_groq.as_ref().and_then(|inner| inner.get("usage"));
        let reported = [frame.usage.as_ref(), groq]
            .into_iter()
            .flatten()
            .find_map(usage::from_report)
            .or_else(|| frame.timings.as_ref().and_then(usage::from_timings));
        if reported.is_some() {
            self.usage = reported;
        }
    }

    fn choice(&mut self, choice: &Choice<'_>, out: &mut Vec<ProviderEvent>) {
        let reason = choice.finish_reason.text();
        let delta = choice.delta.as_ref().or(choice.message.as_ref());
        if let Some("error" | "error_finish") = reason {
            let words = delta
                .map(|delta| delta.content.joined())
                .unwrap_or_default();
            let report = match words.trim() {
                "" => from_object(&Value::Null),
                words => from_text(words),
            };
            return self.fail(stream_failure(report), out);
        }
        if let Some(delta) = delta {
            self.delta(delta, out);
        }
        if let Some(reason) = reason {
            match stop_reason(reason) {
                Some(_) => self.finish = Some(reason.to_owned()),
                None => self.fail(stream_failure(from_finish_reason(reason)), out),
            }
        }
    }

    fn delta(&mut self, delta: &Delta<'_>, out: &mut Vec<ProviderEvent>) {
        if let Some((field, text)) = delta.thinking() {
            self.prose(Prose::Thinking, text, out);
            self.note_field(field);
        }
        if let Some(Value::Array(details)) = &delta.reasoning_details {
            self.reasoning_details(details, out);
        }
        self.content(&delta.content.joined(), out);
        if let Some(text) = delta.refusal.text() {
            self.refused = true;
            self.prose(Prose::Text, text, out);
        }
        let entries = delta.tool_calls.as_deref().unwrap_or_default();
        for (place, entry) in entries.iter().enumerate() {
            if let Some(entry) = entry {
                self.call(Piece::new(entry, place, entries.len()), out);
            }
        }
        if let Some(function) = &delta.function_call {
            self.call(
                Piece::legacy(function.name.text(), &function.arguments),
                out,
            );
        }
    }

    fn content(&mut self, text: &str, out: &mut Vec<ProviderEvent>) {
        let pieces = match &mut self.think_tags {
            Some(tags) => tags.push(text),
            None => return self.prose(Prose::Text, text, out),
        };
        for (kind, piece) in pieces {
            self.prose(kind, &piece, out);
        }
    }

    /// Adds to the newest block if it is of that kind, else opens one.
    fn prose(&mut self, kind: Prose, text: &str, out: &mut Vec<ProviderEvent>) {
        if text.is_empty() {
            return;
        }
        let fits = match (self.blocks.last(), kind) {
            (Some(Building::Text(_)), Prose::Text) => true,
            (Some(Building::Thinking { .. }), Prose::Thinking) => true,
            (Some(Building::Text(_) | Building::Thinking { .. } | Building::Call(_)) | None, _) => {
                false
            }
        };
        if !fits {
            let block = match kind {
                Prose::Text => Building::Text(String::new()),
                Prose::Thinking => Building::Thinking {
                    text: String::new(),
                    meta: Map::new(),
                },
            };
            self.open(block, out);
        }
        if let Some(Building::Text(kept) | Building::Thinking { text: kept, .. }) =
            self.blocks.last_mut()
        {
            kept.push_str(text);
            out.push(ProviderEvent::BlockDelta {
                block: number(self.blocks.len() - 1),
                delta: text.to_owned(),
            });
        }
    }

    /// Notes where reasoning came from, unless it is the field that goes back.
    fn note_field(&mut self, field: ReasoningField) {
        let name = match field {
            ReasoningField::ReasoningContent => return,
            ReasoningField::Reasoning => "reasoning",
            ReasoningField::ReasoningText => "reasoning_text",
        };
        if let Some(Building::Thinking { meta, .. }) = self.blocks.last_mut() {
            meta.insert(FIELD.to_owned(), Value::from(name));
        }
    }

    /// Keeps opaque reasoning with the first thinking block; opens an empty one if there is none to keep it.
    fn reasoning_details(&mut self, details: &[Value], out: &mut Vec<ProviderEvent>) {
        let is_thinking = |block: &Building| matches!(block, Building::Thinking { .. });
        if !self.blocks.iter().any(is_thinking) {
            self.open(
                Building::Thinking {
                    text: String::new(),
                    meta: Map::new(),
                },
                out,
            );
        }
        for block in &mut self.blocks {
            if let Building::Thinking { meta, .. } = block {
                let kept = meta
                    .entry(DETAILS)
                    .or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(kept) = kept {
                    kept.extend_from_slice(details);
                }
                return;
            }
        }
    }

    fn call(&mut self, piece: Piece<'_>, out: &mut Vec<ProviderEvent>) {
        let mut warnings = Vec::new();
        let taken = self.calls.take(piece, &mut |code| warnings.push(code));
        if taken.opened {
            self.open(Building::Call(taken.call), out);
        }
        if !taken.delta.is_empty() {
            let is_it =
                |block: &Building| matches!(block, Building::Call(call) if *call == taken.call);
            if let Some(block) = self.blocks.iter().position(is_it) {
                out.push(ProviderEvent::BlockDelta {
                    block: number(block),
                    delta: taken.delta,
                });
            }
        }
        for code in warnings {
            self.warn(code, out);
        }
    }

    fn open(&mut self, block: Building, out: &mut Vec<ProviderEvent>) {
        self.start(out);
        let (kind, (id, name)) = match &block {
            Building::Text(_) => (BlockKind::Text, (None, None)),
            Building::Thinking { .. } => (BlockKind::Thinking, (None, None)),
            Building::Call(call) => (BlockKind::ToolCall, self.calls.label(*call)),
        };
        out.push(ProviderEvent::BlockStart {
            block: number(self.blocks.len()),
            kind,
            id,
            name,
        });
        self.blocks.push(block);
    }

    fn start(&mut self, out: &mut Vec<ProviderEvent>) {
        if !self.started {
            self.started = true;
            out.push(ProviderEvent::ResponseStart {
                id: self.id.take(),
                model: self.model.take(),
            });
        }
    }

    /// Closes every block and says why the message ended.
    fn complete(&mut self, out: &mut Vec<ProviderEvent>) {
        if self.frames > 0 {
            self.start(out);
        }
        if let Some((kind, held)) = self.think_tags.as_mut().and_then(ThinkTags::finish) {
            self.prose(kind, &held, out);
        }
        let raw = self.finish.take();
        let said = raw.as_deref().and_then(stop_reason);
        let ending = match said {
            None | Some(StopReason::MaxTokens) => Ending::Cut,
            Some(_) => Ending::Whole,
        };
        let calls = self.close_blocks(ending, out);
        let reason = self.reason(said, calls, out);
        self.end_with(
            ProviderEvent::Stop {
                reason,
                raw,
                details: None,
            },
            out,
        );
    }

    fn close_blocks(&mut self, ending: Ending, out: &mut Vec<ProviderEvent>) -> Calls {
        let mut warnings = Vec::new();
        let slots = std::mem::take(&mut self.calls);
        let mut ends = slots
            .finish(ending, &mut |code| warnings.push(code))
            .into_iter();
        let mut calls = Calls::None;
        let mut call_in_text = false;
        for (at, block) in std::mem::take(&mut self.blocks).into_iter().enumerate() {
            let end = match block {
                Building::Text(text) => {
                    call_in_text |= holds_call(&text);
                    content(Block::Text { text, meta: None })
                }
                Building::Thinking { text, meta } => content(Block::Thinking {
                    text,
                    signature: None,
                    redacted: None,
                    meta: thinking_meta(meta),
                }),
                Building::Call(_) => ends.next().unwrap_or(BlockEnd::Dropped),
            };
            calls = calls.and(&end);
            out.push(ProviderEvent::BlockStop {
                block: number(at),
                end,
            });
        }
        if calls == Calls::None && call_in_text {
            warnings.push(WarningCode::ToolCallInText);
        }
        for code in warnings {
            self.warn(code, out);
        }
        calls
    }

    fn reason(
        &mut self,
        said: Option<StopReason>,
        calls: Calls,
        out: &mut Vec<ProviderEvent>,
    ) -> StopReason {
        let Some(said) = said else {
            self.warn(WarningCode::MissingFinishReason, out);
            return match calls {
                Calls::None => StopReason::EndTurn,
                Calls::Usable => StopReason::ToolUse,
                Calls::Broken => StopReason::MaxTokens,
            };
        };
        match (said, calls) {
            (StopReason::EndTurn | StopReason::ToolUse, Calls::None) if self.refused => {
                StopReason::Refusal
            }
            (StopReason::EndTurn, Calls::Usable | Calls::Broken) => StopReason::ToolUse,
            (StopReason::ToolUse, Calls::None) => {
                self.warn(WarningCode::FinishToolCallsWithoutCall, out);
                StopReason::EndTurn
            }
            (said, _) => said,
        }
    }

    fn end_with(&mut self, terminal: ProviderEvent, out: &mut Vec<ProviderEvent>) {
        if let Some(usage) = self.usage {
            out.push(ProviderEvent::Usage { usage });
        }
        out.push(terminal);
        self.closed = true;
    }
}

/// The calls of a message, taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Calls {
    None,
    Usable,
    Broken,
}

impl Calls {
    fn and(self, end: &BlockEnd) -> Self {
        match end {
            BlockEnd::Content { .. } | BlockEnd::Dropped => self,
            BlockEnd::Call { call } => match (self, &call.args) {
                (Self::Broken, _) | (_, CallArgs::Unusable { .. }) => Self::Broken,
                (Self::None | Self::Usable, CallArgs::Usable { .. }) => Self::Usable,
            },
        }
    }
}

/// What must be known to send reasoning back. Details go back as they are, so their field need not be known.
fn thinking_meta(mut meta: Map<String, Value>) -> Option<Value> {
    if meta.contains_key(DETAILS) {
        meta.remove(FIELD);
    }
    (!meta.is_empty()).then_some(Value::Object(meta))
}

fn content(content: Block) -> BlockEnd {
    BlockEnd::Content { content }
}

/// Block numbers are small; a message of four billion blocks would have ended at the size limit.
fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The reason a finish word stands for; nothing if it stands for an error.
fn stop_reason(word: &str) -> Option<StopReason> {
    match word {
        "stop" | "eos" | "end_turn" => Some(StopReason::EndTurn),
        "tool_calls" | "tool_use" | "function_call" => Some(StopReason::ToolUse),
        "length" | "max_tokens" => Some(StopReason::MaxTokens),
        "content_filter" | "safety" => Some(StopReason::Refusal),
        "stop_sequence" => Some(StopReason::StopSequence),
        "abort" => None,
        other if by_name(other).is_some() => None,
        _ => Some(StopReason::Unknown),
    }
}

/// Whether a text holds a call outside a code fence.
fn holds_call(text: &str) -> bool {
    let mut in_fence = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        } else if !in_fence && CALLS_AS_TEXT.iter().any(|mark| line.contains(mark)) {
            return true;
        }
    }
    false
}
