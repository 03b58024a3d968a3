//! From the grammar's tree to our own.

use super::heredoc;
use super::sequence::{self, Flat, is_statement};
use super::syntax::{Command, Parsed, Redirect, RedirectKind, Script, Simple, Stage, Word};
use super::tree::{children, fields, parse};
use super::word;
use crate::reason::{Code, Reason};
use std::ops::Range;
use tree_sitter::Node;

/// Deeper nesting is not analysed. People nest three or four levels.
const MAX_DEPTH: usize = 40;

/// Bytes that may be parsed for one command, with the texts inside it that are parsed again.
pub(crate) const PARSE_BUDGET_BYTES: usize = 4 * super::MAX_COMMAND_BYTES;

/// What stands in `text`. `budget` is what may still be parsed.
pub(crate) fn read(text: &str, budget: &mut usize) -> Parsed {
    let mut parsed = read_once(text, budget);
    let joined = without_continuations(text, &parsed.continuations);
    if joined != text {
        let again = read_once(&joined, budget);
        if words_of(&again.parsed.script) != words_of(&parsed.parsed.script) {
            parsed.parsed.problems.push(Code::LineContinuation.into());
            parsed.parsed.script.append(again.parsed.script);
        }
    }
    parsed.parsed
}

struct Reading {
    parsed: Parsed,
    /// Where a backslash before a line break joins lines.
    continuations: Vec<usize>,
}

fn read_once(text: &str, budget: &mut usize) -> Reading {
    let refused = |code: Code| Reading {
        parsed: Parsed {
            script: Script::default(),
            problems: vec![code.into()],
        },
        continuations: Vec::new(),
    };
    let Some(rest) = budget.checked_sub(text.len()) else {
        return refused(Code::TooComplex);
    };
    *budget = rest;
    let Some(tree) = parse(text) else {
        return refused(Code::TooComplex);
    };
    let root = tree.root_node();
    let mut reader = Reader {
        text,
        depth: 0,
        budget,
        problems: Vec::new(),
        hidden: Script::default(),
    };
    if root.has_error() {
        reader.problem(Code::Syntax);
    }
    let mut script = match root.is_error() {
        true => reader.statements_below(root),
        false => sequence::script(&mut reader, &children(root)),
    };
    if !reader.hidden.lists.is_empty() {
        let hidden = std::mem::take(&mut reader.hidden);
        script.append(hidden);
    }
    Reading {
        parsed: Parsed {
            script,
            problems: reader.problems,
        },
        continuations: continuations(text, root),
    }
}

/// Backslashes that join lines: not those in quotes or comments, where they stand for themselves.
fn continuations(text: &str, root: Node<'_>) -> Vec<usize> {
    let mut kept: Vec<Range<usize>> = Vec::new();
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        match node.kind() {
            "raw_string" | "ansi_c_string" | "comment" => kept.push(node.byte_range()),
            _ => waiting.extend(children(node)),
        }
    }
    kept.sort_unstable_by_key(|range| range.start);
    let is_kept = |at: usize| {
        let next = kept.partition_point(|range| range.start <= at);
        let before = next.checked_sub(1).and_then(|last| kept.get(last));
        before.is_some_and(|range| range.contains(&at))
    };
    let joins = |at: &usize| {
        let before = text.get(..*at).unwrap_or_default();
        let backslashes = before.len() - before.trim_end_matches('\\').len();
        backslashes % 2 == 0 && !is_kept(*at)
    };
    text.match_indices("\\\n")
        .map(|(at, _)| at)
        .filter(joins)
        .collect()
}

fn without_continuations(text: &str, places: &[usize]) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut at = 0;
    for place in places {
        joined.push_str(text.get(at..*place).unwrap_or_default());
        at = place + 2;
    }
    joined.push_str(text.get(at..).unwrap_or_default());
    joined
}

/// The words of all commands, to compare two readings.
fn words_of(script: &Script) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    script.each_simple(&mut |simple| {
        all.push(simple.words.iter().map(Word::shape).collect());
    });
    all
}

/// Reads one text.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    depth: usize,
    budget: &'a mut usize,
    problems: Vec<Reason>,
    /// Commands that may run though the grammar does not see them.
    hidden: Script,
}

impl<'a> Reader<'a> {
    pub(super) fn problem(&mut self, code: Code) {
        let reason = Reason::from(code);
        if !self.problems.contains(&reason) {
            self.problems.push(reason);
        }
    }

