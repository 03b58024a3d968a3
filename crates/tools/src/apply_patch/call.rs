//! One patch: planned whole, reviewed whole, done whole or not at all.

use crate::change::{
    Look, ask_warning, commit_words, outside_warning, session_rule, spelling, unprepared,
};
use crate::files_deps::FileDeps;
use crate::search::{blocking, failure};
use async_trait::async_trait;
use edit::{Labels, LineSources, Success, diff_stat_as_proposed, success_text, unified_diff};
use files::{
    CommitWarning, ContentHash, PatchStep, PlannedStep, ProposalBase, ReadLimits, Resolved,
    StepDone, Undone, WrittenBy, apply_steps, plan_step, still_holds,
};
use protocol::confirmation::Preview;
use protocol::ids::ProposalId;
use protocol::log::{FileChange, FileVersion};
use protocol::tool_call::{Display, ToolFailure};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tool_api::{ExecContext, Invocation, Permission, QuestionBody, SessionRule, ToolResult};

/// What stands for a file that is not there.
const NO_FILE: &str = "/dev/null";

/// One file of the patch.
#[derive(Clone)]
pub(super) struct Step(pub(super) PatchStep);

impl Step {
    /// The paths it touches.
    pub(super) fn targets(&self) -> Vec<&Resolved> {
        match &self.0 {
            PatchStep::Add { target, .. }
            | PatchStep::Delete { target }
            | PatchStep::Update { target, .. } => vec![target],
            PatchStep::Move { target, to, .. } => vec![target, to],
        }
    }
}

/// The call.
pub(super) struct PatchCall {
    args: Value,
    steps: Arc<Vec<Step>>,
    deps: FileDeps,
    planned: Option<Planned>,
}

/// What was prepared.
struct Planned {
    id: ProposalId,
    steps: Arc<Vec<PlannedStep>>,
    /// What each path looked like.
    looked: Vec<(PathBuf, Look)>,
}

impl PatchCall {
    pub(super) fn new(args: Value, steps: Vec<Step>, deps: FileDeps) -> Self {
        Self {
            args,
            steps: Arc::new(steps),
            deps,
            planned: None,
        }
    }

    fn targets(&self) -> Vec<&Resolved> {
        self.steps.iter().flat_map(Step::targets).collect()
    }

    fn diff_of(&self, step: &PlannedStep) -> String {
        let label = |side: &str, path: Option<&PathBuf>| match path {
            Some(path) => format!("{side}/{}", self.deps.display_path(path)),
            None => NO_FILE.to_owned(),
        };
        let (old, new) = (label("a", step.old_path()), label("b", step.new_path()));
        let (before, after) = step.texts();
        let diff = unified_diff(
            before,
            after,
            Labels {
                old: &old,
                new: &new,
            },
        );
        if diff.is_empty() {
            return format!("--- {old}\n+++ {new}\n");
        }
        diff
    }

    fn diff(&self, planned: &Planned) -> String {
        let diffs = planned.steps.iter().map(|step| self.diff_of(step));
        diffs.collect::<Vec<_>>().join("\n")
    }
}

#[async_trait]
impl Invocation for PatchCall {
    fn args(&self) -> &Value {
        &self.args
    }

    fn subject(&self) -> String {
        let paths: Vec<String> = self
            .targets()
            .iter()
            .map(|target| self.deps.display_path(&target.path))
            .collect();
        paths.join(", ").chars().take(200).collect()
    }

    fn default_permission(&self) -> Permission {
        Permission::Ask
    }

    fn session_rule(&self) -> Option<SessionRule> {
        session_rule(self.targets())
    }

    async fn prepare(&mut self, ctx: &ExecContext) -> Result<(), ToolFailure> {
        let (steps, deps) = (self.steps.clone(), self.deps.clone());
        let planned = blocking(ctx.cancel.clone(), move |_| {
            let context = deps.plan_context();
            let targets = steps.iter().flat_map(Step::targets);
            let looked: Vec<_> = targets
                .map(|target| (target.path.clone(), Look::at(&target.path)))
                .collect();
            let planned: Vec<_> = steps
                .iter()
                .map(|step| plan_step(&step.0, &context))
                .collect();
            (planned, looked)
        })
        .await?;
        let (steps, looked) = (all_of(planned.0)?, planned.1);
        let id = id_of(&steps, ctx);
        self.planned = Some(Planned {
            id,
            steps: Arc::new(steps),
            looked,
        });
        Ok(())
    }

