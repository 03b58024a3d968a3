//! Keys that must not be seen.
//!
//! A secret has no `Display`, its `Debug` is a mask, and texts that come from outside are cleaned of it before anybody
//! stores or shows them. Deliberately absent: where keys come from.

use std::fmt;

/// Shorter secrets would turn ordinary words of a text into masks.
const MIN_REDACTED_CHARS: usize = 8;

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

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}
