//! Everything that can happen to a session, as the machine hears it.
//!
//! An input that does not fit what the machine is doing is ignored and counted; it is never an error. Deliberately
//! absent: anything the machine could find out only by looking (files, clocks, chance).

use crate::machine::config::{ContextLimits, ToolFacts};
use llm::{Failure, ProviderEvent};
use protocol::confirmation::{Ask, Resolution};
use protocol::diff::DiffStat;
use protocol::ids::{CallId, ShellId};
use protocol::log::{FileVersion, LogEvent};
use protocol::message::{ImageRef, Origin, Part, Reminder};
use protocol::session::{Delivery, Mode};
use protocol::shell::ShellState;
use protocol::todo::Todo;
use protocol::tool_call::{CallStatus, Display, ToolFailure, ToolKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// The person said something.
    User {
        /// The text.
        text: String,
        /// Pictures.
        images: Vec<ImageRef>,
        /// When it is delivered, if a turn runs.
        delivery: Delivery,
    },
    /// Go on without a message.
    Continue,
    /// Send what waits.
    SendQueued,
    /// Take a waiting message out.
    Unqueue {
        /// Which.
        id: u64,
    },
    /// Change a waiting message.
    EditQueued {
        /// Which.
        id: u64,
        /// Its new text.
        text: String,
    },
    /// Stop the turn; a second time: at once.
    Cancel,
    /// End one running call; the turn goes on.
    KillCall {
        /// Which.
        call_id: CallId,
    },
    /// Do not wait for the next try.
    RetryNow,
    /// The person answered a question. The driver has checked the answer against the proposal.
    Decision {
        /// Which call.
        call_id: CallId,
        /// What was decided.
        decided: Box<Decided>,
    },
    /// An open question changed, such as by becoming stale.
    AskChanged {
        /// The question as it now is.
        ask: Box<Ask>,
    },
    /// The person chose a mode.
    SetMode {
        /// Which.
        mode: Mode,
    },
    /// The person chose a model; from the next request on.
    SetModel {
        /// Which.
        origin: Origin,
        /// What its window allows.
        context: ContextLimits,
    },
    /// The tools that are declared, all of them.
    SetTools {
        /// By name.
        tools: BTreeMap<String, ToolFacts>,
        /// Estimate of the system prompt and the declarations, in tokens.
        overhead_tokens: u64,
    },
    /// The person gave the session a title.
    Rename {
        /// The title.
        title: String,
    },
    /// A shell in the background changed its state.
    Shell(ShellChange),
    /// Make the conversation smaller now.
    CompactNow {
        /// What the summary should look after.
        words: Option<String>,
    },
    /// Take the conversation back to before a message of the person.
    RewindTo {
        /// Sequence number of that message.
        seq: u64,
    },
    /// Take a rewind back.
    UndoRewind {
        /// Sequence number of its fact.
        seq: u64,
    },
    /// The person put files back.
    FilesPutBack {
        /// What it is taken back by.
        call_id: CallId,
        /// The versions this made.
        rows: Vec<FileVersion>,
        /// Calls whose changes are no longer in the files.
        takes_back: Vec<CallId>,
        /// Calls whose changes are in the files again.
        brings_back: Vec<CallId>,
    },
    /// The provider said something.
    Provider {
        /// In answer to which request.
        request: u64,
        /// What.
        event: ProviderEvent,
    },
    /// A call was checked.
    Checked {
        /// Which.
        call_id: CallId,
        /// What came of it.
        verdict: CheckVerdict,
    },
    /// A call that ran has ended.
    ToolDone {
        /// Which.
        call_id: CallId,
        /// How.
        outcome: Box<ToolOutcome>,
    },
    /// A timer ran out.
    Timer {
        /// Which.
        id: u64,
    },
    /// A side request ended.
    SideDone {
        /// Which.
        id: u64,
        /// What came of it.
        result: SideResult,
    },
    /// The facts of the oldest [`Persist`](crate::machine::Effect::Persist) that was not confirmed yet are durable.
    Persisted {
        /// Their sequence numbers, in order.
        seqs: Vec<u64>,
    },
}

/// A shell in the background changed its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellChange {
    /// Which shell.
    pub shell_id: ShellId,
    /// Its command.
    pub command: String,
    /// Where it now stands.
    pub state: ShellState,
    /// Exit code, if it ended by itself.
    pub exit_code: Option<i32>,
    /// What the model is told of it, before the next request or with the person's next message.
    pub note: Option<Reminder>,
}

impl From<ShellChange> for LogEvent {
    fn from(change: ShellChange) -> Self {
        Self::ShellState {
            shell_id: change.shell_id,
            command: change.command,
            state: change.state.name().to_owned(),
            exit_code: change.exit_code,
            note: change.note,
        }
    }
}

