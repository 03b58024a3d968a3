//! The folder a commit happens in, held open.
//!
//! The path was resolved and approved without links in it. If a part of it is a link by now, it leads somewhere that
//! nobody approved, and the commit ends. Every later name is relative to the open folder.

use crate::error::{Error, SpecialKind};
use crate::stat::FileFacts;
#[cfg(target_os = "linux")]
use rustix::fs::CWD;
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

const FOLDER_FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Permission of new folders before the umask.
const FOLDER_MODE: Mode = Mode::from_raw_mode(0o777);

/// The target's folder and its name in there.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) folder: Arc<File>,
    pub(super) name: OsString,
    created: Vec<(File, OsString)>,
}

impl Place {
    /// Opens the folder of `path`, which must exist.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let (folder, name) = split(path)?;
        Ok(Self {
            folder: Arc::new(open_folder(folder).map_err(|errno| refused(path, errno))?),
            name: name.to_os_string(),
            created: Vec::new(),
        })
    }

    /// Opens the folder of `path` and makes what is missing of it, one folder after the other.
    pub(super) fn open_or_create(path: &Path) -> Result<Self, Error> {
        let (folder, name) = split(path)?;
        let mut missing: Vec<&OsStr> = Vec::new();
        let mut existing = folder;
        let mut here = loop {
            match open_folder(existing) {
                Ok(open) => break open,
                Err(Errno::NOENT) => {
                    let (above, part) = split(existing)?;
                    missing.push(part);
                    existing = above;
                }
                Err(errno) => return Err(refused(path, errno)),
            }
        };
        let mut created = Vec::new();
        for part in missing.into_iter().rev() {
            let next = make_folder(&here, part);
            match next {
                Ok((next, true)) => {
                    created.push((std::mem::replace(&mut here, next), part.to_os_string()))
                }
                Ok((next, false)) => here = next,
                Err(errno) => {
                    remove_created(created);
                    return Err(refused(path, errno));
                }
            }
        }
        Ok(Self {
            folder: Arc::new(here),
            name: name.to_os_string(),
            created,
        })
    }

    /// Facts of the target's name now.
    pub(super) fn facts(&self) -> io::Result<FileFacts> {
        FileFacts::at(&self.folder, &self.name)
    }

    /// Takes back the folders that were made for a commit that failed. Folders others use by now stay.
    pub(super) fn undo_folders(self) {
        remove_created(self.created);
    }

    /// Forces the names in all touched folders to the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.folder.sync_all()?;
        self.created
            .iter()
            .try_for_each(|(above, _)| above.sync_all())
    }
}

fn split(path: &Path) -> Result<(&Path, &OsStr), Error> {
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => Ok((folder, name)),
        _ => Err(Error::IsDirectory {
            path: path.to_path_buf(),
        }),
    }
}

#[cfg(target_os = "linux")]
fn open_folder(folder: &Path) -> rustix::io::Result<File> {
    let resolve = rustix::fs::ResolveFlags::NO_SYMLINKS;
    match rustix::fs::openat2(CWD, folder, FOLDER_FLAGS, Mode::empty(), resolve) {
        // Kernels before 5.6, and sandboxes that do not know the call.
        Err(Errno::NOSYS | Errno::PERM) => open_folder_by_parts(folder),
        other => other.map(File::from),
    }
}

#[cfg(not(target_os = "linux"))]
fn open_folder(folder: &Path) -> rustix::io::Result<File> {
    open_folder_by_parts(folder)
}

fn open_folder_by_parts(folder: &Path) -> rustix::io::Result<File> {
    let mut here = File::from(rustix::fs::open("/", FOLDER_FLAGS, Mode::empty())?);
    for part in folder.iter().skip(1) {
        here = File::from(rustix::fs::openat(
            &here,
            part,
            FOLDER_FLAGS,
            Mode::empty(),
        )?);
    }
    Ok(here)
}

/// Opens a folder that is made if it is missing; `true` if it was.
fn make_folder(above: &File, part: &OsStr) -> rustix::io::Result<(File, bool)> {
    let is_new = match rustix::fs::mkdirat(above, part, FOLDER_MODE) {
        Ok(()) => true,
        Err(Errno::EXIST) => false,
        Err(errno) => return Err(errno),
    };
    let opened = rustix::fs::openat(above, part, FOLDER_FLAGS, Mode::empty())?;
    Ok((File::from(opened), is_new))
}

fn remove_created(created: Vec<(File, OsString)>) {
    for (above, part) in created.into_iter().rev() {
        if let Err(error) = rustix::fs::unlinkat(&above, &part, AtFlags::REMOVEDIR) {
            tracing::debug!(%error, "a new folder is kept, others use it");
        }
    }
}

fn refused(path: &Path, errno: Errno) -> Error {
    match errno {
        // Where a folder is required, a link in its place counts as no folder.
        Errno::LOOP | Errno::NOTDIR if path.ancestors().skip(1).any(Path::is_symlink) => {
            Error::MovedAway {
                path: path.to_path_buf(),
            }
        }
        Errno::NOTDIR => Error::NotRegular {
            path: path.to_path_buf(),
            kind: SpecialKind::BelowFile,
        },
        other => Error::writing(path, other.into()),
    }
}
