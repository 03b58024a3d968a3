//! What a session needs while somebody uses it: its stream of events, and its driver once something is asked of it.

use agent::{Command, DriverHandle, Publisher, Watch};
use protocol::error::{ApiError, ErrorCode};
use protocol::ids::SessionId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;

/// One session in use.
pub(crate) struct Hub {
    pub(crate) session_id: SessionId,
    pub(crate) publisher: Publisher,
    /// Held while the driver starts, so that it starts once.
    pub(crate) driver: tokio::sync::Mutex<Option<DriverHandle>>,
}

impl Hub {
    /// Where commands of a running driver go.
    pub(crate) async fn running(&self) -> Option<mpsc::Sender<Command>> {
        let driver = self.driver.lock().await;
        driver
            .as_ref()
            .filter(|handle| !handle.is_finished())
            .map(DriverHandle::commands)
    }

    pub(crate) fn watch(&self) -> Watch {
        self.publisher.watch()
    }
}

/// The sessions in use.
#[derive(Default)]
pub(crate) struct Hubs {
    by_id: Mutex<BTreeMap<SessionId, Arc<Hub>>>,
}

impl Hubs {
    /// The hub of a session, made at first use.
    pub(crate) fn get(&self, session_id: &SessionId) -> Arc<Hub> {
        let mut by_id = self.by_id.lock().unwrap_or_else(PoisonError::into_inner);
        let hub = by_id.entry(session_id.clone()).or_insert_with(|| {
            Arc::new(Hub {
                session_id: session_id.clone(),
                publisher: Publisher::new(session_id.clone()),
                driver: tokio::sync::Mutex::new(None),
            })
        });
        hub.clone()
    }

    pub(crate) fn all(&self) -> Vec<Arc<Hub>> {
        self.by_id
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .values()
            .cloned()
            .collect()
    }

    pub(crate) fn remove(&self, session_id: &SessionId) {
        self.by_id
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(session_id);
    }
}

/// Sends a command to a driver.
pub(crate) async fn tell(
    commands: &mpsc::Sender<Command>,
    command: Command,
) -> Result<(), ApiError> {
    commands.send(command).await.map_err(|_| gone())
}

/// The driver ended under a command.
pub(crate) fn gone() -> ApiError {
    ApiError::new(
        ErrorCode::Internal,
        "the session stopped by a fault; open it again",
    )
}
