//! What the person is asked, and what they answer.
//!
//! A question carries everything that will be done, whole. An answer names the call and, for a file, the very
//! proposal that was on screen; an answer to anything else is refused.

use crate::diff::FileDiff;
use crate::ids::{CallId, ProposalId};
use crate::sandbox::SandboxFacts;
use serde::{Deserialize, Serialize};

/// An open question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Ask {
    /// The call that waits.
    pub call_id: CallId,
    /// Changes whenever what would be done changes.
    pub proposal_id: ProposalId,
    /// The tool's name.
    pub tool: String,
    /// What would be done.
    pub preview: Preview,
    /// Answers that outlive this call.
    pub scopes: Vec<ScopeOffer>,
    /// What deserves a second look.
    pub warnings: Vec<AskWarning>,
    /// Why a person must look even where a mode would let it pass.
    pub confirm_reasons: Vec<String>,
    /// The proposal can be changed by hand.
    pub modifiable: bool,
    /// Where the question stands.
    pub state: AskState,
}

/// Where an open question stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AskState {
    /// It can be answered.
    Open,
    /// The file changed on disk; it can only be closed.
    Stale,
}

/// What would be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Preview {
    /// Part of a file changes.
    Edit {
        /// The change.
        diff: Box<FileDiff>,
    },
    /// A file is created or replaced.
    Write {
        /// The change.
        diff: Box<FileDiff>,
        /// Lines of the old file that the model never saw and that would go.
        unseen_lines: u64,
    },
    /// A command runs.
    Exec {
        /// The command, whole.
        command: String,
        /// Absolute working folder.
        cwd: String,
        /// Working folder as people read it.
        display_cwd: String,
        /// What the model says it does.
        description: Option<String>,
        /// It is stopped after this many milliseconds.
        timeout_ms: u64,
        /// It starts in the background.
        background: bool,
        /// What it will be kept in; `null` if in nothing.
        sandbox: Option<SandboxFacts>,
    },
    /// The model asks the person.
    Questions {
        /// The questions.
        questions: Vec<Question>,
    },
    /// Anything else.
    Info {
        /// A title.
        title: String,
        /// What would be done, as plain text.
        body: String,
    },
}

/// One question of the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Question {
    /// The question.
    pub question: String,
    /// A short label.
    pub header: String,
    /// What can be chosen.
    pub options: Vec<QuestionOption>,
    /// More than one may be chosen.
    pub multi_select: bool,
}

/// One option of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct QuestionOption {
    /// What is chosen.
    pub label: String,
    /// What that means.
    pub description: String,
}

/// How far an allowance reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// This call.
    Once,
    /// This session, until it is deleted or the program restarts.
    Session,
}

/// An allowance that can be given beyond this call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ScopeOffer {
    /// How far it reaches.
    pub scope: Scope,
    /// The rules it would add, as people read them.
    pub rules: Vec<String>,
}

/// Something that deserves a second look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AskWarning {
    /// `UPPER_SNAKE`; the window has the sentence in each language.
    pub code: String,
    /// What fills the sentence.
    pub args: Vec<String>,
}

/// The person's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Decision {
    /// Do it as proposed.
    Allow {
        /// How far the allowance reaches.
        scope: Scope,
    },
    /// Do it with this text instead.
    Modify {
        /// The whole file as it shall be, with LF line ends. Empty is a value.
        final_text: String,
    },
    /// Do not do it.
    Deny {
        /// What to tell the model.
        words: Option<String>,
    },
    /// Answers to the model's questions, one per question.
    Answer {
        /// In the order of the questions.
        answers: Vec<Answer>,
    },
}

/// The answer to one question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Answer {
    /// Labels that were chosen.
    pub options: Vec<String>,
    /// Words of the person's own; always part of the answer.
    pub other: Option<String>,
    /// Left unanswered on purpose.
    #[serde(default)]
    pub skipped: bool,
}

/// What became of a question, kept with the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Resolution {
    /// How it ended.
    pub verdict: Verdict,
    /// How far the allowance reaches.
    #[serde(default)]
    pub scope: Option<Scope>,
    /// The rules that were added, or the rule that let it pass unasked.
    #[serde(default)]
    pub rules: Vec<String>,
    /// What the person told the model.
    #[serde(default)]
    pub words: Option<String>,
}

/// How a question ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Allowed as proposed.
    Allowed,
    /// Allowed with changes by the person.
    Edited,
    /// Declined.
    Denied,
    /// Answered.
    Answered,
    /// Closed without an answer: stopped, or the file changed.
    Closed,
    /// Never asked: a rule or the mode let it pass.
    Automatic,
}
