//! How a turn begins, how its requests go out, how it ends; and what may change while it runs.

use crate::machine::answer::Answer;
use crate::machine::config::ContextLimits;
use crate::machine::effect::{Effect, SideKind};
use crate::machine::outbox::Ctx;
use crate::machine::state::{Ending, Stage, Turn};
use crate::machine::{boundary, queue, texts};
use protocol::event::SessionEvent;
use protocol::log::{LogEvent, StepSummary};
use protocol::message::{ImageRef, Origin, Reminder, StopReason, ViewEntry};
use protocol::session::{Mode, Outcome, TitleSource, TurnCause};

/// Characters of a title made of the first line of a message.
const DEFAULT_TITLE_CHARACTERS: usize = 60;
/// Characters of a title made by the model.
const TITLE_CHARACTERS: usize = 80;

/// A message of the person on its way into the conversation.
pub(crate) struct Message {
    pub(crate) text: String,
    pub(crate) images: Vec<ImageRef>,
}

/// A message begins a turn.
pub(crate) fn start(ctx: &mut Ctx<'_>, cause: TurnCause, message: Message) {
    let interrupted = ctx.state.facts.interrupted.then(texts::interrupted);
    ctx.state.queue_held = false;
    ctx.record(LogEvent::TurnStarted { cause });
    ctx.state.turn = Some(Turn::default());
    name_after(ctx, &message.text);
    say(ctx, message, interrupted, Steer::No);
    boundary::first(ctx);
}

/// The person wants the machine to go on without a message.
pub(crate) fn go_on(ctx: &mut Ctx<'_>) {
    let idle = matches!(ctx.state.stage, Stage::Idle);
    if !idle || ctx.state.view().is_empty() {
        return ctx.stale();
    }
    ctx.record(LogEvent::TurnStarted {
        cause: TurnCause::Continue,
    });
    ctx.state.turn = Some(Turn::default());
    let mut reminders = news_of_shells(ctx);
    // With news to tell the answer before it was no half one.
    if reminders.is_empty() && ends_with_answer(ctx) {
        reminders.push(texts::continue_after_limit());
    }
    if !reminders.is_empty() {
        remind(ctx, reminders);
    }
    boundary::first(ctx);
}

/// Whether a message of the person is delivered while a turn runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Steer {
    /// It is.
    Yes,
    /// It began the turn.
    No,
}

/// Puts a message of the person into the conversation, with what the model should know beside it.
pub(crate) fn say(ctx: &mut Ctx<'_>, message: Message, first: Option<Reminder>, steer: Steer) {
    let mut reminders: Vec<Reminder> = first.into_iter().collect();
    if ctx.state.facts.mode == Mode::Plan {
        reminders.push(texts::plan_mode());
    }
    reminders.extend(texts::files_put_back(&ctx.state.facts.put_back));
    reminders.extend(news_of_shells(ctx));
    ctx.record(LogEvent::UserMessage {
        text: message.text,
        images: message.images,
        reminders,
        steer: steer == Steer::Yes,
    });
}

/// What the model has not been told of shells. Once it is in a message, the facts say so.
pub(crate) fn news_of_shells(ctx: &Ctx<'_>) -> Vec<Reminder> {
    let facts = &ctx.state.facts;
    let lost = texts::shells_lost(&facts.lost_shells);
    lost.into_iter()
        .chain(facts.shell_notes.iter().cloned())
        .collect()
}

/// Puts reminders alone into the conversation.
pub(crate) fn remind(ctx: &mut Ctx<'_>, reminders: Vec<Reminder>) {
    ctx.record(LogEvent::UserMessage {
        text: String::new(),
        images: Vec::new(),
        reminders,
        steer: false,
    });
}

/// Whether the view ends with words of the model that a request must not end with.
fn ends_with_answer(ctx: &Ctx<'_>) -> bool {
    let last = ctx.state.view().last();
    last.is_some_and(
        |entry| matches!(&**entry, ViewEntry::Assistant { stop, .. } if *stop != StopReason::Pause),
    )
}

/// Sends the view as it now stands.
pub(crate) fn send(ctx: &mut Ctx<'_>) {
    let request = ctx.state.facts.requests + 1;
    let origin = ctx.state.facts.origin.clone();
    let estimate = ctx.state.used_tokens();
    let turn = ctx.turn();
    turn.step.attempts += 1;
    let (step, attempt) = (turn.steps, turn.step.attempts);
    ctx.record(LogEvent::RequestStarted {
        request,
        step,
        attempt,
        origin: origin.clone(),
        estimate,
    });
    ctx.effect(Effect::StartRequest {
        request,
        step,
        attempt,
    });
    ctx.enter(Stage::Answering(Box::new(Answer::new(request, origin))));
}

