//! Failures and outside changes that tests cause at named points.
//!
//! A fault is armed for one file and hits every time that point is passed for that file until its guard is dropped.
//! In a build without tests the checks are empty and vanish. Deliberately absent: faults by chance or by time.

#![cfg_attr(
    not(any(test, feature = "test-support")),
    expect(unreachable_pub, reason = "public for the tests of other crates only")
)]

use std::io;
use std::path::Path;

/// A system call that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The temporary file cannot be filled: no space left.
    EnospcTemp,
    /// Writing fails with an input/output error, wherever it goes.
    EioWrite,
    /// Reading fails with an input/output error.
    EioRead,
    /// The exchange reports that the target is busy, as for a bind-mounted file.
    EbusyRename,
    /// Renaming is forbidden, as while a scanner holds the file.
    EaccesRename,
    /// The temporary file cannot be created in the directory.
    EaccesTemp,
    /// The file cannot be examined.
    EaccesStat,
    /// The file cannot be opened.
    EaccesOpen,
    /// The file system cannot exchange two names.
    NoExchange,
    /// What is read back differs from what was written.
    VerifyMismatch,
    /// Planning fails in a way nobody thought of.
    InternalPlan,
    /// In-place writing stops half-way.
    EioInPlace,
    /// The program ends between the journal row and the exchange.
    KillBeforeExchange,
    /// The program ends right after the exchange.
    KillAfterExchange,
}

/// A moment at which another process may act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Between the look at the file and the reading of its bytes.
    AfterStat,
    /// The journal has the commit; nothing else is there yet.
    AfterJournal,
    /// The temporary file holds the new bytes, but not yet the rights of the old file.
    TempWritten,
    /// Between the last check and the exchange, or the removal.
    AtExchange,
    /// Right after the exchange, before the displaced file is looked at.
    AfterExchange,
    /// While the displaced file is kept for late writes.
    DuringLinger,
}

#[cfg(any(test, feature = "test-support"))]
pub use armed::{Armed, arm, run_at};

#[cfg(any(test, feature = "test-support"))]
pub(crate) use armed::{check, is_armed, pass};

#[cfg(not(any(test, feature = "test-support")))]
pub(crate) use unarmed::{check, is_armed, pass};

#[cfg(not(any(test, feature = "test-support")))]
mod unarmed {
    use super::{Fault, Moment, Path, io};

    #[expect(
        clippy::unnecessary_wraps,
        reason = "the same call returns errors under test"
    )]
    pub(crate) fn check(_path: &Path, _fault: Fault) -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn is_armed(_path: &Path, _fault: Fault) -> bool {
        false
    }

    pub(crate) fn pass(_path: &Path, _moment: Moment) {}
}

#[cfg(any(test, feature = "test-support"))]
mod armed {
    use super::{Fault, Moment, Path, io};
    use rustix::io::Errno;
    use std::path::PathBuf;
    use std::sync::{Mutex, MutexGuard, PoisonError};

    type Hook = Box<dyn FnOnce() + Send>;

    static FAULTS: Mutex<Vec<(PathBuf, Fault)>> = Mutex::new(Vec::new());
    static HOOKS: Mutex<Vec<(PathBuf, Moment, Hook)>> = Mutex::new(Vec::new());

    /// Keeps a fault armed while it lives.
    #[derive(Debug)]
    pub struct Armed {
        path: PathBuf,
        fault: Fault,
    }

    impl Drop for Armed {
        fn drop(&mut self) {
            lock(&FAULTS).retain(|(path, fault)| !(*path == self.path && *fault == self.fault));
        }
    }

    /// Makes `fault` happen for the file whose canonical path is `path`.
    #[must_use]
    pub fn arm(path: &Path, fault: Fault) -> Armed {
        let path = path.to_path_buf();
        lock(&FAULTS).push((path.clone(), fault));
        Armed { path, fault }
    }

    /// Runs `hook` once when `moment` is next passed for the file whose canonical path is `path`.
    pub fn run_at(path: &Path, moment: Moment, hook: impl FnOnce() + Send + 'static) {
        lock(&HOOKS).push((path.to_path_buf(), moment, Box::new(hook)));
    }

    pub(crate) fn is_armed(path: &Path, fault: Fault) -> bool {
        lock(&FAULTS)
            .iter()
            .any(|(armed, kind)| *kind == fault && armed == path)
    }

    pub(crate) fn check(path: &Path, fault: Fault) -> io::Result<()> {
        if is_armed(path, fault) {
            Err(errno(fault).into())
        } else {
            Ok(())
        }
    }

    pub(crate) fn pass(path: &Path, moment: Moment) {
        let hook = {
            let mut hooks = lock(&HOOKS);
            let found = hooks
                .iter()
                .position(|(armed, when, _)| *when == moment && armed == path);
            found.map(|index| hooks.remove(index).2)
        };
        if let Some(hook) = hook {
            hook();
        }
    }

    fn errno(fault: Fault) -> Errno {
        match fault {
            Fault::EnospcTemp => Errno::NOSPC,
            Fault::EbusyRename => Errno::BUSY,
            Fault::EaccesTemp | Fault::EaccesStat | Fault::EaccesOpen | Fault::EaccesRename => {
                Errno::ACCESS
            }
            Fault::NoExchange => Errno::INVAL,
            Fault::EioWrite
            | Fault::EioRead
            | Fault::VerifyMismatch
            | Fault::InternalPlan
            | Fault::EioInPlace
            | Fault::KillBeforeExchange
            | Fault::KillAfterExchange => Errno::IO,
        }
    }

    fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
