//! Programs that run the command behind their own options and change nothing about what it does.

use super::{Inner, Step, unparseable};
use crate::arg::Arg;
use crate::program::Class;
use crate::reason::Code;

/// How a program that runs another one reads its own options.
struct Options {
    flags: &'static str,
    valued: &'static str,
    long_valued: &'static [&'static str],
    long_flags: &'static [&'static str],
    /// Words before the command that are its own.
    operands: usize,
}

const NONE: Options = Options {
    flags: "",
    valued: "",
    long_valued: &[],
    long_flags: &[],
    operands: 0,
};

/// Their names, with how they read their options. `command` and `time` alone are looked at further.
const TRANSPARENT: &[(&str, Options)] = &[
    ("builtin", NONE),
    (
        "caffeinate",
        Options {
            flags: "dimsu",
            valued: "tw",
            ..NONE
        },
    ),
    (
        "chrt",
        Options {
            flags: "abdfior",
            long_flags: &["batch", "fifo", "idle", "other", "rr"],
            operands: 1,
            ..NONE
        },
    ),
    ("command", Options { flags: "p", ..NONE }),
    (
        "exec",
        Options {
            flags: "cl",
            valued: "a",
            ..NONE
        },
    ),
    (
        "ionice",
        Options {
            flags: "t",
            valued: "cn",
            long_valued: &["class", "classdata"],
            ..NONE
        },
    ),
    (
        "nice",
        Options {
            flags: "0123456789",
            valued: "n",
            long_valued: &["adjustment"],
            ..NONE
        },
    ),
    ("nohup", NONE),
    (
        "setsid",
        Options {
            flags: "cfw",
            long_flags: &["ctty", "fork", "wait"],
            ..NONE
        },
    ),
    (
        "stdbuf",
        Options {
            valued: "ioe",
            long_valued: &["input", "output", "error"],
            ..NONE
        },
    ),
    (
        "taskset",
        Options {
            flags: "ac",
            long_flags: &["all-tasks", "cpu-list"],
            operands: 1,
            ..NONE
        },
    ),
    (
        "time",
        Options {
            flags: "pqva",
            valued: "of",
            long_valued: &["output", "format"],
            long_flags: &["portability", "quiet", "verbose", "append"],
            operands: 0,
        },
    ),
    (
        "timeout",
        Options {
            flags: "v",
            valued: "sk",
            long_valued: &["signal", "kill-after"],
            long_flags: &["preserve-status", "foreground", "verbose"],
            operands: 1,
        },
    ),
    ("unbuffer", Options { flags: "p", ..NONE }),
];

pub(super) fn step(name: &str, args: &[Arg]) -> Step {
    let Some((_, options)) = TRANSPARENT.iter().find(|(own, _)| *own == name) else {
        return Step::Program;
    };
    if name == "command" && args.first().is_some_and(|arg| arg.is_one_of(&["-v", "-V"])) {
        return Step::Ends(Class::ReadOnly, None);
    }
    let Some(own) = own_words(args, options) else {
        return unparseable(Code::WrapperOption);
    };
    let mut words = args.get(own.length..).unwrap_or_default().to_vec();
    if name == "time" {
        // The keyword stands before a whole pipeline, which may be negated.
        let marks = words.iter().take_while(|word| word.text == "!").count();
        words.drain(..marks);
    }
    if words.is_empty() {
        let class = match name {
            "exec" | "nohup" => Class::Mutating,
            _ => Class::ReadOnly,
        };
        return Step::Ends(class, None);
    }
    Step::Runs(Inner {
        words,
        writes: own.output.filter(|_| name == "time"),
        ..Inner::default()
    })
}

struct Own {
    length: usize,
    /// The value of `-o` or `--output`.
    output: Option<Arg>,
}

/// How many of `args` are options and operands of the outer program itself; `None` with an option that is not known.
fn own_words(args: &[Arg], options: &Options) -> Option<Own> {
    let mut own = Own {
        length: 0,
        output: None,
    };
    while let Some(text) = args.get(own.length).and_then(Arg::as_literal) {
        let next = args.get(own.length + 1);
        if text == "--" {
            own.length += 1;
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            own.length += long_option(long, next, options, &mut own.output)?;
        } else if let Some(bundle) = text.strip_prefix('-').filter(|bundle| !bundle.is_empty()) {
            own.length += bundled(bundle, next, options, &mut own.output)?;
        } else {
            break;
        }
    }
    own.length += options.operands;
    Some(own)
}

fn long_option(
    long: &str,
    next: Option<&Arg>,
    options: &Options,
    output: &mut Option<Arg>,
) -> Option<usize> {
    let (name, joined) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (long, None),
    };
    if options.long_valued.contains(&name) {
        if name == "output" {
            *output = joined.map(Arg::literal).or_else(|| next.cloned());
        }
        return Some(if joined.is_some() { 1 } else { 2 });
    }
    let is_flag = options.long_flags.contains(&name) && joined.is_none();
    is_flag.then_some(1)
}

fn bundled(
    bundle: &str,
    next: Option<&Arg>,
    options: &Options,
    output: &mut Option<Arg>,
) -> Option<usize> {
    for (place, letter) in bundle.char_indices() {
        if options.flags.contains(letter) {
            continue;
        }
        if !options.valued.contains(letter) {
            return None;
        }
        let joined = bundle.get(place + letter.len_utf8()..).unwrap_or_default();
        let (value, length) = match joined {
            "" => (next.cloned(), 2),
            joined => (Some(Arg::literal(joined)), 1),
        };
        if letter == 'o' {
            *output = value;
        }
        return Some(length);
    }
    Some(1)
}
