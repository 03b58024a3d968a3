//! `git`: which of its forms read, which reach the network, which lose work.

use super::options::{Given, Line, Opt};
use super::{Access, Class, Effect, parse};
use crate::arg::Arg;
use crate::reason::{Code, Reason};

/// Options before the command that change nothing about what runs.
const PLAIN_GLOBAL: &[&str] = &[
    "--no-pager",
    "--no-optional-locks",
    "--literal-pathspecs",
    "--version",
    "--help",
];

/// Options before the command that take the next argument.
const VALUED_GLOBAL: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--config-env",
    "--exec-path",
    "--attr-source",
    "--super-prefix",
];

/// Commands that read in every form without the options of [`helper_option`].
const READS: &[&str] = &[
    "annotate",
    "blame",
    "cat-file",
    "check-attr",
    "check-ignore",
    "cherry",
    "count-objects",
    "describe",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "for-each-ref",
    "grep",
    "help",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "name-rev",
    "range-diff",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-branch",
    "show-ref",
    "status",
    "var",
    "version",
    "whatchanged",
];

pub(super) fn classify(name: &str, args: &[Arg]) -> Option<Effect> {
    (name == "git").then(|| judge(args))
}

fn judge(args: &[Arg]) -> Effect {
    let mut globals = Vec::new();
    let mut rest = args;
    let command = loop {
        let Some((first, after)) = rest.split_first() else {
            break None;
        };
        rest = after;
        match first.as_literal() {
            None => return Effect::because(Class::Unparseable, Code::DynamicOption),
            Some(option) if option.starts_with('-') => {
                if !PLAIN_GLOBAL.contains(&option) {
                    globals.push(option);
                }
                if VALUED_GLOBAL.contains(&option) {
                    rest = rest.get(1..).unwrap_or_default();
                }
            }
            Some(command) => break Some(command),
        }
    };
    let asks_help = args.first().is_some_and(|first| first.is("--help"));
    let mut effect = match command {
        Some(_) if asks_help => Effect::of(Class::Mutating),
        Some(command) => judge_command(command, rest),
        None => Effect::of(Class::ReadOnly),
    };
    for option in globals {
        effect.raise(
            Class::Unparseable,
            Reason::about(Code::GitGlobalOption, option),
        );
    }
    effect
}

fn judge_command(command: &str, args: &[Arg]) -> Effect {
    let line = parse(args, ("", &[]));
    if loses_work(command, &line, args) {
        return Effect::because(Class::Destructive, Code::Deletes);
    }
    if reaches_network(command, &line) {
        return Effect::because(Class::Network, Code::Network);
    }
    if !reads(command, &line, args) {
        return Effect::of(Class::Mutating);
    }
    let mut effect = Effect::of(Class::ReadOnly);
    effect.is_git_read = true;
    if line.may_hide_option {
        effect.raise(Class::Unparseable, Code::DynamicOption);
    }
    for option in &line.options {
        let Some((class, reason)) = helper_option(option) else {
            continue;
        };
        if class == Class::Mutating {
            let target = option.value().map(Given::to_arg);
            effect.add_all(Access::Edit, target.as_ref());
        }
        effect.raise(class, reason);
    }
    if args.iter().any(|arg| arg.text.contains("%G")) {
        effect.raise(Class::Unparseable, Code::GpgFormat);
    }
    for operand in &line.operands {
        effect.add(Access::Read, operand);
        // `HEAD:path` names a file of a commit.
        if let Some((_, path)) = operand.as_literal().and_then(|text| text.split_once(':')) {
            effect.add(Access::Read, &Arg::literal(path));
        }
    }
    effect
}

/// An option of a command that reads by which it writes or runs a program.
fn helper_option(option: &Opt<'_>) -> Option<(Class, Reason)> {
    let (name, value) = match option {
        Opt::Long(name, value) => (*name, value),
        Opt::Short('O', _) => {
            return Some((
                Class::Unparseable,
                Reason::about(Code::GitHelperOption, "-O"),
            ));
        }
        Opt::Short(..) => return None,
    };
    if name.starts_with("output")
        && !matches!(
            name,
            "output-indicator-new" | "output-indicator-old" | "output-indicator-context"
        )
    {
        return Some((Class::Mutating, Code::WriteRedirect.into()));
    }
    const RUNS: &[&str] = &[
        "ext-diff",
        "textconv",
        "filters",
        "show-signature",
        "open-files-in-pager",
        "upload-pack",
        "receive-pack",
        "exec",
        "no-index",
    ];
    // git takes abbreviations; shorter ones than these are ambiguous or harmless.
    let runs = RUNS
        .iter()
        .any(|full| *full == name || (name.len() >= 3 && full.starts_with(name)));
    let is_output = name.len() >= 3 && "output".starts_with(name) && value.is_some();
    match (runs, is_output) {
        (true, _) => Some((
            Class::Unparseable,
            Reason::about(Code::GitHelperOption, name),
        )),
        (false, true) => Some((Class::Mutating, Code::WriteRedirect.into())),
        (false, false) => None,
    }
}

