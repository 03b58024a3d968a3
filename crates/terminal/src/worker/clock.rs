//! What a command's thread does because time passed: the time limit, warnings, looks at a silent terminal.
//!
//! All times are monotonic and passed in. Deliberately absent: sleeping, which is the thread's `poll`.

use crate::events::ShellEvent;
use crate::process_tree;
use crate::session::State;
use std::time::{Duration, Instant};

/// Silence after which a command may be waiting for input.
pub(super) const PROMPT_IDLE: Duration = Duration::from_millis(1500);

/// What is left of the time when people are warned: this, or a fifth of it if that is less.
const TIMEOUT_WARN_LEAD: Duration = Duration::from_secs(15);
const TIMEOUT_WARN_SHARE: u32 = 5;
/// Silence that is worth a word, again and again.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// From Ctrl-C to the signals, when a command is stopped. Most end by the former, and some have to tidy up.
const INTERRUPT_LEAD: Duration = Duration::from_secs(2);
/// Between two changes of size; a dragged border makes a hundred a second.
const RESIZE_PERIOD: Duration = Duration::from_millis(50);
/// Between two bells.
const BELL_PERIOD: Duration = Duration::from_secs(1);
/// When a silent terminal is looked at: soon, for a password prompt, and then ever less.
const LOOKS: [Duration; 3] = [
    Duration::from_millis(30),
    Duration::from_millis(300),
    PROMPT_IDLE,
];
/// Between two looks after those.
const LOOK_PERIOD: Duration = Duration::from_secs(1);
/// Longest line that is shown as what a command waits with, in characters.
const MAX_PROMPT_CHARS: usize = 200;

/// Words and ends of a line that ask somebody. A hint is cheap when wrong, and so is the test.
const PROMPT_WORDS: [&str; 5] = ["password", "passphrase", "y/n", "yes/no", "continue"];
const PROMPT_ENDS: [char; 5] = ['?', ':', ']', ')', '>'];
/// Where a process sleeps that reads a terminal, or waits to, as Linux names it.
const READING_CHANNELS: [&str; 5] = [
    "n_tty_read",
    "wait_woken",
    "poll_schedule",
    "select",
    "ep_poll",
];

/// The times of one command.
#[derive(Debug)]
pub(super) struct Clock {
    started: Instant,
    warned: bool,
    timed_out: bool,
    kill_at: Option<(Instant, Duration)>,
    resized_at: Option<Instant>,
    rang_at: Option<Instant>,
    active_at: Instant,
    looks: usize,
    look_at: Instant,
    heartbeat_at: Instant,
}

/// What is due.
#[derive(Debug, Default)]
pub(super) struct Due {
    pub(super) events: Vec<ShellEvent>,
    pub(super) timed_out: bool,
    pub(super) kill: Option<Duration>,
    pub(super) look: bool,
}

