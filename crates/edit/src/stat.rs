//! Who changed how many lines.
//!
//! Three texts are compared: the base, what the model proposed, and what was written at last. The sequential counts
//! follow the history (base to proposal, proposal to final); the net counts say who owns what really changed between
//! base and final. All counts come from the canonical alignment of [`crate::align`], so they are the same wherever
//! they are made. Lines are compared without their breaks and otherwise exactly. Deliberately absent: sums over calls.

#[cfg(test)]
mod tests;

use protocol::diff::{DiffStat, NetStat};

use crate::align::{Alignment, Exactness};
use crate::lines::lines;

/// Counts the lines of a change that was written as proposed.
pub fn diff_stat_as_proposed(base: &str, proposed: &str) -> DiffStat {
    let (old, new) = (lines(base), lines(proposed));
    let alignment = Alignment::of(&old, &new);
    let counts = Counts::of(&old, &new, &alignment);
    DiffStat {
        net: NetStat {
            ai_added: counts.added_lines,
            ai_removed: counts.removed_lines,
            ..NetStat::default()
        },
        final_newline_changed: final_newline_differs(base, proposed),
        approximate: alignment.exactness() == Exactness::Approximate,
        ..sequential(&counts, &Counts::default())
    }
}

/// Counts the lines of a change that a person may have changed before it was written. All texts have LF breaks.
pub fn diff_stat(base: &str, proposed: &str, final_text: &str) -> DiffStat {
    if proposed == final_text {
        return diff_stat_as_proposed(base, proposed);
    }
    let (o, a, f) = (lines(base), lines(proposed), lines(final_text));
    let by_model = Alignment::of(&o, &a);
    let by_person = Alignment::of(&a, &f);
    let overall = Alignment::of(&o, &f);
    let all = [&by_model, &by_person, &overall];
    let is_approximate = |alignment: &&Alignment| alignment.exactness() == Exactness::Approximate;
    DiffStat {
        net: net(&by_model, &by_person, &overall),
        final_newline_changed: final_newline_differs(base, final_text),
        approximate: all.iter().any(is_approximate),
        ..sequential(
            &Counts::of(&o, &a, &by_model),
            &Counts::of(&a, &f, &by_person),
        )
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
    fn of(old: &[&str], new: &[&str], alignment: &Alignment) -> Self {
        let mut counts = Self::default();
        for hunk in alignment.hunks() {
            let (removed, added) = (&old[hunk.old], &new[hunk.new]);
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

/// Splits what changed between base and final by owner.
fn net(by_model: &Alignment, by_person: &Alignment, overall: &Alignment) -> NetStat {
    let kept_by_model = by_model.kept_old();
    let kept_at_last = overall.kept_old();
    let from_base = by_model.kept_new();
    let survived = by_person.kept_old();
    let is_old_in_final = overall.kept_new();
    let mut ai_added = 0;
    for run in by_person.runs() {
        let is_ai_line = |k: &usize| !is_old_in_final[run.new + k] && !from_base[run.old + k];
        ai_added += (0..run.len).filter(is_ai_line).count() as u64;
    }
    let added = is_old_in_final.iter().filter(|&&is_old| !is_old).count() as u64;
    NetStat {
        ai_added,
        human_added: added - ai_added,
        ai_removed: count_pairs(&kept_by_model, &kept_at_last, (false, false)),
        human_removed: count_pairs(&kept_by_model, &kept_at_last, (true, false)),
        ai_added_undone: count_pairs(&from_base, &survived, (false, false)),
        ai_removed_undone: count_pairs(&kept_by_model, &kept_at_last, (false, true)),
    }
}

fn count_pairs(a: &[bool], b: &[bool], wanted: (bool, bool)) -> u64 {
    let pairs = a.iter().copied().zip(b.iter().copied());
    pairs.filter(|&pair| pair == wanted).count() as u64
}
