use super::*;
use crate::rewrite::{FinalText, NewBom, NewFileFormat, plan_final, plan_new_file};
use crate::test_support::{MAX_TEST_BYTES, Outcome, case_bytes, case_file, case_seen};
use serde_json::Value;

fn request<'a>(
    old: &'a str,
    new: &'a str,
    occurrences: Occurrences,
    seen: &'a LineRanges,
) -> EditRequest<'a> {
    EditRequest {
        old,
        new,
        occurrences,
        seen,
        file_name: "f.txt",
        profile: EditProfile::Safe,
        reviewer: Reviewer::Person,
        max_result_bytes: MAX_TEST_BYTES,
    }
}

fn edit(
    bytes: &[u8],
    old: &str,
    new: &str,
    occurrences: Occurrences,
) -> Result<EditPlan, EditError> {
    let file = TextFile::decode(bytes)?;
    let seen = LineRanges::all(file.text().len() + 1);
    plan_edit(&file, &request(old, new, occurrences, &seen))
}

/// Cases whose outcome depends on the disk are run elsewhere.
fn is_pure(case: &Value) -> bool {
    let setup = case["setup"].as_object();
    let is_on_disk = setup.is_some_and(|setup| {
        setup.contains_key("fault") || setup.get("kind") == Some(&Value::from("hardlink"))
    });
    case["layer"] != "stage" && !is_on_disk
}

fn run(case: &Value) -> Result<(TextChange, Option<&'static str>), EditError> {
    let (old, new) = (
        case["old_string"].as_str().unwrap(),
        case["new_string"].as_str().unwrap(),
    );
    let setup = &case["setup"];
    let Some(mut bytes) = case_bytes(&case["before"]) else {
        let format = NewFileFormat::of("txt", new, NewBom::AsGiven);
        return plan_new_file(new, format, MAX_TEST_BYTES)
            .map(|change| (change, Some(Layer::Create.name())));
    };
    for prior in setup["prior_edits"].as_array().into_iter().flatten() {
        let (old, new) = (
            prior["old_string"].as_str().unwrap(),
            prior["new_string"].as_str().unwrap(),
        );
        bytes = edit(&bytes, old, new, Occurrences::One)?.change.bytes;
    }
    let file = TextFile::decode(&bytes)?;
    if let Some(expected) = setup["encoding"].as_str() {
        assert_eq!(file.encoding().label(), expected, "{}", case["id"]);
    }
    let occurrences = match case["replace_all"].as_bool().unwrap() {
        true => Occurrences::All,
        false => Occurrences::One,
    };
    let seen = case_seen(setup);
    let extension = setup["ext"].as_str().unwrap_or(".txt");
    let name = format!("f{extension}");
    let mut asked = request(old, new, occurrences, &seen);
    asked.file_name = &name;
    if setup["profile"] == "extended" {
        asked.profile = EditProfile::Extended;
    }
    let mut plan = plan_edit(&file, &asked)?;
    if let Some(text) = setup["human"]["final"].as_str() {
        match plan_final(&file, &plan.change.text, text, MAX_TEST_BYTES)? {
            FinalText::Changed { bytes, text } => {
                (plan.change.bytes, plan.change.text) = (bytes, text)
            }
            other => panic!("{}: {other:?}", case["id"]),
        }
    }
    Ok((plan.change, Some(plan.layer.name())))
}

#[test]
fn all_pure_edit_cases() {
    let file = case_file("edit-cases.json");
    let cases: Vec<&Value> = file["cases"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|case| is_pure(case))
        .collect();
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
    assert_eq!(cases.len(), 215);
}

#[test]
fn a_change_shows_the_text_of_its_bytes() {
    // What was a lone CR and a break becomes one break.
    let plan = edit(b"a\rX\nb\n", "X", "", Occurrences::One).unwrap();
    assert_eq!(plan.change.bytes, b"a\r\nb\n");
    assert_eq!(plan.change.text, "a\nb\n");
}

#[test]
fn the_number_of_replaced_places_is_told() {
    let plan = edit(b"x\nx\nxx\n", "x", "y", Occurrences::All).unwrap();
    assert_eq!(plan.replaced, 4);
    let plan = edit(b"abc", "b", "B", Occurrences::All).unwrap();
    assert_eq!(plan.replaced, 1);
}

