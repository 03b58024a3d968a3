//! Bracket expressions as sets of characters.

use super::Case;
use crate::sed::SedRefusal;
use std::collections::BTreeSet;

/// A set of characters, or all but these.
pub(super) struct Set {
    members: BTreeSet<char>,
    pub(super) is_negated: bool,
    pub(super) has_class: bool,
}

impl Set {
    /// Reads from after the opening bracket. Gives where it ends.
    pub(super) fn parse(regex: &[char], start: usize) -> Result<(Self, usize), SedRefusal> {
        let mut set = Self {
            members: BTreeSet::new(),
            is_negated: regex.get(start) == Some(&'^'),
            has_class: false,
        };
        let first = start + usize::from(set.is_negated);
        let mut at = first;
        loop {
            let rest = regex.get(at..).unwrap_or_default();
            at += match rest {
                [] => return Err(SedRefusal::script("unclosed bracket")),
                [']', ..] if at > first => return Ok((set, at + 1)),
                ['\\', ..] => return Err(SedRefusal::script("backslash in bracket")),
                ['[', '.' | '=', ..] => return Err(SedRefusal::script("collating element")),
                ['[', ':', name @ ..] => set.class(name)?,
                [from, '-', to, ..] if *to != ']' => set.range(*from, *to, rest)?,
                [one, ..] => {
                    set.members.insert(*one);
                    1
                }
            };
        }
    }

    /// `\w` and its like.
    pub(super) fn of_escape(letter: char) -> Self {
        let is_member = |c: &char| match letter.to_ascii_lowercase() {
            'w' => c.is_ascii_alphanumeric() || *c == '_',
            _ => is_space(*c),
        };
        Self {
            members: ascii().filter(is_member).collect(),
            is_negated: letter.is_ascii_uppercase(),
            has_class: true,
        }
    }

    /// Adds `[:name:]`; gives its width.
    fn class(&mut self, rest: &[char]) -> Result<usize, SedRefusal> {
        let name: String = rest.iter().take_while(|c| **c != ':').collect();
        let width = name.chars().count();
        if rest.get(width..width + 2) != Some(&[':', ']']) {
            return Err(SedRefusal::script("class"));
        }
        let is_member: fn(&char) -> bool = match name.as_str() {
            "alpha" => char::is_ascii_alphabetic,
            "digit" => char::is_ascii_digit,
            "alnum" => char::is_ascii_alphanumeric,
            "upper" => char::is_ascii_uppercase,
            "lower" => char::is_ascii_lowercase,
            "punct" => char::is_ascii_punctuation,
            "xdigit" => char::is_ascii_hexdigit,
            "cntrl" => char::is_ascii_control,
            "graph" => char::is_ascii_graphic,
            "print" => |c| c.is_ascii_graphic() || *c == ' ',
            "blank" => |c| matches!(c, ' ' | '\t'),
            "space" => |c| is_space(*c),
            _ => return Err(SedRefusal::script("class")),
        };
        self.has_class = true;
        self.members.extend(ascii().filter(is_member));
        if rest.get(width + 2) == Some(&'-') && rest.get(width + 3) != Some(&']') {
            return Err(SedRefusal::script("range from class"));
        }
        Ok(width + 4)
    }

    fn range(&mut self, from: char, to: char, rest: &[char]) -> Result<usize, SedRefusal> {
        let goes_on = rest.get(3) == Some(&'-') && rest.get(4) != Some(&']');
        let is_plain = from.is_ascii() && to.is_ascii() && from <= to;
        if !is_plain || goes_on || to == '[' || to == '\\' {
            return Err(SedRefusal::script("range in bracket"));
        }
        self.members.extend(from..=to);
        Ok(3)
    }

    /// The members, in both cases if letters are folded.
    pub(super) fn members(&self, case: Case) -> BTreeSet<char> {
        let mut members = self.members.clone();
        if case == Case::Folded {
            members.extend(self.members.iter().map(char::to_ascii_lowercase));
            members.extend(self.members.iter().map(char::to_ascii_uppercase));
        }
        members
    }
}

fn ascii() -> impl Iterator<Item = char> {
    '\0'..='\x7F'
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}
