//! What can go wrong, by what the caller does about it.

use protocol::ids::{CallId, SessionId};
use rusqlite::ErrorCode;
use rusqlite::ffi::{SQLITE_CORRUPT_VTAB, SQLITE_IOERR_SHMSIZE};
use std::io;
use std::path::PathBuf;

/// Why a store could not be opened. No file was changed or removed.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another program holds the store and has not made its database yet. Try again in a moment.
    #[error("{path} is held by another program that has not finished making it", path = path.display())]
    Held {
        /// The database.
        path: PathBuf,
    },
    /// The database was made by a newer version that this one cannot even read. Update the program.
    #[error("{path} was made by a newer version of this program (format {version})", path = path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its format.
        version: u32,
    },
    /// The copy before a change of format could not be made; free some space.
    #[error("cannot back up to {path} before changing the format", path = path.display())]
    Backup {
        /// Where it should have gone.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// A file or folder could not be used: rights, space, a broken disk.
    #[error("cannot {operation} {path}", path = path.display())]
    Io {
        /// What was tried.
        operation: &'static str,
        /// With what.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The database engine refused for a reason that is not damage.
    #[error("cannot open {path}", path = path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
}

/// Why an operation was not done. Nothing of it was kept.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store was opened for reading only.
    #[error("the store can only be read")]
    ReadOnly,
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
    /// No such session, or it was deleted.
    #[error("no session {0}")]
    SessionNotFound(SessionId),
    /// The session has no row with this number.
    #[error("no row {0}")]
    ItemNotFound(u64),
    /// A fact about a call that the session does not have.
    #[error("no call {0}")]
    CallNotFound(CallId),
    /// A fault of the caller: this fact may not come here.
    #[error("a fact out of order: {0}")]
    Order(&'static str),
    /// One blob is over the limit.
    #[error("{size} bytes are too many to keep")]
    BlobTooLarge {
        /// Its size.
        size: u64,
    },
    /// All copies of files are over the limit and none of another session can go.
    #[error("the space for copies of files is used up")]
    BlobStoreFull,
    /// The bytes are not there, or not what they were.
    #[error("the content {0} is lost")]
    BlobLost(String),
    /// Another program has the database locked. The writer itself waits for as long as it takes.
    #[error("the database is locked by another program")]
    Busy(#[source] rusqlite::Error),
    /// The disk is full. The writer itself waits for as long as it takes.
    #[error("the disk is full")]
    Full(#[source] io::Error),
    /// The database is damaged. The next start sets it aside.
    #[error("the database is damaged")]
    Damaged(#[source] rusqlite::Error),
    /// The search index is damaged; nothing else is. It is made anew by itself.
    #[error("the search index is damaged")]
    SearchIndex(#[source] rusqlite::Error),
    /// A file beside the database could not be used.
    #[error("cannot {operation} {path}", path = path.display())]
    Io {
        /// What was tried.
        operation: &'static str,
        /// With what.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The database engine refused for another reason.
    #[error("the database refused")]
    Database(#[source] rusqlite::Error),
    /// Another operation took the shared transaction down. Try again.
    #[error("the transaction failed because of another operation")]
    GroupFailed,
    /// A value that has no JSON form.
    #[error("a value cannot be written as JSON")]
    Encode(#[from] serde_json::Error),
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        if extended_code(&error) == Some(SQLITE_CORRUPT_VTAB) {
            return Self::SearchIndex(error);
        }
        if is_no_room(&error) {
            return Self::Full(io::Error::other(error));
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy(error),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged(error),
            _ => Self::Database(error),
        }
    }
}

impl Error {
    /// An I/O error, with a full disk told apart.
    pub(crate) fn io(operation: &'static str, path: PathBuf, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full(source),
            _ => Self::Io {
                operation,
                path,
                source,
            },
        }
    }

    /// Waiting helps.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Self::Busy(_) | Self::Full(_))
    }
}

/// Whether this error of the engine means that the file is damaged.
pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    )
}

/// Whether this error of the engine means that the disk is full. The memory that readers and the writer share is a
/// file too, with an error of its own.
pub(crate) fn is_no_room(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DiskFull)
        || extended_code(error) == Some(SQLITE_IOERR_SHMSIZE)
}

fn extended_code(error: &rusqlite::Error) -> Option<i32> {
    error.sqlite_error().map(|error| error.extended_code)
}
