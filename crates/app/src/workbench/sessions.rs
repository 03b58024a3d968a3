//! Folders, sessions and their transcripts.

use crate::error::of_store;
use crate::hub::gone;
use crate::workbench::{AppEvent, Workbench, lock};
use crate::workspace;
use agent::Command;
use protocol::command::{
    ArchiveSession, CreateSession, Empty, ListSessions, LoadResult, LoadedText, OpenSession,
    OpenWorkspace, Page, PageOut, RenameSession, Search, SearchOut, SessionList, SessionOp,
    WorkspaceInfo,
};
use protocol::error::{ApiError, ErrorCode};
use protocol::event::{SessionEvent, Snapshot};
use protocol::ids::SessionId;
use protocol::session::{Mode, SessionState, SessionSummary};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use store::{Listed, NewSession, Query, UNDO_DELETE_MS};
use tokio::sync::oneshot;

/// Characters of a title.
const MAX_TITLE_CHARS: usize = 200;
/// Hits of a search at the most.
const MAX_HITS: u32 = 200;

impl Workbench {
    /// Checks a folder and makes it the current one.
    ///
    /// # Errors
    /// `WORKSPACE_UNUSABLE` with a sentence.
    pub async fn open_workspace(
        self: &Arc<Self>,
        request: OpenWorkspace,
    ) -> Result<WorkspaceInfo, ApiError> {
        let path = request.path;
        let info = tokio::task::spawn_blocking(move || workspace::open(&path))
            .await
            .map_err(|error| ApiError::new(ErrorCode::Internal, error.to_string()))??;
        *lock(&self.workspace) = Some(info.clone());
        // A settings file that cannot be written must not keep anyone from working.
        if let Err(error) = lock(&self.settings).remember_workspace(&info.path) {
            tracing::warn!(%error, "the folder was not remembered");
        }
        Ok(info)
    }

    /// Unpacks the sample project into a fresh folder and opens it.
    ///
    /// # Errors
    /// No space or rights in the folder for temporary files.
    pub async fn open_demo_workspace(
        self: &Arc<Self>,
        _request: Empty,
    ) -> Result<WorkspaceInfo, ApiError> {
        let folder = self.paths.data.join("demo").join(self.demo_folder_name());
        let target = folder.clone();
        tokio::task::spawn_blocking(move || unpack_sample(&target))
            .await
            .map_err(|error| ApiError::new(ErrorCode::Internal, error.to_string()))?
            .map_err(|error| {
                let words = format!(
                    "cannot unpack the sample project to {}: {error}; free some space",
                    folder.display()
                );
                ApiError::new(ErrorCode::WorkspaceUnusable, words)
            })?;
        self.open_workspace(OpenWorkspace {
            path: folder.display().to_string(),
        })
        .await
    }

    fn demo_folder_name(&self) -> String {
        let stamp = uuid::Uuid::now_v7().simple().to_string();
        // A folder of its own above it, so that the project itself has the name a person sees.
        format!("{}/lemonade-stand", stamp.get(..12).unwrap_or(&stamp))
    }

