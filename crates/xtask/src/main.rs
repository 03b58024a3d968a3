//! The repository's own commands: start the program, run all tests, write the bindings, check the house rules.
//!
//! Everything a checkout needs (system packages, npm packages, test tools) is fetched here, by `run` and `test`.
//! Deliberately absent: anything the program itself uses.

mod bindings;
mod repository;

use anyhow::Result;
use clap::{Parser, Subcommand};
use repository::Repository;

/// The repository's own commands.
#[derive(Parser)]
#[command(name = "cargo xtask", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Write ui/src/bindings/index.ts from crates/protocol.
    Bindings,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let repository = Repository::find()?;
    match arguments.task {
        Task::Bindings => bindings::write(&repository),
    }
}
