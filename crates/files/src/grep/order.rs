//! Searching many files at the same time and putting what they hold in order.
//!
//! Counts are ordered by what is known only at the end, so the walk itself runs in parallel. Lines are ordered by
//! path: the walk yields files in that order, threads take blocks of them, and the search ends as soon as the page is
//! full.

use super::file_search::{Chosen, FileSearcher, Hits, Outcome};
use super::filter::Filter;
use super::page::{self, FoundLines, Page};
use super::pattern::Compiled;
use super::{CountRow, GrepParams, GrepRows, LineKind, LineSource, reason};
use crate::error::Error;
use crate::walk::{
    Run, SearchPlace, SearchTarget, Shown, Total, WalkRules, by_path_bytes, entry_problem, walker,
};
use ignore::{DirEntry, Walk, WalkBuilder, WalkState};
use std::cmp::Ordering as Order;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Files a thread takes at a time. Few at first, so that the first page is quick; more later, so that threads
/// seldom meet.
const FIRST_BLOCK_FILES: usize = 4;
const MAX_BLOCK_FILES: usize = 64;

/// Everything a search needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) params: &'a GrepParams,
    pub(super) compiled: &'a Compiled,
    pub(super) target: &'a SearchTarget,
    pub(super) rules: &'a WalkRules,
    pub(super) run: &'a Run<'a>,
}

/// Files that were not searched for a reason that is no problem.
#[derive(Debug, Default)]
pub(super) struct Skipped {
    n_binary: AtomicU64,
    n_large: AtomicU64,
}

impl Skipped {
    fn notes(&self, target: &SearchTarget) -> Vec<String> {
        let mut notes = Vec::new();
        let n_large = self.n_large.load(Ordering::Relaxed);
        if n_large > 0 {
            let noun = if n_large == 1 { "file" } else { "files" };
            notes.push(format!("({n_large} {noun} over the size limit skipped)"));
        }
        match target.place {
            SearchPlace::File(_) if self.n_binary.load(Ordering::Relaxed) > 0 => {
                notes.push("(binary file, not searched)".to_owned());
            }
            SearchPlace::File(_) | SearchPlace::Folders(_) => {}
        }
        notes
    }
}

impl<'a> Search<'a> {
    pub(super) fn searcher(&self) -> FileSearcher<'a> {
        FileSearcher::new(
            self.params,
            &self.compiled.engine,
            self.compiled.span,
            self.run,
        )
    }

    /// Sorts out everything but matches.
    pub(super) fn sift(&self, path: &Path, outcome: Outcome, skipped: &Skipped) -> Option<Hits> {
        match outcome {
            Outcome::Hits(hits) => return Some(hits),
            Outcome::NoMatch => {}
            Outcome::Binary => {
                skipped.n_binary.fetch_add(1, Ordering::Relaxed);
            }
            Outcome::TooLarge => {
                skipped.n_large.fetch_add(1, Ordering::Relaxed);
            }
            Outcome::Unreadable(why) => self.run.note_problem(|| reason(path, self.target, &why)),
        }
        None
    }

    pub(super) fn walker(&self) -> Result<Option<WalkBuilder>, Error> {
        match &self.target.place {
            SearchPlace::File(_) => Ok(None),
            SearchPlace::Folders(folders) => {
                let filter = Filter::new(self.params, folders)?;
                let keep = move |entry: &DirEntry| filter.keeps(entry);
                Ok(walker(folders, self.rules, self.params.git_ignored, keep))
            }
        }
    }

    /// Every file with a match, in no order.
    fn all_hits(&self, skipped: &Skipped) -> Result<Vec<(PathBuf, Hits)>, Error> {
        let found: Mutex<Vec<(PathBuf, Hits)>> = Mutex::default();
        let look = |searcher: &mut FileSearcher<'_>, path: &Path, chosen| {
            let outcome = searcher.search(path, chosen);
            if let Some(hits) = self.sift(path, outcome, skipped) {
                lock(&found).push((path.to_path_buf(), hits));
            }
        };
        match (&self.target.place, self.walker()?) {
            (SearchPlace::File(path), _) => look(&mut self.searcher(), path, Chosen::ByName),
            (SearchPlace::Folders(_), Some(builder)) => builder.build_parallel().run(|| {
                let mut searcher = self.searcher();
                Box::new(move |entry| {
                    match entry {
                        Ok(entry) if is_file(&entry) => {
                            look(&mut searcher, entry.path(), Chosen::ByWalk)
                        }
                        Ok(_) => return self.state(),
                        Err(error) => self.run.note_problem(|| entry_problem(&error)),
                    }
                    self.run.count_file();
                    self.state()
                })
            }),
            (SearchPlace::Folders(_), None) => {}
        }
        Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn state(&self) -> WalkState {
        if self.run.goes_on() {
            WalkState::Continue
        } else {
            WalkState::Quit
        }
    }

    pub(super) fn total(&self, n: usize) -> Total {
        Total {
            n: n as u64,
            is_exact: !self.run.is_late(),
        }
    }
}

