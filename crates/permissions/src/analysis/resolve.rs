//! What a word becomes, as far as that is known before the command runs.

use super::variables::Assigned;
use crate::arg::{Arg, Dynamic, Value};
use crate::glob::{Atom, Pattern};
use crate::place::Place;
use crate::shell::{Piece, Variable, Word};

/// More ways to read a word than this are the same as none known.
const MAX_READINGS: usize = 16;

/// What `word` becomes in `place`, where the command sets the variables `assigned`.
pub(super) fn resolve(word: &Word, place: &Place, assigned: &Assigned) -> Arg {
    let mut reading = Reading::new();
    for piece in &word.pieces {
        reading.add(piece, place, assigned);
    }
    Arg {
        text: word.text.clone(),
        value: reading.value(),
    }
}

struct Reading {
    patterns: Vec<Pattern>,
    /// In the notation of the shell.
    written: String,
    has_glob: bool,
    is_dynamic: bool,
    splits: bool,
    from_command: bool,
}

impl Reading {
    fn new() -> Self {
        Self {
            patterns: vec![Pattern::new()],
            written: String::new(),
            has_glob: false,
            is_dynamic: false,
            splits: false,
            from_command: false,
        }
    }

    fn add(&mut self, piece: &Piece, place: &Place, assigned: &Assigned) {
        match piece {
            Piece::Text(text) => self.text(text),
            Piece::Glob(glob) => self.glob(glob),
            Piece::Tilde => self.text(&place.home.to_string_lossy()),
            Piece::Variable(variable) => self.variable(variable, place, assigned),
            Piece::Substitution { quoted, .. } => self.unknown(!quoted, true),
            Piece::Process(_) => self.unknown(false, true),
            Piece::Unknown => self.unknown(true, true),
        }
    }

    fn text(&mut self, text: &str) {
        for pattern in &mut self.patterns {
            pattern.extend(text.chars().map(Atom::Char));
        }
        for character in text.chars() {
            if "*?[]\\".contains(character) {
                self.written.push('\\');
            }
            self.written.push(character);
        }
    }

    fn glob(&mut self, glob: &str) {
        self.has_glob = true;
        self.written.push_str(glob);
        for pattern in &mut self.patterns {
            let begins_name = matches!(pattern.last(), None | Some(Atom::Char('/')));
            match glob {
                "*" if begins_name => pattern.extend([Atom::NameStart, Atom::Star]),
                "*" => pattern.push(Atom::Star),
                _ => pattern.push(Atom::One),
            }
        }
    }

    fn unknown(&mut self, splits: bool, from_command: bool) {
        self.is_dynamic = true;
        self.splits |= splits;
        self.from_command |= from_command;
        for pattern in &mut self.patterns {
            if pattern.last() != Some(&Atom::Any) {
                pattern.push(Atom::Any);
            }
        }
    }

    fn variable(&mut self, variable: &Variable, place: &Place, assigned: &Assigned) {
        let from_command = variable.modifier.is_some();
        if let Some(values) = assigned.get(&variable.name) {
            match variable.modifier {
                None => self.one_of(&values, !variable.quoted),
                Some(_) => self.unknown(!variable.quoted, true),
            }
            return;
        }
        let known = place.variables.get(&variable.name);
        match (known, &variable.modifier) {
            (Some(value), None) if variable.quoted || is_one_word(value) => self.text(value),
            _ => self.unknown(!variable.quoted, from_command),
        }
    }

    fn one_of(&mut self, values: &[Pattern], splits: bool) {
        self.is_dynamic = true;
        self.from_command = true;
        self.splits |= splits;
        if self.patterns.len() * values.len() > MAX_READINGS {
            self.patterns = vec![vec![Atom::Any]];
            return;
        }
        let longer = self.patterns.iter().flat_map(|pattern| {
            let joined = values
                .iter()
                .map(|value| [pattern.as_slice(), value].concat());
            joined.collect::<Vec<_>>()
        });
        self.patterns = longer.collect();
    }

    fn value(mut self) -> Value {
        if self.is_dynamic {
            return Value::Dynamic(Dynamic {
                patterns: self.patterns,
                splits: self.splits || self.has_glob,
                from_command: self.from_command,
            });
        }
        let pattern = self.patterns.pop().unwrap_or_default();
        if self.has_glob {
            return Value::Glob {
                written: self.written,
                pattern,
            };
        }
        let text = crate::glob::as_literal(&pattern);
        Value::Literal(text.unwrap_or_default())
    }
}

/// Unquoted, it stays one word and means itself.
fn is_one_word(value: &str) -> bool {
    !value.is_empty() && !value.contains([' ', '\t', '\n', '*', '?', '[', '\\'])
}
