//! The calls of a session between their check and their end.
//!
//! A call that was checked waits here with everything that was prepared; running takes it out, so it runs once. A
//! call that panics ends alone. Whatever happens, each running call is reported exactly once.

use crate::driver::{BoxedInvocation, Driver, Report};
use crate::machine::{CancelHow, CheckVerdict, Input, LoopState, ToolOutcome};
use crate::permission::{Decision, Facts, decide};
use futures_util::FutureExt;
use protocol::confirmation::{Ask, AskState, Scope, ScopeOffer};
use protocol::ids::CallId;
use protocol::message::Part;
use protocol::tool_call::{CallArgs, CallStatus, ToolFailure, ToolKind};
use std::any::Any;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;
use tool_api::{
    BuildError, ExecContext, Invocation, QuestionBody, SessionRule, StopCause, ToolResult,
};

/// A cancelled call may tidy up for so long before it is dropped.
const CANCEL_GRACE: Duration = Duration::from_secs(5);

/// The calls by id.
#[derive(Default)]
pub(crate) struct Calls {
    slots: BTreeMap<CallId, Slot>,
}

enum Slot {
    /// Checks run.
    Preparing { cancel: CancellationToken },
    /// It may be asked about, or run.
    Prepared {
        invocation: BoxedInvocation,
        ask: Option<Box<Ask>>,
    },
    /// It runs.
    Running {
        cancel: CancellationToken,
        task: AbortHandle,
        started: u64,
    },
}

/// What preparing gave.
pub(crate) struct Prepared {
    call_id: CallId,
    kind: ToolKind,
    result: Result<BoxedInvocation, ToolFailure>,
}

impl Calls {
    pub(crate) fn has_open_asks(&self) -> bool {
        self.slots
            .values()
            .any(|slot| matches!(slot, Slot::Prepared { ask: Some(_), .. }))
    }

    /// Open questions as they now are, in model order.
    pub(crate) fn open_asks(&self, state: &LoopState) -> Vec<Ask> {
        let current = |call_id: &CallId| match self.slots.get(call_id) {
            Some(Slot::Prepared { ask: Some(ask), .. }) => Some((**ask).clone()),
            _ => None,
        };
        state
            .open_asks()
            .into_iter()
            .filter_map(|ask| current(&ask.call_id))
            .collect()
    }

    /// The invocation and the question of a call that waits for the person.
    pub(crate) fn asked(&mut self, call_id: &CallId) -> Option<(&mut BoxedInvocation, &mut Ask)> {
        match self.slots.get_mut(call_id)? {
            Slot::Prepared {
                invocation,
                ask: Some(ask),
            } => Some((invocation, ask)),
            Slot::Prepared { ask: None, .. } | Slot::Preparing { .. } | Slot::Running { .. } => {
                None
            }
        }
    }

    pub(crate) fn close_ask(&mut self, call_id: &CallId) {
        if let Some(Slot::Prepared { ask, .. }) = self.slots.get_mut(call_id) {
            *ask = None;
        }
    }

    pub(crate) fn drop_call(&mut self, call_id: &CallId) {
        if let Some(Slot::Preparing { cancel }) = self.slots.remove(call_id) {
            cancel.cancel();
        }
    }

    /// A running call reported; returns whether it was still running.
    pub(crate) fn finish(&mut self, call_id: &CallId) -> bool {
        if matches!(self.slots.get(call_id), Some(Slot::Running { .. })) {
            self.slots.remove(call_id);
            return true;
        }
        false
    }

    /// Ends a running call without waiting for it.
    pub(crate) fn kill(&mut self, call_id: &CallId, now: u64) -> Option<ToolOutcome> {
        let Some(Slot::Running {
            cancel,
            task,
            started,
        }) = self.slots.get(call_id)
        else {
            return None;
        };
        cancel.cancel();
        task.abort();
        let outcome = ToolOutcome::stopped("", now.saturating_sub(*started));
        self.slots.remove(call_id);
        Some(outcome)
    }

    pub(crate) fn abort_all(&mut self) {
        for slot in std::mem::take(&mut self.slots).into_values() {
            match slot {
                Slot::Running { cancel, task, .. } => {
                    cancel.cancel();
                    task.abort();
                }
                Slot::Preparing { cancel } => cancel.cancel(),
                Slot::Prepared { .. } => {}
            }
        }
    }
}

