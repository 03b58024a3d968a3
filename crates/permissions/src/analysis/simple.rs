//! A command of words: the programs it runs, one inside the other.

use super::Unit;
use super::effects::{Call, is_network};
use super::folders::Folders;
use super::resolve::resolve;
use super::targets::Source;
use super::walk::{TextRun, Walker, input_of};
use super::wrapper::{Inner, Step, Text, step};
use crate::arg::{Arg, Value};
use crate::environment::{Risk, risk};
use crate::program::{Access, Class};
use crate::reason::{Code, Reason};
use crate::shell::{Redirect, Simple, Word};

/// Programs that run programs, one inside the other; deeper ones are not understood.
const MAX_WRAPPERS: usize = 5;

/// Folders whose programs are the ones that a bare name means.
const SYSTEM_FOLDERS: &[&str] = &[
    "/bin",
    "/usr/bin",
    "/usr/local/bin",
    "/sbin",
    "/usr/sbin",
    "/opt/homebrew/bin",
];

/// Words that Bash reads as grammar where a command begins.
const RESERVED: &[&str] = &[
    "!", "{", "}", "[[", "]]", "if", "then", "elif", "else", "fi", "for", "while", "until", "do",
    "done", "case", "esac", "in", "function", "select", "coproc",
];

/// The name under which the tables and the rules that allow know a program.
#[must_use]
pub(crate) fn plain_name(word: &str) -> &str {
    match word.rsplit_once('/') {
        Some((folder, name)) if SYSTEM_FOLDERS.contains(&folder) => name,
        _ => word,
    }
}

