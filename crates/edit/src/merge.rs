//! Takes one change out of a text that was changed again since.
//!
//! The lines of the change and the lines of the later one are both places in the text between them. Where no place of
//! one overlaps or touches a place of the other, the change is taken out of the bytes that are there now; every byte
//! outside of its places stays. Everything else is for a person. Deliberately absent: guesses, and conflict marks.

#[cfg(test)]
mod tests;

use crate::align::Hunk;
use crate::error::EditError;
use crate::line_diff::LineDiff;
use crate::lines::LineIndex;
use crate::splice::{Replacement, splice};
use crate::text::TextFile;

/// The three texts that a change is taken back between.
#[derive(Debug, Clone, Copy)]
pub struct Versions<'a, 'b> {
    /// What was there before the change.
    pub before: &'a TextFile<'b>,
    /// What the change left.
    pub after: &'a TextFile<'b>,
    /// What is there now.
    pub current: &'a TextFile<'b>,
}

/// Why a change cannot be taken back by itself.
#[derive(Debug, thiserror::Error)]
pub enum MergeRefusal {
    /// Lines of the change were changed again, or lines right beside them.
    #[error("the same lines changed again, or lines right beside them")]
    Touching,
    /// The change is more than its lines: line ends, an encoding, bytes that are no text.
    #[error("the change is more than lines of text")]
    NotLines,
    /// Nothing of the change is left to take back.
    #[error("the change is gone already")]
    Nothing,
    /// The lines cannot be written into the file as it now is.
    #[error(transparent)]
    Edit(EditError),
}

/// The bytes of the current file without the change.
pub fn merge_back(
    versions: &Versions<'_, '_>,
    max_result_bytes: usize,
) -> Result<Vec<u8>, MergeRefusal> {
    let Versions {
        before,
        after,
        current,
    } = versions;
    let change = LineDiff::of_pieces(after.text(), before.text()).hunks();
    let since = LineDiff::of_pieces(after.text(), current.text()).hunks();
    if current.bytes() == before.bytes() {
        return Err(MergeRefusal::Nothing);
    }
    // What the lines do not say would stay half taken back.
    let unmoved = change.iter().map(|hunk| Some(hunk.clone()));
    let plain = put(after, before.text(), unmoved, max_result_bytes)?;
    if plain != before.bytes() {
        return Err(MergeRefusal::NotLines);
    }
    let moved = change.iter().map(|hunk| moved(hunk, &since));
    put(current, before.text(), moved, max_result_bytes)
}

/// Where the lines of a hunk now are; `None` where they are not as they were, or their neighbours are not.
fn moved(hunk: &Hunk, since: &[Hunk]) -> Option<Hunk> {
    let mut start = hunk.old.start;
    for other in since {
        if other.old.end < hunk.old.start {
            start = start + other.new.len() - other.old.len();
        } else if other.old.start <= hunk.old.end {
            return None;
        }
    }
    Some(Hunk {
        old: start..start + hunk.old.len(),
        new: hunk.new.clone(),
    })
}

/// The bytes of a file with hunks put in, all of which must have a place.
fn put(
    file: &TextFile<'_>,
    source: &str,
    hunks: impl Iterator<Item = Option<Hunk>>,
    max_result_bytes: usize,
) -> Result<Vec<u8>, MergeRefusal> {
    let (lines, source_lines) = (LineIndex::of(file.text()), LineIndex::of(source));
    let replacements: Option<Vec<Replacement>> = hunks
        .map(|hunk| {
            let Hunk { old, new } = hunk?;
            Some(Replacement {
                span: lines.start(old.start)..lines.start(old.end),
                source: source_lines.start(new.start)..source_lines.start(new.end),
            })
        })
        .collect();
    let replacements = replacements.ok_or(MergeRefusal::Touching)?;
    splice(file, source, &replacements, max_result_bytes).map_err(MergeRefusal::Edit)
}
