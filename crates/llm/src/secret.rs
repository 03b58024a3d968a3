//! Keys that must not be seen.
//!
//! A secret has no `Display`, its `Debug` is a mask, and texts that come from outside are cleaned of it before anybody
//! stores or shows them. Deliberately absent: where keys come from.

use std::fmt;

/// Shorter secrets would turn ordinary words of a text into masks.
const MIN_REDACTED_CHARS: usize = 8;

/// How the keys of many providers begin.
const KEY_START: &str = "sk-";

/// What stands where a secret stood.
const MASK: &str = "***";

/// A text that is sent to its owner and never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for the request and nothing else.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// `text` without this secret.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        if self.0.chars().count() < MIN_REDACTED_CHARS {
            return text.to_owned();
        }
        text.replace(&self.0, MASK)
    }
}

/// `text` with every word of the form `sk-…` masked: servers repeat keys that we do not know.
pub(crate) fn mask_key_words(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(KEY_START) {
        let (before, word) = rest.split_at(at);
        let len = word.find(|c| !is_part(c)).unwrap_or(word.len());
        let (word, after) = word.split_at(len);
        let is_key = word.len() > MIN_REDACTED_CHARS && !before.ends_with(is_part);
        out.push_str(before);
        out.push_str(if is_key { MASK } else { word });
        rest = after;
    }
    out.push_str(rest);
    out
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

#[cfg(test)]
mod tests {
    use super::{Secret, mask_key_words};

    #[test]
    fn keys_are_masked_and_words_are_not() {
        assert_eq!(mask_key_words("bad key sk-test-123456."), "bad key ***.");
        assert_eq!(
            mask_key_words("task-force-of-nine, sk-ab***xy"),
            "task-force-of-nine, sk-ab***xy"
        );
        assert_eq!(
            Secret::new("0123456789").redact("key=0123456789&"),
            "key=***&"
        );
        assert_eq!(
            Secret::new("abc").redact("abc"),
            "abc",
            "too short to be told from a word"
        );
        assert_eq!(format!("{:?}", Secret::new("0123456789")), "***");
    }
}
