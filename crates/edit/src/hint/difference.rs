//! The first difference of two lines, what kind it is, and the names of characters.

use std::fmt::{Display, Formatter, Result as FmtResult};

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::normalize::norm;

/// What sets two characters apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DifferenceKind {
    /// Blanks or TABs at the start of the line.
    Indentation,
    /// Blanks or TABs at the end of the line.
    TrailingBlanks,
    /// White space inside the line.
    InteriorWhiteSpace,
    /// A typographic form of the same character.
    Typographic,
    /// A character that has no width.
    Invisible,
    /// The full-width form of the same character.
    FullWidth,
    /// The same character, composed in another way.
    CanonicalEquivalent,
    /// Upper and lower case.
    Case,
    /// A backslash that one side has.
    Escaping,
    /// Other text.
    Text,
}

impl Display for DifferenceKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        f.write_str(match self {
            Self::Indentation => "indentation",
            Self::TrailingBlanks => "trailing blanks",
            Self::InteriorWhiteSpace => "interior white space",
            Self::Typographic => "typographic",
            Self::Invisible => "invisible character",
            Self::FullWidth => "full-width form",
            Self::CanonicalEquivalent => "canonically equivalent",
            Self::Case => "case",
            Self::Escaping => "escaping",
            Self::Text => "text",
        })
    }
}

/// Where two lines part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FirstDifference {
    /// Characters before it.
    pub(super) at: usize,
    pub(super) kind: DifferenceKind,
    pub(super) in_file: Option<char>,
    pub(super) in_old: Option<char>,
}

/// The first difference of two unequal lines.
pub(super) fn first_difference(file: &str, old: &str) -> FirstDifference {
    let (file, old): (Vec<char>, Vec<char>) = (file.chars().collect(), old.chars().collect());
    let at = file.iter().zip(&old).take_while(|(a, b)| a == b).count();
    FirstDifference {
        at,
        kind: kind_of(&file[..at], &file[at..], &old[at..]),
        in_file: file.get(at).copied(),
        in_old: old.get(at).copied(),
    }
}

/// What sets two lines apart behind the part they share.
fn kind_of(shared: &[char], file: &[char], old: &[char]) -> DifferenceKind {
    let (a, b) = (file.first().copied(), old.first().copied());
    let both = |same: fn(char) -> char| a.zip(b).is_some_and(|(a, b)| same(a) == same(b));
    let either = |is: fn(char) -> bool| a.is_some_and(is) || b.is_some_and(is);
    let is_blank_rest = |rest: &[char]| rest.iter().all(|c| c.is_whitespace());
    if both(norm) {
        DifferenceKind::Typographic
    } else if is_blank_rest(file) && is_blank_rest(old) {
        DifferenceKind::TrailingBlanks
    } else if either(char::is_whitespace) && is_blank_rest(shared) {
        DifferenceKind::Indentation
    } else if either(char::is_whitespace) {
        DifferenceKind::InteriorWhiteSpace
    } else if either(is_invisible) {
        DifferenceKind::Invisible
    } else if both(without_full_width) {
        DifferenceKind::FullWidth
    } else if is_canonical_equivalent(shared, file, old) {
        DifferenceKind::CanonicalEquivalent
    } else if both(|c| c.to_lowercase().next().unwrap_or(c)) {
        DifferenceKind::Case
    } else if either(|c| c == '\\') {
        DifferenceKind::Escaping
    } else {
        DifferenceKind::Text
    }
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

/// The ASCII character of a full-width form; any other character as it is.
fn without_full_width(c: char) -> char {
    match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
        '\u{3000}' => ' ',
        _ => c,
    }
}

/// Whether the characters at the difference, with the marks that belong to them, are composed forms of one another.
fn is_canonical_equivalent(shared: &[char], file: &[char], old: &[char]) -> bool {
    // A line may part inside a character: `e` is shared, then one side has a mark.
    let base = shared.last().copied();
    let cluster = |rest: &[char]| -> String {
        let n_marks = rest
            .iter()
            .skip(1)
            .take_while(|&&c| is_combining_mark(c))
            .count();
        let own = rest.iter().take(n_marks + 1).copied();
        base.into_iter().chain(own).nfd().collect()
    };
    let (file, old) = (cluster(file), cluster(old));
    !file.is_empty() && file == old
}

/// A character by number and name; nothing is the end of the line.
pub(crate) struct CharName(pub(crate) Option<char>);

impl Display for CharName {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        let Some(c) = self.0 else {
            return f.write_str("the end of the line");
        };
        write!(f, "U+{:04X} ", u32::from(c))?;
        match name(c) {
            Some(name) => f.write_str(name),
            None if matches!(c, '\u{FF01}'..='\u{FF5E}') => {
                write!(f, "FULLWIDTH `{}`", without_full_width(c))
            }
            None if is_combining_mark(c) => f.write_str("combining mark"),
            None if c.is_control() => f.write_str("control character"),
            None => write!(f, "`{c}`"),
        }
    }
}

/// The names of characters that cannot be told by sight.
fn name(c: char) -> Option<&'static str> {
    NAMES
        .iter()
        .find(|(named, _)| *named == c)
        .map(|(_, name)| *name)
}

