use super::*;
use proptest::prelude::*;

/// The walk on the full table, as the definition says.
fn naive(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let (n, m) = (old.len(), new.len());
    let mut t = vec![vec![0_u32; m + 1]; n + 1];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            t[i][j] = if old[i] == new[j] {
                t[i + 1][j + 1] + 1
            } else {
                t[i + 1][j].max(t[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut kept = Vec::new();
    while i < n && j < m {
        if old[i] == new[j] {
            kept.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if t[i + 1][j] >= t[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    kept
}

fn pairs(alignment: &Alignment) -> Vec<(usize, usize)> {
    let runs = alignment.runs().iter();
    runs.flat_map(|run| (0..run.len).map(|k| (run.old + k, run.new + k)))
        .collect()
}

fn check(old: &[&str], new: &[&str], why: &str) {
    let alignment = Alignment::of(old, new);
    assert_eq!(alignment.exactness(), Exactness::Exact, "{why}");
    assert_eq!(
        pairs(&alignment),
        naive(old, new),
        "{why}: {old:?} -> {new:?}"
    );
}

fn names(ids: &[u8]) -> Vec<String> {
    ids.iter().map(|id| format!("line {id}")).collect()
}

fn refs(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}

#[test]
fn simple_pairs() {
    check(&[], &[], "two empty texts");
    check(&[], &["a"], "all new");
    check(&["a"], &[], "all gone");
    check(
        &["a", "b", "b"],
        &["b"],
        "of two equal lines the first is kept",
    );
    check(&["a", "b"], &["b", "a"], "on a tie the old line goes");
    check(&["a", "b", "c"], &["a", "x", "c"], "one line replaced");
}

#[test]
fn the_walk_may_leave_the_common_end_late() {
    let old = ["head"].into_iter().chain(["z"; 1001]).collect::<Vec<_>>();
    check(
        &old,
        &["z"; 1000],
        "one z goes, but only after the last kept one",
    );
    let mut old = vec!["b"; 1500];
    old.insert(0, "a");
    let new = vec!["b"; 1499];
    check(&old, &new, "longer than the first look at the end");
}

#[test]
fn a_small_change_in_a_huge_text_stays_exact() {
    let lines: Vec<String> = (0..60_000).map(|n| format!("line {n}")).collect();
    let old = refs(&lines);
    let mut new = old.clone();
    new[7] = "changed";
    new.remove(30);
    let alignment = Alignment::of(&old, &new);
    assert_eq!(alignment.exactness(), Exactness::Exact);
    let hunks = alignment.hunks();
    assert_eq!(
        hunks,
        [
            Hunk {
                old: 7..8,
                new: 7..8
            },
            Hunk {
                old: 30..31,
                new: 30..30
            }
        ]
    );
}

#[test]
fn too_many_changed_lines_are_counted_approximately() {
    let old: Vec<String> = (0..MAX_EXACT_LINES + 1)
        .map(|n| format!("old {n}"))
        .collect();
    let new: Vec<String> = (0..MAX_EXACT_LINES + 1)
        .map(|n| format!("new {n}"))
        .collect();
    let (mut old, mut new) = (refs(&old), refs(&new));
    old[500] = "same";
    new[700] = "same";
    let alignment = Alignment::of(&old, &new);
    assert_eq!(alignment.exactness(), Exactness::Approximate);
    assert_eq!(pairs(&alignment), [(500, 700)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn equals_the_full_table_on_few_different_lines(
        old in prop::collection::vec(0_u8..4, 0..260),
        new in prop::collection::vec(0_u8..4, 0..260),
    ) {
        let (old, new) = (names(&old), names(&new));
        check(&refs(&old), &refs(&new), "random");
    }

    #[test]
    fn equals_the_full_table_after_scattered_changes(
        base in prop::collection::vec(0_u8..30, 0..300),
        changes in prop::collection::vec((0_usize..300, 0_u8..3, 0_u8..30), 0..40),
    ) {
        let mut new = base.clone();
        for (at, what, line) in changes {
            let at = at.min(new.len());
            match what {
                0 => new.insert(at, line),
                1 if at < new.len() => { new.remove(at); }
                _ if at < new.len() => new[at] = line,
                _ => {}
            }
        }
        let (old, new) = (names(&base), names(&new));
        check(&refs(&old), &refs(&new), "scattered");
    }

    #[test]
    fn equals_the_full_table_on_periodic_ends(
        old in prop::collection::vec(0_u8..3, 0..12),
        new in prop::collection::vec(0_u8..3, 0..12),
        period in prop::collection::vec(0_u8..3, 1..4),
        repeats in 0_usize..150,
    ) {
        let end: Vec<u8> = period.iter().copied().cycle().take(period.len() * repeats).collect();
        let old = names(&[old, end.clone()].concat());
        let new = names(&[new, end].concat());
        check(&refs(&old), &refs(&new), "periodic end");
    }
}
