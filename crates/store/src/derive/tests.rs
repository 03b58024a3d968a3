use super::*;
use protocol::ids::CallId;
use protocol::message::Reminder;
use serde_json::json;

const PLACE: Place<'_> = Place {
    seq: 5,
    turn: 2,
    ts: 99,
    workspace: "/home/me/project",
};

fn call(args: Value) -> LogEvent {
    LogEvent::ToolCall {
        call: ToolCall {
            call_id: CallId::from("c1"),
            name: "some_tool".to_owned(),
            args: CallArgs::Usable { value: args },
            meta: None,
        },
    }
}

#[test]
fn a_call_says_what_it_is_about() {
    let check = |args: Value, expected: &str| {
        let row = row(PLACE, 3, &call(args)).unwrap();
        assert_eq!(row.tool().unwrap().subject, expected);
        assert_eq!((row.item.step, row.status()), (3, Some("proposed")));
    };
    check(
        json!({"file_path": "/home/me/project/src/a.rs"}),
        "src/a.rs",
    );
    check(
        json!({"file_path": "/home/me/project-2/a.rs"}),
        "/home/me/project-2/a.rs",
    );
    check(json!({"path": "/home/me/project"}), "/home/me/project");
    check(json!({"pattern": "fn \\w+", "path": "/x"}), "fn \\w+");
    check(json!({"command": "  \ncargo test\nrm x"}), "cargo test");
    check(json!({"count": 3, "zzz": "first text"}), "first text");
    check(json!({}), "");
    check(
        json!({"command": "y".repeat(500)}),
        &format!("{}…", "y".repeat(197)),
    );
}

#[test]
fn unusable_arguments_are_shown_as_they_came() {
    let event = LogEvent::ToolCall {
        call: ToolCall {
            call_id: CallId::from("c1"),
            name: "edit".to_owned(),
            args: CallArgs::Unusable {
                error: protocol::tool_call::ArgsError::Truncated,
                raw: "{\"file_pa".to_owned(),
                detail: None,
            },
            meta: None,
        },
    };
    let row = row(PLACE, 0, &event).unwrap();
    assert_eq!(row.tool().unwrap().args, json!("{\"file_pa"));
}

#[test]
fn search_text_has_words_and_nothing_hidden() {
    let event = LogEvent::UserMessage {
        text: "visible".to_owned(),
        images: Vec::new(),
        reminders: vec![Reminder {
            code: "plan_mode".to_owned(),
            text: "hidden".to_owned(),
        }],
        steer: false,
    };
    assert_eq!(row(PLACE, 0, &event).unwrap().text, "visible");
    let event = LogEvent::AssistantMessage {
        request: 1,
        step: 1,
        blocks: vec![
            Block::Thinking {
                text: "thought".to_owned(),
                signature: None,
                redacted: None,
                meta: None,
            },
            Block::Text {
                text: "answer".to_owned(),
                meta: None,
            },
        ],
        stop: protocol::message::StopReason::EndTurn,
        raw_stop: None,
        usage: None,
        cost_micros: None,
        origin: protocol::message::Origin::default(),
    };
    assert_eq!(row(PLACE, 0, &event).unwrap().text, "answer");
}

#[test]
fn a_result_makes_a_call_searchable_up_to_its_limit() {
    let mut row = row(PLACE, 1, &call(json!({"command": "ls", "n": 1}))).unwrap();
    assert_eq!(row.text, "", "not before the result");
    let event = LogEvent::ToolResult {
        call_id: CallId::from("c1"),
        status: CallStatus::Ok,
        content: vec![Part::Text {
            text: "é".repeat(5000),
        }],
        is_error: false,
        ms: 1,
        failure: None,
        display: Display::None,
        edited: false,
        hint: None,
    };
    change_call(&mut row, 9, &event);
    assert_eq!(row.text, format!("some_tool\nls\n1\n{}", "é".repeat(2000)));
    let tool = row.tool().unwrap();
    assert_eq!(
        (tool.result_chars, row.result_seq, row.status()),
        (5000, Some(9), Some("ok"))
    );
    assert!(tool.result_text.as_ref().unwrap().len() < 4096);
}

#[test]
fn ends_of_turns_are_said_unless_all_went_well() {
    let check = |outcome: Outcome, expected: Option<(&str, &[&str])>| {
        let event = LogEvent::TurnEnded {
            outcome,
            message: None,
            steps: 1,
        };
        let body = row(PLACE, 0, &event).map(|row| row.item.body);
        let found = body.map(|body| match body {
            ItemBody::Notice { code, args, .. } => (code, args),
            other => panic!("a notice, not {other:?}"),
        });
        let expected = expected.map(|(code, args)| {
            (
                code.to_owned(),
                args.iter().map(|arg| (*arg).to_owned()).collect(),
            )
        });
        assert_eq!(found, expected);
    };
    check(Outcome::Completed, None);
    check(Outcome::Cancelled, Some(("cancelled", &[])));
    check(Outcome::MaxSteps, Some(("max_steps", &[])));
    check(
        Outcome::Error("rate_limit".to_owned()),
        Some(("error", &["rate_limit"])),
    );
}