/// Counts, most first.
pub(super) fn counts(search: &Search<'_>) -> Result<Page, Error> {
    let skipped = Skipped::default();
    let mut found = search.all_hits(&skipped)?;
    found.sort_unstable_by(|a, b| {
        b.1.n_matches
            .cmp(&a.1.n_matches)
            .then_with(|| by_path_bytes(&a.0, &b.0))
    });
    let total = search.total(found.len());
    let n_matches = found.iter().map(|(_, hits)| hits.n_matches).sum();
    let rows = found.into_iter().map(|(path, hits)| CountRow {
        display: Shown::new(&path, &search.target.base).path,
        path,
        n: hits.n_matches,
    });
    let rows = page::cut_rows(rows.collect(), search.params, page::count_chars);
    let mut page = whole_file_page(search, &skipped, rows.len(), total);
    page.n_matches = Some(Total {
        n: n_matches,
        is_exact: total.is_exact,
    });
    page.rows = GrepRows::Counts(rows);
    Ok(page)
}

pub(super) fn whole_file_page(
    search: &Search<'_>,
    skipped: &Skipped,
    n_rows: usize,
    total: Total,
) -> Page {
    let end = search.params.offset + n_rows;
    let next_offset = ((end as u64) < total.n && n_rows > 0).then_some(end);
    let mut notes = skipped.notes(search.target);
    notes.extend(page::note(search.params, n_rows, next_offset, total));
    Page {
        rows: GrepRows::Files(Vec::new()),
        total,
        n_matches: None,
        n_files: total,
        notes,
        next_offset,
    }
}

/// Lines, in the order of paths.
pub(super) fn lines(search: &Search<'_>) -> Result<Page, Error> {
    let skipped = Skipped::default();
    let sequence = Sequence::new(search.params);
    match (&search.target.place, search.walker()?) {
        (SearchPlace::File(path), _) => {
            let outcome = search.searcher().search(path, Chosen::ByName);
            let hits = search
                .sift(path, outcome, &skipped)
                .map(|hits| (path.clone(), hits));
            sequence.commit(0, hits.into_iter().collect());
        }
        (SearchPlace::Folders(_), Some(builder)) => {
            search_in_order(search, builder, &sequence, &skipped)
        }
        (SearchPlace::Folders(_), None) => {}
    }
    let done = sequence
        .done
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    Ok(lines_page(search, &skipped, done))
}

fn search_in_order(
    search: &Search<'_>,
    mut builder: WalkBuilder,
    sequence: &Sequence,
    skipped: &Skipped,
) {
    builder.sort_by_file_path(in_path_order);
    let source = Mutex::new(Source {
        walk: builder.build(),
        n_blocks: 0,
    });
    std::thread::scope(|scope| {
        let work = || {
            let mut searcher = search.searcher();
            while let Some((index, paths)) = next_block(&source, search.run) {
                let hits = search_block(search, &mut searcher, paths, skipped);
                if sequence.commit(index, hits) {
                    search.run.stop();
                }
            }
        };
        for _ in 1..crate::walk::n_threads() {
            scope.spawn(work);
        }
        work();
    });
}

fn search_block(
    search: &Search<'_>,
    searcher: &mut FileSearcher<'_>,
    paths: Vec<PathBuf>,
    skipped: &Skipped,
) -> Vec<(PathBuf, Hits)> {
    let mut hits = Vec::new();
    for path in paths {
        if !search.run.count_file() {
            break;
        }
        let outcome = searcher.search(&path, Chosen::ByWalk);
        hits.extend(
            search
                .sift(&path, outcome, skipped)
                .map(|found| (path, found)),
        );
    }
    hits
}

/// The files that are still to be searched, in order.
struct Source {
    walk: Walk,
    n_blocks: usize,
}

