//! From what a model asks for to a proposal that can be shown and written.
//!
//! The checks run in a fixed order: nothing about the content of a file is told before it is certain that the model
//! has read it. Planning reads only. What is proposed is what is written; nothing is matched again later.
//! Deliberately absent: who may decide, and the text of answers.

mod gate;
mod patch;

use crate::ContentHash;
use crate::error::{Error, Noticed, OutsideChange, PriorRead, SizePurpose, SpecialKind};
use crate::fault::{self, Fault, Moment};
use crate::open::{open_regular, read_all, require_regular};
use crate::path_policy::{Presence, Resolved, Roots, suggestions};
use crate::read::TextFacts;
use crate::read_cache::ReadCache;
use crate::stat::FileFacts;
use edit::{
    ConfirmReason, EditError, EditRequest, LineRanges, NewBom, NewFileFormat, Occurrences,
    Reviewer, TextChange, TextFile, Warning, WriteRequest,
};
use gate::Known;
pub(crate) use gate::require_writable;
pub use patch::{PatchStep, PlannedStep, Removal, plan_step};
use protocol::diff::Eol;
use protocol::settings::EditProfile;
use std::io;
use std::path::{Path, PathBuf};

/// What the model asks for.
#[derive(Debug, Clone, Copy)]
pub enum ChangeRequest<'a> {
    /// Part of a file changes; an empty `old` creates it.
    Edit {
        /// The text to replace.
        old: &'a str,
        /// The text to put there.
        new: &'a str,
        /// How many places.
        occurrences: Occurrences,
    },
    /// The whole file is as given.
    Write {
        /// The whole text.
        content: &'a str,
    },
    /// Several places of a file change.
    Patch {
        /// The places, in order.
        chunks: &'a [edit::Chunk],
    },
    /// The whole file is as a command would leave it. The model need not know it: the command does not, either.
    Computed {
        /// The bytes it was worked out from.
        base: ContentHash,
        /// The bytes it would have.
        bytes: &'a [u8],
    },
}

/// Whether the model must have read a file before it changes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriorReadRule {
    /// Yes.
    Required,
    /// No; that nothing changes between proposal and write is checked all the same.
    NotRequired,
}

/// Settings of planning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanSettings {
    /// Setting `files.prior_read`.
    pub prior_read: PriorReadRule,
    /// Setting `files.max_edit_bytes`.
    pub max_edit_bytes: u64,
    /// Setting `files.max_result_bytes`.
    pub max_result_bytes: usize,
    /// Setting `files.default_encoding`.
    pub new_file_bom: NewBom,
    /// Setting `edit_profile`.
    pub edit_profile: EditProfile,
    /// Whether a person can look at a change that one must look at.
    pub reviewer: Reviewer,
}

impl Default for PlanSettings {
    fn default() -> Self {
        Self {
            prior_read: PriorReadRule::Required,
            max_edit_bytes: 10 * 1024 * 1024,
            max_result_bytes: 20 * 1024 * 1024,
            new_file_bom: NewBom::AsGiven,
            edit_profile: EditProfile::Safe,
            reviewer: Reviewer::Person,
        }
    }
}

/// What planning takes place in.
#[derive(Debug, Clone, Copy)]
pub struct PlanContext<'a> {
    /// Records of the session.
    pub cache: &'a ReadCache,
    /// Workspace roots, for suggestions.
    pub roots: &'a Roots,
    /// Name of the product's ignore file, for suggestions.
    pub ignore_name: &'a str,
    /// Settings.
    pub settings: PlanSettings,
    /// The time now, nanoseconds since the epoch.
    pub now_ns: i64,
}

/// The file a proposal starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProposalBase {
    /// No file.
    Absent {
        /// The model has read a file there that is gone.
        was_deleted: bool,
    },
    /// A file with these bytes.
    Existing {
        /// All of them.
        bytes: Vec<u8>,
        /// Their hash.
        hash: ContentHash,
    },
}

