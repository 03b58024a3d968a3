//! Starting the command itself: in a group of its own, in front on the terminal, with signals as a login shell has
//! them.

use super::walls;
use crate::wire::HostConfig;
use rustix::process::Pid;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Signals 1 to 31; the real-time ones above are never left ignored by a desktop.
const CLASSIC_SIGNALS: std::ops::RangeInclusive<libc::c_int> = 1..=31;

/// Makes this process the leader of a session of its own, on its terminal if it has one, and lets go of whatever else was inherited.
/// Comes before anything is opened.
pub(super) fn lead_session() -> io::Result<()> {
    rustix::process::setsid()?;
    if has_terminal() {
        rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
    }
    close_inherited();
    Ok(())
}

fn has_terminal() -> bool {
    rustix::termios::isatty(rustix::stdio::stdin())
}

/// Libraries of the program may have left descriptors open that nobody meant to pass on; its own do not come through an
/// exec. Where the system cannot close them all at once (Linux before 5.9, others), they stay.
fn close_inherited() {
    #[cfg(target_os = "linux")]
    // SAFETY: no Rust code of this process has opened a descriptor above 2 yet, so none is owned by anybody.
    #[expect(unsafe_code, reason = "descriptors are closed that have no owner")]
    unsafe {
        libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0);
    }
}

/// Makes every signal do what it does by default, whatever this process inherited: what is ignored here would be
/// ignored by the command. Comes before this process catches any.
pub(super) fn reset_signals() {
    for signal in CLASSIC_SIGNALS {
        set_handler(signal, libc::SIG_DFL);
    }
}

fn set_handler(signal: libc::c_int, handler: libc::sighandler_t) {
    // SAFETY: both handlers in use are constants of the system and run no code of ours; KILL and STOP, which cannot be
    // set, are only refused.
    #[expect(unsafe_code, reason = "no safe wrapper resets a signal")]
    unsafe {
        libc::signal(signal, handler);
    }
}

/// Starts the command and gives its pid. The working folder is entered here first: a folder that is gone must be an
/// error and not some other folder.
pub(super) fn spawn(config: &HostConfig) -> io::Result<Pid> {
    std::env::set_current_dir(&config.cwd).map_err(|error| {
        io::Error::new(error.kind(), format!("{}: {error}", config.cwd.display()))
    })?;
    let (program, args) = walls::program(config);
    #[expect(clippy::disallowed_methods, reason = "this crate starts the processes")]
    let mut command = Command::new(program);
    command.args(args).env_clear().process_group(0);
    command.envs(config.env.iter().map(|(name, value)| (name, value)));
    if has_terminal() {
        take_terminal_first(&mut command);
    }
    if let Some(sandbox) = &config.sandbox {
        walls::confine(&mut command, sandbox)?;
    }
    let child = command.spawn().map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("{}: {error}", config.program.display()),
        )
    })?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
    Ok(pid)
}

fn take_terminal_first(command: &mut Command) {
    // SAFETY: `take_terminal` only makes system calls that are safe between fork and exec: signal, getpid and an ioctl.
    // It neither allocates nor takes a lock, and this process has one thread.
    #[expect(
        unsafe_code,
        reason = "the terminal must be taken before the command runs"
    )]
    unsafe {
        command.pre_exec(take_terminal);
    }
}

/// Puts this process in front of the terminal, if there is one, and nobody else.
pub(super) fn stand_in_front() {
    set_handler(libc::SIGTTOU, libc::SIG_IGN);
    if has_terminal() {
        // A terminal that is gone has nobody in front.
        rustix::termios::tcsetpgrp(rustix::stdio::stdin(), rustix::process::getpid()).ok();
    }
}

/// In the child: its group is in front of the terminal before it runs anything.
fn take_terminal() -> io::Result<()> {
    set_handler(libc::SIGTTOU, libc::SIG_IGN);
    let taken = rustix::termios::tcsetpgrp(rustix::stdio::stdin(), rustix::process::getpid());
    set_handler(libc::SIGTTOU, libc::SIG_DFL);
    Ok(taken?)
}
