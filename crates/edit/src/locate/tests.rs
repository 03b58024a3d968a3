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

#[test]
fn what_reading_adds_is_recognised() {
    let check = |old: &str, expected: Option<ReadArtifact>| {
        let found = refuse_read_artifact(old).err();
        assert_eq!(found, expected.map(EditError::ReadArtifact), "{old:?}");
    };
    check(
        "1\tfn main() {\n2\t    run();\n\n3\t}",
        Some(ReadArtifact::LineNumbers),
    );
    check("     2→beta", Some(ReadArtifact::LineNumbers));
    check("1\tone\nplain", None);
    check("\n \n", None);
    check("12 apples", None);
    check(
        "xxxx …[line truncated: 20 of 50 chars]",
        Some(ReadArtifact::TruncationMarker),
    );
}

#[test]
fn a_match_never_cuts_through_a_character_of_the_file() {
    // Big5 88 62 is one character of two code points.
    let bytes = [
        b"\xA4\xA4\xA4\xE5\xA6\x72\xAA\xBA\xA4\xE9\xA5\xBB ".as_slice(),
        b"\x88\x62 x\n",
    ]
    .concat();
    let form = crate::text::test_form(encoding_rs::BIG5);
    let file = TextFile::decode_as(&bytes, form).unwrap();
    assert!(file.text().contains("\u{CA}\u{304}"));
    assert_eq!(find_exact(&file, "\u{304} x"), []);
    assert_eq!(find_exact(&file, "\u{CA}\u{304} x").len(), 1);
}

proptest! {
    #[test]
    fn equals_trying_every_start(text in "[ab\n]{0,40}", wanted in "[ab\n]{1,5}") {
        let expected: Vec<usize> = (0..text.len()).filter(|&at| text.get(at..).is_some_and(|rest| rest.starts_with(&wanted))).collect();
        prop_assert_eq!(starts(&text, &wanted), expected);
    }
}
