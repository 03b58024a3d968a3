//! The calls of one message, and what the outside says about them.
//!
//! Invariants: an answer, a check or a result is taken once, and only by a call that waits for it; a call that was
//! declined holds back what was planned on top of it. How calls advance from batch to batch is in `batch`.

use crate::machine::effect::{CancelHow, Effect};
use crate::machine::guard::CallKey;
use crate::machine::input::{CheckVerdict, Decided, DecidedAction, ToolOutcome};
use crate::machine::outbox::Ctx;
use crate::machine::state::{Ending, Stage};
use crate::machine::{batch, results, texts, turn};
use protocol::confirmation::{Ask, Resolution, Scope, Verdict};
use protocol::event::SessionEvent;
use protocol::ids::{CallId, ShellId};
use protocol::log::LogEvent;
use protocol::session::Outcome;
use protocol::tool_call::{CallStatus, ToolCall, ToolKind};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The calls of one message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Calls {
    pub(crate) list: Vec<CallState>,
    pub(crate) batch: Range<usize>,
    /// Results before this index are in the log.
    pub(crate) recorded: usize,
    /// A call was declined: what was planned on top of it must not run by itself.
    pub(crate) declined: bool,
}

/// One call on its way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CallState {
    pub(crate) call: ToolCall,
    pub(crate) kind: Option<ToolKind>,
    pub(crate) progress: Progress,
    /// Set once the guard let it pass.
    pub(crate) key: Option<CallKey>,
    pub(crate) shell_id: Option<ShellId>,
    pub(crate) edited: bool,
    pub(crate) kill_wanted: bool,
}

/// How far a call is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Progress {
    /// Its batch is not due.
    Waiting,
    /// Its check is under way.
    Checking,
    /// It was checked and asks; other checks of its batch are still under way.
    MustAsk(Box<Ask>),
    /// It was checked and may pass, by this rule where there is one; other checks are still under way.
    MayPass(Option<String>),
    /// The person is asked.
    Asking(Box<Ask>),
    /// It may run; other questions of its batch are still open.
    Allowed,
    /// It runs.
    Running,
    /// It has its result.
    Done(Box<ToolOutcome>),
    /// Its result is in the log.
    Recorded,
}

impl Calls {
    pub(crate) fn new(calls: Vec<ToolCall>) -> Self {
        let list = calls
            .into_iter()
            .map(|call| CallState {
                call,
                kind: None,
                progress: Progress::Waiting,
                key: None,
                shell_id: None,
                edited: false,
                kill_wanted: false,
            })
            .collect();
        Self {
            list,
            batch: 0..0,
            recorded: 0,
            declined: false,
        }
    }

    pub(crate) fn open_asks(&self) -> Vec<&Ask> {
        self.list
            .iter()
            .filter_map(|call| match &call.progress {
                Progress::Asking(ask) => Some(&**ask),
                Progress::Waiting
                | Progress::Checking
                | Progress::MustAsk(_)
                | Progress::MayPass(_)
                | Progress::Allowed
                | Progress::Running
                | Progress::Done(_)
                | Progress::Recorded => None,
            })
            .collect()
    }

    pub(crate) fn find(&mut self, call_id: &CallId) -> Option<&mut CallState> {
        self.list
            .iter_mut()
            .find(|call| call.call.call_id == *call_id)
    }

    /// The calls of the batch at work.
    pub(crate) fn at_work(&mut self) -> &mut [CallState] {
        self.list.get_mut(self.batch.clone()).unwrap_or_default()
    }

    pub(crate) fn any(&self, test: fn(&Progress) -> bool) -> bool {
        self.list.iter().any(|call| test(&call.progress))
    }
}

impl CallState {
    pub(crate) fn finish(&mut self, outcome: ToolOutcome) {
        self.progress = Progress::Done(Box::new(outcome));
    }

    pub(crate) fn is_open(&self) -> bool {
        !matches!(self.progress, Progress::Done(_) | Progress::Recorded)
    }
}

pub(crate) fn is_running(progress: &Progress) -> bool {
    matches!(progress, Progress::Running)
}

/// The calls of a message that has ended.
pub(crate) fn begin(ctx: &mut Ctx<'_>, calls: Vec<ToolCall>) {
    ctx.enter(Stage::Calls(Box::new(Calls::new(calls))));
    batch::proceed(ctx);
}

/// A check came back.
pub(crate) fn checked(ctx: &mut Ctx<'_>, call_id: &CallId, verdict: CheckVerdict) {
    let Some(call) = current(ctx, call_id).filter(|call| call.progress == Progress::Checking)
    else {
        return ctx.stale();
    };
    match verdict {
        CheckVerdict::UnknownTool { nearest, hidden } => {
            let hidden = if hidden {
                texts::Hidden::Revealable
            } else {
                texts::Hidden::No
            };
            let text = texts::unknown_tool(&call.call.name, nearest.as_deref(), hidden);
            call.finish(results::made(CallStatus::UnknownTool, text));
        }
        CheckVerdict::Invalid { message } => {
            call.finish(results::made(
                CallStatus::Invalid,
                texts::broken_schema(&message),
            ));
        }
        CheckVerdict::Failed { failure, content } => call.finish(results::failed(failure, content)),
        CheckVerdict::Ask {
            kind,
            ask,
            shell_id,
        } => {
            (call.kind, call.shell_id) = (Some(kind), shell_id);
            call.progress = Progress::MustAsk(ask);
        }
        CheckVerdict::Ready {
            kind,
            rule,
            shell_id,
        } => {
            (call.kind, call.shell_id) = (Some(kind), shell_id);
            call.progress = Progress::MayPass(rule);
        }
    }
    batch::proceed(ctx);
}

