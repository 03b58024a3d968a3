use super::*;
use proptest::prelude::*;

fn starts(text: &str, wanted: &str) -> Vec<usize> {
    find_overlapping(text, wanted)
        .into_iter()
        .map(|span| span.start)
        .collect()
}

#[test]
fn overlapping_occurrences_count() {
    assert_eq!(starts("aaaa", "aaa"), [0, 1]);
    assert_eq!(starts("ab ab ab", "ab ab"), [0, 3]);
    assert_eq!(starts("x\n\n\n\ny", "\n\n"), [1, 2, 3]);
    assert_eq!(starts("abcabc", "abc"), [0, 3]);
    assert_eq!(starts("abc", "abcd"), [] as [usize; 0]);
}

#[test]
fn leftmost_spans_are_chosen() {
    assert_eq!(
        non_overlapping(&[0..2, 1..3, 2..4, 5..7]),
        [0..2, 2..4, 5..7]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn equals_trying_every_start(text in "[ab\n]{0,40}", wanted in "[ab\n]{1,5}") {
        let expected: Vec<usize> = (0..text.len()).filter(|&at| text.get(at..).is_some_and(|rest| rest.starts_with(&wanted))).collect();
        prop_assert_eq!(starts(&text, &wanted), &expected[..]);
        let items = |text: &str| text.bytes().map(u32::from).collect::<Vec<_>>();
        prop_assert_eq!(starts_of(&items(&text), &items(&wanted)), expected);
    }
}
