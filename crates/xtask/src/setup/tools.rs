//! Test tools written in Rust: installed on the system, or built once into `target/tools`.

use crate::environment;
use crate::process;
use crate::repository::Repository;
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

/// A tool, its version and the features it is built with.
struct Tool {
    name: &'static str,
    version: &'static str,
    features: &'static [&'static str],
}

/// Runs every test in a process of its own, in parallel.
const NEXTEST: Tool = Tool {
    name: "cargo-nextest",
    version: "0.9.151",
    features: &["--no-default-features", "--features", "default-no-update"],
};

/// Speaks WebDriver for a Tauri window.
const TAURI_DRIVER: Tool = Tool {
    name: "tauri-driver",
    version: "2.1.0",
    features: &[],
};

/// The tools, ready to run.
pub(crate) struct Tools {
    nextest: PathBuf,
    /// The driver of the window tests; none on systems without one.
    pub(crate) tauri_driver: Option<PathBuf>,
}

impl Tools {
    /// Finds the tools, or builds them.
    pub(super) fn ensure(repository: &Repository) -> Result<Self> {
        let nextest = ensure(repository, &NEXTEST)?;
        let tauri_driver = match cfg!(target_os = "linux") {
            true => Some(ensure(repository, &TAURI_DRIVER)?),
            false => None,
        };
        Ok(Self {
            nextest,
            tauri_driver,
        })
    }

    /// A command of `cargo nextest`.
    pub(crate) fn nextest(&self, repository: &Repository) -> Command {
        let mut command = process::command(&self.nextest, repository.root());
        command.arg("nextest");
        command
    }
}

fn ensure(repository: &Repository, tool: &Tool) -> Result<PathBuf> {
    let root = repository.path("target/tools");
    let ours = root.join("bin");
    let file = format!("{}{}", tool.name, std::env::consts::EXE_SUFFIX);
    let found = environment::search_path()
        .into_iter()
        .chain([ours.clone()])
        .map(|folder| folder.join(&file))
        .find(|path| path.is_file());
    if let Some(path) = found {
        return Ok(path);
    }
    println!("building {} {}", tool.name, tool.version);
    let mut cargo = process::command("cargo", repository.root());
    // Unoptimised: it is built in a quarter of the time, and waits for others all its life.
    cargo.args([
        "install",
        "--quiet",
        "--locked",
        "--debug",
        "--version",
        tool.version,
    ]);
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "false");
    cargo
        .arg("--root")
        .arg(&root)
        .args(tool.features)
        .arg(tool.name);
    process::run(&mut cargo)?;
    Ok(ours.join(file))
}
