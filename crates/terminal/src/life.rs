//! From running to settled, in one direction: what is known about the end of a command, and when that is enough.
//!
//! The end of the command is what its supervisor says; the end of the output is an empty terminal that nobody holds any
//! more, or, if something still holds it, a short silence. Pure: time is passed in.

use crate::outcome::{EndReason, Exit};
use crate::wire::WireProcess;
use std::time::{Duration, Instant};

/// After the end, output that pauses this long is over; what left-over processes print later is theirs.
const DRAIN_QUIET: Duration = Duration::from_millis(100);
/// And it is over after this, pause or not.
const DRAIN_MAX: Duration = Duration::from_secs(1);

/// What is known.
#[derive(Debug)]
pub(crate) struct Life {
    pub(crate) exit: Exit,
    pub(crate) leftovers: Vec<WireProcess>,
    pub(crate) leftovers_total: usize,
    /// Protected files that it changed.
    pub(crate) touched: Vec<sandbox::Touched>,
    pub(crate) last_output: Instant,
    /// The supervisor said that nothing is left, or said nothing any more.
    pub(crate) tree_gone: bool,
    /// Nobody holds the terminal.
    pub(crate) end_of_output: bool,
    ended_at: Option<Instant>,
    reason: EndReason,
}

impl Life {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            exit: Exit::default(),
            leftovers: Vec::new(),
            leftovers_total: 0,
            touched: Vec::new(),
            last_output: now,
            tree_gone: false,
            end_of_output: false,
            ended_at: None,
            reason: EndReason::Natural,
        }
    }

    /// Somebody ends it; the first reason stays, and none changes an end that is known.
    pub(crate) fn stop(&mut self, reason: EndReason) {
        if self.reason == EndReason::Natural && self.ended_at.is_none() {
            self.reason = reason;
        }
    }

    /// The command ended.
    pub(crate) fn exited(&mut self, exit: Exit, now: Instant) {
        self.ended_at = Some(now);
        self.exit = exit;
    }

    /// The supervisor is gone. Without a word about the command, and unless it was to end it, that was an accident.
    pub(crate) fn host_gone(&mut self, now: Instant) {
        self.tree_gone = true;
        if self.ended_at.is_none() {
            self.stop(EndReason::Lost);
            self.ended_at = Some(now);
        }
    }

    pub(crate) fn is_running(&self) -> bool {
        self.ended_at.is_none()
    }

    pub(crate) fn reason(&self) -> EndReason {
        self.reason
    }

    pub(crate) fn ended_at(&self) -> Option<Instant> {
        self.ended_at
    }

    /// When the outcome may be made, as far as is known; `None` while something has to happen first. A tree that is
    /// being killed has ended when all of it has.
    pub(crate) fn settles_at(&self) -> Option<Instant> {
        let ended = self.ended_at?;
        let whole_tree = match self.reason {
            EndReason::Natural => false,
            EndReason::Cancelled | EndReason::TimedOut | EndReason::Lost => true,
        };
        if whole_tree && !self.tree_gone {
            return None;
        }
        if self.end_of_output {
            return Some(ended);
        }
        Some((self.last_output.max(ended) + DRAIN_QUIET).min(ended + DRAIN_MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DONE: Exit = Exit {
        code: Some(0),
        signal: None,
    };

    #[test]
    fn an_empty_terminal_nobody_holds_settles_at_once() {
        let now = Instant::now();
        let mut life = Life::new(now);
        life.end_of_output = true;
        assert_eq!(
            life.settles_at(),
            None,
            "the end of the output is not the end of the command"
        );
        life.exited(DONE, now);
        assert_eq!(life.settles_at(), Some(now));
    }

    #[test]
    fn a_held_terminal_settles_after_silence_but_not_for_ever() {
        let now = Instant::now();
        let mut life = Life::new(now);
        life.exited(DONE, now);
        assert_eq!(life.settles_at(), Some(now + DRAIN_QUIET));
        life.last_output = now + Duration::from_millis(60);
        assert_eq!(life.settles_at(), Some(now + Duration::from_millis(160)));
        life.last_output = now + Duration::from_millis(990);
        assert_eq!(life.settles_at(), Some(now + DRAIN_MAX));
    }

    #[test]
    fn a_killed_tree_settles_when_all_of_it_is_gone() {
        let now = Instant::now();
        let mut life = Life::new(now);
        life.stop(EndReason::TimedOut);
        life.stop(EndReason::Cancelled);
        life.exited(
            Exit {
                code: None,
                signal: Some(15),
            },
            now,
        );
        life.end_of_output = true;
        assert_eq!(life.settles_at(), None);
        life.tree_gone = true;
        assert_eq!(
            (life.settles_at(), life.reason()),
            (Some(now), EndReason::TimedOut),
            "the first reason stays"
        );
    }

    #[test]
    fn a_late_stop_does_not_change_an_end() {
        let now = Instant::now();
        let mut life = Life::new(now);
        life.exited(DONE, now);
        life.stop(EndReason::Cancelled);
        assert_eq!(
            (life.reason(), life.exit.clone()),
            (EndReason::Natural, DONE)
        );
        life.host_gone(now);
        assert_eq!(life.reason(), EndReason::Natural);
    }

    #[test]
    fn a_dead_supervisor_is_an_accident() {
        let now = Instant::now();
        let mut life = Life::new(now);
        life.host_gone(now);
        assert_eq!(life.reason(), EndReason::Lost);
        assert!(life.settles_at().is_some());
        let mut life = Life::new(now);
        life.stop(EndReason::TimedOut);
        life.host_gone(now);
        assert_eq!(
            life.reason(),
            EndReason::TimedOut,
            "it gave up on something that cannot be killed"
        );
    }
}
