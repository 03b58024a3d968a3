//! The folders in which a command may run.

use crate::place::normalize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// More possible folders than this are the same as none known.
const MAX_FOLDERS: usize = 8;

/// Where a command may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Folders {
    /// In one of these.
    Known(BTreeSet<PathBuf>),
    /// Anywhere.
    Unknown,
}

impl Folders {
    /// Exactly there.
    #[must_use]
    pub fn only(folder: &Path) -> Self {
        Self::Known(BTreeSet::from([folder.to_owned()]))
    }

    /// There or there.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Known(ours), Self::Known(theirs)) => {
                let all: BTreeSet<PathBuf> = ours.union(theirs).cloned().collect();
                match all.len() > MAX_FOLDERS {
                    true => Self::Unknown,
                    false => Self::Known(all),
                }
            }
            _ => Self::Unknown,
        }
    }

    /// After a successful change to `path`.
    #[must_use]
    pub fn joined(&self, path: &str) -> Self {
        if path.starts_with('/') {
            return Self::only(&normalize(Path::new("/"), path));
        }
        match self {
            Self::Known(folders) => Self::Known(
                folders
                    .iter()
                    .map(|folder| normalize(folder, path))
                    .collect(),
            ),
            Self::Unknown => Self::Unknown,
        }
    }

    /// All of them are known and `holds` for each.
    #[must_use]
    pub fn all(&self, holds: impl FnMut(&PathBuf) -> bool) -> bool {
        match self {
            Self::Known(folders) => folders.iter().all(holds),
            Self::Unknown => false,
        }
    }
}
