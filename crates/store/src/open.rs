//! Opening: lock, look, connect, check, bring up to date, recover.
//!
//! Every step can fail without keeping the program from starting: a database that cannot be used is set aside whole
//! and a new one is begun, a database that may not be written is opened for reading. An error is left only where
//! nothing can be done without the person: rights, space, a newer format.

use crate::aside::{self, Finding, SetAside};
use crate::blobs::Blobs;
use crate::clock::Clock;
use crate::error::{Error, OpenError, is_damage, is_no_room};
use crate::header::{self, Header};
use crate::index;
use crate::limits::Limits;
use crate::lock::{self, Lock, LockFile, Stamp};
use crate::migrate;
use crate::recover::{self, Recovered};
use crate::shell_runs::{self, EndStrays, Ends};
use crate::writer::{Log, Tx, UNFLUSHED};
use protocol::ids::SessionId;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The database, in the data folder.
pub const DATABASE_FILE: &str = "benchdog.db";
const LOCK_FILE: &str = "benchdog.lock";
const BLOBS_DIR: &str = "blobs";
pub(crate) const BACKUPS_DIR: &str = "backups";
/// How long the engine itself waits for another program's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// The structure is checked at least this often, whatever the ends were like.
const CHECK_INTERVAL_MS: i64 = 24 * 60 * 60 * 1000;
/// Pages in the write-ahead log before a commit moves them to the database: 16 MiB. Mostly that happens earlier,
/// when nobody has written for a moment.
pub(crate) const WAL_PAGES: u32 = 4096;
/// Distinct statements the writer keeps ready.
const STATEMENTS: usize = 96;

/// How to open.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// Tells the time.
    pub clock: Clock,
    /// How much is kept.
    pub limits: Limits,
    /// What is done about shells of an earlier run, before anybody sees them.
    pub end_strays: EndStrays,
}

impl OpenOptions {
    /// The usual limits.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            limits: Limits::default(),
            end_strays: EndStrays::default(),
        }
    }
}

/// Whether the store can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// It can.
    Writable,
    /// Another window or program writes to it.
    Held,
    /// The folder may not be written.
    Unwritable,
    /// It was made by a newer version, which lets this one read.
    Newer,
    /// There is not even room for the few bytes that writing begins with.
    NoRoom,
}

/// What opening found and did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenReport {
    /// Whether the store can be written.
    pub access: Access,
    /// The old database, if it could not be used. To be told once.
    pub set_aside: Option<SetAside>,
    /// Sessions that had been cut off in the middle.
    pub recovered: Vec<Recovered>,
    /// The data folder lies on a network file system: slower, and one reason more to keep copies.
    pub on_network: bool,
}

/// A database ready for use.
pub(crate) struct Opened {
    pub(crate) report: OpenReport,
    pub(crate) database: PathBuf,
    pub(crate) blobs: Blobs,
    pub(crate) sharing: Sharing,
    /// Held even where nothing is written, so that nobody else writes meanwhile.
    pub(crate) lock: Option<LockFile>,
    /// The writing side, unless the store can only be read.
    pub(crate) writing: Option<Writing>,
    /// Sessions that could not be put right yet, because the disk is full.
    pub(crate) unsettled: Vec<SessionId>,
    /// How their shells ended.
    pub(crate) ends: Ends,
}

pub(crate) struct Writing {
    pub(crate) conn: Connection,
    pub(crate) log: Log,
    pub(crate) checked_at: i64,
    pub(crate) epoch: i64,
}

/// What went wrong on the way, by what happens next.
enum Failure {
    /// Set aside, begin anew.
    Unusable(Finding),
    /// Leave it alone, read if possible.
    Newer(u32),
    /// Read, as nothing can be written.
    NoRoom(OpenError),
    Fatal(OpenError),
}

pub(crate) fn open(dir: &Path, options: &OpenOptions) -> Result<Opened, OpenError> {
    let database = dir.join(DATABASE_FILE);
    match lock::take(dir, LOCK_FILE)? {
        Lock::Ours(lock) => open_to_write(dir, database, lock, options),
        Lock::Theirs => open_to_read(dir, database, Access::Held),
        Lock::Unwritable => open_to_read(dir, database, Access::Unwritable),
    }
}

