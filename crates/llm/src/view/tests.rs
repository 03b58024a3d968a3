use super::{Outcome, ViewDefect, check_view, normalise_view};
use protocol::ids::CallId;
use protocol::message::{Block, Origin, Part, StopReason, ViewEntry};
use protocol::tool_call::{CallArgs, CallStatus, ToolCall};
use serde_json::json;
use std::sync::Arc;

fn user(text: &str) -> Arc<ViewEntry> {
    Arc::new(ViewEntry::User {
        text: text.to_owned(),
        images: Vec::new(),
        reminders: Vec::new(),
        steer: false,
    })
}

fn model(text: &str, ids: &[&str]) -> Arc<ViewEntry> {
    let call = |id: &&str| ToolCall {
        call_id: CallId::from(*id),
        name: "glob".to_owned(),
        args: CallArgs::Usable { value: json!({}) },
        meta: None,
    };
    Arc::new(ViewEntry::Assistant {
        blocks: vec![Block::Text {
            text: text.to_owned(),
            meta: None,
        }],
        calls: ids.iter().map(call).collect(),
        stop: StopReason::EndTurn,
        origin: Origin::default(),
    })
}

fn result(id: &str) -> Arc<ViewEntry> {
    Arc::new(ViewEntry::Result {
        call_id: CallId::from(id),
        status: CallStatus::Ok,
        content: vec![Part::Text {
            text: format!("of {id}"),
        }],
        is_error: false,
        edited: false,
        hint: None,
    })
}

#[track_caller]
fn check(view: &[Arc<ViewEntry>], expected: &[ViewDefect], why: &str) {
    assert_eq!(check_view(view), expected, "{why}");
}

#[test]
fn defects_are_named() {
    use ViewDefect as Defect;
    let id = |id: &str| CallId::from(id);
    check(&[user("a"), model("b", &[]), user("c")], &[], "sound");
    check(
        &[user("a"), model("", &["1", "2"]), result("2"), result("1")],
        &[],
        "any order",
    );
    check(
        &[user("a"), model("b", &["1"])],
        &[Defect::MissingResult(id("1"))],
        "no result",
    );
    check(
        &[user("a"), result("1")],
        &[Defect::OrphanResult(id("1"))],
        "no call",
    );
    check(
        &[
            user("a"),
            model("b", &["1"]),
            result("1"),
            model("c", &["2"]),
            result("1"),
            result("2"),
        ],
        &[Defect::OrphanResult(id("1"))],
        "too late",
    );
    check(
        &[user("a"), model("b", &["1"]), result("1"), result("1")],
        &[Defect::SecondResult(id("1"))],
        "twice",
    );
    check(
        &[user("a"), model("b", &["1", "1"]), result("1")],
        &[Defect::RepeatedCall(id("1"))],
        "one id for two calls",
    );
    check(
        &[model("b", &[]), user("c")],
        &[Defect::BeginsWithModel],
        "no person first",
    );
    check(
        &[user("a"), model("b", &[])],
        &[Defect::EndsWithModel],
        "model last",
    );
    check(
        &[user("a"), model("b", &[]), user(" \n")],
        &[Defect::EndsWithModel],
        "a blank is no word",
    );
}

#[test]
fn results_follow_the_order_of_the_calls() {
    let view = [
        user("a"),
        model("", &["1", "2", "3"]),
        result("3"),
        user("steer"),
        result("1"),
    ];
    let (exchanges, _) = normalise_view(&view, 0);
    let last = exchanges.last().unwrap();
    let order: Vec<&str> = last
        .results
        .iter()
        .map(|result| result.call_id.as_str())
        .collect();
    assert_eq!(order, ["1", "2", "3"]);
    assert_eq!(
        last.results[1].outcome,
        Outcome::NotRun,
        "the second has none"
    );
    assert_eq!(
        last.people.len(),
        1,
        "what was said between the results comes after them"
    );
}

#[test]
fn a_message_without_text_and_calls_leaves_no_trace() {
    let view = [user("a"), model(" ", &[]), user("b")];
    let (exchanges, defects) = normalise_view(&view, 0);
    assert_eq!(
        (exchanges.len(), exchanges[0].people.len()),
        (1, 2),
        "both sayings are joined"
    );
    assert!(defects.is_empty());
}

#[test]
fn going_on_from_a_closed_exchange_gives_the_same_exchanges() {
    let view = [
        user("a"),
        model("b", &["1"]),
        result("1"),
        model("c", &["2"]),
        result("2"),
        user("d"),
    ];
    let (whole, _) = normalise_view(&view, 0);
    let (rest, defects) = normalise_view(&view, whole[2].start);
    assert_eq!(rest, whole[2..]);
    assert!(defects.is_empty());
}
