//! Bytes by their SHA-256: small ones in the table, large ones as files beside the database.
//!
//! A file is complete, flushed and under its final name before any row refers to it; a row without its file cannot
//! come from a crash of ours. Reading checks the hash. Deliberately absent: what the bytes mean.

use crate::error::Error;
use crate::writer::Tx;
use protocol::ids::SessionId;
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Blobs over this many bytes are files: rows this large would slow every page of the table down.
pub(crate) const MAX_INLINE_BYTES: usize = 64 * 1024;
/// Unreferenced blobs go after this long; a day covers bytes put away for a row that is still being made.
const ORPHAN_AGE_MS: i64 = 24 * 60 * 60 * 1000;

/// What a blob is kept for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// A long string of a fact.
    Event,
    /// A picture.
    Image,
    /// The content of a file before a change.
    File,
}

impl Why {
    fn as_str(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Image => "image",
            Self::File => "file",
        }
    }
}

/// The folder of the large ones.
#[derive(Debug, Clone)]
pub(crate) struct Blobs {
    dir: PathBuf,
    /// At least as many bytes as all copies of files have; `u64::MAX` where that is not known.
    file_bytes: Arc<AtomicU64>,
}

/// The name of these bytes.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    out
}

impl Blobs {
    pub(crate) fn new(dir: PathBuf) -> Self {
        Self {
            dir,
            file_bytes: Arc::new(AtomicU64::new(u64::MAX)),
        }
    }

    /// Counts `more` bytes and gives an upper bound of all copies of files, if one is known.
    pub(crate) fn bound_file_bytes(&self, more: u64) -> Option<u64> {
        let before = self
            .file_bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |bytes| {
                Some(bytes.saturating_add(more))
            })
            .unwrap_or(u64::MAX);
        (before != u64::MAX).then(|| before.saturating_add(more))
    }

    pub(crate) fn set_file_bytes(&self, bytes: u64) {
        self.file_bytes.store(bytes, Ordering::Relaxed);
    }

    pub(crate) fn forget_file_bytes(&self) {
        self.set_file_bytes(u64::MAX);
    }

    fn path(&self, sha256: &str) -> PathBuf {
        self.dir.join(sha256.get(..2).unwrap_or("00")).join(sha256)
    }

    /// Puts a large blob on disk. Doing it again costs a look at the file's size.
    fn write_file(&self, sha256: &str, bytes: &[u8]) -> Result<(), Error> {
        let path = self.path(sha256);
        if fs::metadata(&path).is_ok_and(|meta| meta.len() == bytes.len() as u64) {
            return Ok(());
        }
        self.write_new(&path, bytes)
            .map_err(|source| Error::io("write", path, source))
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let folder = path.parent().unwrap_or(&self.dir);
        create_private_dir(folder)?;
        let temporary = path.with_extension("new");
        let written = private_file(&temporary).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
        match written.and_then(|()| fs::rename(&temporary, path)) {
            Ok(()) => sync_dir(folder),
            Err(error) => {
                // The half file is ours alone; if it cannot go now the next write of the same bytes replaces it.
                if let Err(left) = fs::remove_file(&temporary) {
                    tracing::debug!(error = %left, "a half blob stays until it is written again");
                }
                Err(error)
            }
        }
    }

    /// Removes the file of a blob, unless something has kept it again meanwhile.
    pub(crate) fn remove_unless_kept(&self, conn: &Connection, sha256: &str) {
        let kept = conn
            .prepare_cached(
                "SELECT EXISTS(SELECT 1 FROM blob WHERE sha256=?1 AND dropped_at IS NULL)",
            )
            .and_then(|mut statement| statement.query_row([sha256], |row| row.get(0)))
            .unwrap_or(true);
        let path = self.path(sha256);
        if kept {
            return;
        }
        match fs::remove_file(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => tracing::warn!(%error, path = %path.display(), "a blob file stays"),
        }
    }

    /// The bytes of a blob, checked.
    pub(crate) fn get(&self, conn: &Connection, sha256: &str) -> Result<Vec<u8>, Error> {
        let lost = || Error::BlobLost(sha256.to_owned());
        let row: Option<(Option<Vec<u8>>, Option<i64>)> = conn
            .prepare_cached("SELECT data, dropped_at FROM blob WHERE sha256=?1")?
            .query_row([sha256], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let bytes = match row {
            None | Some((_, Some(_))) => return Err(lost()),
            Some((Some(data), None)) => data,
            Some((None, None)) => {
                fs::read(self.path(sha256)).map_err(|error| match error.kind() {
                    io::ErrorKind::NotFound => lost(),
                    _ => Error::io("read", self.path(sha256), error),
                })?
            }
        };
        if sha256_hex(&bytes) == sha256 {
            Ok(bytes)
        } else {
            Err(lost())
        }
    }
}

