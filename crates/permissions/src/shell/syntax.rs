//! What a command line is made of. A tree of our own, since the grammar's nests what belongs side by side.

use crate::reason::Reason;

/// A text that was read.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    /// What it holds; as much as could be found where there are problems.
    pub(crate) script: Script,
    /// Why what was found may not be what Bash runs.
    pub(crate) problems: Vec<Reason>,
}

/// Commands one after the other.
#[derive(Debug, Default, Clone)]
pub(crate) struct Script {
    pub(crate) lists: Vec<AndOr>,
}

/// Pipelines that depend on each other's success.
#[derive(Debug, Default, Clone)]
pub(crate) struct AndOr {
    pub(crate) pipelines: Vec<(Connector, Pipeline)>,
    /// Runs beside what follows, in a shell of its own.
    pub(crate) background: bool,
}

/// What joins a pipeline to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Connector {
    First,
    And,
    Or,
}

/// Commands joined by their output.
#[derive(Debug, Default, Clone)]
pub(crate) struct Pipeline {
    pub(crate) negated: bool,
    pub(crate) stages: Vec<Stage>,
}

/// A command with what its files are.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    pub(crate) command: Command,
    pub(crate) redirects: Vec<Redirect>,
}

#[derive(Debug, Clone)]
pub(crate) enum Command {
    Simple(Simple),
    /// `[[ … ]]`, as its words and operators.
    Test(Simple),
    /// `{ … }`
    Group(Script),
    /// `( … )`
    Subshell(Script),
    /// `if`: conditions and branches in the order they stand.
    Branches(Vec<Script>),
    /// `for`, `while`, `until`: condition and body.
    Loop {
        variable: Option<String>,
        words: Vec<Word>,
        scripts: Vec<Script>,
    },
    /// `case`
    Case {
        words: Vec<Word>,
        scripts: Vec<Script>,
    },
    /// Something that is only scanned: a function, arithmetic, what could not be read.
    Scanned(Script),
}

/// A command of words.
#[derive(Debug, Default, Clone)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) words: Vec<Word>,
    /// How it is written, without its redirections.
    pub(crate) text: String,
}

/// `name=value`
#[derive(Debug, Clone)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) value: Word,
}

#[derive(Debug, Clone)]
pub(crate) struct Redirect {
    pub(crate) kind: RedirectKind,
    /// The file, the descriptor, or the text itself.
    pub(crate) target: Word,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RedirectKind {
    Read,
    Write,
    /// `<& word`
    DuplicateInput,
    /// `>& word`
    DuplicateOutput,
    Close,
    HereText,
}

/// A word as it is written, and what it is made of.
#[derive(Debug, Default, Clone)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) problems: Vec<Reason>,
}

#[derive(Debug, Clone)]
pub(crate) enum Piece {
    /// Characters that stand for themselves.
    Text(String),
    /// An unquoted `*`, `?` or `[…]`, as written.
    Glob(String),
    /// A `~` that Bash replaces by the home folder.
    Tilde,
    Variable(Variable),
    /// `$( … )` or backquotes.
    Substitution {
        script: Script,
        quoted: bool,
    },
    /// `<( … )` or `>( … )`: the name of a pipe.
    Process(Script),
    /// Known only when it runs, without any command inside.
    Unknown,
}

/// `$name` or `${name…}`.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) quoted: bool,
    /// What stands after the name, such as `:-` and its word. A plain variable has none.
    pub(crate) modifier: Option<Modifier>,
}

#[derive(Debug, Clone)]
pub(crate) struct Modifier {
    /// `:=` or `=`: the variable may get a value.
    pub(crate) assigns: bool,
    /// Parts of the modifier that are themselves expanded.
    pub(crate) pieces: Vec<Piece>,
}

impl Word {
    /// The text where nothing in the word depends on anything.
    pub(crate) fn literal(&self) -> Option<String> {
        let mut text = String::new();
        for piece in &self.pieces {
            let Piece::Text(part) = piece else {
                return None;
            };
            text.push_str(part);
        }
        Some(text)
    }

    /// What the word stands for, written so that two readings can be compared.
    pub(crate) fn shape(&self) -> String {
        let mut shape = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => shape.push_str(text),
                Piece::Glob(glob) => shape.extend(["\u{1}", glob]),
                Piece::Tilde => shape.push('\u{2}'),
                Piece::Variable(variable) => shape.extend(["\u{3}", &variable.name]),
                Piece::Substitution { .. } => shape.push('\u{4}'),
                Piece::Process(_) => shape.push('\u{5}'),
                Piece::Unknown => shape.push('\u{6}'),
            }
        }
        shape
    }

    pub(crate) fn of_text(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            text: text.clone(),
            pieces: vec![Piece::Text(text)],
            problems: Vec::new(),
        }
    }
}

impl Script {
    pub(crate) fn of(stage: Stage) -> Self {
        let pipeline = Pipeline {
            negated: false,
            stages: vec![stage],
        };
        let list = AndOr {
            pipelines: vec![(Connector::First, pipeline)],
            background: false,
        };
        Self { lists: vec![list] }
    }

    /// Both scripts, one after the other.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.lists.append(&mut other.lists);
    }

    /// The commands of the script, in the order they stand.
    pub(crate) fn stages(&self) -> impl Iterator<Item = &Stage> {
        let pipelines = self.lists.iter().flat_map(|list| &list.pipelines);
        pipelines.flat_map(|(_, pipeline)| &pipeline.stages)
    }

    /// Every command of words, at any depth.
    pub(crate) fn each_simple(&self, visit: &mut impl FnMut(&Simple)) {
        self.each_script(&mut |script| {
            for stage in script.stages() {
                if let Command::Simple(simple) | Command::Test(simple) = &stage.command {
                    visit(simple);
                }
            }
        });
    }

    /// This script and every one inside it.
    pub(crate) fn each_script(&self, visit: &mut impl FnMut(&Script)) {
        visit(self);
        for stage in self.stages() {
            for redirect in &stage.redirects {
                each_in_pieces(&redirect.target.pieces, visit);
            }
            match &stage.command {
                Command::Simple(simple) | Command::Test(simple) => {
                    let values = simple.assignments.iter().map(|one| &one.value);
                    for word in values.chain(&simple.words) {
                        each_in_pieces(&word.pieces, visit);
                    }
                }
                Command::Group(script) | Command::Subshell(script) | Command::Scanned(script) => {
                    script.each_script(visit);
                }
                Command::Branches(scripts) => {
                    scripts.iter().for_each(|script| script.each_script(visit));
                }
                Command::Loop { words, scripts, .. } | Command::Case { words, scripts } => {
                    words
                        .iter()
                        .for_each(|word| each_in_pieces(&word.pieces, visit));
                    scripts.iter().for_each(|script| script.each_script(visit));
                }
            }
        }
    }
}

fn each_in_pieces(pieces: &[Piece], visit: &mut impl FnMut(&Script)) {
    for piece in pieces {
        match piece {
            Piece::Substitution { script, .. } | Piece::Process(script) => {
                script.each_script(visit);
            }
            Piece::Variable(Variable {
                modifier: Some(modifier),
                ..
            }) => each_in_pieces(&modifier.pieces, visit),
            Piece::Variable(_)
            | Piece::Text(_)
            | Piece::Glob(_)
            | Piece::Tilde
            | Piece::Unknown => {}
        }
    }
}
