//! Looking at the file that is about to change, and at the one that was displaced.

use super::changed;
use super::parent::Place;
use crate::error::{Error, Noticed, OutsideChange};
use crate::fault::{self, Fault};
use crate::open::{READ_FLAGS, read_to_end};
use crate::stat::{FileFacts, FileKind};
use rustix::fs::Mode;
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

/// What is compared at a time; stays in the processor's cache.
const COMPARED_BYTES: usize = 128 * 1024;

/// The file as it is before the commit.
#[derive(Debug)]
pub(super) struct Original {
    pub(super) file: File,
    pub(super) facts: FileFacts,
}

/// Opens the target and requires the approved bytes.
pub(super) fn open_base(place: &Place, path: &Path, base: &[u8]) -> Result<Original, Error> {
    let opened = rustix::fs::openat(&place.folder, &place.name, READ_FLAGS, Mode::empty());
    let file = match opened {
        Ok(file) => File::from(file),
        Err(Errno::NOENT) => {
            return Err(changed(path, OutsideChange::Deleted, Noticed::WhileWaiting));
        }
        // A link or a device took the place of the file.
        Err(Errno::LOOP | Errno::NXIO) => {
            return Err(changed(path, OutsideChange::Changed, Noticed::WhileWaiting));
        }
        Err(errno) => return Err(Error::reading("open", path, errno.into())),
    };
    let facts =
        FileFacts::of_open(&file).map_err(|source| Error::reading("examine", path, source))?;
    if facts.kind != FileKind::Regular {
        return Err(changed(path, OutsideChange::Changed, Noticed::WhileWaiting));
    }
    let holds =
        holds_exactly(&file, base).map_err(|source| Error::reading("read", path, source))?;
    if holds {
        Ok(Original { file, facts })
    } else {
        Err(changed(path, OutsideChange::Changed, Noticed::WhileWaiting))
    }
}

/// The last look: the file must be the base still. Gives its facts now.
pub(super) fn check_again(
    place: &Place,
    path: &Path,
    original: &Original,
    base: &[u8],
) -> Result<FileFacts, Error> {
    let now = match place.facts() {
        Ok(now) => now,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(changed(path, OutsideChange::Deleted, Noticed::AtCommit));
        }
        Err(source) => {
            return Err(Error::Unverifiable {
                path: path.to_path_buf(),
                source,
            });
        }
    };
    if now.stat == original.facts.stat {
        return Ok(now);
    }
    open_base(place, path, base)
        .map(|reopened| reopened.facts)
        .map_err(|error| match error {
            Error::Changed { path, change, .. } => Error::Changed {
                path,
                change,
                noticed: Noticed::AtCommit,
            },
            other => other,
        })
}

/// What a name in the target's folder leads to now.
#[derive(Debug)]
pub(super) struct Version {
    pub(super) file: File,
    pub(super) facts: FileFacts,
}

impl Version {
    /// Opens a regular file; anything else is an error.
    pub(super) fn open(folder: &File, name: &OsStr) -> io::Result<Self> {
        let file = File::from(rustix::fs::openat(folder, name, READ_FLAGS, Mode::empty())?);
        let facts = FileFacts::of_open(&file)?;
        if facts.kind != FileKind::Regular {
            return Err(io::Error::other("not a regular file"));
        }
        Ok(Self { file, facts })
    }

    /// Whether the file holds exactly these bytes.
    pub(super) fn holds(&self, expected: &[u8]) -> io::Result<bool> {
        Ok(self.facts.stat.size == expected.len() as u64 && holds_exactly(&self.file, expected)?)
    }

    /// All bytes.
    pub(super) fn read(&self) -> io::Result<Vec<u8>> {
        (&self.file).rewind()?;
        read_to_end(&self.file, self.facts.stat.size, u64::MAX - 1)
    }
}

/// Reads the target back and compares. Gives its facts if it is the file that was written.
pub(super) fn verify(place: &Place, path: &Path, written: &[u8]) -> Result<FileFacts, Error> {
    let failed = || Error::VerificationFailed {
        path: path.to_path_buf(),
    };
    if fault::is_armed(path, Fault::VerifyMismatch) {
        return Err(failed());
    }
    let version = Version::open(&place.folder, &place.name).map_err(|_| failed())?;
    match version.holds(written) {
        Ok(true) => Ok(version.facts),
        Ok(false) | Err(_) => Err(failed()),
    }
}

/// Compares piece by piece, so that a large file needs no second copy in memory.
fn holds_exactly(mut file: &File, expected: &[u8]) -> io::Result<bool> {
    let mut piece = vec![0; COMPARED_BYTES.min(expected.len() + 1)];
    let mut rest = expected;
    file.rewind()?;
    loop {
        let n_read = match file.read(&mut piece) {
            Ok(n_read) => n_read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let Some((same, after)) = rest.split_at_checked(n_read) else {
            return Ok(false);
        };
        if n_read == 0 {
            return Ok(rest.is_empty());
        }
        if piece.get(..n_read) != Some(same) {
            return Ok(false);
        }
        rest = after;
    }
}