impl Clock {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            started: now,
            warned: false,
            timed_out: false,
            kill_at: None,
            resized_at: None,
            rang_at: None,
            active_at: now,
            looks: 0,
            look_at: now + LOOKS[0],
            heartbeat_at: now + HEARTBEAT,
        }
    }

    /// Something was printed or typed.
    pub(super) fn active(&mut self, now: Instant) {
        self.active_at = now;
        self.looks = 0;
        self.look_at = now + LOOKS[0];
        self.heartbeat_at = now + HEARTBEAT;
    }

    /// Signals follow if Ctrl-C does not help.
    pub(super) fn kill_later(&mut self, now: Instant, grace: Duration) {
        self.kill_at = Some((now + INTERRUPT_LEAD, grace));
    }

    pub(super) fn may_resize(&mut self, now: Instant, wanted: bool) -> bool {
        let may = wanted && self.resized_at.is_none_or(|at| now >= at + RESIZE_PERIOD);
        if may {
            self.resized_at = Some(now);
        }
        may
    }

    pub(super) fn may_ring(&mut self, now: Instant) -> bool {
        let may = self.rang_at.is_none_or(|at| now >= at + BELL_PERIOD);
        if may {
            self.rang_at = Some(now);
        }
        may
    }

    /// What has to happen now. Nothing is due twice.
    pub(super) fn due(&mut self, now: Instant, state: &State, timeout: Option<Duration>) -> Due {
        let mut due = Due::default();
        if let Some((at, grace)) = self.kill_at
            && now >= at
        {
            self.kill_at = None;
            due.kill = Some(grace);
        }
        if !state.life.is_running() {
            return due;
        }
        if let Some((deadline, lead)) =
            timeout.map(|timeout| (self.started + timeout, warn_lead(timeout)))
        {
            let remaining = deadline.saturating_duration_since(now);
            due.timed_out =
                remaining.is_zero() && !std::mem::replace(&mut self.timed_out, remaining.is_zero());
            if remaining <= lead
                && !std::mem::replace(&mut self.warned, true)
                && !remaining.is_zero()
            {
                due.events.push(ShellEvent::TimeoutWarning { remaining });
            }
        }
        if now >= self.look_at {
            due.look = true;
            self.looks += 1;
            self.look_at = LOOKS
                .get(self.looks)
                .map_or(now + LOOK_PERIOD, |after| self.active_at + *after);
        }
        if now >= self.heartbeat_at {
            self.heartbeat_at = now + HEARTBEAT;
            let idle = now.saturating_duration_since(state.life.last_output);
            let elapsed = now.saturating_duration_since(self.started);
            due.events.push(ShellEvent::Quiet {
                elapsed,
                idle,
                bytes: state.output.end(),
            });
        }
        due
    }

    /// The next time something will be due.
    pub(super) fn next(&self, state: &State, timeout: Option<Duration>) -> Option<Instant> {
        let kill = self.kill_at.map(|(at, _)| at);
        let resize = state
            .resize_to
            .and(self.resized_at)
            .map(|at| at + RESIZE_PERIOD);
        let mut times = vec![kill, resize];
        if state.life.is_running() {
            let deadline = timeout.map(|timeout| self.started + timeout);
            let warning = timeout
                .filter(|_| !self.warned)
                .map(|timeout| self.started + (timeout - warn_lead(timeout)));
            times.extend([
                deadline.filter(|_| !self.timed_out),
                warning,
                Some(self.look_at),
                Some(self.heartbeat_at),
            ]);
        }
        times.into_iter().flatten().min()
    }
}

fn warn_lead(timeout: Duration) -> Duration {
    TIMEOUT_WARN_LEAD.min(timeout / TIMEOUT_WARN_SHARE)
}

/// The line a silent command seems to wait with; `None` if it does not seem to.
pub(super) fn waiting_line(state: &State) -> Option<String> {
    if !state.life.is_running() {
        return None;
    }
    let line = state.output.prompt_line().unwrap_or_default();
    (is_prompt(&line) || !state.echo).then_some(())?;
    terminal_is_read(state).then(|| line.chars().take(MAX_PROMPT_CHARS).collect())
}

fn is_prompt(line: &str) -> bool {
    let line = line.trim_end().to_lowercase();
    line.ends_with(PROMPT_ENDS) || PROMPT_WORDS.iter().any(|word| line.contains(word))
}

