//! Keeps old bytes and the journal of commits in the store, for one session.

use crate::late_write::{LateWrite, Tellers};
use crate::workbench::Workbench;
use files::{Backup, BackupError, ContentHash, JournalId, JournalRow};
use protocol::ids::SessionId;
use std::path::Path;
use std::sync::Arc;
use store::{CommitEntry, Store};

/// The store as the file layer needs it.
pub(crate) struct FileBackup {
    store: Store,
    session_id: SessionId,
    /// Whoever can be told while the session runs.
    tellers: Option<Tellers>,
}

impl FileBackup {
    pub(crate) fn new(store: Store, session_id: SessionId) -> Self {
        Self {
            store,
            session_id,
            tellers: None,
        }
    }

    /// The same; what happens late is told to the running session. Needs a runtime around it.
    pub(crate) fn told(workbench: &Arc<Workbench>, session_id: SessionId) -> Self {
        Self {
            tellers: Some(Tellers::new(&workbench.hubs.get(&session_id))),
            ..Self::new(workbench.store.clone(), session_id)
        }
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
        let late = LateWrite::new(&self.store, &self.session_id, path, hash);
        if let Err(error) = late.tell(&self.store, self.tellers.as_ref()) {
            tracing::warn!(%error, "nobody was told of it");
        }
    }
}

fn failed(error: store::Error) -> BackupError {
    Box::new(error)
}
