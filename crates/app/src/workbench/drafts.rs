//! Text that is being written.

use crate::error::of_store;
use crate::workbench::Workbench;
use protocol::command::{Empty, SaveDraft};
use protocol::error::ApiError;
use protocol::event::Draft;
use std::sync::Arc;

impl Workbench {
    /// Keeps text that is being written.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, or nothing can be written.
    pub async fn save_draft(self: &Arc<Self>, request: SaveDraft) -> Result<Empty, ApiError> {
        self.may_write()?;
        let SaveDraft {
            session_id,
            key,
            value,
        } = request;
        self.store
            .save_draft(&session_id, Draft { key, value })
            .await
            .map_err(of_store)?;
        Ok(Empty {})
    }
}
