//! Handing addresses and files to the programs the system has for them.
//!
//! Only after a press of the person, and never something that the system would run instead of show: a file may have
//! been written by the model a moment ago.

use crate::workbench::{Workbench, lock};
use protocol::command::{Empty, OpenExternal, OpenFile};
use protocol::error::{ApiError, ErrorCode};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Endings of files that a desktop starts, or follows to something else.
const RUN_BY_DESKTOPS: &[&str] = &[
    "app", "appimage", "bat", "cmd", "com", "command", "desktop", "exe", "hta", "jar", "lnk",
    "msi", "pif", "ps1", "scr", "terminal", "url", "vbs", "webloc", "wsf",
];

impl Workbench {
    /// Opens an address in the system's browser. The window asks first.
    ///
    /// # Errors
    /// `BAD_REQUEST` for anything but a web or mail address.
    pub async fn open_external(self: &Arc<Self>, request: OpenExternal) -> Result<Empty, ApiError> {
        let url = request.url;
        let allowed = ["http://", "https://", "mailto:"]
            .iter()
            .any(|scheme| url.starts_with(scheme));
        if !allowed || url.chars().any(char::is_control) {
            return Err(refused("only web and mail addresses can be opened"));
        }
        open_in_system(OsStr::new(&url)).map(|()| Empty {})
    }

    /// Opens a file of the open folder with the program the system has for it.
    ///
    /// # Errors
    /// `BAD_REQUEST` for what lies elsewhere, is no file, or would be run.
    pub async fn open_file(self: &Arc<Self>, request: OpenFile) -> Result<Empty, ApiError> {
        let root = lock(&self.workspace).as_ref().map(|info| info.path.clone());
        let root = root.ok_or_else(|| refused("no folder is open"))?;
        let file = shown_file(Path::new(&root), Path::new(&request.path))?;
        open_in_system(file.as_os_str()).map(|()| Empty {})
    }
}

/// The file behind a path, if opening it means looking at it.
fn shown_file(root: &Path, path: &Path) -> Result<PathBuf, ApiError> {
    let gone =
        |error: std::io::Error| refused(&format!("{} cannot be opened: {error}", path.display()));
    let file = path.canonicalize().map_err(gone)?;
    let root = root.canonicalize().map_err(gone)?;
    let facts = file.metadata().map_err(gone)?;
    if !file.starts_with(&root) {
        return Err(refused("only files of the open folder can be opened"));
    }
    if !facts.is_file() {
        return Err(refused("this is no file"));
    }
    let ending = file.extension().and_then(OsStr::to_str);
    let is_run = ending.is_some_and(|ending| {
        RUN_BY_DESKTOPS
            .iter()
            .any(|run| ending.eq_ignore_ascii_case(run))
    });
    if is_run || is_executable(&facts) {
        return Err(refused(
            "the system would run this file instead of showing it; open it in an editor by hand",
        ));
    }
    Ok(file)
}

#[cfg(unix)]
fn is_executable(facts: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    facts.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_facts: &std::fs::Metadata) -> bool {
    false
}

fn refused(message: &str) -> ApiError {
    ApiError::new(ErrorCode::BadRequest, message)
}

pub(crate) fn open_in_system(what: &OsStr) -> Result<(), ApiError> {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    start(OsStr::new(program), &[what.to_owned()]).map_err(|error| {
        ApiError::new(
            ErrorCode::Internal,
            format!("cannot start {program}: {error}; open it by hand"),
        )
    })
}

/// Starts a program that goes its own way.
pub(crate) fn start(program: &OsStr, arguments: &[OsString]) -> std::io::Result<()> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the person's own program gets checked addresses or paths and no shell"
    )]
    let mut child = std::process::Command::new(program)
        .args(arguments)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()?;
    // Reaped on a thread of its own: openers may live as long as the program they start.
    std::thread::spawn(move || child.wait());
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn only_what_is_shown_and_lies_in_the_folder_is_opened() {
        let outside = tempfile::tempdir().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["a.txt", "run.sh", "Menu.DESKTOP"] {
            fs::write(root.join(name), "x").unwrap();
        }
        fs::set_permissions(root.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(outside.path().join("secret"), "x").unwrap();
        symlink(outside.path().join("secret"), root.join("link")).unwrap();
        let check = |path: PathBuf, opened: bool| {
            assert_eq!(
                shown_file(root, &path).is_ok(),
                opened,
                "{}",
                path.display()
            );
        };
        check(root.join("a.txt"), true);
        check(root.join("run.sh"), false);
        check(root.join("Menu.DESKTOP"), false);
        check(root.join("link"), false);
        check(root.join("missing"), false);
        check(root.to_path_buf(), false);
        check(
            root.join("..")
                .join(outside.path().file_name().unwrap())
                .join("secret"),
            false,
        );
    }
}