    fn question(&self) -> QuestionBody {
        let Some(planned) = &self.planned else {
            return crate::question::info("apply_patch", &self.args);
        };
        let proposals = || {
            planned.steps.iter().filter_map(|step| match step {
                PlannedStep::Write(proposal) => Some(proposal),
                PlannedStep::Delete(_) | PlannedStep::Move { .. } => None,
            })
        };
        let outside = self.targets().into_iter().filter_map(outside_warning);
        let warnings = proposals()
            .flat_map(|proposal| proposal.warnings.iter().map(ask_warning))
            .chain(outside)
            .collect();
        let reasons: BTreeSet<&str> = proposals()
            .flat_map(|proposal| proposal.confirm_reasons.iter().map(|reason| reason.name()))
            .collect();
        QuestionBody {
            proposal_id: planned.id.clone(),
            preview: Preview::Info {
                title: self.subject(),
                body: self.diff(planned),
            },
            warnings,
            confirm_reasons: reasons.into_iter().map(str::to_owned).collect(),
            modifiable: false,
        }
    }

    fn is_stale(&self) -> bool {
        let Some(planned) = &self.planned else {
            return false;
        };
        planned.looked.iter().any(|(path, looked)| {
            Look::at(path) != *looked
                && match base_of(&planned.steps, path) {
                    Some((size, hash)) => !still_holds(path, size, hash),
                    None => path.symlink_metadata().is_ok(),
                }
        })
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
        let (deps, steps) = (self.deps.clone(), planned.steps.clone());
        let done = blocking(ctx.cancel.clone(), move |_| {
            let context = deps.apply_context();
            let done = apply_steps(&steps, &context);
            if done.is_ok() {
                keep_written(&steps, &deps);
            }
            done
        })
        .await;
        match done {
            Ok(Ok(done)) => self.landed(&planned, &done),
            Ok(Err(undone)) => failed(&planned, &undone),
            Err(failure) => ToolResult::failed(failure),
        }
    }
}

impl PatchCall {
    fn landed(&self, planned: &Planned, done: &[StepDone]) -> ToolResult {
        let mut text = String::new();
        let mut result = ToolResult::text(
            "",
            Display::Text {
                text: self.diff(planned),
            },
        );
        for ((step, done), asked) in planned.steps.iter().zip(done).zip(self.steps.iter()) {
            text.push_str(&told(step, done, asked));
            result.files.extend(versions(step, done));
        }
        result.content = vec![protocol::message::Part::Text { text }];
        result
    }
}

/// What the model is told of one file: what was done, what it should know, and the changed places as they are now,
/// which count as seen.
fn told(step: &PlannedStep, done: &StepDone, asked: &Step) -> String {
    let spellings = asked.targets().into_iter().filter_map(spelling);
    let on_disk = done.warnings.iter().map(|warning| commit_words(*warning));
    let on_disk = on_disk.map(str::to_owned).chain(spellings);
    match step {
        PlannedStep::Write(proposal) => {
            let mut warnings: Vec<String> =
                proposal.warnings.iter().map(ToString::to_string).collect();
            warnings.extend(on_disk);
            success_text(&Success {
                path: &proposal.path.display().to_string(),
                action: proposal.action(),
                base: &proposal.base_text,
                proposed: &proposal.proposed_text,
                final_text: &proposal.proposed_text,
                warnings: &warnings,
                max_line_chars: ReadLimits::default().max_line_chars,
            })
            .text
        }
        PlannedStep::Delete(_) | PlannedStep::Move { .. } => {
            let warnings = on_disk.map(|warning| format!("Warning: {warning}\n"));
            format!("{}\n{}", headline(done), warnings.collect::<String>())
        }
    }
}

/// What was written is what the next change starts from.
fn keep_written(steps: &[PlannedStep], deps: &FileDeps) {
    for step in steps {
        if let PlannedStep::Write(proposal) = step {
            deps.backup.keep(&proposal.bytes);
        }
    }
}

/// All steps, or one failure that names what is wrong with each.
fn all_of(
    planned: Vec<Result<PlannedStep, files::Error>>,
) -> Result<Vec<PlannedStep>, ToolFailure> {
    let mut steps = Vec::with_capacity(planned.len());
    let mut failures = Vec::new();
    for step in planned {
        match step {
            Ok(step) => steps.push(step),
            Err(error) => failures.push(failure(&error)),
        }
    }
    let messages: Vec<String> = failures
        .iter()
        .map(|failure| failure.message.clone())
        .collect();
    match failures.into_iter().next() {
        None => Ok(steps),
        Some(first) => Err(ToolFailure {
            message: format!("no file was changed. {}", messages.join("\n")),
            ..first
        }),
    }
}

