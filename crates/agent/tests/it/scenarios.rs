//! Every scenario of the case file, by itself and with the state going through JSON between any two inputs.

use crate::invariants;
use crate::scenario::answers::mode;
use crate::scenario::{Detour, World};
use crate::session::text_of;
use agent::machine::LoopState;
use protocol::log::LogEvent;
use protocol::message::{Block, ViewEntry};
use protocol::session::Outcome;
use protocol::tool_call::CallStatus;
use serde_json::{Value, json};

const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/fixtures/cases/loop-scenarios.json"
);
/// What the case file leaves open, in the same form.
const MORE: &str = include_str!("more-scenarios.json");
/// Scenarios in the case file; a smaller file would let rules go untested.
const SCENARIOS: usize = 99;

#[test]
fn scenarios_end_as_expected() {
    play_all(&cases(), Detour::None);
}

#[test]
fn a_state_that_went_through_json_has_the_same_future() {
    play_all(&cases(), Detour::Json);
}

#[test]
fn more_scenarios_end_as_expected() {
    let file: Value = serde_json::from_str(MORE).unwrap();
    play_all(&file, Detour::None);
    play_all(&file, Detour::Json);
}

fn cases() -> Value {
    let file: Value = serde_json::from_str(&std::fs::read_to_string(FILE).unwrap()).unwrap();
    assert_eq!(file["scenarios"].as_array().unwrap().len(), SCENARIOS);
    file
}

fn play_all(file: &Value, detour: Detour) {
    let mut failed = Vec::new();
    for scenario in file["scenarios"].as_array().unwrap() {
        let id = scenario["id"].as_str().unwrap();
        let result = std::panic::catch_unwind(|| check(file, scenario, detour));
        if result.is_err() {
            failed.push(id);
        }
    }
    assert!(failed.is_empty(), "{} failed: {failed:?}", failed.len());
}

fn check(file: &Value, scenario: &Value, detour: Detour) {
    let mut world = World::new(file, scenario, detour);
    world.play();
    let (got, wanted) = (observed(&world), expected(scenario));
    assert_eq!(got, wanted, "{} {}", scenario["id"], scenario["title"]);
    check_history(&world.state, &scenario["expect"]["history"]);
    let events: Vec<&LogEvent> = world
        .rows
        .iter()
        .filter_map(|row| row.event.as_ref())
        .collect();
    invariants::log(&events);
    invariants::complete(&world.state);
    let restored = LoopState::restore(world.state.config.clone(), &world.rows);
    assert_eq!(
        restored.view(),
        world.state.view(),
        "I11: the log gives the same view"
    );
    assert_eq!(
        restored.used_tokens(),
        world.state.used_tokens(),
        "and counts it alike"
    );
}

fn observed(world: &World<'_>) -> Value {
    let events = || world.rows.iter().filter_map(|row| row.event.as_ref());
    let ends: Vec<(String, u32)> = events()
        .filter_map(|event| match event {
            LogEvent::TurnEnded { outcome, steps, .. } => Some((outcome.to_string(), *steps)),
            _ => None,
        })
        .collect();
    let discarded = events()
        .filter(|event| matches!(event, LogEvent::AttemptDiscarded { .. }))
        .count();
    let seen = &world.seen;
    json!({
        "turns": ends.iter().map(|end| &end.0).collect::<Vec<_>>(),
        "steps": ends.iter().map(|end| end.1).collect::<Vec<_>>(),
        "requests": seen.requests,
        "delays_ms": seen.delays_ms,
        "ran": seen.ran,
        "asked": seen.asked,
        "order": seen.order,
        "notices": events().filter_map(notice).collect::<Vec<_>>(),
        "side_requests": seen.side_requests,
        "queue": world.state.queue().iter().map(|queued| &queued.text).collect::<Vec<_>>(),
        "composer": seen.composer,
        "attempts_discarded": discarded,
        "mode": world.state.mode(),
    })
    .pick(&world.scenario()["expect"])
}

fn notice(event: &LogEvent) -> Option<String> {
    match event {
        LogEvent::Warning { code, .. } => Some(code.clone()),
        LogEvent::Compaction { reason, .. } => Some(format!("compacted:{reason}")),
        LogEvent::TurnEnded { outcome, .. } => match outcome {
            Outcome::MaxSteps | Outcome::MaxTokens | Outcome::Refusal | Outcome::LoopDetected => {
                Some(outcome.to_string())
            }
            _ => None,
        },
        _ => None,
    }
}

/// The order of questions and runs is compared only where a scenario speaks of it.
trait Pick {
    fn pick(self, expect: &Value) -> Value;
}

impl Pick for Value {
    fn pick(mut self, expect: &Value) -> Value {
        if expect.get("order").is_none() {
            self["order"] = json!([]);
        }
        self
    }
}

