//! Commands that go to a session's driver.

use crate::error;
use crate::hub::{Hub, gone, tell};
use crate::toolbox::{Toolbox, facts_of_all};
use crate::workbench::{AppEvent, Workbench, lock};
use agent::{Command, Deps, LoopConfig, LoopState, Surroundings, system_parts};
use protocol::command::{
    CallOp, Decide, Empty, QueueEdit, QueueOp, Send, SessionOp, SetMode, SetModel,
};
use protocol::error::{ApiError, ErrorCode};
use protocol::ids::SessionId;
use protocol::log::{LogEvent, LogRow, SystemPart};
use protocol::message::ImageRef;
use protocol::session::{Mode, SessionSummary};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

impl Workbench {
    /// Says something.
    ///
    /// # Errors
    /// Nothing to say, the queue is full, or the session cannot be used.
    pub async fn send(self: &Arc<Self>, request: Send) -> Result<Empty, ApiError> {
        let commands = self.driver(&request.session_id).await?;
        let (reply, answer) = oneshot::channel();
        let Send { text, delivery, .. } = request;
        tell(
            &commands,
            Command::Send {
                text,
                images: Vec::new(),
                delivery,
                reply,
            },
        )
        .await?;
        answer.await.map_err(|_| gone())??;
        Ok(Empty {})
    }

    /// Stops the turn. Nothing to stop is no error: the turn may just have ended.
    ///
    /// # Errors
    /// None of its own.
    pub async fn cancel(self: &Arc<Self>, request: SessionOp) -> Result<Empty, ApiError> {
        self.if_running(&request.session_id, Command::Cancel).await
    }

    /// Ends one running call.
    ///
    /// # Errors
    /// None of its own.
    pub async fn kill_call(self: &Arc<Self>, request: CallOp) -> Result<Empty, ApiError> {
        self.if_running(&request.session_id, Command::KillCall(request.call_id))
            .await
    }

    /// Answers a question.
    ///
    /// # Errors
    /// `NOT_PENDING`, `STALE`, `ENCODING`: see [`ErrorCode`].
    pub async fn decide(self: &Arc<Self>, request: Decide) -> Result<Empty, ApiError> {
        let Some(commands) = self.hubs.get(&request.session_id).running().await else {
            return Err(ApiError::new(
                ErrorCode::NotPending,
                "this question is no longer open",
            ));
        };
        let (reply, answer) = oneshot::channel();
        let Decide {
            call_id,
            proposal_id,
            decision,
            ..
        } = request;
        tell(
            &commands,
            Command::Decide {
                call_id,
                proposal_id,
                decision,
                reply,
            },
        )
        .await?;
        answer.await.map_err(|_| gone())??;
        Ok(Empty {})
    }

    /// Goes on without a message.
    ///
    /// # Errors
    /// `BUSY` while a turn runs.
    pub async fn continue_turn(self: &Arc<Self>, request: SessionOp) -> Result<Empty, ApiError> {
        let commands = self.driver(&request.session_id).await?;
        let (reply, answer) = oneshot::channel();
        tell(&commands, Command::Continue(reply)).await?;
        answer.await.map_err(|_| gone())??;
        Ok(Empty {})
    }

    /// Does not wait for the next try.
    ///
    /// # Errors
    /// None of its own.
    pub async fn retry_now(self: &Arc<Self>, request: SessionOp) -> Result<Empty, ApiError> {
        self.if_running(&request.session_id, Command::RetryNow)
            .await
    }

    /// Changes the mode. Only `default` can be entered in this version.
    ///
    /// # Errors
    /// `BAD_REQUEST` for any other mode.
    pub async fn set_mode(self: &Arc<Self>, request: SetMode) -> Result<Empty, ApiError> {
        if request.mode != Mode::Default {
            return Err(ApiError::new(
                ErrorCode::BadRequest,
                "this version always asks before changes",
            ));
        }
        let commands = self.driver(&request.session_id).await?;
        tell(&commands, Command::SetMode(request.mode)).await?;
        Ok(Empty {})
    }

    /// Changes the model, from the next request on.
    ///
    /// # Errors
    /// `SETTINGS` for a provider that is not set up.
    pub async fn set_model(self: &Arc<Self>, request: SetModel) -> Result<Empty, ApiError> {
        let (model, origin) = self.model(&request.provider_id)?;
        let commands = self
            .driver_with(&request.session_id, Some(&request.provider_id))
            .await?;
        tell(&commands, Command::SetModel(Box::new(model), origin)).await?;
        Ok(Empty {})
    }

    /// Changes a waiting message.
    ///
    /// # Errors
    /// None of its own: a message that is no longer there cannot be changed, and the queue that follows says so.
    pub async fn queue_edit(self: &Arc<Self>, request: QueueEdit) -> Result<Empty, ApiError> {
        let commands = self.driver(&request.session_id).await?;
        tell(&commands, Command::EditQueued(request.id, request.text)).await?;
        Ok(Empty {})
    }

    /// Takes a waiting message out.
    ///
    /// # Errors
    /// None of its own.
    pub async fn queue_remove(self: &Arc<Self>, request: QueueOp) -> Result<Empty, ApiError> {
        let commands = self.driver(&request.session_id).await?;
        tell(&commands, Command::Unqueue(request.id)).await?;
        Ok(Empty {})
    }

