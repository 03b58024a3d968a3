//! What a command is kept in, from the person's choice to the question.

use super::refused;
use protocol::confirmation::AskWarning;
use protocol::sandbox::{SandboxFacts, SandboxMode};
use protocol::tool_call::ToolFailure;
use terminal::Sandbox;

/// What commands are kept in.
#[derive(Debug, Clone)]
pub enum SandboxChoice {
    /// In nothing.
    Off,
    /// In this.
    On {
        /// The walls.
        sandbox: Box<Sandbox>,
        /// What people read.
        facts: SandboxFacts,
    },
    /// They should be, but there are no walls.
    Missing {
        /// Why.
        why: String,
        /// Then no command runs.
        required: bool,
    },
}

impl SandboxChoice {
    pub(super) fn walls(&self) -> Option<&Sandbox> {
        match self {
            Self::On { sandbox, .. } => Some(sandbox),
            Self::Off | Self::Missing { .. } => None,
        }
    }

    pub(super) fn facts(&self) -> Option<&SandboxFacts> {
        match self {
            Self::On { facts, .. } => Some(facts),
            Self::Off | Self::Missing { .. } => None,
        }
    }

    /// Refuses every command where walls are required and there are none.
    pub(super) fn check(&self) -> Result<(), ToolFailure> {
        match self {
            Self::Missing {
                why,
                required: true,
            } => {
                let words = format!(
                    "Commands must run in a sandbox, and there is none: {why}. Tell the user; the setting sandbox_required decides."
                );
                Err(refused("SANDBOX_UNAVAILABLE", &words))
            }
            Self::Off | Self::On { .. } | Self::Missing { .. } => Ok(()),
        }
    }

    /// That a command will run without the walls that were chosen.
    pub(super) fn warning(&self) -> Option<AskWarning> {
        match self {
            Self::Missing { why, .. } => Some(AskWarning {
                code: "SANDBOX_UNAVAILABLE".to_owned(),
                args: vec![why.clone()],
            }),
            Self::Off | Self::On { .. } => None,
        }
    }

    /// The rule that allows a command for the session. Allowed behind walls is not allowed without them.
    pub(super) fn rule(&self, command: &str) -> String {
        let Some(facts) = self.facts() else {
            return format!("Shell({command})");
        };
        let files = match facts.mode {
            SandboxMode::ReadOnly => "read-only",
            SandboxMode::WorkspaceWrite | SandboxMode::Off => "workspace",
        };
        let network = if facts.network { ", network" } else { "" };
        format!("Shell({command}) in a sandbox: {files}{network}")
    }
}
