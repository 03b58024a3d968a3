use super::*;
use protocol::message::Origin;
use protocol::session::TurnCause;
use protocol::tool_call::{CallArgs, CallStatus, Display};
use serde_json::json;

/// Facts numbered from 1, all of turn 1 unless said otherwise.
fn log(events: Vec<LogEvent>) -> Vec<LogRow> {
    let mut turn = 0;
    (1..)
        .zip(events)
        .map(|(seq, event)| {
            turn += u32::from(matches!(event, LogEvent::TurnStarted { .. }));
            LogRow {
                seq,
                ts: 0,
                turn,
                event: Some(event),
            }
        })
        .collect()
}

fn started() -> LogEvent {
    LogEvent::TurnStarted {
        cause: TurnCause::User,
    }
}

fn ended(outcome: Outcome) -> LogEvent {
    LogEvent::TurnEnded {
        outcome,
        message: None,
        steps: 1,
    }
}

fn user(text: &str) -> LogEvent {
    LogEvent::UserMessage {
        text: text.to_owned(),
        images: Vec::new(),
        reminders: Vec::new(),
        steer: false,
    }
}

fn says(text: &str, calls: &[&str], stop: StopReason) -> LogEvent {
    let text = (!text.is_empty()).then(|| Block::Text {
        text: text.to_owned(),
        meta: None,
    });
    let calls = calls.iter().map(|id| Block::Call {
        call_id: CallId::from(*id),
    });
    LogEvent::AssistantMessage {
        request: 1,
        step: 1,
        blocks: text.into_iter().chain(calls).collect(),
        stop,
        raw_stop: None,
        usage: None,
        cost_micros: None,
        origin: Origin::default(),
    }
}

fn call(id: &str) -> LogEvent {
    LogEvent::ToolCall {
        call: ToolCall {
            call_id: CallId::from(id),
            name: "read_file".to_owned(),
            args: CallArgs::Usable { value: json!({}) },
            meta: None,
        },
    }
}

fn result(id: &str, status: CallStatus, text: &str) -> LogEvent {
    LogEvent::ToolResult {
        call_id: CallId::from(id),
        status,
        content: vec![Part::Text {
            text: text.to_owned(),
        }],
        is_error: false,
        ms: 0,
        failure: None,
        display: Display::None,
        edited: false,
        hint: None,
    }
}

fn compaction(tail_from: u64, pinned: Option<u64>) -> LogEvent {
    LogEvent::Compaction {
        reason: "auto".to_owned(),
        summary: "so far".to_owned(),
        covers: (1, tail_from - 1),
        tail_from,
        pinned,
        before: 0,
        after: 0,
    }
}

#[track_caller]
fn check(events: Vec<LogEvent>, expected: &[&str], why: &str) {
    let shown: Vec<String> = model_view(&log(events))
        .iter()
        .map(|entry| word(entry))
        .collect();
    assert_eq!(shown, expected, "{why}");
}

fn word(entry: &ViewEntry) -> String {
    match entry {
        ViewEntry::User { text, .. } => format!("user {text}"),
        ViewEntry::Assistant { blocks, calls, .. } => {
            let texts: Vec<&str> = blocks
                .iter()
                .filter_map(|block| match block {
                    Block::Text { text, .. } => Some(text.as_str()),
                    _ => None,
                })
                .collect();
            let ids: Vec<&str> = calls.iter().map(|call| call.call_id.as_str()).collect();
            format!("assistant {}[{}]", texts.join(""), ids.join(","))
        }
        ViewEntry::Result {
            call_id, content, ..
        } => format!("result {call_id} {}", result_text(content)),
        ViewEntry::Summary { text } => format!("summary {text}"),
    }
}

/// Six facts: a turn with one call.
fn turn_with_call(id: &str, text: &str, output: &str) -> Vec<LogEvent> {
    vec![
        started(),
        user(text),
        says("", &[id], StopReason::ToolUse),
        call(id),
        result(id, CallStatus::Ok, output),
        says("done", &[], StopReason::EndTurn),
        ended(Outcome::Completed),
    ]
}

