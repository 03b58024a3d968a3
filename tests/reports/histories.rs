//! What was said stays, whatever happens to the program and to its files.

use crate::program::{self, Program, said};
use crate::provider::Provider;
use crate::scene::{Scene, copy_tree};
use protocol::event::SessionEvent;
use protocol::item::{Item, ItemBody};
use protocol::message::StopReason;
use protocol::session::SessionSummary;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const DATABASE: &str = "benchdog.db";

#[test]
fn hi_01_a_damaged_database_does_not_keep_the_program_from_starting() {
    let scene = Scene::of("HI-01");
    let provider = scene.model(&[json!({"text": "Hello."})]);
    for words in ["first", "second"] {
        scene.run(&provider).say(words).end().completed();
    }
    let good = scene.folder.path().join("good");
    copy_tree(&scene.home(), &good);
    for kind in ["garbage", "half", "zero", "header", "page"] {
        restore(&scene, &good);
        damage(&scene, kind);
        check_damaged(&scene, kind, &provider);
        restore(&scene, &good);
        assert_eq!(titles(&scene), ["second", "first"], "{kind}");
    }
}

/// The history as it was before any damage; what was set aside meanwhile stays.
fn restore(scene: &Scene, good: &Path) {
    for entry in fs::read_dir(scene.home()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with(DATABASE) {
            fs::remove_file(path).unwrap();
        }
    }
    copy_tree(good, &scene.home());
}

fn damage(scene: &Scene, kind: &str) {
    let status = Command::new("python3")
        .arg(scene.case.path("input/damage.py"))
        .arg(scene.home().join(DATABASE))
        .arg(kind)
        .status()
        .unwrap();
    assert!(status.success(), "{kind}");
}

fn titles(scene: &Scene) -> Vec<String> {
    scene
        .sessions()
        .into_iter()
        .map(|session| session.title)
        .collect()
}

fn check_damaged(scene: &Scene, kind: &str, provider: &Provider) {
    let damaged = fs::read(scene.home().join(DATABASE)).unwrap();
    let first = scene.print(&["sessions", "list", "--json"]);
    assert_eq!(first.code, Some(0), "{kind}: {}", first.stderr);
    let kept: Vec<PathBuf> = files(&scene.home())
        .into_iter()
        .filter(|path| fs::read(path).unwrap() == damaged)
        .collect();
    let told = kept
        .iter()
        .any(|path| first.stderr.contains(path.to_str().unwrap()));
    assert!(told, "{kind}: kept in {kept:?}, told: {}", first.stderr);
    assert_eq!(first.stderr.lines().count(), 1, "{kind}: {}", first.stderr);

    let ended = scene.run(provider).say("hello again").end().completed();
    assert_eq!(ended.stderr, "", "{kind}: told once");
    let sessions = scene.sessions();
    assert!(
        sessions
            .iter()
            .any(|session| session.title == "hello again"),
        "{kind}"
    );
    for session in sessions {
        assert!(
            !said(&scene.stored(&session.session_id).items).is_empty(),
            "{kind}"
        );
    }
}

/// All files under a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// A model for seven turns; the third reads a file, the sixth never ends.
fn seven_turns(scene: &Scene) -> Provider {
    let answer = |n: u32| json!({"text": format!("answer {n}")});
    let read = json!({"tool": "read_file", "args": {"file_path": scene.file("notes.txt")}});
    let half = json!({"text": "half of answer 6", "stop_after_events": 1, "hold": true});
    scene.model(&[
        answer(1),
        answer(2),
        json!({"calls": [read]}),
        answer(3),
        answer(4),
        answer(5),
        half,
        answer(7),
    ])
}

/// Ends the program without a word as soon as it shows something.
fn kill_at(mut program: Program, what: &str, shown: impl Fn(&SessionEvent) -> bool) {
    program.until(what, |event| shown(event).then_some(()));
    program.kill();
}

fn is_interrupted(row: &Item) -> bool {
    matches!(
        &row.body,
        ItemBody::Assistant {
            stop: StopReason::Interrupted,
            ..
        }
    )
}

#[test]
fn hi_02_killed_in_the_middle_nothing_is_lost_or_doubled() {
    let scene = Scene::of("HI-02");
    fs::write(scene.file("notes.txt"), "a note\n").unwrap();
    let provider = seven_turns(&scene);
    scene.run(&provider).say("say 1").end().completed();
    for n in 2..=5 {
        let words = format!("say {n}");
        scene.run(&provider).go_on().say(&words).end().completed();
    }
    let before = scene.session();

    let program = scene.run(&provider).go_on().say("say 6");
    kill_at(program, "half an answer", |event| {
        matches!(event, SessionEvent::BlockDelta { .. })
    });
    check_first_reopening(&scene);

    let program = scene.run(&provider).go_on().say("say 7");
    kill_at(program, "the answer", |event| match event {
        SessionEvent::ItemAdded { item } => matches!(item.body, ItemBody::Assistant { .. }),
        _ => false,
    });
    check_request(&provider);
    check_second_reopening(&scene, before);
}

/// Five whole turns and the question of the sixth.
fn check_first_reopening(scene: &Scene) {
    let mut stored = scene.stored(&scene.session().session_id).items;
    assert_eq!(program::calls(&stored).len(), 1);
    stored.retain(|row| !is_interrupted(row));
    let turn = |n| [format!("say {n}"), format!("answer {n}")];
    let mut expected: Vec<String> = (1..=5).flat_map(turn).collect();
    expected.push("say 6".to_owned());
    assert_eq!(said(&stored), expected);
}

/// The request after the first end tells everything once.
fn check_request(provider: &Provider) {
    provider.check_requests();
    assert_eq!(provider.requests().len(), 8);
    let request = provider.last();
    for n in 1..=7 {
        assert_eq!(request.count(&format!("say {n}")), 1, "say {n}");
    }
    for n in 1..=5 {
        assert_eq!(request.count(&format!("answer {n}")), 1, "answer {n}");
    }
}

/// What was shown as complete is there once, in the same session.
fn check_second_reopening(scene: &Scene, before: SessionSummary) {
    let after = scene.session();
    let stored = said(&scene.stored(&after.session_id).items);
    for words in ["say 6", "say 7", "answer 7"] {
        let times = stored.iter().filter(|text| *text == words).count();
        assert_eq!(times, 1, "{words}: {stored:?}");
    }
    assert_eq!(
        (after.session_id, after.title),
        (before.session_id, before.title)
    );
}
