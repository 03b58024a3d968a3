use super::*;
use crate::lines::{lines, pieces};
use proptest::prelude::*;

fn check(old: &str, new: &str) {
    let by_pieces = LineDiff::of_pieces(old, new);
    let (old_pieces, new_pieces) = (pieces(old), pieces(new));
    let expected = Alignment::of(&old_pieces, &new_pieces).hunks();
    assert_eq!(by_pieces.hunks(), expected, "pieces of {old:?} -> {new:?}");
    for (hunk, (old_bytes, new_bytes)) in expected.iter().zip(by_pieces.byte_ranges()) {
        assert_eq!(part(old, old_bytes), old_pieces[hunk.old.clone()].concat());
        assert_eq!(part(new, new_bytes), new_pieces[hunk.new.clone()].concat());
        let around = by_pieces.with_context_new(hunk.new.clone(), MARGIN_LINES);
        assert_eq!(
            around.end,
            (hunk.new.end + MARGIN_LINES).min(new_pieces.len())
        );
        assert_eq!(by_pieces.new_lines(around.clone()), &new_pieces[around]);
        let around = by_pieces.with_context_old(hunk.old.clone(), MARGIN_LINES);
        assert_eq!(by_pieces.old_lines(around.clone()), &old_pieces[around]);
    }
    let by_lines = LineDiff::of_lines(old, new);
    let expected = Alignment::of(&lines(old), &lines(new)).hunks();
    assert_eq!(by_lines.hunks(), expected, "lines of {old:?} -> {new:?}");
}

#[test]
fn the_ends_of_texts() {
    check("", "");
    check("", "a");
    check("a", "");
    check("a", "a\n");
    check("a\nb", "a\nb\n");
    check("a\n", "a\n\n");
    check("x\ny\n", "y\n");
    check("xa\nb\n", "ya\nb\n");
    check("a\na\n", "a\n");
}

#[test]
fn a_change_between_long_ends() {
    let lines: Vec<String> = (0..3_000).map(|n| format!("line {n}\n")).collect();
    let old = lines.concat();
    check(&old, &old.replace("line 1500\n", "other\n"));
    check(&old, &old.replace("line 0\n", ""));
    check(&old, &old.replace("line 2999\n", "last"));
}

#[test]
fn the_walk_may_leave_the_common_end_late() {
    let end = "b\n".repeat(900);
    check(&format!("a\nb\n{end}"), &end);
    check(&format!("a\nb\n{end}c\n"), &format!("{end}c\n"));
}

#[test]
fn blocks_are_compared_to_the_byte() {
    for len in [
        BLOCK_BYTES - 1,
        BLOCK_BYTES,
        BLOCK_BYTES + 1,
        2 * BLOCK_BYTES,
    ] {
        let (a, b) = (vec![1; len], [vec![1; len], vec![2]].concat());
        assert_eq!(common_prefix(&a, &b), len);
        assert_eq!(common_suffix(&a, &a), len);
        let (a, b) = (
            [vec![3], vec![1; len]].concat(),
            [vec![4], vec![1; len]].concat(),
        );
        assert_eq!((common_prefix(&a, &b), common_suffix(&a, &b)), (0, len));
    }
}

proptest! {
    #[test]
    fn equals_the_alignment_of_all_lines(
        head in "([ab]\n){0,12}",
        old in "([ab]{0,2}\n){0,4}[ab]?",
        new in "([ab]{0,2}\n){0,4}[ab]?",
        tail in "([ab]\n){0,140}[ab]?",
    ) {
        check(&(head.clone() + &old + &tail), &(head + &new + &tail));
    }
}