fn expected(scenario: &Value) -> Value {
    let expect = &scenario["expect"];
    let or = |key: &str, empty: Value| expect.get(key).cloned().unwrap_or(empty);
    let first_mode = mode(&scenario["config"]["mode"]).unwrap_or_default();
    json!({
        "turns": or("turns", json!([])),
        "steps": or("steps", json!([])),
        "requests": or("requests", json!(0)),
        "delays_ms": or("delays_ms", json!([])),
        "ran": or("ran", json!([])),
        "asked": or("asked", json!([])),
        "order": or("order", json!([])),
        "notices": or("notices", json!([])),
        "side_requests": or("side_requests", json!([])),
        "queue": or("queue", json!([])),
        "composer": or("composer", json!("")),
        "attempts_discarded": or("attempts_discarded", json!(0)),
        "mode": or("mode", json!(first_mode)),
    })
}

fn check_history(state: &LoopState, wanted: &Value) {
    let got: Vec<Value> = state.view().iter().flat_map(|entry| rows(entry)).collect();
    let wanted: Vec<Value> = wanted.as_array().unwrap().iter().map(joined).collect();
    let short = |rows: &[Value]| {
        rows.iter()
            .map(|row| row.to_string().chars().take(200).collect())
            .collect::<Vec<String>>()
            .join("\n")
    };
    assert_eq!(
        got.len(),
        wanted.len(),
        "\ngot\n{}\nwanted\n{}",
        short(&got),
        short(&wanted)
    );
    for (got, wanted) in got.iter().zip(&wanted) {
        if wanted[0] == "result" {
            check_result(got, wanted);
        } else {
            assert_eq!(got, wanted);
        }
    }
}

/// The text of results that the loop makes is not compared; what it must quote is.
fn check_result(got: &Value, wanted: &Value) {
    assert_eq!((&got[1], &got[2]), (&wanted[1], &wanted[2]));
    let text = got[3].as_str().unwrap();
    let status: CallStatus = serde_json::from_value(wanted[2].clone()).unwrap();
    let quoted = wanted[3].as_str().unwrap_or_default();
    match status {
        CallStatus::Ok => assert_eq!(text, quoted, "{}", got[1]),
        CallStatus::Error if quoted != "internal" => assert_eq!(text, quoted, "{}", got[1]),
        CallStatus::Denied
        | CallStatus::CancelledRunning
        | CallStatus::Killed
        | CallStatus::Timeout => {
            assert!(text.contains(quoted), "{text:?} quotes {quoted:?}");
        }
        _ => {}
    }
    let flags = wanted.get(4).cloned().unwrap_or(json!({}));
    assert_eq!(
        got[4]["edited"],
        flags["edited"] == true,
        "{}: edited",
        got[1]
    );
    assert_eq!(
        got[4]["hint"],
        flags["hint"] == "repeat",
        "{}: hint",
        got[1]
    );
}

fn rows(entry: &ViewEntry) -> Vec<Value> {
    match entry {
        ViewEntry::User { .. } => user_rows(entry),
        ViewEntry::Assistant { .. } => vec![joined(&assistant_row(entry))],
        ViewEntry::Result {
            call_id,
            status,
            content,
            edited,
            hint,
            ..
        } => {
            let text = text_of(content);
            vec![
                json!(["result", call_id, status, text, {"edited": edited, "hint": hint.is_some()}]),
            ]
        }
        ViewEntry::Summary { text } => vec![json!(["summary", text])],
    }
}

fn user_rows(entry: &ViewEntry) -> Vec<Value> {
    let ViewEntry::User {
        text,
        reminders,
        steer,
        ..
    } = entry
    else {
        panic!("{entry:?}")
    };
    let codes: Vec<&str> = reminders
        .iter()
        .map(|reminder| reminder.code.as_str())
        .collect();
    if text.is_empty() {
        return codes.iter().map(|code| json!(["reminder", code])).collect();
    }
    vec![match (codes.is_empty(), steer) {
        (true, false) => json!(["user", text]),
        (true, true) => json!(["user", text, {"steer": true}]),
        (false, false) => json!(["user", text, {"reminders": codes}]),
        (false, true) => json!(["user", text, {"reminders": codes, "steer": true}]),
    }]
}

fn assistant_row(entry: &ViewEntry) -> Value {
    let ViewEntry::Assistant {
        blocks,
        calls,
        stop,
        ..
    } = entry
    else {
        panic!("{entry:?}")
    };
    let block = |block: &Block| match block {
        Block::Text { text, .. } => json!(["text", text]),
        Block::Thinking {
            text, signature, ..
        } => json!(["think", text, signature]),
        Block::Call { call_id } => {
            let call = calls.iter().find(|call| call.call_id == *call_id).unwrap();
            json!(["call", call_id, call.name])
        }
        other => panic!("{other:?}"),
    };
    let blocks: Vec<Value> = blocks.iter().map(block).collect();
    json!(["assistant", blocks, stop])
}

/// Adjacent text blocks of a message count as one.
fn joined(row: &Value) -> Value {
    if row[0] != "assistant" {
        return row.clone();
    }
    let mut blocks: Vec<Value> = Vec::new();
    for block in row[1].as_array().unwrap() {
        match blocks.last_mut() {
            Some(last) if last[0] == "text" && block[0] == "text" => {
                last[1] = json!(format!(
                    "{}{}",
                    last[1].as_str().unwrap(),
                    block[1].as_str().unwrap()
                ));
            }
            _ => blocks.push(block.clone()),
        }
    }
    json!(["assistant", blocks, row[2]])
}
