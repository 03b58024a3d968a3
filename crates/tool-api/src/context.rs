//! What a running call may use.

use protocol::ids::{CallId, SessionId};
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
}