    pub(super) fn node_text(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// One level deeper, unless that is too deep.
    pub(super) fn descend(&mut self) -> bool {
        if self.depth >= MAX_DEPTH {
            self.problem(Code::TooComplex);
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) fn ascend(&mut self) {
        self.depth -= 1;
    }

    /// Remembers commands that may run though they have no place in the script.
    pub(super) fn hide(&mut self, script: Script) {
        self.hidden.append(script);
    }

    /// The commands directly inside `node`.
    pub(super) fn body(&mut self, node: Node<'_>) -> Script {
        if !self.descend() {
            return Script::default();
        }
        let parts = children(node);
        let mut script = sequence::script(self, &parts);
        // `$(< file)`
        let redirects: Vec<Node<'_>> = parts
            .into_iter()
            .filter(|part| part.kind() == "file_redirect")
            .collect();
        if !redirects.is_empty() {
            let stage = self.stage(&Flat {
                redirects,
                ..Flat::default()
            });
            script.append(Script::of(stage));
        }
        self.ascend();
        script
    }

    /// The commands anywhere below a node that could not be read.
    pub(super) fn statements_below(&mut self, node: Node<'_>) -> Script {
        let mut found = Vec::new();
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            match is_statement(node) {
                true => found.push(node),
                false => waiting.extend(children(node).into_iter().rev()),
            }
        }
        if !self.descend() {
            return Script::default();
        }
        let script = sequence::script(self, &found);
        self.ascend();
        script
    }

    /// The commands of a text inside this one.
    pub(super) fn nested_text(&mut self, text: &str) -> Script {
        if !self.descend() {
            return Script::default();
        }
        let depth = self.depth;
        let Some(rest) = self.budget.checked_sub(text.len()) else {
            self.problem(Code::TooComplex);
            self.ascend();
            return Script::default();
        };
        *self.budget = rest;
        let script = match parse(text) {
            Some(tree) => {
                let mut reader = Reader {
                    text,
                    depth,
                    budget: self.budget,
                    problems: Vec::new(),
                    hidden: Script::default(),
                };
                let script = reader.statements_below(tree.root_node());
                let hidden = std::mem::take(&mut reader.hidden);
                let problems = std::mem::take(&mut reader.problems);
                self.hidden.append(hidden);
                self.problems.extend(problems);
                script
            }
            None => Script::default(),
        };
        self.ascend();
        script
    }

    /// Finds the commands in substitutions that the grammar took for text.
    pub(super) fn scan_hidden(&mut self, text: &str) {
        for (at, _) in text.match_indices("$(").take(16) {
            let inside = text.get(at + 2..).unwrap_or_default();
            let end = inside.rfind(')').unwrap_or(inside.len());
            let script = self.nested_text(inside.get(..end).unwrap_or_default());
            self.hidden.append(script);
        }
        for inside in text.split('`').skip(1).step_by(2).take(16) {
            let script = self.nested_text(inside);
            self.hidden.append(script);
        }
    }

    pub(super) fn stage(&mut self, flat: &Flat<'_>) -> Stage {
        let mut redirects = Vec::new();
        for node in &flat.redirects {
            redirects.extend(self.redirect(*node));
        }
        let mut command = match flat.command {
            Some(node) => self.command(node, &mut redirects),
            None => Command::Simple(Simple::default()),
        };
        if !flat.arguments.is_empty() {
            self.more_arguments(&mut command, &flat.arguments);
        }
        Stage { command, redirects }
    }

    /// Words behind a redirection belong to the command in front of it.
    fn more_arguments(&mut self, command: &mut Command, nodes: &[Node<'_>]) {
        let Command::Simple(simple) = command else {
            self.problem(Code::Syntax);
            return;
        };
        for node in nodes {
            let word = word::word(self, *node);
            if !simple.text.is_empty() {
                simple.text.push(' ');
            }
            simple.text.push_str(&word.text);
            simple.words.push(word);
        }
    }

    pub(super) fn redirect(&mut self, node: Node<'_>) -> Option<Redirect> {
        let parts = children(node);
        if let Some(descriptor) = parts.iter().find(|part| part.kind() == "file_descriptor") {
            let before = self.text.get(..descriptor.start_byte()).unwrap_or_default();
            if before.ends_with(|last: char| !" \t\n;&|()<>{}".contains(last)) {
                self.problem(Code::Syntax);
            }
        }
        match node.kind() {
            "heredoc_redirect" => {
                self.check_gaps(&fields(node, "argument"));
                Some(Redirect {
                    kind: RedirectKind::HereText,
                    target: heredoc::text(self, node),
                })
            }
            "herestring_redirect" => {
                let target = parts.last().map(|last| word::word(self, *last));
                Some(Redirect {
                    kind: RedirectKind::HereText,
                    target: target.unwrap_or_default(),
                })
            }
            _ => self.file_redirect(node, &parts),
        }
    }

    fn file_redirect(&mut self, node: Node<'_>, parts: &[Node<'_>]) -> Option<Redirect> {
        let kind = parts.iter().find_map(|part| match part.kind() {
            "<" => Some(RedirectKind::Read),
            ">" | ">>" | ">|" | "&>" | "&>>" => Some(RedirectKind::Write),
            "<&" => Some(RedirectKind::DuplicateInput),
            ">&" => Some(RedirectKind::DuplicateOutput),
            "<&-" | ">&-" => Some(RedirectKind::Close),
            _ => None,
        });
        let Some(kind) = kind else {
            self.problem(Code::Syntax);
            return None;
        };
        let target = match kind {
            RedirectKind::Close => Word::default(),
            _ => {
                let words = fields(node, "destination");
                self.check_gaps(&words);
                words.first().map(|word| word::word(self, *word))?
            }
        };
        Some(Redirect { kind, target })
    }

    fn command(&mut self, node: Node<'_>, redirects: &mut Vec<Redirect>) -> Command {
        match node.kind() {
            "command" => self.simple(node, redirects),
            "declaration_command" | "unset_command" => self.declaration(node),
            "variable_assignment" => self.assignments(node, &[node]),
            "variable_assignments" => self.assignments(node, &children(node)),
            "test_command" => self.test(node),
            "subshell" => Command::Subshell(self.body(node)),
            "compound_statement" if self.node_text(node).starts_with("((") => {
                self.problem(Code::ArithmeticCommand);
                self.scanned(node)
            }
            "compound_statement" => Command::Group(self.body(node)),
            "if_statement" => Command::Branches(self.branches(node)),
            "while_statement" => Command::Loop {
                variable: None,
                words: Vec::new(),
                scripts: self.branches(node),
            },
            "for_statement" => self.for_loop(node),
            "case_statement" => self.case(node),
            "function_definition" => {
                self.problem(Code::FunctionDefinition);
                self.scanned(node)
            }
            "c_style_for_statement" => {
                self.problem(Code::ArithmeticFor);
                self.scanned(node)
            }
            _ => {
                self.problem(Code::Syntax);
                self.scanned(node)
            }
        }
    }

    fn scanned(&mut self, node: Node<'_>) -> Command {
        if !self.descend() {
            return Command::Scanned(Script::default());
        }
        let mut script = Script::default();
        for child in children(node) {
            let inside = self.statements_below(child);
            script.append(inside);
        }
        self.ascend();
        Command::Scanned(script)
    }

    /// Conditions and bodies of `if`, `while` and their parts, in order.
    fn branches(&mut self, node: Node<'_>) -> Vec<Script> {
        if !self.descend() {
            return Vec::new();
        }
        let parts = children(node);
        let mut scripts = vec![sequence::script(self, &parts)];
        for part in parts {
            match part.kind() {
                "do_group" => scripts.push(self.body(part)),
                "elif_clause" | "else_clause" => scripts.extend(self.branches(part)),
                _ => {}
            }
        }
        self.ascend();
        scripts
    }

    fn for_loop(&mut self, node: Node<'_>) -> Command {
        if self.node_text(node).starts_with("select") {
            self.problem(Code::Select);
        }
        let variable = fields(node, "variable").first().copied();
        let variable = variable.map(|name| self.node_text(name).to_owned());
        let values = fields(node, "value");
        self.check_gaps(&values);
        let words = self.words(values);
        Command::Loop {
            variable,
            words,
            scripts: self.branches(node),
        }
    }

    fn case(&mut self, node: Node<'_>) -> Command {
        let mut words = self.words(fields(node, "value"));
        let mut scripts = Vec::new();
        if !self.descend() {
            return Command::Case { words, scripts };
        }
        let items = children(node).into_iter();
        for item in items.filter(|part| part.kind() == "case_item") {
            words.extend(self.words(fields(item, "value")));
            let mut parts = children(item);
            parts.retain(|part| !matches!(part.kind(), ";;" | ";&" | ";;&"));
            scripts.push(sequence::script(self, &parts));
        }
        self.ascend();
        Command::Case { words, scripts }
    }

    fn words(&mut self, nodes: Vec<Node<'_>>) -> Vec<Word> {
        let nodes = nodes.into_iter();
        nodes.map(|node| word::word(self, node)).collect()
    }
}
