//! The words of a command line of bash, if each is plain text.
//!
//! Anything that bash would expand, redirect or run in between is refused, so the words are what a program gets.

use super::SedRefusal;
use std::iter::Peekable;
use std::str::Chars;

/// Longer command lines are not read.
const MAX_COMMAND_BYTES: usize = 32_768;

/// The words of each command of a list joined by `&&`.
pub(super) fn words(command: &str) -> Result<Vec<Vec<String>>, SedRefusal> {
    if command.len() > MAX_COMMAND_BYTES || command.chars().any(is_treacherous) {
        return Err(SedRefusal::OtherCommand);
    }
    let mut lexer = Lexer {
        rest: command.trim_matches([' ', '\t', '\n']).chars().peekable(),
        commands: vec![Vec::new()],
        word: None,
    };
    lexer.run()?;
    Ok(lexer.commands)
}

/// Characters that bash and a reader, or two parsers, take differently.
fn is_treacherous(c: char) -> bool {
    c.is_control() && c != '\t' && c != '\n'
        || matches!(c,
            '\u{A0}' | '\u{AD}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{1680}' | '\u{180E}'
            | '\u{2000}'..='\u{200F}' | '\u{2028}'..='\u{202F}' | '\u{205F}'..='\u{2069}'
            | '\u{3000}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}' | '\u{E0000}'..='\u{E007F}')
}

struct Lexer<'a> {
    rest: Peekable<Chars<'a>>,
    commands: Vec<Vec<String>>,
    /// The word that has begun.
    word: Option<String>,
}

impl Lexer<'_> {
    fn run(&mut self) -> Result<(), SedRefusal> {
        while let Some(c) = self.rest.next() {
            match c {
                ' ' | '\t' => self.end_word(),
                '&' => self.and()?,
                '\'' => self.single()?,
                '"' => self.double()?,
                '$' if self.rest.peek() == Some(&'\'') => self.ansi()?,
                '$' if self.is_expansion() || self.rest.peek() == Some(&'"') => {
                    return Err(dynamic());
                }
                '\\' => match self.rest.next() {
                    None | Some('\n') => return Err(SedRefusal::OtherCommand),
                    Some(escaped) => self.push(escaped),
                },
                '#' if self.word.is_none() => return Err(SedRefusal::OtherCommand),
                '|' | ';' | '<' | '>' | '(' | ')' | '\n' => return Err(SedRefusal::OtherCommand),
                '`' | '*' | '?' | '[' | '~' | '{' | '}' => return Err(dynamic()),
                plain => self.push(plain),
            }
        }
        self.end_word();
        Ok(())
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn end_word(&mut self) {
        if let (Some(word), Some(words)) = (self.word.take(), self.commands.last_mut()) {
            words.push(word);
        }
    }

    fn and(&mut self) -> Result<(), SedRefusal> {
        if self.rest.next() != Some('&') {
            return Err(SedRefusal::OtherCommand);
        }
        self.end_word();
        self.commands.push(Vec::new());
        Ok(())
    }

    /// Whether a `$` that was just read begins an expansion.
    fn is_expansion(&mut self) -> bool {
        let begins = |c: &char| c.is_ascii_alphanumeric() || "_{([@*#?$!-".contains(*c);
        self.rest.peek().is_some_and(begins)
    }

    fn single(&mut self) -> Result<(), SedRefusal> {
        self.word.get_or_insert_default();
        loop {
            match self.rest.next() {
                None => return Err(SedRefusal::OtherCommand),
                Some('\'') => return Ok(()),
                Some(c) => self.push(c),
            }
        }
    }

    fn double(&mut self) -> Result<(), SedRefusal> {
        self.word.get_or_insert_default();
        loop {
            match self.rest.next() {
                None => return Err(SedRefusal::OtherCommand),
                Some('"') => return Ok(()),
                Some('`') => return Err(dynamic()),
                Some('$') if self.is_expansion() => return Err(dynamic()),
                Some('\\') => match self.rest.next() {
                    None | Some('\n') => return Err(SedRefusal::OtherCommand),
                    Some(c @ ('$' | '`' | '"' | '\\')) => self.push(c),
                    Some(c) => {
                        self.push('\\');
                        self.push(c);
                    }
                },
                Some(c) => self.push(c),
            }
        }
    }

    /// `$'…'`, of which the plain escapes are read.
    fn ansi(&mut self) -> Result<(), SedRefusal> {
        self.rest.next();
        self.word.get_or_insert_default();
        loop {
            match self.rest.next() {
                None => return Err(SedRefusal::OtherCommand),
                Some('\'') => return Ok(()),
                Some('\\') => match self.rest.next() {
                    Some('n') => self.push('\n'),
                    Some('t') => self.push('\t'),
                    Some(c @ ('\\' | '\'' | '"')) => self.push(c),
                    Some(_) | None => return Err(dynamic()),
                },
                Some(c) => self.push(c),
            }
        }
    }
}

/// A word that bash would work out.
fn dynamic() -> SedRefusal {
    SedRefusal::because("dynamic_argument")
}