/// The person answered.
pub(crate) fn decided(ctx: &mut Ctx<'_>, call_id: &CallId, decided: Decided) {
    let Some(call) =
        current(ctx, call_id).filter(|call| matches!(call.progress, Progress::Asking(_)))
    else {
        return ctx.stale();
    };
    let runs = decided.action == DecidedAction::Run;
    match decided.action {
        DecidedAction::Run => {
            call.edited = decided.resolution.verdict == Verdict::Edited;
            call.progress = Progress::Allowed;
        }
        DecidedAction::Deny => {
            let text = texts::denied(decided.resolution.words.as_deref());
            call.finish(results::made(CallStatus::Denied, text));
            if let Stage::Calls(calls) = &mut ctx.state.stage {
                calls.declined = true;
            }
        }
        DecidedAction::Fail { failure } => call.finish(results::failed(failure, Vec::new())),
        DecidedAction::Answer { content, display } => {
            call.finish(ToolOutcome {
                content,
                display,
                ..ToolOutcome::text("", 0)
            });
        }
    }
    ctx.record(LogEvent::ApprovalResolved {
        call_id: call_id.clone(),
        resolution: decided.resolution.clone(),
        stat: decided.stat,
        final_args: decided.final_args,
    });
    if runs && decided.resolution.scope == Some(Scope::Session) {
        add_rules(ctx, &decided.resolution.rules);
    }
    close_ask(ctx, call_id, decided.resolution);
    batch::proceed(ctx);
}

/// An open question changed.
pub(crate) fn ask_changed(ctx: &mut Ctx<'_>, ask: Box<Ask>) {
    match current(ctx, &ask.call_id).map(|call| &mut call.progress) {
        Some(Progress::Asking(open)) => {
            open.clone_from(&ask);
            ctx.ui(SessionEvent::AskChanged { ask });
        }
        Some(_) | None => ctx.stale(),
    }
}

/// The person ends one running call.
pub(crate) fn kill(ctx: &mut Ctx<'_>, call_id: CallId) {
    match current(ctx, &call_id) {
        Some(call) if is_running(&call.progress) => {
            call.kill_wanted = true;
            ctx.effect(Effect::CancelCall {
                call_id,
                how: CancelHow::Kill,
            });
        }
        Some(_) | None => ctx.stale(),
    }
}

/// A call that ran has ended.
pub(crate) fn done(ctx: &mut Ctx<'_>, call_id: &CallId, outcome: ToolOutcome) {
    let (calls, stopping) = match &mut ctx.state.stage {
        Stage::Calls(calls) => (calls, false),
        Stage::Stopping(calls) => (calls, true),
        Stage::Idle | Stage::Answering(_) | Stage::Backoff { .. } | Stage::Compacting(_) => {
            return ctx.stale();
        }
    };
    let Some(call) = calls
        .find(call_id)
        .filter(|call| is_running(&call.progress))
    else {
        return ctx.stale();
    };
    let why = if stopping && !call.kill_wanted {
        CallStatus::CancelledRunning
    } else {
        CallStatus::Killed
    };
    call.finish(results::with_fixed_text(outcome, why));
    if stopping {
        settle_stop(ctx)
    } else {
        batch::proceed(ctx)
    }
}

/// While stopping: the turn ends once nothing runs any more.
pub(crate) fn settle_stop(ctx: &mut Ctx<'_>) {
    let Stage::Stopping(mut calls) = ctx.leave() else {
        return;
    };
    results::record_ready(ctx, &mut calls);
    if calls.any(is_running) {
        ctx.state.stage = Stage::Stopping(calls);
        return;
    }
    turn::end(
        ctx,
        Ending {
            outcome: Outcome::Cancelled,
            message: None,
        },
    );
}

/// A question is no longer open.
pub(crate) fn close_ask(ctx: &mut Ctx<'_>, call_id: &CallId, resolution: Resolution) {
    ctx.effect(Effect::CloseAsk {
        call_id: call_id.clone(),
    });
    ctx.ui(SessionEvent::AskClosed {
        call_id: call_id.clone(),
        resolution,
    });
}

fn current<'a>(ctx: &'a mut Ctx<'_>, call_id: &CallId) -> Option<&'a mut CallState> {
    match &mut ctx.state.stage {
        Stage::Calls(calls) => calls.find(call_id),
        Stage::Idle
        | Stage::Answering(_)
        | Stage::Backoff { .. }
        | Stage::Compacting(_)
        | Stage::Stopping(_) => None,
    }
}

fn add_rules(ctx: &mut Ctx<'_>, rules: &[String]) {
    for rule in rules {
        if ctx.state.rules.insert(rule.clone()) {
            ctx.record(LogEvent::RuleAdded { rule: rule.clone() });
        }
    }
}
