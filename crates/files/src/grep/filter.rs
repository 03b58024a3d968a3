//! Which files are searched, beyond the ignore rules.
//!
//! The filters narrow what the ignore rules leave; they never bring back what those hide.

use super::GrepParams;
use crate::error::Error;
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};
use ignore::{DirEntry, Error as IgnoreError};
use std::path::{Path, PathBuf};

/// Type names that are offered for an unknown one.
const MAX_NEAREST: usize = 5;

/// Filters of one search.
#[derive(Debug, Clone)]
pub(super) struct Filter {
    /// One per search folder, since patterns with a slash start there.
    globs: Vec<(PathBuf, Override)>,
    types: Types,
}

impl Filter {
    pub(super) fn new(params: &GrepParams, folders: &[PathBuf]) -> Result<Self, Error> {
        let mut globs = Vec::new();
        if !params.globs.is_empty() {
            for folder in folders {
                globs.push((folder.clone(), overrides(folder, &params.globs)?));
            }
        }
        Ok(Self {
            globs,
            types: types(&params.types)?,
        })
    }

    /// Whether a folder is entered or a file searched.
    pub(super) fn keeps(&self, entry: &DirEntry) -> bool {
        if entry.depth() == 0 || (self.globs.is_empty() && self.types.is_empty()) {
            return true;
        }
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let globs = self
            .globs
            .iter()
            .find(|(folder, _)| entry.path().starts_with(folder));
        let by_glob =
            globs.is_none_or(|(_, globs)| !globs.matched(entry.path(), is_folder).is_ignore());
        by_glob && (is_folder || !self.types.matched(entry.path(), false).is_ignore())
    }
}

fn overrides(folder: &Path, globs: &[String]) -> Result<Override, Error> {
    let unusable = |glob: &str, error: &IgnoreError| Error::InvalidParams {
        problem: format!("the glob \"{glob}\" cannot be used: {error}"),
    };
    let mut builder = OverrideBuilder::new(folder);
    for glob in globs {
        builder.add(glob).map_err(|error| unusable(glob, &error))?;
    }
    builder
        .build()
        .map_err(|error| unusable(&globs.join(" "), &error))
}

fn types(names: &[String]) -> Result<Types, Error> {
    let mut builder = TypesBuilder::new();
    if names.is_empty() {
        return builder
            .build()
            .map_err(|error| unknown_type(&error.to_string(), &[]));
    }
    builder.add_defaults();
    let known: Vec<String> = builder
        .definitions()
        .iter()
        .map(|def| def.name().to_owned())
        .collect();
    for name in names {
        if !known.contains(name) {
            return Err(unknown_type(name, &known));
        }
        builder.select(name);
    }
    builder
        .build()
        .map_err(|error| unknown_type(&error.to_string(), &known))
}

fn unknown_type(name: &str, known: &[String]) -> Error {
    let start: String = name.trim_start_matches('.').chars().take(2).collect();
    let mut nearest: Vec<&str> = known
        .iter()
        .map(String::as_str)
        .filter(|known| known.contains(name) || name.contains(*known))
        .collect();
    nearest.extend(
        known
            .iter()
            .map(String::as_str)
            .filter(|known| known.starts_with(&start)),
    );
    let mut shown: Vec<&str> = Vec::new();
    for name in nearest {
        if !shown.contains(&name) && shown.len() < MAX_NEAREST {
            shown.push(name);
        }
    }
    let hint = if shown.is_empty() {
        "; use a glob such as *.ext instead".to_owned()
    } else {
        format!("; did you mean {}?", shown.join(", "))
    };
    Error::InvalidParams {
        problem: format!("\"{name}\" is no known file type{hint}"),
    }
}
