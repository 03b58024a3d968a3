//! Notices a turn that makes the same calls again and again.
//!
//! Calls are compared by tool and arguments, results by a hash of the whole result. Everything is counted per turn
//! and in model order. Deliberately absent: texts (see `repetition`), and what a halt does to the turn.

use crate::machine::config::{LoopConfig, Repeats};
use protocol::message::Part;
use protocol::tool_call::{CallArgs, ToolCall};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};

/// Equal calls with equal results anywhere in a turn that halt it.
const SPREAD_REPEATS: u32 = 6;
/// Calls of two kinds taking turns, each with unchanged results, that halt the turn at the next one.
const ALTERNATING_CALLS: usize = 6;
/// Steps in a row in which every call failed alike that halt the turn.
const ALIKE_FAILURES: u32 = 3;

/// What a turn has done so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Guard {
    calls: u32,
    admitted: Run,
    results: Run,
    recent: VecDeque<(u64, u64)>,
    spread: BTreeMap<u64, u32>,
    failures: Run,
}

/// How often the same thing came in a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Run {
    value: u64,
    times: u32,
}

impl Run {
    fn add(&mut self, value: u64) -> u32 {
        self.times = if self.times > 0 && self.value == value {
            self.times + 1
        } else {
            1
        };
        self.value = value;
        self.times
    }
}

/// What makes two calls equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CallKey {
    hash: u64,
    repeats: Repeats,
}

/// Whether a turn may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It may.
    Go,
    /// It runs in circles.
    Halt,
}

/// What a result says about the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Noted {
    /// The model is told that the result came that often.
    pub(crate) hint: Option<u32>,
    /// Whether the turn may go on.
    pub(crate) admission: Admission,
}

impl Guard {
    /// A call is about to run or to be asked about.
    pub(crate) fn admit(&mut self, key: CallKey, config: &LoopConfig) -> Admission {
        self.calls += 1;
        let in_a_row = self.admitted.add(key.hash);
        let repeated = match key.repeats {
            Repeats::Calls => in_a_row >= config.loop_same,
            Repeats::Polling => {
                in_a_row >= config.loop_same && self.results.times + 1 >= config.loop_same
            }
        };
        if repeated || self.calls > config.max_calls || self.alternates(key.hash) {
            Admission::Halt
        } else {
            Admission::Go
        }
    }

    /// An admitted call has its result.
    pub(crate) fn note(&mut self, key: CallKey, result: u64, config: &LoopConfig) -> Noted {
        let both = Fnv::default().number(key.hash).number(result).0;
        let times = self.results.add(both);
        if self.recent.len() == ALTERNATING_CALLS {
            self.recent.pop_front();
        }
        self.recent.push_back((key.hash, result));
        let spread = self.spread.entry(both).or_insert(0);
        *spread += 1;
        let admission = if *spread >= SPREAD_REPEATS {
            Admission::Halt
        } else {
            Admission::Go
        };
        Noted {
            hint: Some(times).filter(|times| *times >= config.loop_hint),
            admission,
        }
    }

    /// A step with calls is complete. `failure` is what all of them failed with, if they did.
    pub(crate) fn end_step(&mut self, failure: Option<u64>) -> Admission {
        let Some(failure) = failure else {
            self.failures = Run::default();
            return Admission::Go;
        };
        if self.failures.add(failure) >= ALIKE_FAILURES {
            Admission::Halt
        } else {
            Admission::Go
        }
    }

    fn alternates(&self, next: u64) -> bool {
        let recent: Vec<&(u64, u64)> = self.recent.iter().collect();
        match recent.as_slice() {
            [a, b, rest @ ..] if rest.len() + 2 == ALTERNATING_CALLS => {
                a.0 == next
                    && a.0 != b.0
                    && rest
                        .chunks_exact(2)
                        .all(|pair| matches!(pair, [x, y] if x == a && y == b))
            }
            _ => false,
        }
    }
}

impl CallKey {
    /// The key of a call.
    pub(crate) fn of(call: &ToolCall, repeats: Repeats) -> Self {
        let hash = Fnv::default().text(&call.name);
        let hash = match (repeats, &call.args) {
            (Repeats::Polling, _) => hash,
            (Repeats::Calls, CallArgs::Usable { value }) => hash.value(value),
            (Repeats::Calls, CallArgs::Unusable { raw, .. }) => hash.text(raw),
        };
        Self {
            hash: hash.0,
            repeats,
        }
    }
}

/// Hash of what a model reads.
pub(crate) fn content_hash(content: &[Part]) -> u64 {
    let hash = content
        .iter()
        .fold(Fnv::default(), |hash, part| match part {
            Part::Text { text } => hash.text(text),
            Part::Image { image } => hash.text(&image.sha256),
        });
    hash.0
}

/// FNV-1a: the same on every machine and in every version, unlike the standard library's.
#[derive(Clone, Copy)]
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl Fnv {
    fn bytes(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3)
        }))
    }

    fn number(self, number: u64) -> Self {
        self.bytes(&number.to_le_bytes())
    }

    /// The length goes in as well, so that neighbouring texts cannot run into each other.
    fn text(self, text: &str) -> Self {
        self.number(text.len() as u64).bytes(text.as_bytes())
    }

    /// Keys in order, whatever order the map keeps.
    fn value(self, value: &Value) -> Self {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => self.text(&value.to_string()),
            Value::String(text) => self.bytes(b"s").text(text),
            Value::Array(items) => items
                .iter()
                .fold(self.bytes(b"[").number(items.len() as u64), Self::value),
            Value::Object(fields) => {
                let sorted: BTreeMap<&String, &Value> = fields.iter().collect();
                let start = self.bytes(b"{").number(sorted.len() as u64);
                sorted
                    .into_iter()
                    .fold(start, |hash, (key, value)| hash.text(key).value(value))
            }
        }
    }
}

#[cfg(test)]
mod tests;
