//! The supervisor's side of the story: what it says, what it is told, and what happens when it is gone.

use super::Worker;
use crate::aftermath::ProcessIdentity;
use crate::events::ShellEvent;
use crate::outcome::{Exit, LeftProcess};
use crate::process_tree;
use crate::wire::{self, AppMessage, HostMessage};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

/// A supervisor that is silent for so long about the end of its command is stuck.
const SILENT_MAX: Duration = Duration::from_secs(5);

impl Worker {
    pub(super) fn hear(&mut self) {
        let Some(control) = &mut self.control else {
            return;
        };
        let heard =
            control
                .read(&mut self.buffer)
                .and_then(|count| match self.buffer.get(..count) {
                    Some(bytes) if count > 0 => self.lines.push::<HostMessage>(bytes),
                    _ => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
                });
        match heard {
            Ok(messages) => messages.into_iter().for_each(|message| self.learn(message)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => self.host_gone(),
        }
    }

    pub(super) fn learn(&mut self, message: HostMessage) {
        self.take_in(message);
        if self.is_settled() {
            let left = self.lock().life.leftovers_total;
            self.status.left(left);
        }
    }

    fn take_in(&mut self, message: HostMessage) {
        let now = Instant::now();
        let mut state = self.shared.lock();
        match message {
            HostMessage::Exit { code, signal } => {
                let exit = Exit { code, signal };
                state.life.exited(exit.clone(), now);
                self.shared
                    .announce(&mut state, ShellEvent::Exited(exit), now);
            }
            HostMessage::Leftovers { list, total } => {
                let event = ShellEvent::Leftovers(list.iter().map(LeftProcess::from).collect());
                state.life.leftovers = list;
                state.life.leftovers_total = total;
                self.shared.announce(&mut state, event, now);
            }
            HostMessage::Touched { list } => state.life.touched.extend(list),
            HostMessage::Gone => {
                state.life.tree_gone = true;
                if state.life.leftovers_total > 0 {
                    state.life.leftovers.clear();
                    state.life.leftovers_total = 0;
                    self.shared
                        .announce(&mut state, ShellEvent::Leftovers(Vec::new()), now);
                }
            }
            // They are nobody's to end any more, but they are there.
            HostMessage::LetGo => state.life.tree_gone = true,
            HostMessage::Hello { .. } | HostMessage::Spawned { .. } | HostMessage::Error { .. } => {
                tracing::debug!("the supervisor repeated itself");
            }
        }
    }

    /// The supervisor ended. If it did not say that the tree is gone, what is known of the tree is killed from here.
    pub(super) fn host_gone(&mut self) {
        self.control = None;
        let mut state = self.shared.lock();
        if !state.life.tree_gone {
            let facts = &self.shared.facts;
            if state.life.is_running() {
                kill_if_same(facts.identity.command, kill_process_group);
            }
            for process in &state.life.leftovers {
                let left = ProcessIdentity {
                    pid: process.pid,
                    start: process.start,
                };
                kill_if_same(left, kill_process);
            }
        }
        state.life.host_gone(Instant::now());
    }

    /// Compares what is said with the process table: a command that is not there does not run, whatever its
    /// supervisor does not say. A stuck supervisor is ended, and its end is handled like any other.
    pub(super) fn check_process(&mut self, now: Instant) {
        let facts = &self.shared.facts;
        let command = facts.identity.command;
        let missing = self.shared.lock().life.is_running()
            && process_tree::is_gone(command.pid, command.start);
        if !missing {
            self.missing_since = None;
            return;
        }
        let since = *self.missing_since.get_or_insert(now);
        if now.saturating_duration_since(since) >= SILENT_MAX {
            tracing::warn!(shell_id = %facts.id.as_str(), "the supervisor does not say that its command ended");
            if let Err(error) = self.host.kill() {
                tracing::warn!(%error, "the supervisor was not ended");
            }
        }
    }

    /// What Ctrl-C does, where there is no terminal that would do it.
    pub(super) fn interrupt(&self) {
        let command = self.shared.facts.identity.command;
        let same = process_tree::process(command.pid).is_some_and(|now| now.start == command.start);
        if let (true, Some(pid)) = (same, Pid::from_raw(command.pid)) {
            // Ended in between: that was the aim.
            kill_process_group(pid, Signal::INT).ok();
        }
    }

    /// Tells the supervisor to end the tree. If it cannot be told, its end is noticed and handled elsewhere.
    pub(super) fn kill(&mut self, grace: Duration) {
        let grace_ms = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        self.send(&AppMessage::Kill { grace_ms });
    }

    pub(super) fn send(&mut self, message: &AppMessage) {
        let Some(control) = &mut self.control else {
            return;
        };
        let told = wire::encode(message).and_then(|line| control.write_all(&line));
        if let Err(error) = told {
            tracing::debug!(%error, "the supervisor does not listen");
        }
    }
}

fn kill_if_same(wanted: ProcessIdentity, kill: impl Fn(Pid, Signal) -> rustix::io::Result<()>) {
    let now = process_tree::process(wanted.pid);
    let same = now.is_some_and(|process| process.start == wanted.start);
    if let (true, Some(pid)) = (same, Pid::from_raw(wanted.pid))
        && let Err(error) = kill(pid, Signal::KILL)
    {
        tracing::warn!(%error, pid = pid.as_raw_pid(), "a process was left behind");
    }
}
