//! Putting bytes in place of a file so that nobody's version is lost.
//!
//! The new bytes are written beside the target and exchanged with it in one step; what comes out is compared with what
//! was expected, and put back if it is something else. A backup and a journal row exist before anything is touched.
//! The displaced file is kept a moment, since a program that still has it open may write to it.
//! Deliberately absent: deciding what to write, and storage of backups and journal.

mod delete;
mod exchange;
mod in_place;
mod journal;
mod linger;
mod lock;
mod metadata;
mod parent;
mod recover;
mod target;
mod temp;

pub(crate) use metadata::Attributes;

pub use journal::{Backup, JournalId, JournalRow};
pub use recover::{Recovered, recover};
pub use temp::is_temp_name;

use crate::ContentHash;
use crate::error::{Error, Noticed, OutsideChange};
use crate::stat::FileStat;
use linger::Linger;
use lock::Locks;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Whether data is forced to the disk before a commit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fsync {
    /// A crash of the machine loses nothing.
    On,
    /// Faster; a crash of the machine may lose the last writes.
    Off,
}

/// Whether a file may be overwritten where an exchange is not possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InPlace {
    /// Yes, after a backup.
    Allowed,
    /// No; such a commit fails.
    Refused,
}

/// How commits are made.
#[derive(Debug, Clone)]
pub struct CommitOptions {
    /// Setting `write.fsync`.
    pub fsync: Fsync,
    /// Setting `write.allow_in_place`.
    pub in_place: InPlace,
    /// Folder of the lock files that keep two instances of the program apart.
    pub lock_folder: PathBuf,
}

/// One change of one file.
#[derive(Clone)]
pub struct Change<'a> {
    /// Resolved target, without links.
    pub path: &'a Path,
    /// The bytes that must be there now.
    pub base: Base<'a>,
    /// The bytes that shall be there.
    pub bytes: &'a [u8],
    /// Where backup and journal go.
    pub backup: Arc<dyn Backup>,
}

impl fmt::Debug for Change<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Change")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// What a change starts from.
#[derive(Debug, Clone, Copy)]
pub enum Base<'a> {
    /// No file.
    Absent,
    /// A file with exactly these bytes.
    Bytes {
        /// All of them.
        bytes: &'a [u8],
        /// Their hash.
        hash: ContentHash,
    },
}

impl Base<'_> {
    fn hash(&self) -> Option<ContentHash> {
        match self {
            Self::Absent => None,
            Self::Bytes { hash, .. } => Some(*hash),
        }
    }
}

/// How the bytes got there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenBy {
    /// In one step; nobody saw half a file.
    Exchange,
    /// Over the old bytes.
    InPlace,
}

/// Something about a successful commit that the model and the human are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CommitWarning {
    /// Set-user-id or set-group-id was dropped.
    ModeBitsCleared,
    /// The file was overwritten in place.
    InPlaceWrite,
    /// Capabilities or attributes were not copied.
    MetadataNotKept,
}

impl CommitWarning {
    /// The closed code.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::ModeBitsCleared => "MODE_BITS_CLEARED",
            Self::InPlaceWrite => "IN_PLACE_WRITE",
            Self::MetadataNotKept => "METADATA_NOT_KEPT",
        }
    }
}

/// A finished commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// Hash of the bytes now in the file.
    pub hash: ContentHash,
    /// State of the file now.
    pub stat: FileStat,
    /// Which file the path meant before, if there was one.
    pub before: Option<FileStat>,
    /// Permission bits.
    pub mode: u32,
    /// How the bytes got there.
    pub written_by: WrittenBy,
    /// What the model and the human are told.
    pub warnings: Vec<CommitWarning>,
}

/// Makes commits, one at a time per file. Lives as long as the program; dropping it settles displaced files at once.
#[derive(Debug)]
pub struct Committer {
    options: CommitOptions,
    locks: Locks,
    linger: Linger,
}

impl Committer {
    /// A committer without work.
    #[must_use]
    pub fn new(options: CommitOptions) -> Self {
        Self {
            locks: Locks::new(options.lock_folder.clone()),
            linger: Linger::start(),
            options,
        }
    }

    /// Writes the bytes if the file still is the base.
    pub fn commit(&self, change: &Change<'_>) -> Result<Committed, Error> {
        let _held = self.locks.hold(change.path);
        match change.base {
            Base::Absent => exchange::create(self, change),
            Base::Bytes { bytes, hash } => exchange::replace(self, change, (bytes, hash)),
        }
    }

    /// Removes the file if it still holds the base; for taking back a creation.
    pub fn delete(
        &self,
        path: &Path,
        base: Base<'_>,
        backup: Arc<dyn Backup>,
    ) -> Result<(), Error> {
        let _held = self.locks.hold(path);
        delete::delete(self, path, base, backup)
    }

    /// Waits until every displaced file is settled.
    pub fn settle(&self) {
        self.linger.settle();
    }
}

fn changed(path: &Path, change: OutsideChange, noticed: Noticed) -> Error {
    Error::Changed {
        path: path.to_path_buf(),
        change,
        noticed,
    }
}
