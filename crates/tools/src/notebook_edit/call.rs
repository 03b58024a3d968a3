//! One change of a cell: planned, shown as the source of the cell, perhaps changed by hand, then written.

use crate::change::{
    Look, MAX_SHOWN_TEXT_BYTES, commit_words, modify_error, outside_warning, session_rule,
    spelling, unprepared,
};
use crate::files_deps::FileDeps;
use crate::search::{blocking, failed, failure};
use async_trait::async_trait;
use edit::{Action, Labels, LineSources, Success, diff_stat, success_text, unified_diff, with_lf};
use files::{
    CellEdit, ContentHash, NotebookApplied, NotebookProposal, NotebookRequest, ReadLimits,
    Resolved, WrittenBy, apply_notebook, plan_notebook, still_holds,
};
use protocol::confirmation::Preview;
use protocol::diff::{CellMode, DiffStat, Eol, FileDiff, NotebookCell};
use protocol::ids::ProposalId;
use protocol::log::{FileChange, FileVersion};
use protocol::tool_call::{Display, ToolFailure};
use serde_json::Value;
use std::sync::Arc;
use tool_api::{
    ExecContext, Invocation, Modification, ModifyError, Permission, QuestionBody, SessionRule,
    ToolResult,
};

/// The call.
pub(super) struct NotebookCall {
    args: Value,
    target: Resolved,
    request: NotebookRequest,
    deps: FileDeps,
    planned: Option<Planned>,
}

/// What was prepared.
struct Planned {
    id: ProposalId,
    proposal: Arc<NotebookProposal>,
    /// The person's source.
    final_source: Option<String>,
    /// What the file looked like when it was last compared.
    looked: Look,
}

impl NotebookCall {
    pub(super) fn new(
        args: Value,
        target: Resolved,
        request: NotebookRequest,
        deps: FileDeps,
    ) -> Self {
        Self {
            args,
            target,
            request,
            deps,
            planned: None,
        }
    }
}

#[async_trait]
impl Invocation for NotebookCall {
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
        let (target, request, deps) =
            (self.target.clone(), self.request.clone(), self.deps.clone());
        let planned = blocking(ctx.cancel.clone(), move |_| {
            let context = deps.plan_context();
            let looked = Look::at(&target.path);
            plan_notebook(&target, request, &context).map(|proposal| (proposal, looked))
        })
        .await?;
        let (proposal, looked) = planned.map_err(|error| failure(&error))?;
        let hash = ContentHash::of(&proposal.bytes).to_hex();
        self.planned = Some(Planned {
            id: ProposalId(format!("{}-{hash}", ctx.call_id)),
            proposal: Arc::new(proposal),
            final_source: None,
            looked,
        });
        Ok(())
    }

    fn question(&self) -> QuestionBody {
        let Some(planned) = &self.planned else {
            return crate::question::info("notebook_edit", &self.args);
        };
        let proposal = &planned.proposal;
        let mut diff = self.diff(proposal, stat_of(proposal));
        let shown = |text: &str| (text.len() <= MAX_SHOWN_TEXT_BYTES).then(|| text.to_owned());
        diff.base_text = shown(&proposal.base_source);
        diff.new_text = shown(&proposal.source);
        let is_shown = diff.base_text.is_some() && diff.new_text.is_some();
        let modifiable = match mode(proposal) {
            CellMode::Replace | CellMode::Insert => is_shown,
            CellMode::Delete => false,
        };
        let warnings = outside_warning(&self.target).into_iter().collect();
        QuestionBody {
            proposal_id: planned.id.clone(),
            preview: Preview::Edit {
                diff: Box::new(diff),
            },
            warnings,
            confirm_reasons: Vec::new(),
            modifiable,
        }
    }

    fn modify(&mut self, final_text: &str) -> Result<Modification, ModifyError> {
        let Some(planned) = &mut self.planned else {
            return Err(ModifyError::NotModifiable);
        };
        let proposal = &planned.proposal;
        if mode(proposal) == CellMode::Delete {
            return Err(ModifyError::NotModifiable);
        }
        let source = with_lf(final_text).into_owned();
        let changed = source != proposal.source;
        if changed
            && let Err(files::Error::Edit { source: error, .. }) = proposal.with_source(&source)
        {
            return Err(modify_error(&error, &self.target));
        }
        let stat = diff_stat(&proposal.base_source, &proposal.source, &source);
        planned.final_source = changed.then_some(source);
        Ok(Modification { stat, changed })
    }

    fn is_stale(&self) -> bool {
        let Some(planned) = &self.planned else {
            return false;
        };
        let proposal = &planned.proposal;
        Look::at(&proposal.path) != planned.looked
            && !still_holds(&proposal.path, proposal.base.len(), proposal.base_hash)
    }

    async fn execute(mut self: Box<Self>, ctx: ExecContext) -> ToolResult {
        if self.planned.is_none()
            && let Err(failure) = self.prepare(&ctx).await
        {
            return ToolResult::failed(failure);
        }
        let Some(planned) = self.planned.take() else {
            return ToolResult::failed(unprepared());
        };
        let deps = self.deps.clone();
        let proposal = planned.proposal.clone();
        let source = planned.final_source.clone();
        let written = blocking(ctx.cancel.clone(), move |_| {
            let context = deps.apply_context();
            let applied = apply_notebook(&proposal, source.as_deref(), &context)?;
            // What the next change starts from, and what the AI had proposed.
            deps.backup.keep(&applied.written.bytes);
            if applied.changed_by_user {
                deps.backup.keep(&proposal.bytes);
            }
            Ok(applied)
        })
        .await;
        match written {
            Ok(Ok(applied)) => self.landed(&planned.proposal, &applied),
            Ok(Err(error)) => failed(&error),
            Err(failure) => ToolResult::failed(failure),
        }
    }
}

