//! Walks the commands of a line in the order they run, and keeps where they run.

use super::folders::Folders;
use super::variables::Assigned;
use super::{Analysis, Unit};
use crate::arg::Arg;
use crate::environment::{Risk, risk};
use crate::place::{Disk, Place};
use crate::program::Class;
use crate::reason::{Code, Reason};
use crate::shell::{
    self, AndOr, Command, Connector, PARSE_BUDGET_BYTES, Parsed, Piece, Pipeline, Redirect, Script,
    Stage, Variable, Word,
};

/// Texts inside texts that are run as shell code; deeper ones are not understood.
const MAX_TEXT_DEPTH: usize = 4;

/// A line of more programs than this is not understood.
pub(super) const MAX_UNITS: usize = 2_000;

/// What a command reads from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// The terminal, or nothing.
    Inherited,
    /// The output of the units from this one on.
    Pipe(usize),
    /// A text or a file that the command itself names.
    Text,
}

/// What surrounds the commands of a text that a program runs.
#[derive(Debug, Clone, Default)]
pub(super) struct Outer {
    pub(super) forms: Vec<Vec<Arg>>,
    pub(super) environment: Option<Risk>,
    pub(super) reasons: Vec<(Class, Reason)>,
    pub(super) is_opaque: bool,
    pub(super) is_privileged: bool,
    pub(super) is_nested: bool,
}

pub(super) struct Walker<'a> {
    pub(super) place: &'a Place,
    pub(super) disk: &'a dyn Disk,
    pub(super) assigned: Assigned,
    pub(super) units: Vec<Unit>,
    pub(super) reasons: Vec<Reason>,
    pub(super) folders: Folders,
    pub(super) input: Input,
    pub(super) outer: Outer,
    /// A variable of unknown effect reaches every program.
    pub(super) exports_unknown: bool,
    pub(super) text_depth: usize,
    pub(super) budget: usize,
    /// Only what may run is wanted, so what cannot be understood is not looked at again.
    pub(super) is_suspicion: bool,
}

/// What `command` would do in `place`.
pub(super) fn walk(command: &str, place: &Place, disk: &dyn Disk) -> Analysis {
    let mut walker = Walker {
        place,
        disk,
        assigned: Assigned::default(),
        units: Vec::new(),
        reasons: Vec::new(),
        folders: Folders::only(&place.cwd),
        input: Input::Inherited,
        outer: Outer::default(),
        exports_unknown: false,
        text_depth: 0,
        budget: PARSE_BUDGET_BYTES,
        is_suspicion: false,
    };
    let parsed = walker.read(command);
    walker.script(&parsed.script);
    walker.finish()
}