fn id_of(steps: &[PlannedStep], ctx: &ExecContext) -> ProposalId {
    let mut all = Vec::new();
    for step in steps {
        let (before, after) = step.texts();
        all.extend_from_slice(ContentHash::of(before.as_bytes()).to_hex().as_bytes());
        all.extend_from_slice(ContentHash::of(after.as_bytes()).to_hex().as_bytes());
    }
    ProposalId(format!(
        "{}-{}",
        ctx.call_id,
        ContentHash::of(&all).to_hex()
    ))
}

/// Size and hash of what a path is planned to hold before; nothing where no file is.
fn base_of(steps: &[PlannedStep], path: &PathBuf) -> Option<(usize, ContentHash)> {
    steps.iter().find_map(|step| match step {
        PlannedStep::Write(proposal) if proposal.path == *path => match &proposal.base {
            ProposalBase::Absent { .. } => None,
            ProposalBase::Existing { bytes, hash } => Some((bytes.len(), *hash)),
        },
        PlannedStep::Delete(removal) | PlannedStep::Move { from: removal, .. }
            if removal.path == *path =>
        {
            Some((removal.bytes.len(), removal.hash))
        }
        PlannedStep::Write(_) | PlannedStep::Delete(_) | PlannedStep::Move { .. } => None,
    })
}

fn headline(done: &StepDone) -> String {
    match (&done.old, &done.new) {
        (None, Some(new)) => format!("Created {}.", new.display()),
        (Some(old), Some(new)) if old == new => format!("Updated {}.", new.display()),
        (Some(old), Some(new)) => format!("Moved {} to {}.", old.display(), new.display()),
        (Some(old), None) => format!("Deleted {}.", old.display()),
        (None, None) => String::new(),
    }
}

/// The rows of the files' histories: a move takes one file away and makes another.
fn versions(step: &PlannedStep, done: &StepDone) -> Vec<FileVersion> {
    let (before, after) = step.texts();
    match (&done.old, &done.new) {
        (Some(old), Some(new)) if old != new => vec![
            row(done, new, (None, done.after), ("", after)),
            row(done, old, (done.before, None), (before, "")),
        ],
        (Some(path), _) | (None, Some(path)) => {
            vec![row(done, path, (done.before, done.after), (before, after))]
        }
        (None, None) => Vec::new(),
    }
}

fn row(
    done: &StepDone,
    path: &Path,
    (old, new): (Option<ContentHash>, Option<ContentHash>),
    (before, after): (&str, &str),
) -> FileVersion {
    FileVersion {
        path: path.display().to_string(),
        change: FileChange::Patch,
        before_hash: old.map(|hash| hash.to_hex()),
        proposed_hash: new.map(|hash| hash.to_hex()),
        after_hash: new.map(|hash| hash.to_hex()),
        mode: done.mode,
        in_place: done.written_by == WrittenBy::InPlace,
        stat: diff_stat_as_proposed(before, after),
        owners: Some(LineSources::of(before, after, after).to_string()),
    }
}

/// Which step failed, and whether the others are as they were.
fn failed(planned: &Planned, undone: &Undone) -> ToolResult {
    let mut cause = failure(&undone.error);
    let number = undone.step + 1;
    let n_steps = planned.steps.len();
    let state = if undone.left.is_empty() {
        "no file is changed: what was done before it was taken back".to_owned()
    } else {
        let left: Vec<String> = undone
            .left
            .iter()
            .map(|(done, why)| format!("{} It could not be taken back: {why}", headline(done)))
            .collect();
        format!("these changes stay: {}", left.join(" "))
    };
    let bare: String = undone
        .bare
        .iter()
        .map(|path| {
            let warning = commit_words(CommitWarning::MetadataNotKept);
            format!(" {}: {warning}", path.display())
        })
        .collect();
    cause.message = format!(
        "file {number} of {n_steps} failed: {}; {state}{bare}",
        cause.message
    );
    let mut result = ToolResult::failed(cause);
    for (done, _) in &undone.left {
        let step = planned.steps.iter().find(|step| {
            step.old_path() == done.old.as_ref() && step.new_path() == done.new.as_ref()
        });
        result
            .files
            .extend(step.into_iter().flat_map(|step| versions(step, done)));
    }
    result
}
