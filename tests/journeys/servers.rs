//! Model servers that fail, each in its own way.

use protocol::event::{Happened, SessionEvent};
use protocol::session::{Outcome, Phase};
use serde_json::json;
use tests::{Answer, Stage};

async fn outcome_of(answer: Answer) -> (Stage, Outcome) {
    let mut stage = Stage::new(vec![answer]).await;
    stage.say("go").await.unwrap();
    let outcome = stage.outcome().await;
    (stage, outcome)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_key_ends_the_turn_at_once_and_says_so() {
    let body = json!({"error": {"message": "Incorrect API key", "code": "invalid_api_key"}});
    let (stage, outcome) = outcome_of(Answer::Status(401, body)).await;
    assert_eq!(outcome, Outcome::Error("auth".to_owned()));
    assert_eq!(stage.model.requests().len(), 1, "no retry can help");
    let text = serde_json::to_string(&stage.snapshot().await.items).unwrap();
    assert!(text.contains("go"), "what was said is kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_instead_of_a_stream_is_named() {
    let (_, outcome) = outcome_of(Answer::Status(
        404,
        json!({"error": {"message": "no such model"}}),
    ))
    .await;
    assert_eq!(outcome, Outcome::Error("not_found".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_server_is_waited_for_and_the_wait_can_be_cut_short() {
    let busy = Answer::Status(
        529,
        json!({"error": {"message": "Overloaded", "type": "overloaded_error"}}),
    );
    let mut stage = Stage::new(vec![busy, Answer::Text("Here I am.")]).await;
    stage.say("go").await.unwrap();
    stage
        .until("a retry", |envelope| {
            matches!(envelope.event, SessionEvent::RetryWait { .. }).then_some(())
        })
        .await;
    let activity = stage.snapshot().await.activity;
    assert!(
        matches!(
            activity.as_slice(),
            [
                Happened {
                    event: SessionEvent::Phase {
                        phase: Phase::Backoff,
                        ..
                    },
                    ..
                },
                Happened {
                    event: SessionEvent::RetryWait { .. },
                    ..
                }
            ]
        ),
        "a window that opens now shows the same wait: {activity:?}"
    );
    let now = protocol::command::SessionOp {
        op: tests::stage::op(),
        session_id: stage.session_id.clone(),
    };
    stage.workbench.retry_now(now).await.unwrap();
    assert_eq!(stage.outcome().await, Outcome::Completed);
    let waits = stage.snapshot().await.activity;
    assert!(
        !waits
            .iter()
            .any(|one| matches!(one.event, SessionEvent::RetryWait { .. }))
    );
    assert_eq!(stage.model.requests().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_cut_in_every_byte_gives_the_same_text() {
    let frames = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"na\u{ef}ve 日本語\"}}]}\r\n\r\n\
        data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\r\n\r\ndata: [DONE]\r\n\r\n";
    let (stage, outcome) = outcome_of(Answer::Raw {
        bytes: frames.as_bytes().to_vec(),
        cut: 1,
    })
    .await;
    assert_eq!(outcome, Outcome::Completed);
    let text = serde_json::to_string(&stage.snapshot().await.items).unwrap();
    assert!(text.contains("naïve 日本語"), "{text}");
}
