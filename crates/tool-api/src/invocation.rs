//! One call with valid arguments, from the question to the result.

use crate::context::ExecContext;
use crate::result::ToolResult;
use async_trait::async_trait;
use protocol::confirmation::{Answer, AskWarning, Preview};
use protocol::diff::DiffStat;
use protocol::ids::{ProposalId, ShellId};
use protocol::tool_call::{ToolFailure, ToolKind};
use serde_json::Value;

/// One call. Goes through `prepare`, then perhaps a question, then `execute`.
#[async_trait]
pub trait Invocation: Send + Sync {
    /// The arguments as they will be used: what is shown is what runs.
    fn args(&self) -> &Value;

    /// One line of at most 200 characters that says what it is about.
    fn subject(&self) -> String;

    /// What happens where no rule and no mode says otherwise.
    fn default_permission(&self) -> Permission;

    /// Only a person can answer: no rule and no mode may.
    fn needs_user(&self) -> bool {
        false
    }

    /// The rule that "allow for this session" adds, and that later lets a call like this one pass.
    fn session_rule(&self) -> Option<SessionRule> {
        None
    }

    /// What it does to the world, once it is prepared, where that is other than what its tool does.
    fn kind(&self) -> Option<ToolKind> {
        None
    }

    /// The shell it will run in, for a command.
    fn shell_id(&self) -> Option<ShellId> {
        None
    }

    /// Finds out what exactly would be done. Reads only.
    ///
    /// # Errors
    /// A failure that the model reads; nothing is asked then.
    async fn prepare(&mut self, ctx: &ExecContext) -> Result<(), ToolFailure> {
        let _unused: &ExecContext = ctx;
        Ok(())
    }

    /// What the person is shown.
    fn question(&self) -> QuestionBody;

    /// Replaces what would be done by the person's text.
    ///
    /// # Errors
    /// [`ModifyError`] if this call cannot be changed, or not to this text.
    fn modify(&mut self, final_text: &str) -> Result<Modification, ModifyError> {
        let _unused: &str = final_text;
        Err(ModifyError::NotModifiable)
    }

    /// Whether what was prepared no longer fits the world: the file changed since.
    fn is_stale(&self) -> bool {
        false
    }

    /// Turns a person's answers into the result, for a call that only asks.
    fn answer(&self, answers: &[Answer]) -> Option<ToolResult> {
        let _unused: &[Answer] = answers;
        None
    }

    /// Does it. By value: a call runs once.
    async fn execute(self: Box<Self>, ctx: ExecContext) -> ToolResult;
}

/// What happens to a call where nothing else decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// It runs.
    Allow,
    /// The person is asked.
    Ask,
}

/// A rule of one session. Two calls with equal rules are alike to the person.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionRule {
    /// The rule as people read it, such as `Shell(cargo test)`.
    pub text: String,
}

/// What the person is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionBody {
    /// Changes whenever what would be done changes.
    pub proposal_id: ProposalId,
    /// What would be done, whole.
    pub preview: Preview,
    /// What deserves a second look.
    pub warnings: Vec<AskWarning>,
    /// Why a person must look even where a mode would let it pass.
    pub confirm_reasons: Vec<String>,
    /// The proposal can be changed by hand.
    pub modifiable: bool,
}

/// What became of a proposal that the person changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modification {
    /// Lines by the model and by the person.
    pub stat: DiffStat,
    /// The text differs from the proposal.
    pub changed: bool,
}

/// Why a proposal cannot be replaced by a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModifyError {
    /// This kind of call cannot be changed by hand.
    #[error("this proposal cannot be changed by hand")]
    NotModifiable,
    /// The file's encoding cannot hold a character.
    #[error(
        "{encoding} cannot hold {character:?} (line {line}, column {column}); replace it or reject the change"
    )]
    Encoding {
        /// The file's encoding.
        encoding: String,
        /// The first character that does not fit.
        character: char,
        /// Its line, 1-based.
        line: u64,
        /// Its column, 1-based.
        column: u64,
    },
    /// Any other reason, as a failure the person reads.
    #[error("{}", .0.message)]
    Refused(ToolFailure),
}
