//! What the commit needs from whoever stores backups and the journal.

use crate::ContentHash;
use crate::error::BackupError;
use std::path::{Path, PathBuf};

/// Names a journal row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JournalId(pub i64);

/// What a restart needs to know about a commit that did not end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalRow {
    /// The file that changes.
    pub target: PathBuf,
    /// Name of the temporary file in the target's folder.
    pub temp_name: String,
    /// Hash before; `None` if there was no file.
    pub base: Option<ContentHash>,
    /// Hash after; `None` if the file is deleted.
    pub new: Option<ContentHash>,
    /// Permission bits before.
    pub mode: Option<u32>,
}

/// Keeps old bytes and the journal. Every call but [`keep`](Self::keep) returns only when its data is safe.
pub trait Backup: Send + Sync {
    /// Stores bytes under their hash.
    fn put(&self, bytes: &[u8]) -> Result<ContentHash, BackupError>;

    /// Stores bytes under their hash, soon. Nothing is lost where that fails; it is only no longer known what they were.
    fn keep(&self, bytes: &[u8]) {
        if let Err(error) = self.put(bytes) {
            tracing::warn!(%error, "a version of a file was not kept");
        }
    }

    /// Opens a journal row.
    fn journal_prepared(&self, row: &JournalRow) -> Result<JournalId, BackupError>;

    /// Stores the bytes that are about to be replaced, whose hash is the base of the row, and opens the row.
    fn prepare(&self, base: &[u8], row: &JournalRow) -> Result<JournalId, BackupError> {
        self.put(base)?;
        self.journal_prepared(row)
    }

    /// Closes a journal row: no temporary file of it is left.
    fn journal_done(&self, id: JournalId) -> Result<(), BackupError>;

    /// Another program wrote to the displaced file after the commit; its bytes are stored under `hash`.
    fn late_write(&self, path: &Path, hash: ContentHash);
}
