//! Options as GNU programs read them: anywhere before `--`, bundled, abbreviated.

use crate::arg::Arg;

/// The arguments of a program, sorted.
#[derive(Debug, Default)]
pub(crate) struct Line<'a> {
    pub(crate) options: Vec<Opt<'a>>,
    pub(crate) operands: Vec<&'a Arg>,
    /// An argument that is known only when the program runs may be an option.
    pub(crate) may_hide_option: bool,
}

/// An option with its value, where it takes one.
#[derive(Debug)]
pub(crate) enum Opt<'a> {
    /// `-c`
    Short(char, Option<Given<'a>>),
    /// `--name`, as written, perhaps abbreviated.
    Long(&'a str, Option<Given<'a>>),
}

/// The value of an option.
#[derive(Debug)]
pub(crate) enum Given<'a> {
    /// Joined to the option.
    Joined(&'a str),
    /// The argument behind it.
    Next(&'a Arg),
}

impl Given<'_> {
    pub(crate) fn to_arg(&self) -> Arg {
        match self {
            Self::Joined(text) => Arg::literal(*text),
            Self::Next(arg) => (*arg).clone(),
        }
    }
}

impl Opt<'_> {
    pub(crate) fn is_long(&self, full: &str) -> bool {
        matches!(self, Self::Long(name, _) if !name.is_empty() && full.starts_with(name))
    }

    pub(crate) fn is_short(&self, letters: &str) -> bool {
        matches!(self, Self::Short(letter, _) if letters.contains(*letter))
    }

    pub(crate) fn value(&self) -> Option<&Given<'_>> {
        match self {
            Self::Short(_, value) | Self::Long(_, value) => value.as_ref(),
        }
    }
}

impl Line<'_> {
    pub(crate) fn has_short(&self, letters: &str) -> bool {
        self.options.iter().any(|option| option.is_short(letters))
    }

    /// Some option may be meant as `--full`; abbreviations count.
    pub(crate) fn has_long(&self, full: &str) -> bool {
        self.options.iter().any(|option| option.is_long(full))
    }

    pub(crate) fn has(&self, letters: &str, longs: &[&str]) -> bool {
        self.has_short(letters) || longs.iter().any(|full| self.has_long(full))
    }
}

/// Sorts `args`. `valued` are the letters and the long names that take the next argument as their value.
pub(crate) fn parse<'a>(args: &'a [Arg], valued: (&str, &[&str])) -> Line<'a> {
    let (letters, longs) = valued;
    let mut line = Line::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let Some(text) = arg.as_literal() else {
            line.may_hide_option |= arg.may_be_option();
            line.operands.push(arg);
            continue;
        };
        if text == "--" {
            line.operands.extend(rest.by_ref());
        } else if let Some(long) = text.strip_prefix("--") {
            let option = match long.split_once('=') {
                Some((name, value)) => Opt::Long(name, Some(Given::Joined(value))),
                None => {
                    let takes = longs.iter().any(|full| full.starts_with(long));
                    let value = takes.then(|| rest.next()).flatten();
                    Opt::Long(long, value.map(Given::Next))
                }
            };
            line.options.push(option);
        } else if let Some(bundle) = text.strip_prefix('-').filter(|rest| !rest.is_empty()) {
            bundled(bundle, letters, &mut rest, &mut line.options);
        } else {
            line.operands.push(arg);
        }
    }
    line
}

fn bundled<'a>(
    bundle: &'a str,
    valued: &str,
    rest: &mut std::slice::Iter<'a, Arg>,
    options: &mut Vec<Opt<'a>>,
) {
    for (at, letter) in bundle.char_indices() {
        if !valued.contains(letter) {
            options.push(Opt::Short(letter, None));
            continue;
        }
        let joined = bundle.get(at + letter.len_utf8()..).unwrap_or_default();
        let value = match joined {
            "" => rest.next().map(Given::Next),
            joined => Some(Given::Joined(joined)),
        };
        options.push(Opt::Short(letter, value));
        return;
    }
}