impl Driver {
    /// Begins to check a call. Returns the verdict where it is known at once.
    pub(crate) fn check(&mut self, call_id: CallId) -> Option<Input> {
        let (kind, mut invocation) = match self.build(&call_id)? {
            Ok(built) => built,
            Err(verdict) => return Some(Input::Checked { call_id, verdict }),
        };
        let cancel = CancellationToken::new();
        let ctx = self.context(&call_id, &cancel);
        self.calls
            .slots
            .insert(call_id.clone(), Slot::Preparing { cancel });
        let report_to = self.report_to.clone();
        tokio::spawn(async move {
            let prepared = AssertUnwindSafe(invocation.prepare(&ctx))
                .catch_unwind()
                .await;
            let result = match prepared {
                Ok(Ok(())) => Ok(invocation),
                Ok(Err(failure)) => Err(failure),
                Err(panic) => Err(panicked(&*panic)),
            };
            report(
                &report_to,
                Report::Prepared(Box::new(Prepared {
                    call_id,
                    kind,
                    result,
                })),
            );
        });
        None
    }

    /// The invocation of a call, or why there is none. `None` if there is no such call with usable arguments.
    fn build(&self, call_id: &CallId) -> Option<Result<(ToolKind, BoxedInvocation), CheckVerdict>> {
        let call = self.state.call(call_id)?;
        let CallArgs::Usable { value } = &call.args else {
            return None;
        };
        let registry = &self.deps.registry;
        let kind = registry
            .get(&call.name)
            .map_or(ToolKind::Other, |tool| tool.kind());
        Some(match registry.build(&call.name, value) {
            Ok((invocation, coerced)) => {
                if !coerced.is_empty() {
                    tracing::debug!(%call_id, count = coerced.len(), "arguments were coerced");
                }
                Ok((kind, invocation))
            }
            Err(BuildError::UnknownTool { nearest }) => Err(CheckVerdict::UnknownTool {
                nearest,
                hidden: false,
            }),
            Err(BuildError::Schema(error)) => Err(CheckVerdict::Invalid {
                message: error.message,
            }),
            Err(BuildError::Refused(failure)) => Err(CheckVerdict::Failed {
                failure,
                content: Vec::new(),
            }),
        })
    }

    /// Takes what preparing gave; decides who decides.
    pub(crate) fn prepared(&mut self, prepared: Prepared) -> Option<Input> {
        let Prepared {
            call_id,
            kind,
            result,
        } = prepared;
        if !matches!(self.calls.slots.get(&call_id), Some(Slot::Preparing { .. })) {
            return None;
        }
        let invocation = match result {
            Ok(invocation) => invocation,
            Err(failure) => {
                self.calls.slots.remove(&call_id);
                let verdict = CheckVerdict::Failed {
                    failure,
                    content: Vec::new(),
                };
                return Some(Input::Checked { call_id, verdict });
            }
        };
        let (verdict, ask) = self.judge(&call_id, kind, &*invocation);
        self.calls
            .slots
            .insert(call_id.clone(), Slot::Prepared { invocation, ask });
        Some(Input::Checked { call_id, verdict })
    }

    /// Whether a person decides, and what they are asked.
    fn judge(
        &self,
        call_id: &CallId,
        kind: ToolKind,
        invocation: &dyn Invocation,
    ) -> (CheckVerdict, Option<Box<Ask>>) {
        let question = invocation.question();
        let kind = invocation.kind().unwrap_or(kind);
        let rule = invocation.session_rule();
        let shell_id = invocation.shell_id();
        let decision = decide(&Facts {
            mode: self.state.mode(),
            kind,
            default: invocation.default_permission(),
            rule: rule.as_ref().map(|rule| rule.text.as_str()),
            rules: self.state.rules(),
            needs_user: invocation.needs_user(),
            confirm_required: !question.confirm_reasons.is_empty(),
        });
        match decision {
            Decision::Allow { because } => (
                CheckVerdict::Ready {
                    kind,
                    rule: because,
                    shell_id,
                },
                None,
            ),
            Decision::Ask => {
                let name = self.state.call(call_id).map(|call| call.name.clone());
                let ask = Box::new(ask(
                    call_id.clone(),
                    name.unwrap_or_default(),
                    question,
                    rule,
                ));
                (
                    CheckVerdict::Ask {
                        kind,
                        ask: ask.clone(),
                        shell_id,
                    },
                    Some(ask),
                )
            }
        }
    }

