//! From the events of a provider to a message, and from the end of a message to what follows.
//!
//! Invariant: no call is looked at before its message has ended. A broken stream can be asked for again at any time
//! because nothing has happened yet.

use crate::machine::answer::{Answer, Finished, KeepCalls, RunsInCircles, live_kind};
use crate::machine::effect::Effect;
use crate::machine::outbox::Ctx;
use crate::machine::state::{Ending, Stage, StepMessage};
use crate::machine::{boundary, calls, retry, texts, turn};
use llm::{BlockEnd, FailureKind, ProviderEvent, WarningCode};
use protocol::event::SessionEvent;
use protocol::ids::CallId;
use protocol::log::LogEvent;
use protocol::message::{Block, StopReason};
use protocol::session::Outcome;
use protocol::tool_call::ToolCall;
use serde_json::Value;
use std::collections::BTreeSet;

/// The provider said something in answer to a request.
pub(crate) fn provider(ctx: &mut Ctx<'_>, request: u64, event: ProviderEvent) {
    let Stage::Answering(answer) = &mut ctx.state.stage else {
        return ctx.stale();
    };
    if answer.request() != request {
        return ctx.stale();
    }
    if answer.begin() {
        ctx.show_phase();
    }
    match event {
        ProviderEvent::ResponseStart { .. } => {}
        ProviderEvent::BlockStart { .. }
        | ProviderEvent::BlockDelta { .. }
        | ProviderEvent::BlockStop { .. }
        | ProviderEvent::Usage { .. } => collect(ctx, event),
        ProviderEvent::Warning { code, .. } => note_warning(ctx, code),
        ProviderEvent::Stop {
            reason,
            raw,
            details,
        } => {
            if let Stage::Answering(answer) = ctx.leave() {
                ended(
                    ctx,
                    *answer,
                    End {
                        reason,
                        raw,
                        details,
                    },
                );
            }
        }
        ProviderEvent::Error(failure) => {
            if let Stage::Answering(answer) = ctx.leave() {
                retry::failed(ctx, *answer, failure);
            }
        }
    }
}

/// Adds what arrived to the answer.
fn collect(ctx: &mut Ctx<'_>, event: ProviderEvent) {
    let state = &mut *ctx.state;
    let Stage::Answering(answer) = &mut state.stage else {
        return;
    };
    let request = answer.request();
    let fits = match event {
        ProviderEvent::BlockStart {
            block, kind, name, ..
        } => {
            let fits = answer.open(block, kind, name);
            if fits {
                ctx.ui(SessionEvent::BlockStarted {
                    request,
                    block,
                    kind: live_kind(kind),
                });
            }
            fits
        }
        ProviderEvent::BlockDelta { block, delta } => match answer.grow(block, &delta) {
            None => false,
            Some(Ok(())) => {
                ctx.ui(SessionEvent::BlockDelta {
                    request,
                    block,
                    delta,
                });
                true
            }
            Some(Err(RunsInCircles)) => return runs_in_circles(ctx),
        },
        ProviderEvent::BlockStop { block, end } => {
            let end = with_unique_id(end, answer, &state.facts.call_ids);
            answer.close(block, end)
        }
        ProviderEvent::Usage { usage } => {
            answer.count(usage);
            true
        }
        ProviderEvent::ResponseStart { .. }
        | ProviderEvent::Warning { .. }
        | ProviderEvent::Stop { .. }
        | ProviderEvent::Error(_) => true,
    };
    if !fits {
        ctx.stale();
    }
}

/// Only this oddity is the person's business: the server lacks a tool parser, and calls will not work.
fn note_warning(ctx: &mut Ctx<'_>, code: WarningCode) {
    if code == WarningCode::ToolCallInText {
        let text = "The model wrote a tool call into its text. The server does not turn such text into calls."
            .to_owned();
        ctx.record(LogEvent::Warning {
            code: code.as_str().to_owned(),
            text,
            args: Vec::new(),
        });
    }
}

fn runs_in_circles(ctx: &mut Ctx<'_>) {
    let Stage::Answering(answer) = ctx.leave() else {
        return;
    };
    ctx.effect(Effect::AbortRequest {
        request: answer.request(),
    });
    keep_half(ctx, *answer, KeepCalls::None);
    let message = Some("The answer repeated itself.".to_owned());
    turn::end(
        ctx,
        Ending {
            outcome: Outcome::LoopDetected,
            message,
        },
    );
}

/// Keeps what an unfinished answer is worth. The calls it kept need results.
pub(crate) fn keep_half(ctx: &mut Ctx<'_>, answer: Answer, keep: KeepCalls) -> Vec<ToolCall> {
    let shown = !answer.blocks().is_empty();
    let half = answer.into_kept(keep);
    if !half.is_empty() {
        return store(ctx, half, StopReason::Interrupted, None);
    }
    if shown {
        let error_kind = FailureKind::Cancelled.as_str().to_owned();
        ctx.ui(SessionEvent::AttemptDiscarded {
            request: half.request,
            error_kind,
        });
    }
    Vec::new()
}

