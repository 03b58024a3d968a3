//! Commands: asked for, watched, typed into, stopped.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use protocol::command::{CallOp, OwnTerminal, WriteTerminal};
use protocol::confirmation::{Decision, Preview, Scope};
use protocol::event::SessionEvent;
use protocol::item::ItemBody;
use protocol::session::Outcome;
use protocol::shell::{InputOwner, ShellInfo};
use protocol::tool_call::{CallStatus, Display};
use serde_json::json;
use tests::stage::op;
use tests::{Answer, Stage};

fn command(text: &str) -> Answer {
    Answer::Calls(vec![("run_shell_command", json!({ "command": text }))])
}

async fn running_shell(stage: &mut Stage) -> ShellInfo {
    stage
        .until("a shell", |envelope| match &envelope.event {
            SessionEvent::Shell { shell } => Some((**shell).clone()),
            _ => None,
        })
        .await
}

fn last_tool(items: &[protocol::item::Item]) -> &protocol::item::ToolItem {
    items
        .iter()
        .rev()
        .find_map(|item| match &item.body {
            ItemBody::Tool { tool } => Some(&**tool),
            _ => None,
        })
        .expect("a call")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_shown_is_what_runs_and_keys_reach_it() {
    let mut stage = Stage::new(vec![
        command("read -r name; echo \"hello $name\""),
        Answer::Text("Done."),
    ])
    .await;
    stage.say("go").await.unwrap();
    let ask = stage.question().await;
    let Preview::Exec { command, .. } = &ask.preview else {
        panic!("a command expected")
    };
    assert_eq!(command, "read -r name; echo \"hello $name\"");
    stage.allow(&ask).await;
    let shell = running_shell(&mut stage).await;
    let own = OwnTerminal {
        shell_id: shell.shell_id.clone(),
        owner: InputOwner::Human,
    };
    stage.workbench.own_terminal(own).await.unwrap();
    let keys = WriteTerminal {
        shell_id: shell.shell_id,
        bytes_base64: BASE64.encode("Ada\r"),
        hidden: false,
    };
    stage.workbench.write_terminal(keys).await.unwrap();
    assert_eq!(stage.outcome().await, Outcome::Completed);
    let snapshot = stage.snapshot().await;
    let tool = last_tool(&snapshot.items);
    assert_eq!(tool.status, Some(CallStatus::Ok));
    let Some(Display::Terminal { tail, .. }) = &tool.display else {
        panic!("a terminal expected")
    };
    assert!(tail.contains("hello Ada"), "{tail}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sed_is_shown_and_written_as_an_edit() {
    let answers = vec![
        command("sed -i 's/port = 80$/port = 8080/' app.toml"),
        Answer::Text("Done."),
    ];
    let files = [("app.toml", "name = 1\nport = 80\n")];
    let mut stage = Stage::with_files(answers, &files).await;
    stage.say("go").await.unwrap();
    let ask = stage.question().await;
    let Preview::Edit { diff } = &ask.preview else {
        panic!("an edit expected")
    };
    assert_eq!(diff.new_text.as_deref(), Some("name = 1\nport = 8080\n"));
    assert!(!ask.modifiable);
    assert!(ask.scopes.is_empty(), "the model has not read the file");
    stage.allow(&ask).await;
    assert_eq!(stage.outcome().await, Outcome::Completed);
    assert_eq!(stage.read("app.toml"), "name = 1\nport = 8080\n");
    let snapshot = stage.snapshot().await;
    let tool = last_tool(&snapshot.items);
    assert_eq!(tool.status, Some(CallStatus::Ok));
    assert!(matches!(tool.display, Some(Display::FileDiff { .. })));
    let told = stage.model.requests().pop().unwrap()["messages"].to_string();
    assert!(told.contains("sed edit applied to"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn where_edits_are_allowed_a_sed_on_a_file_that_was_read_passes() {
    let files = [("read.txt", "one\n"), ("unread.txt", "one\n")];
    let mut stage = Stage::with_files(Vec::new(), &files).await;
    let path = stage.path("read.txt");
    stage.model.play(vec![
        Answer::Calls(vec![("read_file", json!({ "file_path": path }))]),
        command("sed -i s/one/1/ read.txt"),
        command("sed -i s/1/I/ read.txt"),
        command("sed -i s/one/1/ unread.txt"),
        Answer::Text("Done."),
    ]);
    stage.say("go").await.unwrap();
    let ask = stage.question().await;
    let rules: Vec<_> = ask.scopes.iter().map(|offer| &offer.rules).collect();
    assert_eq!(rules, [&["Edit(workspace)"]]);
    let for_the_session = Decision::Allow {
        scope: Scope::Session,
    };
    stage.decide(&ask, for_the_session).await.unwrap();
    let ask = stage.question().await;
    assert_eq!(stage.read("read.txt"), "I\n", "the second was not asked");
    let Preview::Edit { diff } = &ask.preview else {
        panic!("an edit expected")
    };
    assert_eq!(diff.display_path, "unread.txt");
    stage.allow(&ask).await;
    assert_eq!(stage.outcome().await, Outcome::Completed);
    assert_eq!(stage.read("unread.txt"), "1\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_declined_command_does_not_run() {
    let stage_answers = vec![command("touch ran"), Answer::Text("All right.")];
    let mut stage = Stage::new(stage_answers).await;
    stage.say("go").await.unwrap();
    let ask = stage.question().await;
    stage
        .decide(&ask, Decision::Deny { words: None })
        .await
        .unwrap();
    assert_eq!(stage.outcome().await, Outcome::Completed);
    assert!(!stage.folder.join("ran").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_ends_the_command_and_the_conversation_stays_valid() {
    let calls = Answer::Calls(vec![
        (
            "run_shell_command",
            json!({"command": "echo begun; sleep 61 & wait"}),
        ),
        (
            "write_file",
            json!({"file_path": "/nowhere/new.txt", "content": "x"}),
        ),
    ]);
    let mut stage = Stage::new(vec![calls, Answer::Text("Going on.")]).await;
    stage.say("go").await.unwrap();
    let ask = stage.question().await;
    stage.allow(&ask).await;
    running_shell(&mut stage).await;
    stage.stop().await;
    assert_eq!(stage.outcome().await, Outcome::Cancelled);
    stage.say("go on").await.unwrap();
    assert_eq!(
        stage.outcome().await,
        Outcome::Completed,
        "the server refuses an unpaired call"
    );
    let last = stage.model.requests().pop().unwrap();
    let text = last["messages"].to_string();
    assert!(text.contains("Stopped by the user"), "{text}");
    assert!(
        text.contains("Not run: the user stopped the turn."),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_while_a_question_is_open_closes_it() {
    let mut stage = Stage::new(vec![command("echo hi"), Answer::Text("Going on.")]).await;
    stage.say("go").await.unwrap();
    stage.question().await;
    stage.stop().await;
    assert_eq!(stage.outcome().await, Outcome::Cancelled);
    assert!(stage.snapshot().await.asks.is_empty());
    stage.say("go on").await.unwrap();
    assert_eq!(stage.outcome().await, Outcome::Completed);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_command_can_be_ended_while_the_turn_goes_on() {
    let mut stage = Stage::new(vec![
        command("echo listening; sleep 61 & wait"),
        Answer::Text("I see."),
    ])
    .await;
    stage.say("go").await.unwrap();
    let ask = stage.question().await;
    stage.allow(&ask).await;
    running_shell(&mut stage).await;
    let kill = CallOp {
        op: op(),
        session_id: stage.session_id.clone(),
        call_id: ask.call_id.clone(),
    };
    stage.workbench.kill_call(kill).await.unwrap();
    assert_eq!(stage.outcome().await, Outcome::Completed);
    assert_eq!(
        last_tool(&stage.snapshot().await.items).status,
        Some(CallStatus::Killed)
    );
}
