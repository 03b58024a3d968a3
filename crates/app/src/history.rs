//! What a session did to files, from its facts. Pure.
//!
//! Deliberately absent: what the files hold now.

use protocol::ids::CallId;
use protocol::log::{FileChange, FileVersion};
use std::collections::{BTreeMap, BTreeSet};
use store::FileFact;

/// Beginning of the id that taking an edit back, or bringing it back, gets.
const UNDO_PREFIX: &str = "undo_";
/// Beginning of the id that putting a file back from the diff of the folder gets.
const REVERT_PREFIX: &str = "revert_";
/// Beginnings of the ids that the files of a rewind get: of files alone, of both, and of its undo.
const REWIND_FILES_PREFIX: &str = "rewind_files_";
const REWIND_BOTH_PREFIX: &str = "rewind_both_";
const REWIND_UNDO_PREFIX: &str = "rewind_undo_";
/// Beginning of the id that a late write gets.
const LATE_WRITE_PREFIX: &str = "late_write_";
/// Beginning of the id that a change gets of which only the file tells.
const RECOVERED_PREFIX: &str = "recovered_";

/// A change that no call of the model made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnChange {
    Undo,
    Revert,
    RewindFiles,
    RewindBoth,
    RewindUndo,
    /// Another program wrote to a file that had been replaced.
    LateWrite,
    /// It landed when the program ended, and no call is known that made it.
    Recovered,
}

impl OwnChange {
    fn prefix(self) -> &'static str {
        match self {
            Self::Undo => UNDO_PREFIX,
            Self::Revert => REVERT_PREFIX,
            Self::RewindFiles => REWIND_FILES_PREFIX,
            Self::RewindBoth => REWIND_BOTH_PREFIX,
            Self::RewindUndo => REWIND_UNDO_PREFIX,
            Self::LateWrite => LATE_WRITE_PREFIX,
            Self::Recovered => RECOVERED_PREFIX,
        }
    }

    /// A new id for such a change.
    pub(crate) fn new_id(self) -> CallId {
        CallId(format!(
            "{}{}",
            self.prefix(),
            uuid::Uuid::now_v7().simple()
        ))
    }

    /// What the id of a change says it is; `None` for a call of the model.
    pub(crate) fn of(call_id: &CallId) -> Option<Self> {
        [
            Self::Undo,
            Self::Revert,
            Self::RewindFiles,
            Self::RewindBoth,
            Self::RewindUndo,
            Self::LateWrite,
            Self::Recovered,
        ]
        .into_iter()
        .find(|change| call_id.as_str().starts_with(change.prefix()))
    }
}

/// The facts of a session that changed files, oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct History(pub(crate) Vec<FileFact>);

/// What a file was and shall be again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Earlier<'a> {
    /// The first change since.
    pub(crate) first: &'a FileVersion,
    /// The newest change of all.
    pub(crate) newest: &'a FileVersion,
}

impl History {
    /// The fact of one call, its newest if there are more.
    pub(crate) fn of_call(&self, call_id: &CallId) -> Option<&FileFact> {
        self.0.iter().rev().find(|fact| fact.call_id == *call_id)
    }

    /// The newest fact that took this call back, unless it was brought back since.
    pub(crate) fn taken_back_by(&self, call_id: &CallId) -> Option<&FileFact> {
        let newest = self.0.iter().rev().find(|fact| {
            fact.takes_back.contains(call_id)
                || fact.brings_back.contains(call_id)
                || fact.call_id == *call_id
        })?;
        newest.takes_back.contains(call_id).then_some(newest)
    }

    /// The newest version of each file.
    pub(crate) fn newest(&self) -> BTreeMap<&str, &FileVersion> {
        self.versions()
            .map(|version| (version.path.as_str(), version))
            .collect()
    }

    /// The files that changed in facts from number `seq` on.
    pub(crate) fn since(&self, seq: u64) -> BTreeMap<&str, Earlier<'_>> {
        let newest = self.newest();
        let mut files = BTreeMap::new();
        let since = self.0.iter().filter(|fact| fact.seq >= seq);
        for first in since.flat_map(|fact| &fact.rows).filter(was_in_place) {
            if let Some(newest) = newest.get(first.path.as_str()) {
                let earlier = Earlier { first, newest };
                files.entry(first.path.as_str()).or_insert(earlier);
            }
        }
        files
    }

    /// All versions of all files that were in their places, oldest first.
    pub(crate) fn versions(&self) -> impl Iterator<Item = &FileVersion> {
        self.0
            .iter()
            .flat_map(|fact| &fact.rows)
            .filter(was_in_place)
    }

    /// The calls of the model in facts from number `seq` on, all of whose files are among `paths`.
    pub(crate) fn calls_within(&self, seq: u64, paths: &BTreeSet<&str>) -> Vec<CallId> {
        let since = self.0.iter().filter(|fact| fact.seq >= seq);
        since
            .filter(|fact| OwnChange::of(&fact.call_id).is_none())
            .filter(|fact| {
                fact.rows
                    .iter()
                    .all(|row| paths.contains(row.path.as_str()))
            })
            .map(|fact| fact.call_id.clone())
            .collect()
    }

    /// Those of `calls` all of whose files are among `paths`.
    pub(crate) fn complete(&self, calls: &[CallId], paths: &BTreeSet<&str>) -> Vec<CallId> {
        let is_complete = |call_id: &&CallId| {
            self.of_call(call_id).is_some_and(|fact| {
                fact.rows
                    .iter()
                    .all(|row| paths.contains(row.path.as_str()))
            })
        };
        calls.iter().filter(is_complete).cloned().collect()
    }
}
/// What another program wrote too late is kept, but never was the content of the file.
fn was_in_place(version: &&FileVersion) -> bool {
    version.change != FileChange::LateWrite
}
