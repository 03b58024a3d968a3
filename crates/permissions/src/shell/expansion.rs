//! `$name`, `${…}`, `$( … )` and their kin: what they stand for, and whether reading them can run code.

use super::lower::Reader;
use super::syntax::{Modifier, Piece, Variable};
use super::tree::children;
use super::word::{expansions, is_name, unescape_backquotes};
use crate::reason::{Code, Reason};
use std::ops::Range;
use tree_sitter::Node;

/// What an expansion stands for.
#[derive(Default)]
pub(super) struct Found {
    pub(super) pieces: Vec<Piece>,
    pub(super) problems: Vec<Reason>,
}

pub(super) fn expansion(reader: &mut Reader<'_>, node: Node<'_>, quoted: bool) -> Found {
    let text = reader.node_text(node);
    match node.kind() {
        "simple_expansion" => Found {
            pieces: vec![Piece::Variable(Variable {
                name: text.get(1..).unwrap_or_default().to_owned(),
                quoted,
                modifier: None,
            })],
            problems: Vec::new(),
        },
        "expansion" => parameter(reader, node, quoted),
        "command_substitution" => substitution(reader, node, quoted),
        "process_substitution" => Found {
            pieces: vec![Piece::Process(reader.body(node))],
            problems: Vec::new(),
        },
        "arithmetic_expansion" => arithmetic(reader, node),
        _ => Found {
            pieces: vec![Piece::Unknown],
            problems: Vec::new(),
        },
    }
}

fn substitution(reader: &mut Reader<'_>, node: Node<'_>, quoted: bool) -> Found {
    let text = reader.node_text(node);
    let mut problems = Vec::new();
    let inside = text
        .trim_start_matches('$')
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'));
    if inside.is_some() && text.starts_with('$') {
        problems.push(Code::Syntax.into());
    }
    let script = match inside {
        Some(inside) if inside.contains('\\') => {
            problems.push(Code::BackquoteEscape.into());
            reader.nested_text(&unescape_backquotes(inside))
        }
        Some(_) | None => reader.body(node),
    };
    Found {
        pieces: vec![Piece::Substitution { script, quoted }],
        problems,
    }
}

/// `$(( … ))`: numbers and operators only, since a name may hold code.
fn arithmetic(reader: &mut Reader<'_>, node: Node<'_>) -> Found {
    let text = reader.node_text(node);
    let inside = text
        .trim_start_matches(['$', '(', '['])
        .trim_end_matches([')', ']']);
    let is_plain = |c: char| c.is_ascii_digit() || " \t\n+-*/%()<>=!&|^~?:,".contains(c);
    if inside.chars().all(is_plain) {
        return Found {
            pieces: vec![Piece::Unknown],
            problems: Vec::new(),
        };
    }
    let mut found = inner(reader, &children(node));
    found.pieces.push(Piece::Unknown);
    found.problems.push(Code::ArithmeticNames.into());
    found
}

/// `${ … }`
fn parameter(reader: &mut Reader<'_>, node: Node<'_>, quoted: bool) -> Found {
    let text = reader.node_text(node);
    let inside = text
        .get(2..text.len().saturating_sub(1))
        .unwrap_or_default();
    let mut found = inner(reader, &children(node));
    let pieces = std::mem::take(&mut found.pieces);
    match parts_of_parameter(inside) {
        Ok((name, modifier)) => {
            found.problems.extend(unseen_expansions(reader, node));
            let modifier = (!modifier.is_empty()).then(|| Modifier {
                assigns: modifier.starts_with('=') || modifier.starts_with(":="),
                pieces,
            });
            found.pieces.push(Piece::Variable(Variable {
                name: name.to_owned(),
                quoted,
                modifier,
            }));
        }
        Err(code) => {
            found.problems.push(code.into());
            found.pieces = pieces;
            found.pieces.push(Piece::Unknown);
        }
    }
    found
}

