//! One line of a result: capped, harmless, with the matches marked.

use crate::walk::escape_line;
use std::ops::Range;

/// Longer lines are cut; they are minified or data.
pub(super) const MAX_LINE_CHARS: usize = 500;
/// Characters kept in front of the first match of a cut line.
const CHARS_BEFORE_MATCH: usize = 100;

/// A line of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Why the line is there.
    pub kind: LineKind,
    /// 1-based line number in the file.
    pub number: usize,
    /// The text as shown: capped, control characters escaped, without its line end.
    pub text: String,
    /// Byte ranges of the matches in `text`.
    pub ranges: Vec<Range<usize>>,
    /// Whether all of the line is shown.
    pub is_whole: bool,
}

/// Why a line is in a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// It matches, or is the first line of a match.
    Match,
    /// It continues the match of the line before.
    MatchContinued,
    /// It is near a match.
    Context,
    /// It stands for the rest of a long match.
    Omitted,
}

/// Shows one line of bytes. `matches` are byte ranges in it.
pub(super) fn show(kind: LineKind, number: usize, bytes: &[u8], matches: &[Range<usize>]) -> Line {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    let n_chars = count_chars(bytes);
    let window = window(bytes, n_chars, matches.first().map(|first| first.start));
    let mut text = String::new();
    let mut ranges = Vec::new();
    if window.start > 0 {
        text.push('…');
    }
    let mut at = window.start;
    for found in matches {
        let found = found.start.clamp(at, window.end)..found.end.clamp(at, window.end);
        if found.is_empty() {
            continue;
        }
        push_shown(&mut text, bytes, at..found.start);
        let start = text.len();
        push_shown(&mut text, bytes, found.clone());
        ranges.push(start..text.len());
        at = found.end;
    }
    push_shown(&mut text, bytes, at..window.end);
    if window.end < bytes.len() {
        text.push('…');
    }
    if n_chars > MAX_LINE_CHARS {
        text.push_str(&format!(" [line has {n_chars} characters]"));
    }
    Line {
        kind,
        number,
        text,
        ranges,
        is_whole: n_chars <= MAX_LINE_CHARS,
    }
}

/// The line that stands for the rest of a long match.
pub(super) fn omitted(number: usize, n_lines: usize) -> Line {
    Line {
        kind: LineKind::Omitted,
        number,
        text: format!("… {n_lines} more lines"),
        ranges: Vec::new(),
        is_whole: false,
    }
}

fn push_shown(text: &mut String, bytes: &[u8], part: Range<usize>) {
    let part = bytes.get(part).unwrap_or_default();
    text.push_str(&escape_line(&String::from_utf8_lossy(part)));
}

/// Bytes that begin a character; a byte that is no UTF-8 counts as one where it stands alone.
fn is_start(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

fn count_chars(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| is_start(**byte)).count()
}

/// The byte range to show: all of a short line, else the part around the first match.
fn window(bytes: &[u8], n_chars: usize, first_match: Option<usize>) -> Range<usize> {
    if n_chars <= MAX_LINE_CHARS {
        return 0..bytes.len();
    }
    let match_char = count_chars(bytes.get(..first_match.unwrap_or(0)).unwrap_or_default());
    let first = match_char.saturating_sub(CHARS_BEFORE_MATCH);
    let start = char_offset(bytes, first);
    let length = char_offset(bytes.get(start..).unwrap_or_default(), MAX_LINE_CHARS);
    start..start + length
}

/// Byte offset of the character with index `n`.
fn char_offset(bytes: &[u8], n: usize) -> usize {
    let starts = bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| is_start(**byte));
    starts.map(|(at, _)| at).nth(n).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::{LineKind, show};
    use std::ops::Range;

    fn check(bytes: &[u8], matches: &[(usize, usize)], text: &str, ranges: &[(usize, usize)]) {
        let as_ranges = |pairs: &[(usize, usize)]| -> Vec<Range<usize>> {
            pairs.iter().map(|(start, end)| *start..*end).collect()
        };
        let line = show(LineKind::Match, 1, bytes, &as_ranges(matches));
        assert_eq!(line.text, text);
        assert_eq!(line.ranges, as_ranges(ranges), "{text}");
    }

    #[test]
    fn short_lines_are_shown_whole() {
        check(b"let a = 1;\n", &[(4, 5)], "let a = 1;", &[(4, 5)]);
        check(b"a\r\n", &[(0, 1)], "a", &[(0, 1)]);
        check(b"a\rb", &[(2, 3)], "a\\x0db", &[(5, 6)]);
        check(b"\ttab\x1b[0m", &[(1, 4)], "\ttab\\x1b[0m", &[(1, 4)]);
        check(b"\xffab", &[(1, 2)], "\u{fffd}ab", &[(3, 4)]);
        check(b"abab", &[(0, 2), (2, 4)], "abab", &[(0, 2), (2, 4)]);
        check(b"ab", &[(1, 1)], "ab", &[]);
    }

    #[test]
    fn long_lines_show_the_first_match() {
        let mut line = vec![b'x'; 1000];
        line.extend(b"needle");
        line.extend(vec![b'y'; 1000]);
        let only = |range: Range<usize>| -> Vec<Range<usize>> { std::iter::once(range).collect() };
        let shown = show(LineKind::Match, 1, &line, &only(1000..1006));
        let expected = format!(
            "…{}needle{}… [line has 2006 characters]",
            "x".repeat(100),
            "y".repeat(394)
        );
        assert_eq!(shown.text, expected);
        let cut = "…".len();
        assert_eq!(shown.ranges, only(cut + 100..cut + 106));
        let early = show(LineKind::Match, 1, &line, &only(10..12));
        assert!(early.text.starts_with("xxx"), "nothing is cut in front");
        let context = show(LineKind::Context, 1, "é".repeat(501).as_bytes(), &[]);
        assert_eq!(
            context.text,
            format!("{}… [line has 501 characters]", "é".repeat(500))
        );
    }
}
