//! Starting the command itself: in a group of its own, in front on the terminal, with signals as a login shell has
//! them.

use crate::wire::HostConfig;
use rustix::process::Pid;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Signals 1 to 31; the real-time ones above are never left ignored by a desktop.
const CLASSIC_SIGNALS: std::ops::RangeInclusive<libc::c_int> = 1..=31;

/// Starts the command and gives its pid. The working folder is entered here first: a folder that is gone must be an
/// error and not some other folder.
pub(super) fn spawn(config: &HostConfig) -> io::Result<Pid> {
    std::env::set_current_dir(&config.cwd).map_err(|error| {
        io::Error::new(error.kind(), format!("{}: {error}", config.cwd.display()))
    })?;
    #[expect(clippy::disallowed_methods, reason = "this crate starts the processes")]
    let mut command = Command::new(&config.program);
    command.args(&config.args).env_clear().process_group(0);
    command.envs(config.env.iter().map(|(name, value)| (name, value)));
    // SAFETY: `take_terminal` only makes system calls that are safe between fork and exec: signal, getpid, ioctl. It
    // neither allocates nor takes a lock, and this process has one thread.
    #[expect(
        unsafe_code,
        reason = "the terminal must be taken after fork and before exec"
    )]
    unsafe {
        command.pre_exec(take_terminal);
    }
    let child = command.spawn().map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("{}: {error}", config.program.display()),
        )
    })?;
    i32::try_from(child.id())
        .ok()
        .and_then(Pid::from_raw)
        .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))
}

/// In the child: default signals, whatever the program inherited, and the foreground of the terminal.
fn take_terminal() -> io::Result<()> {
    for signal in CLASSIC_SIGNALS {
        set_handler(signal, libc::SIG_DFL);
    }
    // A background group that touches the terminal's foreground is stopped by TTOU unless it ignores it.
    set_handler(libc::SIGTTOU, libc::SIG_IGN);
    rustix::termios::tcsetpgrp(rustix::stdio::stdin(), rustix::process::getpid())?;
    set_handler(libc::SIGTTOU, libc::SIG_DFL);
    Ok(())
}

fn set_handler(signal: libc::c_int, handler: libc::sighandler_t) {
    // SAFETY: both handlers are constants of the system, and KILL and STOP, which refuse them, are only refused.
    #[expect(unsafe_code, reason = "no safe wrapper resets a signal")]
    unsafe {
        libc::signal(signal, handler);
    }
}
