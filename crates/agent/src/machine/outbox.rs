//! One run of the machine: the state at hand, and what is to be done so far.
//!
//! Facts are folded into the state the moment they are recorded, so whatever follows sees them. Invariant: all facts
//! of one run leave as one [`Effect::Persist`], ahead of every other effect.

use crate::machine::effect::Effect;
use crate::machine::state::{LoopState, Stage, Turn};
use crate::machine::view::Place;
use protocol::event::SessionEvent;
use protocol::log::LogEvent;

/// The state at hand, and what is to be done so far.
pub(crate) struct Ctx<'a> {
    pub(crate) state: &'a mut LoopState,
    pub(crate) now_ms: u64,
    facts: Vec<LogEvent>,
    effects: Vec<Effect>,
}

impl<'a> Ctx<'a> {
    pub(crate) fn new(state: &'a mut LoopState, now_ms: u64) -> Self {
        Self {
            state,
            now_ms,
            facts: Vec::new(),
            effects: Vec::new(),
        }
    }

    /// A fact: taken into the state now, made durable before any effect of this run.
    pub(crate) fn record(&mut self, event: LogEvent) {
        let place = Place::Emitted(self.state.emitted);
        self.state.facts.apply(place, &event);
        self.state.emitted += 1;
        self.facts.push(event);
    }

    /// Something to do.
    pub(crate) fn effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Something the windows should know.
    pub(crate) fn ui(&mut self, event: SessionEvent) {
        self.effects.push(Effect::Ui { event });
    }

    /// An input that does not fit.
    pub(crate) fn stale(&mut self) {
        self.state.stale_inputs += 1;
    }

    /// Time as it is stored.
    pub(crate) fn timestamp(&self, ahead_ms: u64) -> i64 {
        i64::try_from(self.now_ms.saturating_add(ahead_ms)).unwrap_or(i64::MAX)
    }

    /// The machine does something else from here on.
    pub(crate) fn enter(&mut self, stage: Stage) {
        self.state.stage = stage;
        self.show_phase();
    }

    /// Tells the windows what the machine is doing.
    pub(crate) fn show_phase(&mut self) {
        let phase = self.state.phase();
        let (step, attempt) = self
            .state
            .turn
            .as_ref()
            .map_or((0, 0), |turn| (turn.steps, turn.step.attempts));
        let last_byte_at = self
            .state
            .answer()
            .filter(|answer| answer.has_begun())
            .map(|_| self.timestamp(0));
        let request = self.state.facts.requests;
        self.ui(SessionEvent::Phase {
            phase,
            request,
            step,
            attempt,
            last_byte_at,
        });
    }

    /// Takes the stage out; the caller enters another before it returns.
    pub(crate) fn leave(&mut self) -> Stage {
        std::mem::replace(&mut self.state.stage, Stage::Idle)
    }

    /// The running turn. Every stage but `Idle` and a compaction by hand has one.
    pub(crate) fn turn(&mut self) -> &mut Turn {
        self.state.turn.get_or_insert_default()
    }

    /// What is to be done, in order.
    pub(crate) fn finish(self) -> Vec<Effect> {
        if self.facts.is_empty() {
            return self.effects;
        }
        let mut all = Vec::with_capacity(self.effects.len() + 1);
        all.push(Effect::Persist { events: self.facts });
        all.extend(self.effects);
        all
    }
}
