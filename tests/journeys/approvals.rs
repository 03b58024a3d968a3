//! A change from proposal to disk.

use protocol::confirmation::{Decision, Preview, Scope};
use protocol::error::ErrorCode;
use protocol::item::ItemBody;
use protocol::session::Outcome;
use protocol::tool_call::CallStatus;
use serde_json::{Value, json};
use tests::{Answer, Stage};

/// The sentence the model is taught.
const RESULT_OF_CHANGE: &str = "The user changed the proposal before allowing it.";

fn read(stage_path: &str) -> (&'static str, Value) {
    ("read_file", json!({ "file_path": stage_path }))
}

fn edit(path: &str, old: &str, new: &str) -> (&'static str, Value) {
    (
        "edit",
        json!({"file_path": path, "old_string": old, "new_string": new}),
    )
}

/// A stage whose model reads a file and then edits it.
async fn edit_stage(old: &'static str, new: &'static str, text: &'static str) -> Stage {
    let stage = Stage::with_files(vec![Answer::Close], &[("a.txt", text)]).await;
    let path = stage.path("a.txt");
    stage.model.play(vec![
        Answer::Calls(vec![read(&path)]),
        Answer::Calls(vec![edit(&path, old, new)]),
        Answer::Text("Done."),
    ]);
    stage
}

fn last_result(stage: &Stage) -> String {
    let requests = stage.model.requests();
    let messages = requests
        .last()
        .and_then(|body| body["messages"].as_array().cloned())
        .unwrap_or_default();
    let result = messages
        .iter()
        .rev()
        .find(|message| message["role"] == "tool");
    result
        .and_then(|message| message["content"].as_str())
        .unwrap_or_default()
        .to_owned()
}

fn statuses(items: &[protocol::item::Item]) -> Vec<CallStatus> {
    items
        .iter()
        .filter_map(|item| match &item.body {
            ItemBody::Tool { tool } => tool.status,
            _ => None,
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_allowed_edit_lands_as_shown() {
    let mut stage = edit_stage("two", "TWO", "one\ntwo\n").await;
    stage.say("go").await.unwrap();
    let ask = stage.question().await;
    let Preview::Edit { diff } = &ask.preview else {
        panic!("an edit expected: {ask:?}")
    };
    assert_eq!(diff.new_text.as_deref(), Some("one\nTWO\n"));
    assert_eq!(
        stage.read("a.txt"),
        "one\ntwo\n",
        "nothing lands before the answer"
    );
    stage.allow(&ask).await;
    assert_eq!(stage.outcome().await, Outcome::Completed);
    assert_eq!(stage.read("a.txt"), "one\nTWO\n");
    let net = stage.snapshot().await.summary.net;
    assert_eq!((net.ai_added, net.ai_removed, net.human_added), (1, 1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_by_hand_lands_is_counted_and_told() {
    let mut stage = edit_stage("two", "TWO", "one\ntwo\n").await;
    stage.say("go").await.unwrap();
    let ask = stage.question().await;
    let mine = Decision::Modify {
        final_text: "one\nTWO\nmine\n".to_owned(),
    };
    stage.decide(&ask, mine).await.unwrap();
    assert_eq!(stage.outcome().await, Outcome::Completed);
    assert_eq!(stage.read("a.txt"), "one\nTWO\nmine\n");
    assert!(
        last_result(&stage).starts_with(RESULT_OF_CHANGE),
        "{}",
        last_result(&stage)
    );
    let net = stage.snapshot().await.summary.net;
    assert_eq!(
        (
            net.ai_added,
            net.ai_removed,
            net.human_added,
            net.human_removed
        ),
        (1, 1, 1, 0)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_edit_leaves_the_file_and_the_words_reach_the_model() {
    let mut stage = edit_stage("two", "TWO", "one\ntwo\n").await;
    stage.say("go").await.unwrap();
    let ask = stage.question().await;
    stage
        .decide(
            &ask,
            Decision::Deny {
                words: Some("keep it small".to_owned()),
            },
        )
        .await
        .unwrap();
    assert_eq!(stage.outcome().await, Outcome::Completed);
    assert_eq!(stage.read("a.txt"), "one\ntwo\n");
    assert!(
        last_result(&stage).contains("keep it small"),
        "{}",
        last_result(&stage)
    );
    let again = stage
        .decide(&ask, Decision::Allow { scope: Scope::Once })
        .await
        .unwrap_err();
    assert_eq!(again.code, ErrorCode::NotPending, "an answer counts once");
    assert_eq!(stage.read("a.txt"), "one\ntwo\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_to_another_proposal_is_refused() {
    let mut stage = edit_stage("two", "TWO", "one\ntwo\n").await;
    stage.say("go").await.unwrap();
    let mut ask = stage.question().await;
    let real = ask.proposal_id.clone();
    ask.proposal_id = "another".into();
    let error = stage
        .decide(&ask, Decision::Allow { scope: Scope::Once })
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::Stale);
    ask.proposal_id = real;
    stage.allow(&ask).await;
    assert_eq!(stage.outcome().await, Outcome::Completed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_changes_under_the_question_keeps_the_other_writers_text() {
    let mut stage = edit_stage("two", "TWO", "one\ntwo\n").await;
    stage.say("go").await.unwrap();
    let ask = stage.question().await;
    std::fs::write(stage.path("a.txt"), "one\ntwo\nby hand\n").unwrap();
    let ask = stage
        .until("the question to become stale", |envelope| {
            match &envelope.event {
                protocol::event::SessionEvent::AskChanged { ask: changed }
                    if changed.call_id == ask.call_id =>
                {
                    Some((**changed).clone())
                }
                _ => None,
            }
        })
        .await;
    let refused = stage
        .decide(&ask, Decision::Allow { scope: Scope::Once })
        .await
        .unwrap_err();
    assert_eq!(refused.code, ErrorCode::Stale);
    stage
        .decide(&ask, Decision::Deny { words: None })
        .await
        .unwrap();
    assert_eq!(stage.outcome().await, Outcome::Completed);
    assert_eq!(stage.read("a.txt"), "one\ntwo\nby hand\n");
    assert!(
        last_result(&stage).contains("changed on disk"),
        "{}",
        last_result(&stage)
    );
    assert_eq!(
        statuses(&stage.snapshot().await.items),
        [CallStatus::Ok, CallStatus::Error]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn allowed_for_the_session_asks_once() {
    let mut stage = Stage::with_files(vec![Answer::Close], &[("a.txt", "1\n2\n")]).await;
    let path = stage.path("a.txt");
    stage.model.play(vec![
        Answer::Calls(vec![read(&path)]),
        Answer::Calls(vec![edit(&path, "1", "one"), edit(&path, "2", "two")]),
        Answer::Text("Done."),
    ]);
    stage.say("go").await.unwrap();
    let ask = stage.question().await;
    assert_eq!(ask.scopes.len(), 1);
    stage
        .decide(
            &ask,
            Decision::Allow {
                scope: Scope::Session,
            },
        )
        .await
        .unwrap();
    assert_eq!(stage.outcome().await, Outcome::Completed);
    assert_eq!(stage.read("a.txt"), "one\ntwo\n");
}
