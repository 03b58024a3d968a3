//! The scripted model, played against tools that are made up.

use crate::support::{SESSION, collect, instant, settings, user};
use llm::{
    BlockEnd, DemoProvider, FailureKind, ModelRequest, Pace, Provider, ProviderEvent, Purpose,
    RequestCache, Script, ToolDeclaration, sample_project, shipped_script,
};
use protocol::ids::SessionId;
use protocol::message::{Block, Origin, Part, StopReason, ViewEntry};
use protocol::tool_call::{CallArgs, CallStatus, ToolCall};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// What a made-up tool gives.
struct Given {
    status: CallStatus,
    edited: bool,
    text: String,
}

fn given(status: CallStatus, text: &str) -> Given {
    Given {
        status,
        edited: false,
        text: text.to_owned(),
    }
}

/// A conversation with the demo.
struct Talk {
    provider: DemoProvider,
    tools: Arc<[ToolDeclaration]>,
    view: Vec<Arc<ViewEntry>>,
    workspace: tempfile::TempDir,
}

impl Talk {
    fn new(script: &str, tools: &[&str]) -> Self {
        let declare = |name: &&str| ToolDeclaration {
            name: (*name).to_owned(),
            description: String::new(),
            schema: json!({"type": "object"}),
        };
        Self {
            provider: instant(script),
            tools: tools.iter().map(declare).collect(),
            view: Vec::new(),
            workspace: tempfile::tempdir().unwrap(),
        }
    }

    async fn ask(&self, attempt: u32, purpose: Purpose) -> Vec<ProviderEvent> {
        let request = ModelRequest {
            session_id: &SessionId::from(SESSION),
            purpose,
            attempt,
            workspace: self.workspace.path(),
            model: &settings("demo"),
            system: &[],
            view: &self.view,
            tools: &self.tools,
            images: &|_| None,
        };
        let wire = self
            .provider
            .build(&request, &mut RequestCache::default())
            .unwrap();
        collect(&self.provider, wire).await
    }

    /// Plays a turn to its end and gives what was said and how it ended. Failures are tried again like the loop does.
    async fn turn(
        &mut self,
        text: &str,
        tool: impl Fn(&ToolCall) -> Given,
    ) -> (String, ProviderEvent) {
        self.view.push(user(text));
        let mut said = String::new();
        let mut attempt = 1;
        for _ in 0..30 {
            let events = self.ask(attempt, Purpose::Turn).await;
            let end = events.last().unwrap().clone();
            let (blocks, calls) = message(&events);
            for block in &blocks {
                if let Block::Text { text, .. } = block {
                    said.push_str(text);
                    said.push('\n');
                }
            }
            match end {
                ProviderEvent::Error(ref failure) if failure.retryable => attempt += 1,
                ProviderEvent::Stop { reason, .. } => {
                    attempt = 1;
                    self.keep(blocks, &calls, reason, &tool);
                    if calls.is_empty() {
                        return (said, end);
                    }
                }
                _ => return (said, end),
            }
        }
        panic!("the turn does not end: {said}");
    }

    fn keep(
        &mut self,
        blocks: Vec<Block>,
        calls: &[ToolCall],
        stop: StopReason,
        tool: &dyn Fn(&ToolCall) -> Given,
    ) {
        let origin = Origin {
            provider: "demo".to_owned(),
            model: "demo".to_owned(),
        };
        self.view.push(Arc::new(ViewEntry::Assistant {
            blocks,
            calls: calls.to_vec(),
            stop,
            origin,
        }));
        for call in calls {
            let Given {
                status,
                edited,
                text,
            } = tool(call);
            self.view.push(Arc::new(ViewEntry::Result {
                call_id: call.call_id.clone(),
                status,
                content: vec![Part::Text { text }],
                is_error: status != CallStatus::Ok,
                edited,
                hint: None,
            }));
        }
    }

    fn calls(&self) -> Vec<&ToolCall> {
        let calls = self.view.iter().filter_map(|entry| match &**entry {
            ViewEntry::Assistant { calls, .. } => Some(calls.iter()),
            _ => None,
        });
        calls.flatten().collect()
    }
}

fn message(events: &[ProviderEvent]) -> (Vec<Block>, Vec<ToolCall>) {
    let (mut blocks, mut calls) = (Vec::new(), Vec::new());
    for event in events {
        if let ProviderEvent::BlockStop { end, .. } = event {
            match end {
                BlockEnd::Content { content } => blocks.push(content.clone()),
                BlockEnd::Call { call } => calls.push(call.clone()),
                BlockEnd::Dropped => {}
            }
        }
    }
    (blocks, calls)
}

fn arguments(call: &ToolCall) -> &Value {
    match &call.args {
        CallArgs::Usable { value } => value,
        CallArgs::Unusable { .. } => panic!("the demo sends whole arguments: {call:?}"),
    }
}

const ALL_TOOLS: [&str; 8] = [
    "read_file",
    "edit",
    "grep_search",
    "glob",
    "list_directory",
    "run_shell_command",
    "todo_write",
    "ask_user_question",
];

