//! `benchdog`: the same backend as the window, for scripts and tests.
//!
//! Exit codes: 0 the turn completed · 1 it ended in any other way · 2 wrong use, an unusable folder or script ·
//! 3 the store cannot be used · 130 interrupted.

mod approvals;
mod args;
mod doctor;
mod output;
mod replies;
mod run;
mod sessions;

use args::{Args, Command};
use clap::Parser;
use std::io::Write;
use std::process::ExitCode;

/// Wrong use: arguments, folder, script.
pub(crate) const EXIT_USAGE: u8 = 2;
/// The store cannot be used.
pub(crate) const EXIT_STORE: u8 = 3;
/// Interrupted, as shells report it.
pub(crate) const EXIT_INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    if let Some(code) = app::run_shellhost_if_requested() {
        return ExitCode::from(u8::try_from(code).unwrap_or(1));
    }
    let args = Args::parse();
    let environment = app::env::Environment::of_process();
    log_to_stderr(&environment);
    // One thread: a session does one thing after the other, and each step of it would cross threads several times.
    // What blocks (files, searches, the store) has threads of its own.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return fail(1, &format!("cannot start: {error}")),
    };
    let code = runtime.block_on(async move {
        // A task of its own: a fault in it is an exit code, not an abort.
        match tokio::spawn(dispatch(args, environment)).await {
            Ok(code) => code,
            Err(error) => fail(1, &format!("a fault inside: {error}")),
        }
    });
    runtime.shutdown_background();
    code
}

async fn dispatch(args: Args, environment: app::env::Environment) -> ExitCode {
    match args.command {
        Command::Run(args) => run::run(*args, environment).await,
        Command::Sessions(args) => sessions::run(args, environment).await,
        Command::Doctor => doctor::run(environment).await,
    }
}

/// Says why nothing more happens.
pub(crate) fn fail(code: u8, message: &str) -> ExitCode {
    // Nobody can be told that the error output is gone.
    writeln!(std::io::stderr(), "benchdog: {message}").ok();
    ExitCode::from(code)
}

/// Says once what starting found: a history that was set aside, settings that could not be read.
pub(crate) async fn tell_notice(workbench: &std::sync::Arc<app::Workbench>) {
    let notice = workbench
        .app_info(protocol::command::Empty {})
        .await
        .ok()
        .and_then(|info| info.store_notice);
    if let Some(notice) = notice {
        // Nobody can be told that the error output is gone.
        writeln!(std::io::stderr(), "benchdog: {}", notice.message).ok();
    }
}

fn log_to_stderr(environment: &app::env::Environment) {
    let Some(filter) = environment.get(app::env::BENCHDOG_LOG) else {
        return;
    };
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::new(filter))
        .with_writer(std::io::stderr)
        .init();
}
