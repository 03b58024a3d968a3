//! Taking back what calls did to files, and bringing it back.
//!
//! Each of both is a change of its own: it has an id that it can be taken back by, and the model is told of it.

use crate::error::of_store;
use crate::file_backup::FileBackup;
use crate::history::{History, OwnChange};
use crate::hub::{gone, tell};
use crate::put_back::{Content, PutBack, Wanted};
use crate::workbench::Workbench;
use agent::{Command, Past};
use protocol::changes::{FileFailure, FilesPutBack};
use protocol::command::CallOp;
use protocol::error::{ApiError, ErrorCode};
use protocol::ids::{CallId, SessionId};
use protocol::log::{FileChange, FileVersion};
use std::collections::BTreeSet;
use std::sync::Arc;
use store::FileFact;
use tokio::sync::oneshot;

/// Files to put back, and which calls that concerns.
pub(crate) struct Plan {
    pub(crate) call_id: CallId,
    pub(crate) files: Vec<Wanted>,
    pub(crate) takes_back: Vec<CallId>,
    pub(crate) brings_back: Vec<CallId>,
}

impl Workbench {
    /// Takes back what a call did to files.
    ///
    /// # Errors
    /// `NOT_FOUND` for a call that changed none; `UNDO_CONFLICT` if one of the files is no longer as the call left it,
    /// and then none is written; else that of the first file if none could be put back: `BACKUP_MISSING`,
    /// `FILE_CHANGED`, `WRITE_FAILED`.
    pub async fn undo_edit(self: &Arc<Self>, request: CallOp) -> Result<FilesPutBack, ApiError> {
        let CallOp {
            session_id,
            call_id,
            ..
        } = request;
        let history = self.history(&session_id).await?;
        let plan = undoing(&history, &call_id)?;
        self.carry_out(&session_id, &history, plan).await
    }

    /// Brings back what was taken back of a call.
    ///
    /// # Errors
    /// `NOT_FOUND` where nothing of it was taken back; else as [`undo_edit`](Self::undo_edit).
    pub async fn redo_edit(self: &Arc<Self>, request: CallOp) -> Result<FilesPutBack, ApiError> {
        let CallOp {
            session_id,
            call_id,
            ..
        } = request;
        let history = self.history(&session_id).await?;
        let plan = redoing(&history, &call_id)?;
        self.carry_out(&session_id, &history, plan).await
    }

    pub(crate) async fn history(&self, session_id: &SessionId) -> Result<History, ApiError> {
        let id = session_id.clone();
        let facts = self.store.read(move |reader| {
            reader.summary(&id)?;
            reader.file_facts(&id)
        });
        Ok(History(facts.await.map_err(of_store)?))
    }

    pub(crate) async fn carry_out(
        self: &Arc<Self>,
        session_id: &SessionId,
        history: &History,
        plan: Plan,
    ) -> Result<FilesPutBack, ApiError> {
        // All are looked at before the first is written: half of a change taken back helps nobody.
        let putting = self.putting_back(session_id).await?;
        let files = plan.files.clone();
        let check = move || files.iter().find_map(|wanted| putting.check(wanted).err());
        let conflict = tokio::task::spawn_blocking(check)
            .await
            .map_err(|error| ApiError::new(ErrorCode::Internal, error.to_string()))?;
        if let Some(failure) = conflict {
            return Err(of_failure(&failure));
        }
        let (failed, mut done) = self.put_files_back(session_id, history, plan).await?;
        if done.paths.is_empty()
            && let Some(first) = failed
        {
            return Err(first);
        }
        if done.undo.is_none() {
            done.paths.clear();
        }
        Ok(done)
    }

