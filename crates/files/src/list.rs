//! The entries of a folder.

use crate::error::{Error, Search};
use crate::stat::{FileFacts, FileKind};
use crate::walk::{
    Control, GitIgnored, Run, SearchTarget, Shown, Total, WalkRules, entry_problem, walker,
};
use globset::{Glob, GlobSet, GlobSetBuilder};
use ignore::DirEntry;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// What to list.
#[derive(Debug, Clone)]
pub struct ListParams {
    /// Patterns of names to leave out.
    pub ignore: Vec<String>,
    /// Levels to descend, at least 1.
    pub depth: usize,
    /// Most entries in the result.
    pub limit: usize,
    /// Entries to skip.
    pub offset: usize,
    /// Whether ignored files are listed.
    pub git_ignored: GitIgnored,
}

/// What an entry is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    /// A folder.
    Folder,
    /// A file and its size in bytes.
    File {
        /// Bytes.
        size: u64,
    },
    /// A link and the text of its target.
    Link {
        /// As stored, not resolved.
        target: String,
        /// Nothing is there.
        is_dangling: bool,
    },
    /// A FIFO, socket or device.
    Special {
        /// Which.
        kind: FileKind,
    },
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListRow {
    /// Absolute path.
    pub path: PathBuf,
    /// Name as shown.
    pub name: String,
    /// 1 for entries of the folder itself.
    pub depth: usize,
    /// What it is.
    pub kind: EntryKind,
}

impl ListRow {
    /// The line the model reads.
    #[must_use]
    pub fn line(&self) -> String {
        let indent = "  ".repeat(self.depth - 1);
        let name = &self.name;
        match &self.kind {
            EntryKind::Folder => format!("{indent}{name}/"),
            EntryKind::File { size } => format!("{indent}{name}  {}", size_text(*size)),
            EntryKind::Link {
                target,
                is_dangling: false,
            } => format!("{indent}{name}@ -> {target}"),
            EntryKind::Link {
                target,
                is_dangling: true,
            } => format!("{indent}{name}@! -> {target}"),
            EntryKind::Special { kind } => format!("{indent}{name}  ({})", kind.as_str()),
        }
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListFound {
    /// The page.
    pub rows: Vec<ListRow>,
    /// All entries that are not ignored.
    pub total: Total,
    /// Entries that are left out by ignore rules.
    pub n_ignored: u64,
    /// Remarks for the end of the text.
    pub notes: Vec<String>,
    /// Where the next page starts, if there is one.
    pub next_offset: Option<usize>,
    place: String,
}

impl ListFound {
    /// The result as the model reads it.
    #[must_use]
    pub fn text(&self) -> String {
        let ignored = match self.n_ignored {
            0 => String::new(),
            n => format!(" ({n} ignored)"),
        };
        let place = &self.place;
        let mut text = match self.total.n {
            0 => format!("{place} is empty.{ignored}\n"),
            1 => format!("1 entry in {place}{ignored}\n\n"),
            _ => format!("{} entries in {place}{ignored}\n\n", self.total),
        };
        for line in self
            .rows
            .iter()
            .map(ListRow::line)
            .chain(self.notes.iter().cloned())
        {
            text.push_str(&line);
            text.push('\n');
        }
        text
    }
}

/// Lists a folder.
pub fn list(
    params: &ListParams,
    target: &SearchTarget,
    rules: &WalkRules,
    control: Control<'_>,
) -> Result<ListFound, Error> {
    let folders = target.folders()?;
    let left_out = name_set(&params.ignore)?;
    let run = Run::new(control);
    let mut rows = Vec::new();
    let mut n_ignored = 0;
    for folder in folders {
        folder
            .read_dir()
            .map_err(|source| refused(folder, source))?;
        let mut tree = read_tree(folder, params, (rules, &left_out), &run);
        n_ignored += tree.count_ignored(folder);
        tree.flatten(folder, 1, &mut rows);
    }
    if run.is_cancelled() {
        return Err(Error::Cancelled);
    }
    let total = Total {
        n: rows.len() as u64,
        is_exact: !run.is_late(),
    };
    let page: Vec<ListRow> = rows
        .into_iter()
        .skip(params.offset)
        .take(params.limit)
        .collect();
    let end = params.offset + page.len();
    let next_offset = ((end as u64) < total.n).then_some(end);
    let mut notes = Vec::new();
    match next_offset {
        Some(next) => {
            let first = params.offset + 1;
            notes.push(format!(
                "(rows {first}–{end} of {total}; use offset={next} for more)"
            ));
        }
        None if page.is_empty() && total.n > 0 => {
            notes.push(format!(
                "No rows at offset {}; there are {total}.",
                params.offset
            ));
        }
        None => {}
    }
    notes.extend(run.notes());
    let shown: Vec<String> = folders
        .iter()
        .map(|folder| Shown::new(folder, &target.base).path)
        .collect();
    Ok(ListFound {
        rows: page,
        total,
        n_ignored,
        notes,
        next_offset,
        place: shown.join(", "),
    })
}

fn name_set(patterns: &[String]) -> Result<GlobSet, Error> {
    let unusable = |pattern: &str, error: &globset::Error| Error::InvalidParams {
        problem: format!(
            "the ignore pattern \"{pattern}\" cannot be used: {}",
            error.kind()
        ),
    };
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        builder.add(
            Glob::new(pattern.trim_end_matches('/')).map_err(|error| unusable(pattern, &error))?,
        );
    }
    builder.build().map_err(|error| unusable("", &error))
}

fn refused(folder: &Path, source: io::Error) -> Error {
    if source.kind() == io::ErrorKind::PermissionDenied {
        Error::PermissionDenied {
            operation: "list",
            path: folder.to_path_buf(),
            source,
        }
    } else {
        Error::SearchFailed {
            search: Search::List,
            path: folder.to_path_buf(),
            detail: source.to_string(),
        }
    }
}

/// The visible entries of every folder that was entered.
#[derive(Debug, Default)]
struct Tree {
    entries: BTreeMap<PathBuf, Vec<Entry>>,
}

#[derive(Debug)]
struct Entry {
    name: OsString,
    kind: EntryKind,
}

fn read_tree(
    folder: &Path,
    params: &ListParams,
    (rules, left_out): (&WalkRules, &GlobSet),
    run: &Run<'_>,
) -> Tree {
    let mut tree = Tree::default();
    let names = left_out.clone();
    let keep = move |entry: &DirEntry| entry.depth() == 0 || !names.is_match(entry.file_name());
    let folders = [folder.to_path_buf()];
    let Some(mut builder) = walker(&folders, rules, params.git_ignored, keep) else {
        return tree;
    };
    builder.max_depth(Some(params.depth.max(1)));
    for entry in builder.build() {
        match entry {
            Ok(entry) if entry.depth() == 0 => {}
            Ok(entry) => match entry_kind(&entry) {
                Ok(kind) => tree.add(&entry, kind),
                Err(error) => run.note_problem(|| format!("{}: {error}", entry.path().display())),
            },
            Err(error) => run.note_problem(|| entry_problem(&error)),
        }
        if !run.count_file() {
            break;
        }
    }
    tree
}

fn entry_kind(entry: &DirEntry) -> io::Result<EntryKind> {
    let path = entry.path();
    if entry.file_type().is_some_and(|kind| kind.is_dir()) {
        return Ok(EntryKind::Folder);
    }
    let facts = FileFacts::of_name(path)?;
    match facts.kind {
        FileKind::Directory => Ok(EntryKind::Folder),
        FileKind::Regular => Ok(EntryKind::File {
            size: facts.stat.size,
        }),
        FileKind::Symlink => Ok(EntryKind::Link {
            target: Shown::new(&path.read_link()?, Path::new("")).path,
            is_dangling: !path.exists(),
        }),
        kind @ (FileKind::Fifo | FileKind::Socket | FileKind::Device) => {
            Ok(EntryKind::Special { kind })
        }
    }
}

impl Tree {
    fn add(&mut self, entry: &DirEntry, kind: EntryKind) {
        if let Some(parent) = entry.path().parent() {
            let name = entry.file_name().to_os_string();
            self.entries
                .entry(parent.to_path_buf())
                .or_default()
                .push(Entry { name, kind });
        }
    }

