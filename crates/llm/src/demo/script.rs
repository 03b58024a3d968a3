//! A script as it is played.

use crate::failure::FailureKind;
use protocol::tool_call::CallStatus;
use regex::Regex;
use serde_json::Value;

/// A checked script.
#[derive(Debug, Clone, Default)]
pub struct Script {
    pub(super) title: Option<String>,
    pub(super) words_per_second: Option<u32>,
    pub(super) turns: Vec<Turn>,
    /// What is said when no turn fits.
    pub(super) fallback: Vec<Action>,
}

/// The answers to one message of a person.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub(super) matcher: Matcher,
    /// One per model message.
    pub(super) steps: Vec<Vec<Action>>,
}

/// Which messages a turn answers.
#[derive(Debug, Clone)]
pub(super) enum Matcher {
    All,
    /// Those with these words, whatever their case.
    Words(String),
    Pattern(Regex),
}

impl Matcher {
    pub(super) fn fits(&self, message: &str) -> bool {
        match self {
            Self::All => true,
            Self::Words(words) => message.to_lowercase().contains(&words.to_lowercase()),
            Self::Pattern(pattern) => pattern.is_match(message),
        }
    }
}

/// One directive inside a turn.
#[derive(Debug, Clone)]
pub(super) struct Action {
    /// Its line in the script, from 1.
    pub(super) line: usize,
    pub(super) kind: ActionKind,
}

#[derive(Debug, Clone)]
pub(super) enum ActionKind {
    Think(Template),
    Say(Template),
    Call {
        tool: String,
        arguments: Arguments,
    },
    When {
        condition: Condition,
        actions: Vec<Action>,
    },
    Expect(Expectation),
    Usage {
        input: u64,
        output: u64,
    },
    /// The finish word to send.
    Stop(&'static str),
    Fail {
        kind: FailureKind,
        after_chars: Option<usize>,
    },
    Speed(u32),
}

/// When a block of actions is played.
#[derive(Debug, Clone)]
pub(super) enum Condition {
    /// A result has one of these statuses: of a tool anywhere in the turn, or of any tool in the step before. A certain
    /// one, counted from 1, or any.
    Status {
        tool: Option<String>,
        statuses: Vec<Status>,
        nth: Option<usize>,
    },
    /// The tool is declared; not every way to run the program has them all.
    Tool(String),
}

/// What the script must have reached.
#[derive(Debug, Clone)]
pub(super) struct Expectation {
    pub(super) tool: String,
    pub(super) statuses: Vec<Status>,
    pub(super) contains: Option<String>,
}

/// How a result ended, as a script sees it. Every result has exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// It did its work as proposed.
    Ok,
    /// It did its work after the person had changed it.
    Edited,
    /// The person declined.
    Denied,
    /// Anything else.
    Error,
}

impl Status {
    pub(super) const ALL: [Self; 4] = [Self::Ok, Self::Edited, Self::Denied, Self::Error];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Edited => "edited",
            Self::Denied => "denied",
            Self::Error => "error",
        }
    }

    /// The status of a result.
    pub(super) fn of(status: CallStatus, edited: bool) -> Self {
        match status {
            CallStatus::Ok if edited => Self::Edited,
            CallStatus::Ok => Self::Ok,
            CallStatus::Denied => Self::Denied,
            CallStatus::Error
            | CallStatus::Invalid
            | CallStatus::UnknownTool
            | CallStatus::Skipped
            | CallStatus::Blocked
            | CallStatus::Cancelled
            | CallStatus::CancelledRunning
            | CallStatus::Killed
            | CallStatus::Timeout
            | CallStatus::Lost
            | CallStatus::NotRun => Self::Error,
        }
    }
}

/// A text with places to fill in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template(pub(super) Vec<Fill>);

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fill {
    Text(String),
    /// The folder of the session.
    Workspace,
    /// The person's message.
    User,
    /// The beginning of a result of the step before, counted from 1.
    Result(usize),
    /// A file of the workspace.
    File(String),
}

/// Arguments whose texts may have places to fill in.
#[derive(Debug, Clone)]
pub(super) enum Arguments {
    Text(Template),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
    /// A number, a truth value or null.
    Plain(Value),
}
