//! Keeping displaced files for a moment, away from whoever waits for the commit.
//!
//! A program that had the file open writes to the displaced inode. What it writes within the linger time is stored as
//! a version of its own. Then the displaced file is removed and the journal row is closed, in this order, so that a
//! crash in between is cleaned up at the next start.

use super::journal::{Backup, JournalId};
use super::temp::TempName;
use crate::ContentHash;
use crate::fault::{self, Moment};
use crate::open::read_to_end;
use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Long enough for a save that was under way, short enough that nobody notices the second file.
const LINGER: Duration = Duration::from_millis(300);

/// Each waiting file holds a descriptor. More of them, and the oldest waits no longer.
const MAX_WAITING: usize = 128;

/// A file that was taken out of its place.
pub(super) struct Displaced {
    pub(super) file: File,
    pub(super) name: TempName,
    pub(super) hash: ContentHash,
    pub(super) target: PathBuf,
    pub(super) journal: JournalId,
    pub(super) backup: Arc<dyn Backup>,
}

impl fmt::Debug for Displaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Displaced")
            .field("target", &self.target)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct Open {
    n: Mutex<usize>,
    all_done: Condvar,
}

/// The background thread that settles displaced files.
#[derive(Debug)]
pub(super) struct Linger {
    sender: Option<Sender<(Instant, Displaced)>>,
    worker: Option<JoinHandle<()>>,
    open: Arc<Open>,
}

impl Linger {
    pub(super) fn start() -> Self {
        let open = Arc::new(Open::default());
        let (sender, receiver) = channel();
        let shared = Arc::clone(&open);
        let worker = std::thread::Builder::new()
            .name("linger".to_owned())
            .spawn(move || work(&receiver, &shared));
        match worker {
            Ok(worker) => Self {
                sender: Some(sender),
                worker: Some(worker),
                open,
            },
            Err(error) => {
                tracing::warn!(%error, "no thread for displaced files; they are settled at once");
                Self {
                    sender: None,
                    worker: None,
                    open,
                }
            }
        }
    }

    /// Hands over a displaced file.
    pub(super) fn keep(&self, displaced: Displaced) {
        let Some(sender) = &self.sender else {
            settle_one(displaced);
            return;
        };
        *lock(&self.open.n) += 1;
        if let Err(unsent) = sender.send((Instant::now() + LINGER, displaced)) {
            settle_one(unsent.0.1);
            self.open.count_down();
        }
    }

    /// Waits for the files that were handed over so far.
    pub(super) fn settle(&self) {
        let mut n = lock(&self.open.n);
        while *n > 0 {
            n = self
                .open
                .all_done
                .wait(n)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Linger {
    fn drop(&mut self) {
        // Without a sender the worker stops waiting for the time to pass.
        self.sender = None;
        if let Some(worker) = self.worker.take()
            && worker.join().is_err()
        {
            tracing::error!("the thread for displaced files panicked");
        }
    }
}

impl Open {
    fn count_down(&self) {
        let mut n = lock(&self.n);
        *n = n.saturating_sub(1);
        self.all_done.notify_all();
    }
}

fn work(receiver: &Receiver<(Instant, Displaced)>, open: &Open) {
    let mut waiting: VecDeque<(Instant, Displaced)> = VecDeque::new();
    loop {
        let next = match waiting.front() {
            None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some((due, _)) => receiver.recv_timeout(due.saturating_duration_since(Instant::now())),
        };
        match next {
            Ok(displaced) => {
                waiting.push_back(displaced);
                if waiting.len() > MAX_WAITING {
                    settle_front(&mut waiting, open);
                }
            }
            Err(RecvTimeoutError::Timeout) => settle_front(&mut waiting, open),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    while !waiting.is_empty() {
        settle_front(&mut waiting, open);
    }
}

fn settle_front(waiting: &mut VecDeque<(Instant, Displaced)>, open: &Open) {
    if let Some((_, displaced)) = waiting.pop_front() {
        let target = displaced.target.clone();
        // A panic of the store must not end the thread that others wait for.
        let settled = catch_unwind(AssertUnwindSafe(|| settle_one(displaced)));
        if settled.is_err() {
            tracing::error!(path = %target.display(), "settling a displaced file panicked");
        }
        open.count_down();
    }
}

fn settle_one(displaced: Displaced) {
    fault::pass(&displaced.target, Moment::DuringLinger);
    let Displaced {
        file,
        name,
        hash,
        target,
        journal,
        backup,
    } = displaced;
    let saved = save_late_write(file, hash, &target, &*backup);
    if let Err(error) = saved {
        // The file and its journal row stay: the next start tries again.
        tracing::warn!(path = %target.display(), %error, "the displaced file is kept");
        name.keep();
        return;
    }
    if let Err(error) = name.remove() {
        tracing::warn!(path = %target.display(), %error, "the displaced file cannot be removed");
        return;
    }
    if let Err(error) = backup.journal_done(journal) {
        tracing::warn!(path = %target.display(), %error, "a journal row stays open");
    }
}

fn save_late_write(
    mut file: File,
    hash: ContentHash,
    target: &std::path::Path,
    backup: &dyn Backup,
) -> Result<(), crate::error::BackupError> {
    file.seek(SeekFrom::Start(0))?;
    if ContentHash::of_file(&file)? != hash {
        let stored = backup.put(&read_from_start(&mut file)?)?;
        backup.late_write(target, stored);
    }
    Ok(())
}

/// All bytes of a file that is open.
pub(super) fn read_from_start(file: &mut File) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(0))?;
    let expected = file.metadata()?.len();
    read_to_end(file, expected, u64::MAX - 1)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
