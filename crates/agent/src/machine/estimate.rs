//! How many tokens a text takes, roughly.
//!
//! The estimate may make the conversation smaller too early; it is never a reason to skip that.

use protocol::message::{Block, Part, ViewEntry};
use protocol::tool_call::{CallArgs, ToolCall};

/// Tokens times four, so that sums stay whole numbers: a Latin character is a quarter of a token.
const QUARTERS_LATIN: u64 = 1;
/// Chinese, Japanese and Korean characters take about one and a half tokens.
const QUARTERS_WIDE: u64 = 6;
/// Any other character, such as an emoji, takes about one.
const QUARTERS_OTHER: u64 = 4;
/// Tokens of one picture.
const IMAGE_TOKENS: u64 = 1_600;
/// Tokens of the frame of a message.
const MESSAGE_TOKENS: u64 = 8;
/// Tokens of the frame of a call.
const CALL_TOKENS: u64 = 16;
/// First character of the scripts that are counted as wide.
const FIRST_WIDE: char = '\u{2E80}';
/// Last character of the basic plane that is counted as wide.
const LAST_WIDE: char = '\u{FFEF}';
/// The rare Chinese characters beyond the basic plane.
const RARE_WIDE: std::ops::RangeInclusive<char> = '\u{20000}'..='\u{3FFFF}';
/// End of the Latin, Greek and Cyrillic scripts, which are counted alike.
const LAST_LATIN: char = '\u{052F}';

/// Tokens of a text.
pub(crate) fn of_text(text: &str) -> u64 {
    quarters(text).div_ceil(4)
}

/// Tokens of an entry of the model view. The calls of a message are added as they come.
pub(crate) fn of_entry(entry: &ViewEntry) -> u64 {
    MESSAGE_TOKENS
        + match entry {
            ViewEntry::User {
                text,
                images,
                reminders,
                ..
            } => {
                let notes: u64 = reminders.iter().map(|note| of_text(&note.text)).sum();
                of_text(text) + notes + IMAGE_TOKENS * images.len() as u64
            }
            ViewEntry::Assistant { blocks, calls, .. } => {
                blocks.iter().map(of_block).sum::<u64>() + calls.iter().map(of_call).sum::<u64>()
            }
            ViewEntry::Result { content, hint, .. } => {
                content.iter().map(of_part).sum::<u64>() + hint.as_deref().map_or(0, of_text)
            }
            ViewEntry::Summary { text } => of_text(text),
        }
}

/// Tokens of a call.
pub(crate) fn of_call(call: &ToolCall) -> u64 {
    CALL_TOKENS
        + of_text(&call.name)
        + match &call.args {
            CallArgs::Usable { value } => of_text(&value.to_string()),
            CallArgs::Unusable { .. } => 1,
        }
}

/// What to assume of a request that no provider has counted yet.
pub(crate) fn of_uncounted(tokens: u64) -> u64 {
    tokens.saturating_add(tokens.div_ceil(10))
}

/// A text, or both of its ends where it takes more than `tokens`.
pub(crate) fn ends(text: &str, tokens: u64) -> String {
    let all = of_text(text);
    if all <= tokens {
        return text.to_owned();
    }
    let characters = text.chars().count();
    let half = usize::try_from(characters as u64 * tokens / all / 2).unwrap_or(0);
    let start: String = text.chars().take(half).collect();
    let end: String = text.chars().skip(characters - half).collect();
    format!("{start}\n[…]\n{end}")
}

fn of_block(block: &Block) -> u64 {
    match block {
        Block::Text { text, .. } | Block::Thinking { text, .. } => of_text(text),
        Block::Call { .. } => 0,
        Block::ServerToolCall { raw, .. }
        | Block::ServerToolResult { raw, .. }
        | Block::Opaque { raw } => of_text(&raw.to_string()),
    }
}

fn of_part(part: &Part) -> u64 {
    match part {
        Part::Text { text } => of_text(text),
        Part::Image { .. } => IMAGE_TOKENS,
    }
}

fn quarters(text: &str) -> u64 {
    if text.is_ascii() {
        text.len() as u64 * QUARTERS_LATIN
    } else {
        text.chars().map(quarters_of).sum()
    }
}

fn quarters_of(character: char) -> u64 {
    match character {
        '\0'..=LAST_LATIN => QUARTERS_LATIN,
        FIRST_WIDE..=LAST_WIDE => QUARTERS_WIDE,
        _ if RARE_WIDE.contains(&character) => QUARTERS_WIDE,
        _ => QUARTERS_OTHER,
    }
}
