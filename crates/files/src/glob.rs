//! Files by name pattern, those changed last first.
//!
//! Every match is collected before anything is cut, since "newest first" of a part is not newest first. Deliberately
//! absent: reading files.

mod pattern;

use crate::error::Error;
use crate::path_policy::similar_names;
use crate::stat::FileFacts;
use crate::walk::{
    Control, GitIgnored, Run, SearchTarget, Shown, Total, WalkRules, by_path_bytes, entry_problem,
    place_text, walker,
};
use ignore::{DirEntry, WalkState};
pub use pattern::split_absolute_pattern;
use pattern::{CaseRule, Fit, NamePattern};
use std::cmp::Ordering;
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Beyond this many matches a pattern is no help.
const MAX_COLLECTED: usize = 50_000;
/// What was changed within a day is what the work is about.
const RECENT_NS: i64 = 24 * 3_600 * 1_000_000_000;
/// Names that are offered when nothing matches.
const MAX_SIMILAR: usize = 3;

/// What to look for.
#[derive(Debug, Clone)]
pub struct GlobParams {
    /// Pattern of names or of paths below the search folder.
    pub pattern: String,
    /// Most paths in the result.
    pub limit: usize,
    /// Paths to skip.
    pub offset: usize,
    /// Whether folders count.
    pub folders: Folders,
    /// Whether ignored files count.
    pub git_ignored: GitIgnored,
    /// The time now, nanoseconds since the epoch.
    pub now_ns: i64,
}

/// Whether folders are matched as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folders {
    /// Files alone.
    LeftOut,
    /// Both.
    Included,
}

/// One match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlobRow {
    /// Absolute path.
    pub path: PathBuf,
    /// The path as shown.
    pub display: String,
    /// Last change, nanoseconds since the epoch.
    pub mtime_ns: i64,
    /// Size in bytes.
    pub size: u64,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlobFound {
    /// The page.
    pub rows: Vec<GlobRow>,
    /// All matches.
    pub total: Total,
    /// Remarks for the end of the text.
    pub notes: Vec<String>,
    /// Where the next page starts, if there is one.
    pub next_offset: Option<usize>,
    pattern: String,
    place: String,
}

impl GlobFound {
    /// The result as the model reads it.
    #[must_use]
    pub fn text(&self) -> String {
        let Self {
            pattern,
            place,
            total,
            ..
        } = self;
        let mut text = if total.n == 0 {
            format!("No files match \"{pattern}\" {place}\n")
        } else {
            let noun = if total.n == 1 { "file" } else { "files" };
            format!("Found {total} {noun} matching \"{pattern}\" {place}\n\n")
        };
        for row in &self.rows {
            text.push_str(&row.display);
            text.push('\n');
        }
        for note in &self.notes {
            text.push_str(note);
            text.push('\n');
        }
        text
    }
}

/// Looks for names.
pub fn glob(
    params: &GlobParams,
    target: &SearchTarget,
    rules: &WalkRules,
    control: Control<'_>,
) -> Result<GlobFound, Error> {
    let folders = target.folders()?;
    let run = Run::new(control);
    let mut notes = Vec::new();
    let sensitive = NamePattern::new(&params.pattern, CaseRule::Sensitive)?;
    let mut hits = collect(&sensitive, params, (folders, rules), &run);
    if hits.is_empty() && run.goes_on() {
        let insensitive = NamePattern::new(&params.pattern, CaseRule::Ignored)?;
        hits = collect(&insensitive, params, (folders, rules), &run);
        if !hits.is_empty() {
            notes.push("(matched ignoring case)".to_owned());
        }
    }
    if run.is_cancelled() {
        return Err(Error::Cancelled);
    }
    order(&mut hits, params.now_ns);
    let total = Total {
        n: hits.len() as u64,
        is_exact: !run.is_late() && hits.len() < MAX_COLLECTED,
    };
    let rows: Vec<GlobRow> = hits
        .into_iter()
        .skip(params.offset)
        .take(params.limit)
        .map(|hit| hit.into_row(&target.base))
        .collect();
    let end = params.offset + rows.len();
    let next_offset = ((end as u64) < total.n).then_some(end);
    notes.extend(page_note(params, &rows, total, next_offset));
    if total.n == 0 {
        notes.extend(similar_note(&params.pattern, folders, &target.base));
    }
    notes.extend(run.notes());
    Ok(GlobFound {
        rows,
        total,
        notes,
        next_offset,
        pattern: params.pattern.clone(),
        place: place_text(folders, &target.base),
    })
}

#[derive(Debug)]
struct Hit {
    path: PathBuf,
    mtime_ns: i64,
    size: u64,
    /// The pattern is the very name of this file.
    is_literal: bool,
}

