//! Recognises lines that stand for text a model left out, such as `// ... existing code ...`.
//!
//! Written to a file, such a line deletes or fakes code. Spread operators, `...` alone and ordinary comments pass.
//! Deliberately absent: lines that are already in the file; the caller's texts decide about those.

#[cfg(test)]
mod tests;

use crate::error::{EditError, MAX_QUOTED_CHARS};

/// What may start a comment, longest first.
const COMMENT_LEADERS: [&str; 9] = ["<!--", "{/*", "//", "--", "/*", "#", "*", ";", "%"];

/// What may end a comment, longest first.
const COMMENT_TRAILERS: [&str; 3] = ["*/}", "-->", "*/"];

/// What follows the dots of an elision.
const AFTER_DOTS: [&str; 7] = [
    "existing",
    "rest of",
    "remaining",
    "unchanged",
    "same",
    "previous",
    "other",
];

/// What starts an elision without dots.
const STARTS: [&str; 6] = [
    "existing",
    "rest of the",
    "rest of",
    "remaining",
    "unchanged",
    "other",
];

/// What is left out.
const LEFT_OUT: [&str; 7] = [
    "code",
    "content",
    "methods",
    "functions",
    "lines",
    "file",
    "implementation",
];

/// Refuses a new text with an elision that is in none of the texts there were.
///
/// # Errors
/// [`EditError::OmissionPlaceholder`] with the first such line.
pub fn refuse_elision(new: &str, before: &[&str]) -> Result<(), EditError> {
    for (at, line) in new.split('\n').enumerate() {
        let is_new = |line: &str| before.iter().all(|text| !text.contains(line));
        if is_elision(line) && is_new(line.trim()) {
            return Err(EditError::OmissionPlaceholder {
                line_number: at + 1,
                line: line.trim().chars().take(MAX_QUOTED_CHARS).collect(),
            });
        }
    }
    Ok(())
}

/// Whether a line stands for text that was left out.
fn is_elision(line: &str) -> bool {
    let line = line.trim();
    match comment_body(line) {
        Some(body) => {
            let body = body.to_lowercase();
            has_dots_and_word(&body) || names_left_out_text(&body)
        }
        None => is_bare_elision(line),
    }
}

/// The text of a comment line without its marks.
fn comment_body(line: &str) -> Option<&str> {
    let leader = COMMENT_LEADERS
        .iter()
        .find(|leader| line.starts_with(**leader))?;
    let body = line.strip_prefix(leader)?;
    // `///`, `##` and the like are one leader to the eye.
    let body = body
        .trim_start_matches(|c: char| leader.ends_with(c) || c == '!')
        .trim();
    let trailer = COMMENT_TRAILERS
        .iter()
        .find(|trailer| body.ends_with(**trailer));
    Some(
        trailer
            .and_then(|trailer| body.strip_suffix(trailer))
            .unwrap_or(body)
            .trim(),
    )
}

/// The text after the dots at the start.
fn after_dots(text: &str) -> Option<&str> {
    text.strip_prefix("...").or_else(|| text.strip_prefix('…'))
}

/// `... existing`, `… (rest of`.
fn has_dots_and_word(body: &str) -> bool {
    let Some(rest) = after_dots(body) else {
        return false;
    };
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('(').unwrap_or(rest);
    AFTER_DOTS
        .iter()
        .any(|word| after_word(rest, word).is_some())
}

/// `rest of the code` together with dots or `unchanged`.
fn names_left_out_text(body: &str) -> bool {
    let rest = body.strip_prefix('(').unwrap_or(body);
    let names = |start: &&str| {
        let after = after_word(rest, start).and_then(after_blanks);
        after.is_some_and(|after| {
            LEFT_OUT
                .iter()
                .any(|word| after_word(after, word).is_some())
        })
    };
    STARTS.iter().any(names)
        && ["...", "…", "unchanged"]
            .iter()
            .any(|mark| body.contains(mark))
}

/// `... existing code` without comment marks: dots, blanks, a word, blanks, a word.
fn is_bare_elision(line: &str) -> bool {
    let Some(rest) = after_dots(line).and_then(after_blanks) else {
        return false;
    };
    let rest = rest.to_lowercase();
    let is_followed = |word: &&str| {
        let after = after_word(&rest, word).and_then(after_blanks);
        after.is_some_and(|after| after.starts_with(is_word_char))
    };
    AFTER_DOTS.iter().any(is_followed)
}

/// The text after a whole word at the start.
fn after_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    text.strip_prefix(word)
        .filter(|rest| !rest.starts_with(is_word_char))
}

/// The text after at least one blank.
fn after_blanks(text: &str) -> Option<&str> {
    let rest = text.trim_start();
    (rest.len() < text.len()).then_some(rest)
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
