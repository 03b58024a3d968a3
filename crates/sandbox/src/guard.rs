//! Looks at protected paths before and after a command, and puts back what changed.
//!
//! For what no wall can keep. Nothing is lost: what the command made is moved aside, and its place is told. Invariant:
//! only what was seen before is ever put back, so a guard never invents a file. Deliberately absent: preventing it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Larger files are noticed but not put back.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// The same for everything together.
const MAX_TOTAL_BYTES: u64 = 16 * 1024 * 1024;
/// Entries of protected folders that are looked at; hooks and settings are few.
const MAX_ENTRIES: usize = 4_000;

/// What stood at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stood {
    Missing,
    Folder,
    Link(PathBuf),
    File {
        bytes: Vec<u8>,
        permissions: fs::Permissions,
    },
    /// Only its looks are known.
    Large {
        length: u64,
        modified: Option<std::time::SystemTime>,
    },
}

/// What became of a protected path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touched {
    /// The path.
    pub path: PathBuf,
    /// What was done about it.
    pub fate: Fate,
}

/// What was done about a change of a protected path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Fate {
    /// It is as it was before. What the command had made of it is kept there, if there was anything.
    PutBack {
        /// Where.
        kept: Option<PathBuf>,
    },
    /// It is as the command left it.
    Left {
        /// Why.
        why: String,
    },
}

/// How protected paths were before a command.
#[derive(Debug)]
pub struct Guard {
    stood: BTreeMap<PathBuf, Stood>,
}

impl Guard {
    /// Looks at them, folders with all that is in them.
    ///
    /// # Errors
    /// [`crate::Error::File`] if one cannot be read: what cannot be seen cannot be kept.
    pub fn before(paths: impl IntoIterator<Item = PathBuf>) -> Result<Self, crate::Error> {
        let mut guard = Self {
            stood: BTreeMap::new(),
        };
        let mut total = 0;
        let mut waiting: Vec<PathBuf> = paths.into_iter().collect();
        while let Some(path) = waiting.pop() {
            if guard.stood.len() >= MAX_ENTRIES {
                break;
            }
            let stood = look(&path, &mut total).map_err(|source| crate::Error::File {
                path: path.clone(),
                source,
            })?;
            if stood == Stood::Folder {
                waiting.extend(entries(&path));
            }
            guard.stood.insert(path, stood);
        }
        Ok(guard)
    }

    /// Looks again, puts back what changed, and moves what was made into `aside`. Parents come before what is in them.
    #[must_use]
    pub fn check(&self, aside: &Path) -> Vec<Touched> {
        let mut touched = Vec::new();
        for (path, stood) in &self.stood {
            if let Some(fate) = put_back(path, stood, aside) {
                touched.push(Touched {
                    path: path.clone(),
                    fate,
                });
            } else if *stood == Stood::Folder {
                let new = entries(path).into_iter();
                let new = new.filter(|entry| !self.stood.contains_key(entry));
                touched.extend(new.filter_map(|entry| {
                    let fate = put_back(&entry, &Stood::Missing, aside)?;
                    Some(Touched { path: entry, fate })
                }));
            }
        }
        touched
    }
}

fn look(path: &Path, total: &mut u64) -> io::Result<Stood> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if is_missing(&error) => return Ok(Stood::Missing),
        Err(error) => return Err(error),
    };
    if metadata.is_dir() {
        return Ok(Stood::Folder);
    }
    if metadata.is_symlink() {
        return fs::read_link(path).map(Stood::Link);
    }
    let length = metadata.len();
    if !metadata.is_file() || length > MAX_FILE_BYTES || *total + length > MAX_TOTAL_BYTES {
        return Ok(Stood::Large {
            length,
            modified: metadata.modified().ok(),
        });
    }
    *total += length;
    Ok(Stood::File {
        bytes: fs::read(path)?,
        permissions: metadata.permissions(),
    })
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(read) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = read.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// `None` if it is as it was.
fn put_back(path: &Path, stood: &Stood, aside: &Path) -> Option<Fate> {
    let now = match look(path, &mut 0) {
        Ok(now) => now,
        Err(error) => return Some(left(&error)),
    };
    if now == *stood {
        return None;
    }
    if matches!(stood, Stood::Large { .. }) {
        return Some(Fate::Left {
            why: "it is too large to be kept twice; compare it with your repository".to_owned(),
        });
    }
    let restored = move_aside(path, &now, aside).and_then(|kept| {
        restore(path, stood)?;
        Ok(Fate::PutBack { kept })
    });
    Some(restored.unwrap_or_else(|error| left(&error)))
}

fn left(error: &io::Error) -> Fate {
    Fate::Left {
        why: error.to_string(),
    }
}

/// Moves what is there now out of the way, in one step.
fn move_aside(path: &Path, now: &Stood, aside: &Path) -> io::Result<Option<PathBuf>> {
    if *now == Stood::Missing {
        return Ok(None);
    }
    fs::create_dir_all(aside)?;
    let name = path.file_name().unwrap_or_default();
    let mut kept = aside.join(name);
    let mut number = 1;
    while fs::symlink_metadata(&kept).is_ok() {
        number += 1;
        let mut numbered = name.to_os_string();
        numbered.push(format!(".{number}"));
        kept = aside.join(numbered);
    }
    match fs::rename(path, &kept) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            copy(path, &kept)?;
            match *now {
                Stood::Folder => fs::remove_dir_all(path)?,
                _ => fs::remove_file(path)?,
            }
        }
        moved => moved?,
    }
    Ok(Some(kept))
}

