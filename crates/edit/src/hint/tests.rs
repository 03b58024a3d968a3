use super::*;

fn hints(text: &str, old: &str, seen: &LineRanges) -> Hints {
    Hints::of(text, old, "", seen)
}

#[test]
fn the_most_similar_place_is_described() {
    let text = "fn a() {\n    say(\u{2018}hello\u{2019});\n}\nfn b() {\n    rest();\n}\n";
    let found = hints(text, "    say('hello');\n", &LineRanges::all(6));
    assert_eq!(
        found.to_string(),
        "\nSimilar text, not edited:\n- line 2 (88 % similar): first difference at 2:9 (typographic): the file has \
         U+2018 LEFT SINGLE QUOTATION MARK, old_string has U+0027 APOSTROPHE. Line 2 of the file: `    \
         say(\u{2018}hello\u{2019});`"
    );
}

#[test]
fn lines_that_were_not_shown_are_not_quoted() {
    let text = "secret = \"hunter2\"\nother\n";
    let found = hints(text, "secret = \"hunter3\"", &LineRanges::new());
    assert_eq!(found.candidates[0].difference, Difference::Unseen);
    let told = found.to_string();
    assert!(!told.contains("hunter"), "{told}");
    assert!(
        told.contains("line 1 (94 % similar): not read yet"),
        "{told}"
    );
}

#[test]
fn windows_have_as_many_lines_and_do_not_overlap() {
    let block = "if x {\n    go();\n}\n";
    let text = format!("{block}{block}first\n{block}\n{block}");
    let found = hints(&text, "if x {\n    stop();\n}\n", &LineRanges::all(20));
    let lines: Vec<_> = found
        .candidates
        .iter()
        .map(|candidate| candidate.lines.clone())
        .collect();
    assert_eq!(lines, [1..=3, 4..=6, 8..=10]);
}

#[test]
fn nothing_similar_is_said() {
    let found = hints(
        "let a = 1;\n",
        "completely different words here",
        &LineRanges::all(1),
    );
    assert_eq!(found, Hints::default());
    assert!(found.to_string().contains("No similar text"));
    assert_eq!(hints("", "abc", &LineRanges::new()), Hints::default());
}

#[test]
fn a_missing_final_newline_is_the_difference() {
    let found = hints("a\nreturn foo", "return foo\n", &LineRanges::all(2));
    assert_eq!(found.candidates[0].difference, Difference::NoFinalNewline);
    assert_eq!(found.candidates[0].similarity_percent, 100);
}

#[test]
fn an_edit_that_is_there_already_is_pointed_out() {
    let check = |text: &str, new: &str, expected: Option<usize>| {
        let found = Hints::of(text, "not there at all", new, &LineRanges::new());
        assert_eq!(found.applied_at, expected, "{new:?}");
    };
    let long = "new text here, long enough to be distinctive";
    check(&format!("x\n{long}\n"), long, Some(2));
    check(&format!("{long}\n{long}\n"), long, None);
    check("a\nb\nc\n", "a\nb\nc", Some(1));
    check("short\n", "short", None);
    check("x\n", "", None);
}

#[test]
fn large_files_are_searched_by_their_anchors() {
    let mut text: String = (0..30_000).map(|n| format!("line number {n}\n")).collect();
    text.push_str("begin block\n  one\nend block\n");
    let found = hints(&text, "begin block\n  two\nend block\n", &LineRanges::new());
    assert_eq!(found.candidates[0].lines, 30_001..=30_003);
}
