//! Replacing and creating in one step.

use super::journal::{JournalId, JournalRow};
use super::linger::Displaced;
use super::metadata::{self, NotReproducible};
use super::parent::Place;
use super::target::{self, Original, Version};
use super::temp::{self, TempFile, TempName};
use super::{Change, CommitWarning, Committed, Committer, Fsync, WrittenBy, changed, in_place};
use crate::ContentHash;
use crate::error::{BackupError, Error, Kept, Noticed, OutsideChange};
use crate::fault::{self, Fault, Moment};
use crate::stat::{FileFacts, FileId};
use rustix::fs::{AtFlags, Mode, RenameFlags};
use rustix::io::Errno;
use std::cell::Cell;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Only the writer may read the new bytes before they have the mode of the old file.
const TEMP_MODE: Mode = Mode::from_raw_mode(0o600);
/// A new file gets what the umask leaves of this.
const NEW_FILE_MODE: Mode = Mode::from_raw_mode(0o666);
/// Virus scanners and indexers hold a file for a moment.
const RENAME_RETRIES: [Duration; 3] = [
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(200),
];

/// A commit that has its backup and its journal row.
pub(super) struct Job<'a> {
    pub(super) committer: &'a Committer,
    pub(super) change: &'a Change<'a>,
    pub(super) base: &'a [u8],
    pub(super) base_hash: ContentHash,
    pub(super) new_hash: ContentHash,
    pub(super) place: &'a Place,
    pub(super) original: &'a Original,
    pub(super) journal: JournalId,
    /// The journal row is closed when the displaced file is settled.
    is_handed_over: Cell<bool>,
}

/// What came of an attempt to exchange.
enum Attempt {
    Done(Committed),
    /// The old inode must stay: why.
    NeedsInPlace(io::Error),
}

/// Puts new bytes in place of a file that holds `base`.
pub(super) fn replace(
    committer: &Committer,
    change: &Change<'_>,
    (base, base_hash): (&[u8], ContentHash),
) -> Result<Committed, Error> {
    let place = Place::open(change.path).map_err(|error| deleted_folder(error, change))?;
    let original = target::open_base(&place, change.path, base)?;
    let temp_name = temp::free_name(&place.folder);
    let new_hash = ContentHash::of(change.bytes);
    let row = JournalRow {
        mode: Some(original.facts.mode),
        ..row(change, new_hash, &temp_name)
    };
    let journal = change
        .backup
        .prepare(base, &row)
        .map_err(|source| backup_failed(change, source))?;
    fault::pass(change.path, Moment::AfterJournal);
    let job = Job {
        committer,
        change,
        base,
        base_hash,
        new_hash,
        place: &place,
        original: &original,
        journal,
        is_handed_over: Cell::new(false),
    };
    let attempt = if original.facts.n_links > 1 {
        Ok(Attempt::NeedsInPlace(io::Error::other(
            "the file has several names",
        )))
    } else {
        exchange(&job, &temp_name)
    };
    match attempt {
        Ok(Attempt::Done(committed)) => Ok(committed),
        Ok(Attempt::NeedsInPlace(cause)) => {
            let result = in_place::write(&job, cause);
            job.close_journal();
            result
        }
        Err(error) => {
            job.close_after_failure();
            Err(error)
        }
    }
}

impl Job<'_> {
    pub(super) fn close_journal(&self) {
        close_journal(self.change, self.journal);
    }

    /// After a failure. A row whose files are still kept, or whose program was ended, stays open.
    fn close_after_failure(&self) {
        let path = self.change.path;
        let killed = fault::is_armed(path, Fault::KillBeforeExchange)
            || fault::is_armed(path, Fault::KillAfterExchange);
        if !killed && !self.is_handed_over.get() {
            self.close_journal();
        }
    }

    /// Keeps a file for late writes, away from the caller.
    fn keep(&self, file: File, name: TempName, hash: ContentHash) {
        self.is_handed_over.set(true);
        self.committer.linger.keep(Displaced {
            file,
            name,
            hash,
            target: self.change.path.to_path_buf(),
            journal: self.journal,
            backup: Arc::clone(&self.change.backup),
        });
    }

    fn committed(&self, now: &FileFacts, warnings: Vec<CommitWarning>) -> Committed {
        Committed {
            hash: self.new_hash,
            stat: now.stat,
            before: Some(self.original.facts.stat),
            mode: now.mode,
            written_by: WrittenBy::Exchange,
            warnings,
        }
    }
}