fn open_to_read(dir: &Path, database: PathBuf, access: Access) -> Result<Opened, OpenError> {
    // The holder of the lock makes the database under another name first, so it may not be there yet.
    if !database.exists() {
        return Err(OpenError::Held { path: database });
    }
    let alone = matches!(access, Access::Newer | Access::NoRoom);
    let sharing = if alone && !aside::has_log(&database) {
        Sharing::Untouched
    } else {
        Sharing::Shared
    };
    if let Err(source) = reader(&database, sharing) {
        return Err(OpenError::Database {
            path: database,
            source,
        });
    }
    Ok(Opened {
        report: OpenReport {
            access,
            set_aside: None,
            recovered: Vec::new(),
            on_network: is_on_network(dir),
        },
        blobs: Blobs::new(dir.join(BLOBS_DIR)),
        database,
        sharing,
        lock: None,
        writing: None,
        unsettled: Vec::new(),
        ends: Ends::default(),
    })
}

fn open_to_write(
    dir: &Path,
    database: PathBuf,
    mut lock: LockFile,
    options: &OpenOptions,
) -> Result<Opened, OpenError> {
    let stamp = lock.take_stamp().map_err(|source| OpenError::Io {
        operation: "read",
        path: dir.join(LOCK_FILE),
        source,
    })?;
    let now = options.clock.now_ms();
    let blobs = Blobs::new(dir.join(BLOBS_DIR));
    let mut start = Start {
        database: &database,
        blobs: &blobs,
        limits: &options.limits,
        end_strays: &options.end_strays,
        stamp,
        now,
        on_network: is_on_network(dir),
    };
    let mut set_aside = None;
    let ready = match start.usable() {
        Ok(ready) => ready,
        Err(Failure::Unusable(finding)) => {
            set_aside = Some(aside::set_aside(&database, finding, now)?);
            start.stamp = None;
            start
                .usable()
                .map_err(|failure| failure.into_error(&database))?
        }
        Err(Failure::Newer(version)) => {
            let opened = open_newer(dir, database, version)?;
            return Ok(Opened {
                lock: Some(lock),
                ..opened
            });
        }
        // Everything is in the database itself, so it can be read without a byte more on the disk.
        Err(Failure::NoRoom(error)) if aside::has_log(&database) => return Err(error),
        Err(Failure::NoRoom(_)) => return open_to_read(dir, database, Access::NoRoom),
        Err(Failure::Fatal(error)) => return Err(error),
    };
    Ok(Opened {
        report: OpenReport {
            access: Access::Writable,
            set_aside,
            recovered: ready.recovered,
            on_network: start.on_network,
        },
        writing: Some(Writing {
            conn: ready.conn,
            log: ready.log,
            checked_at: ready.checked_at,
            epoch: now,
        }),
        lock: Some(lock),
        unsettled: ready.unsettled,
        ends: ready.ends,
        sharing: Sharing::Shared,
        blobs,
        database,
    })
}

fn open_newer(dir: &Path, database: PathBuf, version: u32) -> Result<Opened, OpenError> {
    let min_reader: Option<u32> = reader(&database, Sharing::Untouched)
        .and_then(|conn| {
            conn.query_row("SELECT value FROM meta WHERE key='min_reader'", [], |row| {
                row.get::<_, String>(0)
            })
            .optional()
        })
        .ok()
        .flatten()
        .and_then(|text| text.parse().ok());
    if min_reader.is_some_and(|min| min <= migrate::newest(migrate::STEPS)) {
        return open_to_read(dir, database, Access::Newer);
    }
    Err(OpenError::Newer {
        path: database,
        version,
    })
}

impl Failure {
    fn of(database: &Path, source: rusqlite::Error) -> Self {
        if is_damage(&source) {
            return Self::Unusable(Finding::Damaged);
        }
        let no_room = is_no_room(&source);
        let error = OpenError::Database {
            path: database.to_owned(),
            source,
        };
        if no_room {
            Self::NoRoom(error)
        } else {
            Self::Fatal(error)
        }
    }

    /// For a database that was made a moment ago.
    fn into_error(self, database: &Path) -> OpenError {
        match self {
            Self::Fatal(error) | Self::NoRoom(error) => error,
            Self::Newer(version) => OpenError::Newer {
                path: database.to_owned(),
                version,
            },
            Self::Unusable(finding) => OpenError::Io {
                operation: "use the new database",
                path: database.to_owned(),
                source: std::io::Error::other(format!("{finding:?}")),
            },
        }
    }
}

struct Start<'a> {
    database: &'a Path,
    blobs: &'a Blobs,
    limits: &'a Limits,
    end_strays: &'a EndStrays,
    stamp: Option<Stamp>,
    now: i64,
    on_network: bool,
}