/// Tools that all succeed, with the words the shipped script looks for.
fn helpful(call: &ToolCall) -> Given {
    let text = match call.name.as_str() {
        "list_directory" => "run-tests.sh  1.4 KB",
        "read_file" => "if (cups > 10) {\n- Nothing yet.",
        "grep_search" => "README.md:9: discount",
        "glob" => "orders/school-trip.txt",
        "run_shell_command" => "4 passed, 0 failed",
        _ => "done",
    };
    given(CallStatus::Ok, text)
}

fn is_completed(end: &ProviderEvent) -> bool {
    matches!(
        end,
        ProviderEvent::Stop {
            reason: StopReason::EndTurn,
            ..
        }
    )
}

#[tokio::test]
async fn the_tour_is_played_whole() {
    let mut talk = Talk::new(shipped_script(), &ALL_TOOLS);
    let (said, end) = talk.turn("Fix the failing test", helpful).await;
    assert!(is_completed(&end), "{end:?}");
    assert!(
        said.contains("Hello!") && said.contains("What happened"),
        "{said}"
    );
    assert!(
        said.contains("It is written") && !said.contains("Thank you for the change"),
        "{said}"
    );
    let names: Vec<&str> = talk.calls().iter().map(|call| call.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "list_directory",
            "read_file",
            "todo_write",
            "grep_search",
            "glob",
            "read_file",
            "edit",
            "edit",
            "ask_user_question",
            "run_shell_command",
            "todo_write",
        ],
    );
    let ids: Vec<&str> = talk
        .calls()
        .iter()
        .map(|call| call.call_id.as_str())
        .collect();
    assert_eq!(
        (ids[0], ids[10]),
        ("demo_1", "demo_11"),
        "ids count through the conversation"
    );
    let path = arguments(talk.calls()[1])["file_path"].as_str().unwrap();
    assert!(Path::new(path).is_absolute(), "{path}");
}

#[tokio::test]
async fn the_tour_follows_the_person() {
    let changed = |call: &ToolCall| match call.name.as_str() {
        "edit" if arguments(call)["old_string"] == "- Nothing yet." => {
            given(CallStatus::Denied, "declined")
        }
        "edit" => Given {
            edited: true,
            ..given(CallStatus::Ok, "The user changed the proposal")
        },
        _ => helpful(call),
    };
    let mut talk = Talk::new(shipped_script(), &ALL_TOOLS);
    let (said, end) = talk.turn("hello", changed).await;
    assert!(is_completed(&end), "{end:?}");
    assert!(
        said.contains("Thank you for the change") && said.contains("The user changed the proposal"),
        "{said}"
    );
    assert!(
        said.contains("I take it back") && !said.contains("It is written"),
        "{said}"
    );

    let declined = |call: &ToolCall| match call.name.as_str() {
        "edit" => given(CallStatus::Denied, "declined"),
        "run_shell_command" => given(CallStatus::Error, "3 passed, 1 failed"),
        _ => helpful(call),
    };
    let mut talk = Talk::new(shipped_script(), &ALL_TOOLS);
    let (said, end) = talk.turn("hello", declined).await;
    assert!(
        is_completed(&end),
        "a person may decline everything: {end:?}"
    );
    assert!(said.contains("A test still fails"), "{said}");
}

#[tokio::test]
async fn the_tour_notices_a_broken_tool() {
    let broken = |call: &ToolCall| match call.name.as_str() {
        "run_shell_command" => given(CallStatus::Error, "3 passed, 1 failed"),
        _ => helpful(call),
    };
    let mut talk = Talk::new(shipped_script(), &ALL_TOOLS);
    let (_, end) = talk.turn("hello", broken).await;
    let ProviderEvent::Error(failure) = end else {
        panic!("the edit was allowed, so the tests must pass: {end:?}");
    };
    assert_eq!(failure.kind, FailureKind::DemoExpectation);
    assert!(
        failure.message.contains("line ") && failure.message.contains("1 failed"),
        "{}",
        failure.message
    );
}

#[tokio::test]
async fn the_tour_goes_without_questions_and_in_chinese() {
    let tools: Vec<&str> = ALL_TOOLS
        .into_iter()
        .filter(|name| *name != "ask_user_question")
        .collect();
    let mut talk = Talk::new(shipped_script(), &tools);
    let (said, end) = talk.turn("你好", helpful).await;
    assert!(is_completed(&end), "{end:?}");
    assert!(said.contains("你好！") && said.contains("小结"), "{said}");
    assert!(
        talk.calls()
            .iter()
            .all(|call| call.name != "ask_user_question"),
        "it is not declared"
    );

    let (said, _) = talk.turn("测试", helpful).await;
    assert!(said.contains("全部通过"), "{said}");
    let (said, _) = talk.turn("再来", helpful).await;
    assert!(
        said.contains("演示用的脚本模型"),
        "the default answers what no turn answers: {said}"
    );
}

