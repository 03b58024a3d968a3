//! The facts of a session, in the order in which they became true.
//!
//! The store keeps them append-only; everything else in a session (rows, counters, the model view) is derived from
//! them. Names and fields are a promise to old databases: fields are only added, with a default; nothing is renamed.

use crate::confirmation::{Ask, Resolution};
use crate::diff::DiffStat;
use crate::ids::{CallId, ShellId};
use crate::message::{Block, ImageRef, Origin, Part, Reminder, StopReason, Usage};
use crate::session::{Mode, Outcome, Queued, TitleSource, TurnCause};
use crate::todo::Todo;
use crate::tool_call::{CallStatus, Display, ToolCall, ToolFailure, ToolKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One fact. `kind` and `payload` are two columns of the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "snake_case")]
pub enum LogEvent {
    /// The session exists.
    SessionCreated {
        /// Canonical path of its folder.
        workspace: String,
        /// Provider and model.
        origin: Origin,
        /// Mode.
        mode: Mode,
        /// Version of this program.
        app_version: String,
    },
    /// The fixed part of the prompt, from here on.
    SystemFrozen {
        /// Its parts in order.
        parts: Vec<SystemPart>,
    },
    /// A turn began.
    TurnStarted {
        /// Why.
        cause: TurnCause,
    },
    /// The person said something, or reminders went alone (then `text` is empty).
    UserMessage {
        /// The text.
        text: String,
        /// Pictures.
        #[serde(default)]
        images: Vec<ImageRef>,
        /// Hidden notes.
        #[serde(default)]
        reminders: Vec<Reminder>,
        /// Sent while the turn was running.
        #[serde(default)]
        steer: bool,
    },
    /// A request went out.
    RequestStarted {
        /// Number of the request in its session, from 1.
        request: u64,
        /// Step of the turn, from 1.
        step: u32,
        /// Try within the step, from 1.
        attempt: u32,
        /// To whom.
        origin: Origin,
        /// Our estimate of the prompt, in tokens.
        estimate: u64,
    },
    /// A half answer was thrown away; it will be asked for again.
    AttemptDiscarded {
        /// Which request.
        request: u64,
        /// Error kind.
        error_kind: String,
        /// The wait before the next try, before jitter.
        delay_ms: u64,
        /// The text so far.
        text: String,
    },
    /// The model said something.
    AssistantMessage {
        /// The request it answers.
        request: u64,
        /// Step of the turn.
        step: u32,
        /// Blocks in the provider's order.
        blocks: Vec<Block>,
        /// Why it ended.
        stop: StopReason,
        /// The provider's word for that.
        #[serde(default)]
        raw_stop: Option<String>,
        /// Tokens, if reported.
        #[serde(default)]
        usage: Option<Usage>,
        /// Millionths of the currency, if a price is known.
        #[serde(default)]
        cost_micros: Option<u64>,
        /// Who made it.
        origin: Origin,
    },
    /// One call of the message before it.
    ToolCall {
        /// The call.
        #[serde(flatten)]
        call: ToolCall,
    },
    /// A call waits for the person.
    ApprovalRequested {
        /// The question, whole.
        ask: Box<Ask>,
    },
    /// A call no longer waits.
    ApprovalResolved {
        /// Which call.
        call_id: CallId,
        /// How it ended.
        resolution: Resolution,
        /// Lines by the model and by the person, for a change of a file.
        #[serde(default)]
        stat: Option<DiffStat>,
        /// The arguments that will run, where they are not the model's.
        #[serde(default)]
        final_args: Option<Value>,
    },
    /// A call is about to run.
    ToolStarted {
        /// Which call.
        call_id: CallId,
        /// Its shell, for a command.
        #[serde(default)]
        shell_id: Option<ShellId>,
    },
    /// A call has its result.
    ToolResult {
        /// Which call.
        call_id: CallId,
        /// How it ended.
        status: CallStatus,
        /// What the model reads.
        content: Vec<Part>,
        /// Counts as failed.
        is_error: bool,
        /// How long it ran.
        ms: u64,
        /// Why it failed.
        #[serde(default)]
        failure: Option<ToolFailure>,
        /// What the window shows.
        display: Display,
        /// The person changed the proposal first.
        #[serde(default)]
        edited: bool,
        /// A note of the loop guard.
        #[serde(default)]
        hint: Option<String>,
    },
    /// Files changed.
    FileVersions {
        /// By which call.
        call_id: CallId,
        /// What changed.
        rows: Vec<FileVersion>,
        /// Calls whose changes are no longer in the files.
        #[serde(default)]
        takes_back: Vec<CallId>,
        /// Calls whose changes are in the files again.
        #[serde(default)]
        brings_back: Vec<CallId>,
    },
    /// A step is complete.
    StepFinished {
        /// What it did.
        summary: StepSummary,
    },
    /// A turn ended.
    TurnEnded {
        /// How.
        outcome: Outcome,
        /// A sentence for the person.
        #[serde(default)]
        message: Option<String>,
        /// Steps it took.
        steps: u32,
    },
    /// Older entries were replaced by a summary in the model view.
    Compaction {
        /// `auto`, `forced` or `manual`.
        reason: String,
        /// The summary.
        summary: String,
        /// First and last sequence number it covers.
        covers: (u64, u64),
        /// Entries from here on stay as they are.
        tail_from: u64,
        /// The newest real message of the person, kept word for word.
        #[serde(default)]
        pinned: Option<u64>,
        /// Estimate before, in tokens.
        before: u64,
        /// Estimate after, in tokens.
        after: u64,
    },
    /// Old results were emptied in the model view.
    Prune {
        /// Sequence numbers of the results.
        seqs: Vec<u64>,
    },
    /// The mode changed.
    ModeChanged {
        /// Before.
        old: Mode,
        /// After.
        new: Mode,
    },
    /// The model changed.
    ModelChanged {
        /// Before.
        old: Origin,
        /// After.
        new: Origin,
    },
    /// The task list changed.
    TodoChanged {
        /// The list as it now stands.
        todos: Vec<Todo>,
    },
    /// Hidden tools became declared.
    ToolsRevealed {
        /// Their names.
        names: Vec<String>,
    },
    /// A rule of this session was added.
    RuleAdded {
        /// The rule as people read it.
        rule: String,
    },
    /// The waiting messages changed.
    QueueChanged {
        /// The queue as it now stands.
        queue: Vec<Queued>,
    },
    /// A shell changed its state.
    ShellState {
        /// Which shell.
        shell_id: ShellId,
        /// Its command.
        command: String,
        /// `running`, `completed`, `failed`, `cancelled`, `timed_out` or `lost`.
        state: String,
        /// Exit code, if it ended by itself.
        #[serde(default)]
        exit_code: Option<i32>,
        /// What the model is told of it with the next message that it is sent.
        #[serde(default)]
        note: Option<Reminder>,
    },
    /// The title changed.
    TitleChanged {
        /// The title.
        title: String,
        /// Where it came from.
        source: TitleSource,
    },
    /// Something the person should know.
    Warning {
        /// `snake_case`; the window has the sentence in each language.
        code: String,
        /// English.
        text: String,
        /// What fills the sentence of another language.
        #[serde(default)]
        args: Vec<String>,
    },
    /// The conversation was taken back to before a message.
    Rewound {
        /// Sequence number of that message.
        to_seq: u64,
    },
    /// That was taken back.
    RewindUndone {
        /// Sequence number of the `rewound` fact.
        rewind_seq: u64,
    },
    /// The session began as a copy.
    ForkedFrom {
        /// Of which session.
        session_id: String,
        /// Up to where.
        seq: u64,
    },
    /// The program had ended in the middle; this is what was put right.
    Recovered {
        /// What was done.
        what: Vec<String>,
    },
}

