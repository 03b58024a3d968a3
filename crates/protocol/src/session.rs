//! Sessions, turns and how they end.

use crate::diff::NetStat;
use crate::ids::SessionId;
use crate::message::{ImageRef, Origin};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How much the agent may do without asking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Reads pass, everything else asks.
    #[default]
    Default,
    /// Edits inside the workspace pass too.
    AutoEdit,
    /// Reading only; anything else is refused.
    Plan,
    /// Nothing asks.
    Yolo,
}

/// How a turn ended. Text on the wire: `completed`, `error:rate_limit` …
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The model finished.
    Completed,
    /// The person stopped it.
    Cancelled,
    /// The step limit was reached.
    MaxSteps,
    /// The output limit was reached again and again.
    MaxTokens,
    /// The model or a filter declined.
    Refusal,
    /// It ran in circles.
    LoopDetected,
    /// The context is full and could not be made smaller.
    ContextFull,
    /// A request failed for good; the error kind.
    Error(String),
    /// The program ended in the middle.
    Crashed,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Completed => f.write_str("completed"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::MaxSteps => f.write_str("max_steps"),
            Self::MaxTokens => f.write_str("max_tokens"),
            Self::Refusal => f.write_str("refusal"),
            Self::LoopDetected => f.write_str("loop_detected"),
            Self::ContextFull => f.write_str("context_full"),
            Self::Error(kind) => write!(f, "error:{kind}"),
            Self::Crashed => f.write_str("crashed"),
        }
    }
}

impl From<&str> for Outcome {
    fn from(text: &str) -> Self {
        match text {
            "completed" => Self::Completed,
            "cancelled" => Self::Cancelled,
            "max_steps" => Self::MaxSteps,
            "max_tokens" => Self::MaxTokens,
            "refusal" => Self::Refusal,
            "loop_detected" => Self::LoopDetected,
            "context_full" => Self::ContextFull,
            "crashed" => Self::Crashed,
            other => Self::Error(other.strip_prefix("error:").unwrap_or(other).to_owned()),
        }
    }
}

impl Serialize for Outcome {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Outcome {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from(String::deserialize(deserializer)?.as_str()))
    }
}

/// What began a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TurnCause {
    /// A message.
    User,
    /// The person pressed Continue.
    Continue,
    /// A message that had waited.
    Queued,
}

/// When a message written during a turn is delivered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// Before the next request.
    #[default]
    Steer,
    /// After the turn.
    After,
}

/// A message that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Queued {
    /// Unique in its session.
    pub id: u64,
    /// The text.
    pub text: String,
    /// Pictures.
    #[serde(default)]
    pub images: Vec<ImageRef>,
    /// When it is delivered.
    pub delivery: Delivery,
}

/// Where a title came from; a title the person set is never replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TitleSource {
    /// The first line of the first message.
    Default,
    /// The model was asked.
    Auto,
    /// The person.
    User,
}

/// What a session is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nothing.
    Idle,
    /// Between two steps.
    Boundary,
    /// Waiting for the first byte of an answer.
    Requesting,
    /// An answer is arriving.
    Streaming,
    /// Waiting before another try.
    Backoff,
    /// Calls are being checked, asked for or run.
    Calls,
    /// The conversation is being summarised.
    Compacting,
    /// Everything is being stopped.
    Stopping,
}

/// One row of the session list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SessionSummary {
    /// Which session.
    pub session_id: SessionId,
    /// Its title; empty until the first message.
    pub title: String,
    /// Canonical path of its folder.
    pub workspace: String,
    /// Milliseconds since 1970, UTC.
    pub created_at: i64,
    /// Milliseconds since 1970, UTC.
    pub updated_at: i64,
    /// Put away by the person.
    pub archived: bool,
    /// Rows of its transcript.
    pub item_count: u64,
    /// What it is doing now.
    pub state: SessionState,
    /// How the newest turn ended.
    pub last_outcome: Option<String>,
    /// Lines by the model and by the person, summed.
    pub net: NetStat,
    /// Provider and model in use.
    pub origin: Origin,
    /// Mode in use.
    pub mode: Mode,
}

/// What a row of the session list says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SessionState {
    /// Nothing runs; nothing was said yet, or the last turn completed.
    Idle,
    /// A turn runs.
    Running,
    /// A question is open.
    Waiting,
    /// The last turn failed.
    Error,
}

/// Tokens, cost and context of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Meters {
    /// Prompt tokens of all steps.
    pub tok_in: u64,
    /// Answer tokens of all steps.
    pub tok_out: u64,
    /// Prompt tokens that came from a cache.
    pub tok_cache_read: u64,
    /// Prompt tokens written to a cache.
    pub tok_cache_write: u64,
    /// Millionths of the currency; absent where a price is unknown.
    pub cost_micros: Option<u64>,
    /// Tokens of the last request and its answer.
    pub context_used: u64,
    /// The model's window, where known.
    pub context_window: Option<u64>,
    /// From here on the conversation is made smaller.
    pub context_auto: Option<u64>,
}
