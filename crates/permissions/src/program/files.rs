//! Which arguments of a program name files, and what it does to them.

use super::options::{Given, Line};
use super::{Access, Class, Effect, parse};
use crate::arg::Arg;

/// They read every operand.
const READERS: &[&str] = &[
    "b2sum",
    "base32",
    "base64",
    "cat",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cut",
    "diff",
    "du",
    "expand",
    "file",
    "fmt",
    "fold",
    "head",
    "hexdump",
    "join",
    "jq",
    "less",
    "ls",
    "md5sum",
    "more",
    "nl",
    "od",
    "paste",
    "realpath",
    "readlink",
    "rev",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "stat",
    "strings",
    "sum",
    "tac",
    "tail",
    "tsort",
    "unexpand",
    "vi",
    "view",
    "vim",
    "nvim",
    "nano",
    "wc",
    "yq",
    "zcat",
];

const GREPS: &[&str] = &["grep", "egrep", "fgrep", "zgrep", "rg"];

/// They change every operand.
const WRITERS: &[&str] = &[
    "mkdir", "touch", "truncate", "rmdir", "unlink", "mkfifo", "patch", "tee", "rm", "mv",
];

/// Adds what `name` reads and changes, where its own table did not.
pub(super) fn operands(name: &str, args: &[Arg], effect: &mut Effect) {
    match name {
        reader if READERS.contains(&reader) => {
            let line = parse(args, ("", &[]));
            effect.add_all(Access::Read, line.operands.iter().copied());
            values(&line, effect);
        }
        grep if GREPS.contains(&grep) => read_by_grep(args, effect),
        writer if WRITERS.contains(&writer) => {
            let line = parse(args, ("", &[]));
            effect.add_all(Access::Edit, line.operands.iter().copied());
        }
        "cp" | "install" | "ln" => copy(args, effect),
        "chmod" | "chown" | "chgrp" => {
            let line = parse(args, ("", &[]));
            effect.add_all(Access::Edit, line.operands.iter().skip(1).copied());
        }
        "dd" => dd(args, effect),
        "awk" | "gawk" | "mawk" | "nawk" | "original-awk" if effect.class == Class::ReadOnly => {
            effect.add_all(Access::Read, args);
        }
        _ if effect.class != Class::ReadOnly && effect.operands.is_empty() => {
            let words = args.iter().filter(|arg| names_file(arg));
            effect.add_all(Access::Mention, words);
        }
        _ => {}
    }
}

/// An option may carry the name of a file; where it does not, no rule means its value.
fn values(line: &Line<'_>, effect: &mut Effect) {
    let values = line.options.iter().filter_map(|option| option.value());
    for value in values {
        if let Given::Joined(_) = value {
            effect.add(Access::Read, &value.to_arg());
        }
    }
}

/// The first operand is the pattern, unless an option gives it.
fn read_by_grep(args: &[Arg], effect: &mut Effect) {
    let line = parse(
        args,
        (
            "ABCDdefmgtjEMrT",
            &[
                "regexp",
                "file",
                "after-context",
                "before-context",
                "context",
                "max-count",
                "glob",
                "type",
            ],
        ),
    );
    let gives_pattern = |option: &super::Opt<'_>| {
        option.is_short("ef")
            || option.is_long("regexp")
            || matches!(option, super::Opt::Long("file" | "files", _))
    };
    let skipped = usize::from(!line.options.iter().any(gives_pattern));
    effect.add_all(Access::Read, line.operands.iter().skip(skipped).copied());
    for option in &line.options {
        if option.is_short("f") || matches!(option, super::Opt::Long("file", _)) {
            effect.add_all(Access::Read, option.value().map(Given::to_arg).as_ref());
        }
    }
}

/// The last operand is written, or the folder that an option names; the others are read.
fn copy(args: &[Arg], effect: &mut Effect) {
    let line = parse(
        args,
        (
            "tSmog",
            &["target-directory", "suffix", "mode", "owner", "group"],
        ),
    );
    let mut has_target = false;
    for option in &line.options {
        if option.is_short("t") || option.is_long("target-directory") {
            has_target = true;
            effect.add_all(Access::Edit, option.value().map(Given::to_arg).as_ref());
        }
    }
    let sources = match line.operands.split_last() {
        Some((target, sources)) if !has_target => {
            effect.add(Access::Edit, target);
            sources
        }
        _ => line.operands.as_slice(),
    };
    effect.add_all(Access::Read, sources.iter().copied());
}

fn dd(args: &[Arg], effect: &mut Effect) {
    for arg in args {
        let Some(text) = arg.as_literal() else {
            effect.add(Access::Edit, arg);
            continue;
        };
        if let Some(target) = text.strip_prefix("of=") {
            effect.add(Access::Edit, &Arg::literal(target));
        } else if let Some(source) = text.strip_prefix("if=") {
            effect.add(Access::Read, &Arg::literal(source));
        }
    }
}

/// Text that a program of its own language would not be given for a name.
fn names_file(arg: &Arg) -> bool {
    match arg.as_literal() {
        Some(text) => {
            !text.is_empty() && !text.starts_with('-') && !text.contains(['\n', ' ', '('])
        }
        None => false,
    }
}
