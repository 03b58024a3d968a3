use protocol::settings::EditProfile;

use crate::error::EditError;
use crate::replace::{EditPlan, EditRequest, Occurrences, Reviewer, plan_edit};
use crate::seen::LineRanges;
use crate::test_support::MAX_TEST_BYTES;
use crate::text::TextFile;
use crate::warning::ConfirmReason;

fn request<'a>(old: &'a str, new: &'a str, seen: &'a LineRanges) -> EditRequest<'a> {
    EditRequest {
        old,
        new,
        occurrences: Occurrences::One,
        seen,
        file_name: "f.js",
        profile: EditProfile::Extended,
        reviewer: Reviewer::Person,
        max_result_bytes: MAX_TEST_BYTES,
    }
}

fn edit(bytes: &[u8], old: &str, new: &str) -> Result<EditPlan, EditError> {
    let file = TextFile::decode(bytes)?;
    plan_edit(&file, &request(old, new, &LineRanges::all(1000)))
}

/// The layer and the text after, or the code and the reason.
fn outcome(text: &str, old: &str, new: &str) -> (String, String) {
    match edit(text.as_bytes(), old, new) {
        Ok(plan) => (plan.layer.name().to_owned(), plan.change.text),
        Err(error) => (
            error.code().to_owned(),
            error.reason().unwrap_or_default().to_owned(),
        ),
    }
}

#[track_caller]
fn check(text: &str, old: &str, new: &str, expected: (&str, &str)) {
    let (what, rest) = outcome(text, old, new);
    assert_eq!(
        (what.as_str(), rest.as_str()),
        expected,
        "{text:?} {old:?} {new:?}"
    );
}

#[track_caller]
fn check_refused(text: &str, old: &str, new: &str, reason: &str) {
    check(text, old, new, ("EDIT_FUZZY_REFUSED", reason));
}

#[test]
fn lines_that_come_and_go_leave_their_neighbours_alone() {
    let text = "a \nbcd\t\ne\n";
    check(
        text,
        "a\nbcd\n",
        "a\nnew\nbcd\n",
        ("L3", "a \nnew\nbcd\t\ne\n"),
    );
    check(
        text,
        "a\nbcd\n",
        "new\na\nbcd\n",
        ("L3", "new\na \nbcd\t\ne\n"),
    );
    check(
        text,
        "a\nbcd\n",
        "a\nbcd\nnew\n",
        ("L3", "a \nbcd\t\nnew\ne\n"),
    );
    check(text, "a\nbcd\n", "a\n", ("L3", "a \ne\n"));
    check(text, "a\nbcd\n", "bcd\n", ("L3", "bcd\t\ne\n"));
    check(text, "a\nbcd", "a\nbcd\nnew", ("L3", "a \nbcd\t\nnew\ne\n"));
    check(text, "a\nbcd", "a", ("L3", "a \ne\n"));
    check(text, "a\nbcd", "x", ("L3", "x\ne\n"));
    check(text, "a\nbcd", "", ("L3", "e\n"));
    check(text, "a\nbcd", "1\n2\n3", ("L3", "1\n2\n3\ne\n"));
}

#[test]
fn breaks_of_lines_that_stay_stay() {
    let bytes = b"a \r\nbcd\ne \r\nf\n";
    let plan = edit(bytes, "a\nbcd\ne\n", "a\nB\ne\n").unwrap();
    assert_eq!(plan.change.bytes, b"a \r\nB\ne \r\nf\n");
    let plan = edit(bytes, "a\nbcd\ne\n", "a\ne\n").unwrap();
    assert_eq!(plan.change.bytes, b"a \r\ne \r\nf\n");
}

#[test]
fn undecodable_bytes_between_changed_lines_stay() {
    let head = "ключ и ещё ".as_bytes();
    let bytes = [b"one;\n".as_slice(), head, b"\xFF here\nthree_3;\n"].concat();
    let old = "one;\nключ и ещё \u{FFFD} here\nthree_3;\n";
    let error = edit(&bytes, old, "x").unwrap_err();
    assert_eq!(
        error.code(),
        "ENCODING_REPLACEMENT_CHAR",
        "it matches nothing"
    );

    // Shift_JIS 81 5F and 5C: lines that do not change are not encoded again.
    let line = b"\x93\xFA\x96\x7B\x8C\xEA\x82\xCC\x83\x65\x83\x4C\x83\x58\x83\x67 \x87\x90\n";
    let bytes = [b"first (1) \n".as_slice(), line, b"last (2) \n"].concat();
    let file = TextFile::decode(&bytes).unwrap();
    assert_eq!(file.encoding().label(), "shift_jis");
    let middle = file.text().lines().nth(1).unwrap().to_owned();
    let old = format!("first (1)\n{middle}\nlast (2)\n");
    let new = format!("first (3)\n{middle}\nlast (4)\n");
    let plan = edit(&bytes, &old, &new).unwrap();
    let expected = [b"first (3)\n".as_slice(), line, b"last (4)\n"].concat();
    assert_eq!(plan.change.bytes, expected);
}

