//! Doing the steps of a patch: all of them, or none.
//!
//! The steps are done in order. If one fails, the ones before it are taken back, last first, by the same commits that
//! write files, so that another program's change in between is never lost; what cannot be taken back is named.

use crate::apply::{ApplyContext, Decided, apply};
use crate::commit::{Base, Change, CommitWarning, WrittenBy};
use crate::error::Error;
use crate::plan::{PlannedStep, Proposal, ProposalBase, Removal};
use crate::read_cache::{ReadRecord, ShownAs};
use crate::{ContentHash, stat_of};
use edit::{LineDiff, LineRanges};
use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A step that was done: what each file had before and has now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepDone {
    /// The path before; nothing for a new file.
    pub old: Option<PathBuf>,
    /// Hash of the bytes before.
    pub before: Option<ContentHash>,
    /// The path now; nothing for a file that went.
    pub new: Option<PathBuf>,
    /// Hash of the bytes now.
    pub after: Option<ContentHash>,
    /// Permission bits.
    pub mode: Option<u32>,
    /// How the bytes got there.
    pub written_by: WrittenBy,
    /// What the model and the human are told.
    pub warnings: Vec<CommitWarning>,
}

/// A patch that failed.
#[derive(Debug)]
pub struct Undone {
    /// Which step, counted from 0.
    pub step: usize,
    /// Why.
    pub error: Error,
    /// What was done and could not be taken back, and why. Everything else is as it was.
    pub left: Vec<(StepDone, Error)>,
    /// Files that are back without all that they carried.
    pub bare: Vec<PathBuf>,
}

/// Does all steps, or none.
///
/// # Errors
/// [`Undone`] if a step failed.
pub fn apply_steps(
    steps: &[PlannedStep],
    context: &ApplyContext<'_>,
) -> Result<Vec<StepDone>, Box<Undone>> {
    let mut done: Vec<StepDone> = Vec::with_capacity(steps.len());
    let mut folders = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        folders.extend(missing_folders(step));
        match apply_step(step, context) {
            Ok(finished) => done.push(finished),
            Err(failed) => {
                let mut undone = Undone {
                    step: at,
                    error: failed.error,
                    left: Vec::new(),
                    bare: Vec::new(),
                };
                take_back(steps, done, context, &mut undone);
                undone.left.extend(failed.left);
                remove_empty(&folders, context);
                return Err(Box::new(undone));
            }
        }
    }
    Ok(done)
}

/// The folders that a step will make, outermost first.
fn missing_folders(step: &PlannedStep) -> Vec<PathBuf> {
    let above = step
        .new_path()
        .into_iter()
        .flat_map(|path| path.ancestors().skip(1));
    let mut missing: Vec<PathBuf> = above
        .take_while(|folder| !folder.exists())
        .map(Path::to_path_buf)
        .collect();
    missing.reverse();
    missing
}

/// Removes folders that were made for files that were taken back. One that somebody uses by now stays.
fn remove_empty(folders: &[PathBuf], context: &ApplyContext<'_>) {
    if folders.is_empty() {
        return;
    }
    // A file that was taken away stays beside its place for a moment.
    context.committer.settle();
    for folder in folders.iter().rev() {
        if let Err(error) = std::fs::remove_dir(folder) {
            tracing::debug!(folder = %folder.display(), %error, "a folder stays");
        }
    }
}

/// A step that failed.
struct Failed {
    error: Error,
    /// The half of it that was done and could not be taken back, and why.
    left: Option<(StepDone, Error)>,
}

impl From<Error> for Box<Failed> {
    fn from(error: Error) -> Self {
        Self::new(Failed { error, left: None })
    }
}

fn apply_step(step: &PlannedStep, context: &ApplyContext<'_>) -> Result<StepDone, Box<Failed>> {
    match step {
        PlannedStep::Write(proposal) => Ok(write(proposal, context)?),
        PlannedStep::Delete(removal) => {
            remove(&removal.path, &removal.bytes, context)?;
            Ok(StepDone {
                old: Some(removal.path.clone()),
                before: Some(removal.hash),
                new: None,
                after: None,
                mode: Some(removal.mode),
                written_by: WrittenBy::Exchange,
                warnings: Vec::new(),
            })
        }
        PlannedStep::Move {
            from,
            to,
            bytes,
            text,
        } => {
            let seen = seen_after(from, text, context);
            let warnings = create((to, bytes), from, context)?;
            let created = StepDone {
                old: None,
                before: None,
                new: Some(to.clone()),
                after: Some(ContentHash::of(bytes)),
                mode: Some(from.mode),
                written_by: WrittenBy::Exchange,
                warnings,
            };
            if let Err(error) = remove(&from.path, &from.bytes, context) {
                let stays = remove(to, bytes, context).err();
                let left = stays.map(|why| (created, why));
                return Err(Box::new(Failed { error, left }));
            }
            note_moved(to, bytes, seen, context);
            Ok(StepDone {
                old: Some(from.path.clone()),
                before: Some(from.hash),
                ..created
            })
        }
    }
}

