//! One commit per file at a time, in this program and between two running instances of it.
//!
//! The lock file only spares two instances a conflict; what keeps versions safe are the checks around the exchange, so
//! a lock that cannot be had in time is not waited for. The files are a fixed set, so that the folder does not grow.

use crate::ContentHash;
use rustix::fs::{FlockOperation, Mode, OFlags};
use std::collections::HashSet;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Another instance holds a lock for the few milliseconds of one commit; longer means that it hangs.
const MAX_LOCK_WAIT: Duration = Duration::from_secs(2);
const LOCK_RETRY: Duration = Duration::from_millis(5);

/// Who commits which file.
#[derive(Debug)]
pub(super) struct Locks {
    folder: PathBuf,
    busy: Mutex<HashSet<PathBuf>>,
    freed: Condvar,
}

/// The right to commit one file, given back on drop.
#[derive(Debug)]
pub(super) struct Held<'a> {
    locks: &'a Locks,
    path: PathBuf,
    /// Closing it releases the lock between instances.
    _lock_file: Option<File>,
}

impl Locks {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            busy: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    /// Waits for the file's turn.
    pub(super) fn hold(&self, path: &Path) -> Held<'_> {
        let mut busy = self.busy();
        while busy.contains(path) {
            busy = self
                .freed
                .wait(busy)
                .unwrap_or_else(PoisonError::into_inner);
        }
        busy.insert(path.to_path_buf());
        drop(busy);
        Held {
            locks: self,
            path: path.to_path_buf(),
            _lock_file: self.lock_between_instances(path),
        }
    }

    fn lock_between_instances(&self, path: &Path) -> Option<File> {
        let hash = ContentHash::of(path.as_os_str().as_bytes());
        let lock_path = self.folder.join(format!("{:02x}.lock", hash.as_bytes()[0]));
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let opened = rustix::fs::open(&lock_path, flags, Mode::from_raw_mode(0o600));
        let file = match opened {
            Ok(file) => File::from(file),
            Err(error) => {
                tracing::debug!(%error, "no lock file; going on without");
                return None;
            }
        };
        let started = Instant::now();
        while rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            if started.elapsed() > MAX_LOCK_WAIT {
                tracing::warn!("another instance holds a file lock; going on without");
                return None;
            }
            std::thread::sleep(LOCK_RETRY);
        }
        Some(file)
    }

    fn busy(&self) -> MutexGuard<'_, HashSet<PathBuf>> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.locks.busy().remove(&self.path);
        self.locks.freed.notify_all();
    }
}
