use super::*;

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
    assert!(find_exact(&file, "\u{304} x").is_empty());
    assert_eq!(find_exact(&file, "\u{CA}\u{304} x").len(), 1);
}
