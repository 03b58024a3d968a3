//! Whatever form an answer arrives in, it is understood; what did not arrive whole is not acted upon.

use crate::program::{Ended, said};
use crate::provider::text;
use crate::scene::Scene;
use protocol::event::SessionEvent;
use protocol::item::{Item, ItemBody};
use protocol::message::StopReason;
use protocol::session::Outcome;
use protocol::tool_call::CallStatus;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Names of the streams in a folder of the case that speak the protocol of the program.
fn streams(scene: &Scene, fits: impl Fn(&str) -> bool) -> Vec<String> {
    let entries = fs::read_dir(scene.case.path("input")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names
        .filter(|name| name.ends_with(".sse") && fits(name))
        .collect();
    names.sort();
    names
        .into_iter()
        .map(|name| format!("input/{name}"))
        .collect()
}

#[test]
fn pr_01_every_legal_form_of_a_stream_gives_the_same_text() {
    let scene = Scene::of("PR-01");
    let expected = scene.case.text("expected/text.txt");
    let names = streams(&scene, |name| name.starts_with("openai_"));
    assert_eq!(names.len(), 7);
    let mut entries = Vec::new();
    for name in &names {
        entries.push(scene.stream(name));
        for cut in [1, 7] {
            let mut entry = scene.stream(name);
            entry["cut"] = json!(cut);
            entries.push(entry);
        }
    }
    let provider = scene.model(&entries);
    for entry in &entries {
        let ended = scene.run(&provider).say("hello").end().completed();
        assert_eq!(said(&ended.rows()), ["hello", &expected], "{entry}");
        let retried = ended
            .events
            .iter()
            .any(|event| matches!(event, SessionEvent::RetryWait { .. }));
        assert!(!retried, "{entry}");
    }
    assert_eq!(
        provider.requests().len(),
        entries.len(),
        "nothing was asked twice"
    );
    provider.check_requests();
    let sessions = scene.sessions();
    assert_eq!(sessions.len(), entries.len());
    for session in sessions {
        assert_eq!(
            said(&scene.stored(&session.session_id).items),
            ["hello", &expected]
        );
    }
}

#[test]
fn pr_01_a_stream_that_stops_before_its_end_is_interrupted() {
    let scene = Scene::of("PR-01");
    let mut entry = scene.stream("input/openai_lf.sse");
    entry["stop_after_events"] = json!(3);
    let provider = scene.model(&[entry]);
    let ended = scene.run(&provider).say("hello").end();
    assert_ne!(ended.code, Some(0));
    assert!(
        matches!(ended.outcomes()[..], [Outcome::Error(_)]),
        "{:?}",
        ended.outcomes()
    );
    provider.check_requests();
    let stored = scene.stored(&scene.session().session_id).items;
    assert_eq!(said(&stored), ["hello", "Keep [DONE] in this sentence. "]);
    let interrupted = |row: &Item| {
        matches!(
            &row.body,
            ItemBody::Assistant {
                stop: StopReason::Interrupted,
                ..
            }
        )
    };
    assert!(stored.iter().any(interrupted));
}

#[test]
fn pr_02_two_calls_stay_two_calls() {
    let scene = Scene::of("PR-02");
    let names = streams(&scene, |_| true);
    assert_eq!(names.len(), 5);
    for name in names {
        let provider = scene.model(&[scene.stream(&name), json!({"text": "Both read."})]);
        let ended = scene
            .run(&provider)
            .say("read both files")
            .end()
            .completed();
        let calls = ended.calls();
        let files = |path: &str| {
            calls
                .iter()
                .filter(|call| call.args["file_path"] == *scene.file(path).to_str().unwrap())
                .count()
        };
        assert_eq!(
            (calls.len(), files("a.txt"), files("b.txt")),
            (2, 1, 1),
            "{name}"
        );
        assert!(
            calls
                .iter()
                .all(|call| call.name == "read_file" && call.status == Some(CallStatus::Ok)),
            "{name}"
        );
        provider.check_requests();
        let request = provider.last();
        let messages = request.of("assistant");
        assert_eq!(messages.len(), 1, "{name}");
        let sent = messages[0]["tool_calls"].as_array().unwrap();
        assert_eq!(sent.len(), 2, "{name}");
        for call in sent {
            let arguments: Value =
                serde_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap();
            let path = Path::new(arguments["file_path"].as_str().unwrap());
            let content = fs::read_to_string(path).unwrap();
            let result = request.result_of(call["id"].as_str().unwrap());
            assert!(result.contains(content.trim()), "{name}: {result}");
        }
    }
}

#[test]
fn pr_04_a_blank_answer_with_a_silent_command_is_sent_back_without_blanks() {
    let scene = Scene::of("PR-04");
    let provider = scene.model(&[
        scene.stream("input/blank_then_call_openai.sse"),
        json!({"text": "Done."}),
    ]);
    scene
        .run(&provider)
        .approve("all")
        .say("go")
        .end()
        .completed();
    for words in ["next", "and another"] {
        scene
            .run(&provider)
            .approve("all")
            .go_on()
            .say(words)
            .end()
            .completed();
    }
    provider.check_requests();
    let result = &provider.last().results()[0];
    assert!(
        result.contains("(no output)") || result.contains("(empty)"),
        "{result}"
    );
    assert!(result.to_lowercase().contains("exit code"), "{result}");
}

#[test]
fn pr_04_an_answer_of_reasoning_alone_is_asked_for_again_and_leaves_nothing_empty() {
    let scene = Scene::of("PR-04");
    let empty = scene.stream("input/reasoning_only_openai.sse");
    let provider = scene.model(&[empty.clone(), json!({"text": "Done."})]);
    let ended = scene.run(&provider).say("go").end().completed();
    assert!(
        ended
            .events
            .iter()
            .any(|event| matches!(event, SessionEvent::RetryWait { .. }))
    );
    for words in ["next", "and another"] {
        scene.run(&provider).go_on().say(words).end().completed();
    }
    provider.check_requests();

    let silent = scene.model(&[empty]);
    let ended = scene.run(&silent).say("go").end();
    assert_eq!(
        ended.outcomes(),
        [Outcome::Error("empty_response".to_owned())]
    );
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("empty_response"), "{}", ended.stderr);
    silent.check_requests();
    let speaking = scene.model(&[json!({"text": "Here I am."})]);
    for words in ["next", "and another"] {
        scene.run(&speaking).go_on().say(words).end().completed();
    }
    speaking.check_requests();
}