/// Links stay links; what is neither file nor folder is not copied.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(from)?;
    if metadata.is_symlink() {
        return link(&fs::read_link(from)?, to);
    }
    if metadata.is_file() {
        fs::copy(from, to)?;
        return Ok(());
    }
    if !metadata.is_dir() {
        return Ok(());
    }
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

fn restore(path: &Path, stood: &Stood) -> io::Result<()> {
    match stood {
        Stood::Missing | Stood::Large { .. } => Ok(()),
        Stood::Folder => fs::create_dir(path),
        Stood::Link(target) => link(target, path),
        Stood::File { bytes, permissions } => {
            let mut options = fs::OpenOptions::new();
            let mut file = options.write(true).create_new(true).open(path)?;
            io::Write::write_all(&mut file, bytes)?;
            file.set_permissions(permissions.clone())?;
            file.sync_all()
        }
    }
}

#[cfg(unix)]
fn link(target: &Path, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(windows)]
fn link(target: &Path, path: &Path) -> io::Result<()> {
    match target.is_dir() {
        true => std::os::windows::fs::symlink_dir(target, path),
        false => std::os::windows::fs::symlink_file(target, path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    fn kept(fate: &Fate) -> PathBuf {
        match fate {
            Fate::PutBack { kept: Some(path) } => path.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn nothing_changed_nothing_touched() {
        let folder = folder();
        fs::create_dir(folder.path().join("hooks")).unwrap();
        fs::write(folder.path().join("hooks/a"), "x").unwrap();
        let guard = Guard::before([folder.path().join("hooks"), folder.path().join("no")]).unwrap();
        assert_eq!(guard.check(&folder.path().join("aside")), []);
        assert!(!folder.path().join("aside").exists());
    }

    #[test]
    fn a_new_file_is_moved_aside_and_a_changed_one_is_put_back() {
        let folder = folder();
        let (hooks, rc) = (folder.path().join("hooks"), folder.path().join(".npmrc"));
        fs::create_dir(&hooks).unwrap();
        fs::write(hooks.join("old"), "good").unwrap();
        let guard = Guard::before([hooks.clone(), rc.clone()]).unwrap();
        fs::write(hooks.join("old"), "evil").unwrap();
        fs::write(hooks.join("new"), "evil").unwrap();
        fs::write(&rc, "evil").unwrap();
        let touched = guard.check(&folder.path().join("aside"));
        assert_eq!(touched.len(), 3, "{touched:?}");
        for one in &touched {
            assert_eq!(fs::read(kept(&one.fate)).unwrap(), b"evil");
        }
        assert_eq!(fs::read(hooks.join("old")).unwrap(), b"good");
        assert!(!hooks.join("new").exists() && !rc.exists());
    }

    #[test]
    fn what_was_removed_comes_back() {
        let folder = folder();
        let hooks = folder.path().join("hooks");
        fs::create_dir(&hooks).unwrap();
        fs::write(hooks.join("a"), "good").unwrap();
        let guard = Guard::before([hooks.clone()]).unwrap();
        fs::remove_dir_all(&hooks).unwrap();
        let touched = guard.check(&folder.path().join("aside"));
        assert_eq!(touched.len(), 2, "{touched:?}");
        assert_eq!(fs::read(hooks.join("a")).unwrap(), b"good");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_place_of_a_folder_is_undone() {
        let folder = folder();
        let (hooks, other) = (folder.path().join("hooks"), folder.path().join("other"));
        fs::create_dir(&hooks).unwrap();
        fs::create_dir(&other).unwrap();
        fs::write(hooks.join("a"), "good").unwrap();
        fs::write(other.join("a"), "evil").unwrap();
        let guard = Guard::before([hooks.clone()]).unwrap();
        fs::rename(&hooks, folder.path().join("gone")).unwrap();
        link(&other, &hooks).unwrap();
        assert_eq!(guard.check(&folder.path().join("aside")).len(), 2);
        assert!(!hooks.is_symlink());
        assert_eq!(fs::read(hooks.join("a")).unwrap(), b"good");
        assert_eq!(fs::read(other.join("a")).unwrap(), b"evil", "not ours");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_copied_is_the_same() {
        let folder = folder();
        let from = folder.path().join("from");
        fs::create_dir_all(from.join("in")).unwrap();
        fs::write(from.join("in/a"), "x").unwrap();
        link(Path::new("in/a"), &from.join("link")).unwrap();
        let to = folder.path().join("to");
        copy(&from, &to).unwrap();
        assert_eq!(fs::read(to.join("in/a")).unwrap(), b"x");
        assert_eq!(fs::read_link(to.join("link")).unwrap(), Path::new("in/a"));
    }

    #[test]
    fn a_large_file_is_told_of() {
        let folder = folder();
        let path = folder.path().join("big");
        fs::write(&path, vec![b'x'; 1024 * 1024 + 1]).unwrap();
        let guard = Guard::before([path.clone()]).unwrap();
        fs::write(&path, "small").unwrap();
        let touched = guard.check(&folder.path().join("aside"));
        assert!(matches!(touched[0].fate, Fate::Left { .. }), "{touched:?}");
        assert_eq!(fs::read(&path).unwrap(), b"small", "it stays where it is");
    }
}
