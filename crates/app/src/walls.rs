//! The walls of this system, looked for once, and what a person chose of them.

use crate::keys;
use protocol::sandbox::{SandboxFacts, SandboxMode};
use sandbox::{Backend, FileAccess, GitAccess, Network, Policy};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use terminal::Sandbox;
use tools::SandboxChoice;

/// Below the home folder: what opens other doors.
const SECRETS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/gh",
    ".kube",
    ".docker/config.json",
    ".netrc",
    ".git-credentials",
];

/// What the person chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SandboxWish {
    pub(crate) mode: SandboxMode,
    pub(crate) network: bool,
    pub(crate) required: bool,
}

/// What was found, once somebody asked.
#[derive(Debug)]
pub(crate) struct FoundWalls {
    backend: OnceLock<Result<Backend, String>>,
    /// Nothing behind walls reads these.
    secrets: Vec<PathBuf>,
}

impl FoundWalls {
    /// `home` is the person's, `config` where our keys are.
    pub(crate) fn new(home: Option<&Path>, config: &Path) -> Self {
        let own = SECRETS.iter().filter_map(|name| Some(home?.join(name)));
        Self {
            backend: OnceLock::new(),
            secrets: own.chain([config.join(keys::FILE)]).collect(),
        }
    }

    /// What commands of a session with these folders are kept in.
    pub(crate) fn choice(&self, wish: SandboxWish, roots: &[PathBuf]) -> SandboxChoice {
        let files = match wish.mode {
            SandboxMode::Off => return SandboxChoice::Off,
            SandboxMode::ReadOnly => FileAccess::ReadOnly,
            SandboxMode::WorkspaceWrite => FileAccess::WorkspaceWrite,
        };
        let found = self
            .backend
            .get_or_init(|| terminal::find_walls().map_err(|error| error.to_string()));
        let backend = match found {
            Ok(backend) => backend.clone(),
            Err(why) => {
                return SandboxChoice::Missing {
                    why: why.clone(),
                    required: wish.required,
                };
            }
        };
        let name = match &backend {
            Backend::Bubblewrap { .. } => "bubblewrap",
            Backend::Landlock => "landlock",
        };
        SandboxChoice::On {
            sandbox: Box::new(Sandbox {
                backend,
                policy: Policy {
                    files,
                    network: match wish.network {
                        true => Network::On,
                        false => Network::Off,
                    },
                    git: GitAccess::Protected,
                    extra_write: Vec::new(),
                    deny_read: self.secrets.clone(),
                },
                roots: roots.to_vec(),
            }),
            facts: SandboxFacts {
                mode: wish.mode,
                network: wish.network,
                backend: name.to_owned(),
            },
        }
    }
}
