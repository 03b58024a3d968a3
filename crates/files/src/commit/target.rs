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
use std::io;
use std::path::Path;

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
    pub(super) bytes: Vec<u8>,
}

impl Version {
    /// Opens and reads a regular file; anything else is an error.
    pub(super) fn read(folder: &File, name: &OsStr) -> io::Result<Self> {
        let file = File::from(rustix::fs::openat(folder, name, READ_FLAGS, Mode::empty())?);
        let facts = FileFacts::of_open(&file)?;
        if facts.kind != FileKind::Regular {
            return Err(io::Error::other("not a regular file"));
        }
        let bytes = read_to_end(&file, facts.stat.size, u64::MAX - 1)?;
        Ok(Self { file, facts, bytes })
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
    let version = Version::read(&place.folder, &place.name).map_err(|_| failed())?;
    if version.bytes == written {
        Ok(version.facts)
    } else {
        Err(failed())
    }
}

fn holds_exactly(file: &File, expected: &[u8]) -> io::Result<bool> {
    let n_expected = expected.len() as u64;
    Ok(read_to_end(file, n_expected, n_expected)? == expected)
}
