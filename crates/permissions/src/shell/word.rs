//! A word of the shell, decoded from its text: quotes, escapes, globs, and what is expanded.
//!
//! The grammar only says where expansions stand. Everything between them is read here by the rules of Bash, and an
//! expansion that Bash would see where the grammar sees none is a problem of the word.

use super::ansi_c;
use super::expansion::expansion;
use super::lower::Reader;
use super::syntax::{Piece, Word};
use super::tree::children;
use crate::reason::Code;
use std::ops::Range;
use tree_sitter::Node;

/// Nodes that stand for something other than their text.
const EXPANSIONS: &[&str] = &[
    "simple_expansion",
    "expansion",
    "command_substitution",
    "process_substitution",
    "arithmetic_expansion",
    "brace_expression",
];

/// Characters that end a word of Bash.
const METACHARACTERS: &[char] = &[' ', '\t', '\n', ';', '&', '|', '(', ')', '<', '>'];

/// What surrounds the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// A word of a command.
    Word,
    /// A pattern of `case`, `[[` or an expansion, where more characters stand for themselves.
    Pattern,
    /// The text of a here-document whose end is not quoted.
    HereText,
}

/// The word that `node` spans.
pub(super) fn word(reader: &mut Reader<'_>, node: Node<'_>) -> Word {
    let style = match node.kind() {
        "regex" | "extglob_pattern" => Style::Pattern,
        _ => Style::Word,
    };
    span(reader, node.byte_range(), expansions(&[node]), style)
}

/// The word of `range`, whose expansions are `holes`.
pub(super) fn span(
    reader: &mut Reader<'_>,
    range: Range<usize>,
    holes: Vec<Node<'_>>,
    style: Style,
) -> Word {
    let text = reader.text.get(range.clone()).unwrap_or_default();
    let mut scan = Scan {
        reader,
        at: range.start,
        end: range.end,
        holes: holes.into_iter().peekable(),
        word: Word {
            text: text.to_owned(),
            ..Word::default()
        },
        plain: String::new(),
    };
    match style {
        Style::Word | Style::Pattern => scan.unquoted(style),
        Style::HereText => scan.quoted(None),
    }
    scan.finish()
}

/// The outermost expansions below `nodes`, in the order they stand.
pub(super) fn expansions<'tree>(nodes: &[Node<'tree>]) -> Vec<Node<'tree>> {
    let mut found = Vec::new();
    let mut waiting: Vec<Node<'_>> = nodes.iter().rev().copied().collect();
    while let Some(node) = waiting.pop() {
        match EXPANSIONS.contains(&node.kind()) {
            true => found.push(node),
            false => waiting.extend(children(node).into_iter().rev()),
        }
    }
    found
}

struct Scan<'r, 'a, 'tree> {
    reader: &'r mut Reader<'a>,
    at: usize,
    end: usize,
    holes: std::iter::Peekable<std::vec::IntoIter<Node<'tree>>>,
    word: Word,
    /// The unquoted characters; quoted ones are a NUL, which no command holds.
    plain: String,
}

impl<'a> Scan<'_, 'a, '_> {
    fn peek(&self) -> Option<char> {
        let rest: &'a str = self.reader.text;
        rest.get(self.at..self.end)?.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += character.len_utf8();
        Some(character)
    }

    fn text(&mut self, part: &str) {
        match self.word.pieces.last_mut() {
            Some(Piece::Text(text)) => text.push_str(part),
            _ => self.word.pieces.push(Piece::Text(part.to_owned())),
        }
    }

    fn character(&mut self, character: char) {
        self.text(character.encode_utf8(&mut [0; 4]));
    }

    fn problem(&mut self, code: Code) {
        self.word.problems.push(code.into());
    }

    /// An expansion that begins here is read whole.
    fn hole(&mut self, quoted: bool) -> bool {
        while self
            .holes
            .next_if(|hole| hole.start_byte() < self.at)
            .is_some()
        {
            self.problem(Code::Syntax);
        }
        let at = self.at;
        let Some(hole) = self.holes.next_if(|hole| hole.start_byte() == at) else {
            return false;
        };
        self.at = hole.end_byte();
        self.plain.push('\0');
        let found = expansion(self.reader, hole, quoted);
        self.word.problems.extend(found.problems);
        self.word.pieces.extend(found.pieces);
        true
    }

