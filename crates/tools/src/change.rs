//! A call that changes one file: planned, shown, perhaps changed by hand, then written. Shared by `edit` and
//! `write_file`, which differ only in what they ask for.
//!
//! What is shown is what is written: the proposal is made once, and writing checks that the file is still the one it
//! was made from.

use crate::files_deps::FileDeps;
use crate::search::{blocking, failed, failure};
use async_trait::async_trait;
use edit::{
    FinalText, Labels, LineSources, Success, TextFile, Warning, diff_stat, success_text,
    unified_diff, with_lf,
};
use files::{
    Applied, ChangeRequest, CommitWarning, ContentHash, Decided, Location, Proposal, ProposalBase,
    ProposalLayer, ReadLimits, Resolved, WrittenBy, apply, plan, still_holds,
};
use protocol::confirmation::{AskWarning, Preview};
use protocol::diff::{DiffStat, FileDiff};
use protocol::ids::ProposalId;
use protocol::log::{FileChange, FileVersion};
use protocol::tool_call::{Display, ToolFailure};
use serde_json::Value;
use std::fs::Metadata;
use std::sync::Arc;
use std::time::SystemTime;
use tool_api::{
    ExecContext, Invocation, Modification, ModifyError, Permission, QuestionBody, SessionRule,
    ToolResult,
};

/// Texts above this size stay out of a question; the unified diff is shown instead.
pub(crate) const MAX_SHOWN_TEXT_BYTES: usize = 1_000_000;
/// The rule that "allow for this session" adds for changes inside the workspace.
const SESSION_RULE: &str = "Edit(workspace)";

/// What the model asked for, owned.
pub(crate) enum Asked {
    /// Part of a file changes.
    Edit {
        old: String,
        new: String,
        occurrences: edit::Occurrences,
    },
    /// The whole file is as given.
    Write { content: String },
    /// The whole file is as a command would leave it.
    Computed { base: ContentHash, bytes: Vec<u8> },
}

impl Asked {
    fn request(&self) -> ChangeRequest<'_> {
        match self {
            Self::Edit {
                old,
                new,
                occurrences,
            } => ChangeRequest::Edit {
                old,
                new,
                occurrences: *occurrences,
            },
            Self::Write { content } => ChangeRequest::Write { content },
            Self::Computed { base, bytes } => ChangeRequest::Computed { base: *base, bytes },
        }
    }

    fn change(&self) -> FileChange {
        match self {
            Self::Edit { .. } | Self::Computed { .. } => FileChange::Edit,
            Self::Write { .. } => FileChange::Write,
        }
    }
}

/// The call.
pub(crate) struct ChangeCall {
    args: Value,
    target: Resolved,
    asked: Arc<Asked>,
    deps: FileDeps,
    planned: Option<Planned>,
}

/// What was prepared.
struct Planned {
    id: ProposalId,
    proposal: Arc<Proposal>,
    stat: DiffStat,
    /// The person's text.
    final_text: Option<String>,
    /// What the file looked like when it was last compared.
    looked: Look,
}

impl ChangeCall {
    pub(crate) fn new(args: Value, target: Resolved, asked: Asked, deps: FileDeps) -> Self {
        Self {
            args,
            target,
            asked: Arc::new(asked),
            deps,
            planned: None,
        }
    }
}

#[async_trait]
impl Invocation for ChangeCall {
    fn args(&self) -> &Value {
        &self.args
    }

    fn subject(&self) -> String {
        self.deps.display_path(&self.target.path)
    }

    fn default_permission(&self) -> Permission {
        Permission::Ask
    }

    fn session_rule(&self) -> Option<SessionRule> {
        session_rule([&self.target])
    }

    async fn prepare(&mut self, ctx: &ExecContext) -> Result<(), ToolFailure> {
        let (target, asked, deps) = (self.target.clone(), self.asked.clone(), self.deps.clone());
        let planned = blocking(ctx.cancel.clone(), move |_| {
            let context = deps.plan_context();
            let looked = Look::at(&target.path);
            let proposal = plan(&target, &asked.request(), &context)?;
            let stat = edit::diff_stat_as_proposed(&proposal.base_text, &proposal.proposed_text);
            Ok((proposal, stat, looked))
        })
        .await?;
        let (proposal, stat, looked) = planned.map_err(|error: files::Error| failure(&error))?;
        // The same proposal of the same call has the same id, and another one has not.
        let id = ProposalId(format!("{}-{}", ctx.call_id, short_hash(&proposal)));
        self.planned = Some(Planned {
            id,
            proposal: Arc::new(proposal),
            stat,
            final_text: None,
            looked,
        });
        Ok(())
    }

