//! The workspace on disk: which path is meant, what is in a file, and how it changes without loss.

mod commit;
mod error;
mod fault;
mod hash;
mod open;
mod path_policy;
mod read_cache;
mod stat;

pub use commit::{
    Backup, Base, Change, CommitOptions, CommitWarning, Committed, Committer, Fsync, InPlace,
    JournalId, JournalRow, Recovered, WrittenBy, recover,
};
pub use error::{
    BackupError, BinaryKind, Error, Kept, Noticed, OutsideChange, PriorRead, Search, SizePurpose,
    SpecialKind, WriteOutcome,
};
#[cfg(any(test, feature = "test-support"))]
pub use fault::{Armed, Fault, Moment, arm, run_at};
pub use hash::ContentHash;
pub use path_policy::{
    ForbiddenClass, Location, MAX_PATH_CHARS, Presence, Resolved, Roots, Variant, ignored_by,
    resolve, suggestions,
};
pub use read_cache::{Found, LineRanges, ReadCache, ReadRecord, ShownAs};
pub use stat::{FileId, FileKind, FileStat};
