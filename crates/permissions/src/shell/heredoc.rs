//! Where the text of a here-document begins and ends, checked by the rules of Bash.

use super::lower::Reader;
use super::tree::{children, fields};
use super::word::{self, Style};
use super::{Piece, Word};
use crate::reason::Code;
use tree_sitter::Node;

/// The text of a here-document, as a word.
pub(super) fn text(reader: &mut Reader<'_>, node: Node<'_>) -> Word {
    let parts = children(node);
    let part = |kind: &str| parts.iter().copied().find(|part| part.kind() == kind);
    let (Some(start), Some(body), Some(end)) = (
        part("heredoc_start"),
        part("heredoc_body"),
        part("heredoc_end"),
    ) else {
        return broken(Word::default());
    };
    let written = reader.node_text(start);
    let is_quoted = written.contains(['\'', '"', '\\']);
    let delimiter: String = written
        .chars()
        .filter(|c| !matches!(c, '\'' | '"' | '\\'))
        .collect();
    let strips_tabs = parts.iter().any(|part| part.kind() == "<<-");
    // With an ERROR in front, the grammar lost a second here-document.
    let is_whole = !parts.iter().any(Node::is_error)
        && !written.contains('$')
        && fields(node, "descriptor").len() <= 1;
    let from = first_line_after(reader.text, start.end_byte());
    let to = end.start_byte();
    let lines = reader.text.get(from..to).unwrap_or_default();
    let before_body = reader.text.get(from..body.start_byte());
    let agrees = is_whole
        && before_body.is_some_and(|blank| blank.trim().is_empty())
        && ends_line(reader.text, &delimiter, strips_tabs, end)
        && !lines
            .lines()
            .any(|line| strip(line, strips_tabs) == delimiter);
    let word = match is_quoted {
        true => Word::of_text(lines),
        false => word::span(reader, from..to, word::expansions(&[body]), Style::HereText),
    };
    match agrees {
        true => word,
        false => {
            let lines = lines.to_owned();
            reader.scan_hidden(&lines);
            broken(word)
        }
    }
}

fn broken(mut word: Word) -> Word {
    word.problems.push(Code::HereDocument.into());
    word.pieces.push(Piece::Unknown);
    word
}

/// Where the line behind `at` begins: there Bash begins to read the text of a here-document.
fn first_line_after(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.find('\n').map_or(rest.len(), |newline| newline + 1)
}

/// The end stands alone on its line, exactly as it was announced.
fn ends_line(text: &str, delimiter: &str, strips_tabs: bool, end: Node<'_>) -> bool {
    let before = text.get(..end.start_byte()).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let after = text.get(end.start_byte()..).unwrap_or_default();
    let rest = after.split('\n').next().unwrap_or_default();
    let indent_is_fine = match strips_tabs {
        true => line.chars().all(|c| c == '\t'),
        false => line.is_empty(),
    };
    indent_is_fine && strip(rest, strips_tabs) == delimiter
}

fn strip(line: &str, tabs: bool) -> &str {
    match tabs {
        true => line.trim_start_matches('\t'),
        false => line,
    }
}
