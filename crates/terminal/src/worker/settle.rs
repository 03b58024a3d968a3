//! The end: everything that is known becomes one outcome.

use super::stream::deliver;
use super::{OUTCOME_CHARS, Worker};
use crate::events::ShellEvent;
use crate::outcome::{LeftProcess, Outcome, OutputText};
use crate::screen::TextSource;
use crate::session::State;
use crate::shells::Place;
use crate::status::Flushed;
use crate::view::Urgency;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A disk that is slower is not waited for.
const FLUSH_MAX: Duration = Duration::from_secs(10);

impl Worker {
    /// Makes the outcome: first it is on disk, then it is known. Leftovers may go on printing into the same files.
    pub(super) fn settle(&mut self, now: Instant) {
        let flushed = self.finish_files(now);
        let outcome = Arc::new(self.outcome_of(&self.lock(), now));
        self.status
            .ended(self.shared.facts.identity.command.pid, &outcome, flushed);
        let mut state = self.shared.lock();
        state.output.end_text();
        self.shared.outcome.send_replace(Some(outcome));
        self.shared.announce(&mut state, ShellEvent::Settled, now);
        state.pump_views(now, Urgency::Now);
    }

    /// Brings the rest of the output to the files. Nobody waits for the disk with a lock in hand.
    fn finish_files(&mut self, now: Instant) -> Flushed {
        let mut state = self.shared.lock();
        if state.output.source() == TextSource::Picture {
            let drawn = state.output.draw_all();
            deliver(&self.shared, &mut self.clock, &mut state, drawn, now);
            let pieces: Vec<String> = state.output.text_pieces().collect();
            drop(state);
            self.spool.rewrite_clean(pieces.iter().map(String::as_str));
        } else {
            let rest = state.output.unfinished();
            drop(state);
            self.spool.push_clean(&rest);
        }
        self.spool.flush();
        let place = *self.shared.place.borrow();
        match place {
            // Its text goes into a history that is kept safe by itself.
            Place::Foreground => Flushed::InTime,
            Place::Background => self.spool.sync(FLUSH_MAX),
        }
    }

    pub(super) fn outcome_of(&self, state: &State, now: Instant) -> Outcome {
        let facts = &self.shared.facts;
        let output = if state.output.is_binary() {
            OutputText::Binary
        } else {
            OutputText::Text(state.output.excerpt(OUTCOME_CHARS))
        };
        Outcome {
            exit: state.life.exit.clone(),
            reason: state.life.reason(),
            medium: facts.medium,
            sandbox: facts.sandbox.clone(),
            touched: state.life.touched.clone(),
            output,
            raw_bytes: state.output.end(),
            dropped: self.spool.dropped(),
            output_file: self
                .spool
                .clean_path()
                .unwrap_or_else(|| self.spool.raw_path()),
            spool_failed: self.spool.failed(),
            leftovers: state.life.leftovers.iter().map(LeftProcess::from).collect(),
            leftovers_total: state.life.leftovers_total,
            duration: state
                .life
                .ended_at()
                .unwrap_or(now)
                .saturating_duration_since(facts.started),
            timeout: self.shared.timeout(),
            typed: state.input.typed.clone(),
        }
    }
}
