//! What the machine remembers between two inputs.
//!
//! Invariants: the view and the facts below it are what [`restore`](LoopState::restore) would fold from the log; at
//! most one request is open; a turn exists exactly while the stage is not idle (a compaction by hand has none).

use crate::machine::answer::Answer;
use crate::machine::calls::Calls;
use crate::machine::compaction::Compaction;
use crate::machine::config::LoopConfig;
use crate::machine::guard::Guard;
use crate::machine::view::View;
use protocol::confirmation::Ask;
use protocol::event::LiveBlock;
use protocol::ids::{CallId, ShellId};
use protocol::log::StepCall;
use protocol::message::{Origin, Reminder, StopReason, Usage, ViewEntry};
use protocol::session::{Mode, Outcome, Phase, Queued, TitleSource};
use protocol::todo::Todo;
use protocol::tool_call::ToolCall;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// One session as the machine sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoopState {
    /// Limits and tool facts.
    pub config: LoopConfig,
    pub(crate) facts: Facts,
    pub(crate) stage: Stage,
    pub(crate) turn: Option<Turn>,
    pub(crate) emitted: u64,
    pub(crate) durable: u64,
    pub(crate) timers: u64,
    pub(crate) sides: u64,
    pub(crate) title_side: Option<u64>,
    pub(crate) rules: BTreeSet<String>,
    pub(crate) queue_held: bool,
    pub(crate) stale_inputs: u64,
}

/// What follows from the log alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Facts {
    pub(crate) view: View,
    pub(crate) mode: Mode,
    pub(crate) origin: Origin,
    pub(crate) queue: Vec<Queued>,
    pub(crate) next_queued: u64,
    pub(crate) todos: Vec<Todo>,
    /// Steps since the task list changed or the model was reminded of it.
    pub(crate) todo_age: u32,
    pub(crate) revealed: BTreeSet<String>,
    pub(crate) title: Option<TitleSource>,
    /// The newest turn was stopped by the person, who has said nothing since.
    pub(crate) interrupted: bool,
    /// Files that the person put back and the model has not been told of.
    #[serde(default)]
    pub(crate) put_back: BTreeSet<String>,
    /// Shells that ran when the program ended and the model has not been told of.
    #[serde(default)]
    pub(crate) lost_shells: BTreeSet<ShellId>,
    /// Shells in the background that the conversation knows.
    #[serde(default)]
    pub(crate) known_shells: BTreeSet<ShellId>,
    /// What the model is to be told of shells, and has not been.
    #[serde(default)]
    pub(crate) shell_notes: Vec<Reminder>,
    pub(crate) compaction_failures: u32,
    pub(crate) requests: u64,
    /// Every call id of the session, so that a provider that counts anew for each message cannot repeat one.
    pub(crate) call_ids: BTreeSet<CallId>,
}

/// What the machine is doing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Stage {
    /// Nothing.
    Idle,
    /// A request is open; its answer is empty until the first event.
    Answering(Box<Answer>),
    /// Waiting before the next try.
    Backoff {
        /// The timer that ends it.
        timer: u64,
    },
    /// Calls are checked, asked for or run.
    Calls(Box<Calls>),
    /// A summary is being made.
    Compacting(Box<Compaction>),
    /// The turn was stopped; calls that run are coming to an end.
    Stopping(Box<Calls>),
}

/// One turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Turn {
    pub(crate) steps: u32,
    pub(crate) continued: u32,
    pub(crate) pauses: u32,
    pub(crate) guard: Guard,
    pub(crate) step: Step,
    /// Set where the turn shall end at the next boundary.
    pub(crate) ending: Option<Ending>,
    /// The provider said that the window is full: no request before the conversation is smaller.
    pub(crate) overflowed: bool,
}

/// How a turn ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ending {
    pub(crate) outcome: Outcome,
    pub(crate) message: Option<String>,
}

/// One step of a turn: one model message, and every request it took.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Step {
    pub(crate) attempts: u32,
    pub(crate) retries: u32,
    pub(crate) content_retries: u32,
    pub(crate) empty_retries: u32,
    /// The conversation was made smaller because the provider refused its size.
    pub(crate) compacted: bool,
    /// The message it brought, until the step is complete.
    pub(crate) message: Option<StepMessage>,
    /// Its calls, until the step is complete.
    pub(crate) calls: Vec<StepCall>,
    /// Per call: a hash of what it failed with, if it failed.
    pub(crate) failures: Vec<Option<u64>>,
}

/// What a step's summary says of its message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StepMessage {
    pub(crate) request: u64,
    pub(crate) stop: StopReason,
    pub(crate) usage: Option<Usage>,
}

