//! The store as others use it: writes go to one thread, reads run beside it.

use crate::append::{self, Appended};
use crate::backup;
use crate::blobs::{Blobs, Orphans, Why};
use crate::clock::Clock;
use crate::commits::{self, CommitEntry};
use crate::drafts;
use crate::error::{Error, OpenError};
use crate::index;
use crate::lock::{LockFile, Stamp};
use crate::open::{self, BACKUPS_DIR, OpenOptions, OpenReport, Opened, Writing};
use crate::partial::{self, Partial};
use crate::payload::Fact;
use crate::pending::Pending;
use crate::read::Reader;
use crate::readers::{ReaderPool, locked};
use crate::reads::{self, StoredRead, Waiting};
use crate::rebuild;
use crate::recover::{self, Recovered};
use crate::salvage::{self, Salvaged};
use crate::search::Query;
use crate::sessions::{self, NewSession, Slice};
use crate::shell_runs::{self, Ends, ShellRun};
use crate::shells;
use crate::versions;
use crate::writer::{Op, PAUSE, QUEUE_LENGTH, Tx, Urgency, Work, Writer};
use protocol::command::SearchHit;
use protocol::event::{Draft, StoreState};
use protocol::ids::{SessionId, ShellId};
use protocol::log::LogEvent;
use protocol::session::SessionSummary;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use tokio::sync::{mpsc, oneshot, watch};

/// All sessions of a person. Clones share everything; the last one to go closes the store.
///
/// What writes gives a [`Pending`]: await it, or [`wait`](Pending::wait) for it in code that is not async. It is
/// done, durable and visible to readers when the answer comes. While the disk is full or the database is locked by
/// another program nothing fails and nothing is lost: the answers just do not come yet, and [`state`](Self::state)
/// says why.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    database: PathBuf,
    blobs: Blobs,
    clock: Clock,
    state: watch::Receiver<StoreState>,
    queue: Option<mpsc::Sender<Work>>,
    closing: Arc<AtomicBool>,
    thread: Mutex<Option<Thread>>,
    lock: Mutex<Option<LockFile>>,
    readers: ReaderPool,
    /// Notes of files that were shown, until facts take them along.
    shown: Waiting,
    /// How shells of the run before ended.
    ends: Arc<Ends>,
}

struct Thread {
    handle: JoinHandle<Connection>,
    checked_at: i64,
}

impl Store {
    /// Opens the store in `dir`, making it if need be. Blocks, for about a millisecond after a clean end.
    ///
    /// A damaged database is set aside and a new one begun; one that another program writes is opened for reading.
    /// The report says so.
    pub fn open(dir: &Path, options: OpenOptions) -> Result<(Self, OpenReport), OpenError> {
        let Opened {
            report,
            database,
            blobs,
            sharing,
            lock,
            writing,
            unsettled,
            ends,
        } = open::open(dir, &options)?;
        let mut inner = Inner {
            readers: ReaderPool::new(database.clone(), sharing),
            database,
            blobs,
            clock: options.clock.clone(),
            state: watch::channel(StoreState::ReadOnly).1,
            queue: None,
            closing: Arc::new(AtomicBool::new(false)),
            thread: Mutex::new(None),
            lock: Mutex::new(lock),
            shown: Waiting::default(),
            ends: Arc::new(ends),
        };
        if let Some(writing) = writing {
            inner.start_writer(writing, &options)?;
        }
        let store = Self {
            inner: Arc::new(inner),
        };
        for id in unsettled {
            // Queued like anything else, and so done as soon as the store can be written.
            drop(store.recover_session(&id));
        }
        Ok((store, report))
    }

    /// Whether the store can be written, now and from now on.
    #[must_use]
    pub fn state(&self) -> watch::Receiver<StoreState> {
        self.inner.state.clone()
    }

    /// Path of the database.
    #[must_use]
    pub fn database(&self) -> &Path {
        &self.inner.database
    }

