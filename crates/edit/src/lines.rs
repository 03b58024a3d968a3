//! Lines of a text with LF breaks.
//!
//! A line is what stands between breaks; an empty piece after the last break is no line. Only LF breaks a line: a lone
//! CR, NEL, LS, PS, VT and FF are data. Statistics compare lines without their breaks; diffs and writing compare whole
//! pieces, where a last line without a break differs from the same line with one.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr_iter, memmem, memrchr};

/// The same text with each CRLF as one LF. A lone CR stays.
pub fn with_lf(text: &str) -> Cow<'_, str> {
    match memmem::find(text.as_bytes(), b"\r\n") {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(text.replace("\r\n", "\n")),
    }
}

/// The lines with their breaks.
pub fn pieces(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The lines without their breaks.
pub fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').map(without_break).collect()
}

/// Number of lines.
pub fn count_lines(text: &str) -> usize {
    let n_breaks = memchr_iter(b'\n', text.as_bytes()).count();
    let is_terminated = text.is_empty() || text.ends_with('\n');
    n_breaks + usize::from(!is_terminated)
}

/// A piece without its break.
pub(crate) fn without_break(piece: &str) -> &str {
    piece.strip_suffix('\n').unwrap_or(piece)
}

/// The part of a text between two byte offsets on character boundaries.
pub(crate) fn part(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

/// The 1-based number of the line that holds a byte offset.
pub(crate) fn line_number_at(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    memchr_iter(b'\n', before).count() + 1
}

/// Where the line of a byte offset starts.
pub(crate) fn line_start(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    memrchr(b'\n', before).map_or(0, |break_at| break_at + 1)
}

/// Where each line of a text is.
#[derive(Debug)]
pub(crate) struct LineIndex<'t> {
    text: &'t str,
    /// The start of each line, and the end of the text.
    starts: Vec<usize>,
}

impl<'t> LineIndex<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Self { text, starts }
    }

    /// Number of lines.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where a line starts.
    pub(crate) fn start(&self, line: usize) -> usize {
        self.starts[line]
    }

    /// Where a line ends, without its break.
    pub(crate) fn end(&self, line: usize) -> usize {
        self.next_start(line) - usize::from(self.is_terminated(line))
    }

    /// Where the next line starts, or the text ends.
    pub(crate) fn next_start(&self, line: usize) -> usize {
        self.starts[line + 1]
    }

    /// A break follows the line.
    pub(crate) fn is_terminated(&self, line: usize) -> bool {
        let end = self.next_start(line);
        end > self.start(line) && self.text.as_bytes()[end - 1] == b'\n'
    }

    /// A line without its break.
    pub(crate) fn line(&self, line: usize) -> &'t str {
        part(self.text, self.start(line)..self.end(line))
    }

    /// All lines without their breaks.
    pub(crate) fn lines(&self) -> impl DoubleEndedIterator<Item = &'t str> {
        (0..self.len()).map(|line| self.line(line))
    }

    /// The lines that a span of the text touches.
    pub(crate) fn touched(&self, span: &Range<usize>) -> Range<usize> {
        let starts = &self.starts[..self.len()];
        let first = starts.partition_point(|&start| start <= span.start);
        let after = starts.partition_point(|&start| start < span.end);
        first.saturating_sub(1)..after.max(first)
    }
}

/// A place in a text as people name it: 1-based, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// 1-based line.
    pub line: usize,
    /// 1-based column, in Unicode scalar values.
    pub column: usize,
}

impl Position {
    /// The place of a byte offset.
    pub fn of(text: &str, offset: usize) -> Self {
        let start = line_start(text, offset);
        Self {
            line: line_number_at(text, offset),
            column: part(text, start..offset).chars().count() + 1,
        }
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_follow_breaks_only() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(lines(text), expected, "{text:?}");
            assert_eq!(count_lines(text), expected.len(), "{text:?}");
            assert_eq!(pieces(text).concat(), text);
        };
        check("", &[]);
        check("a", &["a"]);
        check("a\n", &["a"]);
        check("\n", &[""]);
        check("a\n\nb", &["a", "", "b"]);
        check("a\rb\u{2028}c\n", &["a\rb\u{2028}c"]);
    }

    #[test]
    fn the_index_has_the_lines() {
        for text in ["", "a", "a\n", "\n", "a\n\nb", "a\rb\n"] {
            let index = LineIndex::of(text);
            assert_eq!(index.lines().collect::<Vec<_>>(), lines(text), "{text:?}");
        }
    }

    #[test]
    fn spans_touch_lines() {
        let index = LineIndex::of("ab\ncd\n\nef");
        let check = |span, lines| assert_eq!(index.touched(&span), lines, "{span:?}");
        check(0..2, 0..1);
        check(0..3, 0..1);
        check(1..4, 0..2);
        check(3..6, 1..2);
        check(6..7, 2..3);
        check(7..9, 3..4);
        check(9..9, 3..4);
    }

    #[test]
    fn positions_count_characters() {
        let check = |offset, line, column| {
            assert_eq!(Position::of("é\n😀x\n", offset), Position { line, column });
        };
        check(0, 1, 1);
        check(2, 1, 2);
        check(3, 2, 1);
        check(7, 2, 2);
        check(9, 3, 1);
    }

    #[test]
    fn only_pairs_of_cr_and_lf_become_one_break() {
        assert_eq!(with_lf("a\r\r\nb\rc\r\n"), "a\r\nb\rc\n");
        assert!(matches!(with_lf("a\rb\n"), Cow::Borrowed(_)));
    }
}
