//! Starts the window on the demo model, in a fresh copy of the sample project.

use crate::environment;
use crate::process;
use crate::repository::Repository;
use crate::setup::{self, Unprepared};
use anyhow::Result;

const NO_DISPLAY: &str =
    "Benchdog is a window and there is no display to open it on. One of these helps:
  on a desktop      run the command from a terminal of that desktop
  over ssh          connect with `ssh -X`, then run the command again
  without a screen  xvfb-run -s '-screen 0 1280x800x24' cargo xtask run";

/// Builds and starts the window; ends when it is closed.
pub(crate) fn run(repository: &Repository) -> Result<()> {
    // Said before anything is built: a build takes minutes.
    if !environment::has_display() {
        return Err(Unprepared(NO_DISPLAY.to_owned()).into());
    }
    let node = setup::for_run(repository)?;
    process::run(node.npm(repository, "ui").args(["run", "build"]))?;
    let mut window = process::command("cargo", repository.root());
    window.args([
        "run",
        "--package",
        "benchdog-desktop",
        "--features",
        "custom-protocol",
    ]);
    process::run(window.env("BENCHDOG_DEMO", "1"))
}
