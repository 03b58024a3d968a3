use super::*;
use crate::test_support::{MAX_TEST_BYTES, Outcome, case_bytes, case_file, case_seen};
use proptest::prelude::*;
use serde_json::Value;

/// Cases that depend on the disk or on notebooks are run elsewhere.
fn is_pure(case: &Value) -> bool {
    let setup = case["setup"].as_object();
    let is_on_disk = |setup: &serde_json::Map<String, Value>| {
        setup.contains_key("read")
            || setup.contains_key("kind")
            || setup.get("ext") == Some(&Value::from(".ipynb"))
    };
    !setup.is_some_and(is_on_disk)
}

fn run(case: &Value) -> Result<(TextChange, Option<&'static str>), EditError> {
    let setup = &case["setup"];
    let content = case["content"].as_str().unwrap();
    let Some(bytes) = case_bytes(&case["before"]) else {
        let extension = setup["ext"]
            .as_str()
            .unwrap_or(".txt")
            .trim_start_matches('.');
        let format = NewFileFormat::of(extension, content, NewBom::AsGiven);
        return plan_new_file(content, format, MAX_TEST_BYTES).map(|change| (change, None));
    };
    let file = TextFile::decode(&bytes)?;
    if let Some(expected) = setup["encoding"].as_str() {
        assert_eq!(file.encoding().label(), expected, "{}", case["id"]);
    }
    let seen = case_seen(setup);
    plan_write(&file, &write(content, &seen)).map(|change| (change, None))
}

fn write<'a>(content: &'a str, seen: &'a LineRanges) -> WriteRequest<'a> {
    WriteRequest {
        content,
        seen,
        reviewer: Reviewer::Person,
        max_result_bytes: MAX_TEST_BYTES,
    }
}

#[test]
fn all_pure_write_cases() {
    let file = case_file("edit-cases.json");
    let all = file["write_file_cases"].as_array().unwrap();
    let cases: Vec<&Value> = all.iter().filter(|case| is_pure(case)).collect();
    let mut failures = Vec::new();
    for case in &cases {
        let (outcome, expected) = (Outcome::of(run(case)), Outcome::expected(&case["expect"]));
        if outcome != expected {
            failures.push(format!(
                "{}: {outcome:?}, not {expected:?} ({})",
                case["id"], case["why"]
            ));
        }
    }
    assert_eq!(failures, Vec::<String>::new());
    assert_eq!(cases.len(), 14);
}

#[test]
fn unseen_lines_are_counted() {
    let check = |content: &str, seen: LineRanges, expected: usize| {
        let file = TextFile::decode(b"1\n2\n3\n4\n5\n").unwrap();
        let change = plan_write(&file, &write(content, &seen)).unwrap();
        let unseen = Warning::UnseenLinesReplaced { count: expected };
        assert_eq!(
            change.warnings.contains(&unseen),
            expected > 0,
            "{content:?}"
        );
        assert_eq!(
            change.confirm_reasons.contains(&ConfirmReason::UnseenLines),
            expected > 0
        );
    };
    check("1\nX\n3\n4\n5\n", LineRanges::all(5), 0);
    check("1\nX\n3\nY\n", LineRanges::all(2), 2);
    check("1\n2\nnew\n3\n4\n5\n", LineRanges::new(), 0);
}

#[test]
fn where_nobody_looks_unread_lines_are_kept() {
    let file = TextFile::decode(b"a\nb\nc\n").unwrap();
    let seen = LineRanges::all(2);
    let mut asked = write("a\nx\n", &seen);
    asked.reviewer = Reviewer::Nobody;
    let error = plan_write(&file, &asked).unwrap_err();
    let reasons = vec![ConfirmReason::UnseenLines];
    assert_eq!(error, EditError::NeedsConfirmation { reasons });
    asked.content = "a\nx\nc\n";
    assert!(
        plan_write(&file, &asked).is_ok(),
        "what was read may change"
    );
}

#[test]
fn a_large_shrink_is_looked_at() {
    let check = |n_before: usize, n_after: usize, expected: bool| {
        let text: String = (0..n_before).map(|n| format!("{n}\n")).collect();
        let content: String = text.split_inclusive('\n').take(n_after).collect();
        let file = TextFile::decode(text.as_bytes()).unwrap();
        let seen = LineRanges::all(n_before);
        let change = plan_write(&file, &write(&content, &seen)).unwrap();
        assert_eq!(
            change.confirm_reasons.contains(&ConfirmReason::LargeShrink),
            expected,
            "{n_before} to {n_after}"
        );
    };
    check(100, 29, true);
    check(100, 30, false);
    check(51, 0, true);
    check(50, 0, false);
    check(200, 100, false);
}

#[test]
fn text_that_was_escaped_twice_is_noticed() {
    let escaped = "line one\\nline two\\n".repeat(12);
    let format = NewFileFormat::of("txt", &escaped, NewBom::AsGiven);
    let change = plan_new_file(&escaped, format, MAX_TEST_BYTES).unwrap();
    assert_eq!(change.warnings, [Warning::LiteralEscapes]);
    assert_eq!(change.bytes, escaped.as_bytes(), "never unescaped");
}

