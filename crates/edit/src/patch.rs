//! Patches in the form that models write: files to add, delete and update, and of an update only the places.
//!
//! A chunk has no line numbers, so its old lines are looked for behind the chunk before it. One place is the place;
//! none or several are refused. Context lines keep the text of the file, however the model spelled them.
//! Deliberately absent: disks, and whether a path may be touched.

mod apply;
mod parse;

pub(crate) use apply::patched_text;
pub use apply::{ChunkError, Sameness};
pub use parse::{PatchSyntax, parse_patch};

/// What happens to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilePatch {
    /// It is new.
    Add {
        /// Its path as written.
        path: String,
        /// Its whole text.
        content: String,
    },
    /// It goes.
    Delete {
        /// Its path as written.
        path: String,
    },
    /// Places of it change, or its name does.
    Update {
        /// Its path as written.
        path: String,
        /// Its new path, if it moves.
        move_to: Option<String>,
        /// The places, in order.
        chunks: Vec<Chunk>,
    },
}

/// One place of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chunk {
    /// A line that stands somewhere before the place.
    pub after: Option<String>,
    /// The place.
    pub lines: Vec<ChunkLine>,
    /// The old lines are the last of the file.
    pub at_end: bool,
}

/// One line of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChunkLine {
    /// Stays.
    Keep(String),
    /// Comes.
    Add(String),
    /// Goes.
    Remove(String),
}

impl ChunkLine {
    /// The line without its mark.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Keep(line) | Self::Add(line) | Self::Remove(line) => line,
        }
    }
}

#[cfg(test)]
mod tests;