impl LogEvent {
    /// The text of the `kind` column.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::SessionCreated { .. } => "session_created",
            Self::SystemFrozen { .. } => "system_frozen",
            Self::TurnStarted { .. } => "turn_started",
            Self::UserMessage { .. } => "user_message",
            Self::RequestStarted { .. } => "request_started",
            Self::AttemptDiscarded { .. } => "attempt_discarded",
            Self::AssistantMessage { .. } => "assistant_message",
            Self::ToolCall { .. } => "tool_call",
            Self::ApprovalRequested { .. } => "approval_requested",
            Self::ApprovalResolved { .. } => "approval_resolved",
            Self::ToolStarted { .. } => "tool_started",
            Self::ToolResult { .. } => "tool_result",
            Self::FileVersions { .. } => "file_versions",
            Self::StepFinished { .. } => "step_finished",
            Self::TurnEnded { .. } => "turn_ended",
            Self::Compaction { .. } => "compaction",
            Self::Prune { .. } => "prune",
            Self::ModeChanged { .. } => "mode_changed",
            Self::ModelChanged { .. } => "model_changed",
            Self::TodoChanged { .. } => "todo_changed",
            Self::ToolsRevealed { .. } => "tools_revealed",
            Self::RuleAdded { .. } => "rule_added",
            Self::QueueChanged { .. } => "queue_changed",
            Self::ShellState { .. } => "shell_state",
            Self::TitleChanged { .. } => "title_changed",
            Self::Warning { .. } => "warning",
            Self::Rewound { .. } => "rewound",
            Self::RewindUndone { .. } => "rewind_undone",
            Self::ForkedFrom { .. } => "forked_from",
            Self::Recovered { .. } => "recovered",
        }
    }
}

