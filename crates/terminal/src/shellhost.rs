//! The supervisor of one command: a small process between the program and the shell.
//!
//! It leads the terminal's session, so that jobs put in the background outlive the shell, and on Linux it adopts every
//! orphan below it, so that "nothing is left" is something the kernel answers (`ECHILD`) and no walk can miss. When the
//! program goes away, however it goes, the terminal hangs up and the control socket ends: either ends the whole tree.
//! Single-threaded, no runtime: it starts for every command. Deliberately absent: terminal bytes, which it never reads.

mod child;
mod control;
mod kill;
mod walls;

use crate::outcome::Exit;
use crate::process_tree::{self, Process};
use crate::status::{self, Orphaned};
use crate::wire::{AppMessage, HostConfig, HostMessage, MAX_LEFTOVERS, WireProcess};
use control::Control;
use kill::KillPlan;
use rustix::process::{Pid, WaitOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use walls::Keeper;

/// The first argument that makes a program a supervisor; the second is the path of its `host.json`.
pub const SHELLHOST_ARG: &str = "--shellhost";
/// Exit code of a supervisor that was called by hand.
pub const SHELLHOST_MISUSED: i32 = 2;

/// Exit code of a supervisor that could not do its work; the reason went to the program, if it could be reached.
const EXIT_FAILED: i32 = 1;
/// From the first polite signal to the hard one when the program went away; nobody waits for a longer good-bye.
const ABANDONED_GRACE: Duration = Duration::from_millis(200);
/// When the list of leftovers is looked at again for the first time: soon, because a process that was just forked still
/// has its parent's name.
const LEFTOVERS_FIRST: Duration = Duration::from_millis(50);
/// And from then on.
const LEFTOVERS_PERIOD: Duration = Duration::from_secs(2);

/// Runs the supervisor if this process was started as one, and gives its exit code. Every program that starts shells
/// calls this first in `main`, before a runtime, a window or a log exists.
#[must_use]
pub fn run_shellhost_if_requested() -> Option<i32> {
    let mut args = std::env::args_os().skip(1);
    if args.next()? != SHELLHOST_ARG {
        return None;
    }
    let Some(config) = args.next() else {
        return Some(SHELLHOST_MISUSED);
    };
    Some(match supervise(Path::new(&config)) {
        Ok(()) => 0,
        Err(_) => EXIT_FAILED,
    })
}

fn supervise(config_path: &Path) -> io::Result<()> {
    child::lead_session()?;
    let text = std::fs::read(config_path)?;
    std::fs::remove_file(config_path)?;
    let config: HostConfig = serde_json::from_slice(&text)?;
    if config.token.is_empty() {
        return Err(io::Error::from(io::ErrorKind::InvalidData));
    }
    adopt_orphans()?;
    child::reset_signals();
    let mut control = Control::connect(&config.socket)?;
    let own_pid = rustix::process::getpid().as_raw_pid();
    let hello = HostMessage::Hello {
        token: config.token.clone(),
        pid: own_pid,
    };
    let keeper = config.sandbox.as_ref().map(Keeper::before).transpose();
    match keeper.and_then(|keeper| Ok((child::spawn(&config)?, keeper))) {
        Ok((pid, keeper)) => {
            let start = process_tree::process(pid.as_raw_pid()).map_or(0, |process| process.start);
            let mut supervisor = Supervisor::new(control, pid, config.status_file, keeper);
            supervisor.tell(&[
                hello,
                HostMessage::Spawned {
                    pid: pid.as_raw_pid(),
                    start,
                },
            ]);
            supervisor.run()
        }
        Err(error) => control.send(&[
            hello,
            HostMessage::Error {
                message: error.to_string(),
            },
        ]),
    }
}

/// From here on every orphan below this process becomes its child.
#[cfg(target_os = "linux")]
fn adopt_orphans() -> io::Result<()> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(())
}

/// No such thing here; process groups have to do.
#[cfg(not(target_os = "linux"))]
#[expect(
    clippy::unnecessary_wraps,
    reason = "the other platform's version can fail"
)]
fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

struct Supervisor {
    control: Control,
    own_pid: i32,
    command: Pid,
    exit: Option<Exit>,
    status_file: PathBuf,
    keeper: Option<Keeper>,
    kill: Option<KillPlan>,
    abandoned: bool,
    /// The command ended before the program was gone.
    own_end: bool,
    told_leftovers: Vec<WireProcess>,
    look_again: Duration,
}

impl Supervisor {
    fn new(control: Control, command: Pid, status_file: PathBuf, keeper: Option<Keeper>) -> Self {
        Self {
            control,
            own_pid: rustix::process::getpid().as_raw_pid(),
            command,
            exit: None,
            status_file,
            keeper,
            kill: None,
            abandoned: false,
            own_end: false,
            told_leftovers: Vec::new(),
            look_again: LEFTOVERS_FIRST,
        }
    }

