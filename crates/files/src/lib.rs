//! The workspace on disk: which path is meant, what is in a file, and how it changes without loss.
//!
//! A change goes one way: [`resolve`] the path, [`read_file`] for the model, [`plan`] a proposal, [`apply`] what was
//! decided. The model changes only what it has read, nothing is written without a backup, and no version that another
//! program wrote is lost. Searches ([`grep()`], [`glob()`], [`list()`]) walk the same tree by the same rules.
//! Everything here blocks; the caller brings the thread, the clock and the store. Deliberately absent: permission.

mod apply;
mod commit;
mod error;
mod fault;
mod glob;
mod grep;
mod hash;
mod list;
mod notebook;
mod open;
mod patch;
mod path_policy;
mod plan;
mod read;
mod read_cache;
mod stat;
mod walk;

pub use apply::{Applied, ApplyContext, Decided, apply};
pub use commit::{
    Backup, Base, Change, CommitOptions, CommitWarning, Committed, Committer, Fsync, InPlace,
    JournalId, JournalRow, Recovered, WrittenBy, is_temp_name, recover,
};
pub use edit::{ConfirmReason, Hunk, LineRanges, Occurrences, Reviewer, Warning as EditWarning};
pub use error::{
    BackupError, Error, Kept, Noticed, OutsideChange, PageUnit, PriorRead, Search, SizePurpose,
    SpecialKind, WriteOutcome,
};
#[cfg(any(test, feature = "test-support"))]
pub use fault::{Armed, Fault, Moment, arm, run_at};
pub use glob::{Folders, GlobFound, GlobParams, GlobRow, glob, split_absolute_pattern};
pub use grep::{
    CaseMatch, CountRow, FileLines, FileRow, GrepFound, GrepMode, GrepParams, GrepRows, Line,
    LineKind, LineNumbers, LineSource, MatchSpan, PatternSyntax, WordMatch, grep, note_grep,
};
pub use hash::ContentHash;
pub use list::{EntryKind, ListFound, ListParams, ListRow, list};
pub use notebook::{
    CellChange, CellEdit, CellKind, NotebookApplied, NotebookProblem, NotebookProposal,
    NotebookRequest, apply_notebook, plan_notebook,
};
pub use open::still_holds;
pub use patch::{StepDone, Undone, apply_steps};
pub use path_policy::{
    ForbiddenClass, Location, MAX_PATH_CHARS, Presence, Resolved, Roots, Variant, ignored_by,
    resolve, suggestions,
};
pub use plan::{
    ChangeRequest, PatchStep, PlanContext, PlanSettings, PlannedStep, PriorReadRule, Proposal,
    ProposalBase, ProposalLayer, Removal, plan, plan_step,
};
pub use read::{
    MAX_WHOLE_BYTES, NotebookPage, Original, PdfFile, PdfPages, Picture, ReadContext, ReadLimits,
    ReadOutcome, ReadRange, TextFacts, TextPage, UNCHANGED_TEXT, read_file,
};
pub use read_cache::{Found, Keep, Noted, ReadCache, ReadRecord, ShownAs};
pub use stat::{FileId, FileKind, FileStat, stat_of};
pub use walk::{
    Control, GitIgnored, Progress, SearchPlace, SearchTarget, Total, WalkRules, search_target,
};
