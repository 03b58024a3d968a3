//! `xargs`: a command with arguments that nobody has seen.

use super::{Inner, Step, unparseable};
use crate::arg::Arg;
use crate::program::Class;
use crate::reason::Code;

pub(super) fn step(args: &[Arg]) -> Step {
    let Some(own) = own_words(args) else {
        return unparseable(Code::WrapperOption);
    };
    let mut words = args.get(own.length..).unwrap_or_default().to_vec();
    if words.is_empty() {
        return Step::Ends(Class::ReadOnly, None);
    }
    match own.placeholder {
        Some(mark) => {
            for word in &mut words {
                if mark.is_empty() || word.text.contains(&mark) {
                    *word = Arg::unknown(&word.text, false);
                }
            }
        }
        None => words.push(Arg::unknown("…", false)),
    }
    Step::Runs(Inner {
        words,
        is_opaque: true,
        ..Inner::default()
    })
}

#[derive(Default)]
struct Own {
    length: usize,
    /// What stands for an argument in the words of the command.
    placeholder: Option<String>,
}

/// The options of xargs itself; `None` with one that is not known.
fn own_words(args: &[Arg]) -> Option<Own> {
    let mut own = Own::default();
    while let Some(text) = args.get(own.length).and_then(Arg::as_literal) {
        if !text.starts_with('-') || text == "-" {
            break;
        }
        own.length += 1;
        if text == "--" {
            break;
        }
        match text.strip_prefix("--") {
            Some(long) => long_option(long, &mut own)?,
            None => bundled(text.get(1..)?, args, &mut own)?,
        }
    }
    Some(own)
}

fn long_option(long: &str, own: &mut Own) -> Option<()> {
    let (name, value) = long.split_once('=').unwrap_or((long, ""));
    match name {
        "null" | "no-run-if-empty" | "verbose" | "exit" | "open-tty" | "max-lines" | "eof" => {}
        "max-args" | "max-procs" | "delimiter" | "arg-file" | "max-chars" => {
            own.length += usize::from(value.is_empty());
        }
        "replace" => own.placeholder = Some(or_braces(value)),
        _ => return None,
    }
    Some(())
}

fn bundled(bundle: &str, args: &[Arg], own: &mut Own) -> Option<()> {
    for (place, letter) in bundle.char_indices() {
        let joined = bundle.get(place + letter.len_utf8()..).unwrap_or_default();
        match letter {
            '0' | 'r' | 't' | 'x' | 'o' => continue,
            'n' | 'P' | 'L' | 'd' | 'a' | 'E' | 's' => own.length += usize::from(joined.is_empty()),
            'I' => {
                let value = match joined {
                    "" => args.get(own.length).and_then(Arg::as_literal),
                    joined => Some(joined),
                };
                own.placeholder = Some(value.unwrap_or_default().to_owned());
                own.length += usize::from(joined.is_empty());
            }
            'i' => own.placeholder = Some(or_braces(joined)),
            'l' | 'e' => {}
            _ => return None,
        }
        break;
    }
    Some(())
}

fn or_braces(mark: &str) -> String {
    match mark {
        "" => "{}".to_owned(),
        mark => mark.to_owned(),
    }
}
