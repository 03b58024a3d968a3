//! One program writes at a time, and the next start knows how the last one ended.
//!
//! The operating system frees the lock when its holder dies. Into the locked file goes, at a clean end, how the
//! database file looked; a start that finds it looking otherwise (a crash, a copied or a damaged file) checks it.

use crate::blobs::create_private_dir;
use crate::error::OpenError;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Who may write.
pub(crate) enum Lock {
    /// We may.
    Ours(LockFile),
    /// Another program does.
    Theirs,
    /// Nobody can: the folder is not writable.
    Unwritable,
}

/// The lock, held until this is dropped.
pub(crate) struct LockFile(File);

/// How the database file looked at a clean end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) len: u64,
    pub(crate) modified_ns: u128,
    /// When its structure was last checked: milliseconds since 1970, UTC.
    pub(crate) checked_at: i64,
}

impl Stamp {
    /// How `database` looks now.
    pub(crate) fn of(database: &Path, checked_at: i64) -> io::Result<Self> {
        let meta = fs::metadata(database)?;
        let modified = meta.modified()?.duration_since(UNIX_EPOCH);
        Ok(Self {
            len: meta.len(),
            modified_ns: modified.map_or(0, |since| since.as_nanos()),
            checked_at,
        })
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.strip_prefix("clean ")?.split_whitespace();
        Some(Self {
            len: words.next()?.parse().ok()?,
            modified_ns: words.next()?.parse().ok()?,
            checked_at: words.next()?.parse().ok()?,
        })
    }
}

/// Takes the lock of `dir`, making the folder if need be.
pub(crate) fn take(dir: &Path, file_name: &str) -> Result<Lock, OpenError> {
    let failed = |operation, path: &Path, source| OpenError::Io {
        operation,
        path: path.to_owned(),
        source,
    };
    let path = dir.join(file_name);
    if let Err(error) = create_private_dir(dir) {
        return match error.kind() {
            _ if dir.is_dir() => Ok(Lock::Unwritable),
            _ => Err(failed("create", dir, error)),
        };
    }
    let file = match open(&path) {
        Ok(file) => file,
        Err(error) if is_denied(&error) => return Ok(Lock::Unwritable),
        Err(error) => return Err(failed("open", &path, error)),
    };
    match file.try_lock() {
        Ok(()) => Ok(Lock::Ours(LockFile(file))),
        Err(TryLockError::WouldBlock) => Ok(Lock::Theirs),
        Err(TryLockError::Error(error)) => Err(failed("lock", &path, error)),
    }
}

fn is_denied(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
    )
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

impl LockFile {
    /// Takes out what the last clean end left. From here on an end without [`leave`](Self::leave) is not clean.
    pub(crate) fn take_stamp(&mut self) -> io::Result<Option<Stamp>> {
        let mut text = String::new();
        self.0.seek(SeekFrom::Start(0))?;
        // Text of another kind is no stamp, and no reason not to start.
        if self.0.read_to_string(&mut text).is_err() {
            text.clear();
        }
        self.0.set_len(0)?;
        Ok(Stamp::parse(&text))
    }

    /// Leaves a stamp for the next start.
    pub(crate) fn leave(&mut self, stamp: Stamp) -> io::Result<()> {
        self.0.seek(SeekFrom::Start(0))?;
        self.0.set_len(0)?;
        writeln!(
            self.0,
            "clean {} {} {}",
            stamp.len, stamp.modified_ns, stamp.checked_at
        )
    }
}
