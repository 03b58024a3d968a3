//! Keeps old bytes and the journal of commits in the store, for one session.

use crate::late_write::{LateWrite, Tellers};
use crate::workbench::Workbench;
use files::{Backup, BackupError, ContentHash, JournalId, JournalRow, Recovered};
use protocol::ids::SessionId;
use protocol::log::{LogEvent, LogRow};
use std::path::Path;
use std::sync::Arc;
use store::{CommitEntry, Store};

/// Code of the notice that a file may be half written.
const WRITE_INTERRUPTED: &str = "write_interrupted";

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
        let session_id = entry.session_id;
        let backup = FileBackup::new(store.clone(), session_id.clone());
        match files::recover(JournalId(id), &row, &backup) {
            Ok(Recovered::Unknown) => {
                if let Err(error) = say_unknown(store, &session_id, &row) {
                    tracing::warn!(%error, target = %row.target.display(), "nobody was told that a file may be half written");
                }
            }
            Ok(found @ (Recovered::NotDone | Recovered::Done)) => {
                tracing::info!(target = %row.target.display(), ?found, "a commit that was cut short is settled")
            }
            Err(error) => {
                tracing::warn!(%error, target = %row.target.display(), "a commit that was cut short is not settled")
            }
        }
    }
}

/// Says in the session that a file may be half written. Once: the next start may find it as it is now.
fn say_unknown(
    store: &Store,
    session_id: &SessionId,
    row: &JournalRow,
) -> Result<(), store::Error> {
    let target = row.target.display();
    let kept = row.base.map_or_else(String::new, |base| {
        format!(" What it held before is kept (version {base}).")
    });
    let left_over = match row.target.with_file_name(&row.temp_name).exists() {
        true => row.temp_name.clone(),
        false => String::new(),
    };
    let beside = match left_over.as_str() {
        "" => String::new(),
        name => format!(" {name} beside it is left of that write."),
    };
    let text = format!(
        "The program ended while it wrote {target}, which now holds neither what it held before nor what was to be \
         written.{kept}{beside} Look at the file before you go on."
    );
    let (turn, facts) = store.read_blocking(|reader| {
        let turn = reader.session(session_id, None)?.last_turn;
        Ok((turn, reader.events(session_id)?))
    })?;
    // A fact of an earlier version has no arguments.
    let is_said = |fact: &LogRow| matches!(&fact.event, Some(LogEvent::Warning { text: said, .. }) if *said == text);
    if facts.iter().any(is_said) {
        return Ok(());
    }
    let notice = LogEvent::Warning {
        code: WRITE_INTERRUPTED.to_owned(),
        args: vec![
            target.to_string(),
            row.base.map(|base| base.to_hex()).unwrap_or_default(),
            left_over,
        ],
        text,
    };
    store
        .append(session_id, turn, vec![notice])
        .wait()
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::item::ItemBody;
    use protocol::message::Origin;
    use protocol::session::Mode;
    use store::{Clock, NewSession, OpenOptions};

    fn notices(store: &Store, id: &SessionId) -> Vec<String> {
        let stored = store
            .read_blocking(|reader| reader.session(id, None))
            .unwrap();
        let bodies = stored.page.items.into_iter().map(|item| item.body);
        bodies
            .filter_map(|body| match body {
                ItemBody::Notice { code, text, .. } if code == WRITE_INTERRUPTED => Some(text),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn a_file_that_may_be_half_written_is_named_once() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("a.txt");
        std::fs::write(&target, "ne").unwrap();
        let temp_name = ".~bd-0123456789abcdef.tmp".to_owned();
        std::fs::write(home.path().join(&temp_name), "new\n").unwrap();
        let clock = Clock::new(|| 1);
        let (store, _) = Store::open(&home.path().join("data"), OpenOptions::new(clock)).unwrap();
        let session = NewSession {
            workspace: home.path().display().to_string(),
            origin: Origin {
                provider: "demo".to_owned(),
                model: "demo-1".to_owned(),
            },
            mode: Mode::Default,
            app_version: "0.1.0".to_owned(),
            parent: None,
        };
        let id = store.create_session(session).wait().unwrap().session_id;
        let entry = CommitEntry {
            session_id: id.clone(),
            target: target.clone(),
            temp_name,
            base: Some(ContentHash::of(b"old\n").to_hex()),
            new: Some(ContentHash::of(b"new\n").to_hex()),
            mode: None,
        };
        store.begin_commit(entry).wait().unwrap();
        settle_commits(&store);
        settle_commits(&store);
        let told = notices(&store, &id);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains(target.to_str().unwrap()), "{told:?}");
        assert_eq!(std::fs::read(&target).unwrap(), b"ne", "it is left alone");
    }
}
