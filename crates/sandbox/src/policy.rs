//! What is asked for.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Which files a command may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileAccess {
    /// None but its own temporary ones.
    ReadOnly,
    /// Those of the session's folders, but for the protected ones.
    WorkspaceWrite,
}

/// Whether a command may reach the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// It may not, other programs of this machine that listen for local connections included.
    Off,
    /// It may.
    On,
}

/// Whether a command may write into the repository itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GitAccess {
    /// `.git` stays as it is.
    Protected,
    /// All but hooks and configuration, which would run programs later: for a commit that a person approved.
    Write,
}

/// What a command may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Files.
    pub files: FileAccess,
    /// Network.
    pub network: Network,
    /// Repositories.
    pub git: GitAccess,
    /// More folders in which it may write.
    pub extra_write: Vec<PathBuf>,
    /// Files and folders it must not even read.
    pub deny_read: Vec<PathBuf>,
}

/// A policy for a place. All paths are absolute and canonical.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Walls {
    /// What is allowed.
    pub policy: Policy,
    /// The session's folders.
    pub roots: Vec<PathBuf>,
    /// A folder of the command's own, for temporary files.
    pub private_tmp: PathBuf,
}

impl Walls {
    /// The folders in which the command may write.
    pub(crate) fn writable(&self) -> impl Iterator<Item = &PathBuf> {
        let roots = match self.policy.files {
            FileAccess::ReadOnly => &[],
            FileAccess::WorkspaceWrite => self.roots.as_slice(),
        };
        roots.iter().chain(&self.policy.extra_write)
    }
}
