//! From the end of a call to the facts about it.
//!
//! Results are recorded in model order: one that is ready early waits for those before it. Invariant: each call is
//! recorded exactly once, and everything its result changes (files, task list, mode, declared tools) is recorded with
//! it.

use crate::machine::calls::{CallState, Calls, Progress};
use crate::machine::guard::{Admission, content_hash};
use crate::machine::input::ToolOutcome;
use crate::machine::outbox::Ctx;
use crate::machine::{boundary, texts};
use protocol::log::{LogEvent, StepCall};
use protocol::message::Part;
use protocol::session::Outcome;
use protocol::tool_call::{CallStatus, ToolFailure};

/// A result that the loop makes itself.
pub(crate) fn made(status: CallStatus, text: String) -> ToolOutcome {
    ToolOutcome {
        status,
        ..ToolOutcome::text(text, 0)
    }
}

/// The tool's own checks failed.
pub(crate) fn failed(failure: ToolFailure, content: Vec<Part>) -> ToolOutcome {
    let content = if content.is_empty() {
        vec![texts::part(failure.message.clone())]
    } else {
        content
    };
    ToolOutcome {
        status: CallStatus::Error,
        failure: Some(failure),
        content,
        ..ToolOutcome::text("", 0)
    }
}

/// Puts in what the driver leaves to the loop: why a call was stopped, and the words for that.
pub(crate) fn with_fixed_text(mut outcome: ToolOutcome, why: CallStatus) -> ToolOutcome {
    if matches!(
        outcome.status,
        CallStatus::CancelledRunning | CallStatus::Killed
    ) {
        outcome.status = why;
    }
    if outcome.content.is_empty() {
        let (ms, tail) = (outcome.ms, outcome.tail.as_deref());
        let text = match outcome.status {
            CallStatus::Timeout => texts::timed_out(ms, tail),
            CallStatus::CancelledRunning => texts::cancelled_running(ms, tail),
            CallStatus::Killed => texts::killed(ms, tail),
            CallStatus::Ok
            | CallStatus::Error
            | CallStatus::Invalid
            | CallStatus::UnknownTool
            | CallStatus::Denied
            | CallStatus::Skipped
            | CallStatus::Blocked
            | CallStatus::Cancelled
            | CallStatus::Lost
            | CallStatus::NotRun => return outcome,
        };
        outcome.content.push(texts::part(text));
    }
    outcome
}

/// Records every result that no earlier call holds back.
pub(crate) fn record_ready(ctx: &mut Ctx<'_>, calls: &mut Calls) {
    while let Some(call) = calls.list.get_mut(calls.recorded) {
        match std::mem::replace(&mut call.progress, Progress::Recorded) {
            Progress::Done(outcome) => record(ctx, call, *outcome),
            open => {
                call.progress = open;
                return;
            }
        }
        calls.recorded += 1;
    }
}

fn record(ctx: &mut Ctx<'_>, call: &CallState, outcome: ToolOutcome) {
    let hash = outcome
        .full_hash
        .unwrap_or_else(|| content_hash(&outcome.content));
    let hint = if was_kept_away(outcome.status) {
        None
    } else {
        note(ctx, call, hash)
    };
    let call_id = call.call.call_id.clone();
    let step = &mut ctx.turn().step;
    step.failures
        .push(counts_as_failure(outcome.status).then_some(hash));
    step.calls.push(StepCall {
        call_id: call_id.clone(),
        name: call.call.name.clone(),
        kind: call.kind,
        status: outcome.status,
        ms: outcome.ms,
    });
    if !outcome.file_versions.is_empty() {
        let rows = outcome.file_versions;
        ctx.record(LogEvent::FileVersions {
            call_id: call_id.clone(),
            rows,
            takes_back: Vec::new(),
            brings_back: Vec::new(),
        });
    }
    if let Some(todos) = outcome.todos {
        ctx.record(LogEvent::TodoChanged { todos });
    }
    if let Some(mode) = outcome.mode {
        crate::machine::turn::set_mode(ctx, mode);
    }
    if !outcome.revealed.is_empty() {
        ctx.record(LogEvent::ToolsRevealed {
            names: outcome.revealed,
        });
    }
    ctx.record(LogEvent::ToolResult {
        call_id,
        status: outcome.status,
        content: outcome.content,
        is_error: outcome.status != CallStatus::Ok,
        ms: outcome.ms,
        failure: outcome.failure,
        display: outcome.display,
        edited: outcome.edited || call.edited,
        hint,
    });
}

/// Tells the loop guard; the words for the model, if it has to be told something.
fn note(ctx: &mut Ctx<'_>, call: &CallState, hash: u64) -> Option<String> {
    let key = call.key?;
    let state = &mut *ctx.state;
    let noted = state.turn.as_mut()?.guard.note(key, hash, &state.config);
    if noted.admission == Admission::Halt {
        boundary::end_soon(
            ctx,
            Outcome::LoopDetected,
            "The same call brought the same result too often.",
        );
    }
    noted.hint.map(texts::repeated)
}

/// Whether the call did not come to its end, so that its result says nothing about it.
fn was_kept_away(status: CallStatus) -> bool {
    match status {
        CallStatus::Skipped | CallStatus::Cancelled | CallStatus::NotRun => true,
        CallStatus::Ok
        | CallStatus::Error
        | CallStatus::Invalid
        | CallStatus::UnknownTool
        | CallStatus::Denied
        | CallStatus::Blocked
        | CallStatus::CancelledRunning
        | CallStatus::Killed
        | CallStatus::Timeout
        | CallStatus::Lost => false,
    }
}

/// Whether the model did something that does not work. What a person declined or stopped is no such thing.
fn counts_as_failure(status: CallStatus) -> bool {
    match status {
        CallStatus::Error
        | CallStatus::Invalid
        | CallStatus::UnknownTool
        | CallStatus::Blocked
        | CallStatus::Timeout => true,
        CallStatus::Ok
        | CallStatus::Denied
        | CallStatus::Skipped
        | CallStatus::Cancelled
        | CallStatus::CancelledRunning
        | CallStatus::Killed
        | CallStatus::Lost
        | CallStatus::NotRun => false,
    }
}
