//! `sed`: whether a script only prints and edits its stream, writes files, or may do anything.

use super::options::{Given, Opt};
use super::{Access, Class, Effect, parse};
use crate::arg::Arg;
use crate::reason::Code;

const VALUED: (&str, &[&str]) = ("efl", &["expression", "file", "line-length"]);

pub(super) fn classify(name: &str, args: &[Arg]) -> Option<Effect> {
    matches!(name, "sed" | "gsed").then(|| judge(args))
}

fn judge(args: &[Arg]) -> Effect {
    let line = parse(args, VALUED);
    let mut effect = Effect::of(Class::ReadOnly);
    if line.may_hide_option {
        effect.raise(Class::Unparseable, Code::DynamicOption);
    }
    let mut scripts = Vec::new();
    let mut in_place = false;
    for option in &line.options {
        if option.is_short("i")
            || matches!(option, Opt::Long(name, _) if "in-place".starts_with(name))
        {
            in_place = true;
        } else if option.is_short("e") || option.is_long("expression") {
            scripts.extend(option.value().map(Given::to_arg));
        } else if option.is_short("f") || option.is_long("file") {
            effect.raise(Class::Unparseable, Code::SedScriptFile);
        } else if !is_plain_option(option) {
            effect.raise(Class::Unparseable, Code::SedScript);
        }
    }
    let mut operands = line.operands.as_slice();
    if scripts.is_empty()
        && let Some((first, rest)) = operands.split_first()
    {
        scripts.push((*first).clone());
        operands = rest;
    }
    for script in &scripts {
        read_script(script, &mut effect);
    }
    let access = match in_place {
        true => {
            effect.class = effect.class.max(Class::Mutating);
            Access::Edit
        }
        false => Access::Read,
    };
    effect.add_all(access, operands.iter().copied());
    if in_place && args.iter().any(keeps_copy_elsewhere) {
        effect.add(Access::Edit, &Arg::unknown("*", true));
    }
    effect
}

/// `-i` may carry a suffix for copies, and a suffix with a slash puts them into another folder.
fn keeps_copy_elsewhere(arg: &Arg) -> bool {
    arg.as_literal().is_some_and(|text| {
        text.starts_with('-') && (text.contains("i") && text.contains(['/', '*']))
    })
}

fn is_plain_option(option: &Opt<'_>) -> bool {
    match option {
        Opt::Short(letter, _) => "nErsuzl".contains(*letter),
        Opt::Long(name, _) => [
            "quiet",
            "silent",
            "regexp-extended",
            "separate",
            "unbuffered",
            "null-data",
            "line-length",
            "posix",
            "debug",
            "sandbox",
        ]
        .iter()
        .any(|full| full.starts_with(name)),
    }
}

fn read_script(script: &Arg, effect: &mut Effect) {
    let Some(text) = script.as_literal() else {
        effect.raise(Class::Unparseable, Code::DynamicOption);
        return;
    };
    match writes(text) {
        Some(files) => {
            for file in files {
                effect.class = effect.class.max(Class::Mutating);
                effect.add(Access::Edit, &Arg::literal(file));
            }
        }
        None => effect.raise(Class::Unparseable, Code::SedScript),
    }
}

/// The files that a script writes; `None` when it may do more than print and write.
fn writes(script: &str) -> Option<Vec<String>> {
    let mut scan = Scan {
        rest: script,
        files: Vec::new(),
    };
    while scan.command()? {}
    Some(scan.files)
}

struct Scan<'a> {
    rest: &'a str,
    files: Vec<String>,
}

