//! Taking changes of files back, and who changed what.
//!
//! Every change that the person takes back is a change of its own: it has a call id that it can be taken back by.
//! Lines are counted as in [`crate::diff`]: what the model added and the person kept is the model's, what the person
//! wrote is theirs, what neither of them did is somebody else's. Deliberately absent: how any of it is found out.

use crate::diff::FileDiff;
use crate::error::ErrorCode;
use crate::ids::{CallId, OpId, SessionId};
use crate::message::ImageRef;
use serde::{Deserialize, Serialize};

macro_rules! shapes {
    ($($(#[$doc:meta])* pub struct $name:ident { $($(#[$fdoc:meta])* $field:ident: $ty:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
            #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
            pub struct $name {
                $($(#[$fdoc])* pub $field: $ty,)*
            }
        )*
    };
}

macro_rules! words {
    ($($(#[$doc:meta])* pub enum $name:ident { $($(#[$vdoc:meta])* $variant:ident,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
            #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
            #[serde(rename_all = "snake_case")]
            pub enum $name {
                $($(#[$vdoc])* $variant,)*
            }
        )*
    };
}

words! {
    /// What becomes of a file when the conversation is taken back.
    pub enum RewindAction {
        /// Its old content comes back.
        Restore,
        /// It did not exist then, so it goes.
        Delete,
        /// Somebody else changed it since: left alone unless the person names it.
        Conflict,
        /// Its old content is no longer kept, or the file cannot be read.
        Cannot,
    }

    /// What is taken back.
    pub enum RewindWhat {
        /// The messages.
        Conversation,
        /// The files.
        Files,
        /// Both.
        Both,
    }

    /// From when on changes count.
    pub enum DiffScope {
        /// Since the last commit of the repository.
        Head,
        /// Since the session began.
        Session,
        /// Since the newest turn began.
        Turn,
    }

    /// Why there is a list of changes, or none.
    pub enum WorkspaceDiffState {
        /// There is one.
        Ok,
        /// The folder lies in no repository.
        NoRepository,
        /// There is no `git` program.
        GitMissing,
        /// A merge is under way.
        Merge,
        /// A rebase is under way.
        Rebase,
        /// A cherry-pick is under way.
        CherryPick,
        /// A revert is under way.
        Revert,
        /// The `git` program took too long or failed.
        Timeout,
    }

    /// What happened to a file.
    pub enum ChangedStatus {
        /// It is new, and known to the repository.
        Added,
        /// Its content changed.
        Modified,
        /// It is gone.
        Deleted,
        /// It has another name.
        Renamed,
        /// It is new, and unknown to the repository.
        Untracked,
    }

    /// What was left out of a list of changes.
    pub enum CutKind {
        /// Only the first files are listed.
        FilesListed,
        /// There are so many files that only totals are given.
        TotalsOnly,
        /// Lines of untracked files behind the first ones were not counted.
        UntrackedUncounted,
        /// Files whose change is too large to be shown.
        FilesTooLarge,
        /// Lines of a file's change behind the first ones are not shown.
        LinesShown,
        /// Programs that the repository would have its files run through were not run, for safety.
        FiltersSkipped,
    }

    /// Who a line is from.
    pub enum LineOwner {
        /// The model.
        Ai,
        /// The person, by changing a proposal.
        Human,
        /// Somebody else: an editor, a command, another program.
        Other,
        /// It was there before.
        Base,
    }

    /// What one of the three contents of a file in conflict is.
    pub enum ConflictSideState {
        /// Text.
        Text,
        /// There is no file.
        Absent,
        /// Not text, or it cannot be read.
        NotText,
        /// Too large to be shown.
        TooLarge,
        /// It is no longer kept.
        NotKept,
    }

    /// Why a change is not taken back by itself where the file changed since.
    pub enum MergeProblem {
        /// The same lines changed again, or lines right beside them.
        Touching,
        /// The change is more than lines: line ends, an encoding, bytes that are no text.
        NotLines,
        /// Nothing of the change is left.
        Nothing,
        /// The lines cannot be written in the encoding that the file now has.
        Encoding,
        /// One of the contents is missing or no text.
        NotText,
        /// It is too large to be shown, and nobody confirms what is not shown.
        TooLarge,
    }

    /// Where the change of a call stands.
    pub enum EditState {
        /// It is in the file.
        Landed,
        /// It was taken back.
        Undone,
    }
}

/// What is to be put back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PutBackWhat {
    /// What a call did goes.
    Undo {
        /// Which call.
        call_id: CallId,
    },
    /// What was taken back of a call comes back.
    Redo {
        /// Which call.
        call_id: CallId,
    },
    /// What happened since a message goes.
    Rewind {
        /// The message of the person that would go.
        seq: u64,
    },
}

shapes! {
    /// The change of a file by a call, as its card shows it.
    pub struct EditMark {
        /// Where it stands.
        state: EditState,
        /// What took it back, if it was.
        by: Option<CallId>,
    }

    /// A file that stayed as it was.
    pub struct FileFailure {
        /// Canonical path.
        path: String,
        /// The path as people read it.
        display_path: String,
        /// `UNDO_CONFLICT`, `BACKUP_MISSING`, `FILE_CHANGED` or `WRITE_FAILED`.
        code: ErrorCode,
        /// English: what is wrong and what to do.
        message: String,
    }

    /// Files that were put back.
    pub struct FilesPutBack {
        /// Canonical paths of those that were.
        paths: Vec<String>,
        /// Those that were not.
        failures: Vec<FileFailure>,
        /// What `undo_edit` takes back again; nothing if no file changed.
        undo: Option<CallId>,
    }

    /// A place to go back to.
    pub struct RewindPlanQuery {
        /// Which session.
        session_id: SessionId,
        /// The message of the person that would go.
        seq: u64,
    }

    /// What going back there would do.
    pub struct RewindPlan {
        /// Messages that would go, those of the model too.
        messages: u64,
        /// Turns that would go.
        turns: u64,
        /// Files that changed since.
        files: Vec<RewindFile>,
    }

    /// A file that changed since.
    pub struct RewindFile {
        /// Canonical path.
        path: String,
        /// The path as people read it.
        display_path: String,
        /// Lines that putting it back would add.
        added: u64,
        /// Lines that putting it back would remove.
        removed: u64,
        /// What would become of it.
        action: RewindAction,
        /// Hash of its bytes when this was found out; `null` if there was no file.
        current_hash: Option<String>,
    }

    /// A file that the person chose, as it was shown.
    pub struct RewindChoice {
        /// Canonical path.
        path: String,
        /// Hash of the plan; a file that is another one by now stays as it is.
        current_hash: Option<String>,
        /// Hash of the merge that was shown, to be written instead of the old content.
        #[serde(default)]
        merged_hash: Option<String>,
    }

    /// Files that are not what they should be, to be looked at.
    pub struct ConflictQuery {
        /// Which session.
        session_id: SessionId,
        /// What is to be put back.
        what: PutBackWhat,
        /// Canonical path of the only file that is asked for; all that are in conflict if absent.
        path: Option<String>,
    }

    /// Files in conflict.
    pub struct Conflicts {
        /// The files.
        files: Vec<FileConflict>,
    }

    /// A file in conflict: it changed since the change that is to be taken back.
    pub struct FileConflict {
        /// Canonical path.
        path: String,
        /// The path as people read it.
        display_path: String,
        /// What was there before the change.
        before: ConflictSide,
        /// What the change left.
        after: ConflictSide,
        /// What is there now.
        current: ConflictSide,
        /// Hash of what is there now; `null` if there is no file.
        current_hash: Option<String>,
        /// The change taken out of what is there now, where its lines are apart from all that changed since.
        merge: Option<FileMerge>,
        /// Why there is none.
        problem: Option<MergeProblem>,
    }

    /// One of the three contents.
    pub struct ConflictSide {
        /// What it is.
        state: ConflictSideState,
        /// With LF line ends; empty unless it is text.
        text: String,
    }

    /// What merging would write.
    pub struct FileMerge {
        /// From what is there now to the result.
        diff: FileDiff,
        /// Hash of the result.
        hash: String,
    }

    /// Takes back, or brings back, what a call did, with merges as they were shown.
    pub struct UndoMerged {
        /// Made by the client.
        op: OpId,
        /// Which session.
        session_id: SessionId,
        /// What is to be put back; a rewind has its own command.
        what: PutBackWhat,
        /// The files in conflict, as they were shown.
        files: Vec<RewindChoice>,
    }

    /// Goes back to before a message.
    pub struct Rewind {
        /// Made by the client.
        op: OpId,
        /// Which session.
        session_id: SessionId,
        /// The message.
        seq: u64,
        /// What is taken back.
        what: RewindWhat,
        /// The files to put back; one in conflict is overwritten if it is named.
        files: Vec<RewindChoice>,
    }

    /// What going back did.
    pub struct RewindOut {
        /// The files.
        put_back: FilesPutBack,
        /// The message that went, for the composer.
        text: Option<String>,
        /// Its pictures.
        images: Vec<ImageRef>,
    }

    /// Whether the newest rewind can be taken back.
    pub struct RewindOffer {
        /// It can, until the next message.
        can_undo: bool,
        /// Files that it put back.
        files: u64,
        /// Number of the newest fact when this was found out: what is said after it ends the offer.
        seq: u64,
    }

    /// Lines that came and went.
    #[derive(Copy, Default)]
    pub struct LineCounts {
        /// Came.
        added: u64,
        /// Went.
        removed: u64,
    }

    /// Which changes.
    pub struct WorkspaceDiffQuery {
        /// The folder.
        workspace: String,
        /// Whose changes are told apart; needed for the scopes `session` and `turn`.
        session_id: Option<SessionId>,
        /// Since when.
        scope: DiffScope,
    }

    /// What changed in a folder.
    pub struct WorkspaceDiff {
        /// Whether there is a list.
        state: WorkspaceDiffState,
        /// The first files, by path.
        files: Vec<ChangedFile>,
        /// Files in all.
        total_files: u64,
        /// Files in the list.
        listed_files: u64,
        /// Lines by the model, in all.
        ai: LineCounts,
        /// Lines by the person, in all.
        you: LineCounts,
        /// Other lines, in all.
        other: LineCounts,
        /// What was left out.
        cut: Vec<CutNote>,
    }

    /// Something was left out.
    pub struct CutNote {
        /// What.
        kind: CutKind,
        /// The limit.
        limit: u64,
        /// What there is.
        actual: u64,
    }

    /// A file that changed.
    pub struct ChangedFile {
        /// Canonical path.
        path: String,
        /// The path as people read it.
        display_path: String,
        /// Its earlier path, as people read it.
        old_path: Option<String>,
        /// What happened to it.
        status: ChangedStatus,
        /// Not text; no lines are counted.
        binary: bool,
        /// The change is too large to be shown, or the file too large to be counted.
        too_large: bool,
        /// Lines by the model.
        ai: LineCounts,
        /// Lines by the person.
        you: LineCounts,
        /// Lines by nobody of the two.
        other: LineCounts,
    }

    /// One file of them.
    pub struct WorkspaceFileQuery {
        /// The folder.
        workspace: String,
        /// Whose changes are told apart; needed for the scopes `session` and `turn`.
        session_id: Option<SessionId>,
        /// Since when.
        scope: DiffScope,
        /// Canonical path.
        path: String,
    }

    /// The change of one file.
    pub struct WorkspaceFileDiff {
        /// The change; its `stat` counts the model's and the person's lines. Empty for a binary or too large file.
        diff: FileDiff,
        /// The file is gone.
        is_deleted: bool,
        /// Not text.
        binary: bool,
        /// Too large to be shown.
        too_large: bool,
        /// Who each line of the new text is from.
        owners: Vec<OwnerRun>,
        /// SHA-256 of the file as it is shown; `null` if it is gone. Goes back with `revert_file`.
        current_hash: Option<String>,
        /// What was left out.
        cut: Vec<CutNote>,
    }

    /// Lines in a row from one owner.
    #[derive(Copy)]
    pub struct OwnerRun {
        /// How many.
        lines: u64,
        /// Whose.
        owner: LineOwner,
    }

    /// Puts a file, or one part of it, back to what it was.
    pub struct RevertFile {
        /// Made by the client.
        op: OpId,
        /// The folder.
        workspace: String,
        /// The session that keeps what is replaced.
        session_id: SessionId,
        /// Since when.
        scope: DiffScope,
        /// Canonical path.
        path: String,
        /// One `@@` part of the unified diff, counted from 0; all of it if absent.
        hunk: Option<u32>,
        /// The hash that came with the diff.
        current_hash: Option<String>,
    }

    /// A question about a session.
    pub struct SessionQuery {
        /// Which session.
        session_id: SessionId,
    }

    /// Who wrote the files that a session changed, line by line.
    pub struct Authorship {
        /// The files, by path.
        files: Vec<FileAuthorship>,
        /// The lines of all of them.
        totals: OwnedLines,
    }

    /// Lines by owner.
    #[derive(Copy, Default)]
    pub struct OwnedLines {
        /// By the model.
        ai: u64,
        /// By the person.
        human: u64,
        /// By somebody else.
        other: u64,
        /// There before.
        base: u64,
    }

    /// Who wrote a file.
    pub struct FileAuthorship {
        /// Canonical path.
        path: String,
        /// The path as people read it.
        display_path: String,
        /// Lines by owner, as the file now stands.
        lines: OwnedLines,
        /// The same, line by line.
        runs: Vec<OwnerRun>,
    }
}