#[test]
fn new_files_are_written_as_given() {
    let check = |extension: &str, content: &str, bom: NewBom, expected: &str| {
        let format = NewFileFormat::of(extension, content, bom);
        assert_eq!(
            new_file_bytes(content, format, MAX_TEST_BYTES).unwrap(),
            expected.as_bytes(),
            "{extension} {content:?}"
        );
    };
    check("txt", "a\r\nb\n", NewBom::AsGiven, "a\r\nb\n");
    check("CMD", "a\r\nb\nc", NewBom::AsGiven, "a\r\nb\r\nc");
    check("ps1", "a\n", NewBom::Always, "\u{FEFF}a\n");
    check("txt", "\u{FEFF}a\n", NewBom::AsGiven, "\u{FEFF}a\n");
    check("txt", "\u{FEFF}a\n", NewBom::Always, "\u{FEFF}a\n");
    let format = NewFileFormat::of("txt", "a\r\nb\r\n", NewBom::AsGiven);
    assert_eq!(
        new_file_bytes("a\nmine\n", format, MAX_TEST_BYTES).unwrap(),
        b"a\r\nmine\r\n",
        "a person's text keeps the breaks"
    );
    let error = new_file_bytes("a\nmine\n", format, 8).unwrap_err();
    assert_eq!(
        (error.code(), error.reason()),
        ("FILE_TOO_LARGE", Some("result"))
    );
}

#[test]
fn a_persons_text_decides() {
    let bytes = b"abc\r\ndef\r\n";
    let file = TextFile::decode(bytes).unwrap();
    let decide = |text: &str| plan_final(&file, "x\ndef\n", text, MAX_TEST_BYTES).unwrap();
    assert_eq!(decide("abc\ndef\n"), FinalText::KeptOriginal);
    assert_eq!(decide("x\ndef\n"), FinalText::AsProposed);
    let empty = FinalText::Changed {
        bytes: Vec::new(),
        text: String::new(),
    };
    assert_eq!(decide(""), empty);
    let FinalText::Changed { bytes, text } = decide("// ... existing code ...\nabc\ndef") else {
        panic!("a person may write anything");
    };
    assert_eq!(bytes, b"// ... existing code ...\r\nabc\r\ndef");
    assert_eq!(text, "// ... existing code ...\nabc\ndef");
}

#[test]
fn undecodable_bytes_survive_a_person_and_are_never_written() {
    let bytes = ["ключ и ещё\nx = ".as_bytes(), b"\xFF;\nlast\n"].concat();
    let file = TextFile::decode(&bytes).unwrap();
    let text = file.text().to_owned();
    let decide = |text: &str| plan_final(&file, "", text, MAX_TEST_BYTES);
    let FinalText::Changed { bytes: after, .. } = decide(&text.replace("x =", "y =")).unwrap()
    else {
        panic!("changed");
    };
    assert_eq!(
        after,
        ["ключ и ещё\ny = ".as_bytes(), b"\xFF;\nlast\n"].concat()
    );
    let error = decide(&text.replace("x =", "y =").replace(';', ".")).unwrap_err();
    assert_eq!(error.code(), "ENCODING_REPLACEMENT_CHAR");
}

fn file_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof!["[ab]{0,2}\n", "[ab]{0,2}\r\n", "[ab]{0,2}\r", "é\n"];
    (prop::collection::vec(piece, 0..12), "[ab]{0,2}")
        .prop_map(|(pieces, end)| pieces.concat() + &end)
}

proptest! {
    #[test]
    fn a_persons_text_is_what_the_file_shows(before in file_text(), wanted in "([abc]{0,2}\n){0,12}[ab]{0,1}") {
        let file = TextFile::decode(before.as_bytes()).unwrap();
        match plan_final(&file, "\u{1}", &wanted, MAX_TEST_BYTES).unwrap() {
            FinalText::KeptOriginal => prop_assert_eq!(file.text(), wanted),
            FinalText::AsProposed => prop_assert!(false, "the proposal is another"),
            FinalText::Changed { bytes, text } => {
                // A CR that ends up before an LF is part of the break.
                let lf_after_cr = before.contains('\r') && text != wanted;
                prop_assert!(text == wanted || lf_after_cr);
                let shown = TextFile::decode(&bytes).unwrap();
                prop_assert_eq!(shown.text(), text);
            }
        }
    }

    #[test]
    fn unchanged_lines_keep_their_breaks(
        lines in prop::collection::vec(("[a-z]{3,6}", prop_oneof!["\n", "\r\n"]), 1..12),
        at in 0_usize..12,
    ) {
        let before: String = lines.iter().map(|(line, end)| format!("{line}{end}")).collect();
        let at = at % lines.len();
        let mut changed = lines.clone();
        changed[at].0 = "CHANGED".to_owned();
        let wanted: String = changed.iter().map(|(line, _)| format!("{line}\n")).collect();
        let after: String = changed.iter().map(|(line, end)| format!("{line}{end}")).collect();
        let file = TextFile::decode(before.as_bytes()).unwrap();
        let result = plan_final(&file, "", &wanted, MAX_TEST_BYTES).unwrap();
        prop_assert_eq!(result, FinalText::Changed { bytes: after.into_bytes(), text: wanted });
    }
}
