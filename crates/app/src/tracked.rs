//! Files that a session changed, looked at around a command: what the command did to them can be taken back too.
//!
//! Before a command each of them is hashed and its bytes are kept; one that is another afterwards gets a version.
//! Deliberately absent: files that no tool has touched; what a command does to those is not covered.

use crate::file_backup::FileBackup;
use crate::put_back::read_now;
use files::{Backup, ContentHash};
use protocol::diff::DiffStat;
use protocol::ids::SessionId;
use protocol::log::{FileChange, FileVersion};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use store::Store;
use tools::{LookAtFiles, WhatChanged};

/// Files that are looked at, the newest; hashing more would hold a command up.
const MAX_TRACKED: usize = 500;

/// Looks at the files of a session before a command.
pub(crate) fn look_at_files(store: &Store, session_id: &SessionId) -> LookAtFiles {
    let (store, session_id) = (store.clone(), session_id.clone());
    Arc::new(move || {
        let backup = FileBackup::new(store.clone(), session_id.clone());
        let before = look(&store, &session_id, &backup);
        let after: WhatChanged = Box::new(move || changed(&before, &backup));
        after
    })
}

/// Hash by path; `None` where there is no file. What cannot be read is left out.
type Looked = BTreeMap<String, Option<String>>;

fn look(store: &Store, session_id: &SessionId, backup: &FileBackup) -> Looked {
    let versions = store.read_blocking(|reader| reader.versions(session_id, None));
    let versions = versions.unwrap_or_else(|error| {
        tracing::warn!(%error, "what a command does to files is not noticed");
        Vec::new()
    });
    let mut paths = BTreeSet::new();
    for stored in versions.into_iter().rev() {
        if paths.len() >= MAX_TRACKED {
            break;
        }
        paths.insert(stored.version.path);
    }
    paths
        .into_iter()
        .filter_map(|path| {
            let bytes = read_now(Path::new(&path)).ok()?;
            let hash = bytes.map(|bytes| keep(store, backup, &bytes));
            Some((path, hash))
        })
        .collect()
}

/// Keeps bytes, unless they are kept already, as those of the newest version are.
fn keep(store: &Store, backup: &FileBackup, bytes: &[u8]) -> String {
    let hash = ContentHash::of(bytes).to_hex();
    match store.read_blocking(|reader| reader.holds_blob(&hash)) {
        Ok(true) => {}
        Ok(false) | Err(_) => {
            if let Err(error) = backup.put(bytes) {
                tracing::warn!(%error, "a file was not kept before a command");
            }
        }
    }
    hash
}

fn changed(before: &Looked, backup: &FileBackup) -> Vec<FileVersion> {
    let mut versions = Vec::new();
    for (path, old) in before {
        let Ok(bytes) = read_now(Path::new(path)) else {
            continue;
        };
        let new = bytes
            .as_deref()
            .map(|bytes| ContentHash::of(bytes).to_hex());
        if new == *old {
            continue;
        }
        if let Some(bytes) = &bytes {
            backup.keep(bytes);
        }
        versions.push(FileVersion {
            path: path.clone(),
            change: FileChange::External,
            before_hash: old.clone(),
            proposed_hash: None,
            after_hash: new,
            mode: None,
            in_place: false,
            stat: DiffStat::default(),
            owners: None,
        });
    }
    versions
}
