//! What a command line would do: every program that it runs, with what each reads, changes and reaches.
//!
//! Invariant: a program that the command can start is a unit of the analysis, or the analysis is `Unparseable`.
//! Deliberately absent: whether any of it is allowed.

mod effects;
mod folders;
mod redirects;
mod resolve;
mod simple;
mod targets;
mod variables;
mod walk;
mod wrapper;

pub use folders::Folders;
pub use targets::{Operation, Source, Target};

use crate::arg::Arg;
use crate::environment::Risk;
use crate::place::{Disk, Place};
use crate::program::Class;
use crate::reason::Reason;
use crate::shell;

/// What a command line would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// The worst of its units and of the line itself.
    pub class: Class,
    /// Every program that it runs.
    pub units: Vec<Unit>,
    /// What is the matter with the line as a whole.
    pub reasons: Vec<Reason>,
}

/// One program of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// How it is written, without its redirections.
    pub text: String,
    /// What it does.
    pub class: Class,
    /// What it does apart from its redirections.
    pub base: Class,
    /// Why.
    pub reasons: Vec<Reason>,
    /// Its words; for a program that runs another one, first its own words, then the other's.
    pub forms: Vec<Vec<Arg>>,
    /// What it may run besides: only rules against it look there.
    pub suspicions: Vec<Vec<Arg>>,
    /// Any of its words may begin another command.
    pub may_run_arguments: bool,
    /// What it reads, changes and fetches.
    pub operations: Vec<Operation>,
    /// Where it may run.
    pub folders: Folders,
    /// What the variables that are set for it can do.
    pub environment: Risk,
    /// It reads only, whatever its arguments are, apart from its redirections.
    pub is_free: bool,
    /// A git command that reads: only where the repository is trusted.
    pub is_git_read: bool,
    /// It gets arguments from elsewhere.
    pub is_opaque: bool,
    /// It runs with other rights.
    pub is_privileged: bool,
    /// It runs to give a text to another command.
    pub is_nested: bool,
}

/// What `command` would do in `place`.
#[must_use]
pub fn analyse(command: &str, place: &Place, disk: &dyn Disk) -> Analysis {
    let refused = shell::refuse(command);
    if !refused.is_empty() {
        return Analysis {
            class: Class::Unparseable,
            units: Vec::new(),
            reasons: refused,
        };
    }
    walk::walk(command, place, disk)
}
