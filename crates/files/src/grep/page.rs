//! Which rows of a result are on the page.

use super::{CountRow, FileLines, FileRow, GrepParams, GrepRows, Line, LineKind, LineSource};
use crate::walk::Total;
use std::path::PathBuf;

/// One page and what is known about the rest.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) rows: GrepRows,
    pub(super) total: Total,
    pub(super) n_matches: Option<Total>,
    pub(super) n_files: Total,
    pub(super) notes: Vec<String>,
    pub(super) next_offset: Option<usize>,
}

/// A file with lines, in the order of the result.
#[derive(Debug)]
pub(super) struct FoundLines {
    pub(super) path: PathBuf,
    pub(super) display: String,
    pub(super) lines: Vec<Line>,
    pub(super) source: Option<LineSource>,
}

/// Cuts a sorted list of whole-file rows. `n_chars` tells how long a row is when shown.
pub(super) fn cut_rows<T>(
    all: Vec<T>,
    params: &GrepParams,
    n_chars: impl Fn(&T) -> usize,
) -> Vec<T> {
    let mut budget = Budget::new(params.max_chars);
    all.into_iter()
        .skip(params.offset)
        .take(params.head_limit)
        .take_while(|row| budget.takes(n_chars(row)))
        .collect()
}

/// Characters that are left on a page. The first row always fits.
struct Budget {
    left: usize,
    is_first: bool,
}

impl Budget {
    fn new(max_chars: usize) -> Self {
        Self {
            left: max_chars,
            is_first: true,
        }
    }

    fn takes(&mut self, n_chars: usize) -> bool {
        let fits = self.is_first || n_chars <= self.left;
        self.is_first = false;
        self.left = self.left.saturating_sub(n_chars);
        fits
    }
}

/// Cuts lines. Gives the page and the index of the first row after it.
pub(super) fn cut_lines(all: Vec<FoundLines>, params: &GrepParams) -> (Vec<FileLines>, usize) {
    let mut budget = Budget::new(params.max_chars);
    let mut page: Vec<FileLines> = Vec::new();
    let mut row = 0;
    let mut n_taken = 0;
    // The page is full; only the rest of a match that began on it may follow.
    let mut is_full = false;
    for file in all {
        let header = file.display.chars().count() + 2;
        let mut lines = Vec::new();
        for line in file.lines {
            let continues = matches!(line.kind, LineKind::MatchContinued | LineKind::Omitted);
            if row < params.offset || (continues && n_taken == 0) {
                row += 1;
                continue;
            }
            // The number, a colon and the line end.
            let n_chars = line.text.chars().count() + 8 + if lines.is_empty() { header } else { 0 };
            is_full =
                is_full || n_taken >= params.head_limit || !(continues || budget.takes(n_chars));
            if is_full && !continues {
                break;
            }
            lines.push(line);
            row += 1;
            n_taken += 1;
        }
        if !lines.is_empty() {
            page.push(FileLines {
                path: file.path,
                display: file.display,
                lines,
                source: file.source,
            });
        }
        if is_full {
            break;
        }
    }
    (page, row)
}

/// The remark about further pages.
pub(super) fn note(
    params: &GrepParams,
    n_rows: usize,
    next: Option<usize>,
    total: Total,
) -> Option<String> {
    let first = params.offset + 1;
    if n_rows == 0 {
        return (total.n > 0)
            .then(|| format!("No rows at offset {}; there are {total}.", params.offset));
    }
    match next {
        Some(next) => Some(format!(
            "(rows {first}–{next} of {total}; use offset={next} for more)"
        )),
        None if params.offset > 0 => Some(format!(
            "(rows {first}–{} of {total})",
            params.offset + n_rows
        )),
        None => None,
    }
}

/// Characters of a file row when shown.
pub(super) fn file_chars(row: &FileRow) -> usize {
    row.display.chars().count() + 1
}

/// Characters of a count row when shown.
pub(super) fn count_chars(row: &CountRow) -> usize {
    row.display.chars().count() + 12
}
