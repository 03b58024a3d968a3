//! Patterns of paths and words, and whether two of them can mean the same text.
//!
//! A rule is a pattern, and so is an operand whose text is known only in part. "Could this word be that path?" is the
//! question whether both patterns share a text.

/// A pattern, from left to right.
pub type Pattern = Vec<Atom>;

/// A part of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Atom {
    /// This character.
    Char(char),
    /// Any one character of a name.
    One,
    /// Any characters of a name, also none.
    Star,
    /// A character that a name shown by `*` may begin with; together with the [`Star`](Self::Star) behind it, or
    /// nothing.
    NameStart,
    /// The slash before names at any depth; together with the [`Any`](Self::Any) behind it, or nothing.
    DeepSlash,
    /// Any text at all.
    Any,
}

/// The pattern that is only this text.
pub(crate) fn literal(text: &str) -> Pattern {
    text.chars().map(Atom::Char).collect()
}

/// The text, where the pattern is only that.
pub(crate) fn as_literal(pattern: &[Atom]) -> Option<String> {
    let characters = pattern.iter().map(|atom| match atom {
        Atom::Char(character) => Some(*character),
        _ => None,
    });
    characters.collect()
}
