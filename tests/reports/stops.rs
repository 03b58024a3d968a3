//! After Stop the conversation is whole, and nothing of it goes on.

use crate::program::{Program, said};
use crate::provider::{Provider, Request};
use crate::scene::Scene;
use protocol::event::SessionEvent;
use protocol::session::Outcome;
use serde_json::{Value, json};
use std::fs;

/// The exit code of an interrupted program, as shells report it.
const INTERRUPTED: i32 = 130;
/// What runs when the model has its way.
const COMMAND: [&str; 2] = ["sleep", "61"];
/// The tool refuses to wait for nothing, unless the command says that it is meant.
const MEANT: &str = "sleep 61 # intentional-sleep: something to stop";

/// A model that first gives `entry`, and then has little to say.
fn model(scene: &Scene, entry: Value) -> Provider {
    scene.model(&[
        entry,
        json!({"text": "Going on."}),
        json!({"text": "Still here."}),
    ])
}

/// Text, a command that takes long, and a file to read.
fn two_calls(scene: &Scene) -> Value {
    let mut entry = scene.stream("input/two_calls_openai.sse");
    entry["subst"][COMMAND.join(" ")] = json!(MEANT);
    entry
}

/// Presses Stop, then goes on in the same session twice, each time in a new process.
fn check(scene: &Scene, program: Program, provider: &Provider) -> Request {
    program.interrupt();
    let ended = program.end();
    assert_eq!(ended.outcomes(), [Outcome::Cancelled], "{}", ended.stderr);
    assert_eq!(ended.code, Some(INTERRUPTED));
    scene.wait_for_no_process(&COMMAND);
    for words in ["go on", "and now?"] {
        scene.run(provider).go_on().say(words).end().completed();
    }
    assert_eq!(provider.requests().len(), 3);
    provider.check_requests();
    assert!(!scene.file("new.txt").exists());
    assert_eq!(scene.sessions().len(), 1);
    provider.last()
}

/// The answer before the stop is there once, and both of its calls say that the person stopped.
fn check_two_calls(scene: &Scene, request: &Request) {
    assert_eq!(request.count("Working."), 1);
    for id in ["call_1", "call_2"] {
        let result = request.result_of(id).to_lowercase();
        assert!(result.contains("the user"), "{result}");
        assert!(
            result.contains("cancel") || result.contains("stopped"),
            "{result}"
        );
    }
    let stored = said(&scene.stored(&scene.session().session_id).items);
    assert_eq!(
        stored,
        [
            "go",
            "Working.",
            "go on",
            "Going on.",
            "and now?",
            "Still here."
        ]
    );
}

#[test]
fn pr_03_stop_while_a_command_runs() {
    let scene = Scene::of("PR-03");
    let provider = model(&scene, two_calls(&scene));
    let program = scene.run(&provider).approve("all").say("go");
    scene.wait_for_process(&COMMAND);
    let request = check(&scene, program, &provider);
    check_two_calls(&scene, &request);
}

#[test]
fn pr_03_stop_while_a_question_is_open() {
    let scene = Scene::of("PR-03");
    let provider = model(&scene, two_calls(&scene));
    let mut program = scene.run(&provider).approve("ask").say("go");
    program.question();
    let request = check(&scene, program, &provider);
    check_two_calls(&scene, &request);
}

#[test]
fn pr_03_stop_while_a_call_is_arriving() {
    let scene = Scene::of("PR-03");
    let arguments =
        json!({"file_path": scene.file("new.txt"), "content": "half of it"}).to_string();
    let (half, _) = arguments.split_at(arguments.len() / 2);
    let call = json!({"index": 0, "id": "call_9", "type": "function", "function": {"name": "write_file", "arguments": half}});
    let chunk = json!({"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": null}]});
    let stream = scene.folder.path().join("half_call_openai.sse");
    fs::write(&stream, format!("data: {chunk}\n\n")).unwrap();
    let provider = model(&scene, json!({"stream": stream, "hold": true}));
    let mut program = scene.run(&provider).approve("all").say("go");
    program.until("half a call", |event| {
        matches!(event, SessionEvent::BlockDelta { .. }).then_some(())
    });
    let request = check(&scene, program, &provider);
    assert!(
        request.of("tool").is_empty(),
        "neither the half call nor a result of it"
    );
    assert!(
        request
            .of("assistant")
            .iter()
            .all(|message| message.get("tool_calls").is_none())
    );
}