#[test]
fn only_characters_that_change_are_in_doubt() {
    let text = "f(\u{201C}a\u{201D}, b\u{2013}c)\n";
    check(
        text,
        "f(\"a\", b-c)",
        "f(\"a\", b-d)",
        ("L2", "f(\u{201C}a\u{201D}, b\u{2013}d)\n"),
    );
    check(
        text,
        "f(\"a\", b-c)",
        "g(\"a\", b-c)",
        ("L2", "g(\u{201C}a\u{201D}, b\u{2013}c)\n"),
    );
    check_refused(
        text,
        "f(\"a\", b-c)",
        "f(\"a\", b-c-d)",
        "typography_in_changed_text",
    );
}

#[test]
fn a_place_that_is_not_seen_is_not_touched() {
    let text = "say \u{201C}abc\u{201D}\nx\n";
    let file = TextFile::decode(text.as_bytes()).unwrap();
    let seen: LineRanges = std::iter::once(2..3).collect();
    let error = plan_edit(&file, &request("say \"abc\"", "say \"abd\"", &seen)).unwrap_err();
    assert_eq!(error.reason(), Some("unseen_lines"));
    assert!(!error.to_string().contains('\u{201C}'), "{error}");
    // An exact text was reproduced by the model; it has seen it somewhere.
    let exact = plan_edit(&file, &request("say \u{201C}abc\u{201D}", "x", &seen));
    assert!(exact.is_ok());
}

#[test]
fn all_places_of_a_safe_layer_change_at_once() {
    let file = TextFile::decode("a \u{2013} b\nx\na \u{2014} b\nabc  \n".as_bytes()).unwrap();
    let seen = LineRanges::all(4);
    let mut asked = request("a - b", "a - c", &seen);
    asked.occurrences = Occurrences::All;
    // Too few letters to be looked for.
    assert_eq!(
        plan_edit(&file, &asked).unwrap_err().code(),
        "EDIT_NO_OCCURRENCE_FOUND"
    );
    let file = TextFile::decode("one \u{2013} b\nx\none \u{2014} b\n".as_bytes()).unwrap();
    (asked.old, asked.new) = ("one - b", "one - c");
    let plan = plan_edit(&file, &asked).unwrap();
    assert_eq!(
        (plan.replaced, plan.change.text.as_str()),
        (2, "one \u{2013} c\nx\none \u{2014} c\n")
    );
    asked.new = "";
    assert_eq!(plan_edit(&file, &asked).unwrap().change.text, "x\n");
}

#[test]
fn indentation_is_shifted_in_one_way_only() {
    let text = "\t\tif a {\n\t\t\tgo_on();\n\t\t}\n";
    let (old, new) = (
        "if a {\n\tgo_on();\n}\n",
        "if b {\n\tgo_on();\n\tmore();\n}\n",
    );
    check(
        text,
        old,
        new,
        ("L6", "\t\tif b {\n\t\t\tgo_on();\n\t\t\tmore();\n\t\t}\n"),
    );
    let plan = edit(text.as_bytes(), old, new).unwrap();
    assert_eq!(plan.change.confirm_reasons, [ConfirmReason::Indentation]);
    // Widths of a TAB.
    for width in [2, 3, 4, 8] {
        let blanks = " ".repeat(width);
        let spaced = |text: &str| text.replace('\t', &blanks);
        let after = "\t\tif b {\n\t\t\tgo_on();\n\t\t}\n";
        check(text, &spaced(text), &spaced(after), ("L6", after));
        let (file, after) = (spaced(text), spaced(after));
        check(
            &file,
            text,
            "\t\tif b {\n\t\t\tgo_on();\n\t\t}\n",
            ("L6", &after),
        );
    }
    check_refused(
        "  abc()\n   bcd()\n",
        "abc()\nbcd()\n",
        "",
        "indent_nonuniform",
    );
    check_refused("\t abc()\n", "    abc()\n", "x\n", "indent_nonuniform");
    check_refused("\tabc()\n", "    abc()\n", "  \tx\n", "indent_unmappable");
}

