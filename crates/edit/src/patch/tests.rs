use super::*;
use proptest::prelude::*;

fn parsed(body: &str) -> Vec<FilePatch> {
    parse_patch(&format!("*** Begin Patch\n{body}*** End Patch\n")).expect(body)
}

fn patched(text: &str, body: &str) -> Result<String, ChunkError> {
    match parsed(&format!("*** Update File: f\n{body}")).as_slice() {
        [FilePatch::Update { chunks, .. }] => patched_text(text, chunks),
        other => panic!("one update expected, got {other:?}"),
    }
}

#[test]
fn files_are_added_deleted_updated_and_moved() {
    let files = parsed(
        "*** Add File: a b.txt\n+one\n++\n+\n*** Delete File: d\n  *** Update File: u\n*** Move to: v\n@@ fn x\n-a\n+b\n\n*** End of File\n",
    );
    let chunk = Chunk {
        after: Some("fn x".to_owned()),
        lines: vec![
            ChunkLine::Remove("a".to_owned()),
            ChunkLine::Add("b".to_owned()),
            ChunkLine::Keep(String::new()),
        ],
        at_end: true,
    };
    assert_eq!(
        files,
        [
            FilePatch::Add {
                path: "a b.txt".to_owned(),
                content: "one\n+\n\n".to_owned()
            },
            FilePatch::Delete {
                path: "d".to_owned()
            },
            FilePatch::Update {
                path: "u".to_owned(),
                move_to: Some("v".to_owned()),
                chunks: vec![chunk]
            },
        ]
    );
    assert_eq!(parsed(""), []);
    let wrapped = "<<'EOF'\n*** Begin Patch\n*** Delete File: d\n*** End Patch\nEOF\n";
    assert_eq!(parse_patch(wrapped).map(|files| files.len()), Ok(1));
}

#[test]
fn what_cannot_be_read_is_named_by_its_line() {
    let check = |text: &str, line: usize, words: &str| {
        let error = parse_patch(text).expect_err(text);
        assert_eq!(error.line, line, "{text}: {error}");
        assert!(error.problem.contains(words), "{text}: {error}");
    };
    check("", 1, "must begin");
    check("hello", 1, "must begin");
    check("*** Begin Patch\n", 1, "must end");
    check("\n\n*** Begin Patch\nx\n*** End Patch", 4, "expected");
    check(
        "*** Begin Patch\n*** Update File: f\n*** End Patch",
        2,
        "at least one chunk",
    );
    check(
        "*** Begin Patch\n*** Update File: f\n@@\n*** End Patch",
        3,
        "at least one line",
    );
    check(
        "*** Begin Patch\n*** Update File: f\n@@\n-a\nb\n*** End Patch",
        5,
        "begins with",
    );
    check(
        "*** Begin Patch\n*** Delete File: f\n*** End Patch\nx",
        4,
        "nothing may follow",
    );
}

#[test]
fn chunks_find_their_only_place() {
    let check = |text: &str, body: &str, expected: &str| {
        assert_eq!(patched(text, body).as_deref(), Ok(expected), "{body}");
    };
    check("a\nb\nc\n", "-b\n+B\n", "a\nB\nc\n");
    check("a\nb\nc", "@@\n b\n-c\n+C\n", "a\nb\nC");
    check("x\na\ny\na\n", "@@ y\n-a\n+b\n", "x\na\ny\nb\n");
    check(
        "a\nb\na\nb\n",
        "-a\n b\n+c\n*** End of File\n",
        "a\nb\nb\nc\n",
    );
    check("a\n1\na\n2\n", " 1\n@@\n-a\n+b\n", "a\n1\nb\n2\n");
    check("f {\n}\n", "@@ f {\n+  x\n", "f {\n  x\n}\n");
    check("a\n", "@@\n+z\n*** End of File\n", "a\nz\n");
    check("a", "@@\n+z\n*** End of File\n", "a\nz");
    check("", "@@\n+z\n*** End of File\n", "z\n");
    check("a\n", "-a\n", "");
    check(
        "say \u{201c}hi\u{201d}  \nnext\n",
        " say \"hi\"\n-next\n+then\n",
        "say \u{201c}hi\u{201d}  \nthen\n",
    );
}

#[test]
fn chunks_without_one_place_are_refused() {
    let check = |text: &str, body: &str, code: &str, words: &str| {
        let error = patched(text, body).expect_err(body);
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    };
    check("a\nb\n", "-c\n+C\n", "EDIT_NO_OCCURRENCE_FOUND", "chunk 1");
    check(
        "b\na\n",
        "-a\n+A\n@@\n-b\n+B\n",
        "EDIT_NO_OCCURRENCE_FOUND",
        "chunk 2",
    );
    check(
        "a\na\n",
        "-a\n+A\n",
        "EDIT_EXPECTED_OCCURRENCE_MISMATCH",
        "lines 1, 2",
    );
    check(
        "x\nx\na\n",
        "@@ x\n-a\n",
        "EDIT_EXPECTED_OCCURRENCE_MISMATCH",
        "lines 1, 2",
    );
    check(
        "abc \nabc\t\n",
        "-abc\n",
        "EDIT_AMBIGUOUS_FUZZY_MATCH",
        "2 places",
    );
    check("} \n", "-}\n", "EDIT_NO_OCCURRENCE_FOUND", "`}`");
    check("a\n", "@@\n+z\n", "INVALID_TOOL_PARAMS", "End of File");
    check(
        "a\nb\n",
        "-a\n*** End of File\n",
        "EDIT_NO_OCCURRENCE_FOUND",
        "`a`",
    );
}

/// Few lines, so that some occur more than once.
fn file() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[ab]{0,2} ?", 0..8)
}

proptest! {
    #[test]
    fn a_patch_does_what_its_lines_say_or_nothing(
        lines in file(),
        at in 0usize..8,
        n_old in 0usize..4,
        new in prop::collection::vec("[a-c]{0,2}", 0..3),
        is_terminated: bool,
    ) {
        let at = at.min(lines.len());
        let end = (at + n_old).min(lines.len());
        let mut text = lines.join("\n");
        if is_terminated && !lines.is_empty() {
            text.push('\n');
        }
        let old = crate::lines::lines(&text);
        prop_assume!(old.len() == lines.len());
        let mut chunk = Chunk::default();
        chunk.lines.extend(lines[at..end].iter().cloned().map(ChunkLine::Remove));
        chunk.lines.extend(new.iter().cloned().map(ChunkLine::Add));
        prop_assume!(!chunk.lines.is_empty());
        let Ok(patched) = patched_text(&text, &[chunk]) else {
            return Ok(());
        };
        let mut expected: Vec<&str> = old[..at].to_vec();
        expected.extend(new.iter().map(String::as_str));
        expected.extend(&old[end..]);
        let now = crate::lines::lines(&patched);
        // Where no place was named the only place is this one; a final blank line of an open text is no line.
        if expected.last().is_some_and(|line| !line.is_empty()) || text.ends_with('\n') {
            prop_assert_eq!(now, expected);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(\\*\\*\\* (Begin|End) Patch\n|\\*\\*\\* (Add|Update|Delete) File: f\n|@@ ?x?\n|[ +-]?y\n|\\*\\*\\* End of File\n|EOF\n){0,12}") {
        if let Err(error) = parse_patch(&text) {
            prop_assert!(error.line <= text.lines().count().max(1) + 1);
        }
    }
}
