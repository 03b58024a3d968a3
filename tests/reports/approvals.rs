//! A question that is open while the world goes on.

use crate::program::{Ended, Program, calls};
use crate::provider::Provider;
use crate::scene::Scene;
use protocol::confirmation::{Ask, AskState, Decision, Scope};
use protocol::event::SessionEvent;
use protocol::item::ItemBody;
use protocol::tool_call::CallStatus;
use serde_json::json;
use std::fs;
use std::time::SystemTime;

/// The only file of the case about rejection.
const FIXTURE: &str = "fixture.txt";
const ALLOW: Decision = Decision::Allow { scope: Scope::Once };
const CLOSE: Decision = Decision::Deny { words: None };

/// Until the question about the edit is open, and the person has saved the file in another editor meanwhile.
fn until_saved_elsewhere(scene: &Scene) -> (Program, Provider, Ask) {
    let mut entries = scene.case.turns(&scene.workspace);
    entries.push(json!({"text": "Done."}));
    let provider = scene.model(&entries);
    let mut program = scene.run(&provider).approve("ask").say("go");
    let ask = program.question();
    assert_eq!(ask.tool, "edit");
    fs::copy(
        scene.case.path("input/external.txt"),
        scene.file("plan.txt"),
    )
    .unwrap();
    (program, provider, ask)
}

fn is_stale(event: &SessionEvent) -> Option<()> {
    matches!(event, SessionEvent::AskChanged { ask } if ask.state == AskState::Stale).then_some(())
}

/// The person's file is as they saved it, and the model is told.
fn check(scene: &Scene, program: Program, provider: &Provider) -> Ended {
    let ended = program.end().completed();
    let calls = ended.calls();
    assert_eq!(calls.len(), 2);
    assert_eq!(
        scene.bytes("plan.txt"),
        scene.case.bytes("input/external.txt")
    );
    assert_ne!(calls[1].status, Some(CallStatus::Ok));
    let told = provider.last().results()[1].to_lowercase();
    assert!(told.contains("changed") && told.contains("read"), "{told}");
    provider.check_requests();
    ended
}

#[test]
fn st_01_the_file_changes_while_the_question_is_open() {
    let scene = Scene::of("ST-01");
    let (mut program, provider, ask) = until_saved_elsewhere(&scene);
    program.until("the person sees it", is_stale);
    program.answer(&ask, &ALLOW);
    program.answer(&ask, &CLOSE);
    let ended = check(&scene, program, &provider);
    let refused = ended.stderr.contains("changed on disk");
    assert!(
        refused,
        "what was on screen is not what would be done: {}",
        ended.stderr
    );
}

#[test]
fn st_01_the_answer_comes_before_the_change_is_noticed() {
    let scene = Scene::of("ST-01");
    let (mut program, provider, ask) = until_saved_elsewhere(&scene);
    program.answer(&ask, &ALLOW);
    // Noticed just before the answer or at the write: both are in time.
    let noticed = program.until("an end of the question", |event| match event {
        SessionEvent::ItemChanged { item } => match &item.body {
            ItemBody::Tool { tool } if tool.name == "edit" && tool.status.is_some() => Some(false),
            _ => None,
        },
        other => is_stale(other).map(|()| true),
    });
    if noticed {
        program.answer(&ask, &CLOSE);
    }
    check(&scene, program, &provider);
}

/// The file of the case and its folder, untouched.
struct Untouched {
    bytes: Vec<u8>,
    modified: SystemTime,
}

impl Untouched {
    fn of(scene: &Scene) -> Self {
        let modified = fs::metadata(scene.file(FIXTURE)).unwrap().modified();
        Self {
            bytes: scene.bytes(FIXTURE),
            modified: modified.unwrap(),
        }
    }

    #[track_caller]
    fn check(&self, scene: &Scene) {
        assert_eq!(scene.bytes(FIXTURE), self.bytes);
        let now = fs::metadata(scene.file(FIXTURE)).unwrap().modified();
        assert_eq!(now.unwrap(), self.modified);
        let names: Vec<_> = fs::read_dir(&scene.workspace)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, [FIXTURE], "no copy of the proposal in the folder");
    }
}

/// Until the question about the edit of a file that was read is open.
fn until_asked(scene: &Scene) -> (Program, Provider, Ask) {
    let read = json!({"tool": "read_file", "args": {"file_path": scene.file(FIXTURE)}});
    let mut entries = vec![json!({"calls": [read]})];
    entries.extend(scene.case.turns(&scene.workspace));
    entries.extend([json!({"text": "Done."}), json!({"text": "Going on."})]);
    let provider = scene.model(&entries);
    let mut program = scene.run(&provider).approve("ask").say("go");
    let ask = program.question();
    (program, provider, ask)
}

/// The call did not happen, and the model is told so when the person goes on.
fn check_not_done(scene: &Scene, provider: &Provider, words: &[&str]) {
    scene.run(provider).go_on().say("go on").end().completed();
    provider.check_requests();
    let last = provider.last();
    let result = last.results()[1].to_lowercase();
    assert!(
        words.iter().any(|word| result.contains(word)),
        "{words:?}: {result}"
    );
    assert!(!result.contains("updated"), "{result}");
    let calls = calls(&scene.stored(&scene.session().session_id).items);
    assert_ne!(calls[1].status, Some(CallStatus::Ok));
    assert!(calls[1].status.is_some(), "the call has an end");
}

#[test]
fn st_04_a_rejected_proposal_was_never_on_disk() {
    let scene = Scene::of("ST-04");
    let before = Untouched::of(&scene);
    let (mut program, provider, ask) = until_asked(&scene);
    before.check(&scene);
    program.answer(&ask, &CLOSE);
    program.end().completed();
    before.check(&scene);
    check_not_done(&scene, &provider, &["declined", "rejected"]);
    before.check(&scene);
}

#[test]
fn st_04_a_stop_while_the_question_is_open_is_no_approval() {
    let scene = Scene::of("ST-04");
    let before = Untouched::of(&scene);
    let (program, provider, _ask) = until_asked(&scene);
    program.interrupt();
    program.end();
    before.check(&scene);
    check_not_done(&scene, &provider, &["cancel", "stopped"]);
    before.check(&scene);
}

#[test]
fn st_04_an_end_while_the_question_is_open_is_no_approval() {
    let scene = Scene::of("ST-04");
    let before = Untouched::of(&scene);
    let (program, provider, _ask) = until_asked(&scene);
    program.kill();
    before.check(&scene);
    check_not_done(&scene, &provider, &["not run", "stopped", "cancel"]);
    before.check(&scene);
}

#[test]
fn st_04_a_text_that_was_refused_is_gone_with_the_question() {
    let scene = Scene::of("ST-04");
    let before = Untouched::of(&scene);
    let (mut program, provider, ask) = until_asked(&scene);
    let mut other = ask.clone();
    other.proposal_id = "another".into();
    let final_text = "state=should-not-exist # by hand\n".to_owned();
    program.answer(&other, &Decision::Modify { final_text });
    program.answer(&ask, &CLOSE);
    program.end().completed();
    before.check(&scene);
    check_not_done(&scene, &provider, &["declined", "rejected"]);
}
