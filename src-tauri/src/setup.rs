//! Puts the program together: log, backend, window; and says in plain words why it could not start.

use crate::commands::{self, Shell};
use crate::views::Views;
use crate::{graphics, logging, window};
use anyhow::Context;
use app::{Startup, Workbench};
use std::io::Write;
use std::process::ExitCode;
use tauri::{App, AppHandle, Manager, RunEvent};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};

const NO_DISPLAY: &str = "Benchdog is a window and found no display to open it on (DISPLAY and WAYLAND_DISPLAY are empty).";

/// Runs the program until its window is closed.
pub(crate) fn run() -> ExitCode {
    if !graphics::has_display() {
        complain(NO_DISPLAY);
        return ExitCode::from(2);
    }
    graphics::prefer_safe_drawing();
    match start() {
        Ok(code) => code,
        Err(error) => {
            complain(&format!("Benchdog could not start: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

#[expect(
    clippy::exit,
    reason = "written by `tauri::generate_context` for a build that is not whole"
)]
fn start() -> anyhow::Result<ExitCode> {
    let startup = Startup::from_environment().context("find the folders for data and settings")?;
    let log = logging::start(&startup.log_dir, startup.log_filter.as_deref())?;
    let app = tauri::Builder::default()
        .plugin(tauri_plugin_dialog::init())
        .invoke_handler(tauri::generate_handler![
            commands::rpc,
            commands::subscribe,
            commands::unsubscribe,
            commands::attach_terminal,
            commands::ack_terminal,
            commands::detach_terminal,
            commands::pick_folder,
            commands::set_title,
        ])
        .setup(move |app| Ok(prepare(app, startup)?))
        .build(tauri::generate_context!())
        .context("start the window system")?;
    let code = app.run_return(|app, event| {
        if let RunEvent::Exit = event {
            stop(app);
        }
    });
    drop(log);
    Ok(u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Starts the backend and opens the window on it.
fn prepare(app: &App, startup: Startup) -> anyhow::Result<()> {
    let data_dir = startup.data_dir.clone();
    match tauri::async_runtime::block_on(Workbench::start(startup)) {
        Ok(workbench) => {
            app.manage(Shell {
                workbench,
                sessions: Views::default(),
                terminals: Views::default(),
            });
            window::open(app, &data_dir)
        }
        Err(error) => {
            explain(app, &error.to_string());
            Ok(())
        }
    }
}

/// Shows why the backend did not start, and ends the program once that was read.
fn explain(app: &App, why: &str) {
    complain(why);
    let app_handle = app.handle().clone();
    app.dialog()
        .message(why)
        .title("Benchdog")
        .kind(MessageDialogKind::Error)
        .show(move |_| app_handle.exit(1));
}

/// Ends turns and shells in good order.
fn stop(app: &AppHandle) {
    if let Some(shell) = app.try_state::<Shell>() {
        shell.sessions.forget_all();
        shell.terminals.forget_all();
        tauri::async_runtime::block_on(shell.workbench.shutdown());
    }
}

/// Tells whoever started the program from a terminal.
fn complain(message: &str) {
    tracing::error!("{message}");
    if let Err(error) = writeln!(std::io::stderr(), "{message}") {
        tracing::debug!(%error, "nobody reads standard error");
    }
}
