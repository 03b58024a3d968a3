//! Rows stay small: what is shown of a message, of arguments and of a result. Pure.
//!
//! Whatever is left out here can still be read whole from the fact. Deliberately absent: the search text.

use crate::text::{cut, head, tail};
use protocol::message::{Block, Part};
use protocol::tool_call::Display;
use serde_json::Value;
use std::io;

/// Text of one message in its row; a longer one is cut and ends with `…`.
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024;
/// Arguments in a row, as JSON.
const MAX_ARGS_BYTES: usize = 1536;
/// The part of a result in a row.
const MAX_RESULT_BYTES: usize = 2560;
/// A display in a row, as JSON. Larger ones lose what can be loaded again.
pub const MAX_DISPLAY_BYTES: usize = 64 * 1024;
/// What is left of a list in a display that is too large.
const MAX_DISPLAY_ENTRIES: usize = 200;
/// What is left of a line in such a list.
const MAX_ENTRY_BYTES: usize = 160;

/// Arguments with their long strings and lists cut until all of it fits.
pub(crate) fn args(value: &Value) -> Value {
    for (bytes, entries) in [(600, 40), (200, 20), (60, 10), (20, 4)] {
        let short = shorten_value(value, bytes, entries, 6);
        if short.to_string().len() <= MAX_ARGS_BYTES {
            return short;
        }
    }
    Value::Null
}

fn shorten_value(value: &Value, bytes: usize, entries: usize, depth: usize) -> Value {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        Value::String(text) => Value::String(cut(text, bytes)),
        Value::Array(_) | Value::Object(_) if depth == 0 => Value::String("…".to_owned()),
        Value::Array(values) => values
            .iter()
            .take(entries)
            .map(|value| shorten_value(value, bytes, entries, depth - 1))
            .collect(),
        Value::Object(map) => map
            .iter()
            .take(entries)
            .map(|(key, value)| {
                (
                    cut(key, bytes),
                    shorten_value(value, bytes, entries, depth - 1),
                )
            })
            .collect(),
    }
}

/// The texts of a result, joined.
pub(crate) fn result_text(content: &[Part]) -> String {
    let texts: Vec<&str> = content
        .iter()
        .filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            Part::Image { .. } => None,
        })
        .collect();
    texts.join("\n")
}

/// The beginning of a result.
pub(crate) fn result_head(text: &str) -> String {
    cut(text, MAX_RESULT_BYTES)
}

/// Blocks without what only the provider reads, their text cut where all of it is too long.
pub(crate) fn blocks(blocks: &[Block]) -> Vec<Block> {
    let mut room = MAX_MESSAGE_BYTES;
    let mut take = |text: &str| {
        let kept = if room == 0 {
            String::new()
        } else {
            cut(text, room)
        };
        room = room.saturating_sub(kept.len());
        kept
    };
    blocks
        .iter()
        .map(|block| shorten_block(block, &mut take))
        .collect()
}

fn shorten_block(block: &Block, take: &mut dyn FnMut(&str) -> String) -> Block {
    match block {
        Block::Text { text, meta: _ } => Block::Text {
            text: take(text),
            meta: None,
        },
        Block::Thinking { text, redacted, .. } => Block::Thinking {
            text: take(text),
            signature: None,
            redacted: redacted.as_ref().map(|_| String::new()),
            meta: None,
        },
        Block::Call { call_id } => Block::Call {
            call_id: call_id.clone(),
        },
        Block::ServerToolCall {
            id,
            name,
            args,
            raw: _,
        } => Block::ServerToolCall {
            id: id.clone(),
            name: name.clone(),
            args: self::args(args),
            raw: Value::Null,
        },
        Block::ServerToolResult {
            call_id,
            result_kind,
            content,
            raw: _,
        } => Block::ServerToolResult {
            call_id: call_id.clone(),
            result_kind: result_kind.clone(),
            content: self::args(content),
            raw: Value::Null,
        },
        Block::Opaque { raw: _ } => Block::Opaque { raw: Value::Null },
    }
}

/// A display that fits into a row.
pub(crate) fn display(display: &Display) -> Display {
    if fits(display) {
        return display.clone();
    }
    // The second, smaller size is for texts that grow when they are escaped.
    [MAX_DISPLAY_BYTES / 2, MAX_DISPLAY_BYTES / 8]
        .into_iter()
        .map(|max_text_bytes| shorten_display(display, max_text_bytes))
        .find(fits)
        .unwrap_or(Display::None)
}

/// Whether a display fits into a row. Stops counting where it does not.
fn fits(display: &Display) -> bool {
    struct Room(usize);
    impl io::Write for Room {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self
                .0
                .checked_sub(bytes.len())
                .ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    serde_json::to_writer(Room(MAX_DISPLAY_BYTES), display).is_ok()
}

fn shorten_display(display: &Display, max_text_bytes: usize) -> Display {
    match display {
        Display::None => Display::None,
        Display::Text { text } => Display::Text {
            text: cut(text, max_text_bytes),
        },
        Display::FileDiff { diff } => {
            let mut diff = diff.clone();
            diff.base_text = None;
            diff.new_text = None;
            if !fits(&Display::FileDiff { diff: diff.clone() }) {
                diff.unified_diff = whole_lines(&diff.unified_diff, max_text_bytes);
            }
            Display::FileDiff { diff }
        }
        Display::Terminal { .. } => shorten_terminal(display, max_text_bytes),
        Display::Todos { .. }
        | Display::Matches { .. }
        | Display::FileList { .. }
        | Display::Answers { .. } => shorten_list(display),
        Display::FileRead { .. } => display.clone(),
    }
}

fn shorten_terminal(display: &Display, max_text_bytes: usize) -> Display {
    let mut short = display.clone();
    if let Display::Terminal {
        command,
        tail: last,
        ..
    } = &mut short
    {
        *command = cut(command, max_text_bytes / 2);
        *last = tail(last, max_text_bytes / 2).to_owned();
    }
    short
}

/// The first entries, with their lines cut.
fn shorten_list(display: &Display) -> Display {
    let mut short = display.clone();
    match &mut short {
        Display::Todos { todos, .. } => todos.truncate(MAX_DISPLAY_ENTRIES),
        Display::Matches {
            summary,
            hits,
            incomplete,
        } => {
            *summary = cut(summary, MAX_ENTRY_BYTES);
            *incomplete |= hits.len() > MAX_DISPLAY_ENTRIES;
            hits.truncate(MAX_DISPLAY_ENTRIES);
            for hit in hits {
                hit.text = cut(&hit.text, MAX_ENTRY_BYTES);
            }
        }
        Display::FileList { summary, paths } => {
            *summary = cut(summary, MAX_ENTRY_BYTES);
            paths.truncate(MAX_DISPLAY_ENTRIES);
        }
        Display::Answers { lines } => {
            lines.truncate(MAX_DISPLAY_ENTRIES);
            for line in lines {
                *line = cut(line, MAX_ENTRY_BYTES);
            }
        }
        Display::None
        | Display::Text { .. }
        | Display::FileDiff { .. }
        | Display::Terminal { .. }
        | Display::FileRead { .. } => {}
    }
    short
}

/// The beginning of a diff, never half a line of it.
fn whole_lines(text: &str, max_bytes: usize) -> String {
    let short = head(text, max_bytes);
    if short.len() == text.len() {
        return text.to_owned();
    }
    short
        .rfind('\n')
        .and_then(|end| short.get(..=end))
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests;
