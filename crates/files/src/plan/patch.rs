//! The steps of a patch, each checked as the tools for single files check theirs.

use super::gate::Known;
use super::{
    ChangeRequest, PlanContext, Proposal, ProposalBase, gone_while_planning, is_absence, plan,
    refusal, require_writable, too_large,
};
use crate::ContentHash;
use crate::commit::Attributes;
use crate::error::{Error, SpecialKind};
use crate::open::{open_regular, read_all, require_regular};
use crate::path_policy::{Presence, Resolved, suggestions};
use crate::stat::FileFacts;
use edit::{Chunk, Occurrences, TextFile};
use std::path::PathBuf;

/// What happens to one file.
#[derive(Debug, Clone)]
pub enum PatchStep {
    /// It is new.
    Add {
        /// Where.
        target: Resolved,
        /// Its whole text.
        content: String,
    },
    /// It goes.
    Delete {
        /// Which.
        target: Resolved,
    },
    /// Places of it change.
    Update {
        /// Which.
        target: Resolved,
        /// The places, in order.
        chunks: Vec<Chunk>,
    },
    /// It gets another name, and perhaps places of it change.
    Move {
        /// Which.
        target: Resolved,
        /// Its new name.
        to: Resolved,
        /// The places, in order; none if only the name changes.
        chunks: Vec<Chunk>,
    },
}

/// A file that goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// Resolved path.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Their hash.
    pub hash: ContentHash,
    /// Its permission bits.
    pub mode: u32,
    /// What else it carries.
    pub(crate) attributes: Attributes,
    /// Its text, with LF breaks.
    pub text: String,
}

/// A step that can be shown and done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlannedStep {
    /// A file is created or changed.
    Write(Box<Proposal>),
    /// A file goes.
    Delete(Removal),
    /// A file gets another name.
    Move {
        /// The old file.
        from: Removal,
        /// The new path.
        to: PathBuf,
        /// The bytes there.
        bytes: Vec<u8>,
        /// The text there, with LF breaks.
        text: String,
    },
}

/// Checks a step and works out what it does.
///
/// # Errors
/// A refusal that the model reads; nothing was written.
pub fn plan_step(step: &PatchStep, context: &PlanContext<'_>) -> Result<PlannedStep, Error> {
    match step {
        PatchStep::Add { target, content } => {
            let request = ChangeRequest::Edit {
                old: "",
                new: content,
                occurrences: Occurrences::One,
            };
            Ok(PlannedStep::Write(Box::new(add(
                target, content, &request, context,
            )?)))
        }
        PatchStep::Delete { target } => Ok(PlannedStep::Delete(removal(target, context)?)),
        PatchStep::Update { target, chunks } => {
            let request = ChangeRequest::Patch { chunks };
            Ok(PlannedStep::Write(Box::new(plan(
                target, &request, context,
            )?)))
        }
        PatchStep::Move { target, to, chunks } => {
            require_free(to)?;
            let from = removal(target, context)?;
            let (bytes, text) = match chunks.as_slice() {
                [] => (from.bytes.clone(), from.text.clone()),
                chunks => {
                    let proposal = plan(target, &ChangeRequest::Patch { chunks }, context)?;
                    (proposal.bytes, proposal.proposed_text)
                }
            };
            Ok(PlannedStep::Move {
                from,
                to: to.path.clone(),
                bytes,
                text,
            })
        }
    }
}

/// An empty new file is a file too, which an edit could not make.
fn add(
    target: &Resolved,
    content: &str,
    request: &ChangeRequest<'_>,
    context: &PlanContext<'_>,
) -> Result<Proposal, Error> {
    match target.presence {
        Presence::Missing if content.is_empty() => {
            plan(target, &ChangeRequest::Write { content }, context)
        }
        Presence::Missing | Presence::Exists | Presence::DanglingLink => {
            plan(target, request, context)
        }
    }
}

fn require_free(to: &Resolved) -> Result<(), Error> {
    let path = to.path.clone();
    match to.presence {
        Presence::Missing => Ok(()),
        Presence::DanglingLink => Err(Error::NotRegular {
            path,
            kind: SpecialKind::DanglingLink,
        }),
        Presence::Exists => Err(Error::AlreadyExists {
            size: std::fs::metadata(&path).map_or(0, |meta| meta.len()),
            path,
        }),
    }
}

/// A file that the model knows and that may go.
fn removal(target: &Resolved, context: &PlanContext<'_>) -> Result<Removal, Error> {
    let path = target.path.as_path();
    let request = ChangeRequest::Patch { chunks: &[] };
    let facts = FileFacts::follow(path).map_err(|source| match is_absence(&source) {
        true => Error::NotFound {
            path: path.to_path_buf(),
            suggestions: suggestions(path, context.roots, context.ignore_name),
        },
        false => Error::Unverifiable {
            path: path.to_path_buf(),
            source,
        },
    })?;
    require_regular(path, facts.kind)?;
    require_writable(path, &facts)?;
    if facts.stat.size > context.settings.max_edit_bytes {
        return Err(too_large(path, facts.stat.size, context));
    }
    let known = Known::by_record(path, &facts, &request, context)?;
    let open = open_regular(path).map_err(gone_while_planning)?;
    let bytes = read_all(&open, path, context.settings.max_edit_bytes)?;
    let hash = ContentHash::of(&bytes);
    known.require_hash(path, hash, &request)?;
    let file = TextFile::decode(&bytes).map_err(refusal(path))?;
    let text = file.text().to_owned();
    Ok(Removal {
        path: path.to_path_buf(),
        hash,
        mode: facts.mode,
        attributes: Attributes::of(&open.file),
        text,
        bytes,
    })
}

impl PlannedStep {
    /// Where the file was before; nothing for a new one.
    #[must_use]
    pub fn old_path(&self) -> Option<&PathBuf> {
        match self {
            Self::Write(proposal) => match proposal.base {
                ProposalBase::Absent { .. } => None,
                ProposalBase::Existing { .. } => Some(&proposal.path),
            },
            Self::Delete(removal) | Self::Move { from: removal, .. } => Some(&removal.path),
        }
    }

    /// Where the file is afterwards; nothing for one that goes.
    #[must_use]
    pub fn new_path(&self) -> Option<&PathBuf> {
        match self {
            Self::Write(proposal) => Some(&proposal.path),
            Self::Delete(_) => None,
            Self::Move { to, .. } => Some(to),
        }
    }

    /// The texts before and after, with LF breaks.
    #[must_use]
    pub fn texts(&self) -> (&str, &str) {
        match self {
            Self::Write(proposal) => (&proposal.base_text, &proposal.proposed_text),
            Self::Delete(removal) => (&removal.text, ""),
            Self::Move { from, text, .. } => (&from.text, text),
        }
    }
}
