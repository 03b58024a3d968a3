//! Builtins of the shell that change the shell itself.

use super::{Class, Effect};
use crate::arg::{Arg, Value};
use crate::glob::Atom;
use crate::reason::Code;

/// They change what later commands mean, or run code later.
const STATE: &[&str] = &[
    "alias",
    "bind",
    "complete",
    "compgen",
    "compopt",
    "dirs",
    "disown",
    "enable",
    "fc",
    "getopts",
    "hash",
    "history",
    "let",
    "logout",
    "mapfile",
    "readarray",
    "shopt",
    "suspend",
    "trap",
    "unalias",
    "bg",
    "fg",
    "caller",
    "help",
    "times",
    "umask",
];

const SET_LETTERS: &str = "euxfEB";

const SET_NAMES: &[&str] = &["pipefail", "errexit", "nounset", "xtrace", "noglob"];

pub(super) fn classify(name: &str, args: &[Arg]) -> Option<Effect> {
    let effect = match name {
        "hash" if args.is_empty() => Effect::of(Class::ReadOnly),
        state if STATE.contains(&state) => Effect::because(Class::Unparseable, Code::ShellState),
        "set" => judged(is_plain_set(args), Code::ShellState),
        "read" => judged(is_plain_read(args), Code::ReadName),
        "export" | "declare" | "typeset" | "readonly" | "local" => {
            judged(is_plain_declaration(args), Code::DeclareNonLiteral)
        }
        "unset" => judged(args.iter().all(is_unset_name), Code::UnsetNonLiteral),
        "ulimit" => match args {
            [only] if only.is("-a") => Effect::of(Class::ReadOnly),
            _ => Effect::of(Class::Mutating),
        },
        _ => return None,
    };
    Some(effect)
}

fn judged(is_plain: bool, code: Code) -> Effect {
    match is_plain {
        true => Effect::of(Class::ReadOnly),
        false => Effect::because(Class::Unparseable, code),
    }
}

fn is_plain_set(args: &[Arg]) -> bool {
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let Some(letters) = arg
            .as_literal()
            .and_then(|text| text.strip_prefix(['-', '+']))
        else {
            return false;
        };
        let (plain, names) = match letters.strip_suffix('o') {
            Some(plain) => (plain, 1),
            None => (letters, 0),
        };
        let is_known = plain.chars().all(|letter| SET_LETTERS.contains(letter));
        if !is_known || letters.is_empty() {
            return false;
        }
        if !rest
            .by_ref()
            .take(names)
            .all(|name| name.is_one_of(SET_NAMES))
        {
            return false;
        }
    }
    true
}

fn is_plain_read(args: &[Arg]) -> bool {
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let Some(text) = arg.as_literal() else {
            return false;
        };
        let Some(letters) = text.strip_prefix('-') else {
            if !is_identifier(text) {
                return false;
            }
            continue;
        };
        let (plain, last) = match letters.char_indices().next_back() {
            Some((at, last)) => letters
                .split_at_checked(at)
                .map_or(("", last), |(plain, _)| (plain, last)),
            None => return false,
        };
        if !plain.chars().all(|letter| "rs".contains(letter)) {
            return false;
        }
        let is_fine = match last {
            'r' | 's' => true,
            'p' | 'd' => rest.next().is_some(),
            'n' | 'N' | 't' | 'u' => rest.next().is_some_and(is_number),
            'a' => rest
                .next()
                .and_then(Arg::as_literal)
                .is_some_and(is_identifier),
            _ => false,
        };
        if !is_fine {
            return false;
        }
    }
    true
}

fn is_number(arg: &Arg) -> bool {
    arg.as_literal().is_some_and(|text| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == '.')
    })
}

/// Names, with or without a value; no attribute that makes the value arithmetic or a reference.
fn is_plain_declaration(args: &[Arg]) -> bool {
    args.iter().all(|arg| match arg.as_literal() {
        Some(text) if text.starts_with(['-', '+']) => text
            .chars()
            .skip(1)
            .all(|letter| "xrpgaAlut".contains(letter)),
        _ => declared_name(arg).is_some(),
    })
}

/// The name in `name` or `name=value`, where it is certain.
pub(crate) fn declared_name(arg: &Arg) -> Option<String> {
    let name: String = match &arg.value {
        Value::Literal(text) => text.split('=').next()?.to_owned(),
        Value::Glob { .. } => return None,
        Value::Dynamic(dynamic) => {
            let names = dynamic.patterns.iter().map(|pattern| {
                let before = pattern.iter().map_while(|atom| match atom {
                    Atom::Char('=') => None,
                    Atom::Char(character) => Some(*character),
                    _ => Some('\0'),
                });
                let name: String = before.collect();
                pattern.contains(&Atom::Char('=')).then_some(name)
            });
            let names: Vec<String> = names.collect::<Option<_>>()?;
            let first = names.first()?.clone();
            names.iter().all(|name| *name == first).then_some(first)?
        }
    };
    let name = name.strip_suffix('+').unwrap_or(&name);
    is_identifier(name).then(|| name.to_owned())
}

fn is_unset_name(arg: &Arg) -> bool {
    arg.as_literal()
        .is_some_and(|text| is_identifier(text) || matches!(text, "-v" | "-f" | "-n"))
}

pub(crate) fn is_identifier(text: &str) -> bool {
    let mut characters = text.chars();
    characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
