//! Edits find one real place, write what was asked literally, and follow each other.

use crate::scene::Scene;
use protocol::confirmation::{Ask, Preview};
use protocol::diff::FileDiff;
use protocol::item::ToolItem;
use protocol::tool_call::CallStatus;
use std::fs;

/// How each call ended, with the code of its failure.
pub(crate) fn ends(calls: &[ToolItem]) -> Vec<(CallStatus, Option<&str>)> {
    let mut ends = Vec::new();
    for ToolItem {
        status, failure, ..
    } in calls
    {
        let code = failure.as_ref().map(|failure| failure.code.as_str());
        ends.push((status.expect("the call ended"), code));
    }
    ends
}

fn diff(ask: &Ask) -> &FileDiff {
    match &ask.preview {
        Preview::Edit { diff } => diff,
        other => panic!("not the preview of an edit: {other:?}"),
    }
}

/// Lines added and removed.
fn counts(ask: &Ask) -> (u64, u64) {
    let stat = &diff(ask).stat;
    (stat.model_added_lines, stat.model_removed_lines)
}

#[test]
fn ed_01_a_match_is_contiguous_real_and_unique() {
    let scene = Scene::of("ED-01");
    let (ended, provider) = scene.play();
    assert_eq!(
        ends(&ended.calls()),
        [
            (CallStatus::Ok, None),
            (CallStatus::Error, Some("EDIT_NO_OCCURRENCE_FOUND")),
            (CallStatus::Error, Some("EDIT_EXPECTED_OCCURRENCE_MISMATCH")),
            (CallStatus::Ok, None),
        ]
    );
    let asks = ended.asks();
    assert_eq!(asks.len(), 1, "what cannot be done is not asked");
    assert_eq!(
        diff(&asks[0]).base_text.as_deref(),
        Some(scene.case.text("input/ws/theme.css").as_str()),
        "the file was as before until then"
    );
    let results = provider.last().results();
    assert!(results[2].contains('4'), "{}", results[2]);
    assert!(results[3].contains('4'), "{}", results[3]);
    assert_eq!(
        scene.bytes("theme.css"),
        scene.case.bytes("expected/after-step-4/theme.css")
    );
}

#[test]
fn ed_02_replacement_text_is_written_literally() {
    let scene = Scene::of("ED-02");
    let (ended, _provider) = scene.play();
    assert_eq!(ends(&ended.calls()), [(CallStatus::Ok, None); 3]);
    let asks = ended.asks();
    assert_eq!(counts(&asks[0]), (1, 1));
    let shown = &diff(&asks[0]).unified_diff;
    let written = scene.case.text("input/new_string_a.txt");
    let added = shown
        .lines()
        .find(|line| line.starts_with('+') && !line.starts_with("+++"));
    assert!(added.is_some_and(|line| line.contains(&written)), "{shown}");
    assert_eq!(
        scene.bytes("Makefile"),
        scene.case.bytes("expected/Makefile")
    );
}

#[test]
fn ed_03_a_tolerant_match_changes_only_its_own_place() {
    let scene = Scene::of("ED-03");
    let (ended, _provider) = scene.play();
    assert_eq!(ends(&ended.calls()), [(CallStatus::Ok, None); 2]);
    let expected = scene.case.bytes("expected/note.ts");
    assert_eq!(scene.bytes("note.ts"), expected);
    let before = scene.case.bytes("input/ws/note.ts");
    let changed = before
        .split(|byte| *byte == b'\n')
        .zip(expected.split(|byte| *byte == b'\n'))
        .filter(|(old, new)| old != new)
        .count();
    assert_eq!(counts(&ended.asks()[0]), (changed as u64, changed as u64));
    assert_eq!(changed, 1);
}

#[test]
fn ed_04_taking_out_a_part_of_a_line_never_joins_lines() {
    let scene = Scene::of("ED-04");
    let (ended, _provider) = scene.play();
    assert_eq!(ends(&ended.calls()), [(CallStatus::Ok, None); 8]);
    for name in ["settings.env", "settings-crlf.env"] {
        let expected = scene.case.bytes(&format!("expected/{name}"));
        assert_eq!(scene.bytes(name), expected, "{name}");
    }
}

#[test]
fn ed_05_line_ends_are_matched_as_shown_and_kept_as_they_are() {
    let scene = Scene::of("ED-05");
    let (ended, _provider) = scene.play();
    assert_eq!(ends(&ended.calls()), [(CallStatus::Ok, None); 4]);
    let mixed = scene.bytes("mixed.txt");
    let before = scene.case.bytes("input/ws/mixed.txt");
    let tail = mixed.strip_suffix(b"gamma\ndelta\r\nomega\n");
    let head = tail.expect("all behind the change is as before");
    let head = String::from_utf8(head.to_vec()).unwrap();
    assert_eq!(head.replace("\r\n", "\n"), "alpha\nBETA\n");
    assert_eq!(mixed.len(), before.len(), "no line end more or less");
    assert_eq!(counts(&ended.asks()[0]), (1, 1));
    assert_eq!(
        scene.bytes("crlf.txt"),
        scene.case.bytes("expected/crlf.txt")
    );
    for bytes in [mixed, scene.bytes("crlf.txt")] {
        assert!(!bytes.windows(3).any(|window| window == b"\r\r\n"));
    }
}

#[test]
fn st_02_several_edits_of_one_file_in_one_message_follow_each_other() {
    let scene = Scene::of("ST-02");
    let (ended, _provider) = scene.play();
    assert_eq!(ends(&ended.calls()), [(CallStatus::Ok, None); 4]);
    let asks = ended.asks();
    assert_eq!(asks.iter().map(counts).collect::<Vec<_>>(), [(1, 1); 3]);
    for pair in asks.windows(2) {
        let (before, after) = (diff(&pair[0]), diff(&pair[1]));
        assert_eq!(
            after.base_text, before.new_text,
            "the file as it is at that moment"
        );
    }
    assert_eq!(
        scene.bytes("numbers.txt"),
        scene.case.bytes("expected/numbers.txt")
    );
    let names: Vec<_> = fs::read_dir(&scene.workspace)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["numbers.txt"], "nothing else is left in the folder");
}

#[test]
fn st_03_a_long_file_read_in_part_can_be_edited() {
    let scene = Scene::of("ST-03");
    let unseen = scene.folder.path().join("outside-never-read.txt");
    fs::write(&unseen, "a\n").unwrap();
    let (ended, provider) = scene.play();
    let calls = ended.calls();
    assert_eq!(ends(&calls[..3]), [(CallStatus::Ok, None); 3]);
    assert_eq!(
        calls[3].status,
        Some(CallStatus::Error),
        "a file that was never read"
    );
    assert_eq!(fs::read(&unseen).unwrap(), b"a\n");
    assert_eq!(
        scene.bytes("Steps.kt"),
        scene.case.bytes("expected/Steps.kt")
    );
    let results = provider.last().results();
    assert!(results[0].contains("3000"), "there is more: {}", results[0]);
    assert!(
        results[0].contains("offset"),
        "and how to get it: {}",
        results[0]
    );
    for result in results {
        assert!(!result.to_lowercase().contains("binary"), "{result}");
    }
}