fn next_block(source: &Mutex<Source>, run: &Run<'_>) -> Option<(usize, Vec<PathBuf>)> {
    let mut source = lock(source);
    let index = source.n_blocks;
    let n_wanted = MAX_BLOCK_FILES.min(FIRST_BLOCK_FILES << index.min(8));
    let mut paths = Vec::with_capacity(n_wanted);
    while paths.len() < n_wanted && run.goes_on() {
        match source.walk.next() {
            Some(Ok(entry)) if is_file(&entry) => paths.push(entry.into_path()),
            Some(Ok(_)) => {}
            Some(Err(error)) => run.note_problem(|| entry_problem(&error)),
            None => break,
        }
    }
    source.n_blocks += 1;
    (!paths.is_empty()).then_some((index, paths))
}

/// Results of blocks, put together in the order of the blocks.
#[derive(Debug)]
struct Sequence {
    /// Rows after which nothing more is needed: the page and one row to know that there is more.
    n_needed: usize,
    done: Mutex<Done>,
}

#[derive(Debug, Default)]
struct Done {
    next_block: usize,
    waiting: BTreeMap<usize, Vec<(PathBuf, Hits)>>,
    files: Vec<(PathBuf, Hits)>,
    n_rows: usize,
    is_full: bool,
}

impl Sequence {
    fn new(params: &GrepParams) -> Self {
        Self {
            n_needed: params
                .offset
                .saturating_add(params.head_limit)
                .saturating_add(1),
            done: Mutex::default(),
        }
    }

    /// Adds a block. `true` when no further one is needed.
    fn commit(&self, index: usize, hits: Vec<(PathBuf, Hits)>) -> bool {
        let mut done = lock(&self.done);
        done.waiting.insert(index, hits);
        loop {
            let next = done.next_block;
            if done.is_full {
                return true;
            }
            let Some(hits) = done.waiting.remove(&next) else {
                return false;
            };
            done.next_block += 1;
            for (path, found) in hits {
                if done.is_full {
                    break;
                }
                done.n_rows += found.lines.len();
                done.is_full = done.n_rows >= self.n_needed;
                done.files.push((path, found));
            }
        }
    }
}

fn lines_page(search: &Search<'_>, skipped: &Skipped, done: Done) -> Page {
    let is_exact = !done.is_full
        && !search.run.is_late()
        && done.files.iter().all(|(_, hits)| hits.is_complete);
    let total = |n: usize| Total {
        n: n as u64,
        is_exact,
    };
    let is_match = |kind: LineKind| kind == LineKind::Match;
    let n_match_lines = done
        .files
        .iter()
        .map(|(_, hits)| hits.lines.iter().filter(|line| is_match(line.kind)).count())
        .sum();
    let (n_rows, n_files) = (done.n_rows, done.files.len());
    let files = done.files.into_iter().map(|(path, hits)| FoundLines {
        display: Shown::new(&path, &search.target.base).path,
        path,
        source: hits
            .hash
            .zip(hits.stat)
            .map(|(hash, stat)| LineSource { hash, stat }),
        lines: hits.lines,
    });
    let (rows, end) = page::cut_lines(files.collect(), search.params);
    let n_on_page = rows.iter().map(|file| file.lines.len()).sum();
    let next_offset = (end < n_rows && n_on_page > 0).then_some(end);
    let mut notes = skipped.notes(search.target);
    notes.extend(page::note(
        search.params,
        n_on_page,
        next_offset,
        total(n_rows),
    ));
    Page {
        rows: GrepRows::Lines(rows),
        total: total(n_rows),
        n_matches: Some(total(n_match_lines)),
        n_files: total(n_files),
        notes,
        next_offset,
    }
}

pub(super) fn is_file(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_file())
}

/// The order of whole paths by their bytes, for two names in one folder.
///
/// What follows the name of a folder in a path is `/`. So where one name begins with the other, it matters whether
/// the shorter one is a folder.
fn in_path_order(a: &Path, b: &Path) -> Order {
    let (left, right) = (
        a.as_os_str().as_encoded_bytes(),
        b.as_os_str().as_encoded_bytes(),
    );
    let (shorter, longer, order_of_shorter) = match left.len().cmp(&right.len()) {
        Order::Less => (a, right, Order::Less),
        Order::Greater => (b, left, Order::Greater),
        Order::Equal => return left.cmp(right),
    };
    let prefix = shorter.as_os_str().as_encoded_bytes();
    match longer.strip_prefix(prefix).and_then(<[u8]>::first) {
        Some(next) if *next < b'/' && shorter.is_dir() && !shorter.is_symlink() => {
            order_of_shorter.reverse()
        }
        Some(_) => order_of_shorter,
        None => left.cmp(right),
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
