//! What a running call may use.

use protocol::ids::{CallId, SessionId, ShellId};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What a running call may use. Cheap to clone.
#[derive(Clone)]
pub struct ExecContext {
    /// The session it belongs to.
    pub session_id: SessionId,
    /// The call.
    pub call_id: CallId,
    /// Fires when the call must end; watched at every await point.
    pub cancel: CancellationToken,
    /// Where progress goes.
    pub progress: ProgressSender,
}

/// What a call tells while it runs. Never stored, never sent to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// The call runs in this shell.
    Shell(ShellId),
}

/// Where progress goes.
#[derive(Clone)]
pub struct ProgressSender(Arc<dyn Fn(Progress) + Send + Sync>);

impl ProgressSender {
    /// Sends to this function, which must not block.
    pub fn new(send: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self(Arc::new(send))
    }

    /// Drops everything.
    #[must_use]
    pub fn none() -> Self {
        Self::new(|_| {})
    }

    /// Tells something.
    pub fn send(&self, progress: Progress) {
        (self.0)(progress);
    }
}
