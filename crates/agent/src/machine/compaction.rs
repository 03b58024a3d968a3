//! Making the conversation smaller: old results are emptied first, then the head is replaced by a summary.
//!
//! Invariants: a call and its result are never separated; a failed attempt changes nothing in the view; nothing is
//! lost in the log. Deliberately absent: the instruction for the summary, which is the driver's.

use crate::machine::effect::{Effect, SideKind};
use crate::machine::input::SideResult;
use crate::machine::outbox::Ctx;
use crate::machine::state::{Facts, Stage};
use crate::machine::view::{View, pruned_entry};
use crate::machine::{boundary, estimate, queue, retry, texts, turn};
use llm::FailureKind;
use protocol::log::LogEvent;
use protocol::message::ViewEntry;
use protocol::session::Mode;
use protocol::todo::TodoStatus;
use serde::{Deserialize, Serialize};

/// Failures in a row after which no attempt is made by itself below the hard limit.
const MAX_FAILURES: u32 = 3;
/// Results of this many newest turns are never emptied.
const SPARED_TURNS: u32 = 2;
/// Newest results that are never emptied, in tokens.
const SPARED_RESULT_TOKENS: u64 = 40_000;
/// Emptying must free this much to be worth a lost provider cache.
const MIN_FREED_TOKENS: u64 = 20_000;
/// A summary below this size is never called too long: estimates of so little mean nothing.
const MIN_JUDGED_TOKENS: u64 = 512;
/// A summary must be smaller than what it replaces by at least a fifth.
const MAX_KEPT_PERCENT: u64 = 80;
/// Characters of the person's words that go to the model.
const MAX_WORDS_CHARACTERS: usize = 2_000;

/// A summary that is being made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Compaction {
    side: u64,
    reason: Reason,
    words: Option<String>,
    cut: Cut,
    /// First entry the summary is made of; moves up if the request for it is too long.
    from: usize,
    before: u64,
    /// The summary, while the facts it refers to are not durable yet.
    held: Option<String>,
}

/// Where the view is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Cut {
    /// First entry that stays.
    at: usize,
    /// A message before the cut that stays too.
    pinned: Option<usize>,
}

/// Why the conversation is made smaller; decides what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reason {
    /// The automatic limit. The next step follows.
    Auto,
    /// The window was full at the end of an answer. The next step follows.
    Overflow,
    /// The provider refused the request for its size. The same request follows.
    Refused,
    /// The person asked for it. Nothing follows.
    Manual,
}

impl Reason {
    fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Overflow | Self::Refused => "overflow",
            Self::Manual => "manual",
        }
    }
}

/// When old results are emptied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorthIt {
    /// If that frees much.
    IfMuch,
    /// If that frees anything.
    Always,
}

/// Empties old results.
pub(crate) fn prune(ctx: &mut Ctx<'_>, worth: WorthIt) {
    let view = &ctx.state.facts.view;
    let oldest_spared = view.turn().saturating_sub(SPARED_TURNS - 1);
    let (mut spared, mut freed, mut seqs) = (0, 0, Vec::new());
    for (entry, mark) in view.entries().iter().zip(view.marks()).rev() {
        let Some(stub) = pruned_entry(entry).filter(|_| !mark.pruned) else {
            continue;
        };
        let fits = spared + mark.tokens <= SPARED_RESULT_TOKENS;
        if fits || mark.turn >= oldest_spared {
            spared += mark.tokens;
            continue;
        }
        spared = SPARED_RESULT_TOKENS;
        if let Some(seq) = mark.at.seq() {
            freed += mark.tokens.saturating_sub(estimate::of_entry(&stub));
            seqs.push(seq);
        }
    }
    let least = match worth {
        WorthIt::IfMuch => MIN_FREED_TOKENS,
        WorthIt::Always => 1,
    };
    if freed >= least {
        seqs.reverse();
        ctx.record(LogEvent::Prune { seqs });
    }
}

/// Whether too many attempts failed to make another one by itself.
pub(crate) fn gave_up(ctx: &Ctx<'_>) -> bool {
    ctx.state.facts.compaction_failures >= MAX_FAILURES
}

/// The person asked for it.
pub(crate) fn by_hand(ctx: &mut Ctx<'_>, words: Option<String>) {
    if !boundary::is_idle(ctx) || ctx.state.view().is_empty() {
        return ctx.stale();
    }
    let words = words.map(|words| words.chars().take(MAX_WORDS_CHARACTERS).collect());
    start(ctx, Reason::Manual, words);
}

