//! Puts files back to bytes that are kept, each by the same commit that a tool makes.
//!
//! A file is only touched while it holds what it is expected to hold; what it held is kept first, so that this can be
//! taken back too. Blocks. Deliberately absent: which files, and whether.

use crate::history::Earlier;
use files::{Backup, Base, Change, Committer, ContentHash, WrittenBy};
use protocol::changes::FileFailure;
use protocol::diff::DiffStat;
use protocol::error::ErrorCode;
use protocol::log::{FileChange, FileVersion};
use std::io;
use std::path::Path;
use std::sync::Arc;
use store::Store;

/// Files above this size are not put back; no tool makes such a version.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// What putting files back needs.
#[derive(Clone)]
pub(crate) struct PutBack {
    pub(crate) store: Store,
    pub(crate) committer: Arc<Committer>,
    pub(crate) backup: Arc<dyn Backup>,
    /// Folder of the session; paths below it are shown relative to it.
    pub(crate) workspace: String,
}

/// One file, and what shall become of it.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(crate) path: String,
    /// Hash of what must be there; `None` where no file may be.
    pub(crate) expected: Option<String>,
    pub(crate) content: Content,
    /// Permission bits of a file that comes back.
    pub(crate) mode: Option<u32>,
    pub(crate) change: FileChange,
}

/// What a file shall hold.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// It shall be gone.
    Nothing,
    /// The kept bytes of this hash.
    Kept(String),
    /// These bytes.
    Bytes(Vec<u8>),
    /// These bytes, in which a change was taken out of what came later.
    Merged {
        bytes: Vec<u8>,
        /// Hash of what would have been put back without that.
        of: Option<String>,
    },
}

impl Content {
    /// The content a version names.
    pub(crate) fn of(hash: Option<&String>) -> Self {
        hash.cloned().map_or(Self::Nothing, Self::Kept)
    }

    /// The version that is meant, where it is one.
    pub(crate) fn hash(&self) -> Option<&str> {
        match self {
            Self::Nothing | Self::Bytes(_) => None,
            Self::Kept(hash) => Some(hash),
            Self::Merged { of, .. } => of.as_deref(),
        }
    }
}

impl Wanted {
    /// A file as it was before everything that happened to it since a message.
    pub(crate) fn since(earlier: &Earlier<'_>) -> Self {
        Self {
            path: earlier.first.path.clone(),
            expected: earlier.newest.after_hash.clone(),
            content: Content::of(earlier.first.before_hash.as_ref()),
            mode: earlier.first.mode,
            change: FileChange::Undo,
        }
    }
}

impl PutBack {
    /// Whether one file holds what is expected, as far as that can be told before anything is written.
    pub(crate) fn check(&self, wanted: &Wanted) -> Result<(), FileFailure> {
        let now = read_now(Path::new(&wanted.path))
            .map_err(|error| self.unreadable(&wanted.path, &error))?;
        let hash = now.map(|bytes| ContentHash::of(&bytes).to_hex());
        match hash == wanted.expected {
            true => Ok(()),
            false => Err(self.conflict(&wanted.path)),
        }
    }

    /// Puts one file back. `None` where it is as wanted already.
    pub(crate) fn put_back(&self, wanted: &Wanted) -> Result<Option<FileVersion>, FileFailure> {
        let path = Path::new(&wanted.path);
        let now = read_now(path).map_err(|error| self.unreadable(&wanted.path, &error))?;
        let now_hash = now.as_deref().map(ContentHash::of);
        if now_hash.map(|hash| hash.to_hex()) != wanted.expected {
            return Err(self.conflict(&wanted.path));
        }
        let bytes = match &wanted.content {
            Content::Nothing => None,
            Content::Bytes(bytes) | Content::Merged { bytes, .. } => Some(bytes.clone()),
            Content::Kept(hash) => Some(self.kept(&wanted.path, hash)?),
        };
        if now == bytes {
            return Ok(None);
        }
        let base = match (&now, now_hash) {
            (Some(bytes), Some(hash)) => Base::Bytes { bytes, hash },
            _ => Base::Absent,
        };
        let version = |after: Option<&[u8]>, mode, written_by| FileVersion {
            path: wanted.path.clone(),
            change: wanted.change,
            before_hash: wanted.expected.clone(),
            proposed_hash: match &wanted.content {
                Content::Merged { of, .. } => of.clone(),
                Content::Nothing | Content::Kept(_) | Content::Bytes(_) => None,
            },
            after_hash: after.map(|bytes| ContentHash::of(bytes).to_hex()),
            mode,
            in_place: written_by == WrittenBy::InPlace,
            stat: DiffStat::default(),
            owners: None,
        };
        let failed = |error: files::Error| self.failed(&wanted.path, &error);
        let Some(bytes) = bytes else {
            let mode = mode_of(path);
            self.committer
                .delete(path, base, self.backup.clone())
                .map_err(failed)?;
            return Ok(Some(version(None, mode, WrittenBy::Exchange)));
        };
        let committed = self
            .committer
            .commit(&Change {
                path,
                base,
                bytes: &bytes,
                backup: self.backup.clone(),
            })
            .map_err(failed)?;
        self.backup.keep(&bytes);
        let mode = match (now.is_none(), wanted.mode) {
            (true, Some(mode)) => restore_mode(path, mode).unwrap_or(committed.mode),
            _ => committed.mode,
        };
        Ok(Some(version(
            Some(&bytes),
            Some(mode),
            committed.written_by,
        )))
    }

