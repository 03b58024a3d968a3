//! Cleaning up after commits that a crash cut short.
//!
//! Only temporary names that the journal holds are touched, and only when their bytes are safe elsewhere.

use super::journal::{Backup, JournalId, JournalRow};
use super::temp::{TempName, is_temp_name};
use crate::ContentHash;
use crate::error::BackupError;
use crate::open::{open_regular, read_all};
use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// What was found for one journal row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovered {
    /// The file is as it was before.
    NotDone,
    /// The file holds the new bytes.
    Done,
    /// The file holds something else; whatever is not stored elsewhere was kept.
    Unknown,
}

/// Settles one open journal row. The row is closed unless something had to be kept.
pub fn recover(
    id: JournalId,
    row: &JournalRow,
    backup: &dyn Backup,
) -> Result<Recovered, BackupError> {
    let now = read_file(&row.target).map(|bytes| ContentHash::of(&bytes));
    let found = if now == row.new {
        Recovered::Done
    } else if now == row.base {
        Recovered::NotDone
    } else {
        Recovered::Unknown
    };
    if settle_temp(row, found, backup)? {
        backup.journal_done(id)?;
    }
    Ok(found)
}

/// Removes the temporary file of a row; `false` if it had to be kept.
fn settle_temp(
    row: &JournalRow,
    found: Recovered,
    backup: &dyn Backup,
) -> Result<bool, BackupError> {
    let Some(folder) = row.target.parent() else {
        return Ok(true);
    };
    let temp_path = folder.join(&row.temp_name);
    if !is_temp_name(OsStr::new(&row.temp_name)) || temp_path.symlink_metadata().is_err() {
        return Ok(true);
    }
    let Some(bytes) = read_file(&temp_path) else {
        return Ok(false);
    };
    let hash = Some(ContentHash::of(&bytes));
    match found {
        // The temporary file is our own, complete or not.
        Recovered::NotDone => {}
        // It is what was displaced; anything but the base was written by someone else.
        Recovered::Done if hash != row.base => {
            let stored = backup.put(&bytes)?;
            backup.late_write(&row.target, stored);
        }
        Recovered::Done => {}
        // The base is in the backup; everything else may be the only copy.
        Recovered::Unknown if hash == row.base => {}
        Recovered::Unknown => return Ok(false),
    }
    let name = TempName::adopt(Arc::new(File::open(folder)?), row.temp_name.clone());
    name.remove()?;
    Ok(true)
}

fn read_file(path: &Path) -> Option<Vec<u8>> {
    let open = open_regular(path).ok()?;
    read_all(&open, path, u64::MAX - 1).ok()
}
