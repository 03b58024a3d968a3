//! What a session's requests have in common, kept as bytes.
//!
//! A conversation only grows at its end, so everything before the newest model message is serialised once and copied
//! from then on. Invariant: with or without the cache a request has the same bytes; a cache that does not fit is
//! emptied, never trusted.

use crate::provider::ToolDeclaration;
use protocol::message::ViewEntry;
use std::sync::Arc;

/// Serialised pieces of a session's requests. Make one per session and hand it to every build.
#[derive(Debug, Default)]
pub struct RequestCache {
    /// Settings the pieces were made for.
    key: String,
    /// The entries that `messages` covers. Held, so that no other entry can get their address.
    entries: Vec<Arc<ViewEntry>>,
    /// Their messages, each followed by a comma.
    messages: Vec<u8>,
    /// The entry that follows them. What is closed is closed by what comes next, so it must still come next.
    next: Option<Arc<ViewEntry>>,
    /// The tool list and its text.
    tools: Option<(Arc<[ToolDeclaration]>, Vec<u8>)>,
}

impl RequestCache {
    /// Empties the cache if it was made for other settings.
    pub(crate) fn rekey(&mut self, key: &str) {
        if self.key != key {
            *self = Self {
                key: key.to_owned(),
                ..Self::default()
            };
        }
    }

    /// How many entries at the beginning of `view` are covered; 0 empties the cache.
    pub(crate) fn covered(&mut self, view: &[Arc<ViewEntry>]) -> usize {
        let kept = self.entries.iter().chain(&self.next);
        let count = self.entries.len() + usize::from(self.next.is_some());
        let fits =
            count <= view.len() && kept.zip(view).all(|(kept, given)| Arc::ptr_eq(kept, given));
        if !fits {
            self.entries.clear();
            self.messages.clear();
            self.next = None;
        }
        self.entries.len()
    }

    /// The messages of the covered entries.
    pub(crate) fn messages(&self) -> &[u8] {
        &self.messages
    }

    /// Covers more entries of `view`, up to the one at `end`.
    pub(crate) fn extend(&mut self, view: &[Arc<ViewEntry>], end: usize, messages: &[u8]) {
        let new = view.get(self.entries.len()..end).unwrap_or_default();
        self.entries.extend(new.iter().cloned());
        self.messages.extend_from_slice(messages);
        self.next = view.get(end).cloned();
    }

    /// The text of a tool list, made by `write` if it is not the one of the last request.
    pub(crate) fn tools(
        &mut self,
        tools: &Arc<[ToolDeclaration]>,
        write: impl FnOnce(&[ToolDeclaration]) -> Vec<u8>,
    ) -> &[u8] {
        let kept = self
            .tools
            .take()
            .filter(|(kept, _)| Arc::ptr_eq(kept, tools));
        let (_, text) = self.tools.insert(match kept {
            Some(kept) => kept,
            None => (Arc::clone(tools), write(tools)),
        });
        text
    }
}
