//! Who changed how many lines.
//!
//! Three texts are compared: the base, what the model proposed, and what was written at last. The sequential counts
//! follow the history (base to proposal, proposal to final); the net counts say who owns what really changed between
//! base and final. All counts come from the canonical alignment of [`crate::align`], so they are the same wherever
//! they are made. Lines are compared without their breaks and otherwise exactly. Deliberately absent: sums over calls.

mod sources;
#[cfg(test)]
mod tests;

use protocol::diff::{DiffStat, NetStat};

use crate::align::{Exactness, Run};
use crate::line_diff::LineDiff;
use crate::lines::count_lines;

pub use sources::{LineSource, LineSources, NotLineSources, SourceRun};

/// Counts the lines of a change that was written as proposed.
pub fn diff_stat_as_proposed(base: &str, proposed: &str) -> DiffStat {
    let diff = LineDiff::of_lines(base, proposed);
    let counts = Counts::of(&diff);
    DiffStat {
        net: NetStat {
            ai_added: counts.added_lines,
            ai_removed: counts.removed_lines,
            ..NetStat::default()
        },
        final_newline_changed: final_newline_differs(base, proposed),
        approximate: diff.exactness() == Exactness::Approximate,
        ..sequential(&counts, &Counts::default())
    }
}

/// Counts the lines of a change that a person may have changed before it was written. All texts have LF breaks.
pub fn diff_stat(base: &str, proposed: &str, final_text: &str) -> DiffStat {
    if proposed == final_text {
        return diff_stat_as_proposed(base, proposed);
    }
    let by_model = LineDiff::of_lines(base, proposed);
    let by_person = LineDiff::of_lines(proposed, final_text);
    let overall = LineDiff::of_lines(base, final_text);
    let steps = [
        Kept::of(&by_model, base, proposed),
        Kept::of(&by_person, proposed, final_text),
        Kept::of(&overall, base, final_text),
    ];
    let all = [&by_model, &by_person, &overall];
    DiffStat {
        net: net(&steps),
        final_newline_changed: final_newline_differs(base, final_text),
        approximate: all
            .iter()
            .any(|diff| diff.exactness() == Exactness::Approximate),
        ..sequential(&Counts::of(&by_model), &Counts::of(&by_person))
    }
}

/// One text gained or lost its final newline. Empty texts have none to lose.
fn final_newline_differs(old: &str, new: &str) -> bool {
    !old.is_empty() && !new.is_empty() && old.ends_with('\n') != new.ends_with('\n')
}

/// What one step added and removed.
#[derive(Debug, Default)]
struct Counts {
    added_lines: u64,
    removed_lines: u64,
    added_chars: u64,
    removed_chars: u64,
    whitespace_only_lines: u64,
}

impl Counts {
    fn of(diff: &LineDiff<'_>) -> Self {
        let mut counts = Self::default();
        for hunk in diff.hunks() {
            let (removed, added) = (diff.old_lines(hunk.old), diff.new_lines(hunk.new));
            counts.removed_lines += removed.len() as u64;
            counts.added_lines += added.len() as u64;
            counts.removed_chars += count_chars(removed);
            counts.added_chars += count_chars(added);
            let pairs = removed.iter().zip(added);
            counts.whitespace_only_lines += pairs
                .filter(|(a, b)| equal_without_white_space(a, b))
                .count() as u64;
        }
        counts
    }
}

fn count_chars(lines: &[&str]) -> u64 {
    lines.iter().map(|line| line.chars().count() as u64).sum()
}

fn equal_without_white_space(a: &str, b: &str) -> bool {
    let is_visible = |c: &char| !c.is_whitespace();
    a.chars()
        .filter(is_visible)
        .eq(b.chars().filter(is_visible))
}

fn sequential(model: &Counts, user: &Counts) -> DiffStat {
    DiffStat {
        model_added_lines: model.added_lines,
        model_removed_lines: model.removed_lines,
        model_added_chars: model.added_chars,
        model_removed_chars: model.removed_chars,
        model_whitespace_only_lines: model.whitespace_only_lines,
        user_added_lines: user.added_lines,
        user_removed_lines: user.removed_lines,
        user_added_chars: user.added_chars,
        user_removed_chars: user.removed_chars,
        user_whitespace_only_lines: user.whitespace_only_lines,
        ..DiffStat::default()
    }
}

/// Which lines one step kept.
struct Kept {
    runs: Vec<Run>,
    /// For each old line, whether it stayed.
    old: Vec<bool>,
    /// For each new line, whether it was there before.
    new: Vec<bool>,
}

impl Kept {
    fn of(diff: &LineDiff<'_>, old: &str, new: &str) -> Self {
        let mut kept = Self {
            runs: diff.kept_runs(count_lines(old)),
            old: vec![true; count_lines(old)],
            new: vec![true; count_lines(new)],
        };
        for hunk in diff.hunks() {
            kept.old[hunk.old].fill(false);
            kept.new[hunk.new].fill(false);
        }
        kept
    }
}

/// Splits what changed between base and final by owner.
fn net([by_model, by_person, overall]: &[Kept; 3]) -> NetStat {
    let mut ai_added = 0;
    for run in &by_person.runs {
        let is_ai_line = |k: &usize| !overall.new[run.new + k] && !by_model.new[run.old + k];
        ai_added += (0..run.len).filter(is_ai_line).count() as u64;
    }
    let added = overall.new.iter().filter(|&&is_old| !is_old).count() as u64;
    NetStat {
        ai_added,
        human_added: added - ai_added,
        ai_removed: count_pairs(&by_model.old, &overall.old, (false, false)),
        human_removed: count_pairs(&by_model.old, &overall.old, (true, false)),
        ai_added_undone: count_pairs(&by_model.new, &by_person.old, (false, false)),
        ai_removed_undone: count_pairs(&by_model.old, &overall.old, (false, true)),
    }
}

fn count_pairs(a: &[bool], b: &[bool], wanted: (bool, bool)) -> u64 {
    let pairs = a.iter().copied().zip(b.iter().copied());
    pairs.filter(|&pair| pair == wanted).count() as u64
}
