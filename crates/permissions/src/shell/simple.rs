//! Commands of words: `program arguments`, declarations, assignments and tests.

use super::lower::Reader;
use super::syntax::{Assignment, Command, Piece, Redirect, Simple, Word};
use super::tree::children;
use super::word::{self, is_name};
use crate::reason::Code;
use std::ops::Range;
use tree_sitter::Node;

/// Operators of `[[` that are not words, and that `[` would take for something else.
const SHELL_OPERATORS: &[&str] = &["<", ">", "&&", "||", "|", "&", "(", ")", "<<", ">>", ";"];

impl Reader<'_> {
    pub(super) fn simple(&mut self, node: Node<'_>, redirects: &mut Vec<Redirect>) -> Command {
        let mut simple = Simple::default();
        let mut words: Vec<Node<'_>> = Vec::new();
        let mut cut: Vec<Range<usize>> = Vec::new();
        let mut hidden = None;
        for part in children(node) {
            match part.kind() {
                "variable_assignment" => {
                    let assignment = self.assignment(part);
                    simple.assignments.push(assignment);
                    words.push(part);
                }
                "file_redirect" => {
                    redirects.extend(self.redirect(part));
                    cut.push(part.byte_range());
                }
                "herestring_redirect" => redirects.extend(self.redirect(part)),
                "subshell" => {
                    // Only `time` may stand before a subshell, and the grammar reads it as a program.
                    self.problem(Code::Syntax);
                    hidden = Some(self.body(part));
                }
                "comment" => self.problem(Code::Syntax),
                _ => {
                    simple.words.push(word::word(self, part));
                    words.push(part);
                }
            }
        }
        self.check_gaps(&words);
        simple.text = self.text_without(node.byte_range(), &cut);
        if let Some(hidden) = hidden {
            self.hide(hidden);
        }
        Command::Simple(simple)
    }

    /// `export`, `declare`, `unset` …, as words like those of any other program.
    pub(super) fn declaration(&mut self, node: Node<'_>) -> Command {
        let parts = children(node);
        self.check_gaps(&parts);
        let words = parts.iter().map(|part| match part.kind() {
            "variable_assignment" => self.assignment_word(*part),
            _ => word::word(self, *part),
        });
        Command::Simple(Simple {
            words: words.collect(),
            text: self.node_text(node).to_owned(),
            ..Simple::default()
        })
    }

    pub(super) fn assignments(&mut self, node: Node<'_>, parts: &[Node<'_>]) -> Command {
        self.check_gaps(parts);
        let assignments = parts
            .iter()
            .filter(|part| part.kind() == "variable_assignment")
            .map(|part| self.assignment(*part))
            .collect();
        Command::Simple(Simple {
            assignments,
            text: self.node_text(node).to_owned(),
            ..Simple::default()
        })
    }

    fn assignment(&mut self, node: Node<'_>) -> Assignment {
        let word = self.assignment_word(node);
        let (name, _) = word.text.split_once('=').unwrap_or((&word.text, ""));
        Assignment {
            name: name.trim_end_matches('+').to_owned(),
            value: word,
        }
    }

    /// The whole of `name=value` as a word.
    fn assignment_word(&mut self, node: Node<'_>) -> Word {
        let text = self.node_text(node);
        let written = text.split_once('=').map_or(text, |(name, _)| name);
        let name = written.strip_suffix('+').unwrap_or(written);
        let is_array = children(node).iter().any(|part| part.kind() == "array");
        if is_array {
            return self.array(node, text);
        }
        let mut word = word::word(self, node);
        if let Some((array, subscript)) = name.split_once('[') {
            let index = subscript.strip_suffix(']').unwrap_or("");
            let is_number = !index.is_empty() && index.chars().all(|c| c.is_ascii_digit());
            if !is_name(array) || !is_number {
                word.problems.push(Code::Subscript.into());
            }
        } else if !is_name(name) {
            word.problems.push(Code::Syntax.into());
        }
        word
    }

    /// `name=( … )`: its words are expanded, and an element may begin with a subscript, which is arithmetic.
    fn array(&mut self, node: Node<'_>, text: &str) -> Word {
        let mut word = Word {
            text: text.to_owned(),
            pieces: vec![Piece::Unknown],
            problems: Vec::new(),
        };
        let arrays = children(node)
            .into_iter()
            .filter(|part| part.kind() == "array");
        for element in arrays.flat_map(children).filter(Node::is_named) {
            let element = word::word(self, element);
            if element.text.starts_with('[') {
                word.problems.push(Code::Subscript.into());
            }
            word.problems.extend(element.problems);
            word.pieces.extend(element.pieces);
        }
        word
    }

    /// `[ … ]` is a program like any other; `[[ … ]]` is grammar.
    pub(super) fn test(&mut self, node: Node<'_>) -> Command {
        let is_program = !self.node_text(node).starts_with("[[");
        let mut leaves = Vec::new();
        leaves_of_test(node, &mut leaves);
        for pair in leaves.windows(2).filter(|pair| {
            pair.iter()
                .all(|leaf| !SHELL_OPERATORS.contains(&leaf.kind()))
        }) {
            self.check_gaps(pair);
        }
        let mut simple = Simple {
            text: self.node_text(node).to_owned(),
            ..Simple::default()
        };
        for leaf in leaves {
            let is_operator = SHELL_OPERATORS.contains(&leaf.kind());
            if is_operator && is_program {
                self.problem(Code::Syntax);
            }
            simple.words.push(match is_operator {
                true => Word::of_text(leaf.kind()),
                false => word::word(self, leaf),
            });
        }
        match is_program {
            true => Command::Simple(simple),
            false => Command::Test(simple),
        }
    }

    /// Between two words stands a blank, and nothing that Bash would read as part of one.
    pub(super) fn check_gaps(&mut self, words: &[Node<'_>]) {
        let mut agrees = true;
        for pair in words.windows(2) {
            let [left, right] = pair else {
                continue;
            };
            let gap = self.text.get(left.end_byte()..right.start_byte());
            let gap = gap.unwrap_or_default();
            // What stands between may also be a redirection, which was read on its own.
            let begins = gap.starts_with([' ', '\t', '\n', '<', '>', '&', '\\']);
            let ends = gap.ends_with([' ', '\t', '\n']);
            agrees &= begins && ends && !has_escaped_blank(gap);
        }
        if !agrees {
            self.problem(Code::Syntax);
        }
    }

    fn text_without(&self, range: Range<usize>, cut: &[Range<usize>]) -> String {
        let mut parts = Vec::new();
        let mut at = range.start;
        for hole in cut {
            parts.push(self.text.get(at..hole.start).unwrap_or_default().trim());
            at = hole.end;
        }
        parts.push(self.text.get(at..range.end).unwrap_or_default().trim());
        parts.retain(|part| !part.is_empty());
        parts.join(" ")
    }
}

/// A backslash before a blank: the grammar skips it, Bash makes a word of it.
fn has_escaped_blank(gap: &str) -> bool {
    gap.contains("\\ ") || gap.contains("\\\t")
}

fn leaves_of_test<'tree>(node: Node<'tree>, leaves: &mut Vec<Node<'tree>>) {
    let mut waiting: Vec<Node<'_>> = children(node).into_iter().rev().collect();
    while let Some(node) = waiting.pop() {
        match node.kind() {
            "binary_expression"
            | "unary_expression"
            | "ternary_expression"
            | "postfix_expression"
            | "parenthesized_expression"
            | "redirected_statement" => {
                waiting.extend(children(node).into_iter().rev());
            }
            _ => leaves.push(node),
        }
    }
}
