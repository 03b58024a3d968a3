//! Taking the conversation back, and taking that back.
//!
//! The log then tells another past, so the state is rebuilt from it. Only while nothing runs: what runs belongs to the
//! past that goes. Deliberately absent: files and the
//! words of the message; whoever asks for a rewind puts them back.

use crate::machine::boundary;
use crate::machine::effect::Effect;
use crate::machine::outbox::Ctx;
use crate::machine::state::LoopState;
use protocol::log::{LogEvent, LogRow};
use std::collections::BTreeSet;

/// Takes the conversation back to before a message.
pub(crate) fn rewind(ctx: &mut Ctx<'_>, seq: u64) {
    if !boundary::is_idle(ctx) || seq == 0 {
        return ctx.stale();
    }
    ctx.record(LogEvent::Rewound { to_seq: seq });
    ctx.effect(Effect::Reload);
}

/// Brings back what a rewind took out.
pub(crate) fn undo(ctx: &mut Ctx<'_>, seq: u64) {
    if !boundary::is_idle(ctx) || seq == 0 {
        return ctx.stale();
    }
    ctx.record(LogEvent::RewindUndone { rewind_seq: seq });
    ctx.effect(Effect::Reload);
}

impl LoopState {
    /// The state that another past leads to. What no log tells stays: limits, tools, counters; and those rules of the person that were given in the past that remains.
    #[must_use]
    pub fn reloaded(&self, rows: &[LogRow]) -> Self {
        let fresh = Self::restore(self.config.clone(), rows);
        let remain: BTreeSet<&String> = Self::visible(rows)
            .filter_map(|event| match event {
                LogEvent::RuleAdded { rule } => Some(rule),
                _ => None,
            })
            .collect();
        let rules = self.rules.iter().filter(|rule| remain.contains(rule));
        Self {
            rules: rules.cloned().collect(),
            timers: self.timers,
            sides: self.sides,
            title_side: self.title_side,
            queue_held: self.queue_held,
            stale_inputs: self.stale_inputs,
            ..fresh
        }
    }
}
