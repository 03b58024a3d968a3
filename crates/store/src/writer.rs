//! The one thread that writes.
//!
//! It owns the only writable connection. Operations that wait together share a transaction; a lone one is committed
//! at once. While the database is locked or the disk is full the group stays and is tried again, so nothing is
//! dropped and whoever awaits an answer simply waits. Deliberately absent: what the operations do.

use crate::blobs::Blobs;
use crate::clock::Clock;
use crate::error::Error;
use crate::index;
use crate::limits::Limits;
use protocol::event::StoreState;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot, watch};

/// Operations that may wait; a longer queue makes their callers wait instead.
pub(crate) const QUEUE_LENGTH: usize = 1024;
/// Operations in one transaction: enough to share the price of a commit, few enough to answer soon.
const MAX_GROUP: usize = 64;
/// A group ends after this time even if more operations wait.
const MAX_GROUP_TIME: Duration = Duration::from_millis(5);
/// Waits after the engine's own busy timeout, before the window is told.
const QUIET_RETRIES: [Duration; 3] = [
    Duration::from_millis(50),
    Duration::from_millis(200),
    Duration::from_secs(1),
];
/// From then on it is tried this often.
const LOUD_RETRY: Duration = Duration::from_secs(1);

/// The write-ahead log goes into the database after this many slices of the search index, about 500 rows, so that no
/// commit has to do it while somebody waits.
const SLICES_PER_CHECKPOINT: u32 = 8;

/// What an operation works with.
pub(crate) struct Tx<'a> {
    pub(crate) conn: &'a Connection,
    pub(crate) blobs: &'a Blobs,
    pub(crate) limits: &'a Limits,
    /// Milliseconds since 1970, UTC.
    pub(crate) now: i64,
    /// Differs from run to run of the program.
    pub(crate) epoch: i64,
    /// Blob files that may go once the transaction is durable.
    pub(crate) doomed: &'a RefCell<Vec<String>>,
}

/// Whether others may join the transaction of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// They may.
    Normal,
    /// Something waits for it to be durable, such as a tool that is about to run.
    Durable,
}

/// What the writer is sent.
pub(crate) enum Work {
    /// An operation inside a transaction.
    Job(Box<dyn Job>),
    /// Something that cannot be inside one.
    Upkeep(Box<dyn FnOnce(&mut Connection) + Send>),
    /// The end.
    Close,
}