#[test]
fn several_places_are_named() {
    let error = edit(b"x\n\nx\nx x\n", "x", "y", Occurrences::One).unwrap_err();
    let expected = EditError::Ambiguous {
        count: 4,
        lines: vec![1, 3, 4, 4],
    };
    assert_eq!(error, expected);
    let text = error.message("/w/f.txt");
    assert!(
        text.starts_with("/w/f.txt: old_string occurs 4 times (lines 1, 3, 4, 4)"),
        "{text}"
    );
    assert!(text.contains("replace_all"), "{text}");
    let many = edit("x\n".repeat(12).as_bytes(), "x", "y", Occurrences::One).unwrap_err();
    assert!(
        many.message("f")
            .contains("12 times (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)")
    );
}

#[test]
fn near_matches_are_counted_where_nothing_was_replaced() {
    let text = "say \"hey\"\nsay \u{201C}hey\u{201D}\nno\nsay \u{201C}hey\"\n";
    let plan = edit(text.as_bytes(), "say \"hey\"", "said", Occurrences::All).unwrap();
    let expected = Warning::NearMatchesLeft {
        count: 2,
        lines: vec![2, 4],
    };
    assert_eq!(plan.change.warnings, [expected]);
    let plan = edit(
        "\"--\" \u{201C}--\u{201D}".as_bytes(),
        "\"--\"",
        "x",
        Occurrences::All,
    )
    .unwrap();
    assert_eq!(
        plan.change.warnings,
        [],
        "too few letters to speak of a near match"
    );
}

#[test]
fn whole_lines_are_deleted_whole_also_next_to_each_other() {
    let check = |text: &str, old: &str, expected: &str| {
        let plan = edit(text.as_bytes(), old, "", Occurrences::All).unwrap();
        assert_eq!(plan.change.text, expected, "{text:?} without {old:?}");
    };
    check("x\nx\ny\n", "x", "y\n");
    check("\nfoo\nfoo\nz\n", "\nfoo", "\nz\n");
    check("a x\nx b\nx\n", "x", "a \n b\n");
}

#[test]
fn an_oversized_result_is_refused_before_it_is_built() {
    let bytes = "a".repeat(1000);
    let new = "b".repeat(100_000);
    let file = TextFile::decode(bytes.as_bytes()).unwrap();
    let seen = LineRanges::new();
    let error = plan_edit(&file, &request("a", &new, Occurrences::All, &seen)).unwrap_err();
    assert_eq!(
        (error.code(), error.reason()),
        ("FILE_TOO_LARGE", Some("result"))
    );
}

#[test]
fn what_cannot_be_encoded_is_named() {
    // GBK for a Chinese comment.
    let bytes = b"# \xC5\xE4\xD6\xC3\xCE\xC4\xBC\xFE\xA3\xBA\xB7\xFE\xCE\xF1\xC6\xF7\nx = 1\n";
    let error = edit(
        bytes,
        "x = 1",
        "x = 2\ny = '😀 🎉 ok 🚀 🧪'",
        Occurrences::One,
    )
    .unwrap_err();
    let text = error.message("f");
    assert_eq!(error.code(), "ENCODING_UNMAPPABLE");
    for part in ["gbk", "U+1F600", "2:6", "U+1F389", "2:8", "U+1F680", "2:13"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("U+1F9EA"), "only the first three: {text}");
}

#[test]
fn no_look_alike_is_written() {
    // Shift_JIS has no yen sign of its own; its encoder would write a backslash.
    let file = case_file("edit-cases.json");
    let cases = file["cases"].as_array().unwrap();
    let case = cases.iter().find(|case| case["id"] == "ENC-007").unwrap();
    let bytes = case_bytes(&case["before"]).unwrap();
    let error = edit(&bytes, "5000", "\u{A5}3000", Occurrences::One).unwrap_err();
    assert_eq!(error.code(), "ENCODING_UNMAPPABLE");
}

#[test]
fn undecodable_bytes_are_named() {
    let bytes = "ключ и ещё\nx \u{0}".replace('\u{0}', "").into_bytes();
    let bytes = [bytes, b"\xFF = 1\n".to_vec()].concat();
    let error = edit(&bytes, "x \u{FFFD}", "y", Occurrences::One).unwrap_err();
    assert!(
        error
            .message("f")
            .contains("1 undecodable bytes of this file (at line:column 2:3)"),
        "{error}"
    );
}
