use super::*;
use protocol::diff::{DiffStat, Eol, FileDiff};
use protocol::tool_call::MatchLine;
use serde_json::json;

#[test]
fn short_arguments_stay_as_they_are() {
    let value = json!({"file_path": "/w/a.rs", "limit": 5, "nested": {"deep": [1, 2, "x"]}});
    assert_eq!(args(&value), value);
}

#[test]
fn arguments_always_fit() {
    let long = "日本".repeat(5000);
    let many: Vec<Value> = (0..500)
        .map(|n| json!({"path": format!("/{n}"), "text": long}))
        .collect();
    for value in [
        json!({"content": long}),
        json!({"edits": many}),
        json!(many),
    ] {
        assert!(args(&value).to_string().len() <= MAX_ARGS_BYTES);
    }
    let cut = args(&json!({"file_path": "/w/a.rs", "content": long}));
    assert_eq!(cut["file_path"], "/w/a.rs", "what is short stays");
    assert!(
        cut["content"]
            .as_str()
            .is_some_and(|text| text.ends_with('…'))
    );
}

#[test]
fn a_message_is_whole_up_to_its_limit() {
    let text = |n: usize| Block::Text {
        text: "x".repeat(n),
        meta: None,
    };
    let lengths = |all: &[Block]| -> Vec<usize> {
        blocks(all)
            .iter()
            .map(|block| match block {
                Block::Text { text, .. } => text.len(),
                _ => 0,
            })
            .collect()
    };
    assert_eq!(lengths(&[text(MAX_MESSAGE_BYTES)]), [MAX_MESSAGE_BYTES]);
    assert_eq!(lengths(&[text(MAX_MESSAGE_BYTES + 1)]), [MAX_MESSAGE_BYTES]);
    assert_eq!(
        lengths(&[text(MAX_MESSAGE_BYTES), text(5)]),
        [MAX_MESSAGE_BYTES, 0]
    );
}

fn diff(lines: usize) -> Display {
    let line = "+ a line of text that is added\n";
    Display::FileDiff {
        diff: Box::new(FileDiff {
            file_path: "/w/a".to_owned(),
            display_path: "a".to_owned(),
            is_new: false,
            unified_diff: line.repeat(lines),
            base_text: Some("base\n".repeat(lines)),
            new_text: Some("new\n".repeat(lines)),
            stat: DiffStat::default(),
            layer: "L1".to_owned(),
            encoding: "utf-8".to_owned(),
            encoding_guessed: false,
            bom: false,
            eol: Eol::Lf,
            warnings: Vec::new(),
            changed_by_user: false,
            notebook: None,
        }),
    }
}

#[test]
fn a_diff_stays_whole_while_it_fits() {
    assert_eq!(display(&diff(100)), diff(100));
}

#[test]
fn a_large_diff_loses_its_texts_first_and_ends_at_a_line() {
    let Display::FileDiff { diff } = display(&diff(10_000)) else {
        panic!("still a diff")
    };
    assert_eq!((diff.base_text, diff.new_text), (None, None));
    assert!(diff.unified_diff.ends_with("added\n"));
    assert!(diff.unified_diff.len() <= MAX_DISPLAY_BYTES / 2);
}

#[test]
fn a_diff_without_its_texts_is_kept_whole_where_that_is_enough() {
    let Display::FileDiff { diff: short } = display(&diff(1700)) else {
        panic!("still a diff")
    };
    let Display::FileDiff { diff: whole } = diff(1700) else {
        panic!("a diff")
    };
    assert_eq!((&short.base_text, &short.new_text), (&None, &None));
    assert_eq!(short.unified_diff, whole.unified_diff);
}

#[test]
fn every_kind_of_display_fits() {
    let long = "ä".repeat(100_000);
    let hit = MatchLine {
        path: "p".to_owned(),
        line: 1,
        text: long.clone(),
    };
    let large = [
        diff(100_000),
        Display::Text { text: long.clone() },
        Display::Terminal {
            shell_id: "s".into(),
            command: long.clone(),
            cwd: "/".to_owned(),
            exit_code: None,
            signal: None,
            tail: long.clone(),
            lines: 1,
        },
        Display::Matches {
            summary: long.clone(),
            hits: vec![hit; 300],
            incomplete: false,
        },
        Display::FileList {
            summary: String::new(),
            paths: vec!["a/path".to_owned(); 50_000],
        },
        Display::Answers {
            lines: vec![long; 300],
        },
    ];
    for one in large {
        let short = display(&one);
        assert!(serde_json::to_string(&short).unwrap().len() <= MAX_DISPLAY_BYTES);
        assert_ne!(short, Display::None, "something is left of {one:.40?}");
    }
}
