//! What the thread of a command and everybody who holds its handle share.
//!
//! One lock, never held while something is awaited or read; the thread changes the state, handles ask and leave orders.
//! It stays readable after the end, when the thread is gone.

use crate::aftermath::ShellIdentity;
use crate::events::{ShellEvent, TerminalFrame};
use crate::input::{Input, LineMode};
use crate::life::Life;
use crate::outcome::{EndReason, Medium, Outcome};
use crate::output::Output;
use crate::screen::TerminalSize;
use crate::shells::{OnTimeout, Place};
use crate::view::{Pumped, Urgency, View};
use protocol::ids::ShellId;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, watch};

/// Events that may wait for a slow listener; it misses the oldest beyond that and is told so.
const EVENT_BACKLOG: usize = 256;

/// What does not change while a command runs.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) id: ShellId,
    pub(crate) owner: String,
    pub(crate) command: String,
    pub(crate) cwd: PathBuf,
    pub(crate) medium: Medium,
    pub(crate) sandbox: Option<sandbox::Policy>,
    pub(crate) identity: ShellIdentity,
    pub(crate) spool_dir: PathBuf,
    pub(crate) started: Instant,
    pub(crate) timeout: Option<Duration>,
    pub(crate) on_timeout: OnTimeout,
}

/// What a handle wants the thread to do.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Order {
    /// Ctrl-C, and the tree's end some time later.
    Stop { grace: Duration },
    /// The tree's end.
    Kill { grace: Duration },
    /// The supervisor's end alone, once the command ended.
    LetGo,
    /// Readable text on disk, however short it is.
    KeepText,
}

/// What changes.
pub(crate) struct State {
    pub(crate) output: Output,
    pub(crate) views: Vec<View>,
    pub(crate) next_view: u64,
    pub(crate) input: Input,
    pub(crate) life: Life,
    pub(crate) orders: Vec<Order>,
    pub(crate) resize_to: Option<TerminalSize>,
    pub(crate) title: Option<String>,
    pub(crate) echo: bool,
    pub(crate) waiting: bool,
    /// What there is while a thread serves the terminal.
    pub(crate) served: Option<Served>,
}

/// The thread's terminal, and the way to make it look at the state.
pub(crate) struct Served {
    pub(crate) terminal: Arc<OwnedFd>,
    pub(crate) waker: UnixStream,
}

/// Both, and the ways to hear about changes.
pub(crate) struct Shared {
    pub(crate) facts: Facts,
    state: Mutex<State>,
    events: broadcast::Sender<ShellEvent>,
    pub(crate) outcome: watch::Sender<Option<Arc<Outcome>>>,
    /// Whether somebody waits for the end; it changes once at most.
    pub(crate) place: watch::Sender<Place>,
    /// Its time was over, and it went on in the background.
    pub(crate) outlived_timeout: AtomicBool,
    /// Somebody took it on to tell of the end.
    pub(crate) told: AtomicBool,
    /// Nothing of it is left, and nobody serves it any more.
    pub(crate) gone: watch::Sender<bool>,
}

impl Shared {
    pub(crate) fn new(facts: Facts, size: TerminalSize, place: Place, served: Served) -> Self {
        let state = State {
            output: Output::new(size),
            views: Vec::new(),
            next_view: 0,
            input: Input::new(),
            life: Life::new(facts.started),
            orders: Vec::new(),
            resize_to: None,
            title: None,
            echo: true,
            waiting: false,
            served: Some(served),
        };
        Self {
            facts,
            state: Mutex::new(state),
            events: broadcast::channel(EVENT_BACKLOG).0,
            outcome: watch::channel(None).0,
            place: watch::channel(place).0,
            outlived_timeout: AtomicBool::new(false),
            told: AtomicBool::new(false),
            gone: watch::channel(false).0,
        }
    }

    /// The state. A thread that panicked while it held it leaves it usable: every change is small.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on nobody waits for the end.
    pub(crate) fn move_to_background(&self, state: &mut State) {
        if self.place.send_replace(Place::Background) == Place::Foreground {
            state.orders.push(Order::KeepText);
            self.announce(state, ShellEvent::MovedToBackground, Instant::now());
            state.wake();
        }
    }

    /// How long it may run. In the background there is no limit.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        match *self.place.borrow() {
            Place::Foreground => self.facts.timeout,
            Place::Background => None,
        }
    }

    /// Leaves an order and the reason for the end it will bring.
    pub(crate) fn order(&self, order: Order, reason: EndReason) {
        let mut state = self.lock();
        state.life.stop(reason);
        state.orders.push(order);
        if let Order::Stop { .. } = order {
            state.input.interrupt();
        }
        state.wake();
    }

    pub(crate) fn listen(&self) -> broadcast::Receiver<ShellEvent> {
        self.events.subscribe()
    }

    /// Tells everybody, views behind all output so far.
    pub(crate) fn announce(&self, state: &mut State, event: ShellEvent, now: Instant) {
        state.pump_views(now, Urgency::Now);
        for view in &mut state.views {
            view.send(TerminalFrame::Event(event.clone()));
        }
        // Nobody listening is usual.
        self.events.send(event).ok();
    }
}

impl State {
    /// Makes the thread look at the state, once it is unlocked.
    pub(crate) fn wake(&self) {
        if let Some(served) = &self.served {
            // Full means that it will wake anyway.
            (&served.waker).write_all(&[1]).ok();
        }
    }

    /// Sends views what is due, and gives the next time something will be.
    pub(crate) fn pump_views(&mut self, now: Instant, urgency: Urgency) -> Option<Instant> {
        let ring = self.output.ring();
        let mut next: Option<Instant> = None;
        self.views
            .retain_mut(|view| match view.pump(ring, now, urgency) {
                Pumped::Ended => false,
                Pumped::Again(at) => {
                    next = [next, at].into_iter().flatten().min();
                    true
                }
            });
        next
    }

    /// How the terminal treats keys at this moment, or did before it was closed.
    pub(crate) fn line_mode(&self) -> LineMode {
        let modes = self
            .served
            .as_ref()
            .and_then(|served| rustix::termios::tcgetattr(&served.terminal).ok());
        modes.map_or(
            LineMode {
                echo: true,
                canonical: false,
            },
            |modes| LineMode {
                echo: modes
                    .local_modes
                    .contains(rustix::termios::LocalModes::ECHO),
                canonical: modes
                    .local_modes
                    .contains(rustix::termios::LocalModes::ICANON),
            },
        )
    }
}
