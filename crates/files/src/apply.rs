//! Writing a proposal as it was decided, and recording what the model knows afterwards.

use crate::commit::{Backup, Base, Change, Committed, Committer};
use crate::error::Error;
use crate::plan::{PlanSettings, Proposal, ProposalBase, ProposalLayer};
use crate::read::ReadLimits;
use crate::read_cache::{ReadCache, ReadRecord, ShownAs};
use edit::{FinalText, Hunk, LineDiff, LineRanges, Success, TextFile};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// What was decided about a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decided<'a> {
    /// As proposed.
    AsProposed,
    /// With this whole text instead, LF breaks. Empty is a text.
    Text(&'a str),
}

/// What applying takes place in.
#[derive(Clone, Copy)]
pub struct ApplyContext<'a> {
    /// Makes the commit.
    pub committer: &'a Committer,
    /// Keeps the old bytes.
    pub backup: &'a Arc<dyn Backup>,
    /// Records of the session.
    pub cache: &'a ReadCache,
    /// Settings.
    pub settings: PlanSettings,
    /// The time now, nanoseconds since the epoch.
    pub now_ns: i64,
}

impl fmt::Debug for ApplyContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApplyContext")
            .field("now_ns", &self.now_ns)
            .finish_non_exhaustive()
    }
}

/// A proposal that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// How it was written.
    pub committed: Committed,
    /// The text now, with LF breaks.
    pub final_text: String,
    /// A person changed the proposal.
    pub changed_by_user: bool,
    /// The lines that changed, from the text before to the text now.
    pub hunks: Vec<Hunk>,
}

/// Writes a proposal.
pub fn apply(
    proposal: &Proposal,
    decided: Decided<'_>,
    context: &ApplyContext<'_>,
) -> Result<Applied, Error> {
    let chosen = choose(proposal, decided, context.settings.max_result_bytes)?;
    let base = match &proposal.base {
        ProposalBase::Absent { .. } => Base::Absent,
        ProposalBase::Existing { bytes, hash } => Base::Bytes { bytes, hash: *hash },
    };
    let committed = context.committer.commit(&Change {
        path: &proposal.path,
        base,
        bytes: &chosen.bytes,
        backup: Arc::clone(context.backup),
    })?;
    let applied = Applied {
        committed,
        hunks: LineDiff::of_pieces(&proposal.base_text, &chosen.text).hunks(),
        final_text: chosen.text.into_owned(),
        changed_by_user: chosen.changed_by_user,
    };
    record(proposal, &applied, context);
    Ok(applied)
}

struct Chosen<'a> {
    bytes: Cow<'a, [u8]>,
    text: Cow<'a, str>,
    changed_by_user: bool,
}

fn choose<'a>(
    proposal: &'a Proposal,
    decided: Decided<'a>,
    max_result_bytes: usize,
) -> Result<Chosen<'a>, Error> {
    let as_proposed = Chosen {
        bytes: Cow::Borrowed(&proposal.bytes),
        text: Cow::Borrowed(&proposal.proposed_text),
        changed_by_user: false,
    };
    let text = match decided {
        Decided::AsProposed => return Ok(as_proposed),
        Decided::Text(text) => text,
    };
    let refusal = |source| Error::Edit {
        path: proposal.path.clone(),
        source,
    };
    let base = match &proposal.base {
        ProposalBase::Absent { .. } if text == proposal.proposed_text => return Ok(as_proposed),
        ProposalBase::Absent { .. } => {
            let bytes = edit::new_file_bytes(text, proposal.new_format, max_result_bytes);
            return Ok(Chosen {
                bytes: Cow::Owned(bytes.map_err(refusal)?),
                text: Cow::Borrowed(text),
                changed_by_user: true,
            });
        }
        ProposalBase::Existing { bytes, .. } => bytes,
    };
    let file = TextFile::decode(base).map_err(refusal)?;
    let decided = edit::plan_final(&file, &proposal.proposed_text, text, max_result_bytes);
    match decided.map_err(refusal)? {
        FinalText::AsProposed => Ok(as_proposed),
        FinalText::KeptOriginal => Err(Error::KeptOriginal {
            path: proposal.path.clone(),
        }),
        FinalText::Changed { bytes, text } => Ok(Chosen {
            bytes: Cow::Owned(bytes),
            text: Cow::Owned(text),
            changed_by_user: true,
        }),
    }
}

fn record(proposal: &Proposal, applied: &Applied, context: &ApplyContext<'_>) {
    let before = applied.committed.before.map(|stat| stat.id);
    let known = context.cache.lookup(&proposal.path, before);
    let known = known.as_ref().map(crate::read_cache::Found::record);
    let all = LineRanges::all(edit::count_lines(&applied.final_text));
    let seen = if wrote_all(proposal, applied) {
        all.clone()
    } else {
        // Of other bytes than these the model may know lines that are not there.
        let mut seen = known
            .filter(|known| known.hash == proposal.base_hash())
            .map(|known| known.seen.after_change(&applied.hunks))
            .unwrap_or_default();
        if !applied.changed_by_user {
            // The model wrote these lines itself.
            applied
                .hunks
                .iter()
                .for_each(|hunk| seen.insert(hunk.new.start + 1..hunk.new.end + 1));
        }
        seen.extend(&shown_lines(proposal, applied));
        seen
    };
    let written = ReadRecord {
        path: proposal.path.clone(),
        stat: applied.committed.stat,
        hash: Some(applied.committed.hash),
        shown_as: ShownAs::Text,
        full: seen == all,
        seen,
        resident: known.is_none_or(|known| known.resident),
        hashed_at_ns: context.now_ns,
        last_read_at_ns: known.map_or(context.now_ns, |known| known.last_read_at_ns),
        last_write_at_ns: Some(context.now_ns),
    };
    context.cache.note_write(written, before);
}

/// Whether every line of the file comes from the model.
fn wrote_all(proposal: &Proposal, applied: &Applied) -> bool {
    match proposal.layer {
        ProposalLayer::Create | ProposalLayer::Write => !applied.changed_by_user,
        ProposalLayer::Matched(_) | ProposalLayer::Patch | ProposalLayer::Computed => false,
    }
}

/// The lines that the result text of this change shows.
fn shown_lines(proposal: &Proposal, applied: &Applied) -> LineRanges {
    edit::success_text(&Success {
        path: "",
        action: proposal.action(),
        base: &proposal.base_text,
        proposed: &proposal.proposed_text,
        final_text: &applied.final_text,
        warnings: &[],
        max_line_chars: ReadLimits::default().max_line_chars,
    })
    .lines
}
