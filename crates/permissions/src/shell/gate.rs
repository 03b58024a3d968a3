//! Text that a person cannot see, or that Bash and the grammar read differently, goes no further.
//!
//! The grammar takes a carriage return and a form feed for blanks, Bash takes them for letters; an invisible character
//! hides text from the person who approves. Neither has a place in a command, so both end the analysis here.

use crate::reason::{Code, Reason};

/// A longer command is refused before it is parsed: nobody reads it, and work on hostile text stays bounded.
pub const MAX_COMMAND_BYTES: usize = 32 * 1024;

/// Why `command` is not even parsed. Empty when it may be.
pub(crate) fn check(command: &str) -> Vec<Reason> {
    if command.len() > MAX_COMMAND_BYTES {
        return vec![Code::TooLong.into()];
    }
    let mut codes: Vec<Code> = command.chars().filter_map(unwanted).collect();
    if command.trim().is_empty() {
        codes.push(Code::Empty);
    }
    codes.sort_unstable();
    codes.dedup();
    codes.into_iter().map(Reason::from).collect()
}

fn unwanted(character: char) -> Option<Code> {
    match character {
        '\t' | '\n' => None,
        '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' => Some(Code::UnicodeSpace),
        '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => Some(Code::UnicodeSpace),
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => Some(Code::ControlCharacter),
        other if is_invisible(other) => Some(Code::InvisibleCharacter),
        _ => None,
    }
}

/// Characters that draw nothing, or that change how others are drawn.
#[must_use]
pub fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'
            | '\u{2066}'..='\u{2069}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refuses(command: &str, code: Code) {
        assert_eq!(check(command), [Reason::from(code)], "{command:?}");
    }

    #[test]
    fn text_that_bash_and_the_grammar_split_differently_is_refused() {
        refuses("echo a\rid", Code::ControlCharacter);
        refuses("echo a\u{c}id", Code::ControlCharacter);
        refuses("ls\u{a0}-la", Code::UnicodeSpace);
        refuses("ls\u{85}id", Code::UnicodeSpace);
    }

    #[test]
    fn text_that_nobody_sees_is_refused() {
        for invisible in ["l\u{200b}s", "ls \u{202e}x", "ls\u{e0041}", "ls\u{3164}"] {
            refuses(invisible, Code::InvisibleCharacter);
        }
        refuses("ls\u{1b}[2K", Code::ControlCharacter);
        refuses("ls\0", Code::ControlCharacter);
    }

    #[test]
    fn blank_and_endless_commands_are_refused() {
        refuses("", Code::Empty);
        refuses(" \n\t", Code::Empty);
        refuses(&"a".repeat(MAX_COMMAND_BYTES + 1), Code::TooLong);
    }

    #[test]
    fn tabs_newlines_and_letters_of_any_script_pass() {
        assert_eq!(check("grep\t'größe' 数.txt\nls"), []);
        assert_eq!(check(&"a".repeat(MAX_COMMAND_BYTES)), []);
    }
}
