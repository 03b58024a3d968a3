//! The supervisor's ears: the socket to the program, and signals turned into readable bytes.
//!
//! Everything is awaited in one `poll`, so an idle supervisor costs nothing and an ended child is noticed at once.

use crate::wire::{self, AppMessage, HostMessage, Lines};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A program that does not read for this long is not there any more.
const SEND_TIMEOUT: Duration = Duration::from_secs(5);

/// What a wait brought.
pub(super) struct Heard {
    pub(super) messages: Vec<AppMessage>,
    /// The program is gone, or somebody asked this process to end.
    pub(super) hung_up: bool,
}

pub(super) struct Control {
    program: UnixStream,
    program_gone: bool,
    lines: Lines,
    signals: UnixStream,
    told_to_end: Arc<AtomicBool>,
}

impl Control {
    /// Catches the signals first, so that none falls between, then calls the program.
    pub(super) fn connect(socket: &Path) -> io::Result<Self> {
        let (signals, signal_writer) = UnixStream::pair()?;
        signals.set_nonblocking(true)?;
        let told_to_end = Arc::new(AtomicBool::new(false));
        for signal in [SIGHUP, SIGTERM, SIGINT] {
            signal_hook::flag::register(signal, Arc::clone(&told_to_end))?;
        }
        for signal in [SIGHUP, SIGTERM, SIGINT, SIGCHLD] {
            signal_hook::low_level::pipe::register(signal, signal_writer.try_clone()?)?;
        }
        let program = UnixStream::connect(socket)?;
        program.set_write_timeout(Some(SEND_TIMEOUT))?;
        Ok(Self {
            program,
            program_gone: false,
            lines: Lines::default(),
            signals,
            told_to_end,
        })
    }

    /// Sends messages in one write.
    pub(super) fn send(&mut self, messages: &[HostMessage]) -> io::Result<()> {
        let mut bytes = Vec::new();
        for message in messages {
            bytes.extend(wire::encode(message)?);
        }
        self.program.write_all(&bytes)
    }

    /// Waits for a signal, a message, or the time.
    pub(super) fn wait(&mut self, at_most: Option<Duration>) -> io::Result<Heard> {
        let timeout = at_most.map(|time| Timespec::try_from(time).unwrap_or_default());
        let program_events = if self.program_gone {
            PollFlags::empty()
        } else {
            PollFlags::IN
        };
        let mut fds = [
            PollFd::new(&self.signals, PollFlags::IN),
            PollFd::new(&self.program, program_events),
        ];
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let program_ready = !fds[1].revents().is_empty();
        self.drain_signals()?;
        let messages = if program_ready && !self.program_gone {
            self.hear()
        } else {
            Vec::new()
        };
        let hung_up = self.program_gone || self.told_to_end.load(Ordering::Relaxed);
        Ok(Heard { messages, hung_up })
    }

    fn drain_signals(&mut self) -> io::Result<()> {
        let mut buffer = [0; 64];
        loop {
            match self.signals.read(&mut buffer) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn hear(&mut self) -> Vec<AppMessage> {
        let mut buffer = [0; 4096];
        let heard = self
            .program
            .read(&mut buffer)
            .and_then(|count| match buffer.get(..count) {
                Some(bytes) if count > 0 => self.lines.push(bytes),
                _ => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
            });
        heard.unwrap_or_else(|_| {
            self.program_gone = true;
            Vec::new()
        })
    }
}
