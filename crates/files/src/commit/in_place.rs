//! Overwriting a file whose inode must stay: it has other names, is a mount point, or its owner cannot be copied.
//!
//! Readers may see half a file here, and a crash may leave one; the backup holds the old bytes.

use super::exchange::Job;
use super::linger::read_from_start;
use super::{CommitWarning, Committed, Fsync, InPlace, WrittenBy, changed, target};
use crate::error::{Error, Noticed, OutsideChange, WriteOutcome};
use crate::fault::{self, Fault};
use crate::stat::FileFacts;
use rustix::fs::{FlockOperation, Mode, OFlags};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Overwrites the target. `cause` says why no exchange was possible.
pub(super) fn write(job: &Job<'_>, cause: io::Error) -> Result<Committed, Error> {
    let path = job.change.path;
    match job.committer.options.in_place {
        InPlace::Allowed => {}
        InPlace::Refused => {
            return Err(Error::WriteFailed {
                path: path.to_path_buf(),
                outcome: WriteOutcome::InPlaceNotAllowed,
                source: cause,
            });
        }
    }
    let mut file = open_same_file(job)?;
    // Best effort: only programs that take the lock as well respect it.
    let locked = rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive);
    tracing::debug!(path = %path.display(), locked = locked.is_ok(), "writing in place");
    let now = read_from_start(&mut file).map_err(|source| Error::reading("read", path, source))?;
    if now != job.base {
        return Err(changed(path, OutsideChange::Changed, Noticed::AtCommit));
    }
    if let Err(source) = overwrite(job, &mut file) {
        return Err(restore(job, &mut file, source));
    }
    let now = target::verify(job.place, path, job.change.bytes)?;
    Ok(Committed {
        hash: job.new_hash,
        stat: now.stat,
        before: Some(job.original.facts.stat),
        mode: now.mode,
        written_by: WrittenBy::InPlace,
        warnings: vec![CommitWarning::InPlaceWrite],
    })
}

fn open_same_file(job: &Job<'_>) -> Result<File, Error> {
    let path = job.change.path;
    let failed = |source| Error::writing(path, source);
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = rustix::fs::openat(&job.place.folder, &job.place.name, flags, Mode::empty());
    let file = File::from(opened.map_err(|errno| failed(errno.into()))?);
    let facts = FileFacts::of_open(&file).map_err(failed)?;
    if facts.stat.id == job.original.facts.stat.id {
        Ok(file)
    } else {
        Err(changed(path, OutsideChange::Changed, Noticed::AtCommit))
    }
}

fn overwrite(job: &Job<'_>, file: &mut File) -> io::Result<()> {
    if fault::is_armed(job.change.path, Fault::EioInPlace) {
        let (half, _) = job.change.bytes.split_at(job.change.bytes.len() / 2);
        write_over(file, half)?;
        fault::check(job.change.path, Fault::EioInPlace)?;
    }
    write_over(file, job.change.bytes)?;
    match job.committer.options.fsync {
        Fsync::On => file.sync_all(),
        Fsync::Off => Ok(()),
    }
}

fn write_over(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)
}

/// Puts the old bytes back after a write that stopped half-way.
fn restore(job: &Job<'_>, file: &mut File, source: io::Error) -> Error {
    let path = job.change.path.to_path_buf();
    let restored = fault::check(&path, Fault::EioWrite)
        .and_then(|()| write_over(file, job.base))
        .and_then(|()| file.sync_all())
        .and_then(|()| holds(file, job.base));
    match restored {
        Ok(true) => match Error::writing(&path, source) {
            Error::WriteFailed { path, source, .. } => Error::WriteFailed {
                path,
                outcome: WriteOutcome::Restored,
                source,
            },
            other => other,
        },
        Ok(false) | Err(_) => Error::WriteFailed {
            path,
            outcome: WriteOutcome::Partial {
                backup: job.base_hash,
            },
            source,
        },
    }
}

fn holds(file: &mut File, expected: &[u8]) -> io::Result<bool> {
    file.seek(SeekFrom::Start(0))?;
    let mut bytes = Vec::with_capacity(expected.len() + 1);
    file.read_to_end(&mut bytes)?;
    Ok(bytes == expected)
}