/// Records a message and its calls.
fn store(
    ctx: &mut Ctx<'_>,
    message: Finished,
    stop: StopReason,
    raw_stop: Option<String>,
) -> Vec<ToolCall> {
    let step = ctx.turn().steps;
    let Finished {
        request,
        origin,
        usage,
        blocks,
        calls,
    } = message;
    ctx.record(LogEvent::AssistantMessage {
        request,
        step,
        blocks,
        stop,
        raw_stop,
        usage,
        cost_micros: None,
        origin,
    });
    for call in &calls {
        ctx.record(LogEvent::ToolCall { call: call.clone() });
    }
    if stop != StopReason::Interrupted {
        ctx.turn().step.message = Some(StepMessage {
            request,
            stop,
            usage,
        });
    }
    calls
}

/// A call is whole. Some providers count their calls anew in each message; the session must not see an id twice.
fn with_unique_id(mut end: BlockEnd, answer: &Answer, taken: &BTreeSet<CallId>) -> BlockEnd {
    if let BlockEnd::Call { call } = &mut end {
        let is_free = |id: &CallId| !taken.contains(id) && !answer.has_call(id);
        let given = call.call_id.clone();
        let others = (2_u64..).map(|number| CallId(format!("{given}__{number}")));
        if let Some(free) = std::iter::once(given.clone()).chain(others).find(is_free) {
            call.call_id = free;
        }
    }
    end
}

/// How a message ended by itself.
struct End {
    reason: StopReason,
    raw: Option<String>,
    details: Option<Value>,
}

/// A message has ended by itself.
fn ended(ctx: &mut Ctx<'_>, answer: Answer, end: End) {
    let shown = !answer.blocks().is_empty();
    let message = answer.into_whole();
    if end.reason == StopReason::Refusal {
        return refused(ctx, message, end);
    }
    if message.is_empty() {
        return retry::empty(ctx, message.request, shown);
    }
    let reason = match end.reason {
        StopReason::Unknown => known_reason(ctx, &message, end.raw.as_deref()),
        known => known,
    };
    ctx.turn().overflowed = reason == StopReason::ContextOverflow;
    let calls = store(ctx, message, reason, end.raw);
    if calls.is_empty() {
        after_words(ctx, reason)
    } else {
        calls::begin(ctx, calls)
    }
}

/// A reason this version does not know: what the message holds decides.
fn known_reason(ctx: &mut Ctx<'_>, message: &Finished, raw: Option<&str>) -> StopReason {
    let raw = raw.unwrap_or("none");
    let text = format!("The model stopped for a reason that is not known here: {raw}.");
    ctx.record(LogEvent::Warning {
        code: "unknown_stop".to_owned(),
        text,
        args: vec![raw.to_owned()],
    });
    if message.calls.is_empty() {
        StopReason::EndTurn
    } else {
        StopReason::ToolUse
    }
}

/// A message without calls has ended.
fn after_words(ctx: &mut Ctx<'_>, reason: StopReason) {
    match reason {
        StopReason::MaxTokens | StopReason::ContextOverflow => continue_cut_text(ctx),
        StopReason::Pause => {
            let limit = ctx.state.config.max_pauses;
            let turn = ctx.turn();
            turn.pauses += 1;
            if turn.pauses > limit {
                let message = "The provider paused again and again.";
                boundary::end_soon(ctx, Outcome::LoopDetected, message);
            }
            boundary::arrive(ctx);
        }
        StopReason::EndTurn
        | StopReason::ToolUse
        | StopReason::StopSequence
        | StopReason::Refusal
        | StopReason::Unknown
        | StopReason::Interrupted => {
            turn::end(
                ctx,
                Ending {
                    outcome: Outcome::Completed,
                    message: None,
                },
            );
        }
    }
}

fn continue_cut_text(ctx: &mut Ctx<'_>) {
    let limit = ctx.state.config.max_continue;
    let turn = ctx.turn();
    turn.continued += 1;
    if turn.continued > limit {
        let message = Some("The answer reached the output limit again and again.".to_owned());
        return turn::end(
            ctx,
            Ending {
                outcome: Outcome::MaxTokens,
                message,
            },
        );
    }
    turn::remind(ctx, vec![texts::continue_after_limit()]);
    boundary::arrive(ctx);
}

/// The model, or a filter in front of it, declined. What it called in the same breath is not even recorded.
fn refused(ctx: &mut Ctx<'_>, mut message: Finished, end: End) {
    message.calls.clear();
    message
        .blocks
        .retain(|block| !matches!(block, Block::Call { .. }));
    let said = end.details.as_ref().and_then(explanation);
    store(ctx, message, StopReason::Refusal, end.raw);
    turn::end(
        ctx,
        Ending {
            outcome: Outcome::Refusal,
            message: said,
        },
    );
}

/// The provider's category and explanation.
fn explanation(details: &Value) -> Option<String> {
    let field = |name: &str| {
        details
            .get(name)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    };
    match (field("category"), field("explanation")) {
        (Some(category), Some(explanation)) => Some(format!("{category}: {explanation}")),
        (Some(either), None) | (None, Some(either)) => Some(either.to_owned()),
        (None, None) => None,
    }
}