fn write(proposal: &Proposal, context: &ApplyContext<'_>) -> Result<StepDone, Error> {
    let applied = apply(proposal, Decided::AsProposed, context)?;
    let existed = proposal.base_hash().is_some();
    Ok(StepDone {
        old: existed.then(|| proposal.path.clone()),
        before: proposal.base_hash(),
        new: Some(proposal.path.clone()),
        after: Some(applied.committed.hash),
        mode: Some(applied.committed.mode),
        written_by: applied.committed.written_by,
        warnings: applied.committed.warnings,
    })
}

/// Takes finished steps back, last first, and notes those that stay.
fn take_back(
    steps: &[PlannedStep],
    done: Vec<StepDone>,
    context: &ApplyContext<'_>,
    undone: &mut Undone,
) {
    for (step, done) in steps.iter().zip(done).rev() {
        match take_back_step(step, context) {
            Ok(warnings) if warnings.contains(&CommitWarning::MetadataNotKept) => {
                undone.bare.extend(done.old);
            }
            Ok(_) => {}
            Err(error) => undone.left.push((done, error)),
        }
    }
}

fn take_back_step(
    step: &PlannedStep,
    context: &ApplyContext<'_>,
) -> Result<Vec<CommitWarning>, Error> {
    match step {
        PlannedStep::Write(proposal) => match &proposal.base {
            ProposalBase::Absent { .. } => {
                remove(&proposal.path, &proposal.bytes, context)?;
                Ok(Vec::new())
            }
            ProposalBase::Existing { bytes, .. } => {
                let committed = context.committer.commit(&Change {
                    path: &proposal.path,
                    base: Base::Bytes {
                        bytes: &proposal.bytes,
                        hash: ContentHash::of(&proposal.bytes),
                    },
                    bytes,
                    backup: Arc::clone(context.backup),
                })?;
                Ok(committed.warnings)
            }
        },
        PlannedStep::Delete(removal) => bring_back(removal, context),
        PlannedStep::Move {
            from, to, bytes, ..
        } => {
            let warnings = bring_back(from, context)?;
            remove(to, bytes, context)?;
            Ok(warnings)
        }
    }
}

fn bring_back(removal: &Removal, context: &ApplyContext<'_>) -> Result<Vec<CommitWarning>, Error> {
    create((&removal.path, &removal.bytes), removal, context)
}

fn remove(path: &Path, bytes: &[u8], context: &ApplyContext<'_>) -> Result<(), Error> {
    let base = Base::Bytes {
        bytes,
        hash: ContentHash::of(bytes),
    };
    context
        .committer
        .delete(path, base, Arc::clone(context.backup))?;
    context.cache.forget(path);
    Ok(())
}

/// Makes a file that carries what another did.
fn create(
    (path, bytes): (&Path, &[u8]),
    like: &Removal,
    context: &ApplyContext<'_>,
) -> Result<Vec<CommitWarning>, Error> {
    let mut warnings = context
        .committer
        .commit(&Change {
            path,
            base: Base::Absent,
            bytes,
            backup: Arc::clone(context.backup),
        })?
        .warnings;
    // A script that moves can still be run. Where that fails the file is there all the same.
    let given = File::open(path).and_then(|file| {
        warnings.extend(like.attributes.give(&file));
        file.set_permissions(Permissions::from_mode(like.mode))
    });
    if let Err(error) = given {
        tracing::warn!(path = %path.display(), %error, "the mode of a file was not kept");
        warnings.push(CommitWarning::MetadataNotKept);
    }
    warnings.sort();
    warnings.dedup();
    Ok(warnings)
}

/// The lines that the model knows: those it knew of the old file, and those it wrote.
fn seen_after(from: &Removal, text: &str, context: &ApplyContext<'_>) -> LineRanges {
    let hunks = LineDiff::of_pieces(&from.text, text).hunks();
    let known = context.cache.lookup(&from.path, None);
    let mut seen = known
        .map(|known| known.record().seen.after_change(&hunks))
        .unwrap_or_default();
    for hunk in hunks {
        seen.insert(hunk.new.start + 1..hunk.new.end + 1);
    }
    seen
}

/// The model may go on with the file under its new name.
fn note_moved(path: &Path, bytes: &[u8], seen: LineRanges, context: &ApplyContext<'_>) {
    let Ok(stat) = stat_of(path) else {
        return;
    };
    context.cache.note_read(ReadRecord {
        path: path.to_path_buf(),
        stat,
        hash: Some(ContentHash::of(bytes)),
        shown_as: ShownAs::Text,
        seen,
        full: false,
        resident: false,
        hashed_at_ns: context.now_ns,
        last_read_at_ns: context.now_ns,
        last_write_at_ns: Some(context.now_ns),
    });
}
