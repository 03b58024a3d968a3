//! What a file is, its bytes decide; what it is like, a change keeps.

use crate::edits::ends;
use crate::program::Ended;
use crate::provider::Request;
use crate::scene::Scene;
use protocol::item::ToolItem;
use protocol::tool_call::CallStatus;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;

/// The longest a call on a strange path may take, in milliseconds.
const MAX_CALL_MS: u64 = 3_000;
/// What stands for bytes that could not be decoded, in UTF-8.
const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();

#[test]
fn rw_01_the_byte_order_mark_and_line_ends_survive() {
    let scene = Scene::of("RW-01");
    let (ended, provider) = scene.play();
    assert_eq!(ends(&ended.calls()), [(CallStatus::Ok, None); 3]);
    let shown = &provider.last().results()[0];
    assert!(!shown.contains('\u{FEFF}'), "{shown}");
    assert_eq!(
        scene.bytes("Account.vb"),
        scene.case.bytes("expected/Account.vb")
    );
}

#[test]
fn rw_02_other_encodings_are_kept() {
    let scene = Scene::of("RW-02");
    let mut entries = scene.case.turns(&scene.workspace);
    entries.truncate(2);
    entries.push(json!({"text": "Done."}));
    let provider = scene.model(&entries);
    let run = scene.run(&provider).approve("all");
    let ended = run.say("go").end().completed();
    check_encodings(&scene, &ended, 2);

    let scene = Scene::of("RW-02");
    let (ended, _provider) = scene.play();
    check_encodings(&scene, &ended, 3);
}

