//! A question that is open while the world goes on.

use crate::program::{Ended, Program};
use crate::provider::Provider;
use crate::scene::Scene;
use protocol::confirmation::{Ask, AskState, Decision, Scope};
use protocol::event::SessionEvent;
use protocol::item::ItemBody;
use protocol::tool_call::CallStatus;
use serde_json::json;
use std::fs;

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