    /// The path as people read it.
    pub(crate) fn display_path(&self, path: &str) -> String {
        display_path(path, &self.workspace)
    }

    fn kept(&self, path: &str, hash: &str) -> Result<Vec<u8>, FileFailure> {
        let read = self.store.read_blocking(|reader| reader.blob(hash));
        let intact = read
            .ok()
            .filter(|bytes| ContentHash::of(bytes).to_hex() == hash);
        intact.ok_or_else(|| self.backup_missing(path))
    }

    pub(crate) fn conflict(&self, path: &str) -> FileFailure {
        let shown = self.display_path(path);
        self.failure(
            path,
            ErrorCode::UndoConflict,
            format!(
                "{shown} is no longer as this change left it: a later edit or another program changed it. Undo the later edit first, or change the file by hand"
            ),
        )
    }

    pub(crate) fn backup_missing(&self, path: &str) -> FileFailure {
        let shown = self.display_path(path);
        self.failure(
            path,
            ErrorCode::BackupMissing,
            format!(
                "the earlier content of {shown} is no longer kept, so the file stays as it is; change it by hand"
            ),
        )
    }

    fn unreadable(&self, path: &str, error: &io::Error) -> FileFailure {
        let shown = self.display_path(path);
        self.failure(
            path,
            ErrorCode::WriteFailed,
            format!("cannot read {shown}: {error}; fix that and try again"),
        )
    }

    fn failed(&self, path: &str, error: &files::Error) -> FileFailure {
        let shown = self.display_path(path);
        match error {
            files::Error::Changed { .. } | files::Error::Conflict { .. } => self.failure(
                path,
                ErrorCode::FileChanged,
                format!("{shown} changed while it was put back; look at it and try again"),
            ),
            other => self.failure(
                path,
                ErrorCode::WriteFailed,
                format!("{shown} was not put back: {other}"),
            ),
        }
    }

    fn failure(&self, path: &str, code: ErrorCode, message: String) -> FileFailure {
        FileFailure {
            path: path.to_owned(),
            display_path: self.display_path(path),
            code,
            message,
        }
    }
}

/// A path as people read it: relative to a folder where it lies inside.
pub(crate) fn display_path(path: &str, workspace: &str) -> String {
    Path::new(path)
        .strip_prefix(workspace)
        .ok()
        .filter(|rest| !rest.as_os_str().is_empty())
        .map_or_else(|| path.to_owned(), |rest| rest.display().to_string())
}

/// The bytes of a file; `None` if there is none.
pub(crate) fn read_now(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let meta = match std::fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if !meta.is_file() {
        return Err(io::Error::other("it is no longer a plain file"));
    }
    if meta.len() > MAX_FILE_BYTES {
        return Err(io::Error::other("it is too large"));
    }
    std::fs::read(path).map(Some)
}

#[cfg(unix)]
fn mode_of(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let meta = std::fs::metadata(path).ok()?;
    Some(meta.permissions().mode() & 0o7777)
}

#[cfg(not(unix))]
fn mode_of(_path: &Path) -> Option<u32> {
    None
}

/// Gives a file that came back its old rights. They matter less than its content: a failure is only noted.
#[cfg(unix)]
fn restore_mode(path: &Path, mode: u32) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    match std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)) {
        Ok(()) => Some(mode),
        Err(error) => {
            tracing::warn!(%error, path = %path.display(), "the rights of a file were not put back");
            None
        }
    }
}

#[cfg(not(unix))]
fn restore_mode(_path: &Path, _mode: u32) -> Option<u32> {
    None
}
