//! How long the output of ended commands is kept, and how much of it in all.
//!
//! What runs is never touched, whoever runs it: the caller names what it runs, and a status that says "running" and is
//! fresh belongs to another program. Oldest ends go first. Deliberately absent: when this happens, and what a database
//! remembers of what went.

use crate::status;
use std::fs::DirEntry;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A status this old is no longer written by anybody; running commands write theirs every half minute.
const STALE: Duration = Duration::from_secs(120);

/// What may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionLimits {
    /// Bytes of all commands' files, those that run included.
    pub max_bytes: u64,
    /// Time since the end of a command.
    pub max_age: Duration,
}

impl Default for RetentionLimits {
    fn default() -> Self {
        Self {
            max_bytes: 2 * 1024 * 1024 * 1024,
            max_age: Duration::from_secs(7 * 24 * 60 * 60),
        }
    }
}

/// What was found and done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// Folders that were removed.
    pub removed: usize,
    /// Bytes that were freed.
    pub freed_bytes: u64,
    /// Bytes that are kept.
    pub kept_bytes: u64,
}

/// The files of one command.
struct Spooled {
    path: PathBuf,
    bytes: u64,
    /// When anything was written last.
    changed: SystemTime,
    in_use: bool,
}

/// Removes output of ended commands that is too old or too much. `shells` is the folder of the sessions' folders;
/// `keep` are folders of commands that run, see [`crate::Shells::in_use`]. `now` is the time.
///
/// # Errors
/// `shells` cannot be read. What cannot be removed stays, and is told to the log.
pub fn sweep(
    shells: &Path,
    keep: &[PathBuf],
    limits: RetentionLimits,
    now: SystemTime,
) -> io::Result<Swept> {
    let sessions = match std::fs::read_dir(shells) {
        Ok(sessions) => sessions,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Swept::default()),
        Err(error) => return Err(error),
    };
    let sessions: Vec<PathBuf> = sessions.filter_map(folder).collect();
    let mut all: Vec<Spooled> = Vec::new();
    for session in &sessions {
        let entries = std::fs::read_dir(session).into_iter().flatten();
        all.extend(
            entries
                .filter_map(folder)
                .filter_map(|path| look(path, keep, now).ok()),
        );
    }
    let swept = remove_oldest(all, limits, now);
    for session in &sessions {
        // Those with something in them stay.
        std::fs::remove_dir(session).ok();
    }
    Ok(swept)
}

/// Removes all output of one session.
///
/// # Errors
/// The name is not that of a folder, or something cannot be removed.
pub fn remove_session_output(shells: &Path, session: &str) -> io::Result<()> {
    let mut parts = Path::new(session).components();
    let (Some(Component::Normal(name)), None) = (parts.next(), parts.next()) else {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    };
    match std::fs::remove_dir_all(shells.join(name)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn remove_oldest(mut all: Vec<Spooled>, limits: RetentionLimits, now: SystemTime) -> Swept {
    let mut swept = Swept {
        kept_bytes: all.iter().map(|spooled| spooled.bytes).sum(),
        ..Swept::default()
    };
    all.retain(|spooled| !spooled.in_use);
    all.sort_by_key(|spooled| spooled.changed);
    for spooled in all {
        let age = now.duration_since(spooled.changed).unwrap_or_default();
        if age <= limits.max_age && swept.kept_bytes <= limits.max_bytes {
            break;
        }
        if let Err(error) = std::fs::remove_dir_all(&spooled.path) {
            tracing::warn!(%error, directory = %spooled.path.display(), "old output stayed");
            continue;
        }
        swept.removed += 1;
        swept.freed_bytes += spooled.bytes;
        swept.kept_bytes -= spooled.bytes;
    }
    swept
}

/// A folder itself, not a link to one.
fn folder(entry: io::Result<DirEntry>) -> Option<PathBuf> {
    let entry = entry.ok()?;
    entry.file_type().ok()?.is_dir().then(|| entry.path())
}

fn look(path: PathBuf, keep: &[PathBuf], now: SystemTime) -> io::Result<Spooled> {
    let (mut bytes, mut changed) = (0, path.symlink_metadata()?.modified()?);
    for entry in std::fs::read_dir(&path)? {
        let metadata = entry?.metadata()?;
        bytes += metadata.len();
        changed = changed.max(metadata.modified()?);
    }
    let in_use = keep.contains(&path) || is_running_elsewhere(&path, now);
    Ok(Spooled {
        path,
        bytes,
        changed,
        in_use,
    })
}

fn is_running_elsewhere(path: &Path, now: SystemTime) -> bool {
    let file = path.join("status.json");
    let fresh = file
        .symlink_metadata()
        .and_then(|metadata| metadata.modified())
        .is_ok_and(|changed| now.duration_since(changed).unwrap_or_default() < STALE);
    fresh && status::read(&file).is_ok_and(|record| !record.status.is_settled())
}

#[cfg(test)]
mod tests;