fn exchange(job: &Job<'_>, temp_name: &str) -> Result<Attempt, Error> {
    let path = job.change.path;
    let failed = |source| Error::writing(path, source);
    let temp = match temp::create(&job.place.folder, temp_name, TEMP_MODE, path) {
        Ok(temp) => temp,
        Err(error) if forbids_new_files(&error) => return Ok(Attempt::NeedsInPlace(error)),
        Err(error) => return Err(failed(error)),
    };
    temp::fill(&temp, job.change.bytes, path).map_err(failed)?;
    fault::pass(path, Moment::TempWritten);
    let warnings = match metadata::copy(&job.original.file, &job.original.facts, &temp.file) {
        Ok(warnings) => warnings,
        Err(NotReproducible::NeedsInPlace) => {
            let cause = io::Error::other("owner or access list cannot be given to a new file");
            return Ok(Attempt::NeedsInPlace(cause));
        }
        Err(NotReproducible::Failed(error)) => return Err(failed(error)),
    };
    sync(job.committer, &temp).map_err(failed)?;
    let ours = FileFacts::of_open(&temp.file).map_err(failed)?.stat.id;
    if fault::is_armed(path, Fault::KillBeforeExchange) {
        temp.name.keep();
        return Err(failed(io::ErrorKind::Interrupted.into()));
    }
    match swap(job, &temp)? {
        Swapped::Exchanged { expected } => {
            finish(job, temp.name, ours, expected, warnings).map(Attempt::Done)
        }
        Swapped::Renamed => {
            temp.name.keep();
            sync_folder(job.committer, job.place);
            let now = target::verify(job.place, path, job.change.bytes);
            job.close_journal();
            now.map(|now| Attempt::Done(job.committed(&now, warnings)))
        }
        Swapped::NeedsInPlace(error) => Ok(Attempt::NeedsInPlace(error)),
    }
}

enum Swapped {
    /// The temporary name now holds what was displaced; this file was expected there.
    Exchanged {
        expected: FileId,
    },
    /// The file system cannot exchange; the old file is gone, its bytes are in the backup.
    Renamed,
    NeedsInPlace(io::Error),
}

fn swap(job: &Job<'_>, temp: &TempFile) -> Result<Swapped, Error> {
    let path = job.change.path;
    let mut delays = RENAME_RETRIES.iter();
    loop {
        let facts = target::check_again(job.place, path, job.original, job.base)?;
        fault::pass(path, Moment::AtExchange);
        let errno = match exchange_names(job, &temp.name.name) {
            Ok(()) => {
                return Ok(Swapped::Exchanged {
                    expected: facts.stat.id,
                });
            }
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                match rename_over(job, &temp.name.name) {
                    Ok(()) => return Ok(Swapped::Renamed),
                    Err(errno) => errno,
                }
            }
            Err(errno) => errno,
        };
        match errno {
            Errno::BUSY | Errno::XDEV => return Ok(Swapped::NeedsInPlace(errno.into())),
            Errno::PERM | Errno::ACCESS => match delays.next() {
                Some(delay) => std::thread::sleep(*delay),
                None => return Err(Error::writing(path, errno.into())),
            },
            other => return Err(Error::writing(path, other.into())),
        }
    }
}

fn exchange_names(job: &Job<'_>, temp_name: &str) -> rustix::io::Result<()> {
    if fault::is_armed(job.change.path, Fault::NoExchange) {
        return Err(Errno::INVAL);
    }
    if fault::is_armed(job.change.path, Fault::EbusyRename) {
        return Err(Errno::BUSY);
    }
    if fault::is_armed(job.change.path, Fault::EaccesRename) {
        return Err(Errno::ACCESS);
    }
    let folder = &job.place.folder;
    rustix::fs::renameat_with(
        folder,
        temp_name,
        folder,
        &job.place.name,
        RenameFlags::EXCHANGE,
    )
}