    /// Sessions, newest first.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn list_sessions(
        self: &Arc<Self>,
        request: ListSessions,
    ) -> Result<SessionList, ApiError> {
        let listed = if request.archived {
            Listed::All
        } else {
            Listed::Current
        };
        let read = self
            .store
            .read(move |reader| reader.list_sessions(request.workspace.as_deref(), listed))
            .await;
        let mut sessions = read.map_err(of_store)?;
        for session in &mut sessions {
            self.mark_waiting(session).await;
        }
        Ok(SessionList { sessions })
    }

    /// The store knows that a turn runs; only the driver knows that it waits for the person.
    async fn mark_waiting(&self, session: &mut SessionSummary) {
        if session.state != SessionState::Running {
            return;
        }
        let Some(commands) = self.hubs.get(&session.session_id).running().await else {
            return;
        };
        let (reply, answer) = oneshot::channel();
        if commands.send(Command::IsWaiting(reply)).await.is_ok() && answer.await == Ok(true) {
            session.state = SessionState::Waiting;
        }
    }

    /// Makes a session.
    ///
    /// # Errors
    /// The folder or the provider cannot be used, or nothing can be written.
    pub async fn create_session(
        self: &Arc<Self>,
        request: CreateSession,
    ) -> Result<SessionSummary, ApiError> {
        self.may_write()?;
        let workspace = workspace::open(&request.workspace)?;
        let provider_id = request
            .provider_id
            .unwrap_or_else(|| lock(&self.settings).get().provider.clone());
        let (_, origin) = self.model(&provider_id)?;
        let new = NewSession {
            workspace: workspace.path,
            origin,
            mode: Mode::Default,
            app_version: env!("CARGO_PKG_VERSION").to_owned(),
            parent: None,
        };
        let summary = self.store.create_session(new).await.map_err(of_store)?;
        self.announce(AppEvent::SessionsChanged);
        Ok(summary)
    }

    /// A session as it stands.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub async fn open_session(
        self: &Arc<Self>,
        request: OpenSession,
    ) -> Result<Snapshot, ApiError> {
        let OpenSession { session_id, around } = request;
        let hub = self.hubs.get(&session_id);
        let mut snapshot = match hub.running().await {
            Some(commands) => {
                let (reply, answer) = oneshot::channel();
                commands
                    .send(Command::Snapshot(around, reply))
                    .await
                    .map_err(|_| gone())?;
                answer.await.map_err(|_| gone())?.map_err(of_store)?
            }
            None => agent::idle_snapshot(&self.store, &hub.publisher, &session_id, around)
                .await
                .map_err(of_store)?,
        };
        snapshot.run.clone_from(&self.run);
        snapshot.read_only.clone_from(&self.read_only);
        snapshot.store = *self.store.state().borrow();
        self.live_shells(&session_id, &mut snapshot.shells);
        Ok(snapshot)
    }

    /// Rows before a place.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub async fn page(self: &Arc<Self>, request: Page) -> Result<PageOut, ApiError> {
        let Page {
            session_id,
            before,
            limit,
        } = request;
        let page = self
            .store
            .read(move |reader| reader.page(&session_id, before, limit))
            .await
            .map_err(of_store)?;
        Ok(PageOut {
            items: page.items,
            has_older: page.has_older,
        })
    }

    /// The whole text of a message or result.
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub async fn load_result(
        self: &Arc<Self>,
        request: LoadResult,
    ) -> Result<LoadedText, ApiError> {
        let LoadResult { session_id, seq } = request;
        let loaded = self
            .store
            .read(move |reader| reader.load_result(&session_id, seq))
            .await
            .map_err(of_store)?;
        Ok(LoadedText { text: loaded.text })
    }

    /// Finds words in titles and transcripts.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn search(self: &Arc<Self>, request: Search) -> Result<SearchOut, ApiError> {
        let query = Query {
            text: request.query,
            workspace: request.workspace,
            session_id: request.session_id,
            limit: request.limit.min(MAX_HITS),
        };
        let hits = self.store.search(query).await.map_err(of_store)?;
        Ok(SearchOut { hits })
    }

    /// Renames a session.
    ///
    /// # Errors
    /// `BAD_REQUEST` for a blank title.
    pub async fn rename_session(
        self: &Arc<Self>,
        request: RenameSession,
    ) -> Result<Empty, ApiError> {
        self.may_write()?;
        let title: String = request.title.trim().chars().take(MAX_TITLE_CHARS).collect();
        if title.is_empty() {
            return Err(ApiError::new(
                ErrorCode::BadRequest,
                "a title needs at least one letter",
            ));
        }
        let hub = self.hubs.get(&request.session_id);
        match hub.running().await {
            Some(commands) => crate::hub::tell(&commands, Command::Rename(title)).await?,
            None => {
                let appended = self
                    .store
                    .rename_session(&request.session_id, &title)
                    .await
                    .map_err(of_store)?;
                if let Some(summary) = appended.summary {
                    hub.publisher
                        .publish(SessionEvent::Summary { summary }, None, appended.ts);
                }
            }
        }
        self.announce(AppEvent::SessionsChanged);
        Ok(Empty {})
    }

    /// Puts a session away, or takes it back.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub async fn archive_session(
        self: &Arc<Self>,
        request: ArchiveSession,
    ) -> Result<Empty, ApiError> {
        self.may_write()?;
        let id = &request.session_id;
        let pending = if request.archived {
            self.store.archive_session(id)
        } else {
            self.store.unarchive_session(id)
        };
        pending.await.map_err(of_store)?;
        self.announce(AppEvent::SessionsChanged);
        Ok(Empty {})
    }

    /// Deletes a session; it can be taken back for ten seconds. A turn that runs is stopped.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub async fn delete_session(self: &Arc<Self>, request: SessionOp) -> Result<Empty, ApiError> {
        self.may_write()?;
        let session_id = request.session_id;
        self.end_driver(&session_id).await;
        self.store
            .delete_session(&session_id)
            .await
            .map_err(of_store)?;
        self.announce(AppEvent::SessionsChanged);
        let weak = Arc::downgrade(self);
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(
                u64::try_from(UNDO_DELETE_MS).unwrap_or_default() + 1_000,
            ))
            .await;
            if let Some(workbench) = weak.upgrade() {
                workbench.tidy().await;
            }
        });
        Ok(Empty {})
    }

    async fn end_driver(&self, session_id: &SessionId) {
        let hub = self.hubs.get(session_id);
        if let Some(commands) = hub.running().await {
            self.settle_shells(session_id).await;
            let (reply, closed) = oneshot::channel();
            if commands.send(Command::Close(reply)).await.is_ok() && closed.await.is_err() {
                tracing::warn!("a session ended without closing");
            }
        }
        self.end_shells(session_id);
        self.hubs.remove(session_id);
    }

    /// Takes a deletion back.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND` once it is gone for good.
    pub async fn undo_delete(self: &Arc<Self>, request: SessionOp) -> Result<Empty, ApiError> {
        self.store
            .undo_delete(&request.session_id)
            .await
            .map_err(of_store)?;
        self.announce(AppEvent::SessionsChanged);
        Ok(Empty {})
    }
}

fn unpack_sample(folder: &Path) -> std::io::Result<()> {
    for file in llm::sample_project() {
        let path = folder.join(file.path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(&path, file.bytes)?;
        #[cfg(unix)]
        if file.executable {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}
