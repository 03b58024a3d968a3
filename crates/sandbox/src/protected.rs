//! What stays as it is inside a writable folder: files that make other programs run something later.
//!
//! Pure but for looking at what exists. Deliberately absent: the same list as rules for edits, which belongs to the
//! permissions.

use crate::policy::{GitAccess, Walls};
use std::fs;
use std::path::{Path, PathBuf};

/// Below a root. Programs that work there run what these say, often unasked.
const NAMES: &[&str] = &[
    ".benchdog",
    ".husky",
    ".vscode",
    ".idea",
    ".github/workflows",
    ".cargo",
    ".gitmodules",
    ".gitconfig",
    ".npmrc",
    ".mcp.json",
    ".envrc",
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
    "AGENTS.md",
    "CLAUDE.md",
    "QWEN.md",
];

/// Below the folder of a repository: what runs programs.
const GIT_NAMES: &[&str] = &["hooks", "config", "config.worktree", "info/attributes"];

/// How one path can be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Protection {
    /// It exists, and can be made read-only where it is.
    Mount(PathBuf),
    /// Nothing is there, or a link, over which nothing can be mounted: it can only be looked at before and after.
    Watch(PathBuf),
}

/// Everything to be kept. A link counts twice: itself, and what it leads to.
#[must_use]
pub fn protections(walls: &Walls) -> Vec<Protection> {
    let mut found = Vec::new();
    for root in walls.writable() {
        for name in NAMES {
            protect(root, &root.join(name), &mut found);
        }
        let git = root.join(".git");
        match walls.policy.git {
            GitAccess::Protected => protect(root, &git, &mut found),
            GitAccess::Write => {}
        }
        for folder in git_folders(&git) {
            match walls.policy.git {
                GitAccess::Protected => protect(root, &folder, &mut found),
                GitAccess::Write => {
                    for name in GIT_NAMES {
                        protect(root, &folder.join(name), &mut found);
                    }
                }
            }
        }
    }
    found
}

/// Follows the path from its root: the first component that is missing or a link is what has to be watched.
fn protect(root: &Path, path: &Path, found: &mut Vec<Protection>) {
    let below = path.strip_prefix(root).unwrap_or(path);
    let mut at = match path.starts_with(root) {
        true => root.to_path_buf(),
        false => PathBuf::new(),
    };
    let mut add = |protection: Protection| {
        if !found.contains(&protection) {
            found.push(protection);
        }
    };
    for component in below {
        at.push(component);
        match fs::symlink_metadata(&at) {
            Ok(metadata) if metadata.is_symlink() => {
                add(Protection::Watch(at));
                if let Ok(target) = path.canonicalize() {
                    add(Protection::Mount(target));
                }
                return;
            }
            Ok(_) => {}
            Err(_) => return add(Protection::Watch(at)),
        }
    }
    add(Protection::Mount(at));
}

/// The folders behind a `.git`: itself, or those that the file of a worktree or submodule names.
pub(crate) fn git_folders(git: &Path) -> Vec<PathBuf> {
    let Ok(metadata) = fs::symlink_metadata(git) else {
        return Vec::new();
    };
    if metadata.is_dir() {
        return vec![git.to_path_buf()];
    }
    let named = |file: &Path, prefix: &str, base: &Path| {
        let text = fs::read_to_string(file).ok()?;
        let path = text.strip_prefix(prefix)?.trim();
        base.join(path).canonicalize().ok()
    };
    let base = git.parent().unwrap_or(git);
    let Some(folder) = named(git, "gitdir:", base) else {
        return git
            .canonicalize()
            .ok()
            .filter(|path| path.is_dir())
            .into_iter()
            .collect();
    };
    let common = named(&folder.join("commondir"), "", &folder);
    [Some(folder), common].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{FileAccess, Network, Policy};

    fn walls(root: &Path, git: GitAccess) -> Walls {
        Walls {
            policy: Policy {
                files: FileAccess::WorkspaceWrite,
                network: Network::Off,
                git,
                extra_write: Vec::new(),
                deny_read: Vec::new(),
            },
            roots: vec![root.to_path_buf()],
            private_tmp: "/tmp/x".into(),
        }
    }

    fn root() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        (folder, root)
    }

    #[test]
    fn what_exists_is_mounted_and_what_does_not_is_watched() {
        let (_folder, root) = root();
        fs::create_dir_all(root.join(".git/hooks")).unwrap();
        fs::create_dir(root.join(".github")).unwrap();
        fs::write(root.join(".npmrc"), "").unwrap();
        let found = protections(&walls(&root, GitAccess::Protected));
        for path in [".git", ".npmrc"] {
            assert!(
                found.contains(&Protection::Mount(root.join(path))),
                "{path}"
            );
        }
        for path in [".github/workflows", ".vscode", ".envrc"] {
            assert!(
                found.contains(&Protection::Watch(root.join(path))),
                "{path}"
            );
        }
    }

    #[test]
    fn a_commit_may_write_all_but_what_runs_programs() {
        let (_folder, root) = root();
        fs::create_dir_all(root.join(".git/hooks")).unwrap();
        fs::write(root.join(".git/config"), "").unwrap();
        let found = protections(&walls(&root, GitAccess::Write));
        assert!(!found.contains(&Protection::Mount(root.join(".git"))));
        for path in [".git/hooks", ".git/config"] {
            assert!(
                found.contains(&Protection::Mount(root.join(path))),
                "{path}"
            );
        }
        assert!(found.contains(&Protection::Watch(root.join(".git/config.worktree"))));
        assert!(found.contains(&Protection::Watch(root.join(".git/info"))));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_kept_with_what_it_leads_to() {
        let (_folder, root) = root();
        fs::create_dir(root.join("editor")).unwrap();
        std::os::unix::fs::symlink("editor", root.join(".vscode")).unwrap();
        let found = protections(&walls(&root, GitAccess::Protected));
        assert!(found.contains(&Protection::Watch(root.join(".vscode"))));
        assert!(found.contains(&Protection::Mount(root.join("editor"))));
    }

    #[test]
    fn a_worktree_protects_the_repository_it_belongs_to() {
        let (_folder, root) = root();
        let tree = root.join("tree");
        let own = root.join("repo/.git/worktrees/tree");
        fs::create_dir_all(&own).unwrap();
        fs::create_dir_all(&tree).unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        let found = protections(&walls(&tree, GitAccess::Protected));
        for path in [tree.join(".git"), own, root.join("repo/.git")] {
            assert!(found.contains(&Protection::Mount(path.clone())), "{path:?}");
        }
    }
}
