//! The commands of a script that can be worked out: `s d a i c`, with addresses.

use super::SedRefusal;
use super::matcher::Matcher;
use super::pattern::{Case, Pattern, Syntax, is_operator, translate};

/// The largest number of a match; GNU sed takes any, nobody means more.
const MAX_MATCH_NUMBER: u64 = 1_000_000;

/// The commands, in order.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) commands: Vec<Command>,
    /// A regular expression whose meaning beyond ASCII depends on the locale, or on a fault of GNU sed.
    pub(super) needs_ascii: bool,
}

#[derive(Debug)]
pub(super) struct Command {
    pub(super) lines: Lines,
    pub(super) is_negated: bool,
    pub(super) action: Action,
}

/// Which lines a command is for.
#[derive(Debug)]
pub(super) enum Lines {
    All,
    One(Address),
    Range(Address, Address),
}

#[derive(Debug)]
pub(super) enum Address {
    Line(u64),
    Last,
    Matching(Box<Matcher>),
}

#[derive(Debug)]
pub(super) enum Action {
    Substitute(Substitution),
    Delete,
    Append(String),
    Insert(String),
    Change(String),
}

#[derive(Debug)]
pub(super) struct Substitution {
    pub(super) matcher: Box<Matcher>,
    pub(super) replacement: Vec<Piece>,
    /// The first match that is replaced, from 1.
    pub(super) from: u64,
    pub(super) extent: Extent,
}

/// How many matches of a line are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    One,
    Rest,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    WholeMatch,
    Group(usize),
}

pub(super) fn parse(text: &str, syntax: Syntax) -> Result<Script, SedRefusal> {
    let mut parser = Parser {
        text: text.chars().collect(),
        at: 0,
        syntax,
        needs_ascii: false,
        has_other_text: false,
    };
    let mut commands = Vec::new();
    loop {
        parser.skip(|c| matches!(c, ' ' | '\t' | '\n' | ';'));
        if parser.peek().is_none() {
            break;
        }
        commands.push(parser.command()?);
    }
    require_order(&commands)?;
    if parser.needs_ascii && parser.has_other_text {
        return Err(SedRefusal::script("class with non-ascii text"));
    }
    Ok(Script {
        commands,
        needs_ascii: parser.needs_ascii,
    })
}

/// What would make a later command see more or less than one line of the file.
fn require_order(commands: &[Command]) -> Result<(), SedRefusal> {
    let (mut has_break, mut has_delete) = (false, false);
    for command in commands {
        if has_break {
            return Err(SedRefusal::script("command after newline replacement"));
        }
        if has_delete && matches!(command.lines, Lines::Range(..)) {
            return Err(SedRefusal::script("range after delete"));
        }
        match &command.action {
            Action::Substitute(Substitution { replacement, .. }) => {
                let breaks =
                    |piece: &Piece| matches!(piece, Piece::Text(text) if text.contains('\n'));
                has_break = replacement.iter().any(breaks);
            }
            Action::Delete | Action::Change(_) => has_delete = true,
            Action::Append(_) | Action::Insert(_) => {}
        }
    }
    Ok(())
}

