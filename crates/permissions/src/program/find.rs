//! `find`: reads, unless an action writes, deletes or runs something.

use super::{Access, Class, Effect};
use crate::arg::{Arg, Dynamic, Value};
use crate::glob::Atom;
use crate::reason::Code;

/// Tests that take one argument.
const ONE_ARGUMENT: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-regex",
    "-iregex",
    "-type",
    "-xtype",
    "-size",
    "-mtime",
    "-atime",
    "-ctime",
    "-mmin",
    "-amin",
    "-cmin",
    "-newer",
    "-anewer",
    "-cnewer",
    "-perm",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-links",
    "-inum",
    "-samefile",
    "-maxdepth",
    "-mindepth",
    "-fstype",
    "-lname",
    "-ilname",
    "-printf",
    "-regextype",
    "-used",
    "-context",
    "-D",
];

const WRITES_ONE: &[&str] = &["-fprint", "-fprint0", "-fls"];

const RUNS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

pub(super) fn classify(name: &str, args: &[Arg]) -> Option<Effect> {
    matches!(name, "find" | "gfind").then(|| judge(args))
}

fn judge(args: &[Arg]) -> Effect {
    let mut effect = Effect::of(Class::ReadOnly);
    let mut in_expression = false;
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let Some(text) = arg.as_literal() else {
            if in_expression || arg.may_be_option() {
                effect.raise(Class::Unparseable, Code::FindDynamic);
            } else {
                effect.add(Access::Read, arg);
            }
            continue;
        };
        let begins_expression = text.starts_with(['-', '(', '!', ')', ',']);
        let is_leading_option = matches!(text, "-H" | "-L" | "-P") || text.starts_with("-O");
        if !in_expression && is_leading_option {
            continue;
        }
        in_expression |= begins_expression && text != "-D";
        if !in_expression && text != "-D" {
            effect.add(Access::Read, arg);
            continue;
        }
        match text {
            "-delete" => effect.raise(Class::Destructive, Code::Deletes),
            "-files0-from" => effect.raise(Class::Unparseable, Code::FindDynamic),
            one if WRITES_ONE.contains(&one) => write(rest.next(), &mut effect),
            "-fprintf" => {
                write(rest.next(), &mut effect);
                skip_value(rest.next(), &mut effect);
            }
            run if RUNS.contains(&run) => {
                let rest_of_line = rest.as_slice();
                let length = command_length(rest_of_line);
                rest = rest_of_line.get(length..).unwrap_or_default().iter();
            }
            test if ONE_ARGUMENT.contains(&test) || test.starts_with("-newer") => {
                skip_value(rest.next(), &mut effect);
            }
            _ => {}
        }
    }
    effect
}

fn write(target: Option<&Arg>, effect: &mut Effect) {
    effect.class = effect.class.max(Class::Mutating);
    match target {
        Some(target) => effect.add(Access::Edit, target),
        None => effect.raise(Class::Unparseable, Code::FindDynamic),
    }
}

/// The value of a test may be anything, but not more than one word.
fn skip_value(value: Option<&Arg>, effect: &mut Effect) {
    let splits = |arg: &Arg| match &arg.value {
        Value::Literal(_) => false,
        Value::Glob { .. } => true,
        Value::Dynamic(dynamic) => dynamic.splits,
    };
    if value.is_some_and(splits) {
        effect.raise(Class::Unparseable, Code::FindDynamic);
    }
}

/// Up to and with the `;` or `{} +` that ends a command of find.
fn command_length(args: &[Arg]) -> usize {
    let ends = |at: usize| {
        let is_plus = args.get(at).is_some_and(|arg| arg.is("+"))
            && at > 0
            && args.get(at - 1).is_some_and(|arg| arg.is("{}"));
        is_plus || args.get(at).is_some_and(|arg| arg.is(";"))
    };
    let end = (0..args.len()).find(|at| ends(*at));
    end.map_or(args.len(), |at| at + 1)
}

/// The commands that `-exec` and its kin run, `{}` replaced by a name that is not known.
pub(crate) fn commands(args: &[Arg]) -> Vec<Vec<Arg>> {
    let mut commands = Vec::new();
    let mut rest = args;
    while let Some((first, after)) = rest.split_first() {
        if !first.is_one_of(RUNS) {
            rest = after;
            continue;
        }
        let length = command_length(after);
        let command = after.get(..length.saturating_sub(1)).unwrap_or_default();
        commands.push(command.iter().map(found_name).collect());
        rest = after.get(length..).unwrap_or_default();
    }
    commands
}

/// What find puts for `{}` begins like the folder it started in, never like an option.
fn found_name(arg: &Arg) -> Arg {
    if !arg.text.contains("{}") {
        return arg.clone();
    }
    let pattern = match arg.is("{}") {
        true => vec![Atom::Char('.'), Atom::Char('/'), Atom::Any],
        false => vec![Atom::Any],
    };
    Arg {
        text: arg.text.clone(),
        value: Value::Dynamic(Dynamic {
            patterns: vec![pattern],
            splits: false,
            from_command: false,
        }),
    }
}
