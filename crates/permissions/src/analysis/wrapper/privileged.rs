//! Programs that run a command with the rights of somebody else.

use super::env::take_assignments;
use super::{Inner, Step, Text, unparseable};
use crate::arg::Arg;
use crate::program::Class;
use crate::reason::Code;

pub(super) fn step(name: &str, args: &[Arg]) -> Step {
    let mut at = 0;
    while let Some(text) = args.get(at).and_then(Arg::as_literal) {
        if let Some(script) = script(name, text, args.get(at + 1)) {
            return run(script);
        }
        // `su` takes a user where others take the command.
        let is_option = text.starts_with('-') || name == "su";
        if text == "--" || !is_option {
            at += usize::from(text == "--");
            break;
        }
        at += if takes_next(name, text) { 2 } else { 1 };
    }
    let mut inner = Inner {
        is_privileged: true,
        ..Inner::default()
    };
    let rest = args.get(at..).unwrap_or_default();
    let length = take_assignments(rest, &mut inner);
    inner.words = rest.get(length..).unwrap_or_default().to_vec();
    inner
        .reasons
        .push((Class::Mutating, Code::Privileged.into()));
    match inner.words.is_empty() {
        true => Step::Ends(Class::Mutating, Some(Code::Privileged.into())),
        false => Step::Runs(inner),
    }
}

/// The text behind `-c`, where `text` is that option.
fn script<'a>(name: &str, text: &'a str, next: Option<&'a Arg>) -> Option<Option<&'a str>> {
    let takes_text = matches!(name, "su" | "runuser");
    match text {
        "-c" | "--command" if takes_text => Some(next.and_then(Arg::as_literal)),
        long if takes_text => long.strip_prefix("--command=").map(Some),
        _ => None,
    }
}

fn run(script: Option<&str>) -> Step {
    match script {
        Some(script) => Step::Text(Text {
            script: script.to_owned(),
            in_same_shell: false,
            reasons: vec![(Class::Mutating, Code::Privileged.into())],
            is_privileged: true,
        }),
        None => unparseable(Code::ShellTextDynamic),
    }
}

fn takes_next(name: &str, option: &str) -> bool {
    let valued = match name {
        "sudo" => "ugpCrtThDRU",
        "doas" => "uC",
        "runuser" | "su" => "ugGsw",
        _ => "",
    };
    match option.strip_prefix("--") {
        Some(long) => matches!(
            long,
            "user" | "group" | "host" | "prompt" | "chdir" | "chroot" | "shell"
        ),
        None => option.starts_with('-') && option.ends_with(|last| valued.contains(last)),
    }
}
