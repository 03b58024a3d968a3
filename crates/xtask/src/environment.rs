//! The few variables that these tasks look at.

use std::env;
use std::path::PathBuf;

/// A display is there to open a window on.
pub(crate) fn has_display() -> bool {
    !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// The person's home folder.
pub(crate) fn home() -> Option<PathBuf> {
    env::home_dir()
}

/// Where programs are looked for.
pub(crate) fn search_path() -> Vec<PathBuf> {
    value("PATH")
        .map(|path| env::split_paths(&path).collect())
        .unwrap_or_default()
}

/// The folder of this crate, where `cargo run` started it.
pub(crate) fn manifest_folder() -> Option<PathBuf> {
    value("CARGO_MANIFEST_DIR").map(PathBuf::from)
}

fn is_set(name: &str) -> bool {
    value(name).is_some_and(|value| !value.is_empty())
}

#[expect(
    clippy::disallowed_methods,
    reason = "these names belong to the system, and this is no part of the program"
)]
fn value(name: &str) -> Option<std::ffi::OsString> {
    env::var_os(name)
}
