//! `awk`: a language with files and commands in it. Only programs without either are known to read.

use super::{Class, Effect};
use crate::arg::Arg;
use crate::reason::Code;

const NAMES: &[&str] = &["awk", "gawk", "mawk", "nawk", "original-awk"];

/// Words and signs by which awk writes, runs, or reads elsewhere.
const UNSAFE: &[&str] = &["system", "getline", "close", "fflush", "@", ">"];

pub(super) fn classify(name: &str, args: &[Arg]) -> Option<Effect> {
    NAMES.contains(&name).then(|| judge(args))
}

fn judge(args: &[Arg]) -> Effect {
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let Some(text) = arg.as_literal() else {
            return Effect::because(Class::Unparseable, Code::AwkDynamic);
        };
        match text {
            "-F" | "-v" => {
                if rest.next().is_none_or(|value| value.as_literal().is_none()) {
                    return Effect::because(Class::Unparseable, Code::AwkDynamic);
                }
            }
            "--" => {}
            joined if joined.starts_with("-F") || joined.starts_with("-v") => {}
            option if option.starts_with('-') && option.len() > 1 => {
                return Effect::because(Class::Unparseable, Code::AwkOption);
            }
            program => {
                return match is_plain(program) {
                    true => Effect::of(Class::ReadOnly),
                    false => Effect::because(Class::Unparseable, Code::AwkSideEffect),
                };
            }
        }
    }
    Effect::because(Class::Unparseable, Code::AwkOption)
}

fn is_plain(program: &str) -> bool {
    let without_or = program.replace("||", "");
    !without_or.contains('|') && !UNSAFE.iter().any(|word| program.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(args: &[&str], class: Class) {
        let args: Vec<Arg> = args.iter().copied().map(Arg::literal).collect();
        assert_eq!(judge(&args).class, class, "{args:?}");
    }

    #[test]
    fn programs_without_files_and_commands_read() {
        check(&["-F:", "NR==1||NR==3{print $2}", "f"], Class::ReadOnly);
        check(&["-v", "x=1", "{print x}"], Class::ReadOnly);
        check(&["BEGIN{print|\"sh\"}"], Class::Unparseable);
        check(&["BEGIN{print>\"f\"}"], Class::Unparseable);
        check(&["@load \"x\""], Class::Unparseable);
        check(&["-f", "p.awk"], Class::Unparseable);
        check(&["-i", "inplace", "{print}"], Class::Unparseable);
        check(&[], Class::Unparseable);
    }
}
