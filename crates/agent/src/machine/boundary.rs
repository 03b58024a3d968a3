//! Between two steps, in a fixed order: end, step limit, context, what the person said meanwhile, next request.
//!
//! The same order holds for the first request of a turn, except that nothing said meanwhile is delivered before it.

use crate::machine::compaction::{self, Reason};
use crate::machine::outbox::Ctx;
use crate::machine::state::{Ending, Stage, Step};
use crate::machine::view::View;
use crate::machine::{queue, texts, turn};
use protocol::message::{Reminder, StopReason, ViewEntry};
use protocol::session::Outcome;
use protocol::todo::TodoStatus;

/// Steps without an update of the task list until the model is told.
const TODO_STALE_STEPS: u32 = 10;

/// The turn has begun.
pub(crate) fn first(ctx: &mut Ctx<'_>) {
    check_limits(ctx, View::used_before_turn);
}

/// A step is complete.
pub(crate) fn arrive(ctx: &mut Ctx<'_>) {
    note_failures(ctx);
    turn::close_step(ctx);
    ctx.turn().step = Step::default();
    check_limits(ctx, View::used_tokens);
}

/// The turn shall end at the next boundary; the first reason stands.
pub(crate) fn end_soon(ctx: &mut Ctx<'_>, outcome: Outcome, message: &str) {
    let ending = Ending {
        outcome,
        message: Some(message.to_owned()),
    };
    ctx.turn().ending.get_or_insert(ending);
}

/// Three steps whose every call failed with the same words are a loop.
fn note_failures(ctx: &mut Ctx<'_>) {
    let turn = ctx.turn();
    let failures = std::mem::take(&mut turn.step.failures);
    let Some((first, rest)) = failures.split_first() else {
        return;
    };
    let alike = first.filter(|_| rest.iter().all(|failure| failure == first));
    if turn.guard.end_step(alike) == crate::machine::guard::Admission::Halt {
        end_soon(
            ctx,
            Outcome::LoopDetected,
            "Every call of three steps in a row failed in the same way.",
        );
    }
}

fn check_limits(ctx: &mut Ctx<'_>, used: fn(&View, u64) -> u64) {
    let limit = ctx.state.config.max_steps;
    if let Some(ending) = ctx.turn().ending.take() {
        return turn::end(ctx, ending);
    }
    if ctx.turn().steps >= limit {
        let message = format!("The turn took {limit} steps. Continue gives it as many again.");
        return turn::end(
            ctx,
            Ending {
                outcome: Outcome::MaxSteps,
                message: Some(message),
            },
        );
    }
    check_context(ctx, used);
}

/// What the person has just said does not count towards the automatic limit, because no summary may replace it; it
/// does count towards the hard one.
fn check_context(ctx: &mut Ctx<'_>, used: fn(&View, u64) -> u64) {
    let limits = ctx.state.config.context;
    if std::mem::take(&mut ctx.turn().overflowed) {
        compaction::prune(ctx, compaction::WorthIt::Always);
        return compaction::begin(ctx, Reason::Overflow);
    }
    let overhead = ctx.state.config.overhead_tokens;
    let reaches = |ctx: &Ctx<'_>, used: fn(&View, u64) -> u64, limit: Option<u64>| {
        limit.is_some_and(|limit| used(&ctx.state.facts.view, overhead) >= limit)
    };
    if reaches(ctx, used, limits.auto_at) {
        compaction::prune(ctx, compaction::WorthIt::IfMuch);
    }
    let wanted = reaches(ctx, used, limits.auto_at) && !compaction::gave_up(ctx);
    if wanted || reaches(ctx, View::used_tokens, limits.hard_at) {
        return compaction::begin(ctx, Reason::Auto);
    }
    next_step(ctx);
}

/// The context is small enough: deliver what waits and send.
pub(crate) fn next_step(ctx: &mut Ctx<'_>) {
    // A paused answer goes back as it is, with nothing behind it.
    if !ends_with_pause(ctx) {
        let reminders = due_reminders(ctx);
        if !reminders.is_empty() {
            turn::remind(ctx, reminders);
        }
        if ctx.turn().steps > 0 {
            queue::deliver(ctx);
        }
    }
    ctx.turn().steps += 1;
    turn::send(ctx);
}

/// The context could not be made smaller: on, unless nothing more fits.
pub(crate) fn still_large(ctx: &mut Ctx<'_>) {
    let hard = ctx.state.config.context.hard_at;
    if hard.is_some_and(|hard| ctx.state.used_tokens() >= hard) {
        let message =
            "The conversation fills the model's window and could not be made smaller.".to_owned();
        turn::end(
            ctx,
            Ending {
                outcome: Outcome::ContextFull,
                message: Some(message),
            },
        );
    } else {
        next_step(ctx);
    }
}

fn ends_with_pause(ctx: &Ctx<'_>) -> bool {
    let last = ctx.state.view().last();
    last.is_some_and(|entry| {
        matches!(
            &**entry,
            ViewEntry::Assistant {
                stop: StopReason::Pause,
                ..
            }
        )
    })
}

fn due_reminders(ctx: &mut Ctx<'_>) -> Vec<Reminder> {
    let mut due = turn::news_of_shells(ctx);
    let facts = &ctx.state.facts;
    due.extend(texts::files_put_back(&facts.put_back));
    let has_open_items = facts
        .todos
        .iter()
        .any(|todo| todo.status != TodoStatus::Completed);
    if has_open_items && facts.todo_age >= TODO_STALE_STEPS {
        due.push(texts::todo_stale());
    }
    due
}

/// Whether the machine does nothing.
pub(crate) fn is_idle(ctx: &Ctx<'_>) -> bool {
    matches!(ctx.state.stage, Stage::Idle)
}
