//! What a program says when it starts the workbench, and why that may fail.

use crate::env::Environment;
use files::Reviewer;
use protocol::error::ApiError;
use protocol::settings::ProviderEntry;
use std::path::PathBuf;

/// How the program runs.
pub struct Startup {
    /// The environment of the process.
    pub environment: Environment,
    /// The program that supervises commands: this one, or a smaller one beside it.
    pub host_program: PathBuf,
    /// Whether there is a window.
    pub role: Role,
    /// Whether a person can be asked.
    pub interaction: Interaction,
    /// Script of the demo model instead of the shipped one.
    pub script: Option<String>,
    /// The demo model answers without pauses.
    pub instant: bool,
    /// Steps a turn may take instead of what the settings say.
    pub max_steps: Option<u32>,
    /// A provider for this run, besides those of the settings.
    pub provider: Option<ProviderOverride>,
}

/// Whether there is a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Yes: a damaged store is set aside, a held one is opened for reading.
    Window,
    /// No: a store that another program holds is an error.
    Headless,
}

/// Whether a person can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interaction {
    /// Yes.
    Person,
    /// About changes alone: the tool that asks is not declared.
    Reviewer,
    /// No, but a script that asks gets made-up answers. A change that a person must look at is refused.
    Script,
    /// No: the tool that asks is not declared. A change that a person must look at is refused.
    Nobody,
}

impl Interaction {
    /// Whether a person can look at a change that one must look at.
    pub(crate) fn reviewer(self) -> Reviewer {
        match self {
            Self::Person | Self::Reviewer => Reviewer::Person,
            Self::Script | Self::Nobody => Reviewer::Nobody,
        }
    }
}

/// A provider for one run.
#[derive(Debug, Clone)]
pub struct ProviderOverride {
    /// Its entry.
    pub entry: ProviderEntry,
}

/// Why the workbench did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The script of the demo model has a mistake; nothing was run.
    #[error("{0}")]
    Script(String),
    /// The store cannot be used. The sentence says what to do.
    #[error("{0}")]
    Store(ApiError),
}