/// Which rule decided where the change goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProposalLayer {
    /// A new file.
    Create,
    /// A matching rule of the text engine.
    Matched(edit::Layer),
    /// The whole file was given.
    Write,
    /// Places of it were given.
    Patch,
    /// It was worked out from a command.
    Computed,
}

impl ProposalLayer {
    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Matched(layer) => layer.name(),
            Self::Write => "write",
            Self::Patch => "patch",
            Self::Computed => "computed",
        }
    }
}

/// A change that can be shown and written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Resolved target.
    pub path: PathBuf,
    /// What it starts from.
    pub base: ProposalBase,
    /// The bytes that are proposed.
    pub bytes: Vec<u8>,
    /// The text before, with LF breaks; empty for a new file.
    pub base_text: String,
    /// The text proposed, with LF breaks.
    pub proposed_text: String,
    /// Which rule decided.
    pub layer: ProposalLayer,
    /// Places that change; 1 for a whole file.
    pub n_replaced: usize,
    /// What the model should know.
    pub warnings: Vec<Warning>,
    /// Why a person must look; empty if nobody must.
    pub confirm_reasons: Vec<ConfirmReason>,
    /// Encoding and line ends of the file before, or of the new file.
    pub facts: TextFacts,
    /// How a new file is written; kept for a text a person puts in its place.
    pub new_format: NewFileFormat,
}

impl Proposal {
    /// Hash of the bytes before; `None` for a new file.
    #[must_use]
    pub fn base_hash(&self) -> Option<ContentHash> {
        match &self.base {
            ProposalBase::Absent { .. } => None,
            ProposalBase::Existing { hash, .. } => Some(*hash),
        }
    }

    /// What is done to the file, for its result text.
    #[must_use]
    pub fn action(&self) -> edit::Action {
        match self.layer {
            ProposalLayer::Create => edit::Action::Created,
            ProposalLayer::Matched(edit::Layer::Create | edit::Layer::Exact) => {
                edit::Action::Edited {
                    replaced: self.n_replaced,
                }
            }
            ProposalLayer::Matched(layer) => edit::Action::EditedTolerantly {
                replaced: self.n_replaced,
                layer,
            },
            ProposalLayer::Write => edit::Action::Rewritten,
            ProposalLayer::Patch => edit::Action::Edited { replaced: 1 },
            ProposalLayer::Computed => edit::Action::EditedBySed,
        }
    }
}

/// Checks everything that can be checked before a person is asked, and works out the change.
pub fn plan(
    target: &Resolved,
    request: &ChangeRequest<'_>,
    context: &PlanContext<'_>,
) -> Result<Proposal, Error> {
    let path = target.path.as_path();
    if target.presence == Presence::Exists && crate::read::is_notebook(path) {
        return Err(Error::WrongTool {
            path: path.to_path_buf(),
        });
    }
    match request {
        ChangeRequest::Edit { old, new, .. } => {
            edit::refuse_identical(old, new).map_err(refusal(path))?
        }
        ChangeRequest::Write { .. }
        | ChangeRequest::Patch { .. }
        | ChangeRequest::Computed { .. } => {}
    }
    let facts = match FileFacts::follow(path) {
        Ok(facts) => facts,
        Err(error) if is_absence(&error) => return plan_absent(target, request, context),
        Err(source) => {
            return Err(Error::Unverifiable {
                path: path.to_path_buf(),
                source,
            });
        }
    };
    require_regular(path, facts.kind)?;
    let known = match request {
        ChangeRequest::Edit { old: "", .. } => Known::empty_file(path, &facts)?,
        ChangeRequest::Computed { .. } => Some(Known::NotRequired),
        ChangeRequest::Edit { .. } | ChangeRequest::Write { .. } | ChangeRequest::Patch { .. } => {
            None
        }
    };
    require_writable(path, &facts)?;
    if facts.stat.size > context.settings.max_edit_bytes {
        return Err(too_large(path, facts.stat.size, context));
    }
    let known = match known {
        Some(known) => known,
        None => Known::by_record(path, &facts, request, context)?,
    };
    fault::pass(path, Moment::AfterStat);
    plan_existing(path, request, &known, context)
}

