//! Closing, opening again, and what a second window sees.

use crate::changes::{calls, edit, newest_words, read, turn};
use protocol::command::{ListSessions, Search};
use protocol::confirmation::Decision;
use protocol::event::{SessionEvent, Snapshot};
use protocol::session::Outcome;
use serde_json::json;
use tests::{Answer, Stage};

/// What a person would compare: all rows, the list, the meters.
fn seen(snapshot: &Snapshot) -> String {
    let rows = (
        &snapshot.items,
        &snapshot.todos,
        &snapshot.summary.title,
        &snapshot.summary.net,
        &snapshot.queue,
    );
    serde_json::to_string_pretty(&rows).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_was_read_before_a_restart_need_not_be_read_again() {
    let files = [("a.txt", "one\ntwo\n"), ("b.txt", "b\n"), ("c.txt", "c\n")];
    let mut stage = Stage::with_files(vec![Answer::Close], &files).await;
    let (a, b, c) = (
        stage.path("a.txt"),
        stage.path("b.txt"),
        stage.path("c.txt"),
    );
    turn(
        &mut stage,
        "look",
        vec![read(&a), read(&b), edit(&a, "one", "1")],
    )
    .await;
    let mut stage = stage.restart().await;
    std::fs::write(&b, "b by another program\n").unwrap();
    stage.model.play(vec![
        Answer::Calls(vec![edit(&a, "two", "2"), edit(&b, "b by", "B by")]),
        Answer::Calls(vec![edit(&c, "c", "C")]),
        Answer::Calls(vec![read(&a)]),
        Answer::Text("Done."),
    ]);
    stage.say("go on").await.unwrap();
    let ask = stage.question().await;
    stage.allow(&ask).await;
    assert_eq!(stage.outcome().await, Outcome::Completed);
    assert_eq!(stage.read("a.txt"), "1\n2\n");
    assert_eq!(stage.read("b.txt"), "b by another program\n");
    let failures: Vec<Option<String>> = calls(&stage, "edit")
        .await
        .into_iter()
        .map(|call| call.failure.map(|failure| failure.code))
        .collect();
    let code = |code: &str| Some(code.to_owned());
    assert_eq!(
        failures,
        [
            None,
            None,
            code("FILE_CHANGED_SINCE_READ"),
            code("EDIT_REQUIRES_PRIOR_READ")
        ]
    );
    let shown = newest_words(&stage);
    assert!(
        shown.contains("1\\t1\\n2\\t2"),
        "it is shown again, as the model may have lost it: {shown}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_the_same_after_a_restart_and_goes_on() {
    let mut stage = Stage::with_files(vec![Answer::Close], &[("a.txt", "one\n")]).await;
    let path = stage.path("a.txt");
    stage.model.play(vec![
        Answer::Calls(vec![
            ("read_file", json!({ "file_path": path })),
            (
                "todo_write",
                json!({"todos": [{"id": "1", "content": "edit", "status": "in_progress"}]}),
            ),
        ]),
        Answer::Calls(vec![(
            "edit",
            json!({"file_path": path, "old_string": "one", "new_string": "two"}),
        )]),
        Answer::Calls(vec![("run_shell_command", json!({"command": "echo done"}))]),
        Answer::Text("All done."),
    ]);
    stage.say("go").await.unwrap();
    let ask = stage.question().await;
    stage
        .decide(
            &ask,
            Decision::Modify {
                final_text: "two\nmine\n".to_owned(),
            },
        )
        .await
        .unwrap();
    let ask = stage.question().await;
    stage.allow(&ask).await;
    assert_eq!(stage.outcome().await, Outcome::Completed);
    let before = seen(&stage.snapshot().await);
    let sent = stage.model.requests().pop().unwrap();

    let mut stage = stage.restart().await;
    assert_eq!(seen(&stage.snapshot().await), before);
    stage.model.play(vec![Answer::Text("Still here.")]);
    stage.say("and now?").await.unwrap();
    assert_eq!(stage.outcome().await, Outcome::Completed);
    let again = stage.model.requests().pop().unwrap();
    let (sent, again) = (
        sent["messages"].as_array().unwrap(),
        again["messages"].as_array().unwrap(),
    );
    assert_eq!(
        &again[..sent.len()],
        &sent[..],
        "the model is told the same as before"
    );
    assert_eq!(
        again.len(),
        sent.len() + 2,
        "its answer and the new message follow"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_that_reloads_in_the_middle_sees_what_one_that_did_not_sees() {
    let mut stage = Stage::new(vec![Answer::Hanging("Half an answer")]).await;
    stage.say("go").await.unwrap();
    stage
        .until("live text", |envelope| {
            matches!(envelope.event, SessionEvent::BlockDelta { .. }).then_some(())
        })
        .await;
    let snapshot = stage.snapshot().await;
    assert_eq!(snapshot.live.len(), 1);
    assert_eq!(snapshot.live[0].text, "Half an answer");
    stage.stop().await;
    assert_eq!(stage.outcome().await, Outcome::Cancelled);
    let text = seen(&stage.snapshot().await);
    assert_eq!(
        text.matches("Half an answer").count(),
        1,
        "kept once: {text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_the_end_of_the_program_stopped_is_whole_afterwards() {
    let mut stage = Stage::new(vec![Answer::Calls(vec![(
        "run_shell_command",
        json!({"command": "touch ran"}),
    )])])
    .await;
    stage.say("go").await.unwrap();
    stage.question().await;
    let mut stage = stage.restart().await;
    assert!(!stage.folder.join("ran").exists());
    assert!(stage.snapshot().await.asks.is_empty());
    stage.model.play(vec![Answer::Text("Going on.")]);
    stage.say("go on").await.unwrap();
    assert_eq!(
        stage.outcome().await,
        Outcome::Completed,
        "the server refuses an unpaired call"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_found_by_folder_and_by_words() {
    let mut stage = Stage::new(vec![Answer::Text("The 柠檬水 stand is open.")]).await;
    stage.say("hello from here").await.unwrap();
    assert_eq!(stage.outcome().await, Outcome::Completed);
    let list = |workspace: &str| ListSessions {
        workspace: Some(workspace.to_owned()),
        archived: false,
    };
    let here = stage
        .workbench
        .list_sessions(list(&stage.folder.display().to_string()))
        .await
        .unwrap();
    assert_eq!(here.sessions.len(), 1);
    assert_eq!(here.sessions[0].title, "hello from here");
    let elsewhere = stage
        .workbench
        .list_sessions(list("/elsewhere"))
        .await
        .unwrap();
    assert!(elsewhere.sessions.is_empty());
    for (query, hits) in [("柠檬", 1), ("lemonade", 0), ("stand", 1), ("\"*NEAR(", 0)] {
        let request = Search {
            query: query.to_owned(),
            workspace: None,
            session_id: None,
            limit: 10,
        };
        let found = stage.workbench.search(request).await.unwrap();
        assert_eq!(found.hits.len(), hits, "{query}");
    }
}