    /// Does what is queued, refuses everything else, and closes. Blocks. Also done when the last clone goes.
    pub fn close(&self) {
        self.inner.close();
    }

    /// Reads on a thread of its own. All reads of `work` see the same state.
    pub async fn read<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&Reader<'_>) -> Result<T, Error> + Send + 'static,
    {
        let inner = self.inner.clone();
        tokio::task::spawn_blocking(move || inner.read(work))
            .await
            .unwrap_or(Err(Error::Closed))
    }

    /// Reads on this thread.
    pub fn read_blocking<T>(
        &self,
        work: impl FnOnce(&Reader<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.inner.read(work)
    }

    fn write<T, F>(&self, urgency: Urgency, work: F) -> Pending<T>
    where
        T: Send + 'static,
        F: FnMut(&Tx<'_>) -> Result<T, Error> + Send + 'static,
    {
        let (op, reply) = Op::new(work, urgency);
        self.send(Work::Job(Box::new(op)), reply)
    }

    fn send<T>(&self, work: Work, reply: oneshot::Receiver<Result<T, Error>>) -> Pending<T> {
        let Some(queue) = &self.inner.queue else {
            return refused(Error::ReadOnly);
        };
        if self.inner.closing.load(Ordering::Acquire) {
            return refused(Error::Closed);
        }
        match queue.try_send(work) {
            Ok(()) => Pending::queued(reply),
            Err(mpsc::error::TrySendError::Closed(_)) => refused(Error::Closed),
            Err(mpsc::error::TrySendError::Full(work)) => {
                Pending::unsent(queue.clone(), work, reply)
            }
        }
    }

    /// Adds facts to a session, all or none of them.
    pub fn append(&self, id: &SessionId, turn: u32, events: Vec<LogEvent>) -> Pending<Appended> {
        let facts = match events
            .into_iter()
            .map(Fact::new)
            .collect::<Result<Vec<_>, _>>()
        {
            Ok(facts) => facts,
            Err(error) => return refused(error),
        };
        let id = id.clone();
        let shown = self
            .inner
            .shown
            .riding_with(&id, facts.iter().map(|fact| &fact.event));
        self.write(append::urgency(&facts), move |tx| {
            let appended = append::append(tx, &id, turn, &facts)?;
            reads::write(tx.conn, &id, turn, &shown)?;
            Ok(appended)
        })
    }

    /// Notes what the model was shown of a file, or with `None` that what was known of a path no longer counts. It is
    /// written with the next result of a call in the session.
    pub fn note_read(&self, id: &SessionId, path: &str, read: Option<StoredRead>) {
        if self.inner.queue.is_some() {
            self.inner.shown.note(id, path, read);
        }
    }

    /// Adds a fact to a session that nobody runs, as part of its newest turn.
    pub fn append_aside(&self, id: &SessionId, event: LogEvent) -> Pending<Appended> {
        let fact = match Fact::new(event) {
            Ok(fact) => fact,
            Err(error) => return refused(error),
        };
        let id = id.clone();
        self.write(Urgency::Normal, move |tx| {
            sessions::append_aside(tx, &id, &fact)
        })
    }

    /// Makes a session.
    pub fn create_session(&self, new: NewSession) -> Pending<SessionSummary> {
        let fact = match sessions::created(&new) {
            Ok(fact) => fact,
            Err(error) => return refused(error),
        };
        let id = sessions::new_id(self.inner.clock.now_ms());
        self.write(Urgency::Normal, move |tx| {
            sessions::create(tx, &id, &new, &fact)
        })
    }

    /// Gives a session the title the person wants.
    pub fn rename_session(&self, id: &SessionId, title: &str) -> Pending<Appended> {
        let (id, title) = (id.clone(), title.to_owned());
        self.write(Urgency::Normal, move |tx| sessions::rename(tx, &id, &title))
    }

    /// Puts a session away.
    pub fn archive_session(&self, id: &SessionId) -> Pending<SessionSummary> {
        let id = id.clone();
        self.write(Urgency::Normal, move |tx| {
            sessions::set_archived(tx, &id, Some(tx.now))
        })
    }

    /// Takes the shells of a session that ended out of the list; `running` stay.
    pub fn forget_shells(&self, id: &SessionId, running: Vec<ShellId>) -> Pending<()> {
        let id = id.clone();
        self.write(Urgency::Normal, move |tx| {
            shells::forget(tx.conn, &id, &running)
        })
    }

    /// Notes which processes a shell has. They need not be known to anybody before the program ends by accident, so
    /// nobody has to wait for this.
    pub fn note_shell_run(&self, run: ShellRun) -> Pending<()> {
        self.write(Urgency::Normal, move |tx| shell_runs::save(tx.conn, &run))
    }

    /// Takes a session back that was put away.
    pub fn unarchive_session(&self, id: &SessionId) -> Pending<SessionSummary> {
        let id = id.clone();
        self.write(Urgency::Normal, move |tx| {
            sessions::set_archived(tx, &id, None)
        })
    }

    /// Takes a session out of every list. [`tidy`](Self::tidy) removes it for good, ten seconds later at the earliest.
    pub fn delete_session(&self, id: &SessionId) -> Pending<()> {
        let id = id.clone();
        self.write(Urgency::Normal, move |tx| sessions::delete(tx, &id))
    }

    /// Takes a deletion back.
    pub fn undo_delete(&self, id: &SessionId) -> Pending<SessionSummary> {
        let id = id.clone();
        self.write(Urgency::Normal, move |tx| sessions::undo_delete(tx, &id))
    }

    /// Keeps a text that is being written; an empty one is forgotten.
    pub fn save_draft(&self, id: &SessionId, draft: Draft) -> Pending<()> {
        let id = id.clone();
        self.write(Urgency::Normal, move |tx| {
            drafts::save(tx.conn, &id, &draft)
        })
    }

    /// Keeps blocks of the answer that is arriving. The finished message removes them.
    pub fn save_partial(&self, id: &SessionId, blocks: Vec<Partial>) -> Pending<()> {
        let id = id.clone();
        self.write(Urgency::Normal, move |tx| {
            blocks
                .iter()
                .try_for_each(|block| partial::upsert(tx.conn, tx.now, &id, block))
        })
    }

    /// Forgets the answer that was arriving.
    pub fn clear_partial(&self, id: &SessionId) -> Pending<()> {
        let id = id.clone();
        self.write(Urgency::Normal, move |tx| partial::clear(tx.conn, &id))
    }

    /// Keeps a picture and gives its name.
    pub fn put_image(&self, id: &SessionId, bytes: Vec<u8>) -> Pending<String> {
        self.put(id, Why::Image, Urgency::Durable, bytes)
    }

    /// Keeps the content of a file before it is changed, and gives its name.
    pub fn put_file_copy(&self, id: &SessionId, bytes: Vec<u8>) -> Pending<String> {
        self.put(id, Why::File, Urgency::Durable, bytes)
    }

    /// Keeps the content of a file as it now is; nothing waits for that, so it shares a transaction with what follows.
    pub fn keep_file_copy(&self, id: &SessionId, bytes: Vec<u8>) -> Pending<String> {
        self.put(id, Why::File, Urgency::Normal, bytes)
    }

    fn put(&self, id: &SessionId, why: Why, urgency: Urgency, bytes: Vec<u8>) -> Pending<String> {
        let id = id.clone();
        self.write(urgency, move |tx| versions::put(tx, &id, why, &bytes))
    }

    /// Notes that a file is about to be replaced, and gives the number of the note.
    pub fn begin_commit(&self, entry: CommitEntry) -> Pending<i64> {
        self.write(Urgency::Durable, move |tx| commits::begin(tx, &entry))
    }

    /// Keeps the bytes that are about to be replaced, under the name that the entry has for them, and notes the commit.
    pub fn begin_replacement(&self, entry: CommitEntry, base: Vec<u8>) -> Pending<i64> {
        self.write(Urgency::Durable, move |tx| {
            if let Some(sha256) = &entry.base {
                versions::put_named(tx, &entry.session_id, Why::File, (sha256, &base))?;
            }
            commits::begin(tx, &entry)
        })
    }

    /// Nothing of that commit is left over.
    pub fn end_commit(&self, id: i64) -> Pending<()> {
        self.write(Urgency::Normal, move |tx| commits::end(tx, id))
    }

    /// Ends a turn whose driver is gone, as after a crash. `None` if no turn was running.
    pub fn recover_session(&self, id: &SessionId) -> Pending<Option<Recovered>> {
        let (id, ends) = (id.clone(), self.inner.ends.clone());
        self.write(Urgency::Normal, move |tx| recover::recover(tx, &id, &ends))
    }

    /// Makes everything derived from the facts of a session anew.
    pub fn rebuild(&self, id: &SessionId) -> Pending<()> {
        let id = id.clone();
        self.write(Urgency::Normal, move |tx| rebuild::rebuild(tx, &id))
    }

    /// Finds words in titles and transcripts, newest first, titles before rows. A store that can only be read may
    /// miss the newest rows.
    pub async fn search(&self, query: Query) -> Result<Vec<SearchHit>, Error> {
        if self.inner.queue.is_some() {
            while self.index_slice().await? > 0 {}
        }
        let again = query.clone();
        match self.read(move |reader| reader.search(&query)).await {
            Err(Error::SearchIndex(_)) if self.inner.queue.is_some() => {
                self.write(Urgency::Normal, |tx| index::rebuild(tx.conn))
                    .await?;
                self.read(move |reader| reader.search(&again)).await
            }
            found => found,
        }
    }

    fn index_slice(&self) -> Pending<u32> {
        self.write(Urgency::Normal, |tx| {
            index::advance(tx.conn, index::SEARCH_ROWS)
        })
    }

    /// Carries out deletions that can no longer be taken back and removes what nobody needs. Blocks; call it once
    /// after the start, and ten seconds after a deletion. Others can write meanwhile. Says which sessions went.
    pub fn tidy(&self) -> Result<Vec<SessionId>, Error> {
        let mut gone = Vec::new();
        loop {
            match self.write(Urgency::Normal, sessions::purge_slice).wait()? {
                Slice::More => {}
                Slice::SessionGone(id) => gone.push(id),
                Slice::Nothing => break,
            }
        }
        let which = if gone.is_empty() {
            Orphans::Old
        } else {
            Orphans::All
        };
        self.write(Urgency::Normal, move |tx| {
            sessions::remove_orphans(tx, which)
        })
        .wait()?;
        if !gone.is_empty() {
            self.shrink().wait()?;
        }
        Ok(gone)
    }

    /// Copies the whole database beside it if the newest copy is more than a day old, and keeps the newest three.
    /// Blocks; others can read and write meanwhile. Says where the new copy is.
    pub fn back_up_daily(&self) -> Result<Option<PathBuf>, Error> {
        if self.inner.queue.is_none() {
            return Err(Error::ReadOnly);
        }
        let folder = self.inner.database.with_file_name(BACKUPS_DIR);
        backup::daily(&self.inner.database, &folder, self.inner.clock.now_ms())
    }

    /// Takes over what can still be read of a database that was set aside, by its path in the report. Sessions that
    /// are here already stay as they are. Blocks, for seconds where much is damaged.
    pub fn salvage(&self, damaged: &Path) -> Result<Salvaged, Error> {
        let scratch = self.inner.database.with_extension("salvage");
        let mut sum = Salvaged::default();
        for found in salvage::read(damaged, &scratch)? {
            let taken = self
                .write(Urgency::Normal, move |tx| salvage::take_over(tx, &found))
                .wait();
            match taken {
                Ok(None) => {}
                Ok(Some(one)) => {
                    sum.sessions += one.sessions;
                    sum.facts += one.facts;
                    sum.with_gaps += one.with_gaps;
                }
                Err(error @ (Error::ReadOnly | Error::Closed)) => return Err(error),
                // One session that cannot be used must not keep the others from coming back.
                Err(error) => tracing::warn!(%error, "a session cannot be taken over"),
            }
        }
        Ok(sum)
    }

    /// Gives free pages back and empties the write-ahead log.
    fn shrink(&self) -> Pending<()> {
        let (reply, answer) = oneshot::channel();
        let work = Work::Upkeep(Box::new(move |conn| {
            if reply.send(shrink(conn).map_err(Error::from)).is_err() {
                tracing::debug!("nobody waits for the end of an upkeep");
            }
        }));
        self.send(work, answer)
    }
}

fn shrink(conn: &Connection) -> rusqlite::Result<()> {
    // Each step gives back one page.
    let mut statement = conn.prepare("PRAGMA incremental_vacuum")?;
    let mut pages = statement.query([])?;
    while pages.next()?.is_some() {}
    drop(pages);
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

/// An answer that is there at once.
fn refused<T>(error: Error) -> Pending<T> {
    let (reply, answer) = oneshot::channel();
    // The receiver is in this very function.
    drop(reply.send(Err(error)));
    Pending::queued(answer)
}

impl Inner {
    fn start_writer(&mut self, writing: Writing, options: &OpenOptions) -> Result<(), OpenError> {
        let (state, watched) = watch::channel(StoreState::Ok);
        let (queue, works) = mpsc::channel(QUEUE_LENGTH);
        let writer = Writer {
            conn: writing.conn,
            queue: works,
            blobs: self.blobs.clone(),
            limits: options.limits.clone(),
            clock: options.clock.clone(),
            epoch: writing.epoch,
            state,
            closing: self.closing.clone(),
            log: writing.log,
            // Rows of the last run may still be waiting for the index.
            chores: Some(PAUSE),
        };
        let handle = std::thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || writer.run())
            .map_err(|source| OpenError::Io {
                operation: "start the writer of",
                path: self.database.clone(),
                source,
            })?;
        self.state = watched;
        self.queue = Some(queue);
        self.thread = Mutex::new(Some(Thread {
            handle,
            checked_at: writing.checked_at,
        }));
        Ok(())
    }

    fn read<T>(&self, work: impl FnOnce(&Reader<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let lent = self.readers.borrow()?;
        let snapshot = lent.conn()?.unchecked_transaction()?;
        let value = work(&Reader {
            conn: &snapshot,
            blobs: &self.blobs,
        });
        snapshot.finish()?;
        value
    }

    fn close(&self) {
        self.closing.store(true, Ordering::Release);
        // The last connection to close empties the write-ahead log; that should be the writer's.
        self.readers.close();
        if let Some(thread) = locked(&self.thread).take() {
            self.stop(thread);
        }
        locked(&self.lock).take();
    }

    fn stop(&self, thread: Thread) {
        // A full queue is no obstacle: the writer sees that the store is closing when it has emptied it.
        if self
            .queue
            .as_ref()
            .is_some_and(|queue| queue.try_send(Work::Close).is_err())
        {
            tracing::debug!("the writer closes after what is queued");
        }
        thread.handle.thread().unpark();
        let Ok(conn) = thread.handle.join() else {
            tracing::error!("the writer had panicked");
            return;
        };
        let sound = *self.state.borrow() != StoreState::Damaged;
        if let Err((_, error)) = conn.close() {
            tracing::warn!(%error, "the database was not closed cleanly");
            return;
        }
        if let Some(lock) = locked(&self.lock).as_mut().filter(|_| sound) {
            let left =
                Stamp::of(&self.database, thread.checked_at).and_then(|stamp| lock.leave(stamp));
            if let Err(error) = left {
                tracing::warn!(%error, "the next start will check the database");
            }
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.close();
    }
}
