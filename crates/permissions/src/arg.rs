//! Words as programs get them, as far as that is known before they run.

use crate::glob::{self, Atom, Pattern};

/// A word of a command, and what a program would get for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arg {
    /// How it is written.
    pub text: String,
    /// What it becomes.
    pub value: Value,
}

/// What a word becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// This text.
    Literal(String),
    /// The names that a pattern finds on disk, or the pattern itself.
    Glob {
        /// The pattern in the notation of the shell, literal characters escaped by a backslash.
        written: String,
        /// What it can mean.
        pattern: Pattern,
    },
    /// Known only when it runs.
    Dynamic(Dynamic),
}

/// What is known of a word that is known only when it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dynamic {
    /// All that it can be.
    pub patterns: Vec<Pattern>,
    /// It may become no word, or several.
    pub splits: bool,
    /// The command itself gives the value; else the environment does, which the command cannot choose.
    pub from_command: bool,
}

impl Arg {
    /// A word that is a text.
    #[must_use]
    pub fn literal(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            text: text.clone(),
            value: Value::Literal(text),
        }
    }

    /// A word of which nothing is known; `text` stands for it.
    #[must_use]
    pub fn unknown(text: &str, from_command: bool) -> Self {
        Self {
            text: text.to_owned(),
            value: Value::Dynamic(Dynamic {
                patterns: vec![vec![Atom::Any]],
                splits: true,
                from_command,
            }),
        }
    }

    /// The text that the program gets.
    #[must_use]
    pub fn as_literal(&self) -> Option<&str> {
        match &self.value {
            Value::Literal(text) => Some(text),
            Value::Glob { .. } | Value::Dynamic(_) => None,
        }
    }

    /// The program gets exactly this text.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        self.as_literal() == Some(text)
    }

    /// The program gets exactly one of these.
    #[must_use]
    pub fn is_one_of(&self, texts: &[&str]) -> bool {
        self.as_literal().is_some_and(|own| texts.contains(&own))
    }

    /// Known only when it runs.
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        matches!(self.value, Value::Dynamic(_))
    }

    /// What it can be, as patterns.
    #[must_use]
    pub fn patterns(&self) -> Vec<Pattern> {
        match &self.value {
            Value::Literal(text) => vec![glob::literal(text)],
            Value::Glob { pattern, .. } => vec![pattern.clone()],
            Value::Dynamic(dynamic) => dynamic.patterns.clone(),
        }
    }

    /// It is no literal and could begin with a minus sign, or be nothing at all.
    #[must_use]
    pub fn may_be_option(&self) -> bool {
        let may_begin = |pattern: &Pattern| !matches!(pattern.first(), Some(Atom::Char(first)) if *first != '-');
        match &self.value {
            Value::Literal(_) => false,
            Value::Glob { pattern, .. } => may_begin(pattern),
            Value::Dynamic(dynamic) => dynamic.splits || dynamic.patterns.iter().any(may_begin),
        }
    }
}
