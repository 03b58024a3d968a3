//! What a provider says, in one form for all of them.
//!
//! Invariant: the events of one message end with exactly one [`Stop`](ProviderEvent::Stop) or
//! [`Error`](ProviderEvent::Error). Blocks are numbered by us, from 0, in order of first appearance.

use crate::failure::Failure;
use protocol::message::{Block, StopReason, Usage};
use protocol::tool_call::ToolCall;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One event of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ProviderEvent {
    /// The first frame that could be read.
    ResponseStart {
        /// The provider's id of the answer.
        id: Option<String>,
        /// The model that answers.
        model: Option<String>,
    },
    /// A block began.
    BlockStart {
        /// Its number.
        block: u32,
        /// What it is.
        kind: BlockKind,
        /// Id of a call, if already known.
        id: Option<String>,
        /// Name of the tool, if already known.
        name: Option<String>,
    },
    /// More of a block: text, reasoning, or raw argument text.
    BlockDelta {
        /// Its number.
        block: u32,
        /// What was added.
        delta: String,
    },
    /// A block is whole.
    BlockStop {
        /// Its number.
        block: u32,
        /// The block; it replaces what the deltas built.
        #[serde(rename = "final")]
        end: BlockEnd,
    },
    /// Something odd that was put right. Each code comes at most once in a message.
    Warning {
        /// What.
        code: WarningCode,
        /// More about it.
        detail: Option<String>,
    },
    /// Tokens so far; the last report counts.
    Usage {
        /// The counts.
        #[serde(flatten)]
        usage: Usage,
    },
    /// The message ended.
    Stop {
        /// Why.
        reason: StopReason,
        /// The provider's word for it.
        raw: Option<String>,
        /// What else the provider said about it.
        details: Option<Value>,
    },
    /// The message failed. Blocks without a stop are halves and must not be used.
    Error(Failure),
}

impl ProviderEvent {
    /// Whether nothing can follow.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        match self {
            Self::Stop { .. } | Self::Error(_) => true,
            Self::ResponseStart { .. }
            | Self::BlockStart { .. }
            | Self::BlockDelta { .. }
            | Self::BlockStop { .. }
            | Self::Warning { .. }
            | Self::Usage { .. } => false,
        }
    }
}

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// Text for the person.
    Text,
    /// Reasoning.
    Thinking,
    /// A call of one of our tools.
    ToolCall,
    /// A call of a tool that the provider runs.
    ServerToolCall,
    /// The result of such a call.
    ServerToolResult,
    /// Something this version does not know.
    Opaque,
}

/// A whole block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "as", rename_all = "snake_case")]
pub enum BlockEnd {
    /// A block of the message, ready to be kept.
    Content {
        /// The block.
        content: Block,
    },
    /// A call of one of our tools. Its arguments are whole, or say why they cannot be used.
    Call {
        /// The call.
        call: ToolCall,
    },
    /// Nothing usable: a call that never got a name.
    Dropped,
}

/// Oddities that were put right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningCode {
    /// A frame could not be read and was left out.
    BadFrame,
    /// Bytes that are not UTF-8 were replaced.
    InvalidUtf8,
    /// Arguments were repaired without loss.
    ArgsRepaired,
    /// Arguments were JSON inside a JSON string.
    ArgsDoubleEncoded,
    /// A finished call was sent again.
    ToolReplayIgnored,
    /// A new call took the index of an unfinished one.
    ToolIndexConflict,
    /// A call changed its name on the way.
    ToolNameConflict,
    /// Two calls had the same id.
    ToolIdRenamed,
    /// A call had no id.
    ToolIdSynthesized,
    /// A call had no name and was dropped.
    ToolMissingName,
    /// A call was written into the text; the server lacks a tool parser.
    ToolCallInText,
    /// The end says calls, and there is none.
    FinishToolCallsWithoutCall,
    /// The end mark came without a reason.
    MissingFinishReason,
    /// Content came after the end.
    DataAfterFinish,
}

impl WarningCode {
    /// The wire name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BadFrame => "bad_frame",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::ArgsRepaired => "args_repaired",
            Self::ArgsDoubleEncoded => "args_double_encoded",
            Self::ToolReplayIgnored => "tool_replay_ignored",
            Self::ToolIndexConflict => "tool_index_conflict",
            Self::ToolNameConflict => "tool_name_conflict",
            Self::ToolIdRenamed => "tool_id_renamed",
            Self::ToolIdSynthesized => "tool_id_synthesized",
            Self::ToolMissingName => "tool_missing_name",
            Self::ToolCallInText => "tool_call_in_text",
            Self::FinishToolCallsWithoutCall => "finish_tool_calls_without_call",
            Self::MissingFinishReason => "missing_finish_reason",
            Self::DataAfterFinish => "data_after_finish",
        }
    }
}
