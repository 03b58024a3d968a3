//! What is said between the person, the model and the tools.
//!
//! The same types are stored, sent to providers (by `llm`) and shown. A provider's own data (signatures, encrypted
//! reasoning, server tool blocks) is kept as it came and in place, so that it can go back byte for byte.

use crate::ids::CallId;
use crate::tool_call::{CallStatus, ToolCall};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One block of an assistant message, in the provider's order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Block {
    /// Text for the person.
    Text {
        /// The text.
        text: String,
        /// Provider data that belongs to the block, such as citations.
        #[serde(default)]
        meta: Option<Value>,
    },
    /// Reasoning. Never part of the answer.
    Thinking {
        /// The readable part; may be empty.
        text: String,
        /// Proof of origin that some providers want back.
        #[serde(default)]
        signature: Option<String>,
        /// Encrypted reasoning without readable text.
        #[serde(default)]
        redacted: Option<String>,
        /// Other provider data that belongs to the block.
        #[serde(default)]
        meta: Option<Value>,
    },
    /// A tool call; the call itself is a [`ToolCall`] of its own.
    Call {
        /// Which call.
        call_id: CallId,
    },
    /// A tool that the provider runs itself.
    ServerToolCall {
        /// The provider's id.
        id: String,
        /// The tool's name.
        name: String,
        /// Its arguments.
        args: Value,
        /// The block as it came.
        raw: Value,
    },
    /// The result of a tool that the provider ran.
    ServerToolResult {
        /// The provider's id of the call.
        call_id: String,
        /// The provider's block type.
        result_kind: String,
        /// The block's content as it came.
        content: Value,
        /// The block as it came.
        raw: Value,
    },
    /// A block this version does not know.
    Opaque {
        /// The block as it came.
        raw: Value,
    },
}

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It had nothing more to say.
    EndTurn,
    /// It wants the results of its calls.
    ToolUse,
    /// The output limit cut it off.
    MaxTokens,
    /// A configured stop text came up.
    StopSequence,
    /// It, or a filter in front of it, declined.
    Refusal,
    /// The provider wants the same conversation again to go on.
    Pause,
    /// The context window was full.
    ContextOverflow,
    /// A reason this version does not know.
    Unknown,
    /// We ended it: stop, crash or a broken stream. The text so far was kept.
    Interrupted,
}

/// Tokens of one model message. `input` counts all prompt tokens, cached ones included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Usage {
    /// Prompt tokens, cached ones included.
    pub input: u64,
    /// Answer tokens, reasoning included.
    pub output: u64,
    /// The part of `input` read from a cache.
    #[serde(default)]
    pub cache_read: Option<u64>,
    /// The part of `input` written to a cache.
    #[serde(default)]
    pub cache_write: Option<u64>,
    /// The part of `output` that was reasoning.
    #[serde(default)]
    pub reasoning: Option<u64>,
    /// Web searches the provider ran.
    #[serde(default)]
    pub web_search_requests: Option<u64>,
}

/// An image in the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImageRef {
    /// Content address in the blob store.
    pub sha256: String,
    /// Media type by magic bytes.
    pub mime: String,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// A note to the model that rides in a user message, hidden in the transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Reminder {
    /// What it is about: `interrupted`, `plan_mode`, `continue_after_limit` …
    pub code: String,
    /// The text, without its frame.
    pub text: String,
}

/// One part of what a tool gives to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// A picture in the store.
    Image {
        /// Which one.
        image: ImageRef,
    },
}

/// One entry of the model view: what the next request would send.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ViewEntry {
    /// A person's message; `text` may be empty where only reminders are sent.
    User {
        /// What was typed.
        text: String,
        /// Pictures.
        images: Vec<ImageRef>,
        /// Hidden notes.
        reminders: Vec<Reminder>,
        /// Sent while the turn was running.
        steer: bool,
    },
    /// A model's message with its calls.
    Assistant {
        /// Blocks in the provider's order.
        blocks: Vec<Block>,
        /// The calls named by the blocks, in the same order.
        calls: Vec<ToolCall>,
        /// Why it ended.
        stop: StopReason,
        /// Who made it; opaque data goes back only there.
        origin: Origin,
    },
    /// The result of one call.
    Result {
        /// Of which call.
        call_id: CallId,
        /// How it ended.
        status: CallStatus,
        /// What the model gets to read.
        content: Vec<Part>,
        /// Counts as failed.
        is_error: bool,
        /// The person changed the proposal first.
        edited: bool,
        /// A note of the loop guard that follows the content.
        hint: Option<String>,
    },
    /// The summary that replaces everything before it.
    Summary {
        /// The text.
        text: String,
    },
}

/// The provider family and model that made a message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Origin {
    /// Provider entry id, such as `demo` or `openai-chat`.
    pub provider: String,
    /// Model name.
    pub model: String,
}
