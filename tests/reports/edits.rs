//! Edits find one real place, write what was asked literally, and follow each other.

use crate::scene::Scene;
use protocol::confirmation::{Ask, Preview};
use protocol::diff::FileDiff;
use protocol::item::ToolItem;
use protocol::tool_call::CallStatus;
use std::fs;

/// How each call ended, with the code of its failure.
fn ends(calls: &[ToolItem]) -> Vec<(CallStatus, Option<&str>)> {
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