    /// Runs a prepared call. The end of one that was not prepared is known at once.
    pub(crate) fn run_call(&mut self, call_id: CallId) -> Option<Input> {
        let Some(Slot::Prepared { invocation, .. }) = self.calls.slots.remove(&call_id) else {
            tracing::error!(%call_id, "asked to run a call that was not prepared");
            let failure = ToolFailure {
                code: "EXECUTION_FAILED".to_owned(),
                reason: None,
                message: "the call was not prepared; send it again".to_owned(),
            };
            let outcome = Box::new(outcome(ToolResult::failed(failure), 0));
            return Some(Input::ToolDone { call_id, outcome });
        };
        let started = self.now();
        let cancel = CancellationToken::new();
        let ctx = self.context(&call_id, &cancel);
        let (report_to, now_ms, id) = (
            self.report_to.clone(),
            self.deps.now_ms.clone(),
            call_id.clone(),
        );
        let task = tokio::spawn(async move {
            let ended = AssertUnwindSafe(invocation.execute(ctx))
                .catch_unwind()
                .await;
            let ms = now_ms().saturating_sub(started);
            let outcome = match ended {
                Ok(result) => outcome(result, ms),
                Err(panic) => ToolOutcome::panicked(&panic_text(&*panic), ms),
            };
            report(
                &report_to,
                Report::Done {
                    call_id: id,
                    outcome: Box::new(outcome),
                },
            );
        });
        self.calls.slots.insert(
            call_id,
            Slot::Running {
                cancel,
                task: task.abort_handle(),
                started,
            },
        );
        None
    }

    /// Ends a running call; its report follows.
    pub(crate) fn cancel_call(&mut self, call_id: CallId, how: CancelHow) -> Option<Input> {
        match how {
            CancelHow::Force => {
                let outcome = Box::new(self.calls.kill(&call_id, self.now())?);
                Some(Input::ToolDone { call_id, outcome })
            }
            CancelHow::Kill | CancelHow::Stop => {
                if let Some(Slot::Running { cancel, .. }) = self.calls.slots.get(&call_id) {
                    cancel.cancel();
                    let report_to = self.report_to.clone();
                    tokio::spawn(async move {
                        tokio::time::sleep(CANCEL_GRACE).await;
                        report(&report_to, Report::GraceOver { call_id });
                    });
                }
                None
            }
        }
    }

    /// Looks whether a file under an open question changed.
    pub(crate) async fn look_for_stale(&mut self) {
        let mut changed = Vec::new();
        for slot in self.calls.slots.values_mut() {
            if let Slot::Prepared {
                invocation,
                ask: Some(ask),
            } = slot
                && ask.state == AskState::Open
                && invocation.is_stale()
            {
                ask.state = AskState::Stale;
                changed.push(ask.clone());
            }
        }
        for ask in changed {
            self.input(Input::AskChanged { ask }).await;
        }
    }

    fn context(&self, call_id: &CallId, cancel: &CancellationToken) -> ExecContext {
        ExecContext {
            session_id: self.deps.session_id.clone(),
            call_id: call_id.clone(),
            cancel: cancel.clone(),
        }
    }
}

fn ask(call_id: CallId, tool: String, question: QuestionBody, rule: Option<SessionRule>) -> Ask {
    // A question that a person must look at every time is not answered for later ones.
    let lasting = rule.filter(|_| question.confirm_reasons.is_empty());
    let offer = lasting.map(|rule| ScopeOffer {
        scope: Scope::Session,
        rules: vec![rule.text],
    });
    Ask {
        call_id,
        proposal_id: question.proposal_id,
        tool,
        preview: question.preview,
        scopes: offer.into_iter().collect(),
        warnings: question.warnings,
        confirm_reasons: question.confirm_reasons,
        modifiable: question.modifiable,
        state: AskState::Open,
    }
}

pub(crate) fn report(to: &tokio::sync::mpsc::UnboundedSender<Report>, report: Report) {
    if to.send(report).is_err() {
        tracing::debug!("a session ended before its task reported");
    }
}

fn outcome(result: ToolResult, ms: u64) -> ToolOutcome {
    let tail = result.joined_text();
    let status = match (&result.stopped, &result.failure) {
        (Some(StopCause::Cancelled), _) => CallStatus::CancelledRunning,
        (Some(StopCause::Timeout), _) => CallStatus::Timeout,
        (None, Some(_)) => CallStatus::Error,
        (None, None) => CallStatus::Ok,
    };
    // The loop has its own words for a call that the person stopped; a time limit is the tool's own.
    let content = match result.stopped {
        Some(StopCause::Cancelled) => Vec::new(),
        Some(StopCause::Timeout) | None => result.content,
    };
    ToolOutcome {
        status,
        content,
        failure: result.failure,
        display: result.display,
        tail: result.stopped.map(|_| tail),
        edited: result.edited,
        todos: result.todos,
        file_versions: result.files,
        ..ToolOutcome::text("", ms)
    }
}

fn panicked(panic: &(dyn Any + Send)) -> ToolFailure {
    ToolFailure {
        code: "UNHANDLED_EXCEPTION".to_owned(),
        reason: None,
        message: format!("The tool failed inside: {}", panic_text(panic)),
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "unknown reason".to_owned())
}

/// What a person's answers become, for a call that only asks.
pub(crate) fn answered(result: ToolResult) -> (Vec<Part>, protocol::tool_call::Display) {
    (result.content, result.display)
}
