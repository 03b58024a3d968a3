//! What the `git` program says of a folder: what changed since the last commit.
//!
//! The program itself is asked, since only it sees a repository as the person does: the same ignore rules, index,
//! attributes and renames. It is given switches that keep the configuration of a hostile repository from running
//! programs, a time limit and a limit of output, and it never takes a lock or asks for a password. Filters that the
//! repository itself defines are not run either; those that the person set up for every repository are. Blocks.
//! Deliberately absent: everything that changes a repository.

mod parse;
mod run;

use crate::env::Environment;
use parse::{filters, names, numstat, statuses};
use protocol::changes::{ChangedStatus, WorkspaceDiffState};
use run::{Failure, Git, SUBMODULES};
use std::path::{Path, PathBuf};

/// What a repository without commits is compared with.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// A repository that can be asked.
#[derive(Debug)]
pub(crate) struct Repository {
    git: Git,
    root: PathBuf,
    /// The commit, or the empty tree.
    base: &'static str,
    /// Filters of its own, which are not run.
    filters: Vec<String>,
    /// What is asked about, relative to the root; empty for all of it.
    part: String,
}

/// What `git` says of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GitChange {
    /// Path from the root of the repository.
    pub(crate) path: String,
    /// Its earlier path from there, for a renamed one.
    pub(crate) old_path: Option<String>,
    pub(crate) status: ChangedStatus,
    /// Lines added and removed; `None` where it is no text, or the lines were not counted.
    pub(crate) lines: Option<(u64, u64)>,
}

impl Repository {
    /// The repository of a folder, or why there is nothing to compare.
    pub(crate) fn open(
        folder: &Path,
        environment: &Environment,
    ) -> Result<Self, WorkspaceDiffState> {
        let here = Git::new(folder, environment);
        let arguments = ["rev-parse", "--show-toplevel", "--absolute-git-dir"];
        let answer = here.ask(&arguments).map_err(|failure| match failure {
            Failure::Refused { .. } => WorkspaceDiffState::NoRepository,
            other => state_of(&other),
        })?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let mut lines = answer.lines().map(PathBuf::from);
        let (Some(root), Some(git_dir)) = (lines.next(), lines.next()) else {
            return Err(WorkspaceDiffState::NoRepository);
        };
        if let Some(state) = under_way(&git_dir) {
            return Err(state);
        }
        let filters = own_filters(&here)?;
        let git = Git::new(&root, environment).without_filters(&filters);
        let base = match git.ask(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]) {
            Ok(_) => "HEAD",
            Err(Failure::Refused { .. }) => EMPTY_TREE,
            Err(other) => return Err(state_of(&other)),
        };
        let part = folder
            .strip_prefix(&root)
            .map(|part| part.to_string_lossy().into_owned())
            .unwrap_or_default();
        Ok(Self {
            git,
            root,
            base,
            filters,
            part,
        })
    }

    /// How many filters of its own it has. They are not run, so what they would hide counts as changed.
    pub(crate) fn n_filters(&self) -> usize {
        self.filters.len()
    }

    /// The full path of a file by its path from the root.
    pub(crate) fn full_path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// The path of a file from the root.
    pub(crate) fn relative(&self, path: &Path) -> Option<String> {
        let relative = path.strip_prefix(&self.root).ok()?;
        Some(relative.to_string_lossy().into_owned())
    }

    /// What changed in tracked files, by path.
    pub(crate) fn changes(&self) -> Result<Vec<GitChange>, WorkspaceDiffState> {
        let lines = numstat(&self.diff(&["--numstat", "-z"])?);
        let status = statuses(&self.diff(&["--name-status", "-z"])?);
        let mut changes: Vec<GitChange> = lines
            .into_iter()
            .map(|stat| GitChange {
                status: status
                    .get(&stat.path)
                    .copied()
                    .unwrap_or(ChangedStatus::Modified),
                path: stat.path,
                old_path: stat.old_path,
                lines: stat.lines,
            })
            .collect();
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changes)
    }

    /// Paths of files that the repository does not know and does not ignore.
    pub(crate) fn untracked(&self) -> Result<Vec<String>, WorkspaceDiffState> {
        let mut arguments = vec!["ls-files", "-z", "--others", "--exclude-standard"];
        self.add_part(&mut arguments);
        let answer = self
            .git
            .ask(&arguments)
            .map_err(|failure| state_of(&failure))?;
        let mut paths = names(&answer);
        paths.sort();
        Ok(paths)
    }

    /// The bytes of a file as it was committed; `None` if it was not.
    pub(crate) fn committed(&self, path: &str) -> Result<Option<Vec<u8>>, WorkspaceDiffState> {
        if self.base == EMPTY_TREE {
            return Ok(None);
        }
        let object = format!("HEAD:{path}");
        match self.git.ask(&["cat-file", "blob", &object]) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(Failure::Refused { .. }) => Ok(None),
            Err(other) => Err(state_of(&other)),
        }
    }

    fn diff(&self, form: &[&str]) -> Result<Vec<u8>, WorkspaceDiffState> {
        let mut arguments = vec![
            "diff",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            SUBMODULES,
            self.base,
        ];
        arguments.extend(form);
        self.add_part(&mut arguments);
        self.git
            .ask(&arguments)
            .map_err(|failure| state_of(&failure))
    }

    fn add_part<'a>(&'a self, arguments: &mut Vec<&'a str>) {
        if !self.part.is_empty() {
            arguments.extend(["--", &self.part]);
        }
    }
}

/// The filters that the configuration of the repository defines, rather than that of the person or the system.
fn own_filters(here: &Git) -> Result<Vec<String>, WorkspaceDiffState> {
    let arguments = [
        "config",
        "--null",
        "--show-scope",
        "--name-only",
        "--get-regexp",
        r"^filter\.",
    ];
    let found = match here.ask(&arguments) {
        Ok(answer) => filters(&answer),
        // It says nothing where nothing is found.
        Err(Failure::Refused { words }) if words.is_empty() => Vec::new(),
        Err(other) => return Err(state_of(&other)),
    };
    // A switch ends the name at the first such sign, so this one could not be put out of force.
    if let Some(name) = found.iter().find(|name| name.contains('=')) {
        tracing::warn!(%name, "a filter has a name that cannot be switched off");
        return Err(WorkspaceDiffState::Timeout);
    }
    Ok(found)
}

fn state_of(failure: &Failure) -> WorkspaceDiffState {
    match failure {
        Failure::Missing => WorkspaceDiffState::GitMissing,
        Failure::TooSlow | Failure::TooMuch | Failure::Refused { .. } | Failure::Io { .. } => {
            tracing::warn!(%failure, "git gave no answer");
            WorkspaceDiffState::Timeout
        }
    }
}

/// Something that makes the working tree a mixture of several people's changes.
fn under_way(git_dir: &Path) -> Option<WorkspaceDiffState> {
    let marks = [
        ("MERGE_HEAD", WorkspaceDiffState::Merge),
        ("rebase-merge", WorkspaceDiffState::Rebase),
        ("rebase-apply", WorkspaceDiffState::Rebase),
        ("CHERRY_PICK_HEAD", WorkspaceDiffState::CherryPick),
        ("REVERT_HEAD", WorkspaceDiffState::Revert),
    ];
    let found = marks.iter().find(|(name, _)| git_dir.join(name).exists());
    found.map(|(_, state)| *state)
}