#[tokio::test]
async fn a_failure_is_met_once_per_try() {
    let talk = |script: &str| {
        let mut talk = Talk::new(script, &[]);
        talk.view.push(user("hi"));
        talk
    };
    let twice = talk("turn\nfail overloaded\nfail rate_limit\nsay at last");
    for (attempt, kind) in [(1, FailureKind::Overloaded), (2, FailureKind::RateLimit)] {
        let events = twice.ask(attempt, Purpose::Turn).await;
        assert!(
            matches!(&events[..], [ProviderEvent::Error(failure)] if failure.kind == kind),
            "{events:?}"
        );
    }
    let (blocks, _) = message(&twice.ask(3, Purpose::Turn).await);
    assert_eq!(
        blocks,
        [Block::Text {
            text: "at last".to_owned(),
            meta: None
        }]
    );

    let cut = talk("turn\nfail network after 4\nsay abcdefgh")
        .ask(1, Purpose::Turn)
        .await;
    let text: String = cut
        .iter()
        .filter_map(|event| match event {
            ProviderEvent::BlockDelta { delta, .. } => Some(delta.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(text, "abcd", "cut in the middle");
    assert!(
        matches!(cut.last(), Some(ProviderEvent::Error(failure)) if failure.kind == FailureKind::Network)
    );
}

#[tokio::test]
async fn places_are_filled_in() {
    let script = "turn\ncall t {\"a\": [\"${workspace}/x\", 1]}\nstep\nsay ${user}|${result.1}|${file:f.txt}|${result.2}";
    let mut talk = Talk::new(script, &["t"]);
    std::fs::write(talk.workspace.path().join("f.txt"), "file").unwrap();
    let long = "é".repeat(300);
    let (said, _) = talk.turn("hi", |_| given(CallStatus::Ok, &long)).await;
    assert_eq!(said, format!("hi|{}|file|\n", "é".repeat(200)));
    let inside = talk.workspace.path().join("x").display().to_string();
    assert_eq!(arguments(talk.calls()[0]), &json!({"a": [inside, 1]}));

    for path in ["../f.txt", "/etc/passwd", "missing.txt"] {
        let mut talk = Talk::new(&format!("turn\nsay ${{file:{path}}}"), &[]);
        let (_, end) = talk.turn("hi", helpful).await;
        assert!(
            matches!(&end, ProviderEvent::Error(failure) if failure.kind == FailureKind::DemoExpectation),
            "{end:?}"
        );
    }
}

#[tokio::test]
async fn a_step_without_words_is_passed_over_and_the_place_is_found_again() {
    let script = "turn\ncall t {}\nstep\nwhen denied\nsay no\nend\nstep\ncall u {}\nstep\nsay end";
    let mut talk = Talk::new(script, &["t", "u"]);
    let (said, end) = talk.turn("hi", helpful).await;
    assert_eq!(said, "end\n");
    assert!(is_completed(&end));
    let names: Vec<&str> = talk.calls().iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["t", "u"]);
}

#[tokio::test]
async fn titles_and_tokens() {
    let mut talk = Talk::new("title A tour\nturn\nusage 7 3\nsay x", &[]);
    talk.view.push(user("hi"));
    let (blocks, _) = message(&talk.ask(1, Purpose::Title).await);
    assert_eq!(
        blocks,
        [Block::Text {
            text: "A tour".to_owned(),
            meta: None
        }]
    );
    let events = talk.ask(1, Purpose::Turn).await;
    let counts = events.iter().find_map(|event| match event {
        ProviderEvent::Usage { usage } => Some((usage.input, usage.output)),
        _ => None,
    });
    assert_eq!(counts, Some((7, 3)));
}

#[tokio::test(start_paused = true)]
async fn words_come_one_by_one_at_the_speed_of_the_script() {
    let script = Script::parse("speed 10\nturn\nsay one two three").unwrap();
    let mut talk = Talk::new("turn\nsay x", &[]);
    talk.provider = DemoProvider::new(script, Pace::Scripted);
    talk.view.push(user("hi"));
    let start = tokio::time::Instant::now();
    let events = talk.ask(1, Purpose::Turn).await;
    let deltas = events
        .iter()
        .filter(|event| matches!(event, ProviderEvent::BlockDelta { .. }));
    assert_eq!(deltas.count(), 3);
    assert!(
        start.elapsed() >= std::time::Duration::from_millis(300),
        "three words take their time"
    );
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the tests of the sample project are a program"
)]
fn the_sample_project_fails_one_test_until_it_is_fixed() {
    let folder = tempfile::tempdir().unwrap();
    for file in sample_project() {
        let path = folder.path().join(file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, file.bytes).unwrap();
    }
    let run = || {
        let output = Command::new("sh")
            .arg("run-tests.sh")
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        (
            output.status.success(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let (passed, output) = run();
    assert!(!passed && output.contains("3 passed, 1 failed"), "{output}");

    let path = folder.path().join("lib/bill.awk");
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(
        text.matches("    if (cups > 10) {").count(),
        1,
        "the edit of the script has one place"
    );
    std::fs::write(&path, text.replace("cups > 10", "cups >= 10")).unwrap();
    let (passed, output) = run();
    assert!(passed && output.contains("4 passed, 0 failed"), "{output}");
}