    /// Writes the files of a plan and tells the session. Also gives the first failure as an error.
    pub(crate) async fn put_files_back(
        self: &Arc<Self>,
        session_id: &SessionId,
        history: &History,
        plan: Plan,
    ) -> Result<(Option<ApiError>, FilesPutBack), ApiError> {
        // Before anything is written: a session that cannot be told must not have its files changed.
        let commands = self.driver(session_id).await?;
        let putting = self.putting_back(session_id).await?;
        let Plan {
            call_id,
            files,
            takes_back,
            brings_back,
        } = plan;
        let results = tokio::task::spawn_blocking(move || {
            files
                .iter()
                .map(|wanted| (wanted.path.clone(), putting.put_back(wanted)))
                .collect::<Vec<_>>()
        })
        .await
        .map_err(|error| ApiError::new(ErrorCode::Internal, error.to_string()))?;
        let mut done = FilesPutBack {
            paths: Vec::new(),
            failures: Vec::new(),
            undo: None,
        };
        let mut rows: Vec<FileVersion> = Vec::new();
        for (path, result) in results {
            match result {
                Ok(version) => {
                    rows.extend(version);
                    done.paths.push(path);
                }
                Err(failure) => done.failures.push(failure),
            }
        }
        let first = done.failures.first().map(of_failure);
        if !rows.is_empty() {
            let paths: BTreeSet<&str> = done.paths.iter().map(String::as_str).collect();
            let put_back = agent::PutBack {
                takes_back: history.complete(&takes_back, &paths),
                brings_back: history.complete(&brings_back, &paths),
                call_id: call_id.clone(),
                rows,
            };
            let (reply, kept) = oneshot::channel();
            tell(
                &commands,
                Command::Past(Past::Files(Box::new(put_back)), reply),
            )
            .await?;
            kept.await.map_err(|_| gone())??;
            done.undo = Some(call_id);
        }
        Ok((first, done))
    }

    pub(crate) async fn putting_back(
        self: &Arc<Self>,
        session_id: &SessionId,
    ) -> Result<PutBack, ApiError> {
        let id = session_id.clone();
        let read = self.store.read(move |reader| reader.summary(&id));
        let summary = read.await.map_err(of_store)?;
        Ok(PutBack {
            store: self.store.clone(),
            committer: self.committer.clone(),
            backup: Arc::new(FileBackup::told(self, session_id.clone())),
            workspace: summary.workspace,
        })
    }
}

fn of_failure(failure: &FileFailure) -> ApiError {
    ApiError {
        args: vec![failure.display_path.clone()],
        ..ApiError::new(failure.code, failure.message.clone())
    }
}

/// The plan that takes back what a call did.
pub(crate) fn undoing(history: &History, call_id: &CallId) -> Result<Plan, ApiError> {
    let fact = history.of_call(call_id).ok_or_else(changed_nothing)?;
    Ok(take_back(fact, fact.rows.iter()))
}

/// The plan that brings back what was taken back of a call.
pub(crate) fn redoing(history: &History, call_id: &CallId) -> Result<Plan, ApiError> {
    let call = history.of_call(call_id).ok_or_else(changed_nothing)?;
    let undone = history.taken_back_by(call_id).ok_or_else(|| {
        let words = "this change was not taken back, so there is nothing to bring back";
        ApiError::new(ErrorCode::NotFound, words)
    })?;
    let paths: BTreeSet<&str> = call.rows.iter().map(|row| row.path.as_str()).collect();
    let rows = undone
        .rows
        .iter()
        .filter(|row| paths.contains(row.path.as_str()));
    Ok(take_back(undone, rows))
}

/// The plan that undoes some rows of a fact.
fn take_back<'a>(fact: &FileFact, rows: impl Iterator<Item = &'a FileVersion>) -> Plan {
    let mut takes_back = fact.brings_back.clone();
    if OwnChange::of(&fact.call_id).is_none() {
        takes_back.push(fact.call_id.clone());
    }
    Plan {
        call_id: OwnChange::Undo.new_id(),
        files: rows.map(taken_back).collect(),
        takes_back,
        brings_back: fact.takes_back.clone(),
    }
}

/// What undoes one version.
pub(crate) fn taken_back(row: &FileVersion) -> Wanted {
    let change = match row.change {
        FileChange::Undo => FileChange::Redo,
        FileChange::Edit
        | FileChange::Write
        | FileChange::Notebook
        | FileChange::Patch
        | FileChange::Redo
        | FileChange::LateWrite
        | FileChange::External => FileChange::Undo,
    };
    Wanted {
        path: row.path.clone(),
        expected: row.after_hash.clone(),
        content: Content::of(row.before_hash.as_ref()),
        mode: row.mode,
        change,
    }
}

fn changed_nothing() -> ApiError {
    ApiError::new(
        ErrorCode::NotFound,
        "this call changed no file, so there is nothing to take back",
    )
}
