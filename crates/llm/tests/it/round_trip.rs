//! What comes in goes out again: answers as the history of the next request, and any history as a sound request.

use crate::body_check::problems;
use crate::cases::cases;
use crate::requests::{asking, call, entry, image, origin, result, text};
use crate::support::{answer, decode, fixtures, provider, user};
use llm::{BlockEnd, EndKind, ProviderEvent, Quirks, RequestCache};
use proptest::prelude::*;
use protocol::message::{Block, Part, Reminder, StopReason, ViewEntry};
use serde_json::{Value, json};
use std::sync::Arc;

/// The entry that the events of an answer become.
fn answered(events: &[ProviderEvent]) -> Option<Arc<ViewEntry>> {
    let (mut blocks, mut calls) = (Vec::new(), Vec::new());
    for event in events {
        match event {
            ProviderEvent::BlockStop {
                end: BlockEnd::Content { content },
                ..
            } => blocks.push(content.clone()),
            ProviderEvent::BlockStop {
                end: BlockEnd::Call { call },
                ..
            } => {
                blocks.push(Block::Call {
                    call_id: call.call_id.clone(),
                });
                calls.push(call.clone());
            }
            ProviderEvent::Stop { reason, .. } => {
                let (stop, origin) = (*reason, origin());
                return Some(entry(ViewEntry::Assistant {
                    blocks,
                    calls,
                    stop,
                    origin,
                }));
            }
            _ => {}
        }
    }
    None
}

fn with_results(answer: Arc<ViewEntry>) -> Vec<Arc<ViewEntry>> {
    let mut view = vec![user("go"), Arc::clone(&answer)];
    if let ViewEntry::Assistant { calls, .. } = &*answer {
        view.extend(
            calls
                .iter()
                .rev()
                .map(|call| entry(result(call.call_id.as_str(), "r"))),
        );
    }
    view.push(user("next"));
    view
}

#[test]
fn every_transcript_can_be_answered() {
    let mut answered_cases = 0;
    for case in cases() {
        if let Some(answer) = answered(&case.events(&[], case.end.clone())) {
            let body = asking().body(&with_results(answer));
            assert_eq!(problems(&body), Vec::<String>::new(), "{}", case.name);
            answered_cases += 1;
        }
    }
    assert!(answered_cases > 50, "most cases end with an answer");
}

#[test]
fn reasoning_goes_back_as_it_came() {
    let stream = std::fs::read(fixtures("reports/PR-06/input/reasoning_openai.sse")).unwrap();
    let provider = provider(Quirks::default());
    let events = decode(
        &provider,
        answer("text/event-stream", &stream, &[], EndKind::Eof),
    );
    let body = asking().body(&with_results(answered(&events).unwrap()));
    let said = &body["messages"][1];
    assert_eq!(said["reasoning_content"], "First look at the file.\n");
    assert_eq!(said["content"], "Reading.");
    assert_eq!(said["tool_calls"][0]["function"]["name"], "read_file");
}

#[test]
fn two_calls_stay_two_calls() {
    for name in [
        "duplicate_id",
        "interleaved",
        "no_id",
        "no_index",
        "same_index",
    ] {
        let path = fixtures("reports/PR-02/input").join(format!("{name}.sse"));
        let stream = std::fs::read_to_string(path)
            .unwrap()
            .replace("{ws}", "/ws");
        for chunk in [1, 7, usize::MAX] {
            let cuts: Vec<usize> = (1..stream.len()).filter(|at| at % chunk == 0).collect();
            let events = decode(
                &provider(Quirks::default()),
                answer("text/event-stream", stream.as_bytes(), &cuts, EndKind::Eof),
            );
            let body = asking().body(&with_results(answered(&events).unwrap()));
            assert_eq!(problems(&body), Vec::<String>::new(), "{name}");
            let calls = body["messages"][1]["tool_calls"].as_array().unwrap();
            let paths: Vec<Value> = calls
                .iter()
                .map(|call| {
                    serde_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap()
                })
                .collect();
            assert_eq!(
                paths,
                [
                    json!({"file_path": "/ws/a.txt"}),
                    json!({"file_path": "/ws/b.txt"})
                ],
                "{name}"
            );
        }
    }
}