/// Where the file system cannot exchange.
fn rename_over(job: &Job<'_>, temp_name: &str) -> rustix::io::Result<()> {
    if fault::is_armed(job.change.path, Fault::EbusyRename) {
        return Err(Errno::BUSY);
    }
    let folder = &job.place.folder;
    rustix::fs::renameat(folder, temp_name, folder, &job.place.name)
}

/// Judges what was displaced, and keeps it for late writes or puts it back.
fn finish(
    job: &Job<'_>,
    name: TempName,
    ours: FileId,
    expected: FileId,
    warnings: Vec<CommitWarning>,
) -> Result<Committed, Error> {
    let path = job.change.path;
    fault::pass(path, Moment::AfterExchange);
    if fault::is_armed(path, Fault::KillAfterExchange) {
        name.keep();
        return Err(Error::writing(path, io::ErrorKind::Interrupted.into()));
    }
    let displaced = Version::open(&job.place.folder, OsStr::new(&name.name));
    let displaced = match displaced {
        Ok(version) if is_version(&version, expected, job.base) => version,
        Ok(_) | Err(_) => return Err(put_back(job, name, ours)),
    };
    sync_folder(job.committer, job.place);
    let verified = target::verify(job.place, path, job.change.bytes);
    job.keep(displaced.file, name, job.base_hash);
    verified.map(|now| job.committed(&now, warnings))
}

fn is_version(version: &Version, id: FileId, bytes: &[u8]) -> bool {
    version.facts.stat.id == id && matches!(version.holds(bytes), Ok(true))
}

/// Another version was displaced: it belongs in its place.
fn put_back(job: &Job<'_>, name: TempName, ours: FileId) -> Error {
    let conflict = |kept| Error::Conflict {
        path: job.change.path.to_path_buf(),
        kept,
    };
    if exchange_names(job, &name.name).is_err() {
        store_or_keep(job, name);
        return conflict(Kept::Both);
    }
    match Version::open(&job.place.folder, OsStr::new(&name.name)) {
        Ok(taken_out) if is_version(&taken_out, ours, job.change.bytes) => {
            // For a moment it was in place: someone may have opened it to write.
            job.keep(taken_out.file, name, job.new_hash);
            sync_folder(job.committer, job.place);
            return conflict(Kept::Restored);
        }
        Ok(_) | Err(_) => {}
    }
    // A third version came in between and is the newest: it goes back, the one before it is stored.
    if exchange_names(job, &name.name).is_err() {
        tracing::warn!(path = %job.change.path.display(), "an older outside version stays in place");
    }
    store_or_keep(job, name);
    conflict(Kept::Both)
}

/// Stores the bytes of a temporary name and those that were to be written. The file itself is kept for late writes:
/// its writer may have it open still.
fn store_or_keep(job: &Job<'_>, name: TempName) {
    let store = || -> Result<(File, ContentHash), BackupError> {
        let version = Version::open(&job.place.folder, OsStr::new(&name.name))?;
        let hash = job.change.backup.put(&version.read()?)?;
        job.change.backup.late_write(job.change.path, hash);
        job.change.backup.put(job.change.bytes)?;
        Ok((version.file, hash))
    };
    match store() {
        Ok((file, hash)) => job.keep(file, name, hash),
        Err(error) => {
            tracing::warn!(name = %name.name, %error, "a version of another program is kept beside its file");
            name.keep();
        }
    }
}

/// Puts a file where there is none.
pub(super) fn create(committer: &Committer, change: &Change<'_>) -> Result<Committed, Error> {
    let place = Place::open_or_create(change.path)?;
    match create_in(committer, change, &place) {
        Ok(committed) => Ok(committed),
        Err(error) => {
            place.undo_folders();
            Err(error)
        }
    }
}

