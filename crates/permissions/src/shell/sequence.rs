//! Commands in the order Bash runs them.
//!
//! The grammar hangs a redirection at the end of a list on the whole list, and lets a list begin inside a
//! here-document. So statements are first laid out flat, as commands and operators, and joined again by the precedence
//! of Bash.

use super::lower::Reader;
use super::syntax::{AndOr, Connector, Pipeline, Script};
use super::tree::{children, fields};
use crate::reason::Code;
use tree_sitter::Node;

/// A statement laid flat.
enum Token<'tree> {
    Command(Flat<'tree>),
    And,
    Or,
    Pipe,
    Not,
}

/// A command with the redirections that are really its own.
#[derive(Default)]
pub(super) struct Flat<'tree> {
    /// Absent where a line consists of redirections only.
    pub(super) command: Option<Node<'tree>>,
    pub(super) redirects: Vec<Node<'tree>>,
    /// Words that stand behind a redirection and belong to the command.
    pub(super) arguments: Vec<Node<'tree>>,
}

/// Nodes that hold commands.
const STATEMENTS: &[&str] = &[
    "redirected_statement",
    "variable_assignment",
    "variable_assignments",
    "command",
    "declaration_command",
    "unset_command",
    "test_command",
    "negated_command",
    "for_statement",
    "c_style_for_statement",
    "while_statement",
    "if_statement",
    "case_statement",
    "pipeline",
    "list",
    "compound_statement",
    "function_definition",
    "subshell",
];

pub(super) fn is_statement(node: Node<'_>) -> bool {
    STATEMENTS.contains(&node.kind())
}

/// The commands among `nodes`, which stand side by side in the text.
pub(super) fn script(reader: &mut Reader<'_>, nodes: &[Node<'_>]) -> Script {
    let mut script = Script::default();
    for node in nodes {
        match node.kind() {
            kind if STATEMENTS.contains(&kind) => {
                let list = list(reader, *node);
                script.lists.push(list);
            }
            "&" => {
                if let Some(last) = script.lists.last_mut() {
                    last.background = true;
                }
            }
            "comment" => check_comment(reader, *node),
            ";;" | ";&" | ";;&" => reader.problem(Code::Syntax),
            _ if node.is_error() => {
                reader.problem(Code::Syntax);
                let inside = reader.statements_below(*node);
                script.append(inside);
            }
            _ => {}
        }
    }
    script
}

/// Bash sees a comment only where a word could begin.
fn check_comment(reader: &mut Reader<'_>, node: Node<'_>) {
    let before = reader.text.get(..node.start_byte()).unwrap_or_default();
    let begins_word = before
        .chars()
        .next_back()
        .is_none_or(|last| " \t\n;&|()".contains(last));
    if !begins_word {
        reader.problem(Code::Syntax);
    }
}

fn list(reader: &mut Reader<'_>, node: Node<'_>) -> AndOr {
    let tokens = flatten(node);
    let mut list = AndOr::default();
    let mut connector = Connector::First;
    let mut pipeline = Pipeline::default();
    let mut expects_command = true;
    for token in tokens {
        match token {
            Token::Command(flat) => {
                if !expects_command {
                    reader.problem(Code::Syntax);
                }
                let stage = reader.stage(&flat);
                pipeline.stages.push(stage);
                expects_command = false;
            }
            Token::Not => {
                if !pipeline.stages.is_empty() {
                    reader.problem(Code::Syntax);
                }
                pipeline.negated = !pipeline.negated;
            }
            Token::Pipe => {
                if expects_command {
                    reader.problem(Code::Syntax);
                }
                expects_command = true;
            }
            Token::And | Token::Or => {
                if expects_command {
                    reader.problem(Code::Syntax);
                }
                list.pipelines
                    .push((connector, std::mem::take(&mut pipeline)));
                connector = match token {
                    Token::And => Connector::And,
                    _ => Connector::Or,
                };
                expects_command = true;
            }
        }
    }
    if expects_command {
        reader.problem(Code::Syntax);
    }
    list.pipelines.push((connector, pipeline));
    list
}

enum Work<'tree> {
    Visit(Node<'tree>),
    Token(Token<'tree>),
    /// Redirections go to the command that was met last.
    Attach(Node<'tree>),
}

/// Lists nest as deep as they are long, so this must not recurse.
fn flatten(node: Node<'_>) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut work = vec![Work::Visit(node)];
    while let Some(next) = work.pop() {
        match next {
            Work::Token(token) => tokens.push(token),
            Work::Attach(redirect) => {
                let more = attach(&mut tokens, redirect);
                work.extend(more.into_iter().rev());
            }
            Work::Visit(node) => match node.kind() {
                "list" | "pipeline" | "negated_command" => {
                    work.extend(children(node).into_iter().rev().filter_map(part));
                }
                "redirected_statement" => {
                    let parts = children(node);
                    let has_body = parts.first().is_some_and(|first| is_statement(*first));
                    if !has_body {
                        tokens.push(Token::Command(Flat::default()));
                    }
                    let redirects = parts.iter().rev().filter(|part| is_redirect(**part));
                    work.extend(redirects.copied().map(Work::Attach));
                    if let Some(body) = parts.first().filter(|_| has_body) {
                        work.push(Work::Visit(*body));
                    }
                }
                _ => tokens.push(Token::Command(Flat {
                    command: Some(node),
                    ..Flat::default()
                })),
            },
        }
    }
    tokens
}

fn is_redirect(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "file_redirect" | "heredoc_redirect" | "herestring_redirect"
    )
}

fn part(node: Node<'_>) -> Option<Work<'_>> {
    match node.kind() {
        "&&" => Some(Work::Token(Token::And)),
        "||" => Some(Work::Token(Token::Or)),
        "|" | "|&" => Some(Work::Token(Token::Pipe)),
        "!" => Some(Work::Token(Token::Not)),
        _ if is_statement(node) => Some(Work::Visit(node)),
        _ => None,
    }
}

/// Gives a redirection to the last command; returns what follows it on its line.
fn attach<'tree>(tokens: &mut [Token<'tree>], redirect: Node<'tree>) -> Vec<Work<'tree>> {
    let last = tokens.iter_mut().rev().find_map(|token| match token {
        Token::Command(flat) => Some(flat),
        _ => None,
    });
    let Some(flat) = last else {
        return Vec::new();
    };
    flat.redirects.push(redirect);
    if redirect.kind() == "file_redirect" {
        let words = fields(redirect, "destination");
        let closes = children(redirect)
            .iter()
            .any(|part| matches!(part.kind(), "<&-" | ">&-"));
        let own = usize::from(!closes);
        flat.arguments.extend(words.into_iter().skip(own));
        return Vec::new();
    }
    if redirect.kind() == "herestring_redirect" {
        return Vec::new();
    }
    flat.arguments.extend(fields(redirect, "argument"));
    let mut more: Vec<Work<'_>> = fields(redirect, "redirect")
        .into_iter()
        .map(Work::Attach)
        .collect();
    for child in children(redirect) {
        match child.kind() {
            "pipeline" => more.extend(children(child).into_iter().filter_map(part)),
            "&&" | "||" => more.extend(part(child)),
            _ if is_statement(child) => more.push(Work::Visit(child)),
            _ => {}
        }
    }
    more
}
