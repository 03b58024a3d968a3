//! What commands are kept in.

use serde::{Deserialize, Serialize};

/// What a command may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum SandboxMode {
    /// Whatever the person may.
    Off,
    /// Nothing but its own temporary files.
    ReadOnly,
    /// The workspace, but for what makes other programs run something later.
    WorkspaceWrite,
}

/// What a command will be kept in, as a question shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SandboxFacts {
    /// What it may write; never `off`.
    pub mode: SandboxMode,
    /// Whether it may reach the network.
    pub network: bool,
    /// What keeps it: `bubblewrap`, `landlock`.
    pub backend: String,
}
