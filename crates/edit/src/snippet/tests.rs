use super::*;

const LONG: usize = 2000;

fn numbered(n: usize) -> String {
    (1..=n).map(|n| format!("l{n}\n")).collect()
}

fn check(old: &str, new: &str, expected: &str, seen: &[(usize, usize)]) {
    let Snippet::Lines(shown) = snippet(old, new, LONG) else {
        panic!("must be shown: {old:?} -> {new:?}");
    };
    let seen: LineRanges = seen.iter().map(|&(first, last)| first..last + 1).collect();
    assert_eq!((shown.text.as_str(), shown.lines), (expected, seen));
}

#[test]
fn four_lines_stand_around_a_change() {
    let old = numbered(20);
    let new = old.replace("l10\n", "ten\n");
    check(
        &old,
        &new,
        "6\tl6\n7\tl7\n8\tl8\n9\tl9\n10\tten\n11\tl11\n12\tl12\n13\tl13\n14\tl14\n",
        &[(6, 14)],
    );
}

#[test]
fn places_that_are_apart_are_shown_apart() {
    let old = numbered(30);
    let new = old.replace("l2\n", "two\n").replace("l29\n", "");
    check(
        &old,
        &new,
        "1\tl1\n2\ttwo\n3\tl3\n4\tl4\n5\tl5\n6\tl6\n…\n25\tl25\n26\tl26\n27\tl27\n28\tl28\n29\tl30\n",
        &[(1, 6), (25, 29)],
    );
}

#[test]
fn a_file_that_became_empty_has_nothing_to_show() {
    check("a\n", "", "", &[]);
}

#[test]
fn a_lost_final_newline_is_a_change() {
    check("a\nb\n", "a\nb", "1\ta\n2\tb\n", &[(1, 2)]);
}

#[test]
fn long_changes_are_only_named() {
    let old = numbered(10);
    let new = format!("{old}{}", "x\n".repeat(1_001));
    assert_eq!(snippet(&old, &new, LONG), Snippet::TooLong(11..1_012));
    let wide = format!("{old}{}", "y".repeat(1_000) + "\n").repeat(17);
    assert_eq!(snippet("", &wide, LONG), Snippet::TooLong(1..188));
}

#[test]
fn long_lines_are_cut_and_do_not_count_as_seen() {
    let mut out = String::new();
    assert_eq!(
        push_numbered_line(&mut out, 7, "äbcdef", 6),
        LineShown::Whole
    );
    assert_eq!(
        push_numbered_line(&mut out, 8, "äbcdefg", 6),
        LineShown::Cut
    );
    assert_eq!(
        out,
        "7\täbcdef\n8\täbcdef …[line truncated: 6 of 7 chars]\n"
    );
    let Snippet::Lines(shown) = snippet("a\n", "a\nbbbb\nc\n", 3) else {
        panic!("must be shown");
    };
    assert_eq!(shown.lines.ranges(), [1..2, 3..4]);
}
