//! Regular expressions of `sed`, translated.
//!
//! Every construct is read and written anew, so nothing that means something else to the matcher gets through. What
//! GNU sed takes in more than one way, or only by accident, is refused.

mod bracket;

use super::SedRefusal;
use bracket::Set;
use std::fmt::Write as _;

/// The largest number in an interval.
const MAX_REPEATS: u32 = 255;
/// Characters that mean something in one syntax or the other.
const OPERATORS: &str = ".[]*^$+?(){}|\\";

/// Which of the two syntaxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    Basic,
    Extended,
}

/// Whether letters match in both cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    AsWritten,
    Folded,
}

/// A translated expression.
#[derive(Debug)]
pub(super) struct Pattern {
    /// In the syntax of the matcher.
    pub(super) source: String,
    pub(super) n_groups: usize,
    /// Its groups catch the same text by every rule for which text that is.
    pub(super) has_certain_groups: bool,
    /// Classes, folded case, and empty matches are certain in ASCII text only.
    pub(super) needs_ascii: bool,
}

/// Whether a character can be an operator.
pub(super) fn is_operator(c: char) -> bool {
    OPERATORS.contains(c)
}

pub(super) fn translate(regex: &[char], syntax: Syntax, case: Case) -> Result<Pattern, SedRefusal> {
    if case == Case::Folded && regex.iter().any(|c| !c.is_ascii()) {
        return Err(SedRefusal::script("case folding beyond ascii"));
    }
    let mut parser = Parser {
        regex,
        at: 0,
        syntax,
        case,
        out: String::new(),
        n_groups: 0,
        has_certain_groups: true,
        needs_ascii: case == Case::Folded,
    };
    let whole = parser.alternatives()?;
    if parser.at < regex.len() {
        return Err(SedRefusal::script("unmatched )"));
    }
    Ok(Pattern {
        source: parser.out,
        n_groups: parser.n_groups,
        has_certain_groups: parser.has_certain_groups,
        needs_ascii: parser.needs_ascii || whole.is_nullable,
    })
}

/// What is known of a part.
#[derive(Debug, Clone, Copy)]
struct Part {
    is_nullable: bool,
    has_anchor: bool,
}

/// One thing that a quantifier may follow, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Atom {
    Char,
    Group(Anchors),
    Anchor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchors {
    None,
    Inside,
}

/// Where in a sequence an atom stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Start,
    /// Right after the anchor that the sequence starts with.
    AfterStart,
    Inside,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Char(char),
    /// A backslash and this.
    Escaped(char),
    Any,
    Bracket,
    Open,
    Close,
    Or,
    Star,
    Plus,
    Question,
    Interval,
    Start,
    End,
}

struct Parser<'a> {
    regex: &'a [char],
    at: usize,
    syntax: Syntax,
    case: Case,
    out: String,
    n_groups: usize,
    has_certain_groups: bool,
    needs_ascii: bool,
}