/// Keeps bytes whose name is known. They are durable when the transaction is.
pub(crate) fn put_named(
    tx: &Tx<'_>,
    sha256: &str,
    bytes: &[u8],
    mime: Option<&str>,
) -> Result<(), Error> {
    let inline = (bytes.len() <= MAX_INLINE_BYTES).then_some(bytes);
    if inline.is_none() {
        tx.blobs.write_file(sha256, bytes)?;
    }
    tx.conn
        .prepare_cached(
            "INSERT INTO blob(sha256, size, mime, created_at, data) VALUES(?1,?2,?3,?4,?5)
             ON CONFLICT(sha256) DO UPDATE SET size=excluded.size, data=excluded.data, dropped_at=NULL WHERE dropped_at IS NOT NULL",
        )?
        .execute(params![sha256, bytes.len() as i64, mime, tx.now, inline])?;
    Ok(())
}

/// Takes a blob over whose file is there already. Says whether it is.
pub(crate) fn adopt_file(tx: &Tx<'_>, sha256: &str) -> Result<bool, Error> {
    let Ok(meta) = fs::metadata(tx.blobs.path(sha256)) else {
        return Ok(false);
    };
    tx.conn
        .prepare_cached("INSERT OR IGNORE INTO blob(sha256, size, created_at) VALUES(?1,?2,?3)")?
        .execute(params![sha256, meta.len() as i64, tx.now])?;
    Ok(true)
}

/// Notes that a session needs a blob.
pub(crate) fn refer(
    conn: &Connection,
    session: &SessionId,
    why: Why,
    sha256: &str,
) -> Result<(), Error> {
    conn.prepare_cached(
        "INSERT OR IGNORE INTO blob_ref(session_id, sha256, why) VALUES(?1,?2,?3)",
    )?
    .execute(params![session.as_str(), sha256, why.as_str()])?;
    Ok(())
}

/// Which unreferenced blobs go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Orphans {
    /// Those older than a day.
    Old,
    /// All of them, after a deletion.
    All,
}

/// Removes blobs that nothing refers to. Rows go in the transaction, files after it.
pub(crate) fn remove_orphans(tx: &Tx<'_>, which: Orphans) -> Result<Vec<String>, Error> {
    let before = match which {
        Orphans::Old => tx.now - ORPHAN_AGE_MS,
        Orphans::All => i64::MAX,
    };
    let gone = tx
        .conn
        .prepare_cached(
            "DELETE FROM blob WHERE created_at < ?1
               AND NOT EXISTS(SELECT 1 FROM blob_ref r WHERE r.sha256=blob.sha256)
               AND NOT EXISTS(SELECT 1 FROM file_version f WHERE f.before_hash=blob.sha256)
             RETURNING sha256, data IS NULL",
        )?
        .query_map([before], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?))
        })?
        .filter_map(|row| {
            row.map(|(sha256, is_file)| is_file.then_some(sha256))
                .transpose()
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(gone)
}

/// A folder that only its owner can enter.
pub(crate) fn create_private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(dir)
}

/// A new or emptied file that only its owner can read.
pub(crate) fn private_file(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

/// Makes a rename in `dir` durable.
#[cfg(unix)]
fn sync_dir(dir: &Path) -> io::Result<()> {
    fs::File::open(dir)?.sync_all()
}

/// Makes a rename in `dir` durable; the file system does so by itself here.
#[cfg(not(unix))]
fn sync_dir(_dir: &Path) -> io::Result<()> {
    Ok(())
}
