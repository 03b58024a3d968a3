//! What the model has been shown of which file, and whether that is still true.
//!
//! One record per file and conversation. A record proves the right to change a file only as long as the hash of the
//! bytes is the one that was shown; a different file time alone never counts for or against it. Deliberately absent:
//! storage; records are plain values that the caller keeps and brings back.

use crate::ContentHash;
use crate::stat::{FileId, FileStat};
use edit::LineRanges;
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Clocks of file systems tick coarsely: a write within this time of the reading may leave the file time as it was.
const COARSE_CLOCK_NS: i64 = 2_000_000_000;

/// What kind of view the model had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownAs {
    /// Numbered lines of text.
    Text,
    /// An image, a document, a rendering: no base for an edit.
    NonText,
}

/// One file as the model knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRecord {
    /// Canonical path.
    pub path: PathBuf,
    /// State of the file when the bytes were hashed.
    pub stat: FileStat,
    /// All bytes; `None` for a file too large to be hashed.
    pub hash: Option<ContentHash>,
    /// How it was shown.
    pub shown_as: ShownAs,
    /// 1-based lines that were shown at this hash.
    pub seen: LineRanges,
    /// Every line was shown, none cut.
    pub full: bool,
    /// What was shown is still in the model's context.
    pub resident: bool,
    /// When the bytes were hashed, nanoseconds since the epoch.
    pub hashed_at_ns: i64,
    /// Last time it was read for the model, nanoseconds since the epoch.
    pub last_read_at_ns: i64,
    /// Last own write, nanoseconds since the epoch.
    pub last_write_at_ns: Option<i64>,
}

impl ReadRecord {
    /// Whether the file state alone proves that nothing changed since the hash was taken.
    #[must_use]
    pub fn is_fresh_by_stat(&self, now: &FileStat) -> bool {
        self.stat == *now && now.mtime_ns < self.hashed_at_ns.saturating_sub(COARSE_CLOCK_NS)
    }
}

/// What changed in the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noted<'a> {
    /// This is what is known of a file now.
    Record(&'a ReadRecord),
    /// Nothing is known under this path any more.
    Forgotten(&'a Path),
}

/// Hears of each change, in order; called under a lock, so it must not wait.
pub type Keep = Box<dyn Fn(Noted<'_>) + Send + Sync>;

/// The records of one conversation. Can be shared between calls that run at the same time.
#[derive(Default)]
pub struct ReadCache {
    records: Mutex<HashMap<PathBuf, ReadRecord>>,
    keep: Option<Keep>,
}

impl fmt::Debug for ReadCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadCache")
            .field("records", &self.lock())
            .finish_non_exhaustive()
    }
}

impl ReadCache {
    /// Records that were kept from an earlier run, and what keeps those of this one. They count only as long as their
    /// hashes match.
    #[must_use]
    pub fn restore(records: impl IntoIterator<Item = ReadRecord>, keep: Keep) -> Self {
        let by_path = records
            .into_iter()
            .map(|record| (record.path.clone(), record));
        Self {
            records: Mutex::new(by_path.collect()),
            keep: Some(keep),
        }
    }

    /// All records, by path.
    #[must_use]
    pub fn records(&self) -> Vec<ReadRecord> {
        let mut records: Vec<ReadRecord> = self.lock().values().cloned().collect();
        records.sort_by(|a, b| a.path.cmp(&b.path));
        records
    }

    fn note(&self, noted: Noted<'_>) {
        if let Some(keep) = &self.keep {
            keep(noted);
        }
    }

    /// The record for the file with this identity, else for this path.
    ///
    /// Another name of the same file counts; an inode that was given to a new file does not, which only the bytes
    /// can tell: the caller gets the record of the other name and compares hashes.
    #[must_use]
    pub fn lookup(&self, path: &Path, id: Option<FileId>) -> Option<Found> {
        let records = self.lock();
        if let Some(record) = records.get(path)
            && id.is_none_or(|id| id == record.stat.id)
        {
            return Some(Found::SamePath(record.clone()));
        }
        let same_file = id.and_then(|id| records.values().find(|record| record.stat.id == id));
        match (same_file, records.get(path)) {
            (Some(record), _) => Some(Found::OtherName(record.clone())),
            // An editor that saves by renaming gives the path a new inode.
            (None, Some(record)) => Some(Found::SamePath(record.clone())),
            (None, None) => None,
        }
    }

    /// Whether the path was ever shown, for a file that is gone.
    #[must_use]
    pub fn knows_path(&self, path: &Path) -> bool {
        self.lock().contains_key(path)
    }

    /// Adds what was shown. With the hash of the known record it grows, else the record is replaced.
    pub fn note_read(&self, read: ReadRecord) {
        let mut records = self.lock();
        let (known, other_name) = take_file(&mut records, &read.path, read.stat.id);
        let mut merged = read;
        if let Some(known) = known
            && known.hash == merged.hash
            && known.shown_as == merged.shown_as
            && merged.hash.is_some()
        {
            // What compaction dropped from the context does not come back by reading another part.
            merged.resident = merged.full || (known.resident && merged.resident);
            merged.full |= known.full;
            merged.seen.extend(&known.seen);
            merged.last_write_at_ns = known.last_write_at_ns;
        }
        if let Some(path) = other_name {
            self.note(Noted::Forgotten(&path));
        }
        self.note(Noted::Record(&merged));
        records.insert(merged.path.clone(), merged);
    }

    /// Puts the state after an own write in place of whatever was known of `before`, the file it displaced.
    pub fn note_write(&self, written: ReadRecord, before: Option<FileId>) {
        let mut records = self.lock();
        if let Some(before) = before {
            records.retain(|path, record| {
                let stays = record.stat.id != before;
                if !stays {
                    self.note(Noted::Forgotten(path));
                }
                stays
            });
        }
        self.note(Noted::Record(&written));
        records.insert(written.path.clone(), written);
    }

    /// Remembers that the bytes were hashed again and are the same, so that the next check can be quick.
    pub fn refresh_stat(&self, path: &Path, hash: ContentHash, stat: FileStat, now_ns: i64) {
        if let Some(record) = self.lock().get_mut(path)
            && record.hash == Some(hash)
        {
            record.stat = stat;
            record.hashed_at_ns = now_ns;
        }
    }

    /// The context was compacted: nothing shown before can be referred to, the right to edit stays.
    pub fn drop_residence(&self) {
        for record in self.lock().values_mut() {
            record.resident = false;
        }
    }

    /// Forgets a path, as when the file was deleted on purpose.
    pub fn forget(&self, path: &Path) {
        let mut records = self.lock();
        if records.remove(path).is_some() {
            self.note(Noted::Forgotten(path));
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, ReadRecord>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes every record of the file, whatever its name, and returns the one that tells most about it, and the other
/// name under which there was one.
fn take_file(
    records: &mut HashMap<PathBuf, ReadRecord>,
    path: &Path,
    id: FileId,
) -> (Option<ReadRecord>, Option<PathBuf>) {
    let by_path = records.remove(path);
    let other = records
        .values()
        .find(|record| record.stat.id == id)
        .map(|record| record.path.clone());
    let by_id = other.as_ref().and_then(|other| records.remove(other));
    (by_path.or(by_id), other)
}

/// How a record was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Under the path itself.
    SamePath(ReadRecord),
    /// Under another name of the same inode.
    OtherName(ReadRecord),
}

impl Found {
    /// The record, however it was found.
    #[must_use]
    pub fn record(&self) -> &ReadRecord {
        match self {
            Self::SamePath(record) | Self::OtherName(record) => record,
        }
    }
}

#[cfg(test)]
mod tests;
