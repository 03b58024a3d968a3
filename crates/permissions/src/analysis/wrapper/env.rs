//! `env`: variables, a folder, and a command.

use super::{Inner, Step, unparseable};
use crate::arg::Arg;
use crate::environment::{Risk, risk};
use crate::program::{Class, is_identifier};
use crate::reason::{Code, Reason};

pub(super) fn step(args: &[Arg]) -> Step {
    let mut inner = Inner::default();
    let mut at = 0;
    while let Some(text) = args.get(at).and_then(Arg::as_literal) {
        let value = args.get(at + 1);
        let is_split = (text.starts_with('-') && !text.starts_with("--") && text.contains('S'))
            || text.strip_prefix("--").is_some_and(|long| {
                let name = long.split('=').next().unwrap_or_default();
                !name.is_empty() && "split-string".starts_with(name)
            });
        if is_split {
            return unparseable(Code::EnvSplitString);
        }
        match text {
            "--" => {
                at += 1;
                break;
            }
            "-" | "-i" | "--ignore-environment" | "-0" | "--null" | "-v" | "--debug" | "-iv" => {
                at += 1
            }
            "-u" | "-N" | "--unset" => at += 2,
            "-C" | "--chdir" => {
                inner.folder = value.cloned();
                at += 2;
            }
            joined if joined.starts_with("-u") || joined.starts_with("--unset=") => at += 1,
            joined if joined.starts_with("--chdir=") => {
                inner.folder = joined.strip_prefix("--chdir=").map(Arg::literal);
                at += 1;
            }
            joined if joined.starts_with("-C") => {
                inner.folder = joined.strip_prefix("-C").map(Arg::literal);
                at += 1;
            }
            option if option.starts_with('-') => return unparseable(Code::WrapperOption),
            _ => break,
        }
    }
    let rest = args.get(at..).unwrap_or_default();
    let length = take_assignments(rest, &mut inner);
    inner.words = rest.get(length..).unwrap_or_default().to_vec();
    if inner.words.is_empty() {
        return match inner.reasons.is_empty() {
            true => Step::Ends(Class::ReadOnly, None),
            false => unparseable(Code::EnvironmentOfEnv),
        };
    }
    Step::Runs(inner)
}

/// `NAME=value` before a command.
pub(super) fn take_assignments(args: &[Arg], inner: &mut Inner) -> usize {
    let mut length = 0;
    for arg in args {
        let text = arg.as_literal();
        let name = text
            .and_then(|text| text.split_once('='))
            .map(|(name, _)| name);
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            break;
        };
        length += 1;
        let own = match is_identifier(name) {
            true => risk(name),
            false => Risk::Unknown,
        };
        if own == Risk::Dangerous {
            let reason = Reason::about(Code::EnvironmentOfEnv, name);
            inner.reasons.push((Class::Unparseable, reason));
        }
        inner.environment = inner.environment.max(Some(own));
    }
    length
}