#[test]
fn a_turn_is_shown_in_order() {
    check(
        turn_with_call("c1", "go", "out"),
        &[
            "user go",
            "assistant [c1]",
            "result c1 out",
            "assistant done[]",
        ],
        "a plain turn",
    );
}

#[test]
fn a_call_without_its_fact_is_not_shown() {
    let events = vec![
        started(),
        user("go"),
        says("", &["c1"], StopReason::ToolUse),
        result("c1", CallStatus::Ok, "out"),
    ];
    check(
        events,
        &["user go"],
        "nothing empty and no result without its call",
    );
}

#[test]
fn a_rewind_hides_until_it_is_undone() {
    let mut events = turn_with_call("c1", "go", "out");
    events.push(LogEvent::Rewound { to_seq: 6 });
    check(
        events.clone(),
        &["user go", "assistant [c1]", "result c1 out"],
        "from the sixth fact on",
    );
    events.push(LogEvent::RewindUndone { rewind_seq: 8 });
    check(
        events,
        &[
            "user go",
            "assistant [c1]",
            "result c1 out",
            "assistant done[]",
        ],
        "undone",
    );
}

#[test]
fn the_newest_visible_summary_stands_for_what_it_covers() {
    let mut events = turn_with_call("c1", "old", "out");
    events.extend([
        started(),
        user("new"),
        compaction(9, Some(2)),
        says("yes", &[], StopReason::EndTurn),
    ]);
    check(
        events.clone(),
        &["summary so far", "user old", "user new", "assistant yes[]"],
        "the pinned message lies before the tail",
    );
    events[9] = compaction(9, Some(9));
    check(
        events.clone(),
        &["summary so far", "user new", "assistant yes[]"],
        "in the tail it is not shown twice",
    );
    events.extend([ended(Outcome::Completed), LogEvent::Rewound { to_seq: 10 }]);
    check(
        events,
        &[
            "user old",
            "assistant [c1]",
            "result c1 out",
            "assistant done[]",
            "user new",
        ],
        "taking back the summary brings the originals back",
    );
}

#[test]
fn old_results_are_emptied() {
    let mut events = turn_with_call("c1", "go", "five!");
    events.push(LogEvent::Prune { seqs: vec![5] });
    check(
        events,
        &[
            "user go",
            "assistant [c1]",
            "result c1 [Old tool output removed: 5 characters. Run the tool again if you need it.]",
            "assistant done[]",
        ],
        "the call stays",
    );
}

#[test]
fn a_refusal_takes_the_whole_turn_out_if_no_tool_ran() {
    let refused = |middle: Vec<LogEvent>| {
        let mut events = vec![
            started(),
            user("first"),
            says("ok", &[], StopReason::EndTurn),
            ended(Outcome::Completed),
        ];
        events.extend([started(), user("go")]);
        events.extend(middle);
        events.extend([
            says("I..", &[], StopReason::Refusal),
            ended(Outcome::Refusal),
        ]);
        events.extend([started(), user("next")]);
        events
    };
    check(
        refused(Vec::new()),
        &["user first", "assistant ok[]", "user next"],
        "question and answer leave",
    );
    let tried = |status| {
        vec![
            says("", &["c1"], StopReason::ToolUse),
            call("c1"),
            result("c1", status, "x"),
        ]
    };
    check(
        refused(tried(CallStatus::Ok)),
        &[
            "user first",
            "assistant ok[]",
            "user go",
            "assistant [c1]",
            "result c1 x",
            "user next",
        ],
        "work that was done stays",
    );
    check(
        refused(tried(CallStatus::Invalid)),
        &["user first", "assistant ok[]", "user next"],
        "a call that did not run is no work",
    );
}

#[test]
fn a_long_pinned_message_keeps_its_ends() {
    let text = format!("BEGIN{}END", "x".repeat(40_000));
    let short = ends(&text);
    assert!(short.starts_with("BEGINx") && short.ends_with("xEND"));
    assert!(estimate_tokens(&short) <= MAX_PINNED_TOKENS + 10);
    assert_eq!(ends("short"), "short");
}