#[test]
fn what_was_escaped_is_written_unescaped() {
    let check_l7 = |text: &str, old: &str, new: &str, after: &str| {
        check(text, old, new, ("L7", after));
    };
    check_l7("say(\"a\")\n", r#"say(\"a\")\n"#, "", "");
    check_l7("a\tb \\ c\n", r"a\tb \\ c", r"a\tb \\ d", "a\tb \\ d\n");
    check_refused(
        "x = \"a\"\n",
        r#"x = \"a\""#,
        r#"x = "b\""#,
        "escape_inconsistent",
    );
    check_refused(
        "x = \"a\"\n",
        r#"x = \"a\""#,
        r"x = \u0041",
        "escape_inconsistent",
    );
}

#[test]
fn made_up_blank_lines_are_dropped_from_both_texts() {
    let text = "head\n  foo_bar()  \ntail\n";
    check(
        text,
        "\n  foo_bar()\n\n",
        "\n  foo_baz()\n\n",
        ("L8", "head\n  foo_baz()\ntail\n"),
    );
    check(
        text,
        "\n  foo_bar()\n",
        "\n\n  foo_baz()\n",
        ("L8", "head\n\n  foo_baz()\ntail\n"),
    );
    check_refused(
        text,
        "\n  foo_bar()\n\n",
        "\n  foo_baz()\n",
        "boundary_mismatch",
    );
    check_refused(
        text,
        "\n  foo_bar()\n",
        "\n  foo_baz()",
        "boundary_mismatch",
    );
    check_refused(text, "\n  foo_bar()\n", "\n\n", "boundary_mismatch");
}

#[test]
fn white_space_is_collapsed_where_it_means_nothing() {
    let text = "  f( a,\tb )\n  g()\n";
    check(
        text,
        "f( a, b )\ng()\n",
        "f( a, c )\ng()\n",
        ("X1", "  f( a, c )\n  g()\n"),
    );
    check(text, "  f( a, b )\n", "", ("X1", "  g()\n"));
    check(text, "  f( a, b )", "", ("X1", "  g()\n"));
    check_refused(
        "let a  = 'x';\n",
        "let a = 'x';\n",
        "\n",
        "whitespace_in_quoted_line",
    );
    let file = TextFile::decode(text.as_bytes()).unwrap();
    let seen = LineRanges::all(2);
    let mut asked = request("  f( a, b )\n", "x\n", &seen);
    for name in ["f.py", "Makefile", "x.YAML"] {
        asked.file_name = name;
        let error = plan_edit(&file, &asked).unwrap_err();
        assert_eq!(error.reason(), Some("whitespace_sensitive_file"), "{name}");
    }
    asked.profile = EditProfile::Safe;
    assert_eq!(
        plan_edit(&file, &asked).unwrap_err().code(),
        "EDIT_NO_OCCURRENCE_FOUND"
    );
}

#[test]
fn drifted_lines_stay_and_are_never_changed() {
    let text = "begin_it();\n  let first = one(1);\n  let second = two(2);\n  end_it();\nrest\n";
    let old = "begin_it();\n  let first = one(1);\n  let second = two(3);\n  end_it();\n";
    let grown = old.replace("begin_it();\n", "begin_it();\n  more();\n");
    let after = text.replace("begin_it();\n", "begin_it();\n  more();\n");
    check(text, old, &grown, ("X2", &after));
    check_refused(text, old, "", "drifted_lines");
    check_refused(text, old, &old.replace("(3)", "(4)"), "drifted_lines");
    check_refused(text, old, "begin_it();\n  end_it();\n", "drifted_lines");
    check_refused(text, old, "x", "newline_mismatch");
    let indented = old.replace("  end_it", "end_it");
    check_refused(text, &indented, "x\n", "drifted_lines");
    let far = old.replace("two(3)", "a_wholly_other_call(\"with\", \"words\")");
    check_refused(
        text,
        &far,
        &far.replace("one(1)", "one(2)"),
        "drifted_lines",
    );
}

#[test]
fn the_exact_profile_has_one_layer() {
    let file = TextFile::decode(b"abc  \n").unwrap();
    let seen = LineRanges::all(1);
    let mut asked = request("abc\n", "x\n", &seen);
    asked.profile = EditProfile::Exact;
    assert_eq!(
        plan_edit(&file, &asked).unwrap_err().code(),
        "EDIT_NO_OCCURRENCE_FOUND"
    );
    asked.profile = EditProfile::Safe;
    assert!(plan_edit(&file, &asked).is_ok());
}

#[test]
fn where_nobody_can_be_asked_the_lines_are_told() {
    let file = TextFile::decode(b"    abc()\n    bcd()\n").unwrap();
    let seen = LineRanges::all(2);
    let mut asked = request("abc()\nbcd()\n", "abc()\nbce()\n", &seen);
    asked.reviewer = Reviewer::Nobody;
    let error = plan_edit(&file, &asked).unwrap_err();
    assert_eq!(
        (error.code(), error.reason()),
        ("EDIT_FUZZY_REFUSED", Some("needs_confirmation"))
    );
    assert!(
        error
            .to_string()
            .ends_with("The file has:\n1\t    abc()\n2\t    bcd()"),
        "{error}"
    );
    // What needs nobody passes.
    (asked.old, asked.new) = ("    abc()", "    x()");
    assert!(plan_edit(&file, &asked).is_ok());
}

#[test]
fn a_newline_alone_at_the_end_fits_nowhere() {
    check("abc", "\n", "x\n", ("EDIT_NO_OCCURRENCE_FOUND", ""));
}
