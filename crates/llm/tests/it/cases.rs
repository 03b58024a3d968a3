//! The transcripts and HTTP answers of the case files.

use crate::support::{answer, decode, fixtures, provider};
use llm::canonical::{canonical, delta_counts};
use llm::{ChatProvider, Chunk, EndKind, ProviderEvent, Quirks};
use serde_json::{Value, json};
use std::collections::HashMap;

/// One transcript.
pub(crate) struct Case {
    pub(crate) name: String,
    body: Vec<u8>,
    content_type: String,
    pub(crate) end: EndKind,
    provider: ChatProvider,
    row: Value,
}

fn index() -> Value {
    serde_json::from_slice(&std::fs::read(fixtures("sse").join("index.json")).unwrap()).unwrap()
}

fn end_kind(name: &str) -> EndKind {
    match name {
        "eof" => EndKind::Eof,
        "reset" => EndKind::Reset("connection reset".to_owned()),
        "idle" => EndKind::Idle,
        other => panic!("unknown end {other}"),
    }
}

/// The transcripts of this protocol.
pub(crate) fn cases() -> Vec<Case> {
    let index = index();
    let rows = index["cases"].as_array().unwrap();
    let chat = rows.iter().filter(|row| row["protocol"] == "openai_chat");
    let cases: Vec<Case> = chat
        .map(|row| {
            let name = row["file"].as_str().unwrap().to_owned();
            let body = std::fs::read(fixtures("sse").join(&name)).unwrap();
            assert_eq!(
                body.len() as u64,
                row["bytes"].as_u64().unwrap(),
                "{name} is byte-exact"
            );
            let think_tags = row["quirks"]["think_tags"] == true;
            Case {
                body,
                content_type: row["content_type"].as_str().unwrap().to_owned(),
                end: end_kind(row["end"].as_str().unwrap()),
                provider: provider(Quirks {
                    think_tags,
                    ..Quirks::default()
                }),
                row: row.clone(),
                name,
            }
        })
        .collect();
    assert_eq!(cases.len(), 84, "no case is lost");
    cases
}

impl Case {
    /// The events of the transcript, cut at these places.
    pub(crate) fn events(&self, cuts: &[usize], end: EndKind) -> Vec<ProviderEvent> {
        decode(
            &self.provider,
            answer(&self.content_type, &self.body, cuts, end),
        )
    }

    #[track_caller]
    fn check(&self, cuts: &[usize], how: &str) {
        let events = self.events(cuts, self.end.clone());
        let got = Value::Array(canonical(&events));
        assert_eq!(got, self.row["expect"], "{} {how}", self.name);
        if let Some(counts) = self.row["delta_counts"].as_object() {
            let counts: HashMap<u32, usize> = counts
                .iter()
                .map(|(block, count)| (block.parse().unwrap(), count.as_u64().unwrap() as usize))
                .collect();
            assert_eq!(
                delta_counts(&events),
                counts,
                "{} {how}: deltas as they come",
                self.name
            );
        }
    }
}

/// Cuts that look random and are the same every time.
fn random_cuts(seed: u64, len: usize) -> Vec<usize> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let longest = 1 + (next() % 200) as usize;
    let mut cuts = Vec::new();
    let mut at = 0;
    loop {
        at += 1 + (next() as usize) % longest;
        if at >= len {
            return cuts;
        }
        cuts.push(at);
    }
}

#[test]
fn every_transcript_in_every_listed_chunking() {
    for case in cases() {
        for chunking in case.row["chunkings"].as_array().unwrap() {
            let cuts = match chunking.as_str() {
                Some("whole") => Vec::new(),
                Some("each_byte") => (1..case.body.len().max(1)).collect(),
                Some(other) => panic!("unknown chunking {other}"),
                None => serde_json::from_value(chunking.clone()).unwrap(),
            };
            case.check(&cuts, &chunking.to_string());
        }
    }
}

#[test]
fn every_transcript_in_random_chunkings() {
    for case in cases() {
        for seed in 1..=20 {
            case.check(&random_cuts(seed, case.body.len()), &format!("seed {seed}"));
        }
    }
}

#[test]
fn a_transcript_cut_anywhere_never_gives_a_call_it_did_not_finish() {
    for case in cases() {
        for len in 0..=case.body.len() {
            let body = &case.body[..len];
            let reset = EndKind::Reset("connection reset".to_owned());
            let events = decode(&case.provider, answer(&case.content_type, body, &[], reset));
            let records = canonical(&events);
            let stopped = records.iter().any(|record| record["type"] == "stop");
            let text = String::from_utf8_lossy(body);
            let finished = text.contains("\"finish_reason\":\"")
                || text.contains("\"finish_reason\": \"")
                || text.contains("[DONE]");
            assert!(
                finished || !stopped,
                "{} cut at {len}: {records:?}",
                case.name
            );
            let called = records.iter().any(|record| record["type"] == "tool_call");
            assert!(
                stopped || !called,
                "{} cut at {len}: {records:?}",
                case.name
            );
        }
    }
}

#[test]
fn every_http_answer() {
    let index = index();
    let rows = index["http_errors"].as_array().unwrap();
    assert_eq!(rows.len(), 30, "no row is lost");
    let provider = provider(Quirks::default());
    for row in rows {
        let headers = row["headers"].as_object().unwrap().iter();
        let headers = headers
            .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
            .collect();
        let body = row["body"].as_str().unwrap().as_bytes().to_vec();
        let head = Chunk::Head {
            status: row["status"].as_u64().unwrap() as u16,
            headers,
        };
        let events = decode(
            &provider,
            [head, Chunk::Bytes(body.into()), Chunk::End(EndKind::Eof)],
        );
        let records = canonical(&events);
        let [record] = records.as_slice() else {
            panic!("{}: only an error, not {records:?}", row["id"]);
        };
        check_error(&row["expect"], record, row["id"].as_str().unwrap());
    }
}

#[track_caller]
fn check_error(expected: &Value, record: &Value, id: &str) {
    for (name, value) in expected.as_object().unwrap() {
        match name.as_str() {
            "message_contains" => {
                let message = record["message"].as_str().unwrap();
                assert!(message.contains(value.as_str().unwrap()), "{id}: {message}");
            }
            name => assert_eq!(&record[name], value, "{id}: {name} of {record}"),
        }
    }
    if expected["retry_after_ms"].is_null() {
        assert_eq!(
            record["retry_after_ms"],
            json!(null),
            "{id}: no delay is made up"
        );
    }
}