fn plan_existing(
    path: &Path,
    request: &ChangeRequest<'_>,
    known: &Known,
    context: &PlanContext<'_>,
) -> Result<Proposal, Error> {
    let open = open_regular(path).map_err(gone_while_planning)?;
    let bytes = read_all(&open, path, context.settings.max_edit_bytes)?;
    if bytes.len() as u64 > context.settings.max_edit_bytes {
        return Err(too_large(path, bytes.len() as u64, context));
    }
    let hash = ContentHash::of(&bytes);
    known.require_hash(path, hash, request)?;
    context
        .cache
        .refresh_stat(path, hash, open.facts.stat, context.now_ns);
    fault::check(path, Fault::InternalPlan).map_err(|source| Error::Preparation {
        path: path.to_path_buf(),
        source,
    })?;
    let file = TextFile::decode(&bytes).map_err(refusal(path))?;
    let seen = known.seen(file.text());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let asked = Asked {
        request,
        seen: &seen,
        file_name: &name,
        settings: context.settings,
    };
    let (change, layer, n_replaced) = asked.planned(&file).map_err(refusal(path))?;
    let facts = TextFacts::of(&file);
    let base_text = file.text().to_owned();
    Ok(Proposal {
        path: path.to_path_buf(),
        base_text,
        facts,
        layer,
        n_replaced,
        bytes: change.bytes,
        proposed_text: change.text,
        warnings: change.warnings,
        confirm_reasons: change.confirm_reasons,
        new_format: NewFileFormat::of("", "", NewBom::AsGiven),
        base: ProposalBase::Existing { bytes, hash },
    })
}

/// A request for a file whose bytes the model may know.
struct Asked<'a> {
    request: &'a ChangeRequest<'a>,
    seen: &'a LineRanges,
    file_name: &'a str,
    settings: PlanSettings,
}

impl Asked<'_> {
    fn planned(
        &self,
        file: &TextFile<'_>,
    ) -> Result<(TextChange, ProposalLayer, usize), EditError> {
        let Self { seen, settings, .. } = *self;
        match *self.request {
            ChangeRequest::Edit {
                old,
                new,
                occurrences,
            } => {
                let request = EditRequest {
                    old,
                    new,
                    occurrences,
                    seen,
                    file_name: self.file_name,
                    profile: settings.edit_profile,
                    reviewer: settings.reviewer,
                    max_result_bytes: settings.max_result_bytes,
                };
                let planned = edit::plan_edit(file, &request)?;
                let layer = ProposalLayer::Matched(planned.layer);
                Ok((planned.change, layer, planned.replaced))
            }
            ChangeRequest::Write { content } => {
                let change = edit::plan_write(file, &self.whole(content))?;
                Ok((change, ProposalLayer::Write, 1))
            }
            ChangeRequest::Patch { chunks } => {
                let change = edit::plan_patch(file, chunks, &self.whole(""))?;
                Ok((change, ProposalLayer::Patch, chunks.len()))
            }
            ChangeRequest::Computed { bytes, .. } => {
                let change = edit::plan_bytes(file, bytes, settings.max_result_bytes)?;
                Ok((change, ProposalLayer::Computed, 1))
            }
        }
    }

    /// What both ways to give a file anew are held to.
    fn whole<'c>(&'c self, content: &'c str) -> WriteRequest<'c> {
        WriteRequest {
            content,
            seen: self.seen,
            reviewer: self.settings.reviewer,
            max_result_bytes: self.settings.max_result_bytes,
        }
    }
}

