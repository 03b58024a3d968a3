//! Programs that only read, whatever their arguments are.

use super::{Class, Effect};
use crate::arg::Arg;
use crate::reason::Code;

/// Sorted.
const FREE: &[&str] = &[
    ":",
    "arch",
    "b2sum",
    "basename",
    "break",
    "cal",
    "cat",
    "cksum",
    "cmp",
    "column",
    "comm",
    "continue",
    "cut",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "exit",
    "expand",
    "expr",
    "false",
    "fgrep",
    "fmt",
    "fold",
    "free",
    "getconf",
    "getent",
    "grep",
    "groups",
    "head",
    "hexdump",
    "id",
    "join",
    "jq",
    "locale",
    "ls",
    "lsblk",
    "lscpu",
    "md5sum",
    "nl",
    "nproc",
    "numfmt",
    "od",
    "paste",
    "pgrep",
    "printenv",
    "ps",
    "pwd",
    "readlink",
    "realpath",
    "return",
    "rev",
    "seq",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "shift",
    "sleep",
    "stat",
    "strings",
    "sum",
    "tac",
    "tail",
    "tr",
    "true",
    "tsort",
    "tty",
    "type",
    "uname",
    "unexpand",
    "uptime",
    "vmstat",
    "wait",
    "wc",
    "whereis",
    "which",
    "whoami",
    "zcat",
    "zgrep",
];

pub(super) fn contains(name: &str) -> bool {
    FREE.binary_search(&name).is_ok() || matches!(name, "jobs" | "cd" | "pushd" | "popd")
}

pub(super) fn classify(name: &str, args: &[Arg]) -> Option<Effect> {
    if !contains(name) {
        return None;
    }
    let mut effect = Effect::of(Class::ReadOnly);
    effect.is_free = true;
    // `jobs -x` runs its arguments, `wait -p` assigns to a name that may hold a subscript.
    let letter = match name {
        "jobs" => 'x',
        "wait" => 'p',
        _ => return Some(effect),
    };
    let may_have = |arg: &Arg| match arg.as_literal() {
        Some(text) => text.starts_with('-') && text.contains(letter),
        None => true,
    };
    if args.iter().any(may_have) {
        effect.is_free = false;
        effect.raise(Class::Unparseable, Code::ShellState);
    }
    Some(effect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(FREE.is_sorted());
    }
}
