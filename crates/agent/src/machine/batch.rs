//! One batch of calls after the other: checks, then questions, then runs.
//!
//! Neighbouring calls that change nothing share a batch; every other call has one of its own. A batch is made when it
//! is due, never earlier, so that a question shows the world as it then is. Invariants: a call is decided only after
//! every check of its batch, and runs only after every question of its batch.

use crate::machine::calls::{CallState, Calls, Progress};
use crate::machine::config::{PlanRule, Repeats};
use crate::machine::effect::Effect;
use crate::machine::guard::{Admission, CallKey};
use crate::machine::outbox::Ctx;
use crate::machine::state::Stage;
use crate::machine::{boundary, results, texts};
use crate::permission;
use protocol::confirmation::{Resolution, Verdict};
use protocol::event::SessionEvent;
use protocol::log::LogEvent;
use protocol::session::{Mode, Outcome};
use protocol::tool_call::{CallStatus, ToolKind};

/// Goes as far as it can without another input.
pub(crate) fn proceed(ctx: &mut Ctx<'_>) {
    let Stage::Calls(mut calls) = ctx.leave() else {
        return;
    };
    loop {
        if !calls
            .at_work()
            .iter()
            .any(|call| is_undecided(&call.progress))
        {
            decide_batch(ctx, &mut calls);
        }
        if !calls
            .at_work()
            .iter()
            .any(|call| is_undecided(&call.progress))
        {
            run_batch(ctx, &mut calls);
        }
        results::record_ready(ctx, &mut calls);
        if calls.at_work().iter().any(CallState::is_open) {
            ctx.state.stage = Stage::Calls(calls);
            return;
        }
        if calls.recorded == calls.list.len() {
            return boundary::arrive(ctx);
        }
        if ctx.turn().ending.is_some() {
            skip_open(&mut calls);
            calls.batch = calls.list.len()..calls.list.len();
        } else {
            next_batch(ctx, &mut calls);
        }
    }
}

/// Makes the next batch and asks for its checks.
fn next_batch(ctx: &mut Ctx<'_>, calls: &mut Calls) {
    let start = calls.batch.end;
    let limit = ctx.state.config.max_parallel.max(1);
    let concurrent = |call: &CallState| {
        ctx.state
            .config
            .tools
            .get(&call.call.name)
            .is_some_and(|tool| tool.kind.is_concurrent())
    };
    let run = calls
        .list
        .iter()
        .skip(start)
        .take(limit)
        .take_while(|call| concurrent(call))
        .count();
    calls.batch = start..(start + run.max(1)).min(calls.list.len());
    for call in calls.at_work() {
        call.kind = ctx
            .state
            .config
            .tools
            .get(&call.call.name)
            .map(|tool| tool.kind);
        match texts::unusable_arguments(&call.call.args) {
            Some(text) => call.finish(results::made(CallStatus::Invalid, text)),
            None => {
                call.progress = Progress::Checking;
                ctx.effect(Effect::CheckCall {
                    call_id: call.call.call_id.clone(),
                });
            }
        }
    }
}

/// Every check of the batch is in: skipped, plan mode, loop guard, permission, in this order and in model order.
fn decide_batch(ctx: &mut Ctx<'_>, calls: &mut Calls) {
    for index in calls.batch.clone() {
        let declined = calls.declined;
        let Some(call) = calls.list.get_mut(index) else {
            continue;
        };
        if !matches!(call.progress, Progress::MustAsk(_) | Progress::MayPass(_)) {
            continue;
        }
        let refusal = refusal(ctx, call, declined);
        if let Some((status, text)) = refusal {
            call.finish(results::made(status, text.to_owned()));
        } else if admit(ctx, call) == Admission::Halt {
            let message = "The same call was repeated too often.";
            boundary::end_soon(ctx, Outcome::LoopDetected, message);
            return skip_open(calls);
        }
    }
    for call in calls.at_work() {
        ask_or_allow(ctx, call);
    }
}

/// Why a checked call does not even come to the question.
fn refusal(ctx: &Ctx<'_>, call: &CallState, declined: bool) -> Option<(CallStatus, &'static str)> {
    let kind = call.kind.unwrap_or(ToolKind::Other);
    if declined && !kind.is_concurrent() {
        return Some((CallStatus::Skipped, texts::SKIPPED_AFTER_DENIAL));
    }
    let tool = ctx.state.config.tools.get(&call.call.name);
    let passes = permission::passes_in_plan_mode(kind)
        || tool.is_some_and(|tool| tool.in_plan_mode == PlanRule::Allowed);
    (ctx.state.facts.mode == Mode::Plan && !passes).then_some((CallStatus::Blocked, texts::BLOCKED))
}

fn admit(ctx: &mut Ctx<'_>, call: &mut CallState) -> Admission {
    let tools = &ctx.state.config.tools;
    let repeats = tools
        .get(&call.call.name)
        .map_or(Repeats::Calls, |tool| tool.repeats);
    let key = CallKey::of(&call.call, repeats);
    call.key = Some(key);
    let state = &mut *ctx.state;
    match &mut state.turn {
        Some(turn) => turn.guard.admit(key, &state.config),
        None => Admission::Go,
    }
}

fn ask_or_allow(ctx: &mut Ctx<'_>, call: &mut CallState) {
    let call_id = call.call.call_id.clone();
    match std::mem::replace(&mut call.progress, Progress::Allowed) {
        Progress::MustAsk(ask) => {
            ctx.record(LogEvent::ApprovalRequested { ask: ask.clone() });
            ctx.effect(Effect::Ask { call_id });
            ctx.ui(SessionEvent::AskOpened { ask: ask.clone() });
            call.progress = Progress::Asking(ask);
        }
        Progress::MayPass(Some(rule)) => {
            let resolution = Resolution {
                verdict: Verdict::Automatic,
                scope: None,
                rules: vec![rule],
                words: None,
            };
            ctx.record(LogEvent::ApprovalResolved {
                call_id,
                resolution,
                stat: None,
                final_args: None,
            });
        }
        Progress::MayPass(None) => {}
        other => call.progress = other,
    }
}

/// Every question of the batch is answered: what may run, runs.
fn run_batch(ctx: &mut Ctx<'_>, calls: &mut Calls) {
    for call in calls
        .at_work()
        .iter_mut()
        .filter(|call| call.progress == Progress::Allowed)
    {
        let (call_id, shell_id) = (call.call.call_id.clone(), call.shell_id.clone());
        call.progress = Progress::Running;
        ctx.record(LogEvent::ToolStarted {
            call_id: call_id.clone(),
            shell_id: shell_id.clone(),
        });
        ctx.effect(Effect::RunCall { call_id, shell_id });
    }
}

/// The turn runs in circles: whatever has not started will not.
fn skip_open(calls: &mut Calls) {
    for call in calls.list.iter_mut().filter(|call| call.is_open()) {
        call.finish(results::made(
            CallStatus::Skipped,
            texts::SKIPPED_REPEATED.to_owned(),
        ));
    }
}

fn is_undecided(progress: &Progress) -> bool {
    matches!(progress, Progress::Checking | Progress::Asking(_))
}
