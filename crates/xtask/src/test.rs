//! The whole test sequence: what cheap checks can find comes first, the real window last.
//!
//! All Rust steps choose the same packages and features, so that dependencies are compiled once for checking and
//! once for running. The window tests use the very program that the build step made.

use crate::process;
use crate::repository::Repository;
use crate::setup::{self, Node, Tools};
use crate::{bindings, tidy};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// One choice for all Rust steps; another one would compile every dependency again.
const SELECTION: &[&str] = &[
    "--workspace",
    "--features",
    "benchdog-desktop/custom-protocol",
];

/// In the page only when it is built for the window tests.
const TEST_HOOK: &str = "__bd";

/// One step of the sequence.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Step {
    /// Rust is formatted.
    Fmt,
    /// The house rules hold.
    Tidy,
    /// The TypeScript bindings are those of `protocol`.
    Bindings,
    /// The pages: lint and format.
    UiLint,
    /// The pages: types.
    UiTypes,
    /// The pages: unit tests.
    UiTest,
    /// The pages: release build, then the build for the window tests.
    UiBuild,
    /// Rust: lints.
    Clippy,
    /// Rust: everything, tests included.
    Build,
    /// Rust: examples in documentation.
    Doc,
    /// Rust: all tests.
    Nextest,
    /// The real window on a virtual display.
    Window,
    /// Licences and advisories of dependencies, where cargo-deny is installed.
    Deny,
}

/// Runs the steps of `only`, or all; stops at the first that fails.
pub(crate) fn run(repository: &Repository, only: &[Step]) -> Result<()> {
    let started = Instant::now();
    println!("==> set-up");
    let (node, tools) = setup::for_test(repository)?;
    println!("<== set-up {:.1} s", started.elapsed().as_secs_f32());
    let sequence = Sequence {
        repository,
        node,
        tools,
    };
    let steps: Vec<Step> = Step::value_variants()
        .iter()
        .copied()
        .filter(|step| only.is_empty() || only.contains(step))
        .collect();
    let mut passed = 0;
    let mut failure = None;
    for step in &steps {
        if let Err(error) = sequence.timed(*step) {
            failure = Some(error);
            break;
        }
        passed += 1;
    }
    let failed = usize::from(failure.is_some());
    let skipped = steps.len() - passed - failed;
    println!("all steps took {:.1} s", started.elapsed().as_secs_f32());
    println!("steps: {passed} passed, {failed} failed, {skipped} skipped");
    failure.map_or(Ok(()), Err)
}

struct Sequence<'a> {
    repository: &'a Repository,
    node: Node,
    tools: Tools,
}

impl Sequence<'_> {
    fn timed(&self, step: Step) -> Result<()> {
        let name = step
            .to_possible_value()
            .map_or_else(String::new, |value| value.get_name().to_owned());
        println!("==> {name}");
        let started = Instant::now();
        let outcome = self.step(step);
        let verdict = if outcome.is_ok() { "" } else { " FAILED" };
        println!(
            "<== {name} {:.1} s{verdict}",
            started.elapsed().as_secs_f32()
        );
        outcome.with_context(|| format!("step {name}"))
    }

    fn step(&self, step: Step) -> Result<()> {
        match step {
            Step::Fmt => process::run(self.cargo("fmt").args(["--all", "--check"])),
            Step::Tidy => tidy::run(self.repository),
            Step::Bindings => bindings::check(self.repository),
            Step::UiLint => self.page("lint"),
            Step::UiTypes => self.page("typecheck"),
            Step::UiTest => self.page("test"),
            Step::UiBuild => self.build_pages(),
            Step::Clippy => process::run(self.cargo("clippy").args(SELECTION).args([
                "--all-targets",
                "--",
                "--deny",
                "warnings",
            ])),
            Step::Build => process::run(
                self.cargo("build")
                    .args(SELECTION)
                    .args(["--bins", "--tests"]),
            ),
            Step::Doc => process::run(self.cargo("test").arg("--doc").args(SELECTION)),
            Step::Nextest => process::run(
                self.tools
                    .nextest(self.repository)
                    .arg("run")
                    .args(SELECTION),
            ),
            Step::Window => self.window(),
            Step::Deny => self.deny(),
        }
    }

    fn cargo(&self, task: &str) -> Command {
        let mut command = process::command("cargo", self.repository.root());
        command.arg(task);
        command
    }

    fn page(&self, script: &str) -> Result<()> {
        process::run(self.node.npm(self.repository, "ui").args(["run", script]))
    }

    /// Builds the pages as they are shipped, looks at the result, and leaves the build for the window tests.
    fn build_pages(&self) -> Result<()> {
        self.page("build")?;
        if mentions(&self.repository.path("ui/dist"), TEST_HOOK)? {
            bail!("a release build of the pages contains the test hook `{TEST_HOOK}`");
        }
        let mut build = self.node.npm(self.repository, "ui");
        process::run(build.args(["run", "build"]).env("VITE_TEST_HOOKS", "1"))?;
        if !mentions(&self.repository.path("ui/dist"), TEST_HOOK)? {
            bail!("the build of the pages for the window tests has no test hook `{TEST_HOOK}`");
        }
        Ok(())
    }

    fn window(&self) -> Result<()> {
        let Some(driver) = &self.tools.tauri_driver else {
            println!("skipped: this system has no driver for the web view");
            return Ok(());
        };
        let mut tests = self.node.script(self.repository, "tests/window", "run.mjs");
        process::run(tests.env("TAURI_DRIVER", driver))
    }

    fn deny(&self) -> Result<()> {
        if !process::succeeds(self.cargo("deny").arg("--version")) {
            println!("skipped: cargo-deny is not installed");
            return Ok(());
        }
        process::run(
            self.cargo("deny")
                .args(["check", "bans", "licenses", "sources"]),
        )
    }
}

/// A file under `folder` contains `text`.
fn mentions(folder: &Path, text: &str) -> Result<bool> {
    for entry in fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))? {
        let path = entry?.path();
        let found = if path.is_dir() {
            mentions(&path, text)?
        } else {
            let bytes = fs::read(&path).with_context(|| format!("read {}", path.display()))?;
            bytes
                .windows(text.len())
                .any(|window| window == text.as_bytes())
        };
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_in_any_depth() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("assets")).unwrap();
        fs::write(folder.path().join("assets/a.js"), "window.__bd={}").unwrap();
        assert!(mentions(folder.path(), TEST_HOOK).unwrap());
        assert!(!mentions(folder.path(), "__other").unwrap());
    }
}