impl Scan<'_> {
    /// One command; false at the end.
    fn command(&mut self) -> Option<bool> {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', ';']);
        if self.rest.is_empty() {
            return Some(false);
        }
        self.address()?;
        if self.eat(',') {
            self.blanks();
            if !self.eat('+') {
                self.eat('~');
            }
            self.address()?;
        }
        self.blanks();
        while self.eat('!') {
            self.blanks();
        }
        match self.take()? {
            'p' | 'P' | 'd' | 'D' | '=' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | 'F' => {}
            'q' | 'Q' | 'l' => {
                self.blanks();
                self.digits();
            }
            'w' | 'W' => return self.file(),
            's' => {
                let delimiter = self.delimiter()?;
                self.until(delimiter)?;
                self.until(delimiter)?;
                return self.flags();
            }
            'y' => {
                let delimiter = self.delimiter()?;
                self.until(delimiter)?;
                self.until(delimiter)?;
            }
            _ => return None,
        }
        self.end()
    }

    fn take(&mut self) -> Option<char> {
        let first = self.rest.chars().next()?;
        self.rest = self.rest.get(first.len_utf8()..)?;
        Some(first)
    }

    fn eat(&mut self, character: char) -> bool {
        match self.rest.strip_prefix(character) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    fn digits(&mut self) {
        self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
    }

    fn address(&mut self) -> Option<()> {
        match self.rest.chars().next()? {
            '$' => {
                self.take();
            }
            '0'..='9' => {
                self.digits();
                if self.eat('~') {
                    self.digits();
                }
            }
            '/' => {
                self.take();
                self.until('/')?;
                self.rest = self.rest.trim_start_matches(['I', 'M']);
            }
            '\\' => {
                self.take();
                let delimiter = self.delimiter()?;
                self.until(delimiter)?;
                self.rest = self.rest.trim_start_matches(['I', 'M']);
            }
            _ => return Some(()),
        }
        self.blanks();
        Some(())
    }

    fn delimiter(&mut self) -> Option<char> {
        self.take().filter(|c| !matches!(c, '\n' | '\\'))
    }

    fn until(&mut self, delimiter: char) -> Option<()> {
        loop {
            match self.take()? {
                '\\' => {
                    self.take()?;
                }
                end if end == delimiter => return Some(()),
                _ => {}
            }
        }
    }

    fn flags(&mut self) -> Option<bool> {
        loop {
            match self.rest.chars().next() {
                Some('g' | 'p' | 'i' | 'I' | 'M' | '0'..='9') => {
                    self.take();
                }
                Some('w') => {
                    self.take();
                    return self.file();
                }
                _ => return self.end(),
            }
        }
    }

    fn file(&mut self) -> Option<bool> {
        self.blanks();
        let (name, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        if !matches!(name, "/dev/stdout" | "/dev/stderr") {
            self.files.push(name.to_owned());
        }
        self.rest = rest;
        Some(true)
    }

    /// Behind a command stands the next one or nothing.
    fn end(&mut self) -> Option<bool> {
        self.blanks();
        let is_end = self.rest.is_empty() || self.rest.starts_with([';', '\n']);
        is_end.then_some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(script: &str, expected: Option<&[&str]>) {
        let found = writes(script);
        let found = found
            .as_ref()
            .map(|files| files.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(found.as_deref(), expected, "{script:?}");
    }

    #[test]
    fn scripts_that_print_and_edit_the_stream_write_nothing() {
        for script in [
            "1,20p",
            "/a/,/b/p",
            "s/a/b/g",
            "s|a/b|c|2p",
            "$!N;P;D",
            "2~3d",
            "/x/I!d",
            r"\,a,p",
            "y/abc/xyz/",
            "s/a\\/b/c/",
            "0,/x/d",
            "/a/,+3p",
            "q5",
            "p;p",
            "",
        ] {
            check(script, Some(&[]));
        }
    }

    #[test]
    fn files_that_are_written_are_named() {
        check("1w out", Some(&["out"]));
        check("s/a/b/gw out file\np", Some(&["out file"]));
        check("w /dev/stdout", Some(&[]));
    }

    #[test]
    fn what_reads_or_runs_is_not_understood() {
        for script in [
            "1e id",
            "e",
            "s/a/id/e",
            "s/a/b/pe",
            "r /etc/passwd",
            "R x",
            "a text",
            ":x;bx",
            "{p}",
            "s/a/b",
            "s/a/b/m;e",
            "p;e id",
            "1!e id",
            "/x/e",
            "y/a/b/e",
        ] {
            check(script, None);
        }
    }
}