/// A fact with its place and time, as the store gives it back.
#[derive(Debug, Clone, PartialEq)]
pub struct LogRow {
    /// Counts from 1 in its session, without gaps.
    pub seq: u64,
    /// Milliseconds since 1970, UTC. Order never depends on it.
    pub ts: i64,
    /// Turn it belongs to; 0 before the first.
    pub turn: u32,
    /// The fact; `None` for a kind of a newer version.
    pub event: Option<LogEvent>,
}

/// One part of the fixed prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemPart {
    /// `rules`, `tools`, `environment` or the path of an instruction file.
    pub source: String,
    /// The text.
    pub text: String,
}

/// A change of one file that landed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct FileVersion {
    /// Canonical path.
    pub path: String,
    /// `edit`, `write`, `undo` …
    pub change: FileChange,
    /// SHA-256 of the bytes before; absent if the file did not exist.
    pub before_hash: Option<String>,
    /// SHA-256 of the bytes the model proposed.
    pub proposed_hash: Option<String>,
    /// SHA-256 of the bytes after; absent if the file was deleted.
    pub after_hash: Option<String>,
    /// Permission bits kept.
    pub mode: Option<u32>,
    /// Written in place instead of by exchange.
    pub in_place: bool,
    /// The counts.
    pub stat: DiffStat,
    /// How the lines after come from the lines before: runs of lines that were kept (`=`), dropped by the model (`-`)
    /// or by the person (`~`), and that are new and the model's (`a`) or the person's (`h`), such as `=12-1a2=40`.
    /// Absent where nobody proposed the change.
    #[serde(default)]
    pub owners: Option<String>,
}

/// What made a version of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FileChange {
    /// The edit tool.
    Edit,
    /// The write tool.
    Write,
    /// The notebook tool.
    Notebook,
    /// A patch.
    Patch,
    /// An undo.
    Undo,
    /// A redo.
    Redo,
    /// Another program wrote to the displaced file.
    LateWrite,
    /// Another program changed it.
    External,
}

/// What one step did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct StepSummary {
    /// Step of the turn, from 1.
    pub step: u32,
    /// Its last request.
    pub request: u64,
    /// Why the model stopped.
    pub stop: StopReason,
    /// Tokens, if reported.
    pub usage: Option<Usage>,
    /// Millionths of the currency, if a price is known.
    pub cost_micros: Option<u64>,
    /// Its calls.
    pub calls: Vec<StepCall>,
    /// Requests that failed before it.
    pub retries: u32,
}

/// One call of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct StepCall {
    /// Which call.
    pub call_id: CallId,
    /// The tool.
    pub name: String,
    /// Its kind, if the tool is known.
    pub kind: Option<ToolKind>,
    /// How it ended.
    pub status: CallStatus,
    /// How long it ran.
    pub ms: u64,
}