struct Ready {
    conn: Connection,
    log: Log,
    checked_at: i64,
    recovered: Vec<Recovered>,
    unsettled: Vec<SessionId>,
    ends: Ends,
}

/// What a check of the structure found, short of damage that cannot be mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Structure {
    Sound,
    /// The search index alone is damaged; it can be made anew.
    IndexDamaged,
}

impl Start<'_> {
    /// The database, checked, in the newest format and with no session in the middle of a turn.
    fn usable(&self) -> Result<Ready, Failure> {
        let header = header::read(self.database).map_err(|source| {
            Failure::Fatal(OpenError::Io {
                operation: "read",
                path: self.database.to_owned(),
                source,
            })
        })?;
        match header {
            Header::Ours { version } if version > migrate::newest(migrate::STEPS) => {
                return Err(Failure::Newer(version));
            }
            Header::Ours { .. } => {}
            Header::Unusable(finding) => return Err(Failure::Unusable(finding)),
            Header::Absent if aside::has_leftovers(self.database) => {
                return Err(Failure::Unusable(Finding::Missing));
            }
            Header::Absent => migrate::create(self.database, self.journal(), migrate::STEPS)
                .map_err(Failure::Fatal)?,
        }
        let vouched = if header == Header::Absent {
            Some(self.now)
        } else {
            self.vouched_for()
        };
        let structure = match vouched {
            Some(_) => Structure::Sound,
            None => self.check()?,
        };
        let conn = self
            .connect()
            .map_err(|source| Failure::of(self.database, source))?;
        self.up_to_date(&conn)?;
        let log = self
            .log(&conn)
            .map_err(|source| Failure::of(self.database, source))?;
        let ends = self
            .end_strays
            .end(&conn)
            .map_err(|error| self.failure(error))?;
        let (recovered, unsettled) = self
            .settle(&conn, structure, &ends)
            .map_err(|error| self.failure(error))?;
        Ok(Ready {
            conn,
            log,
            checked_at: vouched.unwrap_or(self.now),
            recovered,
            unsettled,
            ends,
        })
    }

    fn failure(&self, error: Error) -> Failure {
        match error {
            Error::Damaged(_) | Error::SearchIndex(_) => Failure::Unusable(Finding::Damaged),
            Error::Busy(source) | Error::Database(source) => Failure::of(self.database, source),
            other => Failure::Fatal(OpenError::Io {
                operation: "recover",
                path: self.database.to_owned(),
                source: std::io::Error::other(other),
            }),
        }
    }

    /// A write-ahead log needs memory that is shared, which no network file system has.
    fn journal(&self) -> &'static str {
        if self.on_network { "DELETE" } else { "WAL" }
    }

    /// Prepares for a first commit that need not wait for the disk.
    fn log(&self, conn: &Connection) -> rusqlite::Result<Log> {
        if self.on_network || aside::has_log(self.database) {
            return Ok(Log::Begun);
        }
        conn.execute_batch(UNFLUSHED)?;
        Ok(Log::Absent)
    }

    fn connect(&self) -> rusqlite::Result<Connection> {
        let conn = Connection::open_with_flags(
            self.database,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        keep_plans(&conn)?;
        let journal = self.journal();
        conn.execute_batch(&format!(
            "PRAGMA journal_mode={journal}; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;
             PRAGMA temp_store=MEMORY; PRAGMA journal_size_limit=67108864; PRAGMA wal_autocheckpoint={WAL_PAGES};
             PRAGMA secure_delete=FAST"
        ))?;
        Ok(conn)
    }

    /// Whether the structure need not be checked: the last end was clean, the file is as it was left, and the last
    /// check is recent. Says when that was.
    fn vouched_for(&self) -> Option<i64> {
        let stamp = self.stamp?;
        let recent = (0..CHECK_INTERVAL_MS).contains(&(self.now - stamp.checked_at));
        let untouched = Stamp::of(self.database, stamp.checked_at).is_ok_and(|now| now == stamp);
        (recent && untouched).then_some(stamp.checked_at)
    }

    /// Checks the structure. The connection cannot write, so damage is kept as it is.
    fn check(&self) -> Result<Structure, Failure> {
        let findings = reader(self.database, Sharing::Shared)
            .and_then(|conn| {
                conn.prepare("PRAGMA quick_check")?
                    .query_map([], |row| row.get(0))?
                    .collect::<Result<Vec<String>, _>>()
            })
            .map_err(|source| Failure::of(self.database, source))?;
        if findings == ["ok"] {
            return Ok(Structure::Sound);
        }
        tracing::error!(?findings, "the check has found damage");
        // The engine has no code for this; only the index's own messages name it.
        if findings
            .iter()
            .all(|finding| finding.to_lowercase().contains("fts5"))
        {
            return Ok(Structure::IndexDamaged);
        }
        Err(Failure::Unusable(Finding::Damaged))
    }

    fn up_to_date(&self, conn: &Connection) -> Result<(), Failure> {
        let version: u32 = conn
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .map_err(|source| Failure::of(self.database, source))?;
        if version >= migrate::newest(migrate::STEPS) {
            return Ok(());
        }
        let name = format!("benchdog-v{version}-{}.db", aside::utc_name(self.now));
        let backup = self.database.with_file_name(BACKUPS_DIR).join(name);
        migrate::upgrade(conn, version, migrate::STEPS, &backup).map_err(Failure::Fatal)
    }

    /// Ends what was cut off. What a full disk keeps from being put right is left for later.
    fn settle(
        &self,
        conn: &Connection,
        structure: Structure,
        ends: &Ends,
    ) -> Result<(Vec<Recovered>, Vec<SessionId>), Error> {
        if structure == Structure::IndexDamaged {
            self.in_transaction(conn, |tx| index::rebuild(tx.conn))?;
        }
        let mut recovered = Vec::new();
        let mut unsettled = Vec::new();
        for id in recover::unfinished(conn)? {
            match self.in_transaction(conn, |tx| recover::recover(tx, &id, ends)) {
                Ok(done) => recovered.extend(done),
                Err(error) if error.is_passing() => unsettled.push(id),
                Err(error) => return Err(error),
            }
        }
        match self.in_transaction(conn, |tx| shell_runs::settle(tx.conn, ends)) {
            // The next start finds out again that nothing of them runs.
            Err(error) if error.is_passing() => {
                tracing::warn!(%error, "ended shells are not noted")
            }
            settled => settled?,
        }
        Ok((recovered, unsettled))
    }

    fn in_transaction<T>(
        &self,
        conn: &Connection,
        work: impl FnOnce(&Tx<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let doomed = RefCell::new(Vec::new());
        let transaction = Transaction::new_unchecked(conn, TransactionBehavior::Immediate)?;
        let value = work(&Tx {
            conn,
            blobs: self.blobs,
            limits: self.limits,
            now: self.now,
            epoch: self.now,
            doomed: &doomed,
        })?;
        transaction.commit()?;
        Ok(value)
    }
}

/// Whether others may be writing while we read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// They may.
    Shared,
    /// Nobody writes, and we leave no trace, not even beside the file.
    Untouched,
}