/// Asks for a summary.
pub(crate) fn begin(ctx: &mut Ctx<'_>, reason: Reason) {
    start(ctx, reason, None);
}

fn start(ctx: &mut Ctx<'_>, reason: Reason, words: Option<String>) {
    let tail = ctx.state.config.context.tail_tokens;
    let before = ctx.state.used_tokens();
    match find_cut(&ctx.state.facts.view, tail) {
        Some(cut) => {
            let side = ctx.state.sides + 1;
            let compaction = Compaction {
                side,
                reason,
                words,
                cut,
                from: 0,
                before,
                held: None,
            };
            ask(ctx, compaction);
        }
        None => fail(ctx, reason, "There is nothing to summarise yet."),
    }
}

fn ask(ctx: &mut Ctx<'_>, mut compaction: Compaction) {
    ctx.state.sides += 1;
    compaction.side = ctx.state.sides;
    let kind = SideKind::Summary {
        from: compaction.from,
        to: compaction.cut.at,
        words: compaction.words.clone(),
        max_tokens: ctx.state.config.context.summary_tokens,
    };
    ctx.effect(Effect::Side {
        id: compaction.side,
        kind,
    });
    ctx.enter(Stage::Compacting(Box::new(compaction)));
}

/// The summary is not wanted any more.
pub(crate) fn abort(ctx: &mut Ctx<'_>, compaction: &Compaction) {
    if compaction.held.is_none() {
        ctx.effect(Effect::AbortSide {
            id: compaction.side,
        });
    }
}

/// A compaction by hand is over.
pub(crate) fn leave(ctx: &mut Ctx<'_>) {
    ctx.enter(Stage::Idle);
    queue::after_compaction(ctx);
}

/// A side request ended.
pub(crate) fn side_done(ctx: &mut Ctx<'_>, id: u64, result: SideResult) {
    let text = match &result {
        SideResult::Text { text, .. } => Some(text.as_str()),
        SideResult::Failed { .. } => None,
    };
    if ctx.state.title_side == Some(id) {
        return turn::titled(ctx, text);
    }
    match ctx.leave() {
        Stage::Compacting(compaction) if compaction.side == id && compaction.held.is_none() => {
            summarised(ctx, *compaction, result);
        }
        other => {
            ctx.state.stage = other;
            ctx.stale();
        }
    }
}

fn summarised(ctx: &mut Ctx<'_>, mut compaction: Compaction, result: SideResult) {
    match result {
        SideResult::Text { text, notes } if !text.trim().is_empty() => {
            compaction.held = Some(with_notes(&text, &ctx.state.facts, &notes));
            ctx.state.stage = Stage::Compacting(Box::new(compaction));
            settle(ctx);
        }
        SideResult::Text { .. } => fail(ctx, compaction.reason, "The model gave no summary."),
        SideResult::Failed { failure } => {
            let too_long = matches!(
                failure.kind,
                FailureKind::ContextOverflow | FailureKind::RequestTooLarge
            );
            let left = compaction.cut.at - compaction.from;
            if too_long && left > 1 {
                compaction.from += left / 2;
                ask(ctx, compaction);
            } else {
                fail(ctx, compaction.reason, &failure.message);
            }
        }
    }
}

/// Replaces the head, once every fact before the cut has its sequence number.
pub(crate) fn settle(ctx: &mut Ctx<'_>) {
    let Stage::Compacting(compaction) = &mut ctx.state.stage else {
        return;
    };
    let Some(summary) = compaction.held.take() else {
        return;
    };
    let (cut, reason, before) = (compaction.cut, compaction.reason, compaction.before);
    let view = &ctx.state.facts.view;
    if !is_shorter(view, cut, &summary) {
        return fail(
            ctx,
            reason,
            "The summary is hardly shorter than what it replaces.",
        );
    }
    let seqs: Option<Vec<u64>> = view
        .marks()
        .iter()
        .take(cut.at + 1)
        .map(|mark| mark.at.seq())
        .collect();
    let Some((tail_from, head)) = seqs.as_deref().and_then(|seqs| seqs.split_last()) else {
        compaction.held = Some(summary);
        return;
    };
    let covers = (head.iter().min().copied(), head.iter().max().copied());
    let pinned = cut.pinned.and_then(|index| head.get(index).copied());
    let after = estimate_after(view, cut, &summary) + ctx.state.config.overhead_tokens;
    let event = LogEvent::Compaction {
        reason: reason.as_str().to_owned(),
        summary,
        covers: (covers.0.unwrap_or(0), covers.1.unwrap_or(0)),
        tail_from: *tail_from,
        pinned,
        before,
        after,
    };
    ctx.record(event);
    match reason {
        Reason::Auto | Reason::Overflow => boundary::next_step(ctx),
        Reason::Refused => turn::send(ctx),
        Reason::Manual => leave(ctx),
    }
}

