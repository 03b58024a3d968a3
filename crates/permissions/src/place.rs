//! Where a command runs, and what has to be looked up on disk to judge it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// Where a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The folder it starts in.
    pub cwd: PathBuf,
    /// The home folder that the command will have.
    pub home: PathBuf,
    /// The folders of the project.
    pub roots: Vec<PathBuf>,
    /// Variables whose values the command will have.
    pub variables: BTreeMap<String, String>,
    /// Names that the command's environment holds; setting one reaches every program.
    pub exported: BTreeSet<String>,
}

impl Place {
    /// `path` lies in a folder of the project.
    #[must_use]
    pub fn contains(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }
}

/// What is looked up on disk when a decision is made.
pub trait Disk {
    /// `path` with the symbolic links of its nearest existing ancestor resolved. Where nothing can be looked up, the
    /// path as it is.
    fn resolve(&self, path: &Path) -> PathBuf;

    /// What the pattern of the shell finds from `folder`; `None` when that is not known or too much.
    fn expand(&self, folder: &Path, pattern: &str) -> Option<Vec<PathBuf>>;

    /// Whether git in `folder` runs no program that the repository names.
    fn git_is_plain(&self, folder: &Path) -> bool;
}

/// `path` without `.`, `..` and doubled slashes, seen from `folder`. No link is followed.
#[must_use]
pub fn normalize(folder: &Path, path: &str) -> PathBuf {
    let mut result = PathBuf::new();
    for part in folder.join(path).components() {
        match part {
            Component::ParentDir => {
                result.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => result.push(part),
        }
    }
    result
}
