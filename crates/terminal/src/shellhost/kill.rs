//! Ending a whole tree: signal everybody, look again, and after the grace use force.
//!
//! Each round reads the process table anew, so processes born meanwhile are found, and a pid is signalled only while it
//! still is the process that was seen. Deliberately absent: the end condition, which is the supervisor's `ECHILD`.

use crate::process_tree::{self, Process};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// After this a survivor cannot be killed by us at all.
const TOTAL_MAX: Duration = Duration::from_secs(5);
/// Between two looks while waiting for polite endings; each dead child of ours cuts it short.
const POLITE_PERIOD: Duration = Duration::from_millis(50);
/// Between two looks once force is used; short, to outrun processes that fork.
const FORCE_PERIOD: Duration = Duration::from_millis(5);

/// One running attempt to end the tree.
pub(super) struct KillPlan {
    force_at: Instant,
    over_at: Instant,
    asked: HashSet<(i32, u64)>,
}

impl KillPlan {
    pub(super) fn new(grace: Duration, now: Instant) -> Self {
        Self {
            force_at: now + grace,
            over_at: now + grace + TOTAL_MAX,
            asked: HashSet::new(),
        }
    }

    /// A second request may only shorten the grace.
    pub(super) fn hasten(&mut self, grace: Duration, now: Instant) {
        self.force_at = self.force_at.min(now + grace);
    }

    pub(super) fn is_over(&self, now: Instant) -> bool {
        now >= self.over_at
    }

    /// Signals whoever is there, and says how long to wait before the next look.
    pub(super) fn round(&mut self, root: i32, command: Pid, now: Instant) -> Duration {
        let force = now >= self.force_at;
        if cfg!(not(target_os = "linux")) {
            signal_group(command, force);
        }
        for process in process_tree::descendants(root) {
            if force {
                signal(&process, Signal::KILL);
            } else if self.asked.insert((process.pid, process.start)) {
                signal(&process, Signal::TERM);
                // A stopped process hears nothing but this.
                signal(&process, Signal::CONT);
            }
        }
        if force {
            FORCE_PERIOD
        } else {
            POLITE_PERIOD.min(self.force_at.saturating_duration_since(now))
        }
    }
}

/// Everything the command started that did not change its group; all there is without a process table.
fn signal_group(command: Pid, force: bool) {
    let signal = if force { Signal::KILL } else { Signal::TERM };
    // An empty group has nobody to signal, which is what was wanted.
    kill_process_group(command, signal).ok();
}

fn signal(process: &Process, signal: Signal) {
    let same = process_tree::process(process.pid).is_some_and(|now| now.start == process.start);
    if let (true, Some(pid)) = (same, Pid::from_raw(process.pid)) {
        // Ended in between: that was the aim. Not ours to signal: the next rounds give up on it.
        kill_process(pid, signal).ok();
    }
}
