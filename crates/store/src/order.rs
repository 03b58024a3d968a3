//! The order that facts must keep. Checked in debug builds only: a fault here is a fault of ours, found by tests.
//!
//! Two rules hold in every build because they need a row that is read anyway: a call exists before its result, and
//! has only one (`apply`).

use crate::error::Error;
use crate::head::Head;
use protocol::log::LogEvent;
use rusqlite::Connection;

/// Refuses a fact that may not come here.
pub(crate) fn check(conn: &Connection, head: &Head, event: &LogEvent) -> Result<(), Error> {
    if !cfg!(debug_assertions) {
        return Ok(());
    }
    if head.last_seq == 0 && !matches!(event, LogEvent::SessionCreated { .. }) {
        return Err(Error::Order("the first fact is session_created"));
    }
    if head.running && matches!(event, LogEvent::TurnStarted { .. }) {
        return Err(Error::Order("a turn is running"));
    }
    if !head.running && !may_come_while_idle(event) {
        return Err(Error::Order("no turn is running"));
    }
    if matches!(event, LogEvent::TurnEnded { .. }) && has_open_calls(conn, head)? {
        return Err(Error::Order(
            "a turn ends only when every call has its result",
        ));
    }
    Ok(())
}

fn may_come_while_idle(event: &LogEvent) -> bool {
    match event {
        LogEvent::SessionCreated { .. }
        | LogEvent::SystemFrozen { .. }
        | LogEvent::TurnStarted { .. }
        | LogEvent::FileVersions { .. }
        | LogEvent::Compaction { .. }
        | LogEvent::Prune { .. }
        | LogEvent::ModeChanged { .. }
        | LogEvent::ModelChanged { .. }
        | LogEvent::RuleAdded { .. }
        | LogEvent::QueueChanged { .. }
        | LogEvent::ShellState { .. }
        | LogEvent::TitleChanged { .. }
        | LogEvent::Warning { .. }
        | LogEvent::Rewound { .. }
        | LogEvent::RewindUndone { .. }
        | LogEvent::ForkedFrom { .. }
        | LogEvent::Recovered { .. } => true,
        LogEvent::UserMessage { .. }
        | LogEvent::RequestStarted { .. }
        | LogEvent::AttemptDiscarded { .. }
        | LogEvent::AssistantMessage { .. }
        | LogEvent::ToolCall { .. }
        | LogEvent::ApprovalRequested { .. }
        | LogEvent::ApprovalResolved { .. }
        | LogEvent::ToolStarted { .. }
        | LogEvent::ToolResult { .. }
        | LogEvent::StepFinished { .. }
        | LogEvent::TurnEnded { .. }
        | LogEvent::TodoChanged { .. }
        | LogEvent::ToolsRevealed { .. } => false,
    }
}

fn has_open_calls(conn: &Connection, head: &Head) -> Result<bool, Error> {
    let open = conn
        .prepare_cached("SELECT EXISTS(SELECT 1 FROM item WHERE session_id=?1 AND kind='tool' AND result_seq IS NULL)")?
        .query_row([head.session_id.as_str()], |row| row.get(0))?;
    Ok(open)
}
