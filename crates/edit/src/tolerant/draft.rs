//! New texts for spans of a file, gathered until they are spliced in.

use std::ops::Range;

use crate::splice::Replacement;

/// Replacements in order, and the text they take from.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) source: String,
    pub(crate) replacements: Vec<Replacement>,
}

impl Draft {
    /// Puts a text in place of a span that lies behind all spans so far.
    pub(crate) fn put(&mut self, span: Range<usize>, text: &str) {
        let start = self.source.len();
        self.source.push_str(text);
        self.replacements.push(Replacement {
            span,
            source: start..self.source.len(),
        });
    }
}
