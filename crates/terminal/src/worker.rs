//! The one thread of a command: reads its terminal, writes to it, hears its supervisor, keeps its time.
//!
//! It sleeps in one `poll` and is the only one that reads, so output has one order. Reading comes first: the picture is
//! drawn, a little at a time, only while the terminal has nothing to read. It ends when the command is settled and
//! nothing of it is left. Deliberately absent: any waiting for a view, a listener, or the picture.

mod clock;
pub(crate) mod start;

use crate::events::ShellEvent;
use crate::handle::ShellHandle;
use crate::outcome::{EndReason, Exit, LeftProcess, Outcome, OutputText};
use crate::output::RING_BYTES;
use crate::process_tree;
use crate::screen::{Drawn, TerminalSize, TextSource};
use crate::session::{Order, Shared, State};
use crate::spool::Spool;
use crate::view::Urgency;
use crate::wire::{AppMessage, HostMessage, Lines, WireProcess};
use clock::Clock;
use portable_pty::{Child, MasterPty, PtySize};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// More than a terminal gives in one read.
const READ_BYTES: usize = 64 * 1024;
/// What is read before anything else gets its turn.
const BURST_BYTES: usize = RING_BYTES / 2;
/// Drawn between two looks at the terminal; a fifth of a millisecond.
const DRAW_BYTES: usize = 8 * 1024;
/// Characters of each end of the text that an outcome keeps.
const OUTCOME_CHARS: usize = 30_000;
/// From a polite signal to the hard one when the time is over.
const TIMEOUT_GRACE: Duration = Duration::from_millis(200);

/// What the thread owns alone.
pub(crate) struct Worker {
    shared: Arc<Shared>,
    terminal: Arc<OwnedFd>,
    pty: Box<dyn MasterPty + Send>,
    host: Box<dyn Child + Send + Sync>,
    control: Option<UnixStream>,
    lines: Lines,
    wake: UnixStream,
    spool: Spool,
    script: Option<PathBuf>,
    clock: Clock,
    buffer: Vec<u8>,
    fresh: String,
}

impl Worker {
    /// What others hold of this command.
    pub(crate) fn handle(&self) -> ShellHandle {
        ShellHandle::new(Arc::clone(&self.shared))
    }

    /// Serves the command to its end.
    pub(crate) fn run(mut self) {
        while !self.is_finished() {
            if let Err(error) = self.turn() {
                tracing::error!(shell_id = %self.shared.facts.id.as_str(), %error, "the terminal could not be served");
                break;
            }
        }
        // What follows here follows from `Drop`, which also runs if something above panics.
    }

    fn turn(&mut self) -> io::Result<()> {
        let now = Instant::now();
        self.obey(now);
        let next_view = self.keep_time(now);
        let drawing = self.lock().output.wants_drawing();
        let wait = if drawing {
            Some(Duration::ZERO)
        } else {
            self.wait(now, next_view)
        };
        let ready = self.poll(wait)?;
        if ready.woken {
            self.drain_wake()?;
        }
        if ready.control {
            self.hear();
        }
        if ready.writable {
            self.write_input();
        }
        if ready.readable {
            self.read_output();
        } else if drawing {
            self.draw_some();
        }
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.shared.lock()
    }

    fn is_settled(&self) -> bool {
        self.shared.outcome.borrow().is_some()
    }

    /// Settled, nobody left to hear from, and nobody who could print.
    fn is_finished(&self) -> bool {
        self.is_settled() && self.control.is_none()
    }

    /// Does what handles asked for.
    fn obey(&mut self, now: Instant) {
        let mut state = self.shared.lock();
        let orders = std::mem::take(&mut state.orders);
        let size = if self.clock.may_resize(now, state.resize_to.is_some()) {
            state.resize_to.take()
        } else {
            None
        };
        drop(state);
        for order in orders {
            match order {
                Order::Stop { grace } => self.clock.kill_later(now, grace),
                Order::Kill { grace } => self.kill(grace),
            }
        }
        if let Some(size) = size {
            self.resize(size, now);
        }
    }

    fn resize(&mut self, size: TerminalSize, now: Instant) {
        let pty_size = PtySize {
            rows: size.rows(),
            cols: size.cols(),
            pixel_width: 0,
            pixel_height: 0,
        };
        if let Err(error) = self.pty.resize(pty_size) {
            tracing::debug!(%error, "the terminal kept its size");
        }
        let mut state = self.shared.lock();
        let drawn = state.output.draw_all();
        deliver(&self.shared, &mut self.clock, &mut state, drawn, now);
        state.output.resize(size);
        self.shared.announce(
            &mut state,
            ShellEvent::Resized {
                cols: size.cols(),
                rows: size.rows(),
            },
            now,
        );
    }