/// What the person decided about one call.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// What happens to the call.
    pub action: DecidedAction,
    /// What is kept of the question.
    pub resolution: Resolution,
    /// Lines by the model and by the person, for a change of a file.
    pub stat: Option<DiffStat>,
    /// The arguments that will run, where they are not the model's.
    pub final_args: Option<Value>,
}

/// What happens to a call that was asked about.
#[derive(Debug, Clone, PartialEq)]
pub enum DecidedAction {
    /// It runs, as proposed or as changed by the person.
    Run,
    /// It does not run; the words are in the resolution.
    Deny,
    /// It can no longer run: what was shown is out of date. The failure is its result, and nothing after it is
    /// skipped, since nobody declined anything.
    Fail {
        /// Why; the model reads its message.
        failure: ToolFailure,
    },
    /// The answer is its result.
    Answer {
        /// What the model reads.
        content: Vec<Part>,
        /// What the window shows.
        display: Display,
    },
}

/// What the checks of a call found. The tool layer asks [`decide`](crate::permission::decide) before it says so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum CheckVerdict {
    /// No tool has this name.
    UnknownTool {
        /// A tool with a name close to it.
        nearest: Option<String>,
        /// The tool exists and can be revealed by `tool_search`.
        hidden: bool,
    },
    /// The arguments do not fit the schema.
    Invalid {
        /// JSON pointer and reason, such as `/file_path: expected string`.
        message: String,
    },
    /// The tool's own checks failed; nothing is asked.
    Failed {
        /// Why; the model reads its message.
        failure: ToolFailure,
        /// What the model reads instead of the message, where the tool gave more.
        content: Vec<Part>,
    },
    /// A person has to decide.
    Ask {
        /// What the call does to the world.
        kind: ToolKind,
        /// The question, whole.
        ask: Box<Ask>,
        /// The shell it would run in, for a command.
        shell_id: Option<ShellId>,
    },
    /// It may run.
    Ready {
        /// What the call does to the world.
        kind: ToolKind,
        /// What let it pass where a person would have been asked otherwise: a rule or the mode.
        rule: Option<String>,
        /// The shell it will run in, for a command.
        shell_id: Option<ShellId>,
    },
}

/// How a call that ran has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolOutcome {
    /// `ok`, `error`, `timeout`, or `cancelled_running` for one that was stopped (the machine knows why).
    pub status: CallStatus,
    /// What the model reads. Empty for one that was stopped: the machine has the fixed texts.
    pub content: Vec<Part>,
    /// Why it failed.
    pub failure: Option<ToolFailure>,
    /// What the window shows.
    pub display: Display,
    /// How long it ran.
    pub ms: u64,
    /// Its last output, for one that was stopped.
    pub tail: Option<String>,
    /// The person changed the proposal first.
    pub edited: bool,
    /// Hash of the whole result, where `content` is only a part of it.
    pub full_hash: Option<u64>,
    /// The task list, if it changed.
    pub todos: Option<Vec<Todo>>,
    /// The mode, if it changed.
    pub mode: Option<Mode>,
    /// Tools that are declared from the next request on.
    pub revealed: Vec<String>,
    /// Files that changed.
    pub file_versions: Vec<FileVersion>,
}

impl ToolOutcome {
    /// A success with this text.
    #[must_use]
    pub fn text(text: impl Into<String>, ms: u64) -> Self {
        Self {
            status: CallStatus::Ok,
            content: vec![Part::Text { text: text.into() }],
            failure: None,
            display: Display::None,
            ms,
            tail: None,
            edited: false,
            full_hash: None,
            todos: None,
            mode: None,
            revealed: Vec::new(),
            file_versions: Vec::new(),
        }
    }

    /// The task of the tool panicked.
    #[must_use]
    pub fn panicked(message: &str, ms: u64) -> Self {
        let failure = ToolFailure {
            code: "UNHANDLED_EXCEPTION".to_owned(),
            reason: None,
            message: crate::machine::texts::panicked(message),
        };
        Self {
            status: CallStatus::Error,
            failure: Some(failure.clone()),
            ..Self::text(failure.message, ms)
        }
    }

    /// It was ended by us before it was done.
    #[must_use]
    pub fn stopped(tail: impl Into<String>, ms: u64) -> Self {
        Self {
            status: CallStatus::CancelledRunning,
            content: Vec::new(),
            tail: Some(tail.into()),
            ..Self::text("", ms)
        }
    }
}

/// What came of a side request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "side", rename_all = "snake_case")]
pub enum SideResult {
    /// A text. Empty where the model made a call instead.
    Text {
        /// The text.
        text: String,
        /// What only the driver knows and a summary must carry: running shells, files read and edited.
        notes: Vec<String>,
    },
    /// Nothing.
    Failed {
        /// Why.
        failure: Failure,
    },
}
