//! Shells: a text behind `-c`, a script, or whatever comes in.

use super::{Step, Text, unparseable};
use crate::arg::Arg;
use crate::program::Class;
use crate::reason::{Code, Reason};

/// Names that `-o` may turn on.
const SETTINGS: &[&str] = &["pipefail", "errexit", "nounset", "xtrace", "noglob"];

pub(super) fn step(name: &str, args: &[Arg]) -> Step {
    let own = match own_words(args) {
        Ok(own) => own,
        Err(code) => return unparseable(code),
    };
    let mut reasons = Vec::new();
    if !matches!(name, "bash" | "sh" | "dash" | "ash") {
        // Their grammar is another one.
        reasons.push((Class::Unparseable, Reason::about(Code::ShellOption, name)));
    }
    match args.get(own.length) {
        None => unparseable(Code::ScriptOnInput),
        Some(script) if own.takes_text => match script.as_literal() {
            Some(script) => Step::Text(Text {
                script: script.to_owned(),
                in_same_shell: false,
                reasons,
                is_privileged: false,
            }),
            None => unparseable(Code::ShellTextDynamic),
        },
        Some(_) if own.reads_input => unparseable(Code::ScriptOnInput),
        Some(file) => match file.as_literal() {
            Some("-") => unparseable(Code::ScriptOnInput),
            Some(_) => Step::Ends(Class::Mutating, Some(Code::ScriptFile.into())),
            None => unparseable(Code::ScriptFile),
        },
    }
}

#[derive(Default)]
struct Own {
    length: usize,
    takes_text: bool,
    reads_input: bool,
}

fn own_words(args: &[Arg]) -> Result<Own, Code> {
    let mut own = Own::default();
    while let Some(text) = args.get(own.length).and_then(Arg::as_literal) {
        if !text.starts_with(['-', '+']) || text.len() < 2 {
            break;
        }
        own.length += 1;
        match text {
            "--" => break,
            "--rcfile" | "--init-file" => return Err(Code::ShellStartupFile),
            "--norc" | "--noprofile" | "--posix" | "--login" | "--verbose" => {}
            long if long.starts_with("--") => return Err(Code::ShellOption),
            bundle => letters(bundle, args, &mut own)?,
        }
    }
    Ok(own)
}

fn letters(bundle: &str, args: &[Arg], own: &mut Own) -> Result<(), Code> {
    for letter in bundle.chars().skip(1) {
        match letter {
            'c' => own.takes_text = true,
            's' => own.reads_input = true,
            'e' | 'u' | 'x' | 'l' | 'f' | 'v' => {}
            'o' if args
                .get(own.length)
                .is_some_and(|name| name.is_one_of(SETTINGS)) =>
            {
                own.length += 1;
            }
            _ => return Err(Code::ShellOption),
        }
    }
    Ok(())
}