/// The name of a `${…}` and what follows it, where none of it is arithmetic or code.
fn parts_of_parameter(inside: &str) -> Result<(&str, &str), Code> {
    if let Some(length_of) = inside.strip_prefix('#').filter(|rest| !rest.is_empty()) {
        let name = length_of
            .strip_suffix("[@]")
            .or_else(|| length_of.strip_suffix("[*]"))
            .unwrap_or(length_of);
        let is_known = is_name(name) || name.chars().all(|c| c.is_ascii_digit());
        return is_known.then_some((name, "#")).ok_or(Code::Syntax);
    }
    if inside.starts_with('!') {
        return Err(Code::IndirectExpansion);
    }
    let length = match inside.chars().next() {
        Some(first) if first.is_ascii_digit() => {
            inside.chars().take_while(char::is_ascii_digit).count()
        }
        Some('@' | '*' | '#' | '?' | '-' | '$') => 1,
        _ => inside
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .count(),
    };
    let (name, mut rest) = inside.split_at_checked(length).ok_or(Code::Syntax)?;
    if name.is_empty() {
        return Err(Code::Syntax);
    }
    if let Some(subscript) = rest.strip_prefix('[') {
        let (index, after) = subscript.split_once(']').ok_or(Code::Subscript)?;
        let is_number = |text: &str| {
            let digits = text.strip_prefix('-').unwrap_or(text);
            !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
        };
        if !matches!(index, "@" | "*") && !is_number(index) {
            return Err(Code::Subscript);
        }
        if after.is_empty() {
            return Ok((name, inside.get(length..).unwrap_or_default()));
        }
        rest = after;
    }
    match rest.chars().next() {
        None => Ok((name, rest)),
        Some('@') => Err(Code::ParameterTransform),
        Some(':') if !rest.starts_with([':', '\0']) => Err(Code::Syntax),
        Some(':') => match rest.chars().nth(1) {
            Some('-' | '=' | '+' | '?') => Ok((name, rest)),
            _ if rest
                .chars()
                .all(|c| c.is_ascii_digit() || ": -".contains(c)) =>
            {
                Ok((name, rest))
            }
            _ => Err(Code::SubstringArithmetic),
        },
        Some('-' | '=' | '+' | '?' | '#' | '%' | '/' | '^' | ',') => Ok((name, rest)),
        Some(_) => Err(Code::Syntax),
    }
}

/// Expansions inside an expansion.
fn inner(reader: &mut Reader<'_>, nodes: &[Node<'_>]) -> Found {
    let mut found = Found::default();
    if !reader.descend() {
        return found;
    }
    for hole in expansions(nodes) {
        let part = expansion(reader, hole, true);
        found.pieces.extend(part.pieces);
        found.problems.extend(part.problems);
    }
    reader.ascend();
    found
}

/// Expansions in the word of a `${…}` that the grammar took for text.
fn unseen_expansions(reader: &mut Reader<'_>, node: Node<'_>) -> Vec<Reason> {
    let holes = expansions(&children(node));
    let mut at = node.start_byte() + 2;
    let mut gaps = Vec::new();
    for hole in &holes {
        gaps.push(at..hole.start_byte());
        at = hole.end_byte();
    }
    gaps.push(at..node.end_byte().saturating_sub(1));
    let text = reader.text;
    let is_suspicious = |gap: Range<usize>| {
        let gap = text.get(gap).unwrap_or_default();
        gap.contains('`')
            || gap.contains("<(")
            || gap.contains(">(")
            || gap.match_indices('$').any(|(at, _)| {
                let next = gap.get(at + 1..).and_then(|rest| rest.chars().next());
                next.is_some_and(|c| c.is_ascii_alphanumeric() || "_({[@*#?$!-'\"".contains(c))
            })
    };
    if !gaps.into_iter().any(is_suspicious) {
        return Vec::new();
    }
    let inside = reader.node_text(node);
    let inside = inside.get(2..).unwrap_or_default().to_owned();
    reader.scan_hidden(&inside);
    vec![Code::Syntax.into()]
}
