//! Failures of the crates below as the window reads them.

use protocol::error::{ApiError, ErrorCode};

/// A failure of the store.
pub(crate) fn of_store(error: store::Error) -> ApiError {
    let code = match &error {
        store::Error::ReadOnly => ErrorCode::ReadOnly,
        store::Error::SessionNotFound(_) => ErrorCode::SessionNotFound,
        store::Error::ItemNotFound(_)
        | store::Error::CallNotFound(_)
        | store::Error::BlobLost(_) => ErrorCode::NotFound,
        store::Error::Busy(_) | store::Error::Full(_) => ErrorCode::StoreBusy,
        store::Error::Damaged(_) | store::Error::Closed => ErrorCode::StoreUnusable,
        _ => ErrorCode::Internal,
    };
    let remedy = match code {
        ErrorCode::ReadOnly => "; another window of Benchdog is writing: use that one",
        ErrorCode::StoreBusy => {
            "; free some space or close the program that holds it, it is tried again"
        }
        ErrorCode::StoreUnusable => "; start Benchdog again",
        _ => "",
    };
    ApiError::new(code, format!("{error}{remedy}"))
}

/// A failure of a terminal.
pub(crate) fn of_terminal(error: &terminal::Error) -> ApiError {
    let code = match error {
        terminal::Error::NotRunning => ErrorCode::ShellNotRunning,
        terminal::Error::InputBusy => ErrorCode::InputBusy,
        terminal::Error::InputNotTaken
        | terminal::Error::InputTaken
        | terminal::Error::NoTerminal
        | terminal::Error::LineTooLong { .. } => ErrorCode::BadRequest,
        terminal::Error::SpawnFailed { .. }
        | terminal::Error::DuplicateId { .. }
        | terminal::Error::TooManyInBackground { .. } => ErrorCode::Internal,
    };
    ApiError::new(code, error.to_string())
}