#[test]
fn pr_04_a_blank_message_is_not_sent() {
    let scene = Scene::of("PR-04");
    let provider = scene.model(&[json!({"text": "Hello."})]);
    scene.run(&provider).say("hello").end().completed();
    let ended = scene.run(&provider).go_on().say("   ").end();
    assert_eq!(ended.code, Some(2));
    assert!(ended.events.is_empty());
    assert_eq!(provider.requests().len(), 1);
    assert_eq!(
        said(&scene.stored(&scene.session().session_id).items),
        ["hello", "Hello."]
    );
}

/// Served the same cut answer again and again, the turn ends soon and with words.
fn check_cut(scene: &Scene, name: &str) -> Ended {
    let provider = scene.model(&[scene.stream(name)]);
    let ended = scene.run(&provider).approve("all").say("write it").end();
    provider.check_requests();
    let requests = provider.requests().len();
    assert!((2..=4).contains(&requests), "{name}: {requests} requests");
    assert!(
        ended.asks().is_empty(),
        "{name}: a cut call is not asked about"
    );
    for call in ended.calls() {
        assert_eq!(call.status, Some(CallStatus::Invalid), "{name}");
    }
    let told = text(provider.last().of("tool")[0]);
    assert!(
        ["cut", "truncat", "limit"]
            .iter()
            .any(|word| told.contains(word)),
        "{told}"
    );
    ended
}

#[test]
fn pr_05_a_call_cut_off_by_the_output_limit_is_not_run() {
    let scene = Scene::of("PR-05");
    let names = streams(&scene, |name| name.ends_with("_openai.sse"));
    assert_eq!(names.len(), 2);
    for name in names {
        let ended = check_cut(&scene, &name);
        assert_eq!(ended.code, Some(1), "{name}");
        let words = ended.events.iter().any(|event| {
            matches!(
                event,
                SessionEvent::TurnEnded {
                    message: Some(_),
                    ..
                }
            )
        });
        assert!(words, "{name}: {:?}", ended.outcomes());
        assert!(
            ended.stderr.contains("the turn ended"),
            "{name}: {}",
            ended.stderr
        );
        for file in ["long.txt", "work/keep.txt"] {
            assert_eq!(
                scene.bytes(file),
                scene.case.bytes(&format!("input/ws/{file}")),
                "{name}"
            );
        }
    }
}
