//! The turn loop as a pure function: one input in, a list of effects out.
//!
//! No I/O, clock, randomness, threads or `async`: time comes in as a number, identifiers come from counters in the
//! state, and chance is the driver's. Invariants: every call gets exactly one result; no call runs before its message
//! has ended; nothing runs or is sent after a stop until the person says something. Deliberately absent: prompts,
//! provider formats, tools, and the store.

mod answer;
mod batch;
mod boundary;
mod calls;
mod cancel;
mod compaction;
mod config;
mod effect;
mod estimate;
mod facts;
mod guard;
mod input;
mod message;
mod outbox;
mod queue;
mod repetition;
mod results;
mod retry;
mod rewind;
mod state;
mod texts;
mod turn;
mod view;

use outbox::Ctx;
use protocol::log::LogEvent;
use state::Stage;

pub use answer::{Answer, AnswerBlock};
pub use config::{ContextLimits, LoopConfig, PlanRule, Repeats, ToolFacts};
pub use effect::{CancelHow, Effect, Jitter, SideKind};
pub use input::{
    CheckVerdict, Decided, DecidedAction, Input, ShellChange, SideResult, ToolOutcome,
};
pub use state::LoopState;
pub use texts::late_write_notices;
pub use view::View;

/// One input: changes the state, and says what is to be done.
///
/// Facts come first and must be durable before what follows them is done. An input that does not fit what the machine
/// is doing changes nothing but [`LoopState::stale_inputs`].
pub fn advance(state: &mut LoopState, now_ms: u64, input: Input) -> Vec<Effect> {
    let mut ctx = Ctx::new(state, now_ms);
    match input {
        Input::Provider { request, event } => message::provider(&mut ctx, request, event),
        Input::User {
            text,
            images,
            delivery,
        } => queue::user(&mut ctx, text, images, delivery),
        Input::Continue => turn::go_on(&mut ctx),
        Input::SendQueued => queue::send_now(&mut ctx),
        Input::Unqueue { id } => queue::remove(&mut ctx, id),
        Input::EditQueued { id, text } => queue::edit(&mut ctx, id, text),
        Input::Cancel => cancel::cancel(&mut ctx),
        Input::KillCall { call_id } => calls::kill(&mut ctx, call_id),
        Input::RetryNow => retry::now(&mut ctx),
        Input::Timer { id } => retry::timer(&mut ctx, id),
        Input::Decision { call_id, decided } => calls::decided(&mut ctx, &call_id, *decided),
        Input::AskChanged { ask } => calls::ask_changed(&mut ctx, ask),
        Input::Checked { call_id, verdict } => calls::checked(&mut ctx, &call_id, verdict),
        Input::ToolDone { call_id, outcome } => calls::done(&mut ctx, &call_id, *outcome),
        Input::SideDone { id, result } => compaction::side_done(&mut ctx, id, result),
        Input::Shell(change) => ctx.record(change.into()),
        Input::CompactNow { words } => compaction::by_hand(&mut ctx, words),
        Input::RewindTo { seq } => rewind::rewind(&mut ctx, seq),
        Input::UndoRewind { seq } => rewind::undo(&mut ctx, seq),
        Input::FilesPutBack {
            call_id,
            rows,
            takes_back,
            brings_back,
        } => {
            let notices = texts::late_write_notices(&call_id, &rows);
            ctx.record(LogEvent::FileVersions {
                call_id,
                rows,
                takes_back,
                brings_back,
            });
            notices.into_iter().for_each(|notice| ctx.record(notice));
        }
        Input::SetMode { mode } => turn::set_mode(&mut ctx, mode),
        Input::SetModel { origin, context } => turn::set_model(&mut ctx, origin, context),
        Input::SetTools {
            tools,
            overhead_tokens,
        } => {
            ctx.state.config.tools = tools;
            ctx.state.config.overhead_tokens = overhead_tokens;
        }
        Input::Rename { title } => turn::rename(&mut ctx, title),
        Input::Persisted { seqs } => persisted(&mut ctx, &seqs),
    }
    ctx.finish()
}

fn persisted(ctx: &mut Ctx<'_>, seqs: &[u64]) {
    let state = &mut *ctx.state;
    state.facts.view.stamp(state.durable, seqs);
    state.durable += seqs.len() as u64;
    if matches!(state.stage, Stage::Compacting(_)) {
        compaction::settle(ctx);
    }
}