fn plan_absent(
    target: &Resolved,
    request: &ChangeRequest<'_>,
    context: &PlanContext<'_>,
) -> Result<Proposal, Error> {
    let path = target.path.as_path();
    let special = |kind| Error::NotRegular {
        path: path.to_path_buf(),
        kind,
    };
    match target.presence {
        Presence::DanglingLink => return Err(special(SpecialKind::DanglingLink)),
        Presence::Exists | Presence::Missing => {}
    }
    let was_read = context.cache.knows_path(path);
    let content = match *request {
        ChangeRequest::Edit { old: "", new, .. } => new,
        ChangeRequest::Write { content } => content,
        ChangeRequest::Computed { .. } => return Err(vanished(path)),
        ChangeRequest::Edit { .. } | ChangeRequest::Patch { .. } if was_read => {
            return Err(Error::Changed {
                path: path.to_path_buf(),
                change: OutsideChange::Deleted,
                noticed: Noticed::BeforePlanning,
            });
        }
        ChangeRequest::Edit { .. } | ChangeRequest::Patch { .. } => {
            return Err(Error::NotFound {
                path: path.to_path_buf(),
                suggestions: suggestions(path, context.roots, context.ignore_name),
            });
        }
    };
    if gate::is_below_file(path) {
        return Err(special(SpecialKind::BelowFile));
    }
    gate::require_notebook_content(path, content)?;
    let extension = path
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or("");
    let format = NewFileFormat::of(extension, content, context.settings.new_file_bom);
    let change = edit::plan_new_file(content, format, context.settings.max_result_bytes)
        .map_err(refusal(path))?;
    let facts = new_file_facts(&change.bytes);
    Ok(Proposal {
        path: path.to_path_buf(),
        base: ProposalBase::Absent {
            was_deleted: was_read,
        },
        bytes: change.bytes,
        base_text: String::new(),
        proposed_text: change.text,
        layer: ProposalLayer::Create,
        n_replaced: 1,
        warnings: change.warnings,
        confirm_reasons: change.confirm_reasons,
        facts,
        new_format: format,
    })
}

fn new_file_facts(bytes: &[u8]) -> TextFacts {
    match TextFile::decode(bytes) {
        Ok(file) => TextFacts::of(&file),
        // New text with NUL characters is written as given, though it is not taken for text again.
        Err(_) => TextFacts {
            encoding: "utf-8".to_owned(),
            encoding_guessed: false,
            bom: false,
            eol: Eol::None,
        },
    }
}

fn refusal(path: &Path) -> impl Fn(EditError) -> Error {
    move |source| Error::Edit {
        path: path.to_path_buf(),
        source,
    }
}

pub(crate) fn too_large(path: &Path, size: u64, context: &PlanContext<'_>) -> Error {
    Error::TooLarge {
        path: path.to_path_buf(),
        size,
        limit: context.settings.max_edit_bytes,
        purpose: SizePurpose::Edit,
    }
}

pub(crate) fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// A file that vanished between the look and the open was deleted by someone.
pub(crate) fn gone_while_planning(error: Error) -> Error {
    match error {
        Error::ReadFailed { path, source, .. } if source.kind() == io::ErrorKind::NotFound => {
            vanished(&path)
        }
        other => other,
    }
}

fn vanished(path: &Path) -> Error {
    Error::Changed {
        path: path.to_path_buf(),
        change: OutsideChange::Deleted,
        noticed: Noticed::WhilePlanning,
    }
}

/// The missing read, as it is said for this request.
fn missing_read(path: &Path, request: &ChangeRequest<'_>) -> Error {
    Error::RequiresPriorRead {
        path: path.to_path_buf(),
        need: match request {
            ChangeRequest::Edit { .. } | ChangeRequest::Patch { .. } => PriorRead::AnyPart,
            ChangeRequest::Write { .. } | ChangeRequest::Computed { .. } => PriorRead::Whole,
        },
    }
}
