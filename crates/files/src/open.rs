//! Opening and reading a file without being led astray.
//!
//! A name that was examined may be another file a moment later: the kind is checked again on the open descriptor, the
//! last part of the path is never followed, and nothing that could block is waited for.

use crate::ContentHash;
use crate::error::{Error, SpecialKind};
use crate::fault::{self, Fault};
use crate::stat::{FileFacts, FileKind};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Flags of every read-only open: no link, no waiting for a FIFO's writer, nothing inherited by children.
pub(crate) const READ_FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOCTTY);

/// An open regular file and what the kernel says about it.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) file: File,
    pub(crate) facts: FileFacts,
}

/// Refuses everything but a regular file.
pub(crate) fn require_regular(path: &Path, kind: FileKind) -> Result<(), Error> {
    let special = |kind| {
        Err(Error::NotRegular {
            path: path.to_path_buf(),
            kind,
        })
    };
    match kind {
        FileKind::Regular => Ok(()),
        FileKind::Directory => Err(Error::IsDirectory {
            path: path.to_path_buf(),
        }),
        FileKind::Symlink => special(SpecialKind::DanglingLink),
        FileKind::Fifo => special(SpecialKind::Fifo),
        FileKind::Socket => special(SpecialKind::Socket),
        FileKind::Device => special(SpecialKind::Device),
    }
}

/// Opens a resolved path for reading.
pub(crate) fn open_regular(path: &Path) -> Result<OpenFile, Error> {
    let failed = |source| Error::reading("open", path, source);
    fault::check(path, Fault::EaccesOpen).map_err(failed)?;
    let opened = rustix::fs::open(path, READ_FLAGS, Mode::empty());
    let file = File::from(opened.map_err(|errno| failed(errno.into()))?);
    let facts = FileFacts::of_open(&file).map_err(failed)?;
    require_regular(path, facts.kind)?;
    Ok(OpenFile { file, facts })
}

/// Whether a resolved path names a regular file of so many bytes that have this hash. Waits for nothing: what took the
/// place of the file and may block, such as a FIFO, is not read.
#[must_use]
pub fn still_holds(path: &Path, size: usize, hash: ContentHash) -> bool {
    open_regular(path).is_ok_and(|open| {
        open.facts.stat.size == size as u64
            && ContentHash::of_file(&open.file).is_ok_and(|now| now == hash)
    })
}

/// Reads from the start to the end, or one byte past `max_bytes` so that the caller sees the excess.
pub(crate) fn read_all(open: &OpenFile, path: &Path, max_bytes: u64) -> Result<Vec<u8>, Error> {
    let failed = |source| Error::reading("read", path, source);
    fault::check(path, Fault::EioRead).map_err(failed)?;
    read_to_end(&open.file, open.facts.stat.size, max_bytes).map_err(failed)
}

/// Reads the rest of `file`; `expected` bytes are likely.
pub(crate) fn read_to_end(file: &File, expected: u64, max_bytes: u64) -> io::Result<Vec<u8>> {
    // One byte more than expected, so that the end is found without growing the buffer.
    let capacity = expected.min(max_bytes).saturating_add(1);
    let mut bytes = Vec::with_capacity(usize::try_from(capacity).unwrap_or(0));
    file.take(max_bytes.saturating_add(1))
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}