/// Whose the lines of the file are, which is more than the source of the cell.
fn owners(base: &[u8], proposed: &[u8], written: &[u8]) -> String {
    let text = |bytes| with_lf(&String::from_utf8_lossy(bytes)).into_owned();
    LineSources::of(&text(base), &text(proposed), &text(written)).to_string()
}

impl NotebookCall {
    fn landed(&self, proposal: &NotebookProposal, applied: &NotebookApplied) -> ToolResult {
        let written = &applied.written;
        let stat = match applied.changed_by_user {
            true => diff_stat(&proposal.base_source, &proposal.source, &written.source),
            false => stat_of(proposal),
        };
        let mut diff = self.diff(written, stat);
        diff.changed_by_user = applied.changed_by_user;
        let display = Display::FileDiff {
            diff: Box::new(diff),
        };
        let on_disk = applied.committed.warnings.iter();
        let notes: Vec<String> = spelling(&self.target)
            .into_iter()
            .chain(on_disk.map(|warning| commit_words(*warning).to_owned()))
            .collect();
        let mut result = ToolResult::text(told(proposal, written, &notes), display);
        result.edited = applied.changed_by_user;
        result.files = vec![FileVersion {
            path: written.path.display().to_string(),
            change: FileChange::Notebook,
            before_hash: Some(written.base_hash.to_hex()),
            proposed_hash: Some(ContentHash::of(&proposal.bytes).to_hex()),
            after_hash: Some(applied.committed.hash.to_hex()),
            mode: Some(applied.committed.mode),
            in_place: applied.committed.written_by == WrittenBy::InPlace,
            stat,
            owners: Some(owners(&proposal.base, &proposal.bytes, &written.bytes)),
        }];
        result
    }

    /// The change of the source, and of the file as it is.
    fn diff(&self, proposal: &NotebookProposal, stat: DiffStat) -> FileDiff {
        let path = self.deps.display_path(&proposal.path);
        let cell = &proposal.cell;
        let (old, new) = (format!("a/{path}"), format!("b/{path}"));
        let labels = Labels {
            old: &old,
            new: &new,
        };
        let base = String::from_utf8_lossy(&proposal.base);
        let bytes = String::from_utf8_lossy(&proposal.bytes);
        FileDiff {
            file_path: proposal.path.display().to_string(),
            display_path: path,
            is_new: false,
            unified_diff: unified_diff(&proposal.base_source, &proposal.source, labels),
            base_text: None,
            new_text: None,
            stat,
            layer: "notebook".to_owned(),
            encoding: "utf-8".to_owned(),
            encoding_guessed: false,
            bom: proposal.base.starts_with("\u{FEFF}".as_bytes()),
            eol: Eol::Lf,
            warnings: Vec::new(),
            changed_by_user: false,
            notebook: Some(NotebookCell {
                mode: mode(proposal),
                number: cell.index as u64 + 1,
                n_cells: cell.n_cells as u64,
                id: cell.id.clone(),
                cell_type: cell.kind.clone(),
                raw_diff: unified_diff(&with_lf(&base), &with_lf(&bytes), labels),
            }),
        }
    }
}

fn mode(proposal: &NotebookProposal) -> CellMode {
    match proposal.request.edit {
        CellEdit::Replace { .. } => CellMode::Replace,
        CellEdit::Insert { .. } => CellMode::Insert,
        CellEdit::Delete { .. } => CellMode::Delete,
    }
}

fn stat_of(proposal: &NotebookProposal) -> DiffStat {
    edit::diff_stat_as_proposed(&proposal.base_source, &proposal.source)
}

/// What the model is told: where the cell is now, and what a person made of it.
fn told(proposal: &NotebookProposal, written: &NotebookProposal, notes: &[String]) -> String {
    let place = place(written);
    let path = written.path.display();
    let action = match mode(written) {
        CellMode::Delete => {
            let mut text = format!(
                "Deleted {place} of {path}; {} cells are left.\n",
                written.cell.n_cells
            );
            text.extend(notes.iter().map(|note| format!("Warning: {note}\n")));
            return text;
        }
        CellMode::Insert => Action::Created,
        CellMode::Replace => Action::Edited { replaced: 1 },
    };
    let headline = format!(
        "{place} of {path}, which has {} cells",
        written.cell.n_cells
    );
    success_text(&Success {
        path: &headline,
        action,
        base: &written.base_source,
        proposed: &proposal.source,
        final_text: &written.source,
        warnings: notes,
        max_line_chars: ReadLimits::default().max_line_chars,
    })
    .text
}

fn place(proposal: &NotebookProposal) -> String {
    let cell = &proposal.cell;
    let id = match &cell.id {
        Some(id) => format!("id {id}, cell-{}", cell.index),
        None => format!("cell-{}", cell.index),
    };
    format!("{} cell {} ({id})", cell.kind, cell.index + 1)
}
