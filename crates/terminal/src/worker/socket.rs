//! The supervisor's call back: a socket only it knows, and the first words that prove it.

use crate::runtime::{TOKEN_BYTES, random_token};
use crate::wire::{HostMessage, Lines};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A supervisor that did not report by then does not work.
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest path a socket can have everywhere (104 on macOS, 108 on Linux).
const SOCKET_PATH_MAX_BYTES: usize = 100;

/// The socket one supervisor calls; its path goes when this does.
pub(super) struct Socket {
    listener: UnixListener,
    pub(super) path: PathBuf,
}

/// A supervisor that proved itself, and what it said.
pub(super) struct Report {
    pub(super) control: UnixStream,
    pub(super) lines: Lines,
    pub(super) pid: i32,
    pub(super) pid_start: u64,
    /// What came with the report: a short command may have ended already.
    pub(super) early: Vec<HostMessage>,
}

impl Socket {
    pub(super) fn listen(runtime_dir: &Path) -> io::Result<Self> {
        let mut name = random_token()?;
        name.truncate(TOKEN_BYTES);
        let path = runtime_dir.join(name);
        if path.as_os_str().len() > SOCKET_PATH_MAX_BYTES {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("{} is too long for a socket", path.display()),
            ));
        }
        let listener = UnixListener::bind(&path)?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener, path })
    }

    /// Waits for the supervisor with the right token to say that the command runs.
    pub(super) fn accept(&self, terminal: &OwnedFd, token: &str) -> io::Result<Report> {
        let deadline = Instant::now() + HELLO_TIMEOUT;
        loop {
            await_readable(&self.listener, terminal, deadline)?;
            let (stream, _) = match self.listener.accept() {
                Ok(accepted) => accepted,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                Err(error) => return Err(error),
            };
            stream.set_nonblocking(false)?;
            if let Some(report) = hear_report(stream, terminal, token, deadline)? {
                return Ok(report);
            }
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::debug!(%error, "a socket stayed behind");
        }
    }
}

/// Reads the first messages; `None` if whoever calls does not know the token.
fn hear_report(
    mut stream: UnixStream,
    terminal: &OwnedFd,
    token: &str,
    deadline: Instant,
) -> io::Result<Option<Report>> {
    let (mut lines, mut known) = (Lines::default(), false);
    let mut buffer = [0; 4096];
    loop {
        await_readable(&stream, terminal, deadline)?;
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the supervisor ended at once",
            ));
        }
        let mut messages = lines
            .push::<HostMessage>(buffer.get(..count).unwrap_or_default())?
            .into_iter();
        while let Some(message) = messages.next() {
            match message {
                HostMessage::Hello { token: told, .. } if told == token => known = true,
                HostMessage::Spawned {
                    pid,
                    start: pid_start,
                } if known => {
                    let early = messages.collect();
                    return Ok(Some(Report {
                        control: stream,
                        lines,
                        pid,
                        pid_start,
                        early,
                    }));
                }
                HostMessage::Error { message } if known => return Err(io::Error::other(message)),
                HostMessage::Hello { .. }
                | HostMessage::Spawned { .. }
                | HostMessage::Error { .. }
                | HostMessage::Exit { .. }
                | HostMessage::Leftovers { .. }
                | HostMessage::Touched { .. }
                | HostMessage::LetGo
                | HostMessage::Gone => return Ok(None),
            }
        }
    }
}

/// Waits until there is something to read. A terminal that hangs up meanwhile says that the supervisor died.
fn await_readable(
    source: &impl std::os::fd::AsFd,
    terminal: &OwnedFd,
    deadline: Instant,
) -> io::Result<()> {
    loop {
        let remaining = deadline.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the supervisor did not report",
            ));
        }
        let timeout = Timespec::try_from(remaining).unwrap_or_default();
        let mut fds = [
            PollFd::new(source, PollFlags::IN),
            PollFd::new(terminal, PollFlags::empty()),
        ];
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if !fds[0].revents().is_empty() {
            return Ok(());
        }
        if fds[1].revents().contains(PollFlags::HUP) {
            return Err(io::Error::new(
                io::ErrorKind::BrokenPipe,
                "the supervisor ended at once",
            ));
        }
    }
}
