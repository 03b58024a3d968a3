//! Lines up two sequences of lines: which lines of the old text are kept in the new one.
//!
//! The answer is the *canonical* alignment: with T the table of the longest common subsequences of the suffixes,
//! walk from the start; equal heads are kept, else the old line goes unless only skipping the new line keeps the
//! subsequence longest. So every place that counts or shows a change (statistics, diffs, hunk-wise writing, the
//! window) says the same. The table is a band of bits around the diagonal; the result still equals the walk on the full
//! table. Above the limits the answer comes from a heuristic search and says so. Deliberately absent: what a line is,
//! and which parts of large texts need no look; see [`crate::line_diff`].

mod table;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;

use similar::algorithms::{DiffHook, myers};

use crate::align::table::Table;

/// Above this many lines between the common ends the exact search may take seconds.
pub const MAX_EXACT_LINES: usize = 20_000;

/// Consecutive lines that both texts have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Index of the first line in the old text.
    pub old: usize,
    /// Index of the first line in the new text.
    pub new: usize,
    /// Number of lines.
    pub len: usize,
}

/// Lines that go, and the lines that come in their place. Indexes are 0-based; one of both may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Lines of the old text that go.
    pub old: Range<usize>,
    /// Lines of the new text that come.
    pub new: Range<usize>,
}

/// How an alignment was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exactness {
    /// The canonical alignment.
    Exact,
    /// The texts were too large; fewer lines than possible may be kept.
    Approximate,
}

/// Which lines are kept between two texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alignment {
    runs: Vec<Run>,
    old_len: usize,
    new_len: usize,
    exactness: Exactness,
}

impl Alignment {
    /// Lines up two sequences of lines.
    pub fn of(old: &[&str], new: &[&str]) -> Self {
        let head = common_head(old, new);
        let (old_rest, new_rest) = (&old[head..], &new[head..]);
        let (found, exactness) = match exact_runs(old_rest, new_rest) {
            Some(found) => (found, Exactness::Exact),
            None => (approximate_runs(old_rest, new_rest), Exactness::Approximate),
        };
        let mut runs = Vec::with_capacity(found.len() + 1);
        push_run(&mut runs, 0, 0, head);
        for run in found {
            push_run(&mut runs, head + run.old, head + run.new, run.len);
        }
        Self {
            runs,
            old_len: old.len(),
            new_len: new.len(),
            exactness,
        }
    }

    /// The kept lines, in order.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Whether this is the canonical alignment.
    pub fn exactness(&self) -> Exactness {
        self.exactness
    }

    /// What lies between the kept lines, in order.
    pub fn hunks(&self) -> Vec<Hunk> {
        let mut hunks = Vec::new();
        let (mut old, mut new) = (0, 0);
        let end = Run {
            old: self.old_len,
            new: self.new_len,
            len: 0,
        };
        for run in self.runs.iter().chain([&end]) {
            if old < run.old || new < run.new {
                hunks.push(Hunk {
                    old: old..run.old,
                    new: new..run.new,
                });
            }
            old = run.old + run.len;
            new = run.new + run.len;
        }
        hunks
    }
}

/// Number of equal lines at the start.
fn common_head(old: &[&str], new: &[&str]) -> usize {
    old.iter().zip(new).take_while(|(a, b)| a == b).count()
}

/// Number of equal lines at the end.
fn common_tail(old: &[&str], new: &[&str]) -> usize {
    old.iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(|(a, b)| a == b)
        .count()
}

/// Adds kept lines, joined to the run before where they touch.
fn push_run(runs: &mut Vec<Run>, old: usize, new: usize, len: usize) {
    if len == 0 {
        return;
    }
    if let Some(last) = runs.last_mut()
        && last.old + last.len == old
        && last.new + last.len == new
    {
        last.len += len;
        return;
    }
    runs.push(Run { old, new, len });
}

/// The canonical runs of two texts with different heads, or `None` when they are too large.
fn exact_runs(old: &[&str], new: &[&str]) -> Option<Vec<Run>> {
    let tail = common_tail(old, new);
    if old.len().max(new.len()) - tail > MAX_EXACT_LINES {
        return None;
    }
    if old.is_empty() || new.is_empty() {
        return Some(Vec::new());
    }
    // The common end stays in: the walk may keep its lines in another way than the last with the last.
    let (old_ids, new_ids) = intern(old, new);
    Some(walk(&old_ids, &new_ids, &Table::new(&old_ids, &new_ids)?))
}

/// The canonical walk.
fn walk(old: &[u32], new: &[u32], table: &Table) -> Vec<Run> {
    let mut runs = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            push_run(&mut runs, i, j, 1);
            i += 1;
            j += 1;
        } else if table.old_line_is_spare(i, j) {
            i += 1;
        } else {
            j += 1;
        }
    }
    runs
}

/// Numbers the lines, so that equal lines have equal numbers. Numbers start at 0 without gaps.
fn intern(old: &[&str], new: &[&str]) -> (Vec<u32>, Vec<u32>) {
    let mut numbers: HashMap<&str, u32> = HashMap::with_capacity(old.len());
    let mut next = 0;
    let mut number = |line| {
        *numbers.entry(line).or_insert_with(|| {
            next += 1;
            next - 1
        })
    };
    let old_ids = old.iter().map(|&line| number(line)).collect();
    let new_ids = new.iter().map(|&line| number(line)).collect();
    (old_ids, new_ids)
}

/// Kept lines by a search that gives up minimality on hard inputs, but never takes long.
fn approximate_runs(old: &[&str], new: &[&str]) -> Vec<Run> {
    let (old_ids, new_ids) = intern(old, new);
    let mut kept = Kept(Vec::new());
    let done = myers::diff(
        &mut kept,
        &old_ids[..],
        0..old_ids.len(),
        &new_ids[..],
        0..new_ids.len(),
    );
    match done {
        Ok(()) => kept.0,
        Err(never) => match never {},
    }
}

/// Collects the equal parts of a search.
struct Kept(Vec<Run>);

impl DiffHook for Kept {
    type Error = std::convert::Infallible;

    fn equal(&mut self, old: usize, new: usize, len: usize) -> Result<(), Self::Error> {
        push_run(&mut self.0, old, new, len);
        Ok(())
    }
}
