//! Reasoning goes back as it came, and is no part of the answer.

use crate::program::said;
use crate::provider::{Provider, text};
use crate::scene::Scene;
use protocol::item::ItemBody;
use protocol::message::Block;
use serde_json::json;

const REASONING: &str = "First look at the file.\n";

/// The first answer is in the newest request as the model gave it.
fn check(provider: &Provider) {
    let request = provider.last();
    let message = request.of("assistant")[0];
    assert_eq!(message["reasoning_content"], REASONING);
    assert_eq!(message["content"], "Reading.");
    assert_eq!(message["tool_calls"].as_array().unwrap().len(), 1);
    assert!(text(request.of("tool")[0]).contains("content A"));
    provider.check_requests();
}

#[test]
fn pr_06_reasoning_goes_back_exactly_as_it_came() {
    let scene = Scene::of("PR-06");
    let provider = scene.model(&[
        scene.stream("input/reasoning_openai.sse"),
        json!({"text": "Done."}),
    ]);
    scene.run(&provider).say("look").end().completed();
    assert_eq!(provider.requests().len(), 2);
    check(&provider);
    scene.run(&provider).go_on().say("more").end().completed();
    assert_eq!(provider.requests().len(), 3);
    check(&provider);

    let stored = scene.stored(&scene.session().session_id).items;
    assert_eq!(
        said(&stored),
        ["look", "Reading.", "Done.", "more", "Done."]
    );
    let thoughts: Vec<&str> = stored
        .iter()
        .filter_map(|row| match &row.body {
            ItemBody::Assistant { blocks, .. } => Some(blocks),
            _ => None,
        })
        .flatten()
        .filter_map(|block| match block {
            Block::Thinking { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(thoughts, [REASONING], "shown apart");
}