/// Unicode names of blanks, quotes, hyphens and invisible characters.
const NAMES: &[(char, &str)] = &[
    ('\t', "TAB"),
    ('\r', "CARRIAGE RETURN"),
    (' ', "SPACE"),
    ('"', "QUOTATION MARK"),
    ('\'', "APOSTROPHE"),
    ('-', "HYPHEN-MINUS"),
    ('`', "GRAVE ACCENT"),
    ('\\', "REVERSE SOLIDUS (backslash)"),
    ('\u{A0}', "NO-BREAK SPACE"),
    ('\u{AD}', "SOFT HYPHEN"),
    ('\u{B4}', "ACUTE ACCENT"),
    ('\u{2000}', "EN QUAD"),
    ('\u{2001}', "EM QUAD"),
    ('\u{2002}', "EN SPACE"),
    ('\u{2003}', "EM SPACE"),
    ('\u{2004}', "THREE-PER-EM SPACE"),
    ('\u{2005}', "FOUR-PER-EM SPACE"),
    ('\u{2006}', "SIX-PER-EM SPACE"),
    ('\u{2007}', "FIGURE SPACE"),
    ('\u{2008}', "PUNCTUATION SPACE"),
    ('\u{2009}', "THIN SPACE"),
    ('\u{200A}', "HAIR SPACE"),
    ('\u{200B}', "ZERO WIDTH SPACE"),
    ('\u{200C}', "ZERO WIDTH NON-JOINER"),
    ('\u{200D}', "ZERO WIDTH JOINER"),
    ('\u{200E}', "LEFT-TO-RIGHT MARK"),
    ('\u{200F}', "RIGHT-TO-LEFT MARK"),
    ('\u{2010}', "HYPHEN"),
    ('\u{2011}', "NON-BREAKING HYPHEN"),
    ('\u{2012}', "FIGURE DASH"),
    ('\u{2013}', "EN DASH"),
    ('\u{2014}', "EM DASH"),
    ('\u{2015}', "HORIZONTAL BAR"),
    ('\u{2018}', "LEFT SINGLE QUOTATION MARK"),
    ('\u{2019}', "RIGHT SINGLE QUOTATION MARK"),
    ('\u{201A}', "SINGLE LOW-9 QUOTATION MARK"),
    ('\u{201B}', "SINGLE HIGH-REVERSED-9 QUOTATION MARK"),
    ('\u{201C}', "LEFT DOUBLE QUOTATION MARK"),
    ('\u{201D}', "RIGHT DOUBLE QUOTATION MARK"),
    ('\u{201E}', "DOUBLE LOW-9 QUOTATION MARK"),
    ('\u{201F}', "DOUBLE HIGH-REVERSED-9 QUOTATION MARK"),
    ('\u{2026}', "HORIZONTAL ELLIPSIS"),
    ('\u{202A}', "LEFT-TO-RIGHT EMBEDDING"),
    ('\u{202B}', "RIGHT-TO-LEFT EMBEDDING"),
    ('\u{202C}', "POP DIRECTIONAL FORMATTING"),
    ('\u{202D}', "LEFT-TO-RIGHT OVERRIDE"),
    ('\u{202E}', "RIGHT-TO-LEFT OVERRIDE"),
    ('\u{202F}', "NARROW NO-BREAK SPACE"),
    ('\u{2032}', "PRIME"),
    ('\u{2033}', "DOUBLE PRIME"),
    ('\u{205F}', "MEDIUM MATHEMATICAL SPACE"),
    ('\u{2060}', "WORD JOINER"),
    ('\u{2212}', "MINUS SIGN"),
    ('\u{3000}', "IDEOGRAPHIC SPACE"),
    ('\u{FEFF}', "ZERO WIDTH NO-BREAK SPACE"),
    ('\u{FFFD}', "REPLACEMENT CHARACTER"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_told_apart() {
        let check = |file: &str, old: &str, at: usize, kind: DifferenceKind| {
            let found = first_difference(file, old);
            assert_eq!((found.at, found.kind), (at, kind), "{file:?} {old:?}");
        };
        check("\tfoo", "    foo", 0, DifferenceKind::Indentation);
        check("  foo(1)", "    foo(2)", 2, DifferenceKind::Indentation);
        check("foo  ", "foo", 3, DifferenceKind::TrailingBlanks);
        check(
            "f(a,   b)",
            "f(a, b)",
            5,
            DifferenceKind::InteriorWhiteSpace,
        );
        check(
            "say \u{201C}hi\u{201D}",
            "say \"hi\"",
            4,
            DifferenceKind::Typographic,
        );
        check("\u{A0}x", " x", 0, DifferenceKind::Typographic);
        check("foo\u{200B}bar", "foobar", 3, DifferenceKind::Invisible);
        check("\u{FF08}x", "(x", 0, DifferenceKind::FullWidth);
        check(
            "cafe\u{301} noir",
            "caf\u{E9} noir",
            3,
            DifferenceKind::CanonicalEquivalent,
        );
        check(
            "caf\u{E9} noir",
            "cafe\u{301} noir",
            3,
            DifferenceKind::CanonicalEquivalent,
        );
        check("cafe", "caf\u{E9}", 3, DifferenceKind::Text);
        check("foo", "Foo", 0, DifferenceKind::Case);
        check("say \"hi\"", "say \\\"hi\\\"", 4, DifferenceKind::Escaping);
        check("a = 1", "a = 2", 4, DifferenceKind::Text);
    }

    #[test]
    fn characters_have_numbers_and_names() {
        let check = |c, expected: &str| assert_eq!(CharName(c).to_string(), expected);
        check(Some('\u{2019}'), "U+2019 RIGHT SINGLE QUOTATION MARK");
        check(Some('\u{FF08}'), "U+FF08 FULLWIDTH `(`");
        check(Some('\u{301}'), "U+0301 combining mark");
        check(Some('q'), "U+0071 `q`");
        check(None, "the end of the line");
    }
}
