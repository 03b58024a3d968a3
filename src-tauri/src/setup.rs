//! Puts the program together: log, backend, window; and says in plain words why it could not start.

use crate::closing::Closing;
use crate::commands::{self, Shell};
use crate::views::Views;
use crate::{feeds, graphics, logging, window};
use anyhow::Context;
use app::env::{self, Environment};
use app::{Interaction, Paths, Role, Startup, Workbench};
use protocol::command::Empty;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use tauri::{App, AppHandle, Manager, RunEvent};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};

/// Wrong use, as for every command.
const EXIT_NO_DISPLAY: u8 = 2;

const NO_DISPLAY: &str = "Benchdog is a window and found no display to open it on (DISPLAY and WAYLAND_DISPLAY are empty).";

/// Runs the program until its window is closed.
pub(crate) fn run() -> ExitCode {
    // Read before the next step adds to it: what the web view needs is not for the commands of a model.
    let environment = Environment::of_process();
    if !graphics::has_display() {
        complain(NO_DISPLAY);
        return ExitCode::from(EXIT_NO_DISPLAY);
    }
    graphics::prefer_safe_drawing();
    match start(environment) {
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
fn start(environment: Environment) -> anyhow::Result<ExitCode> {
    let paths = Paths::find(&environment)
        .context("no home folder is known; set BENCHDOG_HOME to a folder")?;
    let log = logging::start(&paths.logs, environment.get(env::BENCHDOG_LOG))?;
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
            commands::closing_shown,
            commands::keep_open,
            commands::quit,
        ])
        .setup(move |app| Ok(prepare(app, environment, &paths)?))
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
fn prepare(app: &App, environment: Environment, paths: &Paths) -> anyhow::Result<()> {
    match tauri::async_runtime::block_on(backend(environment)) {
        Ok(workbench) => {
            tauri::async_runtime::spawn(feeds::whole_program(
                workbench.clone(),
                app.handle().clone(),
            ));
            app.manage(Shell {
                workbench,
                sessions: Views::default(),
                terminals: Views::default(),
                closing: Closing::default(),
            });
            window::open(app, &paths.data)
        }
        Err(error) => {
            explain(app, &format!("{error:#}"));
            Ok(())
        }
    }
}

async fn backend(environment: Environment) -> anyhow::Result<Arc<Workbench>> {
    let wants_demo = environment.get(env::BENCHDOG_DEMO).is_some();
    let workbench = Workbench::start(Startup {
        host_program: std::env::current_exe().context("find the program itself")?,
        role: Role::Window,
        interaction: Interaction::Person,
        script: None,
        instant: environment.get(env::BENCHDOG_DEMO_INSTANT).is_some(),
        max_steps: None,
        provider: None,
        environment,
    })?;
    if wants_demo {
        workbench.open_demo_workspace(Empty {}).await?;
    }
    Ok(workbench)
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
        tauri::async_runtime::block_on(shell.workbench.close());
    }
}

/// Tells whoever started the program from a terminal.
fn complain(message: &str) {
    tracing::error!("{message}");
    if let Err(error) = writeln!(std::io::stderr(), "{message}") {
        tracing::debug!(%error, "nobody reads standard error");
    }
}