    /// Sends the waiting messages now.
    ///
    /// # Errors
    /// None of its own.
    pub async fn send_queued(self: &Arc<Self>, request: SessionOp) -> Result<Empty, ApiError> {
        let commands = self.driver(&request.session_id).await?;
        tell(&commands, Command::SendQueued).await?;
        Ok(Empty {})
    }

    async fn if_running(
        &self,
        session_id: &SessionId,
        command: Command,
    ) -> Result<Empty, ApiError> {
        if let Some(commands) = self.hubs.get(session_id).running().await {
            tell(&commands, command).await?;
        }
        Ok(Empty {})
    }

    /// Where commands of a session go; starts its driver if it does not run.
    pub(crate) async fn driver(
        self: &Arc<Self>,
        session_id: &SessionId,
    ) -> Result<mpsc::Sender<Command>, ApiError> {
        self.driver_with(session_id, None).await
    }

    async fn driver_with(
        self: &Arc<Self>,
        session_id: &SessionId,
        provider_id: Option<&str>,
    ) -> Result<mpsc::Sender<Command>, ApiError> {
        self.may_write()?;
        let hub = self.hubs.get(session_id);
        let mut driver = hub.driver.lock().await;
        if let Some(running) = driver.as_ref().filter(|handle| !handle.is_finished()) {
            return Ok(running.commands());
        }
        let handle = self.start_driver(&hub, provider_id).await?;
        let commands = handle.commands();
        *driver = Some(handle);
        Ok(commands)
    }

    async fn start_driver(
        self: &Arc<Self>,
        hub: &Hub,
        provider_id: Option<&str>,
    ) -> Result<agent::DriverHandle, ApiError> {
        let session_id = hub.session_id.clone();
        let id = session_id.clone();
        let (stored, rows, shown) = self
            .store
            .read(move |reader| {
                let stored = reader.session(&id, None)?;
                Ok((stored, reader.events(&id)?, reader.reads(&id)?))
            })
            .await
            .map_err(error::of_store)?;
        let summary = stored.summary.clone();
        let (model, _) = match self.model(provider_id.unwrap_or(&summary.origin.provider)) {
            Ok(found) => found,
            // A provider that was removed must not lock the person out of the session.
            Err(_) if provider_id.is_none() => {
                self.model(&lock(&self.settings).get().provider.clone())?
            }
            Err(error) => return Err(error),
        };
        let Toolbox {
            registry,
            on_reload,
            retool,
        } = self
            .toolbox(&summary, &stored.todos, shown)
            .map_err(|error| unusable(&summary, &error))?;
        let registry = Arc::new(registry);
        let config = LoopConfig {
            max_steps: self
                .max_steps
                .unwrap_or(lock(&self.settings).get().max_steps),
            context: model.context(),
            title_requests: model.provider.info().title_requests,
            tools: facts_of_all(&registry),
            ..LoopConfig::default()
        };
        let state = LoopState::restore(config, &rows);
        let frozen = frozen_system(&rows);
        let deps = Deps {
            session_id,
            workspace: summary.workspace.clone().into(),
            store: self.store.clone(),
            registry,
            model,
            system_is_frozen: frozen.is_some(),
            system: frozen.unwrap_or_else(|| self.system(&summary)),
            turn: stored.last_turn,
            meters: stored.meters,
            publisher: hub.publisher.clone(),
            now_ms: Arc::new(crate::clock::now_ms),
            pictures: self.pictures(),
            on_reload,
            retool,
        };
        self.announce(AppEvent::SessionsChanged);
        Ok(agent::spawn(deps, state))
    }

    fn system(&self, summary: &SessionSummary) -> Vec<SystemPart> {
        let workspace = Path::new(&summary.workspace);
        system_parts(&Surroundings {
            platform: std::env::consts::OS,
            shell: "bash",
            workspace,
            is_git: workspace
                .ancestors()
                .any(|folder| folder.join(".git").exists()),
            date: &crate::clock::today(),
            app_version: env!("CARGO_PKG_VERSION"),
        })
    }

    fn pictures(&self) -> agent::Pictures {
        let store = self.store.clone();
        Arc::new(move |image: &ImageRef| {
            let sha256 = image.sha256.clone();
            match store.read_blocking(|reader| reader.blob(&sha256)) {
                Ok(bytes) => Some(bytes),
                Err(error) => {
                    tracing::warn!(%error, "a picture is lost");
                    None
                }
            }
        })
    }
}

fn unusable(summary: &SessionSummary, error: &std::io::Error) -> ApiError {
    let words = format!(
        "the folder {} cannot be used: {error}; bring it back or start a session elsewhere",
        summary.workspace
    );
    ApiError {
        args: vec![summary.workspace.clone()],
        ..ApiError::new(ErrorCode::WorkspaceUnusable, words)
    }
}

fn frozen_system(rows: &[LogRow]) -> Option<Vec<SystemPart>> {
    rows.iter().rev().find_map(|row| match &row.event {
        Some(LogEvent::SystemFrozen { parts }) => Some(parts.clone()),
        _ => None,
    })
}
