//! Generates the permissions of our commands and the context of the window.
//!
//! Every command the page may call is named here and granted in `capabilities/`; Tauri refuses all others.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// The commands of `src/commands.rs`.
const COMMANDS: &[&str] = &[
    "rpc",
    "subscribe",
    "unsubscribe",
    "attach_terminal",
    "ack_terminal",
    "detach_terminal",
    "pick_folder",
    "set_title",
    "closing_shown",
    "keep_open",
    "quit",
];

/// Shown where the pages were not built, so that a bare `cargo check` works on a fresh checkout.
const PLACEHOLDER_PAGE: &str = "<!doctype html><title>Benchdog</title><p>The pages are not built: run <code>cargo xtask run</code>.\n";

fn main() -> Result<()> {
    let pages = Path::new("../ui/dist");
    if !pages.join("index.html").exists() {
        fs::create_dir_all(pages).context("create ui/dist")?;
        fs::write(pages.join("index.html"), PLACEHOLDER_PAGE)
            .context("write ui/dist/index.html")?;
    }
    println!("cargo:rerun-if-changed=../ui/dist");
    let manifest = tauri_build::AppManifest::new().commands(COMMANDS);
    tauri_build::try_build(tauri_build::Attributes::new().app_manifest(manifest))
}
