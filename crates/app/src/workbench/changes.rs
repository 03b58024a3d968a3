//! What changed in a folder and by whom, and putting single files back from there.

use crate::folder_diff::FolderDiff;
use crate::history::OwnChange;
use crate::put_back::Wanted;
use crate::workbench::Workbench;
use crate::workbench::undo::Plan;
use crate::workspace;
use protocol::changes::{
    Authorship, DiffScope, FilesPutBack, RevertFile, SessionQuery, WorkspaceDiff,
    WorkspaceDiffQuery, WorkspaceFileDiff, WorkspaceFileQuery,
};
use protocol::error::{ApiError, ErrorCode};
use protocol::ids::SessionId;
use protocol::log::FileChange;
use std::sync::Arc;

impl Workbench {
    /// What changed in a folder, and by whom.
    ///
    /// # Errors
    /// `WORKSPACE_UNUSABLE`, `SESSION_NOT_FOUND`, `BAD_REQUEST` for the scope of a session without one. That there is
    /// nothing to compare with is no error but a state.
    pub async fn workspace_diff(
        self: &Arc<Self>,
        request: WorkspaceDiffQuery,
    ) -> Result<WorkspaceDiff, ApiError> {
        let WorkspaceDiffQuery {
            workspace,
            session_id,
            scope,
        } = request;
        self.with_diff(workspace, session_id, scope, |diff| Ok(diff.list()))
            .await
    }

    /// What changed in one file, and by whom.
    ///
    /// # Errors
    /// As [`workspace_diff`](Self::workspace_diff); `NOT_FOUND` where there is nothing to compare with,
    /// `BACKUP_MISSING` where it is no longer kept.
    pub async fn workspace_file_diff(
        self: &Arc<Self>,
        request: WorkspaceFileQuery,
    ) -> Result<WorkspaceFileDiff, ApiError> {
        let WorkspaceFileQuery {
            workspace,
            session_id,
            scope,
            path,
        } = request;
        self.with_diff(workspace, session_id, scope, move |diff| diff.file(&path))
            .await
    }

    /// Puts a file, or one part of it, back to what it was.
    ///
    /// # Errors
    /// `FILE_CHANGED` unless it is as it was shown; else as [`undo_edit`](Self::undo_edit).
    pub async fn revert_file(
        self: &Arc<Self>,
        request: RevertFile,
    ) -> Result<FilesPutBack, ApiError> {
        let RevertFile {
            workspace,
            session_id,
            scope,
            path,
            hunk,
            current_hash,
            ..
        } = request;
        let session = Some(session_id.clone());
        let wanted = self
            .with_diff(workspace, session, scope, move |diff| {
                let parts = diff.parts(&path)?;
                if parts.new.hash() != current_hash {
                    let words = format!("{path} changed since it was shown; look at it again");
                    return Err(ApiError {
                        args: vec![path],
                        ..ApiError::new(ErrorCode::FileChanged, words)
                    });
                }
                Ok(Wanted {
                    content: diff.reverted(&path, &parts, hunk)?,
                    expected: current_hash,
                    mode: None,
                    change: FileChange::Undo,
                    path,
                })
            })
            .await?;
        let history = self.history(&session_id).await?;
        let plan = Plan {
            call_id: OwnChange::Revert.new_id(),
            files: vec![wanted],
            takes_back: Vec::new(),
            brings_back: Vec::new(),
        };
        match self.put_files_back(&session_id, &history, plan).await? {
            (Some(failure), _) => Err(failure),
            (None, done) => Ok(done),
        }
    }

    /// Who wrote the files that a session changed.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub async fn authorship(
        self: &Arc<Self>,
        request: SessionQuery,
    ) -> Result<Authorship, ApiError> {
        let id = request.session_id;
        let workspace = self.putting_back(&id).await?.workspace;
        let diff = self.look_up(workspace, Some(id), DiffScope::Session);
        blocking(move || Ok(diff()?.authorship())).await
    }

    async fn with_diff<T: Send + 'static>(
        self: &Arc<Self>,
        workspace: String,
        session: Option<SessionId>,
        scope: DiffScope,
        work: impl FnOnce(&FolderDiff) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let workspace = workspace::open(&workspace)?.path;
        let diff = self.look_up(workspace, session, scope);
        blocking(move || work(&diff()?)).await
    }

    fn look_up(
        &self,
        workspace: String,
        session: Option<SessionId>,
        scope: DiffScope,
    ) -> impl FnOnce() -> Result<FolderDiff, ApiError> + Send + 'static {
        let (store, environment) = (self.store.clone(), self.environment.clone());
        move || FolderDiff::new(store, environment, &workspace, session.as_ref(), scope)
    }
}

/// Does work that waits for a disk.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| ApiError::new(ErrorCode::Internal, error.to_string()))?
}