fn create_in(
    committer: &Committer,
    change: &Change<'_>,
    place: &Place,
) -> Result<Committed, Error> {
    let path = change.path;
    let failed = |source| Error::writing(path, source);
    if place.facts().is_ok() {
        return Err(changed(
            path,
            OutsideChange::Appeared,
            Noticed::WhileWaiting,
        ));
    }
    let temp_name = temp::free_name(&place.folder);
    let new_hash = ContentHash::of(change.bytes);
    let journal = change
        .backup
        .journal_prepared(&row(change, new_hash, &temp_name))
        .map_err(|source| backup_failed(change, source))?;
    fault::pass(path, Moment::AfterJournal);
    let written = (|| {
        let temp = temp::create(&place.folder, &temp_name, NEW_FILE_MODE, path).map_err(failed)?;
        temp::fill(&temp, change.bytes, path).map_err(failed)?;
        fault::pass(path, Moment::TempWritten);
        sync(committer, &temp).map_err(failed)?;
        fault::pass(path, Moment::AtExchange);
        rename_to_free_name(place, temp.name, change)?;
        fault::pass(path, Moment::AfterExchange);
        sync_folder(committer, place);
        target::verify(place, path, change.bytes)
    })();
    close_journal(change, journal);
    written.map(|now| Committed {
        hash: new_hash,
        stat: now.stat,
        before: None,
        mode: now.mode,
        written_by: WrittenBy::Exchange,
        warnings: Vec::new(),
    })
}

fn rename_to_free_name(place: &Place, temp: TempName, change: &Change<'_>) -> Result<(), Error> {
    let folder = &place.folder;
    let renamed = if fault::is_armed(change.path, Fault::NoExchange) {
        Err(Errno::INVAL)
    } else {
        rustix::fs::renameat_with(
            folder,
            &temp.name,
            folder,
            &place.name,
            RenameFlags::NOREPLACE,
        )
    };
    let result = match renamed {
        Ok(()) => {
            temp.keep();
            return Ok(());
        }
        // A second name, after which the temporary one goes: as exclusive as the flag.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            rustix::fs::linkat(folder, &temp.name, folder, &place.name, AtFlags::empty())
        }
        Err(errno) => Err(errno),
    };
    result.map_err(|errno| match errno {
        Errno::EXIST => changed(change.path, OutsideChange::Appeared, Noticed::AtCommit),
        other => Error::writing(change.path, other.into()),
    })
}

fn row(change: &Change<'_>, new_hash: ContentHash, temp_name: &str) -> JournalRow {
    JournalRow {
        target: change.path.to_path_buf(),
        temp_name: temp_name.to_owned(),
        base: change.base.hash(),
        new: Some(new_hash),
        mode: None,
    }
}

fn close_journal(change: &Change<'_>, journal: JournalId) {
    if let Err(error) = change.backup.journal_done(journal) {
        tracing::warn!(path = %change.path.display(), %error, "a journal row stays open");
    }
}

fn backup_failed(change: &Change<'_>, source: BackupError) -> Error {
    Error::BackupFailed {
        path: change.path.to_path_buf(),
        source,
    }
}

fn deleted_folder(error: Error, change: &Change<'_>) -> Error {
    match error {
        Error::WriteFailed { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            changed(change.path, OutsideChange::Deleted, Noticed::WhileWaiting)
        }
        other => other,
    }
}

fn forbids_new_files(error: &io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(
        errno,
        Some(Errno::ACCESS | Errno::PERM | Errno::ROFS | Errno::DQUOT)
    )
}

fn sync(committer: &Committer, temp: &TempFile) -> io::Result<()> {
    match committer.options.fsync {
        Fsync::On => temp.file.sync_all(),
        Fsync::Off => Ok(()),
    }
}

pub(super) fn sync_folder(committer: &Committer, place: &Place) {
    match committer.options.fsync {
        Fsync::On => {
            if let Err(error) = place.sync() {
                tracing::warn!(%error, "the new name may not survive a crash");
            }
        }
        Fsync::Off => {}
    }
}
