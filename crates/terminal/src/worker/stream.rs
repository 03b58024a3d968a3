//! The terminal's bytes in both directions, and what can be told from its silence.

use super::clock::{self, Clock};
use super::{BURST_BYTES, DRAW_BYTES, Worker};
use crate::events::ShellEvent;
use crate::outcome::Medium;
use crate::screen::Drawn;
use crate::session::{Shared, State};
use crate::view::Urgency;
use rustix::io::Errno;
use std::borrow::Cow;
use std::time::Instant;

impl Worker {
    /// Reads until the terminal is empty, or for so long that others must have their turn.
    pub(super) fn read_output(&mut self) {
        let mut burst = 0;
        while burst < BURST_BYTES {
            match rustix::io::read(&*self.terminal, &mut self.buffer) {
                Ok(0) | Err(Errno::IO) => {
                    self.lock().life.end_of_output = true;
                    return self.spool.flush();
                }
                Ok(count) => {
                    burst += count;
                    self.take_output(count);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return self.spool.flush(),
                Err(error) => {
                    tracing::warn!(%error, "the terminal cannot be read");
                    self.lock().life.end_of_output = true;
                    return;
                }
            }
        }
    }

    pub(super) fn take_output(&mut self, count: usize) {
        let now = Instant::now();
        let bytes = self.buffer.get(..count).unwrap_or_default();
        self.spool.push_raw(bytes);
        let bytes = match self.shared.facts.medium {
            Medium::Terminal => Cow::Borrowed(bytes),
            Medium::Pipe => Cow::Owned(with_returns(bytes)),
        };
        let mut state = self.shared.lock();
        let (was_binary, source) = (state.output.is_binary(), state.output.source());
        state.output.feed(&bytes, &mut self.fresh);
        state.life.last_output = now;
        self.clock.active(now);
        if state.output.is_binary() && !was_binary {
            self.shared.announce(&mut state, ShellEvent::Binary, now);
        }
        if state.waiting {
            state.waiting = false;
            let event = ShellEvent::Waiting {
                waiting: false,
                line: String::new(),
            };
            self.shared.announce(&mut state, event, now);
        }
        state.pump_views(now, Urgency::Due);
        let discard = source != state.output.source();
        drop(state);
        if discard {
            self.fresh.clear();
            self.spool.discard_clean();
        }
        self.spool.push_clean(&self.fresh);
        self.fresh.clear();
    }

    pub(super) fn draw_some(&mut self) {
        let now = Instant::now();
        let mut state = self.shared.lock();
        let drawn = state.output.draw(DRAW_BYTES);
        deliver(&self.shared, &mut self.clock, &mut state, drawn, now);
    }

    pub(super) fn write_input(&mut self) {
        let mut state = self.shared.lock();
        while !state.input.front().is_empty() {
            match rustix::io::write(&*self.terminal, state.input.front()) {
                Ok(count) => state.input.written(count),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(error) => {
                    tracing::debug!(%error, "input was not taken");
                    let len = state.input.front().len();
                    state.input.written(len);
                }
            }
        }
        self.clock.active(Instant::now());
    }

    /// Looks for signs that the command waits for a person.
    pub(super) fn look(&mut self, now: Instant) {
        let mut state = self.shared.lock();
        let mode = state.line_mode();
        // A raw terminal without echo is a line editor; one that gathers lines without showing them asks for a secret.
        let echo = mode.echo || !mode.canonical;
        if echo != state.echo {
            state.echo = echo;
            self.shared
                .announce(&mut state, ShellEvent::Echo { on: echo }, now);
        }
        let silent = now.saturating_duration_since(state.life.last_output) >= clock::PROMPT_IDLE;
        let line = if silent && self.pty.is_some() {
            clock::waiting_line(&state)
        } else {
            None
        };
        if line.is_some() != state.waiting {
            state.waiting = line.is_some();
            let event = ShellEvent::Waiting {
                waiting: state.waiting,
                line: line.unwrap_or_default(),
            };
            self.shared.announce(&mut state, event, now);
        }
    }
}

/// What a terminal makes of new lines before they are shown.
fn with_returns(bytes: &[u8]) -> Vec<u8> {
    let mut shown = Vec::with_capacity(bytes.len());
    for byte in bytes {
        if *byte == b'\n' {
            shown.push(b'\r');
        }
        shown.push(*byte);
    }
    shown
}

/// Passes on what drawing brought: answers to the program, title and bell to those who watch.
pub(super) fn deliver(
    shared: &Shared,
    clock: &mut Clock,
    state: &mut State,
    drawn: Drawn,
    now: Instant,
) {
    state.input.answer(&drawn.answers);
    if drawn.title.is_some() && drawn.title != state.title {
        state.title.clone_from(&drawn.title);
        let title = drawn.title.unwrap_or_default();
        shared.announce(state, ShellEvent::Title(title), now);
    }
    if drawn.bell && clock.may_ring(now) {
        shared.announce(state, ShellEvent::Bell, now);
    }
}