/// False only if the system says that everybody in front of the terminal is busy with something else.
fn terminal_is_read(state: &State) -> bool {
    let group = state
        .served
        .as_ref()
        .and_then(|served| rustix::termios::tcgetpgrp(&served.terminal).ok());
    let Some(group) = group.map(rustix::process::Pid::as_raw_pid) else {
        return true;
    };
    let members = process_tree::processes()
        .into_iter()
        .filter(|process| process.pgrp == group);
    let channels: Vec<String> = members
        .filter_map(|process| std::fs::read_to_string(format!("/proc/{}/wchan", process.pid)).ok())
        .collect();
    let unknown = channels
        .iter()
        .all(|channel| matches!(channel.as_str(), "" | "0"));
    unknown
        || channels.iter().any(|channel| {
            READING_CHANNELS
                .iter()
                .any(|reading| channel.contains(reading))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_ask_are_told_from_lines_that_do_not() {
        let check = |line: &str, expected| assert_eq!(is_prompt(line), expected, "{line:?}");
        check("Ok to proceed? (y/N) ", true);
        check("Password: ", true);
        check("[sudo] password for dev", true);
        check(">>> ", true);
        check("Press Enter to Continue", true);
        check("Compiling 12 of 40", false);
        check("", false);
    }

    #[test]
    fn resizes_and_bells_are_rate_limited() {
        let now = Instant::now();
        let mut clock = Clock::new(now);
        assert!(!clock.may_resize(now, false));
        assert!(clock.may_resize(now, true));
        assert!(!clock.may_resize(now + Duration::from_millis(49), true));
        assert!(clock.may_resize(now + Duration::from_millis(50), true));
        assert!(clock.may_ring(now) && !clock.may_ring(now + Duration::from_millis(999)));
        assert!(clock.may_ring(now + Duration::from_millis(1000)));
    }

    /// A state nobody serves.
    fn state(started: Instant) -> std::sync::Arc<crate::session::Shared> {
        let (waker, _) = std::os::unix::net::UnixStream::pair().unwrap();
        let terminal = std::sync::Arc::new(std::fs::File::open("/dev/null").unwrap().into());
        let facts = crate::session::Facts {
            id: protocol::ids::ShellId("s".into()),
            owner: String::new(),
            command: String::new(),
            cwd: "/".into(),
            medium: crate::outcome::Medium::Terminal,
            sandbox: None,
            identity: crate::aftermath::ShellIdentity::of(
                crate::aftermath::ProcessIdentity::of(0),
                crate::aftermath::ProcessIdentity::of(0),
            ),
            spool_dir: "/".into(),
            started,
            timeout: None,
            on_timeout: crate::shells::OnTimeout::Kill,
        };
        let served = crate::session::Served { terminal, waker };
        std::sync::Arc::new(crate::session::Shared::new(
            facts,
            crate::screen::TerminalSize::default(),
            crate::shells::Place::Foreground,
            served,
        ))
    }

    /// Milliseconds at which something was due, waking only when the clock says so.
    fn due_at(timeout: Option<Duration>, until: u64, wanted: impl Fn(&Due) -> bool) -> Vec<u64> {
        let started = Instant::now();
        let (shared, mut clock) = (state(started), Clock::new(started));
        let mut times = Vec::new();
        loop {
            let state = shared.lock();
            let now = clock.next(&state, timeout).unwrap();
            let ms = u64::try_from((now - started).as_millis()).unwrap();
            if ms > until {
                return times;
            }
            if wanted(&clock.due(now, &state, timeout)) {
                times.push(ms);
            }
        }
    }

    #[test]
    fn a_silent_terminal_is_looked_at_ever_less() {
        assert_eq!(
            due_at(None, 3600, |due| due.look),
            [30, 300, 1500, 2500, 3500]
        );
    }

    #[test]
    fn silence_is_told_again_and_again() {
        let quiet = |due: &Due| {
            due.events
                .iter()
                .any(|event| matches!(event, ShellEvent::Quiet { .. }))
        };
        assert_eq!(due_at(None, 35_000, quiet), [10_000, 20_000, 30_000]);
    }

    #[test]
    fn the_time_is_over_once_and_warned_of_once() {
        let minute = Some(Duration::from_secs(60));
        let warned = |due: &Due| {
            due.events
                .iter()
                .any(|event| matches!(event, ShellEvent::TimeoutWarning { .. }))
        };
        assert_eq!(due_at(minute, 70_000, |due| due.timed_out), [60_000]);
        assert_eq!(due_at(minute, 70_000, warned), [48_000]);
        let long = Some(Duration::from_secs(600));
        assert_eq!(
            due_at(long, 610_000, warned),
            [585_000],
            "a quarter of a minute is enough"
        );
    }
}
