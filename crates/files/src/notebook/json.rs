//! Where the parts of a JSON text are. The text is known to be valid; nothing here checks it again.
//!
//! Deliberately absent: values. What is left alone need not be understood, only stepped over.

use std::ops::Range;

/// One field of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    /// With its quotes.
    pub(super) key: Range<usize>,
    pub(super) value: Range<usize>,
    pub(super) name: String,
}

/// The value that begins after blanks at `at`.
pub(super) fn value_at(text: &str, at: usize) -> Range<usize> {
    let start = after_blanks(text, at);
    start..end_of_value(text, start)
}

/// The fields of an object, in order. A name may occur twice; then the last one counts.
pub(super) fn fields(text: &str, object: &Range<usize>) -> Vec<Field> {
    let mut fields = Vec::new();
    let mut at = after_blanks(text, object.start + 1);
    while at < object.end && byte(text, at) == b'"' {
        let key = at..end_of_value(text, at);
        let colon = after_blanks(text, key.end);
        let value = value_at(text, colon + 1);
        at = after_blanks(text, value.end);
        if byte(text, at) == b',' {
            at = after_blanks(text, at + 1);
        }
        let name = string(text, &key).unwrap_or_default();
        fields.push(Field { key, value, name });
    }
    fields
}

/// The elements of an array, in order.
pub(super) fn items(text: &str, array: &Range<usize>) -> Vec<Range<usize>> {
    let mut items = Vec::new();
    let mut at = after_blanks(text, array.start + 1);
    while at < array.end && byte(text, at) != b']' {
        let item = at..end_of_value(text, at);
        at = after_blanks(text, item.end);
        if byte(text, at) == b',' {
            at = after_blanks(text, at + 1);
        }
        items.push(item);
    }
    items
}

/// The field of this name that counts.
pub(super) fn field<'f>(fields: &'f [Field], name: &str) -> Option<&'f Field> {
    fields.iter().rev().find(|field| field.name == name)
}

/// The value of a string; nothing for other values, and for text with half a surrogate pair.
pub(super) fn string(text: &str, value: &Range<usize>) -> Option<String> {
    serde_json::from_str(text.get(value.clone())?).ok()
}

pub(super) fn is_array(text: &str, value: &Range<usize>) -> bool {
    byte(text, value.start) == b'['
}

pub(super) fn is_object(text: &str, value: &Range<usize>) -> bool {
    byte(text, value.start) == b'{'
}

/// The first place at or after `at` that is no blank.
pub(super) fn after_blanks(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    let n_blanks = rest
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
        .count();
    at + n_blanks
}

/// A NUL past the end, which no valid text holds.
pub(super) fn byte(text: &str, at: usize) -> u8 {
    text.as_bytes().get(at).copied().unwrap_or(0)
}

fn end_of_value(text: &str, start: usize) -> usize {
    match byte(text, start) {
        b'"' => end_of_string(text, start),
        b'{' | b'[' => end_of_nested(text, start),
        _ => {
            let rest = text.as_bytes().get(start..).unwrap_or_default();
            let is_end =
                |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r');
            start + rest.iter().position(is_end).unwrap_or(rest.len())
        }
    }
}

fn end_of_string(text: &str, start: usize) -> usize {
    let mut at = start + 1;
    while at < text.len() {
        match byte(text, at) {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

fn end_of_nested(text: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while at < text.len() {
        match byte(text, at) {
            b'"' => {
                at = end_of_string(text, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}
