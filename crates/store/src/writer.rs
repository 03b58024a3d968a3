//! The one thread that writes.
//!
//! It owns the only writable connection. Operations that wait together share a transaction; a lone one is committed
//! at once. While the database is locked or the disk is full the group stays and is tried again, so nothing is
//! dropped and whoever awaits an answer simply waits. Deliberately absent: what the operations do.

use crate::blobs::Blobs;
use crate::clock::Clock;
use crate::error::Error;
use crate::inbox::{self, Received};
use crate::index;
use crate::limits::Limits;
use crate::open::WAL_PAGES;
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

/// Nobody is likely to want anything after a silence of this length: a step of a turn writes more often.
pub(crate) const PAUSE: Duration = Duration::from_millis(200);

/// Pages of the write-ahead log that are worth a flush: 4 MiB.
const LONG_LOG_PAGES: i64 = 1024;

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

/// Commits are not flushed, and none moves pages into the database, which would need flushes.
pub(crate) const UNFLUSHED: &str = "PRAGMA synchronous=OFF; PRAGMA wal_autocheckpoint=0";

/// The write-ahead log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Log {
    /// There is none yet, and flushing is off.
    Absent,
    /// Commits follow the usual rules.
    Begun,
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
    /// The log is about to be made. Nothing old is in it that an interrupted write could bring back, so its first
    /// commit need not flush its beginning; the first operation of a program would wait for that.
    pub(crate) log: Log,
    /// There is work that nobody waits for, once it has been quiet for so long.
    pub(crate) chores: Option<Duration>,
}

impl Writer {
    /// Works until the store is closed, and gives the connection back.
    pub(crate) fn run(mut self) -> Connection {
        loop {
            let closing = self.closing.load(Ordering::Acquire);
            let patience = if closing {
                Some(Duration::ZERO)
            } else {
                self.chores
            };
            let work = match inbox::receive(&mut self.queue, patience) {
                Received::Message(work) => work,
                Received::Nothing if closing => break,
                Received::Nothing => {
                    self.chores = self.do_a_chore();
                    continue;
                }
                Received::Closed => break,
            };
            match work {
                Work::Job(job) => {
                    if let Some(Work::Close) = self.group(job) {
                        break;
                    }
                    self.catch_up();
                    self.chores = Some(PAUSE);
                }
                Work::Upkeep(upkeep) => self.keep_up(upkeep),
                Work::Close => break,
            }
        }
        self.flush_from_now_on();
        self.refuse_the_rest();
        self.conn
    }

    fn keep_up(&mut self, upkeep: Box<dyn FnOnce(&mut Connection) + Send>) {
        self.flush_from_now_on();
        upkeep(&mut self.conn);
    }

    fn flush_from_now_on(&mut self) {
        if self.log == Log::Begun {
            return;
        }
        let usual = format!("PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint={WAL_PAGES}");
        match self.conn.execute_batch(&usual) {
            Ok(()) => self.log = Log::Begun,
            Err(error) => tracing::error!(%error, "commits are not flushed"),
        }
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
        self.flush_from_now_on();
        jobs.into_iter().for_each(|job| job.committed());
        if let Some(Work::Upkeep(upkeep)) = left_over {
            self.keep_up(upkeep);
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

    /// Work that nobody waits for: indexes some rows or, when all are, empties a long write-ahead log. Says how soon
    /// there is more to do.
    fn do_a_chore(&mut self) -> Option<Duration> {
        let done = index::behind(&self.conn).and_then(|behind| {
            if behind > 0 {
                self.index_a_slice().map(|()| Some(Duration::ZERO))
            } else {
                self.empty_a_long_log().map(|()| None)
            }
        });
        self.despite_errors(done).flatten()
    }

    /// A short log stays: beginning a new one costs a flush, and somebody would wait for it.
    fn empty_a_long_log(&self) -> Result<(), Error> {
        let pages: i64 = self
            .conn
            .query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| {
                Ok(row.get::<_, i64>(1)? - row.get::<_, i64>(2)?)
            })?;
        if pages >= LONG_LOG_PAGES {
            self.conn.execute_batch("PRAGMA wal_checkpoint(PASSIVE)")?;
        }
        Ok(())
    }

    /// Keeps the index from falling too far behind where there is never a pause.
    fn catch_up(&mut self) {
        let mut outcome = index::behind(&self.conn);
        while outcome
            .as_ref()
            .is_ok_and(|behind| *behind >= index::MAX_BEHIND)
        {
            outcome = self
                .index_a_slice()
                .and_then(|()| index::behind(&self.conn));
        }
        self.despite_errors(outcome);
    }

    fn despite_errors<T>(&self, outcome: Result<T, Error>) -> Option<T> {
        match outcome {
            Ok(value) => return Some(value),
            Err(Error::SearchIndex(error)) => {
                self.repair_index(&error);
            }
            Err(error) => tracing::warn!(%error, "the search index stays behind"),
        }
        None
    }

    fn index_a_slice(&mut self) -> Result<(), Error> {
        let transaction = Transaction::new_unchecked(&self.conn, TransactionBehavior::Immediate)?;
        index::advance(&transaction, index::SLICE_ROWS)?;
        transaction.commit()?;
        self.flush_from_now_on();
        Ok(())
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