struct Parser {
    text: Vec<char>,
    at: usize,
    syntax: Syntax,
    needs_ascii: bool,
    /// A text to be written has characters beyond ASCII.
    has_other_text: bool,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    fn skip(&mut self, skipped: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&skipped) {
            self.at += 1;
        }
    }

    fn skip_blanks(&mut self) {
        self.skip(is_blank);
    }

    fn command(&mut self) -> Result<Command, SedRefusal> {
        let lines = self.lines()?;
        self.skip_blanks();
        let is_negated = self.peek() == Some('!');
        if is_negated {
            self.at += 1;
            self.skip_blanks();
        }
        let name = self
            .next()
            .ok_or_else(|| SedRefusal::script("missing command"))?;
        let action = match name {
            's' => Action::Substitute(self.substitution()?),
            'd' => {
                self.end_of_command("d")?;
                Action::Delete
            }
            'a' | 'i' | 'c' if is_negated => return Err(SedRefusal::script("negated text")),
            'a' => Action::Append(self.line_of_text()?),
            'i' => Action::Insert(self.line_of_text()?),
            'c' => match lines {
                Lines::One(_) => Action::Change(self.line_of_text()?),
                Lines::All | Lines::Range(..) => return Err(SedRefusal::script("range change")),
            },
            other => return Err(SedRefusal::script(format_args!("command {other}"))),
        };
        Ok(Command {
            lines,
            is_negated,
            action,
        })
    }

    fn lines(&mut self) -> Result<Lines, SedRefusal> {
        let Some(first) = self.address()? else {
            return Ok(Lines::All);
        };
        self.skip_blanks();
        if self.peek() != Some(',') {
            return Ok(Lines::One(first));
        }
        self.at += 1;
        self.skip_blanks();
        match self.address()? {
            Some(last) => Ok(Lines::Range(first, last)),
            None => Err(SedRefusal::script("relative address")),
        }
    }

    fn address(&mut self) -> Result<Option<Address>, SedRefusal> {
        let address = match self.peek() {
            Some('$') => {
                self.at += 1;
                Address::Last
            }
            Some(digit) if digit.is_ascii_digit() => Address::Line(self.line_number()?),
            Some('/') => {
                self.at += 1;
                self.matching('/')?
            }
            Some('\\') => {
                self.at += 1;
                let delimiter = self.delimiter()?;
                self.matching(delimiter)?
            }
            Some(_) | None => return Ok(None),
        };
        Ok(Some(address))
    }

    fn line_number(&mut self) -> Result<u64, SedRefusal> {
        let number = self.number()?;
        self.skip_blanks();
        match self.peek() {
            Some('~') => Err(SedRefusal::script("step address")),
            _ if number == 0 => Err(SedRefusal::script("address 0")),
            _ => Ok(number),
        }
    }

    fn number(&mut self) -> Result<u64, SedRefusal> {
        let start = self.at;
        self.skip(|c| c.is_ascii_digit());
        let digits: String = self.text.iter().take(self.at).skip(start).collect();
        digits.parse().map_err(|_| SedRefusal::script("number"))
    }

    fn matching(&mut self, delimiter: char) -> Result<Address, SedRefusal> {
        let regex = self.delimited(delimiter)?;
        self.skip_blanks();
        let case = match self.peek() {
            Some('I') => {
                self.at += 1;
                Case::Folded
            }
            Some('M') => return Err(SedRefusal::script("flag M")),
            Some(_) | None => Case::AsWritten,
        };
        let pattern = self.pattern(&regex, delimiter, case)?;
        Ok(Address::Matching(Box::new(Matcher::spans(&pattern)?)))
    }

    fn pattern(
        &mut self,
        regex: &[char],
        delimiter: char,
        case: Case,
    ) -> Result<Pattern, SedRefusal> {
        if regex.is_empty() {
            return Err(SedRefusal::script("empty regex"));
        }
        let pattern = translate(&plain_delimiters(regex, delimiter)?, self.syntax, case)?;
        self.needs_ascii |= pattern.needs_ascii;
        Ok(pattern)
    }

    fn delimiter(&mut self) -> Result<char, SedRefusal> {
        match self.next() {
            Some(c) if c.is_ascii_punctuation() && c != '\\' && c != ';' => Ok(c),
            Some(_) | None => Err(SedRefusal::script("delimiter")),
        }
    }

    /// What stands before the next delimiter, escapes and all.
    fn delimited(&mut self, delimiter: char) -> Result<Vec<char>, SedRefusal> {
        let mut inside = Vec::new();
        loop {
            match self.next() {
                None | Some('\n') => return Err(SedRefusal::script("unterminated")),
                Some(c) if c == delimiter => return Ok(inside),
                Some('\\') => {
                    let escaped = self.next().filter(|c| *c != '\n');
                    inside.push('\\');
                    inside.push(escaped.ok_or_else(|| SedRefusal::script("unterminated"))?);
                }
                Some(c) => inside.push(c),
            }
        }
    }

    fn substitution(&mut self) -> Result<Substitution, SedRefusal> {
        let delimiter = self.delimiter()?;
        let regex = self.delimited(delimiter)?;
        let replacement = self.delimited(delimiter)?;
        let flags = self.flags()?;
        let pattern = self.pattern(&regex, delimiter, flags.case)?;
        let replacement = self.replacement(&replacement, delimiter)?;
        let highest = replacement.iter().map(|piece| match piece {
            Piece::Group(number) => *number,
            Piece::Text(_) | Piece::WholeMatch => 0,
        });
        let highest = highest.max().unwrap_or(0);
        if highest > pattern.n_groups {
            return Err(SedRefusal::script("invalid reference"));
        }
        let matcher = match highest {
            0 => Matcher::spans(&pattern)?,
            _ => Matcher::groups(&pattern)?,
        };
        Ok(Substitution {
            matcher: Box::new(matcher),
            replacement,
            from: flags.number.unwrap_or(1),
            extent: flags.extent,
        })
    }

    fn flags(&mut self) -> Result<Flags, SedRefusal> {
        let mut flags = Flags {
            case: Case::AsWritten,
            number: None,
            extent: Extent::One,
        };
        loop {
            match self.peek() {
                Some('g') if flags.extent == Extent::One => flags.extent = Extent::Rest,
                Some('i' | 'I') if flags.case == Case::AsWritten => flags.case = Case::Folded,
                Some(digit) if digit.is_ascii_digit() && flags.number.is_none() => {
                    let number = self.number()?;
                    if !(1..=MAX_MATCH_NUMBER).contains(&number) {
                        return Err(SedRefusal::script("number flag"));
                    }
                    flags.number = Some(number);
                    continue;
                }
                Some(' ' | '\t' | '\n' | ';') | None => {
                    self.end_of_command("s")?;
                    return Ok(flags);
                }
                Some(other) => return Err(SedRefusal::script(format_args!("flag {other}"))),
            }
            self.at += 1;
        }
    }

    fn end_of_command(&mut self, name: &str) -> Result<(), SedRefusal> {
        self.skip_blanks();
        match self.peek() {
            None | Some('\n' | ';') => Ok(()),
            Some(other) => Err(SedRefusal::script(format_args!("{other} after {name}"))),
        }
    }

    fn replacement(&mut self, text: &[char], delimiter: char) -> Result<Vec<Piece>, SedRefusal> {
        let mut pieces = Vec::new();
        let mut chars = text.iter().copied();
        while let Some(c) = chars.next() {
            match c {
                '&' => pieces.push(Piece::WholeMatch),
                '\\' => match chars.next() {
                    Some('&') if delimiter == '&' => {
                        return Err(SedRefusal::script("escaped special delimiter"));
                    }
                    Some(digit @ '1'..='9') => {
                        pieces.push(Piece::Group(digit as usize - '0' as usize));
                    }
                    Some('n') => push_text(&mut pieces, '\n'),
                    Some('t') => push_text(&mut pieces, '\t'),
                    Some(plain) if "&\\/".contains(plain) || plain == delimiter => {
                        push_text(&mut pieces, plain);
                    }
                    Some(other) => {
                        let reason = format_args!("escape \\{other} in replacement");
                        return Err(SedRefusal::script(reason));
                    }
                    None => return Err(SedRefusal::script("unterminated")),
                },
                plain => push_text(&mut pieces, plain),
            }
        }
        self.has_other_text |= text.iter().any(|c| !c.is_ascii());
        Ok(pieces)
    }

    /// The text of `a`, `i` and `c`: the rest of the line.
    fn line_of_text(&mut self) -> Result<String, SedRefusal> {
        self.skip_blanks();
        if self.peek() == Some('\\') {
            self.at += 1;
        }
        let start = self.at;
        self.skip(|c| c != '\n');
        let text: String = self.text.iter().take(self.at).skip(start).collect();
        if text.trim().is_empty() {
            return Err(SedRefusal::script("empty text"));
        }
        if text.contains('\\') {
            return Err(SedRefusal::script("backslash in text"));
        }
        self.has_other_text |= !text.is_ascii();
        Ok(text)
    }
}

struct Flags {
    case: Case,
    number: Option<u64>,
    extent: Extent,
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// A regular expression in which escaped delimiters are plain characters.
fn plain_delimiters(regex: &[char], delimiter: char) -> Result<Vec<char>, SedRefusal> {
    let mut plain = Vec::with_capacity(regex.len());
    let mut chars = regex.iter().copied();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match chars.next() {
            Some(escaped) if escaped == delimiter && is_operator(escaped) => {
                return Err(SedRefusal::script("escaped special delimiter"));
            }
            Some(escaped) if escaped == delimiter => plain.push(escaped),
            escaped => {
                plain.push('\\');
                plain.extend(escaped);
            }
        }
    }
    Ok(plain)
}

fn push_text(pieces: &mut Vec<Piece>, c: char) {
    match pieces.last_mut() {
        Some(Piece::Text(text)) => text.push(c),
        Some(Piece::WholeMatch | Piece::Group(_)) | None => pieces.push(Piece::Text(c.into())),
    }
}
