//! The one thread of a command: reads its terminal, writes to it, hears its supervisor, keeps its time.
//!
//! It sleeps in one `poll` and is the only one that reads, so output has one order. Reading comes first: the picture is
//! drawn, a little at a time, only while the terminal has nothing to read. It ends when the command is settled and
//! nothing of it is left. Deliberately absent: any waiting for a view, a listener, or the picture.

mod clock;
mod host;
mod settle;
mod socket;
pub(crate) mod start;
mod stream;
mod terminal;

use crate::events::ShellEvent;
use crate::handle::ShellHandle;
use crate::outcome::EndReason;
use crate::output::RING_BYTES;
use crate::runtime::Passing;
use crate::screen::TerminalSize;
use crate::session::{Order, Shared, State};
use crate::shells::OnTimeout;
use crate::spool::Spool;
use crate::status::{SPOOL_FULL, StatusFile};
use crate::view::Urgency;
use crate::wire::{AppMessage, Lines};
use clock::Clock;
use portable_pty::MasterPty;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The part of its time in which a command must have printed something to be at work.
const AT_WORK_SHARE: u32 = 4;
/// More than a terminal gives in one read.
const READ_BYTES: usize = 64 * 1024;
/// What is read before anything else gets its turn.
const BURST_BYTES: usize = RING_BYTES / 2;
/// Drawn between two looks at the terminal; a fifth of a millisecond.
const DRAW_BYTES: usize = 8 * 1024;
/// Characters of each end of the text that an outcome keeps.
const OUTCOME_CHARS: usize = 30_000;
/// How old the status on disk becomes while a command runs.
const STATUS_PERIOD: Duration = Duration::from_secs(30);
/// From a polite signal to the hard one when the time is over.
const TIMEOUT_GRACE: Duration = Duration::from_millis(200);

/// What the thread owns alone.
pub(crate) struct Worker {
    shared: Arc<Shared>,
    terminal: Arc<OwnedFd>,
    /// `None` where the command writes into a pipe.
    pty: Option<Box<dyn MasterPty + Send>>,
    host: Child,
    control: Option<UnixStream>,
    lines: Lines,
    wake: UnixStream,
    spool: Spool,
    status: StatusFile,
    /// When the status is written the next time, unless something happens before.
    status_at: Instant,
    /// The command, if it is run from a file.
    script: Option<Passing>,
    /// Since when the command is not in the process table, though nobody said that it ended.
    missing_since: Option<Instant>,
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
        let interrupted = self.pty.is_none() && state.input.give_up();
        drop(state);
        if interrupted {
            self.interrupt();
        }
        for order in orders {
            match order {
                Order::Stop { grace } => self.clock.kill_later(now, grace),
                Order::Kill { grace } => self.kill(grace),
                Order::LetGo => self.send(&AppMessage::LetGo),
                Order::KeepText => self.spool.keep_clean(),
            }
        }
        if let Some(size) = size {
            self.resize(size, now);
        }
    }

    fn resize(&mut self, size: TerminalSize, now: Instant) {
        if let Some(pty) = &self.pty
            && let Err(error) = pty.resize(terminal::pty_size(size))
        {
            tracing::debug!(%error, "the terminal kept its size");
        }
        let mut state = self.shared.lock();
        let drawn = state.output.draw_all();
        stream::deliver(&self.shared, &mut self.clock, &mut state, drawn, now);
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
        let due = self.clock.due(now, &state, self.shared.timeout());
        for event in due.events {
            self.shared.announce(&mut state, event, now);
        }
        let moves = due.timed_out && self.may_outlive_timeout(&state, now);
        if moves {
            self.shared.outlived_timeout.store(true, Ordering::Release);
            self.shared.move_to_background(&mut state);
        } else if due.timed_out {
            state.life.stop(EndReason::TimedOut);
        }
        drop(state);
        if due.timed_out && !moves {
            self.kill(TIMEOUT_GRACE);
        }
        if let Some(grace) = due.kill {
            self.kill(grace);
        }
        if due.look {
            self.look(now);
            self.check_process(now);
        }
        if !self.is_settled() && settles_at.is_some_and(|at| at <= now) {
            self.settle(now);
        } else if now >= self.status_at {
            self.write_status(now);
        }
        next_view
    }

    /// Says on disk that it runs, or still does.
    fn write_status(&mut self, now: Instant) {
        self.status_at = now + STATUS_PERIOD;
        let running = self.lock().life.is_running();
        if running {
            let full = self.spool.failed().then_some(SPOOL_FULL);
            self.status
                .running(self.shared.facts.identity.command.pid, full);
        }
    }

    fn may_outlive_timeout(&self, state: &State, now: Instant) -> bool {
        let silence = now.saturating_duration_since(state.life.last_output);
        match self.shared.facts.on_timeout {
            OnTimeout::Kill => false,
            OnTimeout::MoveIfActive { silence: longest } => {
                let timeout = self.shared.timeout().unwrap_or(Duration::MAX);
                let longest = longest.min(timeout / AT_WORK_SHARE);
                state.output.end() > 0 && silence <= longest && !state.waiting
            }
            OnTimeout::Move => true,
        }
    }

    /// How long nothing has to be done.
    fn wait(&self, now: Instant, next_view: Option<Instant>) -> Option<Duration> {
        if self.is_finished() {
            return Some(Duration::ZERO);
        }
        let state = self.lock();
        let (settles_at, status_at) = if self.is_settled() {
            (None, None)
        } else {
            (state.life.settles_at(), Some(self.status_at))
        };
        let next = [
            next_view,
            settles_at,
            status_at,
            self.clock.next(&state, self.shared.timeout()),
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
        self.script = None;
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