    /// Does what is due, and gives the next time a view needs something.
    fn keep_time(&mut self, now: Instant) -> Option<Instant> {
        let mut state = self.shared.lock();
        let next_view = state.pump_views(now, Urgency::Due);
        let settles_at = state.life.settles_at();
        let due = self.clock.due(now, &state, self.shared.facts.timeout);
        for event in due.events {
            self.shared.announce(&mut state, event, now);
        }
        if due.timed_out {
            state.life.stop(EndReason::TimedOut);
        }
        drop(state);
        if due.timed_out {
            self.kill(TIMEOUT_GRACE);
        }
        if let Some(grace) = due.kill {
            self.kill(grace);
        }
        if due.look {
            self.look(now);
        }
        if !self.is_settled() && settles_at.is_some_and(|at| at <= now) {
            self.settle(now);
        }
        next_view
    }

    /// How long nothing has to be done.
    fn wait(&self, now: Instant, next_view: Option<Instant>) -> Option<Duration> {
        if self.is_finished() {
            return Some(Duration::ZERO);
        }
        let state = self.lock();
        let settles_at = if self.is_settled() {
            None
        } else {
            state.life.settles_at()
        };
        let next = [
            next_view,
            settles_at,
            self.clock.next(&state, self.shared.facts.timeout),
        ]
        .into_iter()
        .flatten()
        .min();
        next.map(|at| at.saturating_duration_since(now))
    }