impl Walker<'_> {
    pub(super) fn simple(&mut self, simple: &Simple, redirects: &[Redirect]) {
        let first_nested = self.units.len();
        let values = simple.assignments.iter().map(|one| &one.value);
        let targets = redirects.iter().map(|one| &one.target);
        let all: Vec<&Word> = values.chain(&simple.words).chain(targets).collect();
        for word in &all {
            self.nested_pieces(&word.pieces);
        }
        let mut unit = self.unit(&simple.text);
        for redirect in redirects {
            self.redirect(redirect, &mut unit);
        }
        let problems = all.iter().flat_map(|word| &word.problems).cloned();
        if simple.words.is_empty() {
            problems.for_each(|problem| self.problem(problem));
            self.bare(simple, redirects, unit);
            return;
        }
        problems.for_each(|problem| unit.raise(Class::Unparseable, problem));
        self.prefix(simple, &mut unit);
        let words = self.resolve_all(&simple.words);
        let is_reserved = |word: &Arg| RESERVED.contains(&word.text.as_str());
        if words.first().is_some_and(is_reserved) {
            unit.raise(Class::Unparseable, Code::ReservedWord);
            unit.may_run_arguments = true;
        }
        let outer_input = self.input;
        if let Some(input) = input_of(redirects) {
            self.input = input;
        }
        let nested = self.units.get(first_nested..).unwrap_or_default();
        let has_network = nested.iter().any(is_network);
        self.run(words, unit, has_network);
        self.input = outer_input;
    }

    /// Assignments and redirections without a program.
    fn bare(&mut self, simple: &Simple, redirects: &[Redirect], mut unit: Unit) {
        for assignment in &simple.assignments {
            self.ambient(&assignment.name, false);
        }
        if !unit.operations.is_empty() || unit.class > Class::ReadOnly {
            let files = redirects.iter().map(|one| one.target.text.as_str());
            unit.text = files.collect::<Vec<_>>().join(" ");
            unit.is_free = true;
            self.units.push(unit);
        }
    }

    pub(super) fn resolve_all(&self, words: &[Word]) -> Vec<Arg> {
        words
            .iter()
            .map(|word| resolve(word, self.place, &self.assigned))
            .collect()
    }

    /// A unit that knows only where it stands.
    pub(super) fn unit(&self, text: &str) -> Unit {
        let mut unit = Unit {
            text: text.to_owned(),
            class: Class::ReadOnly,
            base: Class::ReadOnly,
            reasons: Vec::new(),
            forms: self.outer.forms.clone(),
            suspicions: Vec::new(),
            may_run_arguments: false,
            operations: Vec::new(),
            folders: self.folders.clone(),
            environment: self.outer.environment.unwrap_or(Risk::Safe),
            is_free: false,
            is_git_read: false,
            is_opaque: self.outer.is_opaque,
            is_privileged: self.outer.is_privileged,
            is_nested: self.outer.is_nested,
        };
        for (class, reason) in &self.outer.reasons {
            unit.raise(*class, reason.clone());
        }
        if unit.environment == Risk::Unknown {
            unit.class = unit.class.max(Class::Mutating);
        }
        unit
    }

    /// Variables that are set for this command alone.
    fn prefix(&mut self, simple: &Simple, unit: &mut Unit) {
        for assignment in &simple.assignments {
            let own = risk(&assignment.name);
            let value = resolve(&assignment.value, self.place, &self.assigned);
            match own {
                Risk::Dangerous => {
                    let reason = Reason::about(Code::DangerousEnvironment, &assignment.name);
                    unit.raise(Class::Unparseable, reason);
                }
                Risk::Safe if value.as_literal().is_some() => {}
                Risk::Safe | Risk::Unknown => {
                    let reason = Reason::about(Code::UnknownEnvironment, &assignment.name);
                    unit.raise(Class::Mutating, reason);
                    unit.environment = unit.environment.max(Risk::Unknown);
                }
            }
            unit.environment = unit.environment.max(own);
        }
    }

    /// Follows the programs from the outermost to the innermost, and keeps the unit.
    pub(super) fn run(&mut self, mut words: Vec<Arg>, mut unit: Unit, has_network: bool) {
        for _ in 0..=MAX_WRAPPERS {
            unit.forms.push(words.clone());
            let Some((first, args)) = words.split_first() else {
                break;
            };
            let Some(word) = self.command_word(first, &mut unit) else {
                unit.may_run_arguments = true;
                self.keep(unit);
                return;
            };
            let call = Call {
                name: plain_name(&word),
                args,
                has_network,
            };
            self.check_input(&call, &mut unit);
            match step(call.name, args) {
                Step::Runs(inner) => words = self.enter(inner, &mut unit),
                Step::Text(text) => {
                    self.run_text(text, unit);
                    return;
                }
                Step::Ends(class, reason) => {
                    self.end(&call, (class, reason), &mut unit);
                    self.keep(unit);
                    return;
                }
                Step::Program => {
                    self.program(&call, &mut unit);
                    self.keep(unit);
                    return;
                }
            }
        }
        unit.raise(Class::Unparseable, Code::TooComplex);
        unit.may_run_arguments = true;
        self.keep(unit);
    }

    /// The commands of the text take the place of the program that runs them.
    fn run_text(&mut self, text: Text, mut unit: Unit) {
        for (class, reason) in text.reasons {
            unit.raise(class, reason);
        }
        unit.is_privileged |= text.is_privileged;
        let how = TextRun {
            in_same_shell: text.in_same_shell,
            reasons: unit.problems(),
        };
        let has_units = self.text(&text.script, &unit, how);
        if !has_units || !unit.operations.is_empty() {
            self.keep(unit);
        }
    }

    /// The name of the program, where it is one.
    fn command_word(&self, word: &Arg, unit: &mut Unit) -> Option<String> {
        let Value::Literal(text) = &word.value else {
            unit.raise(Class::Unparseable, Code::DynamicCommand);
            return None;
        };
        if !text.is_ascii() {
            unit.raise(Class::Unparseable, Code::NonAsciiCommand);
        }
        Some(text.clone())
    }

    fn enter(&mut self, inner: Inner, unit: &mut Unit) -> Vec<Arg> {
        for (class, reason) in inner.reasons {
            unit.raise(class, reason);
        }
        unit.is_privileged |= inner.is_privileged;
        unit.is_opaque |= inner.is_opaque;
        unit.may_run_arguments |= inner.is_privileged;
        match inner.environment {
            Some(Risk::Unknown) => {
                unit.raise(Class::Mutating, Code::UnknownEnvironment);
                unit.environment = unit.environment.max(Risk::Unknown);
            }
            Some(Risk::Dangerous) => unit.environment = Risk::Dangerous,
            Some(Risk::Safe) | None => {}
        }
        if let Some(file) = inner.writes {
            unit.class = unit.class.max(Class::Mutating);
            self.operation(Access::Edit, &file, Source::Operand, unit);
        }
        if let Some(folder) = inner.folder {
            unit.folders = match folder.as_literal() {
                Some(path) => unit.folders.joined(path),
                None => Folders::Unknown,
            };
        }
        inner.words
    }

    pub(super) fn keep(&mut self, unit: Unit) {
        self.units.push(unit);
    }
}

impl Unit {
    /// At least `class`, for this reason.
    pub(super) fn raise(&mut self, class: Class, reason: impl Into<Reason>) {
        self.class = self.class.max(class);
        let reason = reason.into();
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    /// What is the matter with it, for the commands of a text that it runs.
    fn problems(&self) -> Vec<(Class, Reason)> {
        let class = self.class;
        let own = self.reasons.iter().cloned();
        own.map(|reason| (class, reason)).collect()
    }
}
