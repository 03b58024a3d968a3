//! Opening a terminal: the side that is kept, and the side the supervisor gets. Where the system has no terminal left,
//! a pipe does for output, and nothing for input.

use crate::screen::TerminalSize;
use crate::shells::Terminals;
use portable_pty::{MasterPty, PtySize, native_pty_system};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

/// A new terminal.
pub(super) struct Terminal {
    /// The library's handle; `None` for a pipe.
    pub(super) pty: Option<Box<dyn MasterPty + Send>>,
    /// The descriptor behind it, to be waited for with others. The library's own writer types an end of input when it
    /// is dropped, and its reader only blocks.
    pub(super) master: OwnedFd,
    /// Where the command reads.
    pub(super) input: OwnedFd,
    /// Where it writes. Whoever holds it delays the end of the output, so it has to be given away.
    pub(super) output: OwnedFd,
}

impl Terminal {
    /// A terminal if there is one to be had.
    pub(super) fn open(size: TerminalSize, terminals: Terminals) -> io::Result<Self> {
        let opened = match terminals {
            Terminals::Opened => Self::open_pty(size),
            Terminals::Refused => Err(io::Error::from(rustix::io::Errno::NOSPC)),
        };
        opened.or_else(|error| {
            tracing::warn!(%error, "there is no terminal for a command; it gets a pipe");
            Self::open_pipe()
        })
    }

    /// Both kinds of output go into one pipe, which keeps their order.
    fn open_pipe() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        Ok(Self {
            pty: None,
            master: reader.into(),
            input: std::fs::File::open("/dev/null")?.into(),
            output: writer.into(),
        })
    }

    fn open_pty(size: TerminalSize) -> io::Result<Self> {
        let pair = native_pty_system()
            .openpty(pty_size(size))
            .map_err(io::Error::other)?;
        let master = master_of(&*pair.master)?;
        let slave = slave_of(&master, &*pair.master)?;
        correct_whole_characters(&slave)?;
        Ok(Self {
            pty: Some(pair.master),
            master,
            input: slave.try_clone()?,
            output: slave,
        })
    }
}

/// A size in the library's terms.
pub(super) fn pty_size(size: TerminalSize) -> PtySize {
    PtySize {
        rows: size.rows(),
        cols: size.cols(),
        pixel_width: 0,
        pixel_height: 0,
    }
}

fn master_of(pty: &dyn MasterPty) -> io::Result<OwnedFd> {
    let raw = pty.as_raw_fd().ok_or(io::ErrorKind::Unsupported)?;
    // SAFETY: `pty` owns the descriptor and is borrowed for this whole function, so it stays open.
    #[expect(unsafe_code, reason = "portable-pty only gives the number")]
    let borrowed = unsafe { BorrowedFd::borrow_raw(raw) };
    Ok(rustix::io::fcntl_dupfd_cloexec(borrowed, 3)?)
}

#[cfg(target_os = "linux")]
fn slave_of(master: &OwnedFd, _: &dyn MasterPty) -> io::Result<OwnedFd> {
    use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer};
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    Ok(ioctl_tiocgptpeer(master, flags)?)
}

#[cfg(not(target_os = "linux"))]
fn slave_of(_: &OwnedFd, pty: &dyn MasterPty) -> io::Result<OwnedFd> {
    use rustix::fs::{Mode, OFlags, open};
    let name = pty.tty_name().ok_or(io::ErrorKind::Unsupported)?;
    Ok(open(
        name,
        OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC,
        Mode::empty(),
    )?)
}

/// Backspace in a line that is being typed takes a character, not a byte of one.
#[cfg(target_os = "linux")]
fn correct_whole_characters(slave: &OwnedFd) -> io::Result<()> {
    use rustix::termios::{InputModes, OptionalActions, tcgetattr, tcsetattr};
    let mut modes = tcgetattr(slave)?;
    modes.input_modes.insert(InputModes::IUTF8);
    Ok(tcsetattr(slave, OptionalActions::Now, &modes)?)
}

/// Such terminals do so from the start.
#[cfg(not(target_os = "linux"))]
#[expect(
    clippy::unnecessary_wraps,
    reason = "the other platform's version can fail"
)]
fn correct_whole_characters(_: &OwnedFd) -> io::Result<()> {
    Ok(())
}
