//! Files with a match, those changed last first.
//!
//! For a rare pattern the match is what is hard to find: files are searched while the walk goes on, and only hits are
//! examined for their time. A pattern that is found in many files turns that around: the rest of the files are
//! examined for their time alone, and searched from the newest on until the page is full.

use super::file_search::{Chosen, FileSearcher};
use super::order::{Search, Skipped, is_file, lock, whole_file_page};
use super::page::{self, Page};
use super::{FileRow, GrepParams, GrepRows};
use crate::error::Error;
use crate::stat::FileFacts;
use crate::walk::{SearchPlace, Shown, Total, by_path_bytes, entry_problem, n_threads};
use ignore::WalkState;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Before so many files were searched, their share of hits says little.
const MIN_SEARCHED_FILES: usize = 256;
/// One hit in so many files makes a pattern common.
const COMMON_SHARE: usize = 4;
/// Files each thread searches before the page is looked at again.
const ROUND_FILES_PER_THREAD: usize = 64;

/// A file that may be in the result.
#[derive(Debug)]
struct Candidate {
    path: PathBuf,
    mtime_ns: i64,
    is_searched: bool,
}

/// How often a pattern is found.
#[derive(Debug)]
struct Tally {
    n_needed: usize,
    n_searched: AtomicUsize,
    n_hits: AtomicUsize,
}

impl Tally {
    fn new(params: &GrepParams) -> Self {
        Self {
            n_needed: params
                .offset
                .saturating_add(params.head_limit)
                .saturating_add(1),
            n_searched: AtomicUsize::new(0),
            n_hits: AtomicUsize::new(0),
        }
    }

    /// Whether there are more hits than anyone reads.
    fn is_common(&self) -> bool {
        let n_searched = self.n_searched.load(Ordering::Relaxed);
        let n_hits = self.n_hits.load(Ordering::Relaxed);
        n_searched >= MIN_SEARCHED_FILES
            && n_hits >= self.n_needed
            && n_hits.saturating_mul(COMMON_SHARE) >= n_searched
    }
}

/// One page of files.
pub(super) fn files(search: &Search<'_>) -> Result<Page, Error> {
    let skipped = Skipped::default();
    let tally = Tally::new(search.params);
    let mut candidates = candidates(search, &tally, &skipped)?;
    candidates.sort_unstable_by(|a, b| {
        b.mtime_ns
            .cmp(&a.mtime_ns)
            .then_with(|| by_path_bytes(&a.path, &b.path))
    });
    let n_candidates = candidates.len();
    let (hits, n_left) = newest_hits(search, candidates, tally.n_needed, &skipped);
    let total = Total {
        // Hits of the walk that are behind the page count as well.
        n: hits.len().max(tally.n_hits.load(Ordering::Relaxed)) as u64,
        is_exact: n_left == 0 && search.total(n_candidates).is_exact,
    };
    let rows = hits.into_iter().map(|hit| FileRow {
        display: Shown::new(&hit.path, &search.target.base).path,
        path: hit.path,
        mtime_ns: hit.mtime_ns,
    });
    let rows = page::cut_rows(rows.collect(), search.params, page::file_chars);
    let mut page = whole_file_page(search, &skipped, rows.len(), total);
    page.rows = GrepRows::Files(rows);
    Ok(page)
}

/// Files with a match, and files that were not searched once the pattern proved common.
fn candidates(
    search: &Search<'_>,
    tally: &Tally,
    skipped: &Skipped,
) -> Result<Vec<Candidate>, Error> {
    let found: Mutex<Vec<Candidate>> = Mutex::default();
    let look = |searcher: &mut FileSearcher<'_>, path: &Path, chosen| {
        let candidate = if tally.is_common() {
            unsearched(path)
        } else {
            tally.n_searched.fetch_add(1, Ordering::Relaxed);
            let hit = searched(search, searcher, path, chosen, skipped);
            tally
                .n_hits
                .fetch_add(usize::from(hit.is_some()), Ordering::Relaxed);
            hit
        };
        if let Some(candidate) = candidate {
            lock(&found).push(candidate);
        }
    };
    match (&search.target.place, search.walker()?) {
        (SearchPlace::File(path), _) => look(&mut search.searcher(), path, Chosen::ByName),
        (SearchPlace::Folders(_), Some(builder)) => builder.build_parallel().run(|| {
            let mut searcher = search.searcher();
            Box::new(move |entry| {
                match entry {
                    Ok(entry) if is_file(&entry) => {
                        look(&mut searcher, entry.path(), Chosen::ByWalk);
                        search.run.count_file();
                    }
                    Ok(_) => {}
                    Err(error) => search.run.note_problem(|| entry_problem(&error)),
                }
                if search.run.goes_on() {
                    WalkState::Continue
                } else {
                    WalkState::Quit
                }
            })
        }),
        (SearchPlace::Folders(_), None) => {}
    }
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn unsearched(path: &Path) -> Option<Candidate> {
    let facts = FileFacts::of_name(path).ok()?;
    Some(Candidate {
        path: path.to_path_buf(),
        mtime_ns: facts.stat.mtime_ns,
        is_searched: false,
    })
}

fn searched(
    search: &Search<'_>,
    searcher: &mut FileSearcher<'_>,
    path: &Path,
    chosen: Chosen,
    skipped: &Skipped,
) -> Option<Candidate> {
    let outcome = searcher.search(path, chosen);
    let hits = search.sift(path, outcome, skipped)?;
    Some(Candidate {
        path: path.to_path_buf(),
        mtime_ns: hits.stat.map_or(0, |stat| stat.mtime_ns),
        is_searched: true,
    })
}

/// The first hits of the list, and how many candidates after them were not looked at.
fn newest_hits(
    search: &Search<'_>,
    candidates: Vec<Candidate>,
    n_needed: usize,
    skipped: &Skipped,
) -> (Vec<Candidate>, usize) {
    if candidates.iter().all(|candidate| candidate.is_searched) {
        return (candidates, 0);
    }
    let mut hits = Vec::new();
    let mut rest = candidates.into_iter();
    while hits.len() < n_needed && search.run.goes_on() {
        let round: Vec<Candidate> = rest
            .by_ref()
            .take(ROUND_FILES_PER_THREAD * n_threads())
            .collect();
        if round.is_empty() {
            break;
        }
        hits.extend(search_round(search, round, skipped));
    }
    (hits, rest.len())
}

/// Searches the candidates of one round at the same time; hits keep their order.
fn search_round(search: &Search<'_>, round: Vec<Candidate>, skipped: &Skipped) -> Vec<Candidate> {
    let is_hit = |searcher: &mut FileSearcher<'_>, candidate: &Candidate| {
        candidate.is_searched
            || searched(search, searcher, &candidate.path, Chosen::ByWalk, skipped).is_some()
    };
    let parts = round.chunks(round.len().div_ceil(n_threads()));
    let verdicts: Vec<bool> = std::thread::scope(|scope| {
        let search_part = |part: &[Candidate]| -> Vec<bool> {
            let mut searcher = search.searcher();
            part.iter()
                .map(|candidate| is_hit(&mut searcher, candidate))
                .collect()
        };
        let threads: Vec<_> = parts
            .map(|part| scope.spawn(move || search_part(part)))
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    });
    round
        .into_iter()
        .zip(verdicts)
        .filter(|(_, is_hit)| *is_hit)
        .map(|(candidate, _)| candidate)
        .collect()
}