/// Each of the last calls either did exactly what was asked or was refused before the person was asked.
fn check_encodings(scene: &Scene, ended: &Ended, n_changes: usize) {
    let calls = ended.calls();
    let changes = &calls[calls.len() - n_changes..];
    let is_done = |call: &&ToolItem| call.status == Some(CallStatus::Ok);
    assert_eq!(
        ended.asks().len(),
        changes.iter().filter(is_done).count(),
        "what is refused was not asked"
    );
    let mut names = vec!["menu.txt"];
    if n_changes == 2 {
        names.push("limits.py");
    }
    for (name, call) in names.into_iter().zip(changes) {
        let expected = match is_done(&call) {
            true => format!("expected/{name}"),
            false => format!("input/ws/{name}"),
        };
        assert_eq!(scene.bytes(name), scene.case.bytes(&expected), "{name}");
    }
    for name in ["menu.txt", "limits.py"] {
        assert!(!holds(&scene.bytes(name), REPLACEMENT), "{name}");
    }
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Plays the case of strange paths, then says one thing more in a new process.
fn strange_paths(scene: &Scene, seeing: &[&'static str]) -> (Ended, Request) {
    scene.run_script("input/setup.sh");
    let mut entries = scene.case.turns(&scene.workspace);
    let pipe = scene.file("pipe.txt");
    let edit = json!({"file_path": pipe, "old_string": "a", "new_string": "b"});
    entries.push(json!({"calls": [{"tool": "edit", "args": edit}]}));
    entries.extend([json!({"text": "Done."}), json!({"text": "Yes."})]);
    let provider = scene.model(&entries);
    let run = scene.run(&provider).approve("all").with(seeing);
    let ended = run.say("go").end().completed();
    let run = scene.run(&provider).go_on().with(seeing);
    run.say("still there?").end().completed();
    provider.check_requests();
    (ended, provider.last())
}

fn pictures(request: &Request) -> Vec<String> {
    let people = request.of("user");
    let parts = people
        .iter()
        .flat_map(|message| message["content"].as_array().into_iter().flatten());
    parts
        .filter_map(|part| part["image_url"]["url"].as_str())
        .map(str::to_owned)
        .collect()
}

#[test]
fn rw_03_paths_are_what_their_bytes_say() {
    let scene = Scene::of("RW-03");
    let (ended, last) = strange_paths(&scene, &["--vision"]);
    let calls = ended.calls();
    assert_eq!(
        ends(&calls),
        [
            (CallStatus::Ok, None),
            (CallStatus::Ok, None),
            (CallStatus::Error, Some("BINARY_FILE")),
            (CallStatus::Error, Some("TARGET_NOT_REGULAR_FILE")),
            (CallStatus::Error, Some("PATH_FORBIDDEN")),
            (CallStatus::Error, Some("TARGET_NOT_REGULAR_FILE")),
            (CallStatus::Error, Some("TARGET_NOT_REGULAR_FILE")),
        ]
    );
    for call in &calls {
        assert!(call.ms.is_some_and(|ms| ms < MAX_CALL_MS), "{call:?}");
    }
    let results = last.results();
    assert!(results[0].contains("Please sign in"), "{}", results[0]);
    let pictures = pictures(&last);
    assert_eq!(pictures.len(), 1);
    assert!(
        pictures[0].starts_with("data:image/png;base64,iVBORw0KGgo"),
        "{}",
        pictures[0]
    );
}

#[test]
fn rw_03_a_model_that_does_not_see_is_told_so() {
    let scene = Scene::of("RW-03");
    let (_ended, last) = strange_paths(&scene, &[]);
    assert_eq!(pictures(&last), Vec::<String>::new());
    let result = &last.results()[1];
    assert!(result.contains("cannot see images"), "{result}");
}

#[test]
fn rw_04_cells_land_where_asked_and_nothing_else_moves() {
    let scene = Scene::of("RW-04");
    let (ended, provider) = scene.play();
    let ok = (CallStatus::Ok, None);
    let calls = ended.calls();
    assert_eq!(
        ends(&calls),
        [
            ok,
            ok,
            ok,
            ok,
            (CallStatus::Error, Some("NOTEBOOK_EDIT_FAILURE"))
        ]
    );
    assert_eq!(ended.asks().len(), 3, "what cannot be done is not asked");
    let bytes = scene.bytes("study.ipynb");
    assert!(bytes.ends_with(b"}\n"));
    let before: Value = serde_json::from_slice(&scene.case.bytes("input/ws/study.ipynb")).unwrap();
    let after: Value = serde_json::from_slice(&bytes).unwrap();
    let cells = after["cells"].as_array().unwrap();
    let sources: Vec<String> = cells.iter().map(source).collect();
    assert_eq!(
        sources,
        [
            "intro",
            "# Title\ntext",
            "import math\nprint('hi')",
            "y = 2",
            "x = 10"
        ]
    );
    assert_eq!(
        (&cells[1], &cells[2]),
        (&before["cells"][0], &before["cells"][1])
    );
    assert_eq!(cells[4]["id"], "c3");
    assert_eq!(cells[4]["metadata"], json!({"collapsed": true}));
    for field in ["metadata", "nbformat", "nbformat_minor"] {
        assert_eq!(after[field], before[field], "{field}");
    }
    let ids: BTreeSet<&str> = cells
        .iter()
        .map(|cell| cell["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), cells.len(), "no id twice");
    let results = provider.last().results();
    let names: Vec<_> = fs::read_dir(&scene.workspace)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["study.ipynb"], "nothing else is left in the folder");
    for (result, place) in results[1..4].iter().zip(["cell 3", "cell 1", "cell 5"]) {
        assert!(result.contains(place), "{place}: {result}");
    }
}

fn source(cell: &Value) -> String {
    match &cell["source"] {
        Value::String(text) => text.clone(),
        lines => lines
            .as_array()
            .unwrap()
            .iter()
            .map(|line| line.as_str().unwrap())
            .collect(),
    }
}

/// The tools that a run with these settings declares.
fn declared(settings: Option<&str>) -> Vec<String> {
    let scene = Scene::of("RW-01");
    if let Some(settings) = settings {
        fs::write(scene.home().join("settings.json"), settings).unwrap();
    }
    let provider = scene.model(&[json!({"text": "Done."})]);
    scene.run(&provider).say("go").end().completed();
    provider.last().tools()
}

#[test]
fn patches_are_offered_where_the_settings_say_so() {
    let usual = declared(None);
    assert!(usual.iter().any(|name| name == "notebook_edit"));
    assert!(!usual.iter().any(|name| name == "apply_patch"));
    let asked = declared(Some("{\"apply_patch\": true}"));
    assert!(asked.iter().any(|name| name == "apply_patch"), "{asked:?}");
}

#[test]
fn a_patch_is_one_question_and_one_change() {
    let scene = Scene::of("RW-01");
    fs::write(
        scene.home().join("settings.json"),
        "{\"apply_patch\": true}",
    )
    .unwrap();
    let read = json!({"tool": "read_file", "args": {"file_path": scene.file("Account.vb")}});
    let patch = "*** Begin Patch\n*** Update File: Account.vb\n*** Move to: src/Account.vb\n@@\n-Public Class Fi\u{f3}k\n\
                 +Public Class Fi\u{f3}k2\n*** Add File: notes.txt\n+renamed\n*** End Patch";
    let patch = json!({"tool": "apply_patch", "args": {"patch": patch}});
    let entries = [
        json!({"calls": [read]}),
        json!({"calls": [patch]}),
        json!({"text": "Done."}),
    ];
    let provider = scene.model(&entries);
    let run = scene.run(&provider).approve("all");
    let ended = run.say("go").end().completed();
    provider.check_requests();
    assert_eq!(ends(&ended.calls()), [(CallStatus::Ok, None); 2]);
    assert_eq!(ended.asks().len(), 1);
    let before = scene.case.text("input/ws/Account.vb");
    let after = before.replacen("Fi\u{f3}k", "Fi\u{f3}k2", 1);
    assert_eq!(
        scene.bytes("src/Account.vb"),
        after.as_bytes(),
        "mark and line ends"
    );
    assert_eq!(scene.bytes("notes.txt"), b"renamed\n");
    assert!(!scene.file("Account.vb").exists());
}
