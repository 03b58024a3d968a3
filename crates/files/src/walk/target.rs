//! Where a search looks.

use crate::error::Error;
use crate::path_policy::{Location, Presence, Roots, ignored_by, resolve, suggestions};
use std::path::{Path, PathBuf};

/// Models write these where they mean nothing.
const ABSENT: [&str; 3] = ["", "undefined", "null"];

/// The file or folders to search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchTarget {
    /// What to search.
    pub place: SearchPlace,
    /// Side of the workspace boundary; outside needs a grant.
    pub location: Location,
    /// Paths in results are relative to this folder.
    pub base: PathBuf,
}

/// One file, or one or more folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchPlace {
    /// A single file, searched whatever ignore files say.
    File(PathBuf),
    /// Folders that do not lie in one another.
    Folders(Vec<PathBuf>),
}

impl SearchTarget {
    /// The folders of a search that cannot look into a single file.
    pub(crate) fn folders(&self) -> Result<&[PathBuf], Error> {
        match &self.place {
            SearchPlace::Folders(folders) => Ok(folders),
            SearchPlace::File(path) => Err(Error::NotADirectory { path: path.clone() }),
        }
    }
}

/// Resolves the `path` argument of a search.
pub fn search_target(
    path: Option<&str>,
    roots: &Roots,
    ignore_name: &str,
) -> Result<SearchTarget, Error> {
    let base = roots.first().map(Path::to_path_buf).unwrap_or_default();
    let Some(path) = path.filter(|path| !ABSENT.contains(&path.trim())) else {
        return Ok(SearchTarget {
            place: SearchPlace::Folders(roots.outermost()),
            location: Location::Inside,
            base,
        });
    };
    let resolved = if Path::new(path).is_absolute() || path.starts_with('\\') {
        resolve(path, roots)?
    } else {
        resolve(&base.join(path).to_string_lossy(), roots)?
    };
    match resolved.presence {
        Presence::Exists => {}
        Presence::Missing | Presence::DanglingLink => {
            let suggestions = suggestions(&resolved.path, roots, ignore_name);
            return Err(Error::SearchPathNotFound {
                path: resolved.path,
                suggestions,
            });
        }
    }
    if let Some(pattern) = ignored_by(&resolved.path, roots, ignore_name) {
        return Err(Error::Ignored {
            path: resolved.path,
            pattern,
        });
    }
    let place = if resolved.path.is_dir() {
        SearchPlace::Folders(vec![resolved.path])
    } else {
        SearchPlace::File(resolved.path)
    };
    Ok(SearchTarget {
        place,
        location: resolved.location,
        base,
    })
}
