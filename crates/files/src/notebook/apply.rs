//! Writing a changed notebook, and recording what the model knows of it afterwards.

use super::plan::{CellEdit, NotebookProposal, known_after};
use crate::apply::ApplyContext;
use crate::commit::{Base, Change, Committed};
use crate::error::Error;
use crate::read_cache::{Found, ReadRecord, ShownAs};
use edit::LineRanges;
use std::sync::Arc;

/// A longer source that a person changed is not told whole, and so the cell counts as unknown.
const MAX_TOLD_CHARS: usize = 4_000;
/// See above.
const MAX_TOLD_LINES: usize = 100;

/// A notebook that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotebookApplied {
    /// How it was written.
    pub committed: Committed,
    /// The proposal as it was written.
    pub written: NotebookProposal,
    /// A person changed it.
    pub changed_by_user: bool,
}

/// Writes a proposal, with the source a person wants instead, if any.
///
/// # Errors
/// The file is not what the proposal was made from, or it cannot be written. It is as it was.
pub fn apply_notebook(
    proposal: &NotebookProposal,
    source: Option<&str>,
    context: &ApplyContext<'_>,
) -> Result<NotebookApplied, Error> {
    let written = match source {
        Some(source) if source != proposal.source => proposal.with_source(source)?,
        Some(_) | None => proposal.clone(),
    };
    let committed = context.committer.commit(&Change {
        path: &written.path,
        base: Base::Bytes {
            bytes: &written.base,
            hash: written.base_hash,
        },
        bytes: &written.bytes,
        backup: Arc::clone(context.backup),
    })?;
    let applied = NotebookApplied {
        committed,
        changed_by_user: written.source != proposal.source,
        written,
    };
    record(&applied, context);
    Ok(applied)
}

fn record(applied: &NotebookApplied, context: &ApplyContext<'_>) {
    let (written, committed) = (&applied.written, &applied.committed);
    let before = committed.before.map(|stat| stat.id);
    let known = context.cache.lookup(&written.path, before);
    let known = known.as_ref().map(Found::record);
    let all = LineRanges::all(written.cell.n_cells);
    let mut seen = match known {
        Some(known) if known.shown_as == ShownAs::Text => all.clone(),
        Some(known) => known_after(&known.seen, &written.cell, &written.request.edit),
        None => LineRanges::new(),
    };
    let is_told = !applied.changed_by_user
        || (written.source.chars().count() <= MAX_TOLD_CHARS
            && edit::count_lines(&written.source) <= MAX_TOLD_LINES);
    match written.request.edit {
        CellEdit::Replace { .. } | CellEdit::Insert { .. } if is_told => {
            seen.insert(written.cell.index + 1..written.cell.index + 2);
        }
        CellEdit::Replace { .. } | CellEdit::Insert { .. } | CellEdit::Delete { .. } => {}
    }
    let read = ReadRecord {
        path: written.path.clone(),
        stat: committed.stat,
        hash: Some(committed.hash),
        shown_as: ShownAs::NonText,
        full: seen == all,
        seen,
        resident: known.is_none_or(|known| known.resident),
        hashed_at_ns: context.now_ns,
        last_read_at_ns: known.map_or(context.now_ns, |known| known.last_read_at_ns),
        last_write_at_ns: Some(context.now_ns),
    };
    context.cache.note_write(read, before);
}
