//! Taking a file away, for the undo of a creation.

use super::exchange::sync_folder;
use super::journal::{Backup, JournalRow};
use super::linger::Displaced;
use super::parent::Place;
use super::target::{self, Version};
use super::temp::{self, TempName};
use super::{Base, Committer, changed};
use crate::error::{BackupError, Error, Kept, Noticed, OutsideChange};
use crate::fault::{self, Moment};
use rustix::fs::RenameFlags;
use rustix::io::Errno;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

pub(super) fn delete(
    committer: &Committer,
    path: &Path,
    base: Base<'_>,
    backup: Arc<dyn Backup>,
) -> Result<(), Error> {
    let Base::Bytes { bytes, hash } = base else {
        return Err(changed(path, OutsideChange::Deleted, Noticed::AtCommit));
    };
    let no_backup = |source: BackupError| Error::BackupFailed {
        path: path.to_path_buf(),
        source,
    };
    let place = Place::open(path)?;
    let original = target::open_base(&place, path, bytes)?;
    let temp_name = temp::free_name(&place.folder);
    let row = JournalRow {
        target: path.to_path_buf(),
        temp_name: temp_name.clone(),
        base: Some(hash),
        new: None,
        mode: Some(original.facts.mode),
    };
    let journal = backup.prepare(bytes, &row).map_err(no_backup)?;
    fault::pass(path, Moment::AfterJournal);
    let taken = target::check_again(&place, path, &original, bytes)
        .and_then(|_| take_out(&place, path, temp_name))
        .and_then(|name| judge(&place, path, name, bytes));
    match taken {
        Ok((version, name)) => {
            sync_folder(committer, &place);
            committer.linger.keep(Displaced {
                file: version.file,
                name,
                hash,
                target: path.to_path_buf(),
                journal,
                backup,
            });
            Ok(())
        }
        Err(error) => {
            if let Err(error) = backup.journal_done(journal) {
                tracing::warn!(path = %path.display(), %error, "a journal row stays open");
            }
            Err(error)
        }
    }
}

/// Gives the file a temporary name.
fn take_out(place: &Place, path: &Path, temp_name: String) -> Result<TempName, Error> {
    let folder = &place.folder;
    fault::pass(path, Moment::AtExchange);
    let renamed = rustix::fs::renameat_with(
        folder,
        &place.name,
        folder,
        &temp_name,
        RenameFlags::NOREPLACE,
    );
    let renamed = match renamed {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            rustix::fs::renameat(folder, &place.name, folder, &temp_name)
        }
        other => other,
    };
    match renamed {
        Ok(()) => {
            fault::pass(path, Moment::AfterExchange);
            Ok(TempName::adopt(Arc::clone(folder), temp_name))
        }
        Err(errno) => Err(Error::writing(path, errno.into())),
    }
}

/// Puts the file back if it is not the one that was meant.
fn judge(
    place: &Place,
    path: &Path,
    name: TempName,
    base: &[u8],
) -> Result<(Version, TempName), Error> {
    let folder = &place.folder;
    if let Ok(version) = Version::open(folder, OsStr::new(&name.name))
        && matches!(version.holds(base), Ok(true))
    {
        return Ok((version, name));
    }
    let back = rustix::fs::renameat_with(
        folder,
        &name.name,
        folder,
        &place.name,
        RenameFlags::NOREPLACE,
    );
    // Moved back, or kept beside a newer file: either way the name is not ours to remove.
    name.keep();
    Err(Error::Conflict {
        path: path.to_path_buf(),
        kept: match back {
            Ok(()) => Kept::Restored,
            Err(_) => Kept::Both,
        },
    })
}