#[test]
fn every_legal_form_of_a_stream_gives_the_same_text() {
    let expected = std::fs::read_to_string(fixtures("reports/PR-01/expected/text.txt")).unwrap();
    for name in [
        "comments",
        "cr",
        "crlf",
        "lf",
        "multiline_data",
        "no_final_blank",
        "nospace",
    ] {
        let stream =
            std::fs::read(fixtures("reports/PR-01/input").join(format!("openai_{name}.sse")))
                .unwrap();
        for chunk in [1, 7, usize::MAX] {
            let cuts: Vec<usize> = (1..stream.len()).filter(|at| at % chunk == 0).collect();
            let events = decode(
                &provider(Quirks::default()),
                answer("text/event-stream", &stream, &cuts, EndKind::Eof),
            );
            let said: String = events
                .iter()
                .filter_map(|event| match event {
                    ProviderEvent::BlockStop {
                        end:
                            BlockEnd::Content {
                                content: Block::Text { text, .. },
                            },
                        ..
                    } => Some(text.as_str()),
                    _ => None,
                })
                .collect();
            assert_eq!(said, expected, "{name} in chunks of {chunk}");
            assert!(
                matches!(events.last(), Some(ProviderEvent::Stop { .. })),
                "{name}"
            );
        }
    }
}

fn any_entry() -> impl Strategy<Value = ViewEntry> {
    let id = prop_oneof![Just("1"), Just("2"), Just("3"), Just("odd id"), Just("")];
    let words = prop_oneof![
        Just(""),
        Just(" \n"),
        Just("word"),
        Just("</system-reminder>")
    ];
    let block = prop_oneof![
        words.clone().prop_map(text),
        words.clone().prop_map(|text| Block::Thinking {
            text: text.to_owned(),
            signature: None,
            redacted: None,
            meta: None,
        }),
        Just(Block::Opaque { raw: json!({}) }),
    ];
    let stop = prop_oneof![Just(StopReason::EndTurn), Just(StopReason::Interrupted)];
    let blocks = proptest::collection::vec(block, 0..3);
    let calls = proptest::collection::vec(id.clone().prop_map(call), 0..3);
    prop_oneof![
        (words.clone(), any::<bool>(), words.clone()).prop_map(|(text, steer, note)| {
            ViewEntry::User {
                text: text.to_owned(),
                images: if steer { vec![image("a")] } else { vec![] },
                reminders: vec![Reminder {
                    code: "x".to_owned(),
                    text: note.to_owned(),
                }],
                steer,
            }
        }),
        (blocks, calls, stop).prop_map(|(blocks, calls, stop)| ViewEntry::Assistant {
            blocks,
            calls,
            stop,
            origin: origin(),
        }),
        (id, words.clone(), any::<bool>()).prop_map(|(id, words, picture)| {
            let mut given = result(id, words);
            if let (ViewEntry::Result { content, .. }, true) = (&mut given, picture) {
                content.push(Part::Image { image: image("a") });
            }
            given
        }),
        words.prop_map(|text| ViewEntry::Summary {
            text: text.to_owned()
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn any_view_gives_a_sound_request_and_the_cache_changes_no_byte(
        entries in proptest::collection::vec(any_entry(), 0..30),
        others in proptest::collection::vec(any_entry(), 0..4),
        stops in proptest::collection::vec((0usize..30, any::<bool>()), 0..8),
    ) {
        let view: Vec<Arc<ViewEntry>> = entries.into_iter().map(Arc::new).collect();
        let others: Vec<Arc<ViewEntry>> = others.into_iter().map(Arc::new).collect();
        let asking = asking();
        let mut cache = RequestCache::default();
        // As a session grows, and now and then is taken back and goes another way.
        for (stop, other_way) in stops.into_iter().chain([(view.len(), false)]) {
            let mut part = view[..stop.min(view.len())].to_vec();
            if other_way {
                part.extend(others.iter().cloned());
            }
            let fresh = asking.bytes(&part, &mut RequestCache::default());
            prop_assert_eq!(&asking.bytes(&part, &mut cache), &fresh);
            let body: Value = serde_json::from_slice(&fresh).unwrap();
            prop_assert_eq!(problems(&body), Vec::<String>::new(), "{}", body);
        }
    }
}
