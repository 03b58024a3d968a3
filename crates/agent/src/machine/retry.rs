//! What happens to a request that failed or brought nothing.
//!
//! Invariant: the retries of a step are counted, whatever they were for, so a step has a largest number of requests.

use crate::machine::answer::{Answer, KeepCalls};
use crate::machine::compaction::{self, Reason};
use crate::machine::effect::{Effect, Jitter};
use crate::machine::message;
use crate::machine::outbox::Ctx;
use crate::machine::state::{Ending, Stage};
use crate::machine::turn;
use llm::{Failure, FailureKind};
use protocol::event::SessionEvent;
use protocol::log::LogEvent;
use protocol::session::Outcome;

/// The longest wait a server may ask for; beyond it the person is told instead.
const MAX_RETRY_AFTER_MS: u64 = 5 * 60 * 1_000;
/// The first wait of our own; it doubles with each try.
const FIRST_DELAY_MS: u64 = 1_000;
/// The longest wait of our own.
const MAX_DELAY_MS: u64 = 30_000;
/// Wait before an empty answer is asked for again.
const EMPTY_DELAY_MS: u64 = 1_000;
/// Milliseconds of a minute.
const MINUTE_MS: u64 = 60_000;

/// A request failed.
pub(crate) fn failed(ctx: &mut Ctx<'_>, answer: Answer, failure: Failure) {
    if matches!(
        failure.kind,
        FailureKind::ContextOverflow | FailureKind::RequestTooLarge
    ) {
        return too_long(ctx, answer, failure);
    }
    let visible = answer.is_visible();
    let too_late = failure
        .retry_after_ms
        .is_some_and(|wait| wait > MAX_RETRY_AFTER_MS);
    let (retries, content_retries) = (
        ctx.state.config.max_retries,
        ctx.state.config.content_retries,
    );
    let step = &ctx.turn().step;
    let spent = step.retries >= retries || (visible && step.content_retries >= content_retries);
    if !failure.retryable || too_late || spent {
        return give_up(ctx, answer, failure);
    }
    let own = FIRST_DELAY_MS
        .saturating_mul(1 << step.retries.min(u64::BITS / 2))
        .min(MAX_DELAY_MS);
    let (delay, jitter) = match failure.retry_after_ms {
        Some(wanted) => (wanted, Jitter::RetryAfter),
        None => (own, Jitter::Backoff),
    };
    discard(ctx, &answer, failure.kind, delay);
    let step = &mut ctx.turn().step;
    step.retries += 1;
    step.content_retries += u32::from(visible);
    wait(
        ctx,
        Wait {
            delay,
            jitter,
            kind: failure.kind.as_str(),
            message: failure.message,
            of: retries,
        },
    );
}

/// An answer without words and calls.
pub(crate) fn empty(ctx: &mut Ctx<'_>, request: u64, shown: bool) {
    const KIND: &str = "empty_response";
    let message = "The model answered with nothing.".to_owned();
    if shown {
        ctx.ui(SessionEvent::AttemptDiscarded {
            request,
            error_kind: KIND.to_owned(),
        });
    }
    let of = ctx.state.config.empty_retries;
    let step = &mut ctx.turn().step;
    if step.empty_retries >= of {
        let outcome = Outcome::Error(KIND.to_owned());
        return turn::end(
            ctx,
            Ending {
                outcome,
                message: Some(message),
            },
        );
    }
    step.empty_retries += 1;
    wait(
        ctx,
        Wait {
            delay: EMPTY_DELAY_MS,
            jitter: Jitter::Backoff,
            kind: KIND,
            message,
            of,
        },
    );
}

/// A timer ran out.
pub(crate) fn timer(ctx: &mut Ctx<'_>, id: u64) {
    match ctx.state.stage {
        Stage::Backoff { timer } if timer == id => turn::send(ctx),
        Stage::Backoff { .. }
        | Stage::Idle
        | Stage::Answering(_)
        | Stage::Calls(_)
        | Stage::Compacting(_)
        | Stage::Stopping(_) => ctx.stale(),
    }
}

/// The person does not want to wait.
pub(crate) fn now(ctx: &mut Ctx<'_>) {
    match ctx.state.stage {
        Stage::Backoff { timer } => {
            ctx.effect(Effect::DropTimer { id: timer });
            turn::send(ctx);
        }
        Stage::Idle
        | Stage::Answering(_)
        | Stage::Calls(_)
        | Stage::Compacting(_)
        | Stage::Stopping(_) => ctx.stale(),
    }
}

/// The conversation could not be made smaller, and the provider does not take it as it is.
pub(crate) fn give_up_on_size(ctx: &mut Ctx<'_>) {
    let outcome = Outcome::Error(FailureKind::ContextOverflow.as_str().to_owned());
    let message = Some(
        "The conversation is too long for the model and could not be made smaller.".to_owned(),
    );
    turn::end(ctx, Ending { outcome, message });
}

/// The provider does not take so long a conversation: make it smaller once, then the same request again.
fn too_long(ctx: &mut Ctx<'_>, answer: Answer, failure: Failure) {
    if ctx.turn().step.compacted {
        return give_up(ctx, answer, failure);
    }
    ctx.turn().step.compacted = true;
    discard(ctx, &answer, failure.kind, 0);
    compaction::prune(ctx, compaction::WorthIt::Always);
    compaction::begin(ctx, Reason::Refused);
}

/// Takes back what was shown of an answer. Reasoning alone leaves no trace in the log.
fn discard(ctx: &mut Ctx<'_>, answer: &Answer, kind: FailureKind, delay_ms: u64) {
    let (request, error_kind) = (answer.request(), kind.as_str().to_owned());
    if answer.is_visible() {
        let text = answer.text();
        ctx.record(LogEvent::AttemptDiscarded {
            request,
            error_kind: error_kind.clone(),
            delay_ms,
            text,
        });
    }
    if !answer.blocks().is_empty() {
        ctx.ui(SessionEvent::AttemptDiscarded {
            request,
            error_kind,
        });
    }
}

fn give_up(ctx: &mut Ctx<'_>, answer: Answer, failure: Failure) {
    message::keep_half(ctx, answer, KeepCalls::None);
    let outcome = Outcome::Error(failure.kind.as_str().to_owned());
    let later = failure
        .retry_after_ms
        .filter(|wait| *wait > MAX_RETRY_AFTER_MS)
        .map(|wait| format!(" Try again in {} min.", wait.div_ceil(MINUTE_MS)))
        .unwrap_or_default();
    let message = Some(format!("{}{later}", failure.message));
    turn::end(ctx, Ending { outcome, message });
}

/// One wait.
struct Wait {
    delay: u64,
    jitter: Jitter,
    kind: &'static str,
    message: String,
    of: u32,
}

fn wait(ctx: &mut Ctx<'_>, wait: Wait) {
    ctx.state.timers += 1;
    let timer = ctx.state.timers;
    let attempt = ctx.turn().step.attempts;
    let until = ctx.timestamp(wait.delay);
    ctx.effect(Effect::StartTimer {
        id: timer,
        ms: wait.delay,
        jitter: wait.jitter,
    });
    ctx.enter(Stage::Backoff { timer });
    ctx.ui(SessionEvent::RetryWait {
        until,
        error_kind: wait.kind.to_owned(),
        message: wait.message,
        attempt,
        of: wait.of + 1,
    });
}
