//! The short-lived folder of one run of the program: control sockets, what supervisors read first, long commands.
//!
//! Invariant: it is private, and it goes away: at the end, or, if the program was killed, when the next one starts. Who
//! runs holds a lock on its folder, which the system lets go of however a process ends; no process id is trusted for
//! that. Folders come and go only under a lock on the root, so nobody sweeps what was just made. Deliberately absent:
//! anything that must outlive the program.

use crate::spool::{create_new_private_dir, create_private_dir};
use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Bytes against guessing.
pub(crate) const TOKEN_BYTES: usize = 16;
/// Part of the name of a folder that sets runs of one process apart, in characters; sockets have short paths.
const NAME_CHARS: usize = 8;
/// The last run before may take the root away between its creation and its lock; not this often.
const ATTEMPTS: usize = 100;
/// Bits of a mode that let somebody else in.
const OTHERS: u32 = 0o077;

/// The folder for the folders of all runs: the session's own where the desktop has one, else one beside the temporary
/// files that carries the user's number, because others have theirs there.
#[must_use]
pub fn runtime_root(xdg_runtime_dir: Option<&str>, temporary: &Path) -> PathBuf {
    let session = xdg_runtime_dir
        .map(Path::new)
        .filter(|path| path.is_absolute() && path.is_dir());
    session.map_or_else(
        || {
            let user = rustix::process::geteuid().as_raw();
            temporary.join(format!("benchdog-{user}"))
        },
        |path| path.join("benchdog"),
    )
}

/// Unguessable, and a name as well.
pub(crate) fn random_token() -> io::Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A file that goes when this does, whoever else removed it before.
#[derive(Debug)]
pub(crate) struct Passing(pub(crate) PathBuf);

impl Drop for Passing {
    fn drop(&mut self) {
        match std::fs::remove_file(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::debug!(%error, path = %self.0.display(), "a file stayed behind");
            }
            Ok(()) | Err(_) => {}
        }
    }
}

/// The folder of this run.
#[derive(Debug)]
pub(crate) struct RuntimeFolder {
    root: PathBuf,
    path: PathBuf,
    /// `None` once it is removed.
    lock: Mutex<Option<OwnedFd>>,
}

impl RuntimeFolder {
    /// Removes the folders of runs that are over, and makes one for this.
    pub(crate) fn create(root: &Path) -> io::Result<Self> {
        let mut last = io::Error::from(io::ErrorKind::Interrupted);
        for _ in 0..ATTEMPTS {
            match attempt(root) {
                Ok((path, lock)) => {
                    return Ok(Self {
                        root: root.to_owned(),
                        path,
                        lock: Mutex::new(Some(lock)),
                    });
                }
                Err(error) if is_race(&error) => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it. What comes later finds no folder.
    pub(crate) fn remove(&self) {
        let own = self
            .lock
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if own.is_none() {
            return;
        }
        let alone = lock(&self.root, FlockOperation::LockExclusive);
        if let Err(error) = std::fs::remove_dir_all(&self.path) {
            tracing::warn!(%error, directory = %self.path.display(), "a folder stayed behind");
        }
        if alone.is_ok() {
            // Others may be running; the last one takes it away.
            std::fs::remove_dir(&self.root).ok();
        }
    }
}

impl Drop for RuntimeFolder {
    fn drop(&mut self) {
        self.remove();
    }
}

/// What happens if the last run before ends at the same moment, or a name is taken.
fn is_race(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists
    )
}

fn attempt(root: &Path) -> io::Result<(PathBuf, OwnedFd)> {
    create_private_dir(root)?;
    check_own(root)?;
    let _alone = lock(root, FlockOperation::LockExclusive)?;
    sweep(root)?;
    let token = random_token()?;
    let name = token.get(..NAME_CHARS).unwrap_or_default();
    let path = root.join(format!("{}-{name}", std::process::id()));
    create_new_private_dir(&path)?;
    let own = lock(&path, FlockOperation::NonBlockingLockExclusive)?;
    Ok((path, own))
}

/// Nobody else may own it or look into it.
fn check_own(root: &Path) -> io::Result<()> {
    let metadata = std::fs::symlink_metadata(root)?;
    let own = metadata.uid() == rustix::process::geteuid().as_raw();
    if metadata.is_dir() && own && metadata.mode() & OTHERS == 0 {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        format!("{} is not a private folder of this user", root.display()),
    ))
}

/// Locks a folder that is still there afterwards.
fn lock(path: &Path, how: FlockOperation) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = open(path, flags, Mode::empty())?;
    flock(&folder, how)?;
    let locked = rustix::fs::fstat(&folder)?;
    if std::fs::symlink_metadata(path)?.ino() == locked.st_ino {
        Ok(folder)
    } else {
        Err(io::Error::from(io::ErrorKind::NotFound))
    }
}

fn sweep(root: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(root)? {
        let path = entry?.path();
        // Locked is running; anything else that is no folder is not ours.
        if let Ok(_over) = lock(&path, FlockOperation::NonBlockingLockExclusive)
            && let Err(error) = std::fs::remove_dir_all(&path)
        {
            tracing::debug!(%error, directory = %path.display(), "a folder stayed behind");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn names(root: &Path) -> usize {
        std::fs::read_dir(root).map_or(0, Iterator::count)
    }

    #[test]
    fn folders_of_runs_that_are_over_go_and_others_stay() {
        let temporary = tempfile::tempdir().unwrap();
        let root = runtime_root(None, temporary.path());
        let first = RuntimeFolder::create(&root).unwrap();
        let dead = root.join("123-dead");
        std::fs::create_dir(&dead).unwrap();
        std::fs::write(dead.join("socket"), "").unwrap();
        let second = RuntimeFolder::create(&root).unwrap();
        assert!(!dead.exists(), "nobody holds its lock");
        assert!(first.path().exists() && second.path().exists());
        assert_eq!(
            second.path().metadata().unwrap().permissions().mode() & 0o777,
            0o700
        );
        drop(first);
        assert_eq!(names(&root), 1);
        second.remove();
        assert!(!root.exists(), "the last one takes the root away");
        drop(second);
    }

    #[test]
    fn a_folder_others_can_use_is_refused() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().join("open");
        std::fs::create_dir(&root).unwrap();
        std::fs::set_permissions(&root, std::fs::Permissions::from_mode(0o777)).unwrap();
        let error = RuntimeFolder::create(&root).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        let link = temporary.path().join("link");
        std::os::unix::fs::symlink(temporary.path(), &link).unwrap();
        assert!(RuntimeFolder::create(&link).is_err());
    }

    #[test]
    fn the_session_has_a_folder_or_the_user_has_one() {
        let temporary = tempfile::tempdir().unwrap();
        let session = temporary.path().to_str().unwrap();
        assert_eq!(
            runtime_root(Some(session), Path::new("/tmp")),
            temporary.path().join("benchdog")
        );
        let user = rustix::process::geteuid().as_raw();
        let own = PathBuf::from(format!("/tmp/benchdog-{user}"));
        for useless in [None, Some(""), Some("relative"), Some("/nowhere/at/all")] {
            assert_eq!(runtime_root(useless, Path::new("/tmp")), own, "{useless:?}");
        }
    }

    #[test]
    fn many_runs_begin_and_end_at_once() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().join("run");
        let run = || {
            let folder = RuntimeFolder::create(&root).unwrap();
            assert!(folder.path().exists());
        };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..20).for_each(|_| run()));
            }
        });
        assert!(!root.exists());
    }
}