    fn unquoted(&mut self, style: Style) {
        while self.at < self.end {
            if self.hole(false) {
                continue;
            }
            let start = self.at;
            let Some(character) = self.next() else {
                break;
            };
            match character {
                '\\' => self.escape(),
                '\'' => self.single(),
                '"' => self.double(),
                '$' => self.dollar(true),
                '`' => self.unseen_substitution(start),
                '*' | '?' => {
                    self.plain.push(character);
                    self.word.pieces.push(Piece::Glob(character.to_string()));
                }
                '[' => self.bracket(start),
                '~' => self.tilde(),
                other => {
                    if METACHARACTERS.contains(&other) && style == Style::Word {
                        self.problem(Code::Syntax);
                    }
                    self.plain.push(other);
                    self.character(other);
                }
            }
        }
    }

    fn escape(&mut self) {
        match self.next() {
            Some('\n') => {}
            Some(character) => {
                self.plain.push('\0');
                self.character(character);
            }
            None => self.problem(Code::Syntax),
        }
    }

    fn single(&mut self) {
        self.plain.push('\0');
        self.text("");
        while let Some(character) = self.next() {
            if character == '\'' {
                return;
            }
            self.character(character);
        }
        self.problem(Code::Syntax);
    }

    fn double(&mut self) {
        self.plain.push('\0');
        self.text("");
        self.quoted(Some('"'));
    }

    /// Up to the closing quote, or to the end of a text that has none.
    fn quoted(&mut self, close: Option<char>) {
        while self.at < self.end {
            if self.hole(true) {
                continue;
            }
            let start = self.at;
            let Some(character) = self.next() else {
                break;
            };
            match character {
                '\\' => self.escape_in_quotes(close),
                '$' => self.dollar(false),
                '`' => self.unseen_substitution(start),
                _ if Some(character) == close => return,
                other => self.character(other),
            }
        }
        if close.is_some() {
            self.problem(Code::Syntax);
        }
    }

    fn escape_in_quotes(&mut self, close: Option<char>) {
        let Some(next) = self.next() else {
            self.text("\\");
            return;
        };
        match next {
            '\n' => {}
            '$' | '`' | '\\' => self.character(next),
            '"' if close.is_some() => self.character(next),
            other => {
                self.text("\\");
                self.character(other);
            }
        }
    }

    /// A `$` where the grammar sees no expansion.
    fn dollar(&mut self, unquoted: bool) {
        match self.peek() {
            Some('\'') if unquoted => {
                self.next();
                self.ansi_c();
            }
            Some('"') if unquoted => {
                self.next();
                self.problem(Code::TranslatedString);
                self.double();
            }
            Some('(' | '[' | '{') => self.unseen_substitution(self.at),
            Some(next) if next.is_ascii_alphanumeric() || "_@*#?$!-".contains(next) => {
                self.problem(Code::Syntax);
                self.word.pieces.push(Piece::Unknown);
            }
            Some(_) | None => self.text("$"),
        }
    }

    fn ansi_c(&mut self) {
        self.plain.push('\0');
        let start = self.at;
        while let Some(character) = self.next() {
            match character {
                '\\' => {
                    self.next();
                }
                '\'' => {
                    let inside = self.reader.text.get(start..self.at - 1).unwrap_or_default();
                    match ansi_c::decode(inside) {
                        Some(text) => self.text(&text),
                        None => self.word.pieces.push(Piece::Unknown),
                    }
                    return;
                }
                _ => {}
            }
        }
        self.problem(Code::Syntax);
    }

