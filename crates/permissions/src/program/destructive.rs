//! What destroys: files for good, devices, processes, machines.

use super::options::Line;
use super::{Access, Class, Effect, parse};
use crate::arg::Arg;
use crate::reason::Code;

/// They destroy whatever their arguments are.
const ALWAYS: &[&str] = &[
    "shred",
    "srm",
    "wipefs",
    "fdisk",
    "gdisk",
    "sfdisk",
    "parted",
    "blkdiscard",
    "shutdown",
    "reboot",
    "halt",
    "poweroff",
    "dropdb",
    "pkill",
    "killall",
    "mkswap",
];

pub(super) fn contains(name: &str) -> bool {
    ALWAYS.contains(&name) || name.starts_with("mkfs")
}

/// What `name` destroys with `args`; `None` where it does not.
pub(super) fn classify(name: &str, args: &[Arg]) -> Option<Effect> {
    if contains(name) {
        let mut effect = Effect::because(Class::Destructive, Code::Deletes);
        effect.add_all(
            Access::Edit,
            args.iter().filter(|arg| !arg.text.starts_with('-')),
        );
        return Some(effect);
    }
    let line = parse(args, ("", &[]));
    let destroys = match name {
        "rm" => removes_for_good(&line),
        "dd" => return dd(args),
        "chmod" => widens(&line, args),
        "chown" | "chgrp" => is_recursive(&line) && line.operands.iter().any(|arg| is_wide(arg)),
        "kill" => args.iter().skip(1).any(|arg| arg.is("-1")),
        "crontab" => line.has_short("r"),
        "iptables" | "ip6tables" => args
            .iter()
            .any(|arg| arg.is_one_of(&["-F", "--flush", "-X"])),
        "nft" | "ufw" => line
            .operands
            .iter()
            .any(|arg| arg.is_one_of(&["flush", "reset", "disable"])),
        "mv" => line.operands.last().is_some_and(|arg| arg.is("/dev/null")),
        _ => false,
    };
    destroys.then(|| Effect::because(Class::Destructive, Code::Deletes))
}

fn removes_for_good(line: &Line<'_>) -> bool {
    let is_literal = |arg: &&Arg| arg.as_literal().is_some();
    line.has("rRf", &["recursive", "force"])
        || line.may_hide_option
        || !line.operands.iter().all(is_literal)
}

fn dd(args: &[Arg]) -> Option<Effect> {
    let targets = args
        .iter()
        .filter(|arg| arg.text.starts_with("of") || arg.as_literal().is_none());
    let is_device = |arg: &Arg| match arg.as_literal().and_then(|text| text.strip_prefix("of=")) {
        Some(target) => {
            target.starts_with("/dev/") && !matches!(target, "/dev/null" | "/dev/stdout")
        }
        None => true,
    };
    targets
        .into_iter()
        .any(is_device)
        .then(|| Effect::because(Class::Destructive, Code::RawDevice))
}

fn is_recursive(line: &Line<'_>) -> bool {
    line.has("R", &["recursive"])
}

/// A place of which everything hangs.
fn is_wide(arg: &Arg) -> bool {
    arg.is_one_of(&["/", ".", "..", "./", "../", "/*"])
        || arg.text.trim_end_matches('/') == "~"
        || matches!(arg.text.as_str(), "$HOME" | "\"$HOME\"" | "${HOME}" | "*")
}

fn widens(line: &Line<'_>, args: &[Arg]) -> bool {
    let opens = |arg: &Arg| {
        let Some(mode) = arg.as_literal() else {
            return false;
        };
        let is_octal = !mode.is_empty() && mode.chars().all(|c| c.is_digit(8));
        let octal_opens = is_octal
            && (mode.trim_start_matches('0') == "777"
                || (mode.len() == 4 && matches!(mode.chars().next(), Some('2' | '4'..='7'))));
        let symbolic = mode.split(',').any(|part| {
            let gives_all =
                (part.starts_with("a+") || part.starts_with("a=") || part.starts_with("o+"))
                    && part.contains('w');
            gives_all
                || (part.contains(['+', '=']) && part.ends_with('s') && !part.starts_with('-'))
        });
        octal_opens || symbolic
    };
    args.iter().any(opens) || (is_recursive(line) && line.operands.iter().any(|arg| is_wide(arg)))
}
