//! Text in files.
//!
//! One dialect of patterns with one declared fallback; a bad pattern is searched as plain text, never an error. Files
//! are searched while the walk goes on. A page of lines comes in the order of paths and ends the search when it is
//! full; the list of files and the counts need all of them. Deliberately absent: memory maps, since a file that is cut
//! while it is mapped ends the process.

mod fancy;
mod file_search;
mod filter;
mod line;
mod order;
mod page;
mod pattern;
mod recent;
mod record;
mod text;

pub use line::{Line, LineKind};
pub use record::note_grep;

use crate::ContentHash;
use crate::error::Error;
use crate::stat::FileStat;
use crate::walk::{Control, GitIgnored, Run, SearchPlace, SearchTarget, Total, WalkRules};
use std::path::{Path, PathBuf};

/// What to look for.
#[derive(Debug, Clone)]
pub struct GrepParams {
    /// The pattern.
    pub pattern: String,
    /// How it is read.
    pub syntax: PatternSyntax,
    /// How letters are compared.
    pub case: CaseMatch,
    /// Whether matches are whole words.
    pub words: WordMatch,
    /// Whether a match may span lines.
    pub span: MatchSpan,
    /// What is listed.
    pub mode: GrepMode,
    /// File filters; a leading `!` excludes.
    pub globs: Vec<String>,
    /// Names of file types.
    pub types: Vec<String>,
    /// Most rows in the result.
    pub head_limit: usize,
    /// Rows to skip.
    pub offset: usize,
    /// Most characters of rows; the page ends before.
    pub max_chars: usize,
    /// Whether ignored files are searched.
    pub git_ignored: GitIgnored,
}

/// How a pattern is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternSyntax {
    /// A regular expression.
    Regex,
    /// The text itself.
    Literal,
}

/// How letters are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseMatch {
    /// As written.
    Sensitive,
    /// Upper and lower case are equal.
    Ignored,
}

/// Whether a match must be a whole word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordMatch {
    /// Any part.
    Anywhere,
    /// Whole words.
    Whole,
}

/// Whether a match may span lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchSpan {
    /// Within one line.
    Line,
    /// Across lines; `.` matches LF.
    Lines,
}

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrepMode {
    /// Paths, those changed last first.
    Files,
    /// Paths with the number of matching lines, most first.
    Counts,
    /// Lines, with lines around them.
    Lines {
        /// Lines before a match.
        before: usize,
        /// Lines after a match.
        after: usize,
        /// Whether line numbers are written.
        numbers: LineNumbers,
    },
}

/// Whether lines carry their numbers in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineNumbers {
    /// Yes.
    Shown,
    /// No.
    Hidden,
}

/// The rows of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GrepRows {
    /// Paths.
    Files(Vec<FileRow>),
    /// Paths with counts.
    Counts(Vec<CountRow>),
    /// Lines by file.
    Lines(Vec<FileLines>),
}

/// A file with a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRow {
    /// Absolute path.
    pub path: PathBuf,
    /// The path as shown.
    pub display: String,
    /// Last change, nanoseconds since the epoch.
    pub mtime_ns: i64,
}

/// A file and how often it matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountRow {
    /// Absolute path.
    pub path: PathBuf,
    /// The path as shown.
    pub display: String,
    /// Matching lines, or matches where they may span lines.
    pub n: u64,
}

/// A file and its lines on the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLines {
    /// Absolute path.
    pub path: PathBuf,
    /// The path as shown.
    pub display: String,
    /// The lines, in order.
    pub lines: Vec<Line>,
    /// The file the lines were taken from, if it is small enough to be recorded as read.
    pub source: Option<LineSource>,
}

/// State of a file when its lines were taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineSource {
    /// All bytes.
    pub hash: ContentHash,
    /// State of the file.
    pub stat: FileStat,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepFound {
    /// The page.
    pub rows: GrepRows,
    /// Rows of the mode in all, groups of lines not counted.
    pub total: Total,
    /// Matching lines, where the mode counts them.
    pub n_matches: Option<Total>,
    /// Files with a match.
    pub n_files: Total,
    /// Remarks for the end of the text.
    pub notes: Vec<String>,
    /// Where the next page starts, if there is one.
    pub next_offset: Option<usize>,
    numbers: LineNumbers,
    pattern: String,
    place: String,
}

/// Searches files.
pub fn grep(
    params: &GrepParams,
    target: &SearchTarget,
    rules: &WalkRules,
    control: Control<'_>,
) -> Result<GrepFound, Error> {
    let compiled = pattern::compile(params)?;
    let run = Run::new(control);
    let search = order::Search {
        params,
        compiled: &compiled,
        target,
        rules,
        run: &run,
    };
    let page = match params.mode {
        GrepMode::Files => recent::files(&search)?,
        GrepMode::Counts => order::counts(&search)?,
        GrepMode::Lines { .. } => order::lines(&search)?,
    };
    if run.is_cancelled() {
        return Err(Error::Cancelled);
    }
    let mut notes = compiled.notes.clone();
    notes.extend(page.notes);
    notes.extend(run.notes());
    Ok(GrepFound {
        rows: page.rows,
        total: page.total,
        n_matches: page.n_matches,
        n_files: page.n_files,
        notes,
        next_offset: page.next_offset,
        numbers: match params.mode {
            GrepMode::Lines { numbers, .. } => numbers,
            GrepMode::Files | GrepMode::Counts => LineNumbers::Shown,
        },
        pattern: params.pattern.clone(),
        place: place(target, &params.globs),
    })
}

fn place(target: &SearchTarget, globs: &[String]) -> String {
    let place = match &target.place {
        SearchPlace::File(path) => {
            crate::walk::place_text(std::slice::from_ref(path), &target.base)
        }
        SearchPlace::Folders(folders) => crate::walk::place_text(folders, &target.base),
    };
    if globs.is_empty() {
        place
    } else {
        format!("{place} (glob {})", globs.join(" "))
    }
}

/// The file's name for a reason.
fn reason(path: &Path, target: &SearchTarget, what: &str) -> String {
    format!(
        "{}: {what}",
        crate::walk::Shown::new(path, &target.base).path
    )
}
