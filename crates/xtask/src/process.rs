//! Starting other programs, the one thing this crate is for.

use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// A program to start in `folder`.
#[expect(
    clippy::disallowed_methods,
    reason = "tasks are other programs in a row; nothing here runs on behalf of a model"
)]
pub(crate) fn command(program: impl AsRef<OsStr>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder);
    command
}

/// Runs a command to its end; an exit code other than 0 is a failure.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = describe(command);
    let status = command
        .status()
        .with_context(|| format!("start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` ended with {status}");
    }
    Ok(())
}

/// What a command prints, if it ends well.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let line = describe(command);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("start `{line}`"))?;
    if !output.status.success() {
        bail!("`{line}` ended with {}", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("read what `{line}` printed"))
}

/// The command starts and ends with 0; what it prints is not shown.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The command as a person would type it.
fn describe(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