/// A connection that cannot write.
pub(crate) fn reader(database: &Path, sharing: Sharing) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = match sharing {
        Sharing::Shared => Connection::open_with_flags(database, flags)?,
        Sharing::Untouched => Connection::open_with_flags(
            immutable_uri(database),
            flags | OpenFlags::SQLITE_OPEN_URI,
        )?,
    };
    conn.execute_batch("PRAGMA query_only=ON; PRAGMA temp_store=MEMORY")?;
    keep_plans(&conn)?;
    Ok(conn)
}

/// What every connection wants: patience, and plans that are made once. Without the guarantee SQLite plans a cached
/// statement anew whenever a value is bound that its conditions on a partial index might depend on.
fn keep_plans(conn: &Connection) -> rusqlite::Result<()> {
    conn.busy_timeout(BUSY_TIMEOUT)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

fn immutable_uri(database: &Path) -> String {
    let path = database
        .to_string_lossy()
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    format!("file:{path}?immutable=1")
}

/// Whether `dir` lies on a file system where a write-ahead log does not work, as far as that can be told.
#[cfg(target_os = "linux")]
fn is_on_network(dir: &Path) -> bool {
    // NFS, SMB, CIFS, SMB2, 9P, AFS, Coda, Ceph, Lustre: from linux/magic.h and the file systems' own headers.
    const NETWORK: [i64; 9] = [
        0x6969,
        0x517B,
        0xFF53_4D42,
        0xFE53_4D42,
        0x0102_1997,
        0x5346_414F,
        0x7375_7245,
        0x00C3_6400,
        0x0BD0_0BD0,
    ];
    rustix::fs::statfs(dir).is_ok_and(|found| NETWORK.contains(&(found.f_type & 0xFFFF_FFFF)))
}

/// Whether `dir` lies on a file system where a write-ahead log does not work; not known here.
#[cfg(not(target_os = "linux"))]
fn is_on_network(_dir: &Path) -> bool {
    false
}
