//! From the text of a command to its commands and words: what Bash would read, or the admission that nobody knows.
//!
//! Invariant: a script without problems is read here as Bash reads it. Where the grammar and Bash differ, the words are
//! decoded again from the text, and what cannot be reconciled is a problem of the script. Deliberately absent: what a
//! command does.

mod ansi_c;
mod expansion;
mod gate;
mod heredoc;
mod lower;
mod sequence;
mod simple;
mod syntax;
mod tree;
mod word;

pub use gate::{MAX_COMMAND_BYTES, is_invisible};
pub(crate) use lower::{PARSE_BUDGET_BYTES, read};
pub(crate) use syntax::{
    AndOr, Command, Connector, Modifier, Parsed, Piece, Pipeline, Redirect, RedirectKind, Script,
    Simple, Stage, Variable, Word,
};

use crate::reason::Reason;

/// Why `command` is not even parsed. Empty when it may be.
pub(crate) fn refuse(command: &str) -> Vec<Reason> {
    gate::check(command)
}