/// An operation that can be tried again.
pub(crate) trait Job: Send {
    /// Does it. `Err` only where the whole group must be tried again.
    fn run(&mut self, tx: &Tx<'_>) -> Result<(), Error>;
    fn urgency(&self) -> Urgency;
    /// The operation failed in a way that means damage.
    fn found_damage(&self) -> bool;
    /// The transaction is durable: answer.
    fn committed(self: Box<Self>);
    /// The transaction will never be durable: answer with the error.
    fn dropped(self: Box<Self>, error: Error);
}

pub(crate) struct Op<T, F> {
    work: F,
    urgency: Urgency,
    outcome: Result<T, Error>,
    reply: oneshot::Sender<Result<T, Error>>,
}

impl<T, F> Op<T, F> {
    pub(crate) fn new(work: F, urgency: Urgency) -> (Self, oneshot::Receiver<Result<T, Error>>) {
        let (reply, answer) = oneshot::channel();
        let op = Self {
            work,
            urgency,
            outcome: Err(Error::Closed),
            reply,
        };
        (op, answer)
    }
}

impl<T, F> Job for Op<T, F>
where
    T: Send,
    F: FnMut(&Tx<'_>) -> Result<T, Error> + Send,
{
    fn run(&mut self, tx: &Tx<'_>) -> Result<(), Error> {
        tx.conn.prepare_cached("SAVEPOINT op")?.execute([])?;
        self.outcome = match (self.work)(tx) {
            Err(error) if error.is_passing() || matches!(error, Error::SearchIndex(_)) => {
                return Err(error);
            }
            // The engine ended the whole transaction by itself, so the operations before this one are lost too.
            Err(error) if tx.conn.is_autocommit() => return Err(error),
            Err(error) => {
                tx.conn.execute_batch("ROLLBACK TO op; RELEASE op")?;
                Err(error)
            }
            Ok(value) => {
                tx.conn.prepare_cached("RELEASE op")?.execute([])?;
                Ok(value)
            }
        };
        Ok(())
    }

    fn urgency(&self) -> Urgency {
        self.urgency
    }

    fn found_damage(&self) -> bool {
        matches!(self.outcome, Err(Error::Damaged(_)))
    }

    fn committed(self: Box<Self>) {
        answer(self.reply, self.outcome);
    }

    fn dropped(self: Box<Self>, error: Error) {
        answer(self.reply, Err(error));
    }
}

fn answer<T>(reply: oneshot::Sender<Result<T, Error>>, outcome: Result<T, Error>) {
    if let Err(Err(error)) = reply.send(outcome) {
        tracing::warn!(%error, "an operation failed and nobody waits for its answer");
    }
}

/// Everything the thread owns.
pub(crate) struct Writer {
    pub(crate) conn: Connection,
    pub(crate) queue: mpsc::Receiver<Work>,
    pub(crate) blobs: Blobs,
    pub(crate) limits: Limits,
    pub(crate) clock: Clock,
    pub(crate) epoch: i64,
    pub(crate) state: watch::Sender<StoreState>,
    /// The store is being closed: do not wait for better times.
    pub(crate) closing: Arc<AtomicBool>,
    /// Slices of the search index made so far.
    pub(crate) slices: u32,
}

impl Writer {
    /// Works until the store is closed, and gives the connection back.
    pub(crate) fn run(mut self) -> Connection {
        while let Some(work) = self.next() {
            match work {
                Work::Job(job) => {
                    if let Some(Work::Close) = self.group(job) {
                        break;
                    }
                    self.use_the_pause();
                }
                Work::Upkeep(upkeep) => upkeep(&mut self.conn),
                Work::Close => break,
            }
        }
        self.refuse_the_rest();
        self.conn
    }

    /// The next piece of work. While closing nothing is waited for.
    fn next(&mut self) -> Option<Work> {
        if self.closing.load(Ordering::Acquire) {
            return self.queue.try_recv().ok();
        }
        self.queue.blocking_recv()
    }

    fn refuse_the_rest(&mut self) {
        self.queue.close();
        while let Ok(work) = self.queue.try_recv() {
            if let Work::Job(job) = work {
                job.dropped(Error::Closed);
            }
        }
    }

    /// One transaction with `first` and what waits behind it. Returns work that could not join.
    fn group(&mut self, first: Box<dyn Job>) -> Option<Work> {
        let mut jobs = vec![first];
        let mut tries = 0;
        let mut left_over = loop {
            match self.attempt(&mut jobs) {
                Ok(left_over) => break left_over,
                Err(error) if error.is_passing() && !self.closing.load(Ordering::Acquire) => {
                    self.wait_for_better_times(&error, tries);
                    tries += 1;
                }
                Err(Error::SearchIndex(error)) if tries == 0 && self.repair_index(&error) => {
                    tries += 1
                }
                Err(error) => {
                    self.give_up(jobs, error);
                    return None;
                }
            }
        };
        let healthy = if jobs.iter().any(|job| job.found_damage()) {
            StoreState::Damaged
        } else {
            StoreState::Ok
        };
        self.publish(healthy);
        jobs.into_iter().for_each(|job| job.committed());
        if let Some(Work::Upkeep(upkeep)) = left_over {
            upkeep(&mut self.conn);
            left_over = None;
        }
        left_over
    }

    /// Runs the jobs there are, lets others join, commits. After an error nothing of it is left.
    fn attempt(&mut self, jobs: &mut Vec<Box<dyn Job>>) -> Result<Option<Work>, Error> {
        let outcome = self.attempt_inner(jobs);
        if outcome.is_err() && !self.conn.is_autocommit() {
            self.conn.execute_batch("ROLLBACK")?;
        }
        outcome
    }

    fn attempt_inner(&mut self, jobs: &mut Vec<Box<dyn Job>>) -> Result<Option<Work>, Error> {
        let started = Instant::now();
        let doomed = RefCell::new(Vec::new());
        let tx = Tx {
            conn: &self.conn,
            blobs: &self.blobs,
            limits: &self.limits,
            now: self.clock.now_ms(),
            epoch: self.epoch,
            doomed: &doomed,
        };
        tx.conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        for job in jobs.iter_mut() {
            job.run(&tx)?;
        }
        let mut left_over = None;
        while jobs.len() < MAX_GROUP
            && started.elapsed() < MAX_GROUP_TIME
            && jobs
                .last()
                .is_some_and(|job| job.urgency() == Urgency::Normal)
        {
            match self.queue.try_recv() {
                Ok(Work::Job(job)) => jobs.push(job),
                Ok(other) => {
                    left_over = Some(other);
                    break;
                }
                Err(_) => break,
            }
            if let Some(job) = jobs.last_mut() {
                job.run(&tx)?;
            }
        }
        tx.conn.prepare_cached("COMMIT")?.execute([])?;
        for sha256 in doomed.into_inner() {
            self.blobs.remove_unless_kept(&self.conn, &sha256);
        }
        Ok(left_over)
    }

    /// Work that nobody asked for, when nobody waits.
    fn use_the_pause(&mut self) {
        let mut outcome = Ok(true);
        while matches!(outcome, Ok(true)) && !self.closing.load(Ordering::Acquire) {
            outcome = self.index_a_slice();
        }
        match outcome {
            Ok(_) => {}
            Err(Error::SearchIndex(error)) => {
                self.repair_index(&error);
            }
            Err(error) => tracing::warn!(%error, "the search index stays behind"),
        }
    }

    /// Says whether there may be more to do.
    fn index_a_slice(&mut self) -> Result<bool, Error> {
        let behind = index::behind(&self.conn)?;
        let due = behind >= index::SLICE_ROWS && self.queue.is_empty();
        if !due && behind < index::MAX_BEHIND {
            return Ok(false);
        }
        let transaction = Transaction::new_unchecked(&self.conn, TransactionBehavior::Immediate)?;
        index::advance(&transaction, index::SLICE_ROWS)?;
        transaction.commit()?;
        self.slices += 1;
        if self.slices.is_multiple_of(SLICES_PER_CHECKPOINT) {
            self.conn.execute_batch("PRAGMA wal_checkpoint(PASSIVE)")?;
        }
        Ok(true)
    }

    /// Makes the search index anew. Says whether it worked.
    fn repair_index(&self, found: &rusqlite::Error) -> bool {
        tracing::warn!(error = %found, "the search index is damaged; it is made anew");
        let repaired = Transaction::new_unchecked(&self.conn, TransactionBehavior::Immediate)
            .map_err(Error::from)
            .and_then(|transaction| {
                index::rebuild(&transaction)?;
                Ok(transaction.commit()?)
            });
        if let Err(error) = &repaired {
            tracing::error!(%error, "the search index cannot be made anew");
        }
        repaired.is_ok()
    }

    fn wait_for_better_times(&self, error: &Error, tries: usize) {
        let is_full = matches!(error, Error::Full(_));
        let quiet = if is_full {
            None
        } else {
            QUIET_RETRIES.get(tries)
        };
        if quiet.is_none() {
            self.publish(if is_full {
                StoreState::Full
            } else {
                StoreState::Busy
            });
        }
        tracing::warn!(%error, tries, "the store cannot be written; it will be tried again");
        std::thread::park_timeout(quiet.copied().unwrap_or(LOUD_RETRY));
        // Room for the few pages that changed is enough to give back the whole write-ahead log.
        if is_full && let Err(error) = self.conn.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)") {
            tracing::debug!(%error, "there is no room for that either");
        }
    }

    fn give_up(&self, jobs: Vec<Box<dyn Job>>, error: Error) {
        if matches!(error, Error::Damaged(_)) {
            self.publish(StoreState::Damaged);
        }
        tracing::error!(%error, jobs = jobs.len(), "a transaction failed");
        let mut first = Some(error);
        for job in jobs {
            job.dropped(first.take().unwrap_or(Error::GroupFailed));
        }
    }

    /// Damage stays until the program starts again.
    fn publish(&self, new: StoreState) {
        self.state.send_if_modified(|state| {
            let changes = *state != new && *state != StoreState::Damaged;
            if changes {
                *state = new;
            }
            changes
        });
    }
}