impl LoopState {
    /// A session in which nothing was said yet.
    #[must_use]
    pub fn new(config: LoopConfig, mode: Mode, origin: Origin) -> Self {
        Self::with_facts(config, Facts::new(mode, origin))
    }

    pub(crate) fn with_facts(config: LoopConfig, facts: Facts) -> Self {
        let queue_held = !facts.queue.is_empty();
        Self {
            config,
            facts,
            stage: Stage::Idle,
            turn: None,
            emitted: 0,
            durable: 0,
            timers: 0,
            sides: 0,
            title_side: None,
            rules: BTreeSet::new(),
            queue_held,
            stale_inputs: 0,
        }
    }

    /// What the next request sends, oldest first. Entries are shared and never rebuilt.
    #[must_use]
    pub fn view(&self) -> &[Arc<ViewEntry>] {
        self.facts.view.entries()
    }

    /// The mode.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.facts.mode
    }

    /// Provider and model of the next request.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.facts.origin
    }

    /// Messages that wait.
    #[must_use]
    pub fn queue(&self) -> &[Queued] {
        &self.facts.queue
    }

    /// The task list.
    #[must_use]
    pub fn todos(&self) -> &[Todo] {
        &self.facts.todos
    }

    /// Hidden tools that are declared by now.
    #[must_use]
    pub fn revealed(&self) -> &BTreeSet<String> {
        &self.facts.revealed
    }

    /// Rules that the person added in this run of the program.
    #[must_use]
    pub fn rules(&self) -> &BTreeSet<String> {
        &self.rules
    }

    /// Tokens the next request would take, as far as we know.
    #[must_use]
    pub fn used_tokens(&self) -> u64 {
        self.facts.view.used_tokens(self.config.overhead_tokens)
    }

    /// Estimate of the system prompt and the declarations, in tokens.
    #[must_use]
    pub fn overhead_tokens(&self) -> u64 {
        self.config.overhead_tokens
    }

    /// What the session is doing.
    #[must_use]
    pub fn phase(&self) -> Phase {
        match &self.stage {
            Stage::Idle => Phase::Idle,
            Stage::Answering(answer) if answer.has_begun() => Phase::Streaming,
            Stage::Answering(_) => Phase::Requesting,
            Stage::Backoff { .. } => Phase::Backoff,
            Stage::Calls(_) => Phase::Calls,
            Stage::Compacting(_) => Phase::Compacting,
            Stage::Stopping(_) => Phase::Stopping,
        }
    }

    /// The answer that is arriving.
    #[must_use]
    pub fn answer(&self) -> Option<&Answer> {
        match &self.stage {
            Stage::Answering(answer) => Some(answer),
            Stage::Idle
            | Stage::Backoff { .. }
            | Stage::Calls(_)
            | Stage::Compacting(_)
            | Stage::Stopping(_) => None,
        }
    }

    /// The blocks of the answer that is arriving, as the window shows them.
    #[must_use]
    pub fn partial_blocks(&self) -> Vec<LiveBlock> {
        self.answer().map(Answer::live_blocks).unwrap_or_default()
    }

    /// A call of the message at work.
    #[must_use]
    pub fn call(&self, call_id: &CallId) -> Option<&ToolCall> {
        match &self.stage {
            Stage::Calls(calls) | Stage::Stopping(calls) => calls
                .list
                .iter()
                .map(|state| &state.call)
                .find(|call| call.call_id == *call_id),
            Stage::Idle | Stage::Answering(_) | Stage::Backoff { .. } | Stage::Compacting(_) => {
                None
            }
        }
    }

    /// Open questions, in model order.
    #[must_use]
    pub fn open_asks(&self) -> Vec<&Ask> {
        match &self.stage {
            Stage::Calls(calls) => calls.open_asks(),
            Stage::Idle
            | Stage::Answering(_)
            | Stage::Backoff { .. }
            | Stage::Compacting(_)
            | Stage::Stopping(_) => Vec::new(),
        }
    }

    /// Inputs that did not fit and were ignored.
    #[must_use]
    pub fn stale_inputs(&self) -> u64 {
        self.stale_inputs
    }
}

impl Facts {
    /// What is known before the first fact.
    pub(crate) fn new(mode: Mode, origin: Origin) -> Self {
        Self {
            view: View::default(),
            mode,
            origin,
            queue: Vec::new(),
            next_queued: 1,
            todos: Vec::new(),
            todo_age: 0,
            revealed: BTreeSet::new(),
            title: None,
            interrupted: false,
            put_back: BTreeSet::new(),
            lost_shells: BTreeSet::new(),
            known_shells: BTreeSet::new(),
            shell_notes: Vec::new(),
            compaction_failures: 0,
            requests: 0,
            call_ids: BTreeSet::new(),
        }
    }
}