impl Hit {
    fn into_row(self, base: &Path) -> GlobRow {
        GlobRow {
            display: Shown::new(&self.path, base).path,
            path: self.path,
            mtime_ns: self.mtime_ns,
            size: self.size,
        }
    }
}

fn collect(
    pattern: &NamePattern,
    params: &GlobParams,
    (folders, rules): (&[PathBuf], &WalkRules),
    run: &Run<'_>,
) -> Vec<Hit> {
    let prefix = pattern.literal_folders().to_vec();
    let keep = move |entry: &DirEntry| {
        let part = entry.depth().checked_sub(1).and_then(|at| prefix.get(at));
        part.is_none_or(|part| entry.file_name() == OsStr::new(part))
    };
    let Some(builder) = walker(folders, rules, params.git_ignored, keep) else {
        return Vec::new();
    };
    let all: Mutex<Vec<Hit>> = Mutex::default();
    builder.build_parallel().run(|| {
        let mut mine = Batch::new(&all);
        Box::new(move |entry| {
            match entry {
                Ok(entry) => {
                    if let Some(hit) = look_at(&entry, pattern, params.folders, folders) {
                        mine.hits.push(hit);
                    }
                }
                Err(error) => run.note_problem(|| entry_problem(&error)),
            }
            if run.count_file() {
                WalkState::Continue
            } else {
                WalkState::Quit
            }
        })
    });
    let mut hits = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    hits.truncate(MAX_COLLECTED);
    hits
}

/// The matches of one thread, handed over when the thread ends.
struct Batch<'a> {
    hits: Vec<Hit>,
    all: &'a Mutex<Vec<Hit>>,
}

impl<'a> Batch<'a> {
    fn new(all: &'a Mutex<Vec<Hit>>) -> Self {
        Self {
            hits: Vec::new(),
            all,
        }
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.append(&mut self.hits);
    }
}

fn look_at(
    entry: &DirEntry,
    pattern: &NamePattern,
    folders: Folders,
    search_folders: &[PathBuf],
) -> Option<Hit> {
    if entry.depth() == 0 {
        return None;
    }
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    let counts = match folders {
        Folders::Included => true,
        Folders::LeftOut => !is_folder,
    };
    if !counts {
        return None;
    }
    let fit = pattern.fit(entry.path(), search_folders)?;
    // An entry that has vanished meanwhile is no match.
    let facts = FileFacts::of_name(entry.path()).ok()?;
    Some(Hit {
        path: entry.path().to_path_buf(),
        mtime_ns: facts.stat.mtime_ns,
        size: facts.stat.size,
        is_literal: fit == Fit::Literal,
    })
}

fn order(hits: &mut [Hit], now_ns: i64) {
    let oldest_recent = now_ns.saturating_sub(RECENT_NS);
    let is_recent = |hit: &Hit| hit.mtime_ns > oldest_recent;
    hits.sort_unstable_by(|a, b| {
        let by_group = (b.is_literal, is_recent(b)).cmp(&(a.is_literal, is_recent(a)));
        let by_time = if is_recent(a) && is_recent(b) {
            b.mtime_ns.cmp(&a.mtime_ns)
        } else {
            Ordering::Equal
        };
        by_group
            .then(by_time)
            .then_with(|| by_path_bytes(&a.path, &b.path))
    });
}

fn page_note(
    params: &GlobParams,
    rows: &[GlobRow],
    total: Total,
    next: Option<usize>,
) -> Option<String> {
    let first = params.offset + 1;
    match next {
        Some(next) => Some(format!(
            "(rows {first}–{next} of {total}; use offset={next} for more)"
        )),
        None if rows.is_empty() && total.n > 0 => Some(format!(
            "No rows at offset {}; there are {total}.",
            params.offset
        )),
        None if params.offset > 0 && !rows.is_empty() => Some(format!(
            "(rows {first}–{} of {total})",
            params.offset + rows.len()
        )),
        None => None,
    }
}

fn similar_note(pattern: &str, folders: &[PathBuf], base: &Path) -> Option<String> {
    if pattern::has_special_chars(pattern) || pattern.contains('/') {
        return None;
    }
    let mut text = String::new();
    for folder in folders {
        for name in similar_names(folder, pattern).into_iter().take(MAX_SIMILAR) {
            let separator = if text.is_empty() { "" } else { ", " };
            let shown = Shown::new(&folder.join(name), base).path;
            write!(text, "{separator}{shown}").unwrap_or(());
        }
    }
    (!text.is_empty()).then(|| format!("(similar names: {text})"))
}
