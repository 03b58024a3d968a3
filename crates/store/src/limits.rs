//! How much is kept.

/// Limits of one store; tests use smaller ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// One blob. Edits stop at 10 MiB, so this is never met by them.
    pub blob_bytes: u64,
    /// All copies of files before a change. Over it, those of the oldest sessions are given up.
    pub file_copies_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            blob_bytes: 64 * 1024 * 1024,
            file_copies_bytes: 2 * 1024 * 1024 * 1024,
        }
    }
}
