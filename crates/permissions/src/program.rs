//! What a program does when it gets these arguments.
//!
//! Invariant: `ReadOnly` is said only of forms that are known to write nothing, reach nothing and run nothing else.
//! What is not known is `Mutating`; what may run code that nobody sees is `Unparseable`. Deliberately absent: programs
//! that run other programs (see `wrapper`), and where a path leads.

mod awk;
mod cloud;
mod destructive;
mod files;
mod find;
mod free;
mod git;
pub(crate) mod names;
mod network;
mod options;
mod package;
mod restricted;
mod sed;
mod shell_builtin;

pub(crate) use find::commands as find_commands;
pub(crate) use options::{Opt, parse};
pub(crate) use shell_builtin::{declared_name, is_identifier};

use crate::arg::Arg;
use crate::reason::{Code, Reason};

/// What a command does, from harmless to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// It reads.
    ReadOnly,
    /// It changes something, or may.
    Mutating,
    /// It reaches the network.
    Network,
    /// What it does cannot be said.
    Unparseable,
    /// It deletes, or changes what cannot be restored.
    Destructive,
}

/// What an operation does to its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Reads a file, or what lies in a folder.
    Read,
    /// Creates, changes or deletes.
    Edit,
    /// The name of a file is given to a program of which nothing is known.
    Mention,
    /// Fetches from a host.
    Fetch,
}

/// An argument that names what is read, changed or fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Operand {
    pub(crate) access: Access,
    pub(crate) arg: Arg,
}

/// What a program does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Effect {
    pub(crate) class: Class,
    pub(crate) reasons: Vec<Reason>,
    pub(crate) operands: Vec<Operand>,
    /// It reads only, whatever its arguments are.
    pub(crate) is_free: bool,
    /// A git command that reads: only where the repository is trusted.
    pub(crate) is_git_read: bool,
    /// It is in no table.
    pub(crate) is_unknown: bool,
}

impl Effect {
    pub(crate) fn of(class: Class) -> Self {
        Self {
            class,
            reasons: Vec::new(),
            operands: Vec::new(),
            is_free: false,
            is_git_read: false,
            is_unknown: false,
        }
    }

    pub(crate) fn because(class: Class, reason: impl Into<Reason>) -> Self {
        let mut effect = Self::of(class);
        effect.reasons.push(reason.into());
        effect
    }

    /// At least `class`, for this reason.
    pub(crate) fn raise(&mut self, class: Class, reason: impl Into<Reason>) {
        self.class = self.class.max(class);
        self.reasons.push(reason.into());
    }

    pub(crate) fn add(&mut self, access: Access, arg: &Arg) {
        self.operands.push(Operand {
            access,
            arg: arg.clone(),
        });
    }

    pub(crate) fn add_all<'a>(&mut self, access: Access, args: impl IntoIterator<Item = &'a Arg>) {
        for arg in args {
            self.add(access, arg);
        }
    }
}

/// What the program `name` does with `args`. `name` has no folder unless it is an unusual one.
pub(crate) fn classify(name: &str, args: &[Arg]) -> Effect {
    if let [only] = args
        && only.is_one_of(&["--help", "--version"])
        && names::is_known_tool(name)
    {
        return Effect::of(Class::ReadOnly);
    }
    // The worst table that knows the program decides: what destroys is looked for first.
    let mut effect = destructive::classify(name, args)
        .or_else(|| shell_builtin::classify(name, args))
        .or_else(|| restricted::classify(name, args))
        .or_else(|| git::classify(name, args))
        .or_else(|| cloud::classify(name, args))
        .or_else(|| package::classify(name, args))
        .or_else(|| network::classify(name, args))
        .or_else(|| free::classify(name, args))
        .or_else(|| names::classify(name))
        .unwrap_or_else(|| {
            let mut effect = Effect::because(Class::Mutating, Code::UnknownProgram);
            effect.is_unknown = true;
            effect
        });
    files::operands(name, args, &mut effect);
    effect
}