    /// How many entries of the folders that were entered are not shown.
    fn count_ignored(&self, folder: &Path) -> u64 {
        let mut n_ignored = 0;
        let entered = self
            .entries
            .keys()
            .map(PathBuf::as_path)
            .filter(|path| *path != folder);
        for entered in entered.chain([folder]) {
            let n_all = entered.read_dir().map_or(0, |entries| entries.count());
            let n_shown = self.entries.get(entered).map_or(0, Vec::len);
            n_ignored += n_all.saturating_sub(n_shown) as u64;
        }
        n_ignored
    }

    /// Folders first, each part by name ignoring case; below a folder its own entries.
    fn flatten(&mut self, folder: &Path, depth: usize, rows: &mut Vec<ListRow>) {
        let mut entries = self.entries.remove(folder).unwrap_or_default();
        entries.sort_by_cached_key(|entry| {
            let is_folder = entry.kind == EntryKind::Folder;
            (!is_folder, lower(&entry.name), entry.name.clone())
        });
        for entry in entries {
            let path = folder.join(&entry.name);
            rows.push(ListRow {
                name: Shown::new(Path::new(&entry.name), Path::new("")).path,
                path: path.clone(),
                depth,
                kind: entry.kind,
            });
            self.flatten(&path, depth + 1, rows);
        }
    }
}

fn lower(name: &OsStr) -> String {
    name.to_string_lossy().to_lowercase()
}

/// Base 1,000, one decimal.
fn size_text(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KB", "MB", "GB", "TB", "PB"];
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    let mut tenths = bytes / 100;
    let mut unit = 0;
    while tenths >= 10_000 && unit + 1 < UNITS.len() {
        tenths /= 1_000;
        unit += 1;
    }
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::size_text;

    #[test]
    fn sizes_have_one_decimal() {
        let check = |bytes: u64, expected: &str| assert_eq!(size_text(bytes), expected);
        check(0, "0 B");
        check(812, "812 B");
        check(999, "999 B");
        check(3_400, "3.4 KB");
        check(999_999, "999.9 KB");
        check(1_000_000, "1.0 MB");
        check(2_560_000_000, "2.5 GB");
    }
}