    /// Bash runs something here that the grammar took for text. What it is, is found as well as may be.
    fn unseen_substitution(&mut self, start: usize) {
        self.problem(Code::Syntax);
        let rest = self.reader.text.get(start..self.end).unwrap_or_default();
        let inside = match rest.strip_prefix('`') {
            Some(after) => {
                let end = closing_backquote(after);
                self.at = (start + 1 + end + 1).min(self.end);
                unescape_backquotes(after.get(..end).unwrap_or_default())
            }
            None => {
                let after = rest.get(1..).unwrap_or_default();
                let end = after.rfind([')', ']', '}']).unwrap_or(after.len());
                after.get(..end).unwrap_or_default().to_owned()
            }
        };
        let script = self.reader.nested_text(&inside);
        self.word.pieces.push(Piece::Substitution {
            script,
            quoted: false,
        });
    }

    fn bracket(&mut self, start: usize) {
        let rest = self.reader.text.get(self.at..self.end).unwrap_or_default();
        self.plain.push('[');
        let Some(length) = bracket_length(rest) else {
            self.text("[");
            return;
        };
        let set = rest.get(..length).unwrap_or_default();
        let has_hole = self
            .holes
            .peek()
            .is_some_and(|hole| hole.start_byte() < self.at + length);
        if has_hole || set.contains(['\'', '"', '\\', '$', '`', '/']) {
            self.word.pieces.push(Piece::Unknown);
            return;
        }
        self.at += length;
        let glob = self.reader.text.get(start..self.at).unwrap_or_default();
        self.word.pieces.push(Piece::Glob(glob.to_owned()));
    }

    /// At the start of a word, and after `name=` and each `:` behind it, a `~` means a home folder.
    fn tilde(&mut self) {
        let expands = match self.plain.as_str() {
            "" => true,
            before => {
                let name = before.split('=').next().unwrap_or_default();
                is_name(name) && before.ends_with(['=', ':']) && before.contains('=')
            }
        };
        let rest = self.reader.text.get(self.at..self.end).unwrap_or_default();
        let user = rest.split(['/', ':']).next().unwrap_or_default();
        let is_quoted = user.contains(['\'', '"', '\\', '$', '`']);
        let piece = match (expands, user) {
            (true, "") => Piece::Tilde,
            (true, _) if !is_quoted => Piece::Unknown,
            _ => {
                self.plain.push('~');
                self.text("~");
                return;
            }
        };
        self.plain.push('~');
        self.word.pieces.push(piece);
    }

    fn finish(mut self) -> Word {
        for _ in self.holes.by_ref() {
            self.word.problems.push(Code::Syntax.into());
        }
        if has_braces(&self.plain) {
            self.word
                .pieces
                .retain(|piece| !matches!(piece, Piece::Text(_) | Piece::Glob(_) | Piece::Tilde));
            self.word.pieces.push(Piece::Unknown);
        }
        self.word
    }
}

/// `text` is a name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The length of a bracket expression behind its `[`, with the `]`.
fn bracket_length(rest: &str) -> Option<usize> {
    let negation = usize::from(rest.starts_with(['!', '^']));
    let first = usize::from(rest.get(negation..)?.starts_with(']'));
    let begin = negation + first;
    let inside = rest.get(begin..)?;
    let end = inside.find(']')?;
    let is_one_word = !inside.get(..end)?.contains(METACHARACTERS);
    is_one_word.then_some(begin + end + 1)
}

/// A `{a,b}` or `{1..3}` stands in the unquoted characters.
fn has_braces(plain: &str) -> bool {
    let mut rest = plain;
    while let Some(open) = rest.find('{') {
        rest = rest.get(open + 1..).unwrap_or_default();
        let Some(close) = rest.rfind('}') else {
            return false;
        };
        let inside = rest.get(..close).unwrap_or_default();
        if inside.contains(',') || inside.contains("..") {
            return true;
        }
    }
    false
}

fn closing_backquote(text: &str) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            '`' if !escaped => return at,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

pub(super) fn unescape_backquotes(inside: &str) -> String {
    let mut text = String::with_capacity(inside.len());
    let mut rest = inside.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\\' if rest.peek().is_some_and(|next| "$`\\\"".contains(*next)) => {
                text.extend(rest.next());
            }
            other => text.push(other),
        }
    }
    text
}
