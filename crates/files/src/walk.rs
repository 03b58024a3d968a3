//! Walking a workspace the same way for every search: what is left out, how errors are counted, when to stop.
//!
//! Ignore files decide what is seen; the product's own ignore file always does, even where the others are lifted.
//! Nothing but directories and regular files is ever opened, and links are not followed. Deliberately absent: what a
//! search does with a file.

mod shown;
mod target;

pub(crate) use shown::{Shown, escape_line};
pub use target::{SearchPlace, SearchTarget, search_target};

use crate::commit::is_temp_name;
use ignore::{DirEntry, WalkBuilder};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// More threads fight over directories and disk instead of helping.
const MAX_THREADS: usize = 4;
/// Reasons that are shown; the rest is counted.
const MAX_REASONS: usize = 3;
/// Bookkeeping of version control: large, and never what is looked for.
const PRUNED_FOLDERS: [&str; 6] = [".git", ".hg", ".svn", ".jj", ".bzr", "CVS"];
/// Files between two looks at the clock and two progress reports.
const CHECK_INTERVAL: u64 = 64;

/// What every walk of a session leaves out.
#[derive(Debug, Clone)]
pub struct WalkRules {
    /// Name of the product's ignore file, such as `.agentignore`.
    pub ignore_name: String,
    /// Names of setting `search.exclude`.
    pub excluded_names: Vec<String>,
    /// Folders nobody looks into: the program's data, folders that a rule denies.
    pub hidden_folders: Vec<PathBuf>,
}

/// Whether files that git ignores are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitIgnored {
    /// Left out.
    Hidden,
    /// Seen like all others.
    Shown,
}

/// How a search is stopped and watched.
#[derive(Clone, Copy)]
pub struct Control<'a> {
    /// Set by the caller to end the search.
    pub cancel: &'a AtomicBool,
    /// Called now and then, from any thread.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// After this time the search ends with what it has.
    pub max_time: Duration,
}

impl std::fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control")
            .field("max_time", &self.max_time)
            .finish_non_exhaustive()
    }
}

/// How far a search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Files looked at.
    pub n_files: u64,
}

/// How many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total {
    /// The number, or a lower bound.
    pub n: u64,
    /// Everything was looked at.
    pub is_exact: bool,
}

impl std::fmt::Display for Total {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let qualifier = if self.is_exact { "" } else { "at least " };
        write!(f, "{qualifier}{}", self.n)
    }
}

/// The state all threads of a search share.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    control: Control<'a>,
    started: Instant,
    n_files: AtomicU64,
    n_problems: AtomicU64,
    reasons: Mutex<Vec<String>>,
    is_late: AtomicBool,
    stop: AtomicBool,
}

impl<'a> Run<'a> {
    pub(crate) fn new(control: Control<'a>) -> Self {
        Self {
            control,
            started: Instant::now(),
            n_files: AtomicU64::new(0),
            n_problems: AtomicU64::new(0),
            reasons: Mutex::default(),
            is_late: AtomicBool::new(false),
            stop: AtomicBool::new(false),
        }
    }

    /// Counts a file. `false` when the search must end.
    pub(crate) fn count_file(&self) -> bool {
        let n_files = self.n_files.fetch_add(1, Ordering::Relaxed) + 1;
        if n_files.is_multiple_of(CHECK_INTERVAL) {
            (self.control.progress)(Progress { n_files });
            if self.started.elapsed() > self.control.max_time {
                self.is_late.store(true, Ordering::Relaxed);
            }
        }
        self.goes_on()
    }

    /// Whether there is a reason to stop.
    pub(crate) fn goes_on(&self) -> bool {
        !self.is_cancelled() && !self.is_late() && !self.stop.load(Ordering::Relaxed)
    }

    /// Enough was found.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.control.cancel.load(Ordering::Relaxed)
    }

    pub(crate) fn is_late(&self) -> bool {
        self.is_late.load(Ordering::Relaxed)
    }

    /// Counts an entry that could not be looked at.
    pub(crate) fn note_problem(&self, reason: impl FnOnce() -> String) {
        self.n_problems.fetch_add(1, Ordering::Relaxed);
        let mut reasons = self.reasons.lock().unwrap_or_else(PoisonError::into_inner);
        if reasons.len() < MAX_REASONS {
            reasons.push(reason());
        }
    }

    /// The notes every search ends with.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let n_problems = self.n_problems.load(Ordering::Relaxed);
        if n_problems > 0 {
            let mut reasons = self
                .reasons
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            // The threads report in any order.
            reasons.sort();
            notes.push(format!(
                "({n_problems} entries could not be read: {})",
                reasons.join("; ")
            ));
        }
        if self.is_late() {
            notes.push(format!(
                "(incomplete: stopped after {} s; narrow the search)",
                self.control.max_time.as_secs()
            ));
        }
        notes
    }
}

/// Number of threads for a search.
pub(crate) fn n_threads() -> usize {
    std::thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(MAX_THREADS)
}

/// A walker over the folders. `keep` further narrows what is entered and yielded.
pub(crate) fn walker(
    folders: &[PathBuf],
    rules: &WalkRules,
    git_ignored: GitIgnored,
    keep: impl Fn(&DirEntry) -> bool + Send + Sync + 'static,
) -> Option<WalkBuilder> {
    let (first, others) = folders.split_first()?;
    let mut builder = WalkBuilder::new(first);
    for folder in others {
        builder.add(folder);
    }
    let follows_git = match git_ignored {
        GitIgnored::Hidden => true,
        GitIgnored::Shown => false,
    };
    let pruning = Arc::new(Pruning {
        excluded_names: rules.excluded_names.clone(),
        hidden_folders: rules.hidden_folders.clone(),
    });
    builder
        .hidden(false)
        .parents(true)
        .ignore(follows_git)
        .git_ignore(follows_git)
        .git_global(follows_git)
        .git_exclude(follows_git)
        .require_git(false)
        .follow_links(false)
        .same_file_system(false)
        .threads(n_threads())
        .add_custom_ignore_filename(&rules.ignore_name)
        .filter_entry(move |entry| !pruning.drops(entry) && keep(entry));
    Some(builder)
}

#[derive(Debug)]
struct Pruning {
    excluded_names: Vec<String>,
    hidden_folders: Vec<PathBuf>,
}

impl Pruning {
    fn drops(&self, entry: &DirEntry) -> bool {
        if entry.depth() == 0 {
            return false;
        }
        let name = entry.file_name();
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        (is_folder && PRUNED_FOLDERS.iter().any(|pruned| name == *pruned))
            || is_temp_name(name)
            || self
                .excluded_names
                .iter()
                .any(|excluded| name == excluded.as_str())
            || (is_folder
                && self
                    .hidden_folders
                    .iter()
                    .any(|hidden| hidden == entry.path()))
    }
}

/// The reason of a failed entry without more of the path than needed.
pub(crate) fn entry_problem(error: &ignore::Error) -> String {
    error.to_string()
}

/// Whether two paths are in the order of their bytes, given that most differ in their folders.
pub(crate) fn by_path_bytes(a: &Path, b: &Path) -> std::cmp::Ordering {
    a.as_os_str()
        .as_encoded_bytes()
        .cmp(b.as_os_str().as_encoded_bytes())
}

/// Where a search looked, for its header.
pub(crate) fn place_text(folders: &[PathBuf], base: &Path) -> String {
    let shown: Vec<String> = folders
        .iter()
        .map(|folder| {
            if folder == base {
                "the workspace".to_owned()
            } else {
                Shown::new(folder, base).path
            }
        })
        .collect();
    format!("in {}", shown.join(", "))
}
