//! The repository's own commands: start the program, run all tests, write the bindings, check the house rules.
//!
//! Everything a checkout needs (system packages, npm packages, test tools) is fetched here, by `run` and `test`.
//! Deliberately absent: anything the program itself uses.

#![expect(
    clippy::print_stdout,
    reason = "telling the person what is going on is the point of a task"
)]

mod bindings;
mod environment;
mod process;
mod repository;
mod run;
mod setup;
mod test;
mod tidy;

use anyhow::Result;
use clap::{Parser, Subcommand};
use repository::Repository;
use setup::Unprepared;
use std::io::Write;
use std::process::ExitCode;

/// Wrong use, or something that only the person can put right.
const EXIT_UNPREPARED: u8 = 2;

/// The repository's own commands.
#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    disable_help_subcommand = true
)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Start the window on the demo model, in a fresh copy of the sample project.
    Run,
    /// Run the whole test sequence.
    Test {
        /// Run only these steps, in the order of the sequence.
        #[arg(long, value_enum, value_name = "STEP")]
        only: Vec<test::Step>,
    },
    /// Write ui/src/bindings/index.ts from crates/protocol.
    Bindings,
    /// Check the house rules.
    Tidy,
}

fn main() -> ExitCode {
    match perform(Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => complain(&error),
    }
}

fn perform(task: Task) -> Result<()> {
    let repository = Repository::find()?;
    match task {
        Task::Run => run::run(&repository),
        Task::Test { only } => test::run(&repository, &only),
        Task::Bindings => bindings::write(&repository),
        Task::Tidy => tidy::run(&repository),
    }
}

/// Says what went wrong and chooses the exit code.
fn complain(error: &anyhow::Error) -> ExitCode {
    let (code, text) = match error.downcast_ref::<Unprepared>() {
        Some(unprepared) => (ExitCode::from(EXIT_UNPREPARED), unprepared.to_string()),
        None => (ExitCode::FAILURE, format!("error: {error:#}")),
    };
    // Nobody is left to tell if standard error is closed; the exit code still says it.
    match writeln!(std::io::stderr(), "{text}") {
        Ok(()) | Err(_) => code,
    }
}