impl Parser<'_> {
    /// The next token and how many characters it has.
    fn token(&self) -> Result<Option<(Token, usize)>, SedRefusal> {
        let Some(&c) = self.regex.get(self.at) else {
            return Ok(None);
        };
        if c == '\\' {
            let Some(&escaped) = self.regex.get(self.at + 1) else {
                return Err(SedRefusal::script("trailing backslash"));
            };
            let operator = operator(escaped).filter(|_| self.syntax == Syntax::Basic);
            return Ok(Some((operator.unwrap_or(Token::Escaped(escaped)), 2)));
        }
        let plain = match c {
            '.' => Token::Any,
            '[' => Token::Bracket,
            '*' => Token::Star,
            '^' => Token::Start,
            '$' => Token::End,
            _ => operator(c)
                .filter(|_| self.syntax == Syntax::Extended)
                .unwrap_or(Token::Char(c)),
        };
        Ok(Some((plain, 1)))
    }

    fn alternatives(&mut self) -> Result<Part, SedRefusal> {
        let mut whole = self.sequence()?;
        while let Some((Token::Or, width)) = self.token()? {
            self.at += width;
            self.has_certain_groups = false;
            self.out.push('|');
            let next = self.sequence()?;
            whole.is_nullable |= next.is_nullable;
            whole.has_anchor |= next.has_anchor;
        }
        Ok(whole)
    }

    fn sequence(&mut self) -> Result<Part, SedRefusal> {
        let mut whole = Part {
            is_nullable: true,
            has_anchor: false,
        };
        let mut place = Place::Start;
        while let Some((token, width)) = self.token()? {
            if matches!(token, Token::Or | Token::Close) {
                break;
            }
            self.at += width;
            let (atom, is_nullable) = self.atom(token, place)?;
            let must_match = match atom {
                // A quantifier after an anchor is refused as one without an atom, or is a character.
                Atom::Anchor => true,
                Atom::Char | Atom::Group(_) => self.quantifier(atom)?,
            };
            whole.has_anchor |= matches!(atom, Atom::Anchor | Atom::Group(Anchors::Inside));
            whole.is_nullable &= is_nullable || !must_match;
            place = match (place, token) {
                (Place::Start, Token::Start) => Place::AfterStart,
                (Place::Start | Place::AfterStart | Place::Inside, _) => Place::Inside,
            };
        }
        if self.out.is_empty() || self.out.ends_with(['(', '|']) {
            return Err(SedRefusal::script("empty alternative"));
        }
        Ok(whole)
    }

    /// Writes one atom. Gives whether it can match nothing, too.
    fn atom(&mut self, token: Token, place: Place) -> Result<(Atom, bool), SedRefusal> {
        match token {
            Token::Char(c) => self.literal(c),
            Token::Escaped(c) => return self.escaped(c),
            Token::Any => self.out.push_str("(?s:.)"),
            Token::Bracket => {
                let (set, end) = Set::parse(self.regex, self.at)?;
                self.at = end;
                self.needs_ascii |= set.has_class;
                self.set(&set);
            }
            Token::Open => return self.group(),
            Token::Star if place != Place::Inside && self.syntax == Syntax::Basic => {
                self.literal('*');
            }
            Token::Start if place == Place::Start || self.syntax == Syntax::Extended => {
                self.out.push('^');
                return Ok((Atom::Anchor, true));
            }
            Token::End if self.syntax == Syntax::Extended || self.is_at_end()? => {
                self.out.push('$');
                return Ok((Atom::Anchor, true));
            }
            Token::Start => return Err(SedRefusal::script("^ not at start")),
            Token::End => return Err(SedRefusal::script("$ not at end")),
            Token::Star | Token::Plus | Token::Question | Token::Interval => {
                return Err(SedRefusal::script("quantifier without atom"));
            }
            Token::Or | Token::Close => return Err(SedRefusal::script("empty alternative")),
        }
        Ok((Atom::Char, false))
    }

    fn is_at_end(&self) -> Result<bool, SedRefusal> {
        let next = self.token()?;
        Ok(next.is_none_or(|(token, _)| matches!(token, Token::Or | Token::Close)))
    }

    fn escaped(&mut self, c: char) -> Result<(Atom, bool), SedRefusal> {
        let boundary = match c {
            'b' => "(?-u:\\b)",
            '<' => "(?-u:\\b{start})",
            '>' => "(?-u:\\b{end})",
            't' => {
                self.literal('\t');
                return Ok((Atom::Char, false));
            }
            'w' | 'W' | 's' | 'S' => {
                self.needs_ascii = true;
                self.set(&Set::of_escape(c));
                return Ok((Atom::Char, false));
            }
            '1'..='9' => return Err(SedRefusal::script("backreference in pattern")),
            '`' | '\'' => return Err(SedRefusal::script("buffer anchor")),
            _ if c.is_ascii_punctuation() => {
                self.literal(c);
                return Ok((Atom::Char, false));
            }
            _ => {
                let reason = format_args!("escape \\{c} in pattern");
                return Err(SedRefusal::script(reason));
            }
        };
        self.needs_ascii = true;
        self.out.push_str(boundary);
        Ok((Atom::Anchor, true))
    }

    fn group(&mut self) -> Result<(Atom, bool), SedRefusal> {
        self.n_groups += 1;
        self.out.push('(');
        let inside = self.alternatives()?;
        match self.token()? {
            Some((Token::Close, width)) => self.at += width,
            _ => return Err(SedRefusal::script("unclosed group")),
        }
        self.out.push(')');
        let anchors = match inside.has_anchor {
            true => Anchors::Inside,
            false => Anchors::None,
        };
        Ok((Atom::Group(anchors), inside.is_nullable))
    }

    /// Writes the quantifier that follows, if one does. Gives whether the atom must match.
    fn quantifier(&mut self, atom: Atom) -> Result<bool, SedRefusal> {
        let Some((token, width)) = self.token()? else {
            return Ok(true);
        };
        let (written, must_match) = match token {
            Token::Star => ("*".to_owned(), false),
            Token::Plus => ("+".to_owned(), true),
            Token::Question => ("?".to_owned(), false),
            Token::Interval => self.interval(width)?,
            _ => return Ok(true),
        };
        match atom {
            Atom::Anchor => return Err(SedRefusal::script("quantifier without atom")),
            Atom::Group(Anchors::Inside) => {
                return Err(SedRefusal::script("anchor in repeated group"));
            }
            Atom::Group(Anchors::None) => self.has_certain_groups = false,
            Atom::Char => {}
        }
        if token != Token::Interval {
            self.at += width;
        }
        self.out.push_str(&written);
        match self.token()? {
            Some((Token::Star | Token::Plus | Token::Question | Token::Interval, _)) => {
                Err(SedRefusal::script("quantifier without atom"))
            }
            _ => Ok(must_match),
        }
    }

    /// `{n}`, `{n,}` and `{n,m}`, from after the brace.
    fn interval(&mut self, width: usize) -> Result<(String, bool), SedRefusal> {
        let bad = || SedRefusal::script("bad interval");
        self.at += width;
        let closing = match self.syntax {
            Syntax::Basic => "\\}",
            Syntax::Extended => "}",
        };
        let rest: String = self.regex.iter().skip(self.at).collect();
        let (inside, _) = rest.split_once(closing).ok_or_else(bad)?;
        let number = |digits: &str| -> Result<u32, SedRefusal> {
            let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
            let number = digits.parse().ok().filter(|_| is_number);
            number
                .filter(|number| *number <= MAX_REPEATS)
                .ok_or_else(bad)
        };
        let (min, max) = match inside.split_once(',') {
            None => (number(inside)?, Some(number(inside)?)),
            Some((min, "")) => (number(min)?, None),
            Some((min, max)) => (number(min)?, Some(number(max)?)),
        };
        if max.is_some_and(|max| max == 0 || max < min) {
            return Err(bad());
        }
        self.at += inside.chars().count() + closing.len();
        let max_text = max.map(|max| max.to_string()).unwrap_or_default();
        Ok((format!("{{{min},{max_text}}}"), min > 0))
    }

    fn literal(&mut self, c: char) {
        match self.case {
            Case::Folded if c.is_ascii_alphabetic() => {
                let (lower, upper) = (c.to_ascii_lowercase(), c.to_ascii_uppercase());
                self.out.extend(['[', lower, upper, ']']);
            }
            Case::Folded | Case::AsWritten => push_char(&mut self.out, c),
        }
    }

    fn set(&mut self, set: &Set) {
        self.out.push('[');
        if set.is_negated {
            self.out.push('^');
        }
        for c in set.members(self.case) {
            push_char(&mut self.out, c);
        }
        self.out.push(']');
    }
}

/// The operators that have a backslash in one syntax and none in the other.
fn operator(c: char) -> Option<Token> {
    match c {
        '(' => Some(Token::Open),
        ')' => Some(Token::Close),
        '|' => Some(Token::Or),
        '+' => Some(Token::Plus),
        '?' => Some(Token::Question),
        '{' => Some(Token::Interval),
        _ => None,
    }
}

fn push_char(out: &mut String, c: char) {
    // Writing to a text cannot fail.
    if write!(out, "\\x{{{:x}}}", u32::from(c)).is_err() {
        out.push(c);
    }
}