    fn question(&self) -> QuestionBody {
        let Some(planned) = &self.planned else {
            return crate::question::info("edit", &self.args);
        };
        let diff = Box::new(self.diff(planned));
        let proposal = &planned.proposal;
        let unseen = proposal.warnings.iter().find_map(|warning| match warning {
            Warning::UnseenLinesReplaced { count } => Some(*count as u64),
            _ => None,
        });
        let too_large = diff.base_text.is_none() || diff.new_text.is_none();
        let preview = match (&*self.asked, proposal.layer) {
            (Asked::Edit { .. }, ProposalLayer::Matched(_)) | (Asked::Computed { .. }, _) => {
                Preview::Edit { diff }
            }
            _ => Preview::Write {
                diff,
                unseen_lines: unseen.unwrap_or_default(),
            },
        };
        QuestionBody {
            proposal_id: planned.id.clone(),
            preview,
            warnings: self.warnings(proposal),
            confirm_reasons: proposal
                .confirm_reasons
                .iter()
                .map(|reason| reason.name().to_owned())
                .collect(),
            modifiable: !too_large && !matches!(*self.asked, Asked::Computed { .. }),
        }
    }

    fn modify(&mut self, final_text: &str) -> Result<Modification, ModifyError> {
        let max_result_bytes = self.deps.settings.max_result_bytes;
        let Some(planned) = &mut self.planned else {
            return Err(ModifyError::NotModifiable);
        };
        let text = with_lf(final_text).into_owned();
        let proposal = &planned.proposal;
        if text == proposal.proposed_text {
            planned.final_text = None;
            return Ok(Modification {
                stat: planned.stat,
                changed: false,
            });
        }
        let refused = |error: edit::EditError| modify_error(&error, &self.target);
        if let ProposalBase::Absent { .. } = &proposal.base {
            edit::new_file_bytes(&text, proposal.new_format, max_result_bytes).map_err(refused)?;
        }
        if let ProposalBase::Existing { bytes, .. } = &proposal.base {
            let file = TextFile::decode(bytes).map_err(refused)?;
            match edit::plan_final(&file, &proposal.proposed_text, &text, max_result_bytes)
                .map_err(refused)?
            {
                FinalText::AsProposed => {
                    planned.final_text = None;
                    return Ok(Modification {
                        stat: planned.stat,
                        changed: false,
                    });
                }
                // Writing says that the person kept the original; nothing is changed then.
                FinalText::KeptOriginal | FinalText::Changed { .. } => {}
            }
        }
        let stat = diff_stat(&proposal.base_text, &proposal.proposed_text, &text);
        planned.final_text = Some(text);
        Ok(Modification {
            stat,
            changed: true,
        })
    }

    fn is_stale(&self) -> bool {
        let Some(planned) = &self.planned else {
            return false;
        };
        let now = Look::at(&self.target.path);
        if now == planned.looked {
            return false;
        }
        match &planned.proposal.base {
            ProposalBase::Existing { bytes, hash } => {
                !still_holds(&self.target.path, bytes.len(), *hash)
            }
            ProposalBase::Absent { .. } => self.target.path.symlink_metadata().is_ok(),
        }
    }

    async fn execute(mut self: Box<Self>, ctx: ExecContext) -> ToolResult {
        if ctx.cancel.is_cancelled() {
            return failed(&files::Error::Cancelled);
        }
        if self.planned.is_none()
            && let Err(failure) = self.prepare(&ctx).await
        {
            return ToolResult::failed(failure);
        }
        let Some(planned) = self.planned.take() else {
            return ToolResult::failed(unprepared());
        };
        let path = self.target.path.display().to_string();
        let (deps, change) = (self.deps.clone(), self.asked.change());
        let proposal = planned.proposal.clone();
        let final_text = planned.final_text.clone();
        let written = blocking(ctx.cancel.clone(), move |_| {
            let context = deps.apply_context();
            let decided = final_text
                .as_deref()
                .map_or(Decided::AsProposed, Decided::Text);
            let applied = apply(&proposal, decided, &context)?;
            // As proposed this is what the next change starts from; else it is what the AI had proposed.
            deps.backup.keep(&proposal.bytes);
            if applied.changed_by_user
                && let Ok(bytes) = std::fs::read(&proposal.path)
                && ContentHash::of(&bytes) == applied.committed.hash
            {
                deps.backup.keep(&bytes);
            }
            Ok(applied)
        })
        .await;
        match written {
            Ok(Ok(applied)) => self.landed(&planned, &applied, &path, change),
            Ok(Err(error)) => failed(&error),
            Err(failure) => ToolResult::failed(failure),
        }
    }
}