    fn poll(&self, wait: Option<Duration>) -> io::Result<Ready> {
        let (end_of_output, input_waits) = {
            let state = self.lock();
            (state.life.end_of_output, !state.input.front().is_empty())
        };
        let timeout = wait.map(|time| Timespec::try_from(time).unwrap_or_default());
        let mut terminal_events = PollFlags::IN;
        terminal_events.set(PollFlags::OUT, input_waits);
        let mut fds = vec![PollFd::new(&self.wake, PollFlags::IN)];
        if let Some(control) = &self.control {
            fds.push(PollFd::new(control, PollFlags::IN));
        }
        if !end_of_output {
            fds.push(PollFd::new(&self.terminal, terminal_events));
        }
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut revents = fds.iter().map(PollFd::revents);
        let woken = revents.next().is_some_and(|events| !events.is_empty());
        let control =
            self.control.is_some() && revents.next().is_some_and(|events| !events.is_empty());
        let terminal = revents.next().unwrap_or(PollFlags::empty());
        Ok(Ready {
            woken,
            control,
            readable: terminal.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR),
            writable: terminal.contains(PollFlags::OUT),
        })
    }

    fn drain_wake(&mut self) -> io::Result<()> {
        loop {
            match self.wake.read(&mut self.buffer) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads until the terminal is empty, or for so long that others must have their turn.
    fn read_output(&mut self) {
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

    fn take_output(&mut self, count: usize) {
        let now = Instant::now();
        let bytes = self.buffer.get(..count).unwrap_or_default();
        self.spool.push_raw(bytes);
        let mut state = self.shared.lock();
        let (was_binary, source) = (state.output.is_binary(), state.output.source());
        state.output.feed(bytes, &mut self.fresh);
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

    fn draw_some(&mut self) {
        let now = Instant::now();
        let mut state = self.shared.lock();
        let drawn = state.output.draw(DRAW_BYTES);
        deliver(&self.shared, &mut self.clock, &mut state, drawn, now);
    }

    fn write_input(&mut self) {
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

    fn hear(&mut self) {
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

    fn learn(&mut self, message: HostMessage) {
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
                let event = ShellEvent::Leftovers(list.iter().map(left_process).collect());
                state.life.leftovers = list;
                state.life.leftovers_total = total;
                self.shared.announce(&mut state, event, now);
            }
            HostMessage::Gone => {
                state.life.tree_gone = true;
                if state.life.leftovers_total > 0 {
                    state.life.leftovers.clear();
                    state.life.leftovers_total = 0;
                    self.shared
                        .announce(&mut state, ShellEvent::Leftovers(Vec::new()), now);
                }
            }
            HostMessage::Hello { .. } | HostMessage::Spawned { .. } | HostMessage::Error { .. } => {
                tracing::debug!("the supervisor repeated itself");
            }
        }
    }

    /// The supervisor ended. If it did not say that the tree is gone, what is known of the tree is killed from here.
    fn host_gone(&mut self) {
        self.control = None;
        let mut state = self.shared.lock();
        if !state.life.tree_gone {
            let facts = &self.shared.facts;
            if state.life.is_running() {
                kill_if_same(facts.pid, facts.pid_start, kill_process_group);
            }
            for process in &state.life.leftovers {
                kill_if_same(process.pid, process.start, kill_process);
            }
        }
        state.life.host_gone(Instant::now());
    }

    /// Tells the supervisor to end the tree. If it cannot be told, its end is noticed and handled elsewhere.
    fn kill(&mut self, grace: Duration) {
        let grace_ms = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        if let (Some(control), Ok(line)) = (
            &mut self.control,
            crate::wire::encode(&AppMessage::Kill { grace_ms }),
        ) {
            if let Err(error) = control.write_all(&line) {
                tracing::debug!(%error, "the supervisor does not listen");
            }
        }
    }

    /// Looks for signs that the command waits for a person.
    fn look(&mut self, now: Instant) {
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
        let line = if silent {
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

    /// Makes the outcome. Leftovers may go on printing into the same files.
    fn settle(&mut self, now: Instant) {
        let mut state = self.shared.lock();
        if state.output.source() == TextSource::Picture {
            let drawn = state.output.draw_all();
            deliver(&self.shared, &mut self.clock, &mut state, drawn, now);
            let pieces: Vec<String> = state.output.text_pieces().collect();
            self.spool.rewrite_clean(pieces.iter().map(String::as_str));
        } else {
            self.spool.push_clean(&state.output.unfinished());
        }
        self.spool.flush();
        let outcome = Arc::new(self.outcome_of(&state, now));
        state.output.forget_text();
        self.shared.outcome.send_replace(Some(outcome));
        self.shared.announce(&mut state, ShellEvent::Settled, now);
        state.pump_views(now, Urgency::Now);
    }

    fn outcome_of(&self, state: &State, now: Instant) -> Outcome {
        let facts = &self.shared.facts;
        let output = if state.output.is_binary() {
            OutputText::Binary
        } else {
            OutputText::Text(state.output.excerpt(OUTCOME_CHARS))
        };
        Outcome {
            exit: state.life.exit.clone(),
            reason: state.life.reason(),
            output,
            raw_bytes: state.output.end(),
            dropped: self.spool.dropped(),
            output_file: self
                .spool
                .clean_path()
                .unwrap_or_else(|| self.spool.raw_path()),
            spool_failed: self.spool.failed(),
            leftovers: state.life.leftovers.iter().map(left_process).collect(),
            leftovers_total: state.life.leftovers_total,
            duration: state
                .life
                .ended_at()
                .unwrap_or(now)
                .saturating_duration_since(facts.started),
            timeout: facts.timeout,
            typed: state.input.typed.clone(),
        }
    }
}

impl Drop for Worker {
    /// However the thread ends: there is an outcome, the terminal is let go, and the supervisor is collected.
    fn drop(&mut self) {
        self.control = None;
        if !self.is_settled() {
            self.lock().life.host_gone(Instant::now());
            self.settle(Instant::now());
        }
        self.spool.flush();
        let mut state = self.shared.lock();
        state.served = None;
        state.pump_views(Instant::now(), Urgency::Now);
        // Nobody pumps them from here on; their end tells them.
        state.views.clear();
        drop(state);
        if let Some(script) = &self.script
            && let Err(error) = std::fs::remove_file(script)
        {
            tracing::debug!(%error, "a script stayed behind");
        }
        if let Err(error) = self.host.wait() {
            tracing::debug!(%error, "the supervisor was not collected");
        }
        self.shared.gone.send_replace(true);
    }
}

/// What a poll found.
struct Ready {
    woken: bool,
    control: bool,
    readable: bool,
    writable: bool,
}

/// Passes on what drawing brought: answers to the program, title and bell to those who watch.
fn deliver(shared: &Shared, clock: &mut Clock, state: &mut State, drawn: Drawn, now: Instant) {
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

pub(crate) fn left_process(process: &WireProcess) -> LeftProcess {
    LeftProcess {
        pid: process.pid,
        name: process.name.clone(),
    }
}

fn kill_if_same(pid: i32, start: u64, kill: impl Fn(Pid, Signal) -> rustix::io::Result<()>) {
    let same = process_tree::process(pid).is_some_and(|process| process.start == start);
    if let (true, Some(pid)) = (same, Pid::from_raw(pid))
        && let Err(error) = kill(pid, Signal::KILL)
    {
        tracing::warn!(%error, pid = pid.as_raw_pid(), "a process was left behind");
    }
}
