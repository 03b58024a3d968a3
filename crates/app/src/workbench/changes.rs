//! What changed in a folder, and by whom.

use crate::workbench::Workbench;
use protocol::changes::{
    Authorship, FilesPutBack, RevertFile, Rewind, RewindOut, RewindPlan, RewindPlanQuery,
    SessionQuery, WorkspaceDiff, WorkspaceDiffQuery, WorkspaceFileDiff, WorkspaceFileQuery,
};
use protocol::command::{CallOp, SessionOp};
use protocol::error::{ApiError, ErrorCode};
use std::sync::Arc;

macro_rules! later {
    ($($name:ident($request:ty) -> $response:ty;)*) => {
        impl Workbench {
            $(
                /// Being built.
                ///
                /// # Errors
                /// Always.
                pub async fn $name(self: &Arc<Self>, _request: $request) -> Result<$response, ApiError> {
                    Err(ApiError::new(ErrorCode::Internal, "this command is being built"))
                }
            )*
        }
    };
}

later! {
    undo_edit(CallOp) -> FilesPutBack;
    redo_edit(CallOp) -> FilesPutBack;
    rewind_plan(RewindPlanQuery) -> RewindPlan;
    rewind(Rewind) -> RewindOut;
    undo_rewind(SessionOp) -> RewindOut;
    workspace_diff(WorkspaceDiffQuery) -> WorkspaceDiff;
    workspace_file_diff(WorkspaceFileQuery) -> WorkspaceFileDiff;
    revert_file(RevertFile) -> FilesPutBack;
    authorship(SessionQuery) -> Authorship;
}
