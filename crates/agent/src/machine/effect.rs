//! Everything the machine wants done.
//!
//! Invariant: in the effects of one input, the facts ([`Effect::Persist`], at most one and always first) come before
//! whatever depends on them. The driver waits until they are durable before it goes on to the next effect.

use protocol::event::SessionEvent;
use protocol::ids::{CallId, ShellId};
use protocol::log::LogEvent;

/// One thing to do. What a check prepared for a call can be dropped once the call's `tool_result` is durable.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Make facts durable, in one transaction; then say so with [`Input::Persisted`](crate::machine::Input::Persisted).
    Persist {
        /// The facts, in order.
        events: Vec<LogEvent>,
    },
    /// Send the model view, as it now stands, to the model.
    StartRequest {
        /// Number of the request; its events carry it.
        request: u64,
        /// Step of the turn, from 1.
        step: u32,
        /// Try within the step, from 1.
        attempt: u32,
    },
    /// Close the connection of a request. Events that still come are ignored.
    AbortRequest {
        /// Which.
        request: u64,
    },
    /// Check a call: name, schema, the tool's own checks, permission.
    CheckCall {
        /// Which.
        call_id: CallId,
    },
    /// Run a checked call.
    RunCall {
        /// Which.
        call_id: CallId,
        /// The shell it runs in, for a command.
        shell_id: Option<ShellId>,
    },
    /// End a running call. A [`ToolDone`](crate::machine::Input::ToolDone) must follow in any case.
    CancelCall {
        /// Which.
        call_id: CallId,
        /// How patiently.
        how: CancelHow,
    },
    /// A question is open; its answer comes as [`Decision`](crate::machine::Input::Decision).
    Ask {
        /// Which call.
        call_id: CallId,
    },
    /// A question is closed; answers are refused from here on.
    CloseAsk {
        /// Which call.
        call_id: CallId,
    },
    /// Say when a time has passed.
    StartTimer {
        /// Which timer.
        id: u64,
        /// Milliseconds.
        ms: u64,
        /// By how much to miss it.
        jitter: Jitter,
    },
    /// Forget a timer.
    DropTimer {
        /// Which.
        id: u64,
    },
    /// Send a request beside the conversation.
    Side {
        /// Which.
        id: u64,
        /// What for.
        kind: SideKind,
    },
    /// Drop a side request.
    AbortSide {
        /// Which.
        id: u64,
    },
    /// Rebuild the state with [`LoopState::restore`](crate::machine::LoopState::restore) before the next input: the
    /// log now says something else about the past.
    Reload,
    /// Tell the windows what no fact tells them.
    Ui {
        /// What.
        event: SessionEvent,
    },
}

/// How patiently a running call is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelHow {
    /// The person ended this one call: cancel, at most five seconds, then kill.
    Kill,
    /// The turn is stopped: cancel, at most five seconds, then kill.
    Stop,
    /// The person is tired of waiting: kill now.
    Force,
}

/// By how much a timer misses its time, so that many clients do not come back at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jitter {
    /// Our own guess: up to a fifth earlier or later.
    Backoff,
    /// The server's wish: up to a tenth later, never earlier.
    RetryAfter,
}

/// What a side request is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SideKind {
    /// A summary of a range of the model view.
    Summary {
        /// Index of the first entry.
        from: usize,
        /// Index behind the last entry.
        to: usize,
        /// What the person wants the summary to look after.
        words: Option<String>,
        /// Output limit.
        max_tokens: u64,
    },
    /// A title for the session.
    Title {
        /// The first message.
        text: String,
    },
}