impl ChangeCall {
    /// What the model should know beside the change itself.
    fn notes(&self, proposal: &Proposal, applied: &Applied) -> Vec<String> {
        let on_disk = applied.committed.warnings.iter();
        spelling(&self.target)
            .into_iter()
            .chain(proposal.warnings.iter().map(ToString::to_string))
            .chain(on_disk.map(|warning| commit_words(*warning).to_owned()))
            .collect()
    }

    fn landed(
        &self,
        planned: &Planned,
        applied: &Applied,
        path: &str,
        change: FileChange,
    ) -> ToolResult {
        let proposal = &planned.proposal;
        let text = success_text(&Success {
            path,
            action: proposal.action(),
            base: &proposal.base_text,
            proposed: &proposal.proposed_text,
            final_text: &applied.final_text,
            warnings: &self.notes(proposal, applied),
            max_line_chars: ReadLimits::default().max_line_chars,
        })
        .text;
        let stat = match applied.changed_by_user {
            true => diff_stat(
                &proposal.base_text,
                &proposal.proposed_text,
                &applied.final_text,
            ),
            false => planned.stat,
        };
        let mut diff = self.file_diff(proposal, &applied.final_text, stat);
        diff.changed_by_user = applied.changed_by_user;
        let committed = applied.committed.warnings.iter();
        diff.warnings
            .extend(committed.map(|warning| warning.code().to_owned()));
        let mut result = ToolResult::text(
            text,
            Display::FileDiff {
                diff: Box::new(diff),
            },
        );
        result.edited = applied.changed_by_user;
        result.files = vec![FileVersion {
            path: path.to_owned(),
            change,
            before_hash: proposal.base_hash().map(|hash| hash.to_hex()),
            proposed_hash: Some(ContentHash::of(&proposal.bytes).to_hex()),
            after_hash: Some(applied.committed.hash.to_hex()),
            mode: Some(applied.committed.mode),
            in_place: applied.committed.written_by == WrittenBy::InPlace,
            stat,
            owners: Some(
                LineSources::of(
                    &proposal.base_text,
                    &proposal.proposed_text,
                    &applied.final_text,
                )
                .to_string(),
            ),
        }];
        result
    }

    /// The change as the question shows it: with both texts, so that it can be changed by hand.
    fn diff(&self, planned: &Planned) -> FileDiff {
        let proposal = &planned.proposal;
        let mut diff = self.file_diff(proposal, &proposal.proposed_text, planned.stat);
        let shown = |text: &str| (text.len() <= MAX_SHOWN_TEXT_BYTES).then(|| text.to_owned());
        diff.base_text = shown(&proposal.base_text);
        diff.new_text = shown(&proposal.proposed_text);
        diff
    }

    fn file_diff(&self, proposal: &Proposal, text: &str, stat: DiffStat) -> FileDiff {
        let display_path = self.deps.display_path(&proposal.path);
        let (old, new) = (format!("a/{display_path}"), format!("b/{display_path}"));
        FileDiff {
            file_path: proposal.path.display().to_string(),
            is_new: matches!(proposal.base, ProposalBase::Absent { .. }),
            unified_diff: unified_diff(
                &proposal.base_text,
                text,
                Labels {
                    old: &old,
                    new: &new,
                },
            ),
            base_text: None,
            new_text: None,
            stat,
            layer: proposal.layer.name().to_owned(),
            encoding: proposal.facts.encoding.clone(),
            encoding_guessed: proposal.facts.encoding_guessed,
            bom: proposal.facts.bom,
            eol: proposal.facts.eol,
            warnings: proposal
                .warnings
                .iter()
                .map(|warning| warning.code().to_owned())
                .collect(),
            changed_by_user: false,
            notebook: None,
            display_path,
        }
    }

