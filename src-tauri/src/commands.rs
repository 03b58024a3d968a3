//! What the page can call: one command for everything in the contract, and those that need the window itself.
//!
//! Nothing is decided here. A request goes to `app` as it came, an answer goes back as it came; events and terminal
//! bytes travel on channels of their own and end with the view that asked for them.

#![expect(
    clippy::let_underscore_must_use,
    reason = "written by `tauri::command` for every asynchronous command"
)]

use crate::closing::Closing;
use crate::feeds;
use crate::views::Views;
use app::Workbench;
use protocol::error::{ApiError, ErrorCode};
use protocol::ids::{SessionId, ShellId};
use protocol::shell::TerminalSnapshot;
use serde_json::Value;
use std::sync::Arc;
use tauri::ipc::Channel;
use tauri::{AppHandle, State, WebviewWindow};
use tauri_plugin_dialog::DialogExt;
use tokio::sync::oneshot;

/// What the commands work on.
pub(crate) struct Shell {
    /// The backend.
    pub(crate) workbench: Arc<Workbench>,
    /// Views of sessions.
    pub(crate) sessions: Views<()>,
    /// Views of terminals; each is told how far it has drawn.
    pub(crate) terminals: Views<Acknowledge>,
    /// Whether the page was asked about closing the window.
    pub(crate) closing: Closing,
}

/// Tells a terminal that a view shows everything before an offset.
pub(crate) type Acknowledge = Box<dyn Fn(u64) + Send + Sync>;

/// Runs a command of the contract.
#[tauri::command(rename_all = "snake_case")]
pub(crate) async fn rpc(
    shell: State<'_, Shell>,
    name: String,
    request: Value,
) -> Result<Value, ApiError> {
    shell.workbench.dispatch(&name, request).await
}

/// Sends the events of a session to a channel, from now on.
#[tauri::command(rename_all = "snake_case")]
pub(crate) fn subscribe(shell: State<'_, Shell>, session_id: SessionId, channel: Channel) {
    let channel_id = channel.id();
    // Watched before the task runs, so that nothing is missed once the page has its answer.
    let events = shell.workbench.watch(&session_id);
    let task = tauri::async_runtime::spawn(feeds::events(events, channel));
    shell.sessions.keep(channel_id, task, ());
}

/// Ends a subscription.
#[tauri::command(rename_all = "snake_case")]
pub(crate) fn unsubscribe(shell: State<'_, Shell>, channel_id: u32) {
    shell.sessions.forget(channel_id);
}

/// Gives the screen of a shell and sends what follows to a channel.
#[tauri::command(rename_all = "snake_case")]
pub(crate) fn attach_terminal(
    shell: State<'_, Shell>,
    shell_id: ShellId,
    have: Option<u64>,
    channel: Channel,
) -> Result<TerminalSnapshot, ApiError> {
    let (snapshot, frames) = shell.workbench.attach_terminal(&shell_id, have)?;
    let acknowledge = Box::new(frames.acknowledger());
    let channel_id = channel.id();
    let task = tauri::async_runtime::spawn(feeds::terminal(frames, channel));
    shell.terminals.keep(channel_id, task, acknowledge);
    Ok(snapshot)
}

/// Says how far a view of a shell has drawn.
#[tauri::command(rename_all = "snake_case")]
pub(crate) fn ack_terminal(shell: State<'_, Shell>, view: u32, offset: u64) {
    shell
        .terminals
        .steer(view, |acknowledge| acknowledge(offset));
}

/// Ends a view of a shell.
#[tauri::command(rename_all = "snake_case")]
pub(crate) fn detach_terminal(shell: State<'_, Shell>, view: u32) {
    shell.terminals.forget(view);
}

/// Asks for a folder with the system's own dialog.
#[tauri::command(rename_all = "snake_case")]
pub(crate) async fn pick_folder(
    app: AppHandle,
    window: WebviewWindow,
) -> Result<Option<String>, ApiError> {
    let (answer, answered) = oneshot::channel();
    app.dialog()
        .file()
        .set_parent(&window)
        .pick_folder(move |folder| {
            if answer.send(folder).is_err() {
                tracing::debug!("the page that asked for a folder went away");
            }
        });
    let folder = answered.await.map_err(internal)?;
    folder
        .map(|folder| {
            folder
                .into_path()
                .map(|path| path.display().to_string())
                .map_err(internal)
        })
        .transpose()
}

/// Sets the title of the window.
#[tauri::command(rename_all = "snake_case")]
pub(crate) fn set_title(window: WebviewWindow, title: &str) -> Result<(), ApiError> {
    window.set_title(title).map_err(internal)
}

/// The page shows what would end with the window.
#[tauri::command(rename_all = "snake_case")]
pub(crate) fn closing_shown(shell: State<'_, Shell>) {
    shell.closing.shown();
}

/// The person does not close the window after all.
#[tauri::command(rename_all = "snake_case")]
pub(crate) fn keep_open(shell: State<'_, Shell>) {
    shell.closing.forget();
}

/// Ends the program and every command it runs; the person has said so.
#[tauri::command(rename_all = "snake_case")]
pub(crate) fn quit(app: AppHandle) {
    app.exit(0);
}

fn internal(error: impl std::fmt::Display) -> ApiError {
    ApiError::new(ErrorCode::Internal, error.to_string())
}
