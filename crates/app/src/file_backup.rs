//! Keeps old bytes and the journal of commits in the store, for one session.

use files::{Backup, BackupError, ContentHash, JournalId, JournalRow};
use protocol::ids::SessionId;
use std::path::Path;
use store::{CommitEntry, Store};

/// The store as the file layer needs it.
pub(crate) struct FileBackup {
    store: Store,
    session_id: SessionId,
}

impl FileBackup {
    pub(crate) fn new(store: Store, session_id: SessionId) -> Self {
        Self { store, session_id }
    }

    fn entry(&self, row: &JournalRow) -> CommitEntry {
        CommitEntry {
            session_id: self.session_id.clone(),
            target: row.target.clone(),
            temp_name: row.temp_name.clone(),
            base: row.base.map(|hash| hash.to_hex()),
            new: row.new.map(|hash| hash.to_hex()),
            mode: row.mode,
        }
    }
}

impl Backup for FileBackup {
    fn put(&self, bytes: &[u8]) -> Result<ContentHash, BackupError> {
        self.store
            .put_file_copy(&self.session_id, bytes.to_vec())
            .wait()
            .map_err(failed)?;
        Ok(ContentHash::of(bytes))
    }

    fn keep(&self, bytes: &[u8]) {
        // Queued ahead of the fact that names the version, and so written before it.
        drop(self.store.keep_file_copy(&self.session_id, bytes.to_vec()));
    }

    fn journal_prepared(&self, row: &JournalRow) -> Result<JournalId, BackupError> {
        let begun = self.store.begin_commit(self.entry(row)).wait();
        begun.map(JournalId).map_err(failed)
    }

    fn prepare(&self, base: &[u8], row: &JournalRow) -> Result<JournalId, BackupError> {
        let begun = self
            .store
            .begin_replacement(self.entry(row), base.to_vec())
            .wait();
        begun.map(JournalId).map_err(failed)
    }

    fn journal_done(&self, id: JournalId) -> Result<(), BackupError> {
        self.store.end_commit(id.0).wait().map_err(failed)
    }

    fn late_write(&self, path: &Path, hash: ContentHash) {
        tracing::warn!(path = %path.display(), hash = %hash.to_hex(), "another program wrote to the file that was displaced; its bytes are kept");
    }
}

fn failed(error: store::Error) -> BackupError {
    Box::new(error)
}

/// Settles commits that the end of the program cut short. Blocks.
pub(crate) fn settle_commits(store: &Store) {
    let open = match store.read_blocking(|reader| reader.open_commits()) {
        Ok(open) => open,
        Err(error) => {
            tracing::warn!(%error, "the journal of file commits was not read");
            return;
        }
    };
    for (id, entry) in open {
        let row = JournalRow {
            target: entry.target,
            temp_name: entry.temp_name,
            base: entry.base.as_deref().and_then(ContentHash::from_hex),
            new: entry.new.as_deref().and_then(ContentHash::from_hex),
            mode: entry.mode,
        };
        let backup = FileBackup::new(store.clone(), entry.session_id);
        match files::recover(JournalId(id), &row, &backup) {
            Ok(found) => {
                tracing::info!(target = %row.target.display(), ?found, "a commit that was cut short is settled")
            }
            Err(error) => {
                tracing::warn!(%error, target = %row.target.display(), "a commit that was cut short is not settled")
            }
        }
    }
}
