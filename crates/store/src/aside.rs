//! A database that cannot be used is moved away whole, never changed and never removed.

use crate::blobs::create_private_dir;
use crate::error::OpenError;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What made the store start anew. The person is told once, with the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// What was found.
    pub finding: Finding,
    /// The database in its new place.
    pub path: PathBuf,
}

/// What is wrong with a database file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Finding {
    /// It has no content at all.
    Empty,
    /// It is gone, but what belongs to it is still there.
    Missing,
    /// It is not a database.
    NotADatabase,
    /// It is a database of another program.
    Foreign,
    /// It is damaged inside.
    Damaged,
}

/// Files that belong to a database.
const SUFFIXES: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// `database` with a suffix behind its name.
pub(crate) fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Whether files are there that belong to a database of this name.
pub(crate) fn has_leftovers(database: &Path) -> bool {
    SUFFIXES
        .iter()
        .skip(1)
        .any(|suffix| fs::metadata(beside(database, suffix)).is_ok_and(|meta| meta.len() > 0))
}

/// Whether something was written that is not in the database itself yet.
pub(crate) fn has_log(database: &Path) -> bool {
    ["-wal", "-journal"]
        .iter()
        .any(|suffix| fs::metadata(beside(database, suffix)).is_ok_and(|meta| meta.len() > 0))
}

/// Moves the database and what belongs to it to `damaged/<time>/`.
pub(crate) fn set_aside(
    database: &Path,
    finding: Finding,
    now_ms: i64,
) -> Result<SetAside, OpenError> {
    let parent = database.parent().unwrap_or(Path::new("."));
    let folder =
        fresh_folder(&parent.join("damaged"), now_ms).map_err(|(path, source)| OpenError::Io {
            operation: "create",
            path,
            source,
        })?;
    let name = database.file_name().unwrap_or_default();
    for suffix in SUFFIXES {
        let from = beside(database, suffix);
        let to = beside(&folder.join(name), suffix);
        match fs::rename(&from, &to) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => {
                return Err(OpenError::Io {
                    operation: "move",
                    path: from,
                    source,
                });
            }
        }
    }
    let path = folder.join(name);
    tracing::error!(?finding, path = %path.display(), "the database cannot be used; it was set aside");
    Ok(SetAside { finding, path })
}

fn fresh_folder(parent: &Path, now_ms: i64) -> Result<PathBuf, (PathBuf, io::Error)> {
    create_private_dir(parent).map_err(|error| (parent.to_owned(), error))?;
    let name = utc_name(now_ms);
    for n in 1.. {
        let path = parent.join(if n == 1 {
            name.clone()
        } else {
            format!("{name}-{n}")
        });
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err((path, error)),
        }
    }
    Err((parent.to_owned(), io::ErrorKind::AlreadyExists.into()))
}

/// A time as a name that sorts: `2026-11-30T10-15-00Z`.
pub(crate) fn utc_name(now_ms: i64) -> String {
    const SECONDS_PER_DAY: i64 = 86_400;
    let seconds = now_ms.div_euclid(1000);
    let (days, rest) = (
        seconds.div_euclid(SECONDS_PER_DAY),
        seconds.rem_euclid(SECONDS_PER_DAY),
    );
    // Days to a date in the Gregorian calendar, with years that begin in March so that a leap day comes last.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}-{:02}-{:02}Z",
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_become_names_that_sort() {
        let check = |ms: i64, expected: &str| assert_eq!(utc_name(ms), expected);
        check(0, "1970-01-01T00-00-00Z");
        check(951_782_400_000, "2000-02-29T00-00-00Z");
        check(1_796_033_700_999, "2026-11-30T10-15-00Z");
        check(-1, "1969-12-31T23-59-59Z");
    }

    #[test]
    fn two_in_one_second_get_two_folders() {
        let dir = tempfile::tempdir().unwrap();
        let database = dir.path().join("x.db");
        for expected in ["1970-01-01T00-00-00Z", "1970-01-01T00-00-00Z-2"] {
            fs::write(&database, expected).unwrap();
            fs::write(beside(&database, "-wal"), "w").unwrap();
            let aside = set_aside(&database, Finding::Damaged, 0).unwrap();
            assert_eq!(
                aside.path,
                dir.path().join("damaged").join(expected).join("x.db")
            );
            assert_eq!(fs::read_to_string(&aside.path).unwrap(), expected);
            assert!(beside(&aside.path, "-wal").exists());
            assert!(!has_leftovers(&database));
        }
    }
}
