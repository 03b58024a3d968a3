//! The rows of a transcript. Derived from the log, in the transaction that writes the log.

use crate::changes::EditMark;
use crate::confirmation::Resolution;
use crate::diff::DiffStat;
use crate::ids::{CallId, ShellId};
use crate::message::{Block, ImageRef, Origin, StopReason, Usage};
use crate::tool_call::{CallStatus, Display, ToolFailure, ToolKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Item {
    /// Sequence number of the fact that made it; its key.
    pub seq: u64,
    /// Turn it belongs to.
    pub turn: u32,
    /// Step of the turn; 0 where there is none.
    pub step: u32,
    /// Milliseconds since 1970, UTC.
    pub ts: i64,
    /// Taken out of the model view, by a refusal.
    pub excluded: bool,
    /// Its content.
    pub body: ItemBody,
}

/// What a row holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ItemBody {
    /// The person said something.
    User {
        /// The text.
        text: String,
        /// Pictures.
        images: Vec<ImageRef>,
        /// Codes of the hidden notes.
        reminders: Vec<String>,
        /// Sent while the turn was running.
        steer: bool,
    },
    /// The model said something. Its calls are rows of their own.
    Assistant {
        /// The request it answers; live text of the same request is this row in the making.
        request: u64,
        /// Blocks in the provider's order.
        blocks: Vec<Block>,
        /// Why it ended.
        stop: StopReason,
        /// Tokens, if reported.
        usage: Option<Usage>,
        /// Who made it.
        origin: Origin,
    },
    /// A tool call, from proposal to result.
    Tool {
        /// The row.
        #[serde(flatten)]
        tool: Box<ToolItem>,
    },
    /// The summary that replaced older entries in the model view.
    Summary {
        /// The text.
        text: String,
        /// Estimate before, in tokens.
        before: u64,
        /// Estimate after, in tokens.
        after: u64,
    },
    /// One line about the session itself.
    Notice {
        /// `snake_case`; the window has the sentence in each language.
        code: String,
        /// English.
        text: String,
        /// What fills the sentence of another language.
        args: Vec<String>,
    },
}

/// A tool call as a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ToolItem {
    /// Which call.
    pub call_id: CallId,
    /// The tool.
    pub name: String,
    /// Its kind, once checked.
    pub tool_kind: Option<ToolKind>,
    /// One line that says what it is about, such as a path or a command.
    pub subject: String,
    /// The arguments, long strings shortened.
    pub args: Value,
    /// Where it stands.
    pub state: ToolState,
    /// How it ended, once it has.
    pub status: Option<CallStatus>,
    /// How long it ran.
    pub ms: Option<u64>,
    /// Its shell, for a command.
    pub shell_id: Option<ShellId>,
    /// What became of the question.
    pub resolution: Option<Resolution>,
    /// Lines by the model and by the person.
    pub stat: Option<DiffStat>,
    /// The change of a file that it made: whether it is in the file, or was taken back.
    #[serde(default)]
    pub edit: Option<EditMark>,
    /// Why it failed.
    pub failure: Option<ToolFailure>,
    /// What is shown of the result.
    pub display: Option<Display>,
    /// The first characters of what the model read.
    pub result_text: Option<String>,
    /// Characters of it in all.
    pub result_chars: u64,
}

/// Where a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ToolState {
    /// The model made it.
    Proposed,
    /// It waits for the person.
    Asking,
    /// It is allowed and will run.
    Decided,
    /// It runs.
    Running,
    /// It has its result.
    Done,
}