/// The step has its message and all results.
pub(crate) fn close_step(ctx: &mut Ctx<'_>) {
    let turn = ctx.turn();
    let Some(message) = turn.step.message.take() else {
        return;
    };
    let summary = StepSummary {
        step: turn.steps,
        request: message.request,
        stop: message.stop,
        usage: message.usage,
        cost_micros: None,
        calls: std::mem::take(&mut turn.step.calls),
        retries: turn.step.retries + turn.step.empty_retries,
    };
    ctx.record(LogEvent::StepFinished { summary });
}

/// The turn is over. What waits may begin the next one at once.
pub(crate) fn end(ctx: &mut Ctx<'_>, ending: Ending) {
    close_step(ctx);
    let steps = ctx.turn().steps;
    let Ending { outcome, message } = ending;
    ctx.record(LogEvent::TurnEnded {
        outcome: outcome.clone(),
        message: message.clone(),
        steps,
    });
    ctx.state.turn = None;
    ctx.enter(Stage::Idle);
    ctx.ui(SessionEvent::TurnEnded {
        outcome: outcome.clone(),
        message,
    });
    if outcome == Outcome::Completed {
        ask_for_title(ctx);
    }
    queue::after_turn(ctx, &outcome);
}

/// The mode is another one from here on. An open question still needs its answer.
pub(crate) fn set_mode(ctx: &mut Ctx<'_>, mode: Mode) {
    let old = ctx.state.facts.mode;
    if old != mode {
        ctx.record(LogEvent::ModeChanged { old, new: mode });
    }
}

fn name_after(ctx: &mut Ctx<'_>, text: &str) {
    let line = text.trim().lines().next().unwrap_or_default();
    if ctx.state.facts.title.is_some() || line.is_empty() {
        return;
    }
    let title = line.chars().take(DEFAULT_TITLE_CHARACTERS).collect();
    ctx.record(LogEvent::TitleChanged {
        title,
        source: TitleSource::Default,
    });
}

fn ask_for_title(ctx: &mut Ctx<'_>) {
    let state = &mut *ctx.state;
    let wanted = state.config.title_requests && state.facts.title == Some(TitleSource::Default);
    if !wanted || state.title_side.is_some() {
        return;
    }
    let Some(text) = state.view().iter().find_map(|entry| match &**entry {
        ViewEntry::User { text, .. } if !text.is_empty() => Some(text.clone()),
        ViewEntry::User { .. }
        | ViewEntry::Assistant { .. }
        | ViewEntry::Result { .. }
        | ViewEntry::Summary { .. } => None,
    }) else {
        return;
    };
    state.sides += 1;
    let id = state.sides;
    state.title_side = Some(id);
    ctx.effect(Effect::Side {
        id,
        kind: SideKind::Title { text },
    });
}

/// The model made a title, or did not.
pub(crate) fn titled(ctx: &mut Ctx<'_>, text: Option<&str>) {
    ctx.state.title_side = None;
    let line = text
        .unwrap_or_default()
        .lines()
        .map(clean_title)
        .find(|line| !line.is_empty());
    if let Some(title) = line.filter(|_| ctx.state.facts.title != Some(TitleSource::User)) {
        ctx.record(LogEvent::TitleChanged {
            title,
            source: TitleSource::Auto,
        });
    }
}

/// The model is another one from the next request on.
pub(crate) fn set_model(ctx: &mut Ctx<'_>, origin: Origin, context: ContextLimits) {
    ctx.state.config.context = context;
    let old = ctx.state.facts.origin.clone();
    if old != origin {
        ctx.record(LogEvent::ModelChanged { old, new: origin });
    }
}

/// The person made a title.
pub(crate) fn rename(ctx: &mut Ctx<'_>, title: String) {
    ctx.record(LogEvent::TitleChanged {
        title,
        source: TitleSource::User,
    });
}

/// A line without thinking tags and quotes.
fn clean_title(line: &str) -> String {
    let line = line.rsplit("</think>").next().unwrap_or_default().trim();
    if line.starts_with("<think>") {
        return String::new();
    }
    let line =
        line.trim_matches(|character| matches!(character, '"' | '\'' | '“' | '”' | '`' | ' '));
    line.chars().take(TITLE_CHARACTERS).collect()
}