impl Walker<'_> {
    pub(super) fn problem(&mut self, reason: impl Into<Reason>) {
        let reason = reason.into();
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    fn read(&mut self, text: &str) -> Parsed {
        let parsed = shell::read(text, &mut self.budget);
        for problem in &parsed.problems {
            self.problem(problem.clone());
        }
        self.assigned.collect(&parsed.script, self.place);
        parsed
    }

    fn finish(mut self) -> Analysis {
        if self.exports_unknown {
            for unit in &mut self.units {
                unit.environment = unit.environment.max(Risk::Unknown);
                unit.class = unit.class.max(Class::Mutating);
            }
        }
        let worst = self.units.iter().map(|unit| unit.class).max();
        let mut class = worst.unwrap_or(Class::ReadOnly);
        if !self.reasons.is_empty() {
            class = class.max(Class::Unparseable);
        }
        Analysis {
            class,
            units: self.units,
            reasons: self.reasons,
        }
    }

    pub(super) fn script(&mut self, script: &Script) {
        for list in &script.lists {
            let before = self.folders.clone();
            self.list(list);
            if list.background {
                self.folders = before;
            }
        }
    }

    /// In an `&&` chain what follows sees only where a change succeeded; everywhere else it may have failed.
    fn list(&mut self, list: &AndOr) {
        let mut seen = self.folders.clone();
        let mut had_or = false;
        for (connector, pipeline) in &list.pipelines {
            match connector {
                Connector::First | Connector::And => {}
                Connector::Or => had_or = true,
            }
            if had_or {
                self.folders = seen.clone();
            }
            self.pipeline(pipeline);
            if pipeline.negated {
                self.folders = self.folders.or(&seen);
            }
            seen = seen.or(&self.folders);
        }
        self.folders = seen;
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        if let [only] = pipeline.stages.as_slice() {
            self.stage(only);
            return;
        }
        let outer_input = self.input;
        let first_unit = self.units.len();
        for (at, stage) in pipeline.stages.iter().enumerate() {
            if at > 0 {
                self.input = Input::Pipe(first_unit);
            }
            let before = self.folders.clone();
            self.stage(stage);
            self.folders = before;
        }
        self.input = outer_input;
    }

    fn stage(&mut self, stage: &Stage) {
        if self.units.len() > MAX_UNITS {
            self.problem(Code::TooComplex);
            return;
        }
        match &stage.command {
            Command::Simple(simple) => self.simple(simple, &stage.redirects),
            Command::Test(test) => self.test(test, &stage.redirects),
            other => self.compound(other, &stage.redirects),
        }
    }

    fn compound(&mut self, command: &Command, redirects: &[Redirect]) {
        let first_unit = self.units.len();
        let outer_input = self.input;
        for redirect in redirects {
            self.nested_words(std::slice::from_ref(&redirect.target));
        }
        if let Some(input) = input_of(redirects) {
            self.input = input;
        }
        let before = self.folders.clone();
        match command {
            Command::Simple(_) | Command::Test(_) => {}
            Command::Group(script) => self.script(script),
            Command::Subshell(script) => {
                self.script(script);
                self.folders = before;
            }
            Command::Scanned(script) => self.script(script),
            Command::Branches(scripts) => {
                for script in scripts {
                    self.script(script);
                    self.folders = self.folders.or(&before);
                }
            }
            Command::Loop { words, scripts, .. } => {
                self.nested_words(words);
                if scripts.iter().any(changes_folder) {
                    self.folders = Folders::Unknown;
                }
                for script in scripts {
                    self.script(script);
                }
            }
            Command::Case { words, scripts } => {
                self.nested_words(words);
                for script in scripts {
                    self.folders = self.folders.or(&before);
                    self.script(script);
                }
                self.folders = self.folders.or(&before);
            }
        }
        self.input = outer_input;
        self.redirect_all(first_unit, redirects);
    }

    /// The commands inside words, which run before the command and give it a text.
    pub(super) fn nested_words(&mut self, words: &[Word]) {
        for word in words {
            for problem in &word.problems {
                self.problem(problem.clone());
            }
            self.nested_pieces(&word.pieces);
        }
    }

    pub(super) fn nested_pieces(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            match piece {
                Piece::Substitution { script, .. } | Piece::Process(script) => {
                    let before = self.folders.clone();
                    let was_nested = std::mem::replace(&mut self.outer.is_nested, true);
                    self.script(script);
                    self.outer.is_nested = was_nested;
                    self.folders = before;
                }
                Piece::Variable(Variable {
                    modifier: Some(modifier),
                    ..
                }) => self.nested_pieces(&modifier.pieces),
                Piece::Variable(_)
                | Piece::Text(_)
                | Piece::Glob(_)
                | Piece::Tilde
                | Piece::Unknown => {}
            }
        }
    }

    /// The commands of a text that `unit` runs. Whether there are any.
    pub(super) fn text(&mut self, text: &str, unit: &Unit, how: TextRun) -> bool {
        if self.text_depth >= MAX_TEXT_DEPTH {
            self.problem(Code::TooComplex);
            return true;
        }
        let refused = shell::refuse(text);
        if refused.iter().any(|reason| reason.code != Code::Empty) {
            refused.into_iter().for_each(|reason| self.problem(reason));
            return true;
        }
        let outer = Outer {
            forms: unit.forms.clone(),
            environment: Some(unit.environment),
            reasons: how.reasons,
            is_opaque: unit.is_opaque,
            is_privileged: unit.is_privileged,
            is_nested: unit.is_nested,
        };
        let outer = std::mem::replace(&mut self.outer, outer);
        let folders = std::mem::replace(&mut self.folders, unit.folders.clone());
        let had_parameters = self.assigned.has_parameters;
        self.assigned.has_parameters |= !how.in_same_shell;
        self.text_depth += 1;
        let first_unit = self.units.len();
        let parsed = self.read(text);
        self.script(&parsed.script);
        self.text_depth -= 1;
        self.assigned.has_parameters = had_parameters;
        if !how.in_same_shell {
            self.folders = folders;
        }
        self.outer = outer;
        self.units.len() > first_unit
    }

    /// A variable that is set for everything that follows.
    pub(super) fn ambient(&mut self, name: &str, is_exported: bool) {
        let own = risk(name);
        if own == Risk::Dangerous {
            self.problem(Reason::about(Code::AmbientEnvironment, name));
        }
        let reaches_programs = is_exported || self.place.exported.contains(name);
        if own == Risk::Unknown && reaches_programs {
            self.exports_unknown = true;
        }
    }
}

/// How a text is run.
pub(super) struct TextRun {
    pub(super) in_same_shell: bool,
    pub(super) reasons: Vec<(Class, Reason)>,
}

/// What the redirections make a command read.
pub(super) fn input_of(redirects: &[Redirect]) -> Option<Input> {
    use crate::shell::RedirectKind::{DuplicateInput, HereText, Read};
    let reads = |redirect: &&Redirect| matches!(redirect.kind, Read | HereText | DuplicateInput);
    redirects.iter().rev().find(reads).map(|_| Input::Text)
}

/// A command of `script` may change the folder for those after it.
fn changes_folder(script: &Script) -> bool {
    const MAY_CHANGE: &[&str] = &[
        "cd", "pushd", "popd", "eval", "source", ".", "command", "builtin",
    ];
    let mut changes = false;
    script.each_simple(&mut |simple| {
        let first = simple.words.first().map(Word::literal);
        changes |= match first {
            Some(Some(name)) => MAY_CHANGE.contains(&name.as_str()),
            Some(None) => true,
            None => false,
        };
    });
    changes
}