    fn warnings(&self, proposal: &Proposal) -> Vec<AskWarning> {
        let mut warnings: Vec<AskWarning> = proposal.warnings.iter().map(ask_warning).collect();
        warnings.extend(outside_warning(&self.target));
        if matches!(proposal.base, ProposalBase::Absent { was_deleted: true }) {
            warnings.push(AskWarning {
                code: "FILE_WAS_DELETED".to_owned(),
                args: Vec::new(),
            });
        }
        warnings
    }
}

/// What a person may allow for the session: changes inside its folders.
pub(crate) fn session_rule<'a>(
    targets: impl IntoIterator<Item = &'a Resolved>,
) -> Option<SessionRule> {
    targets
        .into_iter()
        .all(|target| target.location == Location::Inside)
        .then(|| SessionRule {
            text: SESSION_RULE.to_owned(),
        })
}

/// That the file is in none of the folders of the session.
pub(crate) fn outside_warning(target: &Resolved) -> Option<AskWarning> {
    (target.location == Location::Outside).then(|| AskWarning {
        code: "OUTSIDE_WORKSPACE".to_owned(),
        args: vec![target.path.display().to_string()],
    })
}

/// A warning as the question shows it.
pub(crate) fn ask_warning(warning: &Warning) -> AskWarning {
    AskWarning {
        code: warning.code().to_owned(),
        args: warning_args(warning),
    }
}

fn warning_args(warning: &Warning) -> Vec<String> {
    match warning {
        Warning::NearMatchesLeft { count, .. } | Warning::UnseenLinesReplaced { count } => {
            vec![count.to_string()]
        }
        Warning::EncodingGuessed { encoding } => vec![encoding.clone()],
        Warning::LinesJoined | Warning::FinalNewlineRemoved | Warning::LiteralEscapes => Vec::new(),
    }
}

/// That another path was taken than the one that was written.
pub(crate) fn spelling(target: &Resolved) -> Option<String> {
    let variant = target.variant?.as_str();
    Some(format!(
        "The path was taken {variant}: {}.",
        target.path.display()
    ))
}

pub(crate) fn commit_words(warning: CommitWarning) -> &'static str {
    match warning {
        CommitWarning::ModeBitsCleared => {
            "The set-user-id or set-group-id bit of the file was dropped."
        }
        CommitWarning::InPlaceWrite => {
            "The file was overwritten in place, since it could not be exchanged in one step."
        }
        CommitWarning::MetadataNotKept => "Some attributes of the file could not be kept.",
    }
}

pub(crate) fn modify_error(error: &edit::EditError, target: &Resolved) -> ModifyError {
    if let edit::EditError::EncodingUnmappable { encoding, chars } = error
        && let Some(first) = chars.first()
    {
        return ModifyError::Encoding {
            encoding: encoding.to_string(),
            character: first.char,
            line: first.position.line as u64,
            column: first.position.column as u64,
        };
    }
    ModifyError::Refused(ToolFailure {
        code: error.code().to_owned(),
        reason: error.reason().map(str::to_owned),
        message: error.message(&target.path.display().to_string()),
    })
}

pub(crate) fn unprepared() -> ToolFailure {
    ToolFailure {
        code: "EDIT_PREPARATION_FAILURE".to_owned(),
        reason: None,
        message: "the change was not prepared; send it again".to_owned(),
    }
}

fn short_hash(proposal: &Proposal) -> String {
    let base = proposal
        .base_hash()
        .map(|hash| hash.to_hex())
        .unwrap_or_default();
    let new = ContentHash::of(&proposal.bytes).to_hex();
    format!(
        "{}{}",
        base.get(..8).unwrap_or_default(),
        new.get(..8).unwrap_or_default()
    )
}

/// What a file looks like from outside: enough to see that it may have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Look(Option<(u64, Option<SystemTime>, u64)>);

impl Look {
    pub(crate) fn at(path: &std::path::Path) -> Self {
        Self(
            std::fs::metadata(path)
                .ok()
                .map(|meta| (meta.len(), meta.modified().ok(), inode(&meta))),
        )
    }
}

#[cfg(unix)]
fn inode(meta: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(meta)
}

#[cfg(not(unix))]
fn inode(_meta: &Metadata) -> u64 {
    0
}