fn fail(ctx: &mut Ctx<'_>, reason: Reason, why: &str) {
    let text = format!("The conversation could not be made smaller. {why}");
    ctx.record(LogEvent::Warning {
        code: texts::COMPACTION_FAILED.to_owned(),
        text,
        args: Vec::new(),
    });
    match reason {
        Reason::Auto | Reason::Overflow => boundary::still_large(ctx),
        Reason::Refused => retry::give_up_on_size(ctx),
        Reason::Manual => leave(ctx),
    }
}

/// The earliest cut whose tail fits; else the newest possible one. `None` if nothing would be summarised.
fn find_cut(view: &View, tail_tokens: u64) -> Option<Cut> {
    let entries = view.entries();
    let (mut tail, mut best) = (0, None);
    for index in (1..entries.len()).rev() {
        tail += view.marks().get(index).map_or(0, |mark| mark.tokens);
        if best.is_some() && tail > tail_tokens {
            break;
        }
        if can_cut(view, index) {
            best = Some(index);
        }
    }
    let at = best?;
    let is_request = |entry: &ViewEntry| matches!(entry, ViewEntry::User { text, images, steer: false, .. } if !text.is_empty() || !images.is_empty());
    let newest = entries.iter().rposition(|entry| is_request(entry));
    Some(Cut {
        at,
        pinned: newest.filter(|newest| *newest < at),
    })
}

/// Before a message that began a turn, or inside the newest turn before an answer; but not so that nothing but an
/// older summary, or what it pinned, would be summarised.
fn can_cut(view: &View, index: usize) -> bool {
    let Some(entry) = view.entries().get(index) else {
        return false;
    };
    let only_summary = view
        .entries()
        .iter()
        .zip(view.marks())
        .take(index)
        .all(|(entry, mark)| mark.pinned || matches!(**entry, ViewEntry::Summary { .. }));
    let fits = match &**entry {
        ViewEntry::User {
            steer,
            text,
            images,
            ..
        } => !steer && (!text.is_empty() || !images.is_empty()),
        ViewEntry::Assistant { .. } => index >= view.turn_start(),
        ViewEntry::Result { .. } | ViewEntry::Summary { .. } => false,
    };
    fits && !only_summary
}

fn is_shorter(view: &View, cut: Cut, summary: &str) -> bool {
    let replaced: u64 = view
        .marks()
        .iter()
        .take(cut.at)
        .enumerate()
        .filter(|(index, _)| cut.pinned != Some(*index))
        .map(|(_, mark)| mark.tokens)
        .sum();
    let tokens = estimate::of_text(summary);
    tokens < MIN_JUDGED_TOKENS || tokens * 100 <= replaced * MAX_KEPT_PERCENT
}

fn estimate_after(view: &View, cut: Cut, summary: &str) -> u64 {
    let kept = |(index, _): &(usize, &crate::machine::view::Mark)| {
        *index >= cut.at || cut.pinned == Some(*index)
    };
    let tail: u64 = view
        .marks()
        .iter()
        .enumerate()
        .filter(kept)
        .map(|(_, mark)| mark.tokens)
        .sum();
    let summary = ViewEntry::Summary {
        text: summary.to_owned(),
    };
    estimate::of_entry(&summary) + tail
}

/// What a summary must carry whatever the model wrote.
fn with_notes(text: &str, facts: &Facts, notes: &[String]) -> String {
    let mut parts = vec![text.trim().to_owned()];
    if !facts.todos.is_empty() {
        let lines: Vec<String> = facts
            .todos
            .iter()
            .map(|todo| {
                let mark = match todo.status {
                    TodoStatus::Pending => "[ ]",
                    TodoStatus::InProgress => "[~]",
                    TodoStatus::Completed => "[x]",
                };
                format!("{mark} {}", todo.content)
            })
            .collect();
        parts.push(format!("Task list:\n{}", lines.join("\n")));
    }
    if facts.mode == Mode::Plan {
        parts.push("Mode: plan (reading only).".to_owned());
    }
    if !facts.revealed.is_empty() {
        let names: Vec<&str> = facts.revealed.iter().map(String::as_str).collect();
        parts.push(format!(
            "Tools revealed by tool_search: {}.",
            names.join(", ")
        ));
    }
    parts.extend(notes.iter().cloned());
    parts.join("\n\n")
}
