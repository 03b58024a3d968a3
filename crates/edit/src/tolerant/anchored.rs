//! When a place may be edited that only its first and last line tell.
//!
//! What the model changes must be what the file has; the rest may have drifted a little, and stays.

use super::Refused;
use super::project::Projection;
use crate::hint::line_similarity;
use crate::normalize::{indentation, norm_trimmed_end, trim_blanks};
use crate::refusal::RefusalReason;

/// The mean of the lines between must be at least as similar.
const MIN_MEAN_SIMILARITY: f64 = 0.8;

/// Each line between must be at least as similar.
const MIN_LINE_SIMILARITY: f64 = 0.5;

/// One line in so many may have drifted; one always may.
const LINES_PER_DRIFTED: usize = 5;

/// Refuses a place whose lines have drifted too far, or where a drifted one would change.
pub(super) fn require_kept_context(place: &Projection<'_>) -> Result<(), Refused> {
    let refused = |lines| {
        let reason = RefusalReason::DriftedLines;
        Err(Refused { reason, lines })
    };
    // Pieces after the last break are no lines.
    let n_lines = place.old.len() - usize::from(place.old.last() == Some(&""));
    let all = 0..n_lines;
    if place.new.concat().is_empty() && place.new.len() <= 1 {
        return refused(all);
    }
    let is_same = |at: usize| norm_trimmed_end(place.old[at]) == norm_trimmed_end(place.file[at]);
    let is_indented_alike = |at: usize| indentation(place.old[at]) == indentation(place.file[at]);
    if !is_indented_alike(0) || !is_indented_alike(n_lines - 1) {
        return refused(all);
    }
    let (head, tail) = place.n_kept();
    let has_pairs = place.old.len() == place.new.len();
    let is_changed = |at: usize| !has_pairs || place.old[at] != place.new[at];
    let changed = (head..place.old.len() - tail).filter(|&at| is_changed(at));
    for at in changed {
        if !is_same(at) {
            return refused(at..at + 1);
        }
    }
    let between = 1..n_lines - 1;
    let similarities: Vec<f64> = between
        .clone()
        .map(|at| line_similarity(trim_blanks(place.old[at]), trim_blanks(place.file[at])))
        .collect();
    let n_drifted = between.clone().filter(|&at| !is_same(at)).count();
    let mean = similarities.iter().sum::<f64>() / between.len() as f64;
    let is_close = mean >= MIN_MEAN_SIMILARITY
        && similarities.iter().all(|&one| one >= MIN_LINE_SIMILARITY)
        && n_drifted <= (between.len() / LINES_PER_DRIFTED).max(1);
    match is_close {
        true => Ok(()),
        false => refused(between),
    }
}