    fn run(mut self) -> io::Result<()> {
        loop {
            let mut news = Vec::new();
            let all_gone = self.reap(&mut news)?;
            if all_gone {
                let_terminal_go();
                news.extend(self.keeper.take().and_then(Keeper::after));
                news.push(HostMessage::Gone);
            } else if self.exit.is_some() && self.kill.is_none() {
                news.extend(self.leftovers());
            }
            self.tell(&news);
            if all_gone {
                self.note_orphaned(0);
                return Ok(());
            }
            let wait = match &mut self.kill {
                Some(plan) if plan.is_over(Instant::now()) => return self.give_up(),
                Some(plan) => Some(plan.round(self.own_pid, self.command, Instant::now())),
                None if self.exit.is_some() => {
                    Some(std::mem::replace(&mut self.look_again, LEFTOVERS_PERIOD))
                }
                None => None,
            };
            let heard = self.control.wait(wait)?;
            if heard.hung_up {
                self.abandon();
            }
            for message in heard.messages {
                match message {
                    AppMessage::Kill { grace_ms } => {
                        self.start_kill(Duration::from_millis(grace_ms));
                    }
                    AppMessage::LetGo if self.may_let_go() => return self.let_go(),
                    // What runs is not let go: it ends with the program.
                    AppMessage::LetGo => {}
                }
            }
        }
    }

    fn may_let_go(&self) -> bool {
        self.exit.is_some() && self.kill.is_none() && !self.abandoned
    }

    /// Ends without ending what is left. The system tells whoever is in front of the terminal when its leader goes, so
    /// that is this process alone.
    fn let_go(mut self) -> io::Result<()> {
        let mut news: Vec<HostMessage> = self.leftovers().into_iter().collect();
        news.extend(self.keeper.as_ref().and_then(Keeper::check));
        news.push(HostMessage::LetGo);
        child::stand_in_front();
        self.control.send(&news)
    }

    /// Collects the dead. True when no child is left, which on Linux means that no descendant is.
    fn reap(&mut self, news: &mut Vec<HostMessage>) -> io::Result<bool> {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.command => {
                    let exit = Exit {
                        code: status.exit_status(),
                        signal: status.terminating_signal(),
                    };
                    news.extend(self.keeper.as_ref().and_then(Keeper::check));
                    news.push(HostMessage::Exit {
                        code: exit.code,
                        signal: exit.signal,
                    });
                    self.exit = Some(exit);
                }
                Ok(Some(_)) => {}
                Ok(None) => return Ok(false),
                Err(rustix::io::Errno::CHILD) => return Ok(!self.group_lives()),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Without a subreaper the members of the command's group may outlive their parents unseen.
    fn group_lives(&self) -> bool {
        cfg!(not(target_os = "linux"))
            && rustix::process::test_kill_process_group(self.command).is_ok()
    }

    /// What still runs, if that changed since it was last told.
    fn leftovers(&mut self) -> Option<HostMessage> {
        let processes = process_tree::descendants(self.own_pid);
        let list: Vec<WireProcess> = processes
            .iter()
            .take(MAX_LEFTOVERS)
            .map(wire_process)
            .collect();
        if !list.is_empty() && list == self.told_leftovers {
            return None;
        }
        self.told_leftovers.clone_from(&list);
        Some(HostMessage::Leftovers {
            list,
            total: processes.len(),
        })
    }

    /// A program that cannot be told is gone.
    fn tell(&mut self, news: &[HostMessage]) {
        if !news.is_empty() && !self.abandoned && self.control.send(news).is_err() {
            self.abandon();
        }
    }

    fn abandon(&mut self) {
        if !self.abandoned {
            self.abandoned = true;
            self.own_end = self.exit.is_some();
            self.start_kill(ABANDONED_GRACE);
            let leftovers = process_tree::descendants(self.own_pid).len();
            self.note_orphaned(leftovers);
        }
    }

    /// The next start of the program reads this instead of guessing.
    fn note_orphaned(&self, leftovers: usize) {
        if !self.abandoned {
            return;
        }
        let orphaned = Orphaned {
            own_end: self.exit.as_ref().filter(|_| self.own_end),
            exit: self.exit.as_ref(),
            leftovers,
        };
        if let Err(error) = status::note_orphaned(&self.status_file, &orphaned) {
            tracing::debug!(%error, "the status file could not be written");
        }
    }

    fn start_kill(&mut self, grace: Duration) {
        let now = Instant::now();
        match &mut self.kill {
            Some(plan) => plan.hasten(grace, now),
            None => self.kill = Some(KillPlan::new(grace, now)),
        }
    }

    /// Something cannot be killed: it waits in the kernel, or belongs to somebody else. Name it and end.
    fn give_up(mut self) -> io::Result<()> {
        self.told_leftovers.clear();
        let survivors = self.leftovers();
        self.note_orphaned(self.told_leftovers.len());
        self.tell(&survivors.into_iter().collect::<Vec<_>>());
        Ok(())
    }
}

/// Nobody else holds it any more, so this ends the output; it happens sooner here than at the end of this process.
fn let_terminal_go() {
    let Ok(nothing) = std::fs::File::open("/dev/null") else {
        return;
    };
    // A descriptor that cannot be replaced goes with the process.
    rustix::stdio::dup2_stdin(&nothing).ok();
    rustix::stdio::dup2_stdout(&nothing).ok();
    rustix::stdio::dup2_stderr(&nothing).ok();
}

fn wire_process(process: &Process) -> WireProcess {
    WireProcess {
        pid: process.pid,
        name: process.name.clone(),
        start: process.start,
    }
}
