//! Programs that run the command in their arguments.

mod env;
mod privileged;
mod shells;
mod transparent;
mod xargs;

use crate::arg::Arg;
use crate::environment::Risk;
use crate::program::{Class, names};
use crate::reason::{Code, Reason};

/// What a command turns out to be.
#[derive(Debug)]
pub(super) enum Step {
    /// Not a program that runs others.
    Program,
    /// It runs the command in these words.
    Runs(Inner),
    /// It runs a text as shell code.
    Text(Text),
    /// It runs nothing here, or what cannot be said.
    Ends(Class, Option<Reason>),
}

/// A command inside a command.
#[derive(Debug, Default)]
pub(super) struct Inner {
    pub(super) words: Vec<Arg>,
    pub(super) is_privileged: bool,
    /// It gets arguments from elsewhere.
    pub(super) is_opaque: bool,
    pub(super) environment: Option<Risk>,
    pub(super) reasons: Vec<(Class, Reason)>,
    /// It runs in this folder.
    pub(super) folder: Option<Arg>,
    /// A file that the outer program writes.
    pub(super) writes: Option<Arg>,
}

/// A text that is run as shell code.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) script: String,
    /// In the shell that reads the line, not in one of its own.
    pub(super) in_same_shell: bool,
    pub(super) reasons: Vec<(Class, Reason)>,
    pub(super) is_privileged: bool,
}

/// They run anything, in ways that are not analysed.
const OPAQUE: &[&str] = &[
    "parallel",
    "entr",
    "flock",
    "script",
    "expect",
    "screen",
    "tmux",
    "at",
    "batch",
    "strace",
    "ltrace",
    "gdb",
    "lldb",
    "valgrind",
    "perf",
    "chroot",
    "unshare",
    "nsenter",
    "bwrap",
    "fakeroot",
    "busybox",
    "toybox",
    "firejail",
    "proot",
    "systemd-run",
    "setpriv",
    "capsh",
    "rr",
    "dbus-run-session",
    "xvfb-run",
    "start-stop-daemon",
    "run-parts",
    "inotifywait",
    "watchexec",
    "nodemon",
    "concurrently",
    "hyperfine",
    "cpulimit",
    "prlimit",
    "setarch",
    "linux32",
    "linux64",
    "i386",
    "x86_64",
    "nvm",
    "direnv",
    "dtach",
    "abduco",
    "zellij",
    "ssh-agent",
    "sg",
    "newgrp",
    "pexec",
    "rush",
];

/// What the command `words` is.
pub(super) fn step(name: &str, args: &[Arg]) -> Step {
    match name {
        "env" => env::step(args),
        "sudo" | "doas" | "pkexec" | "runuser" | "su" => privileged::step(name, args),
        "eval" => eval(args),
        "source" | "." => source(args),
        "xargs" => xargs::step(args),
        "watch" => watch(args),
        shell if names::is_shell(shell) => shells::step(name, args),
        "coproc" => unparseable(Code::Coprocess),
        opaque if OPAQUE.contains(&opaque) => Step::Ends(
            Class::Unparseable,
            Some(Reason::about(Code::OpaqueWrapper, opaque)),
        ),
        _ => transparent::step(name, args),
    }
}

fn unparseable(code: Code) -> Step {
    Step::Ends(Class::Unparseable, Some(code.into()))
}

fn eval(args: &[Arg]) -> Step {
    let words: Option<Vec<&str>> = args.iter().map(Arg::as_literal).collect();
    match words.as_deref() {
        Some([]) => Step::Ends(Class::ReadOnly, None),
        Some(words) => Step::Text(Text {
            script: words.join(" "),
            in_same_shell: true,
            reasons: Vec::new(),
            is_privileged: false,
        }),
        None => unparseable(Code::EvalDynamic),
    }
}

fn source(args: &[Arg]) -> Step {
    let is_known = args.first().is_some_and(|file| file.as_literal().is_some());
    match is_known {
        true => Step::Ends(Class::Mutating, Some(Code::SourceFile.into())),
        false => unparseable(Code::SourceFile),
    }
}

fn watch(args: &[Arg]) -> Step {
    let words: Option<Vec<&str>> = args.iter().map(Arg::as_literal).collect();
    match words {
        Some(words) if words.first().is_some_and(|first| !first.starts_with('-')) => {
            Step::Text(Text {
                script: words.join(" "),
                in_same_shell: false,
                reasons: Vec::new(),
                is_privileged: false,
            })
        }
        _ => unparseable(Code::OpaqueWrapper),
    }
}
