//! Which files and hosts an argument can mean.

use super::folders::Folders;
use crate::arg::{Arg, Value};
use crate::glob::{Atom, Pattern};
use crate::place::{Disk, normalize};
use crate::program::Access;
use std::path::{Path, PathBuf};

/// A pattern that finds more files than this is judged as a pattern.
pub(crate) const MAX_EXPANSION: usize = 1_000;

/// Something that a unit does to a file or a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// What it does.
    pub access: Access,
    /// To what. Each is possible.
    pub targets: Vec<Target>,
    /// Where it stands.
    pub source: Source,
}

/// Where an operation comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// An argument of the program.
    Operand,
    /// A redirection of the shell.
    Redirect,
}

/// What an operation is done to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// This file, as it is named and where its links lead.
    Path {
        /// Without `.` and `..`.
        named: PathBuf,
        /// With its links followed.
        resolved: PathBuf,
    },
    /// Some file that the pattern means.
    Pattern(Pattern),
    /// This host.
    Host(String),
    /// Any.
    Unknown,
}

/// What `arg` can mean for a program that runs in `folders`.
pub(super) fn targets(
    access: Access,
    arg: &Arg,
    folders: &Folders,
    disk: &dyn Disk,
) -> Vec<Target> {
    if access == Access::Fetch {
        return vec![host(arg)];
    }
    match &arg.value {
        Value::Literal(text) => literal_targets(text, folders, disk),
        Value::Glob { written, pattern } => glob_targets(written, pattern, folders, disk),
        Value::Dynamic(dynamic) => {
            let patterns = dynamic.patterns.iter();
            let patterns =
                patterns.filter(|pattern| dynamic.from_command || !says_nothing(pattern));
            patterns
                .flat_map(|pattern| pattern_targets(pattern, folders, disk))
                .collect()
        }
    }
}

/// Only that something is read from somewhere. What the environment gives, the command cannot choose.
fn says_nothing(pattern: &[Atom]) -> bool {
    matches!(
        pattern,
        [Atom::Any] | [Atom::Char('.'), Atom::Char('/'), Atom::Any]
    )
}

fn literal_targets(text: &str, folders: &Folders, disk: &dyn Disk) -> Vec<Target> {
    if matches!(text, "-" | "") {
        return Vec::new();
    }
    let path = |folder: &Path| Target::Path {
        named: normalize(folder, text),
        resolved: disk.resolve(&folder.join(text)),
    };
    match folders {
        _ if text.starts_with('/') => vec![path(Path::new("/"))],
        Folders::Known(folders) => folders.iter().map(|folder| path(folder)).collect(),
        Folders::Unknown => vec![Target::Unknown],
    }
}

fn glob_targets(
    written: &str,
    pattern: &[Atom],
    folders: &Folders,
    disk: &dyn Disk,
) -> Vec<Target> {
    let Folders::Known(known) = folders else {
        return vec![Target::Unknown];
    };
    let mut targets = Vec::new();
    for folder in known {
        match disk.expand(folder, written) {
            Some(found) if found.len() <= MAX_EXPANSION => {
                targets.extend(found.into_iter().map(|path| Target::Path {
                    resolved: disk.resolve(&path),
                    named: path,
                }));
            }
            Some(_) | None => targets.push(absolute(pattern, folder)),
        }
    }
    targets
}

fn pattern_targets(pattern: &[Atom], folders: &Folders, disk: &dyn Disk) -> Vec<Target> {
    if let Some(text) = crate::glob::as_literal(pattern) {
        return literal_targets(&text, folders, disk);
    }
    let Folders::Known(known) = folders else {
        return vec![Target::Unknown];
    };
    known
        .iter()
        .map(|folder| absolute(pattern, folder))
        .collect()
}

/// The pattern seen from `folder`, without `.` and `..` as far as they can be resolved.
fn absolute(pattern: &[Atom], folder: &Path) -> Target {
    if pattern.first() == Some(&Atom::Any) {
        return match pattern.len() {
            1 => Target::Unknown,
            _ => Target::Pattern(pattern.to_vec()),
        };
    }
    let mut whole: Pattern = Vec::new();
    if pattern.first() != Some(&Atom::Char('/')) {
        whole.extend(folder.to_string_lossy().chars().map(Atom::Char));
        whole.push(Atom::Char('/'));
    }
    whole.extend_from_slice(pattern);
    let mut names: Vec<Vec<Atom>> = Vec::new();
    for name in whole.split(|atom| *atom == Atom::Char('/')) {
        match name {
            [] | [Atom::Char('.')] => {}
            [Atom::Char('.'), Atom::Char('.')] => match names.pop() {
                // A part that may hold slashes cannot be taken back.
                Some(last) if last.contains(&Atom::Any) => return Target::Unknown,
                Some(_) | None => {}
            },
            other => names.push(other.to_vec()),
        }
    }
    let mut joined = Pattern::new();
    for name in names {
        joined.push(Atom::Char('/'));
        joined.extend(name);
    }
    Target::Pattern(joined)
}

/// The host of a URL, or of a word that curl would take for one.
fn host(arg: &Arg) -> Target {
    let Some(text) = arg.as_literal() else {
        return Target::Unknown;
    };
    let rest = match text.split_once("://") {
        Some((scheme, rest)) => match scheme.to_ascii_lowercase().as_str() {
            "http" | "https" | "ftp" | "ftps" => rest,
            _ => return Target::Unknown,
        },
        None => text,
    };
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let is_plain = |c: char| c.is_alphanumeric() || ".-:".contains(c);
    match host.is_empty() || !host.chars().all(is_plain) {
        true => Target::Unknown,
        false => Target::Host(host.to_lowercase()),
    }
}
