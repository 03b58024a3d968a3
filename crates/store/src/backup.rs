//! A copy of the whole database once a day, the newest three of them.
//!
//! A copy gets its name when it is complete, so every file of that name can be used as a database.

use crate::aside::utc_name;
use crate::blobs::create_private_dir;
use crate::error::Error;
use rusqlite::Connection;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A copy is made when the newest is older than this.
const INTERVAL_MS: i64 = 24 * 60 * 60 * 1000;
/// Copies that stay.
const KEPT: usize = 3;
const PREFIX: &str = "daily-";
const SUFFIX: &str = ".db";

/// Makes a copy in `folder` if one is due. Says where it is.
pub(crate) fn daily(database: &Path, folder: &Path, now_ms: i64) -> Result<Option<PathBuf>, Error> {
    let failed = |operation, source: io::Error| Error::io(operation, folder.to_owned(), source);
    create_private_dir(folder).map_err(|source| failed("create", source))?;
    let mut names = copies(folder).map_err(|source| failed("read", source))?;
    // Names are times, so they sort like times.
    let oldest_fresh = name_at(now_ms - INTERVAL_MS);
    if names.last().is_some_and(|newest| *newest > oldest_fresh) {
        return Ok(None);
    }
    let conn = Connection::open(database)?;
    let empty: bool = conn.query_row("SELECT NOT EXISTS(SELECT 1 FROM session)", [], |row| {
        row.get(0)
    })?;
    if empty {
        return Ok(None);
    }
    let unfinished = folder.join("unfinished");
    remove(&unfinished).map_err(|source| failed("clear", source))?;
    conn.execute("VACUUM INTO ?1", [unfinished.to_string_lossy()])?;
    let name = name_at(now_ms);
    let copy = folder.join(&name);
    fs::rename(&unfinished, &copy).map_err(|source| failed("write", source))?;
    names.push(name);
    for old in names.iter().rev().skip(KEPT) {
        remove(&folder.join(old)).map_err(|source| failed("clear", source))?;
    }
    Ok(Some(copy))
}

fn name_at(now_ms: i64) -> String {
    format!("{PREFIX}{}{SUFFIX}", utc_name(now_ms))
}

/// Names of the copies there are, oldest first.
fn copies(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.starts_with(PREFIX) && name.ends_with(SUFFIX) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
