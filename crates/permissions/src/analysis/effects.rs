//! What the innermost program of a command does to the unit, and to what follows.

use super::Unit;
use super::folders::Folders;
use super::targets::{Operation, Source, Target, targets};
use super::walk::{Input, TextRun, Walker};
use crate::arg::Arg;
use crate::program::{self, Access, Class, Effect, declared_name, names};
use crate::reason::{Code, Reason};

/// The program whose turn it is.
pub(super) struct Call<'a> {
    pub(super) name: &'a str,
    pub(super) args: &'a [Arg],
    /// Its words hold commands that reach the network.
    pub(super) has_network: bool,
}

impl Walker<'_> {
    /// A program that reads code from its input runs whatever comes.
    pub(super) fn check_input(&self, call: &Call<'_>, unit: &mut Unit) {
        let Call { name, args, .. } = *call;
        let is_shell = names::is_shell(name);
        if !is_shell && !names::is_interpreter(name) {
            return;
        }
        let reads_code = match args.iter().find(|arg| !is_option(arg)) {
            None => !args.iter().any(|arg| gives_code(arg, is_shell)),
            Some(first) => first.is("-"),
        };
        let from_network = match self.input {
            Input::Pipe(first) => {
                unit.raise(Class::Unparseable, Code::PipeToInterpreter);
                let upstream = self.units.get(first..).unwrap_or_default();
                reads_code && upstream.iter().any(is_network)
            }
            Input::Text => {
                unit.raise(Class::Unparseable, Code::ScriptOnInput);
                false
            }
            Input::Inherited => false,
        };
        if from_network || call.has_network {
            unit.raise(Class::Destructive, Code::RemoteCode);
        }
    }

    /// A program that runs others, but here runs nothing that is known.
    pub(super) fn end(
        &mut self,
        call: &Call<'_>,
        (class, reason): (Class, Option<Reason>),
        unit: &mut Unit,
    ) {
        let Call { name, args, .. } = *call;
        unit.class = unit.class.max(class);
        unit.base = unit.base.max(class);
        unit.reasons.extend(reason);
        if call.has_network && matches!(name, "eval" | "source" | ".") {
            unit.raise(Class::Destructive, Code::RemoteCode);
        }
        if matches!(name, "source" | ".") {
            self.folders = Folders::Unknown;
        }
        if class == Class::ReadOnly {
            unit.is_free = true;
            return;
        }
        unit.may_run_arguments = true;
        for arg in args {
            self.operation(Access::Mention, arg, Source::Operand, unit);
        }
        self.suspect(args, unit);
    }

    pub(super) fn program(&mut self, call: &Call<'_>, unit: &mut Unit) {
        let Call { name, args, .. } = *call;
        let effect = program::classify(name, args);
        self.apply(&effect, unit);
        match name {
            "cd" | "pushd" | "popd" => self.change_folder(name, args),
            "export" | "declare" | "typeset" | "readonly" | "local" => self.export(name, args),
            "git" if effect.is_git_read && !self.is_inside(&unit.folders) => {
                unit.raise(Class::Mutating, Code::GitOutside);
                unit.base = unit.base.max(Class::Mutating);
            }
            "find" | "gfind" => self.found_commands(args, unit),
            _ => {}
        }
        if effect.is_unknown || effect.class == Class::Unparseable || matches!(name, "ssh" | "trap")
        {
            unit.may_run_arguments |= effect.is_unknown || effect.class == Class::Unparseable;
            self.suspect(args, unit);
        }
    }

    fn apply(&mut self, effect: &Effect, unit: &mut Unit) {
        unit.class = unit.class.max(effect.class);
        unit.base = unit.base.max(effect.class);
        unit.reasons.extend(effect.reasons.iter().cloned());
        unit.is_free = effect.is_free;
        unit.is_git_read = effect.is_git_read;
        for operand in &effect.operands {
            self.operation(operand.access, &operand.arg, Source::Operand, unit);
        }
    }

    fn is_inside(&self, folders: &Folders) -> bool {
        folders.all(|folder| self.place.contains(folder))
    }

    pub(super) fn operation(&self, access: Access, arg: &Arg, source: Source, unit: &mut Unit) {
        let targets = targets(access, arg, &unit.folders, self.disk);
        if !targets.is_empty() {
            unit.operations.push(Operation {
                access,
                targets,
                source,
            });
        } else if access == Access::Edit && arg.is_dynamic() {
            unit.operations.push(Operation {
                access,
                targets: vec![Target::Unknown],
                source,
            });
        }
    }

    /// The commands of `find -exec`.
    fn found_commands(&mut self, args: &[Arg], unit: &mut Unit) {
        for words in program::find_commands(args) {
            unit.is_opaque = true;
            let mut inner = self.unit(&unit.text);
            inner.is_opaque = true;
            let first = self.units.len();
            self.run(words, inner, false);
            let mut own = self.units.split_off(first);
            for found in &mut own {
                unit.class = unit.class.max(found.class);
                unit.base = unit.base.max(found.base);
                unit.reasons.append(&mut found.reasons);
                unit.forms.append(&mut found.forms);
                unit.suspicions.append(&mut found.suspicions);
                unit.operations.append(&mut found.operations);
                unit.may_run_arguments |= found.may_run_arguments;
                unit.is_privileged |= found.is_privileged;
                unit.environment = unit.environment.max(found.environment);
            }
        }
    }

    /// Arguments that read like commands, where the program may run them.
    fn suspect(&mut self, args: &[Arg], unit: &mut Unit) {
        if self.is_suspicion {
            return;
        }
        let texts = args.iter().filter_map(Arg::as_literal);
        let texts: Vec<&str> = texts
            .filter(|text| text.contains([' ', '\n', ';']))
            .collect();
        for text in texts.into_iter().take(8) {
            let mut walker = Walker {
                place: self.place,
                disk: self.disk,
                assigned: self.assigned.clone(),
                units: Vec::new(),
                reasons: Vec::new(),
                folders: unit.folders.clone(),
                input: Input::Inherited,
                outer: Default::default(),
                exports_unknown: false,
                text_depth: self.text_depth,
                budget: self.budget,
                is_suspicion: true,
            };
            let how = TextRun {
                in_same_shell: false,
                reasons: Vec::new(),
            };
            walker.text(text, unit, how);
            self.budget = walker.budget;
            for found in walker.units {
                unit.suspicions.extend(found.forms);
            }
        }
    }

    /// `cd` and its kin: where what follows runs.
    fn change_folder(&mut self, name: &str, args: &[Arg]) {
        let plain: Vec<&Arg> = args
            .iter()
            .filter(|arg| !arg.is_one_of(&["-L", "-P", "--"]))
            .collect();
        let next = match (name, plain.as_slice()) {
            ("cd", []) => Folders::only(&self.place.home),
            ("cd" | "pushd", [target]) => match target.as_literal() {
                Some(path) if is_plain_folder(path) => self.folders.joined(path),
                Some(_) | None => Folders::Unknown,
            },
            _ => Folders::Unknown,
        };
        self.folders = match self.place.exported.contains("CDPATH") {
            true => Folders::Unknown,
            false => next,
        };
        self.assigned.forget("PWD");
        self.assigned.forget("OLDPWD");
    }

    fn export(&mut self, name: &str, args: &[Arg]) {
        let exports = name == "export"
            || args.iter().any(|arg| {
                arg.as_literal()
                    .is_some_and(|text| text.starts_with('-') && text.contains('x'))
            });
        for arg in args {
            if let Some(variable) = declared_name(arg) {
                self.ambient(&variable, exports);
            }
        }
    }
}

pub(super) fn is_network(unit: &Unit) -> bool {
    let fetches = |operation: &Operation| operation.access == Access::Fetch;
    let opens = |reason: &Reason| {
        matches!(
            reason.code,
            Code::Network | Code::NetworkDevice | Code::RemoteCode
        )
    };
    unit.operations.iter().any(fetches) || unit.reasons.iter().any(opens)
}

fn is_option(arg: &Arg) -> bool {
    arg.text.starts_with('-') && arg.text != "-"
}

/// An option that holds or names the code, so that the input is only data.
fn gives_code(arg: &Arg, is_shell: bool) -> bool {
    match is_shell {
        true => false,
        false => arg.as_literal().is_some_and(|text| {
            ["-c", "-e", "-m", "-p", "-r", "-E"]
                .iter()
                .any(|option| text.starts_with(option))
        }),
    }
}

fn is_plain_folder(path: &str) -> bool {
    !path.starts_with(['-', '+']) && !path.is_empty()
}
