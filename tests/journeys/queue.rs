//! Messages while the agent works.

use protocol::event::SessionEvent;
use protocol::session::{Delivery, Outcome};
use serde_json::json;
use tests::{Answer, Stage};

fn user_texts(body: &serde_json::Value) -> Vec<String> {
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    messages
        .iter()
        .filter(|m| m["role"] == "user")
        .map(|m| m["content"].to_string())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_during_a_turn_reaches_the_next_request() {
    let list = Answer::Calls(vec![("run_shell_command", json!({"command": "echo hi"}))]);
    let mut stage = Stage::new(vec![list, Answer::Text("Done.")]).await;
    stage.say("go").await.unwrap();
    let ask = stage.question().await;
    stage.say("and be quick").await.unwrap();
    stage.allow(&ask).await;
    assert_eq!(stage.outcome().await, Outcome::Completed);
    let requests = stage.model.requests();
    assert_eq!(requests.len(), 2);
    assert!(
        user_texts(&requests[1])
            .iter()
            .any(|text| text.contains("and be quick")),
        "{:?}",
        user_texts(&requests[1])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_for_afterwards_starts_a_turn_of_its_own() {
    let list = Answer::Calls(vec![("run_shell_command", json!({"command": "echo hi"}))]);
    let mut stage = Stage::new(vec![
        list,
        Answer::Text("Done."),
        Answer::Text("Also done."),
    ])
    .await;
    stage.say("go").await.unwrap();
    let ask = stage.question().await;
    stage.say_when("then this", Delivery::After).await.unwrap();
    stage.allow(&ask).await;
    assert_eq!(stage.outcome().await, Outcome::Completed);
    assert_eq!(stage.outcome().await, Outcome::Completed);
    assert_eq!(stage.model.requests().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waited_comes_back_to_the_composer_after_a_stop() {
    let mut stage = Stage::new(vec![Answer::Hanging("Working")]).await;
    stage.say("go").await.unwrap();
    stage.model.wait_for(1).await;
    stage.say_when("first", Delivery::After).await.unwrap();
    stage.say_when("second", Delivery::After).await.unwrap();
    stage.stop().await;
    let draft = stage
        .until("the texts to come back", |envelope| match &envelope.event {
            SessionEvent::Draft { text } => Some(text.clone()),
            _ => None,
        })
        .await;
    assert_eq!(draft, "first\n\nsecond");
    assert!(stage.snapshot().await.queue.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blank_message_is_not_sent() {
    let stage = Stage::new(vec![Answer::Text("never")]).await;
    assert!(stage.say("   ").await.is_err());
    assert!(stage.model.requests().is_empty());
}
