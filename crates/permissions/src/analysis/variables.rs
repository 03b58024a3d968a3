//! Which variables a command sets, and to what.

use super::resolve::resolve;
use crate::arg::{Arg, Value};
use crate::glob::{Atom, Pattern};
use crate::place::Place;
use crate::program::declared_name;
use crate::shell::{Command, Modifier, Piece, Script, Simple, Variable, Word};
use std::collections::BTreeMap;

/// More values than this are the same as any value.
const MAX_VALUES: usize = 16;

/// The variables that the command itself sets, with all the values they may get.
#[derive(Debug, Clone, Default)]
pub(super) struct Assigned {
    values: BTreeMap<String, Vec<Pattern>>,
    /// The command may set any name.
    any: bool,
    /// Parameters such as `$1` come from the command.
    pub(super) has_parameters: bool,
}

impl Assigned {
    /// What `name` may be, where the command sets it.
    pub(super) fn get(&self, name: &str) -> Option<Vec<Pattern>> {
        if let Some(patterns) = self.values.get(name) {
            return Some(patterns.clone());
        }
        let is_parameter = name.starts_with(|c: char| c.is_ascii_digit() || "@*".contains(c));
        let may_be_set = self.any || (is_parameter && self.has_parameters);
        may_be_set.then(|| vec![vec![Atom::Any]])
    }

    /// The value of `name` is not known any more.
    pub(super) fn forget(&mut self, name: &str) {
        self.add(name, vec![vec![Atom::Any]]);
    }

    /// Adds what `script` sets.
    pub(super) fn collect(&mut self, script: &Script, place: &Place) {
        script.each_simple(&mut |simple| self.simple(simple, place));
        self.loops(script, place);
    }

    fn command(&mut self, command: &Command, place: &Place) {
        match command {
            Command::Loop {
                variable, words, ..
            } => {
                if let Some(name) = variable {
                    let values: Vec<Pattern> = words
                        .iter()
                        .flat_map(|word| self.value(word, place))
                        .collect();
                    self.add(name, values);
                }
                self.words(words);
            }
            Command::Case { words, .. } => self.words(words),
            Command::Simple(_)
            | Command::Test(_)
            | Command::Group(_)
            | Command::Subshell(_)
            | Command::Branches(_)
            | Command::Scanned(_) => {}
        }
    }

    /// Loops below, whose variables no simple command shows.
    fn loops(&mut self, script: &Script, place: &Place) {
        script.each_script(&mut |inner| {
            for stage in inner.stages() {
                self.command(&stage.command, place);
                for redirect in &stage.redirects {
                    self.pieces(&redirect.target.pieces);
                }
            }
        });
    }

    fn simple(&mut self, simple: &Simple, place: &Place) {
        for assignment in &simple.assignments {
            let values = self.assigned_value(&assignment.value, place);
            let name = assignment.name.split('[').next().unwrap_or_default();
            self.add(name, values);
            self.pieces(&assignment.value.pieces);
        }
        self.words(&simple.words);
        let mut words = simple.words.iter();
        let names: Vec<String> = words.by_ref().filter_map(Word::literal).take(4).collect();
        for name in &names {
            match name.as_str() {
                "export" | "declare" | "typeset" | "readonly" | "local" => {
                    for word in &simple.words {
                        self.declared(word, place);
                    }
                }
                "read" | "mapfile" | "readarray" | "getopts" | "printf" | "wait" | "let" => {
                    for word in simple.words.iter().filter_map(Word::literal) {
                        self.add(&word, vec![vec![Atom::Any]]);
                    }
                }
                "eval" | "source" | "." => self.any = true,
                _ => {}
            }
        }
    }

    fn declared(&mut self, word: &Word, place: &Place) {
        let arg = resolve(word, place, self);
        if let Some(name) = declared_name(&arg)
            && word.text.contains('=')
        {
            let values = self.assigned_value(word, place);
            self.add(&name, values);
        }
    }

    fn words(&mut self, words: &[Word]) {
        for word in words {
            self.pieces(&word.pieces);
        }
    }

    /// `${name:=word}` sets the name.
    fn pieces(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            if let Piece::Variable(Variable {
                name,
                modifier: Some(Modifier { assigns, pieces }),
                ..
            }) = piece
            {
                if *assigns {
                    self.add(name, vec![vec![Atom::Any]]);
                }
                self.pieces(pieces);
            }
        }
    }

    /// What stands behind the `=` of an assignment.
    fn assigned_value(&self, word: &Word, place: &Place) -> Vec<Pattern> {
        let after_sign = |pattern: Pattern| {
            let sign = pattern.iter().position(|atom| *atom == Atom::Char('='));
            match sign.and_then(|at| pattern.get(at + 1..)) {
                Some(value) => value.to_vec(),
                None => vec![Atom::Any],
            }
        };
        let patterns = self.value(word, place);
        patterns.into_iter().map(after_sign).collect()
    }

    fn value(&self, word: &Word, place: &Place) -> Vec<Pattern> {
        let arg: Arg = resolve(word, place, self);
        match &arg.value {
            Value::Literal(_) | Value::Glob { .. } => arg.patterns(),
            Value::Dynamic(dynamic) => dynamic.patterns.clone(),
        }
    }

    fn add(&mut self, name: &str, values: Vec<Pattern>) {
        let known = self.values.entry(name.to_owned()).or_default();
        for value in values {
            if !known.contains(&value) {
                known.push(value);
            }
        }
        if known.len() > MAX_VALUES || known.is_empty() {
            *known = vec![vec![Atom::Any]];
        }
    }
}
