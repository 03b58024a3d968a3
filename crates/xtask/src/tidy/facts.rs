//! What the rules look at: crates with their dependencies, and the texts that git knows or would take.

use crate::environment;
use crate::process;
use crate::repository::Repository;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Larger files are data, not source.
const MAX_TEXT_BYTES: u64 = 2 * 1024 * 1024;

/// Everything the rules look at.
pub(super) struct Facts {
    /// The crates of the workspace.
    pub(super) crates: Vec<Crate>,
    /// The texts of the repository.
    pub(super) texts: Vec<Text>,
    /// Files and folders of the repository, with `/` between their parts.
    pub(super) paths: BTreeSet<String>,
    /// Words that only this machine knows, such as the path of the checkout.
    pub(super) machine_words: Vec<String>,
}

/// A crate of the workspace.
#[derive(Deserialize)]
pub(super) struct Crate {
    pub(super) name: String,
    pub(super) dependencies: Vec<Dependency>,
}

/// A dependency as its manifest names it.
#[derive(Deserialize)]
pub(super) struct Dependency {
    pub(super) name: String,
    /// `dev` or `build`; none for an ordinary one.
    pub(super) kind: Option<String>,
    /// Set for a crate of the workspace.
    pub(super) path: Option<String>,
}

/// A text of the repository.
pub(super) struct Text {
    /// Its path from the root, with `/`.
    pub(super) path: String,
    pub(super) content: String,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Crate>,
}

impl Facts {
    /// Looks at the checkout.
    pub(super) fn gather(repository: &Repository) -> Result<Self> {
        let files = files(repository)?;
        let paths = files.iter().flat_map(|file| with_folders(file)).collect();
        let mut texts = Vec::new();
        for path in files {
            if let Some(content) = read_text(&repository.path(&path))? {
                texts.push(Text { path, content });
            }
        }
        Ok(Self {
            crates: crates(repository)?,
            texts,
            paths,
            machine_words: machine_words(repository),
        })
    }
}

fn crates(repository: &Repository) -> Result<Vec<Crate>> {
    let mut cargo = process::command("cargo", repository.root());
    cargo.args(["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: Metadata = serde_json::from_str(&process::output(&mut cargo)?)
        .context("read the metadata of cargo")?;
    Ok(metadata.packages)
}

/// Files that git tracks, and new ones that it does not ignore.
fn files(repository: &Repository) -> Result<Vec<String>> {
    let mut git = process::command("git", repository.root());
    git.args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]);
    let listed = process::output(&mut git)?;
    let unique: BTreeSet<&str> = listed.split_terminator('\0').collect();
    Ok(unique.into_iter().map(str::to_owned).collect())
}

/// A file and the folders it lies in.
fn with_folders(file: &str) -> Vec<String> {
    let folders = file.match_indices('/').filter_map(|(at, _)| file.get(..at));
    folders.chain([file]).map(str::to_owned).collect()
}

/// The text of a file; none if it is gone, large, a link or not UTF-8.
fn read_text(path: &Path) -> Result<Option<String>> {
    let Ok(found) = fs::symlink_metadata(path) else {
        return Ok(None);
    };
    if !found.is_file() || found.len() > MAX_TEXT_BYTES {
        return Ok(None);
    }
    let bytes = fs::read(path).with_context(|| format!("read {}", path.display()))?;
    Ok(String::from_utf8(bytes).ok())
}

fn machine_words(repository: &Repository) -> Vec<String> {
    let hidden_at_home = environment::home().map(|home| format!("{}/.", home.display()));
    let root = repository.root().display().to_string();
    [root].into_iter().chain(hidden_at_home).collect()
}
