//! What the person says while a turn runs.
//!
//! Invariant: a text the person sent is in the conversation, in the queue or back in the composer; never in two of
//! them, never in none.

use crate::machine::outbox::Ctx;
use crate::machine::state::Stage;
use crate::machine::turn::{self, Message, Steer};
use protocol::event::SessionEvent;
use protocol::log::LogEvent;
use protocol::message::ImageRef;
use protocol::session::{Delivery, Outcome, Queued, TurnCause};

/// Messages that may wait; more than a person can keep in mind.
const MAX_QUEUED: usize = 20;

/// The person said something.
pub(crate) fn user(ctx: &mut Ctx<'_>, text: String, images: Vec<ImageRef>, delivery: Delivery) {
    if text.trim().is_empty() && images.is_empty() {
        return ctx.stale();
    }
    if matches!(ctx.state.stage, Stage::Idle) {
        return turn::start(ctx, TurnCause::User, Message { text, images });
    }
    if ctx.state.facts.queue.len() >= MAX_QUEUED {
        return ctx.ui(SessionEvent::Draft { text });
    }
    let mut queue = ctx.state.facts.queue.clone();
    queue.push(Queued {
        id: ctx.state.facts.next_queued,
        text,
        images,
        delivery,
    });
    ctx.state.queue_held = false;
    change(ctx, queue);
}

/// The person wants what waits to be sent.
pub(crate) fn send_now(ctx: &mut Ctx<'_>) {
    if matches!(ctx.state.stage, Stage::Idle) && !ctx.state.facts.queue.is_empty() {
        start_next(ctx);
    } else {
        ctx.stale();
    }
}

/// A waiting message is taken out.
pub(crate) fn remove(ctx: &mut Ctx<'_>, id: u64) {
    let mut queue = ctx.state.facts.queue.clone();
    queue.retain(|queued| queued.id != id);
    if queue.len() == ctx.state.facts.queue.len() {
        return ctx.stale();
    }
    change(ctx, queue);
}

/// A waiting message gets another text.
pub(crate) fn edit(ctx: &mut Ctx<'_>, id: u64, text: String) {
    let mut queue = ctx.state.facts.queue.clone();
    match queue.iter_mut().find(|queued| queued.id == id) {
        Some(queued) => {
            queued.text = text;
            change(ctx, queue);
        }
        None => ctx.stale(),
    }
}

/// Delivers what was meant for the next step.
pub(crate) fn deliver(ctx: &mut Ctx<'_>) {
    let (due, rest): (Vec<Queued>, Vec<Queued>) = ctx
        .state
        .facts
        .queue
        .iter()
        .cloned()
        .partition(|queued| queued.delivery == Delivery::Steer);
    if due.is_empty() {
        return;
    }
    change(ctx, rest);
    for Queued { text, images, .. } in due {
        turn::say(ctx, Message { text, images }, None, Steer::Yes);
    }
}

/// The turn is over: what waits begins the next one, stays, or goes back to the composer.
pub(crate) fn after_turn(ctx: &mut Ctx<'_>, outcome: &Outcome) {
    if ctx.state.facts.queue.is_empty() {
        return;
    }
    match outcome {
        Outcome::Completed
        | Outcome::MaxSteps
        | Outcome::MaxTokens
        | Outcome::LoopDetected
        | Outcome::Refusal => start_next(ctx),
        Outcome::Error(_) | Outcome::ContextFull => ctx.state.queue_held = true,
        Outcome::Cancelled | Outcome::Crashed => give_back(ctx),
    }
}

/// A compaction by hand is over: what was said meanwhile begins a turn.
pub(crate) fn after_compaction(ctx: &mut Ctx<'_>) {
    if !ctx.state.queue_held && !ctx.state.facts.queue.is_empty() {
        start_next(ctx);
    }
}

fn start_next(ctx: &mut Ctx<'_>) {
    let mut queue = ctx.state.facts.queue.clone();
    if queue.is_empty() {
        return;
    }
    let Queued { text, images, .. } = queue.remove(0);
    change(ctx, queue);
    turn::start(ctx, TurnCause::Queued, Message { text, images });
}

/// What waits goes back to the composer, in order.
pub(crate) fn give_back(ctx: &mut Ctx<'_>) {
    if ctx.state.facts.queue.is_empty() {
        return;
    }
    let texts: Vec<&str> = ctx
        .state
        .facts
        .queue
        .iter()
        .map(|queued| queued.text.as_str())
        .collect();
    let text = texts.join("\n\n");
    change(ctx, Vec::new());
    ctx.ui(SessionEvent::Draft { text });
}

fn change(ctx: &mut Ctx<'_>, queue: Vec<Queued>) {
    ctx.record(LogEvent::QueueChanged {
        queue: queue.clone(),
    });
    ctx.ui(SessionEvent::Queue { queue });
}
