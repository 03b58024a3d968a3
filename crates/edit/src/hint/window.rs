//! Finds the windows of a file that are most similar to a few lines.
//!
//! Every window of the same number of lines is a candidate. A cheap upper bound drops most of them; the rest is
//! compared best bound first, within a fixed amount of work. In large files only windows count whose first or last
//! line is equal apart from surrounding blanks.

use super::similarity::ComparedLine;

/// Windows that are reported.
const MAX_WINDOWS: usize = 3;

/// Less similar windows are not worth a look.
const MIN_SIMILARITY: f64 = 0.6;

/// Above this many lines, or pairs of lines, only anchored windows are looked at.
const MAX_FREE_LINES: usize = 20_000;

/// See above.
const MAX_LINE_PAIRS: usize = 2_000_000;

/// Work for comparing characters; about a fifth of a second.
const MAX_COMPARE_STEPS: usize = 100_000_000;

/// A window of the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Window {
    /// Index of its first line.
    pub(super) start: usize,
    similarity: f64,
}

impl Window {
    pub(super) fn similarity_percent(&self) -> u8 {
        // Rounded down, so that 100 means equal; sums of fractions may be a trace too small.
        (self.similarity * 100.0 + 1e-6) as u8
    }
}

/// The most similar windows that do not overlap, best first.
pub(super) fn closest(file: &[&str], wanted: &[&str]) -> Vec<Window> {
    if wanted.is_empty() || file.len() < wanted.len() {
        return Vec::new();
    }
    let mut chosen: Vec<Window> = Vec::new();
    for window in similar(file, wanted) {
        let is_apart = |other: &Window| other.start.abs_diff(window.start) >= wanted.len();
        if chosen.len() < MAX_WINDOWS && chosen.iter().all(is_apart) {
            chosen.push(window);
        }
    }
    chosen
}

/// All windows that are similar enough, best first.
fn similar(file: &[&str], wanted: &[&str]) -> Vec<Window> {
    let mut comparison = Comparison::new(file, wanted);
    let mut bounded = Vec::new();
    for start in starts(file, wanted) {
        let bound = comparison.bound(start);
        if bound >= comparison.least_sum() {
            bounded.push((start, bound));
        }
    }
    bounded.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let mut windows = Vec::new();
    for (start, bound) in bounded {
        if comparison.steps_left == 0 {
            break;
        }
        let sum = comparison.sum(start, bound);
        if sum >= comparison.least_sum() {
            let similarity = sum / wanted.len() as f64;
            windows.push(Window { start, similarity });
        }
    }
    windows.sort_by(|a, b| {
        let by_similarity = b.similarity.total_cmp(&a.similarity);
        by_similarity.then(a.start.cmp(&b.start))
    });
    windows
}

/// The lines of both sides, made ready when first needed, and the work that is left.
struct Comparison<'t> {
    file: &'t [&'t str],
    file_lines: Vec<Option<Box<ComparedLine>>>,
    wanted: Vec<ComparedLine>,
    steps_left: usize,
}

impl<'t> Comparison<'t> {
    fn new(file: &'t [&'t str], wanted: &[&str]) -> Self {
        Self {
            file,
            file_lines: vec![None; file.len()],
            wanted: wanted.iter().map(|line| ComparedLine::of(line)).collect(),
            steps_left: MAX_COMPARE_STEPS,
        }
    }

    /// The least sum of similarities of a window that is similar enough.
    fn least_sum(&self) -> f64 {
        MIN_SIMILARITY * self.wanted.len() as f64
    }

    /// At least the sum of the similarities of a window's lines.
    fn bound(&mut self, start: usize) -> f64 {
        let lines = self.file_lines[start..].iter_mut().zip(&self.file[start..]);
        let pairs = lines.zip(&self.wanted);
        let bounds = pairs.map(|((line, text), wanted)| {
            let line = line.get_or_insert_with(|| Box::new(ComparedLine::of(text)));
            line.similarity_bound(wanted)
        });
        bounds.sum()
    }

    /// The sum of the similarities of a window's lines, from their bound down; less than the least sum when the work
    /// ran out or the window cannot reach it.
    fn sum(&mut self, start: usize, bound: f64) -> f64 {
        let mut sum = bound;
        let lines = self.file_lines[start..].iter().flatten();
        for (line, wanted) in lines.zip(&self.wanted) {
            if sum < self.least_sum() || self.steps_left == 0 {
                return 0.0;
            }
            let (similarity, n_steps) = line.similarity(wanted);
            self.steps_left = self.steps_left.saturating_sub(n_steps);
            sum -= line.similarity_bound(wanted) - similarity;
        }
        sum
    }
}

/// Where windows may start.
fn starts(file: &[&str], wanted: &[&str]) -> Vec<usize> {
    let n_starts = file.len() - wanted.len() + 1;
    let max_starts = MAX_LINE_PAIRS / wanted.len() + 1;
    if file.len() <= MAX_FREE_LINES && n_starts <= max_starts {
        return (0..n_starts).collect();
    }
    let is_anchor = |a: &str, b: &str| a.trim() == b.trim() && !a.trim().is_empty();
    let is_anchored = |start: &usize| {
        let (first, last) = (file[*start], file[start + wanted.len() - 1]);
        is_anchor(first, wanted[0]) || is_anchor(last, wanted[wanted.len() - 1])
    };
    (0..n_starts).filter(is_anchored).take(max_starts).collect()
}
