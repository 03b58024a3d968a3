//! The person stops the turn.
//!
//! Invariant: nothing starts after this point, every call gets its result before the turn ends, and what was said but
//! not sent goes back to the composer.

use crate::machine::answer::{Answer, KeepCalls};
use crate::machine::calls::{self, CallState, Calls, Progress, is_running};
use crate::machine::effect::{CancelHow, Effect};
use crate::machine::outbox::Ctx;
use crate::machine::state::{Ending, Stage};
use crate::machine::{compaction, message, queue, results, texts, turn};
use protocol::confirmation::{Resolution, Verdict};
use protocol::log::LogEvent;
use protocol::session::Outcome;
use protocol::tool_call::CallStatus;

/// The person stops the turn.
pub(crate) fn cancel(ctx: &mut Ctx<'_>) {
    match ctx.leave() {
        Stage::Idle => ctx.stale(),
        Stage::Answering(answer) => stop_answer(ctx, *answer),
        Stage::Backoff { timer } => {
            ctx.effect(Effect::DropTimer { id: timer });
            end(ctx);
        }
        Stage::Compacting(compaction) => {
            compaction::abort(ctx, &compaction);
            if ctx.state.turn.is_some() {
                end(ctx);
            } else {
                ctx.enter(Stage::Idle);
                queue::give_back(ctx);
            }
        }
        Stage::Calls(calls) => stop_calls(ctx, calls),
        Stage::Stopping(calls) => {
            force(ctx, &calls);
            ctx.state.stage = Stage::Stopping(calls);
        }
    }
}

fn end(ctx: &mut Ctx<'_>) {
    turn::end(
        ctx,
        Ending {
            outcome: Outcome::Cancelled,
            message: None,
        },
    );
}

fn stop_answer(ctx: &mut Ctx<'_>, answer: Answer) {
    ctx.effect(Effect::AbortRequest {
        request: answer.request(),
    });
    let kept = message::keep_half(ctx, answer, KeepCalls::Whole);
    let mut calls = Calls::new(kept);
    for call in &mut calls.list {
        call.finish(cancelled());
    }
    results::record_ready(ctx, &mut calls);
    end(ctx);
}

fn stop_calls(ctx: &mut Ctx<'_>, mut calls: Box<Calls>) {
    for call in &mut calls.list {
        stop_call(ctx, call);
    }
    let waits = calls.any(is_running);
    ctx.state.stage = Stage::Stopping(calls);
    if waits {
        ctx.show_phase();
    }
    calls::settle_stop(ctx);
}

fn stop_call(ctx: &mut Ctx<'_>, call: &mut CallState) {
    let call_id = call.call.call_id.clone();
    match &call.progress {
        Progress::Done(_) | Progress::Recorded => {}
        Progress::Running => ctx.effect(Effect::CancelCall {
            call_id,
            how: CancelHow::Stop,
        }),
        Progress::Asking(_) => {
            let resolution = Resolution {
                verdict: Verdict::Closed,
                scope: None,
                rules: Vec::new(),
                words: None,
            };
            ctx.record(LogEvent::ApprovalResolved {
                call_id: call_id.clone(),
                resolution: resolution.clone(),
                stat: None,
                final_args: None,
            });
            calls::close_ask(ctx, &call_id, resolution);
            call.finish(cancelled());
        }
        Progress::Waiting
        | Progress::Checking
        | Progress::MustAsk(_)
        | Progress::MayPass(_)
        | Progress::Allowed => call.finish(cancelled()),
    }
}

/// The person is tired of waiting.
fn force(ctx: &mut Ctx<'_>, calls: &Calls) {
    for call in calls.list.iter().filter(|call| is_running(&call.progress)) {
        let call_id = call.call.call_id.clone();
        ctx.effect(Effect::CancelCall {
            call_id,
            how: CancelHow::Force,
        });
    }
}

fn cancelled() -> crate::machine::input::ToolOutcome {
    results::made(CallStatus::Cancelled, texts::CANCELLED.to_owned())
}