fn reads(command: &str, line: &Line<'_>, args: &[Arg]) -> bool {
    let first = line.operands.first().and_then(|arg| arg.as_literal());
    match command {
        "branch" => lists_refs(line, args, BRANCH_PLAIN),
        "tag" => lists_refs(line, args, TAG_PLAIN),
        "remote" => match first {
            None => line.options.iter().all(|option| option.is_short("v")),
            Some("get-url") => true,
            Some("show") => line.has_short("n"),
            Some(_) => false,
        },
        "stash" => matches!(first, Some("list" | "show")),
        "config" => reads_config(line, first),
        "reflog" => matches!(first, None | Some("show")),
        "worktree" => first == Some("list"),
        "notes" => matches!(first, Some("list" | "show")),
        "submodule" => first == Some("status"),
        "symbolic-ref" => line.operands.len() == 1 && !line.has("d", &["delete"]),
        // A page of help is shown by a program that the repository can name.
        "help" => args.is_empty(),
        other => READS.contains(&other) && !line.options.iter().any(is_help),
    }
}

fn is_help(option: &Opt<'_>) -> bool {
    matches!(option, Opt::Long("help", _))
}

/// Options of `branch` and `tag` that make a name a pattern.
const REF_PATTERNS: &[&str] = &[
    "-l",
    "--list",
    "--contains",
    "--no-contains",
    "--merged",
    "--no-merged",
    "--points-at",
];

const BRANCH_PLAIN: &[&str] = &[
    "-a",
    "-r",
    "-v",
    "-vv",
    "-avv",
    "-av",
    "-rv",
    "-va",
    "--all",
    "--remotes",
    "--verbose",
    "--show-current",
    "--sort",
    "--format",
    "--column",
    "--no-column",
];

const TAG_PLAIN: &[&str] = &["--sort", "--format", "--column", "--no-column"];

/// `branch` and `tag` list when they have no name, or an option that makes a name a pattern.
fn lists_refs(line: &Line<'_>, args: &[Arg], plain: &[&str]) -> bool {
    let counts_lines = plain == TAG_PLAIN;
    let makes_pattern = |arg: &&Arg| {
        let text = arg.as_literal().unwrap_or_default();
        let name = text.split('=').next().unwrap_or_default();
        REF_PATTERNS.contains(&name) || (counts_lines && is_line_count(text))
    };
    let is_plain = |arg: &&Arg| {
        let text = arg.as_literal().unwrap_or_default();
        plain.contains(&text.split('=').next().unwrap_or_default())
    };
    let options = || args.iter().filter(|arg| arg.text.starts_with('-'));
    let all_known = options().all(|arg| makes_pattern(&arg) || is_plain(&arg));
    all_known && (line.operands.is_empty() || options().any(|arg| makes_pattern(&arg)))
}

fn is_line_count(text: &str) -> bool {
    text.strip_prefix("-n")
        .is_some_and(|count| count.chars().all(|c| c.is_ascii_digit()))
}

fn reads_config(line: &Line<'_>, first: Option<&str>) -> bool {
    const SCOPES: &[&str] = &[
        "global",
        "system",
        "local",
        "worktree",
        "null",
        "name-only",
        "show-origin",
        "show-scope",
        "includes",
        "type",
        "bool",
        "int",
        "path",
        "default",
        "all",
    ];
    let reads = |option: &Opt<'_>| {
        matches!(option, Opt::Long(name, _) if name.starts_with("get") || *name == "list")
            || option.is_short("l")
    };
    let is_plain = |option: &Opt<'_>| {
        reads(option)
            || option.is_short("z")
            || matches!(option, Opt::Long(name, _) if SCOPES.contains(name))
    };
    let has_reading_option = line.options.iter().any(reads);
    line.options.iter().all(is_plain)
        && (has_reading_option || matches!(first, Some("get" | "list")))
}

fn reaches_network(command: &str, line: &Line<'_>) -> bool {
    let first = line.operands.first().and_then(|arg| arg.as_literal());
    match command {
        "fetch" | "pull" | "push" | "clone" | "ls-remote" => true,
        "remote" => match first {
            Some("show") => !line.has_short("n"),
            Some("update" | "prune") => true,
            _ => false,
        },
        "submodule" => matches!(first, Some("update" | "add" | "sync")),
        _ => false,
    }
}

fn loses_work(command: &str, line: &Line<'_>, args: &[Arg]) -> bool {
    let first = line.operands.first().and_then(|arg| arg.as_literal());
    let has_operand = |wanted: &str| line.operands.iter().any(|arg| arg.is(wanted));
    let begins = |marks: &[char]| {
        let begins = |arg: &&Arg| arg.as_literal().is_some_and(|text| text.starts_with(marks));
        line.operands.iter().any(begins)
    };
    match command {
        "push" => {
            line.has(
                "fd",
                &["force", "mirror", "delete", "prune", "force-with-lease"],
            ) || line
                .options
                .iter()
                .any(|option| matches!(option, Opt::Long(name, _) if name.starts_with("force")))
                || begins(&['+', ':'])
        }
        "reset" => line.has("", &["hard", "merge", "keep"]),
        "clean" => !line.has("n", &["dry-run"]),
        "checkout" => {
            args.iter().any(|arg| arg.is("--"))
                || has_operand(".")
                || line.has("f", &["force", "ours", "theirs"])
        }
        "restore" => !line.has("S", &["staged"]) || line.has("W", &["worktree"]),
        "switch" => line.has("fC", &["force", "force-create", "discard-changes"]),
        "stash" => matches!(first, Some("drop" | "clear")),
        "branch" => line.has("dDfMC", &["force", "delete"]),
        "tag" => line.has("df", &["force", "delete"]),
        "reflog" => matches!(first, Some("expire" | "delete" | "drop")),
        "worktree" => first == Some("remove"),
        "filter-branch" | "filter-repo" => true,
        "gc" => line.has_long("prune"),
        "prune" => true,
        "update-ref" => line.has_short("d"),
        "rm" => line.has("rf", &["force"]),
        _ => false,
    }
}
