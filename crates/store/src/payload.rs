//! Facts as text in the `payload` column, and back.
//!
//! Strings over 64 KiB leave the text as blobs and are named by `{"$blob": sha256}`. An object of a tool's own
//! that looks like this is escaped by one more `$`, so that every value comes back as it was. Deliberately absent:
//! SQL.

use crate::blobs::{MAX_INLINE_BYTES, sha256_hex};
use crate::error::Error;
use protocol::log::LogEvent;
use serde_json::{Map, Value};

/// The only key of an object that names a blob.
const BLOB_KEY: &str = "$blob";
/// Fields of a fact that no model reads.
const UNREAD_FIELDS: &[&str] = &["display", "ask"];

/// A fact ready to be stored.
#[derive(Debug)]
pub(crate) struct Fact {
    pub(crate) event: LogEvent,
    pub(crate) payload: String,
    /// Name and bytes of each string that left the payload.
    pub(crate) blobs: Vec<(String, String)>,
}

impl Fact {
    pub(crate) fn new(event: LogEvent) -> Result<Self, Error> {
        let text = serde_json::to_string(&event)?;
        let prefix = format!("{{\"kind\":\"{}\",\"payload\":", event.kind());
        let plain = text
            .strip_prefix(prefix.as_str())
            .and_then(|rest| rest.strip_suffix('}'));
        let mut blobs = Vec::new();
        let payload = match plain {
            Some(payload) if payload.len() <= MAX_INLINE_BYTES && !payload.contains("blob\":") => {
                payload.to_owned()
            }
            _ => {
                let mut value: Value = serde_json::from_str(&text)?;
                let mut payload = value.get_mut("payload").map_or(Value::Null, Value::take);
                take_long_strings(&mut payload, &mut blobs);
                payload.to_string()
            }
        };
        Ok(Self {
            event,
            payload,
            blobs,
        })
    }
}

fn take_long_strings(value: &mut Value, blobs: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) if text.len() > MAX_INLINE_BYTES => {
            let sha256 = sha256_hex(text.as_bytes());
            let text = std::mem::take(text);
            *value = Value::Object(Map::from_iter([(
                BLOB_KEY.to_owned(),
                Value::String(sha256.clone()),
            )]));
            blobs.push((sha256, text));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        Value::Array(values) => values
            .iter_mut()
            .for_each(|value| take_long_strings(value, blobs)),
        Value::Object(map) => {
            map.values_mut()
                .for_each(|value| take_long_strings(value, blobs));
            if let Some(key) = lone_key(map).filter(|key| is_blob_key(key))
                && let Some(inner) = map.remove(&key)
            {
                map.insert(format!("${key}"), inner);
            }
        }
    }
}

fn lone_key(map: &Map<String, Value>) -> Option<String> {
    (map.len() == 1)
        .then(|| map.keys().next().cloned())
        .flatten()
}

/// `$blob`, `$$blob` …
fn is_blob_key(key: &str) -> bool {
    key.strip_suffix("blob")
        .is_some_and(|dollars| !dollars.is_empty() && dollars.bytes().all(|byte| byte == b'$'))
}

/// Which long strings are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Texts {
    /// All of them.
    All,
    /// Not those of previews and displays, which no model reads; they come back empty.
    ForModel,
}

/// A fact from its two columns; `None` for a kind, or a form, that this version does not know.
pub(crate) fn decode(
    kind: &str,
    payload: &str,
    texts: Texts,
    fetch: &dyn Fn(&str) -> Option<String>,
) -> Option<LogEvent> {
    if !payload.contains("blob\":") {
        return parse(kind, payload);
    }
    let mut value: Value = serde_json::from_str(payload).ok()?;
    let nothing = |_: &str| Some(String::new());
    if let (Texts::ForModel, Value::Object(fields)) = (texts, &mut value) {
        for key in UNREAD_FIELDS {
            if let Some(field) = fields.get_mut(*key) {
                put_long_strings(field, &nothing);
            }
        }
    }
    put_long_strings(&mut value, fetch);
    parse(kind, &value.to_string())
}

fn parse(kind: &str, payload: &str) -> Option<LogEvent> {
    serde_json::from_str(&format!("{{\"kind\":\"{kind}\",\"payload\":{payload}}}")).ok()
}

fn put_long_strings(value: &mut Value, fetch: &dyn Fn(&str) -> Option<String>) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        Value::Array(values) => values
            .iter_mut()
            .for_each(|value| put_long_strings(value, fetch)),
        Value::Object(map) => match lone_key(map).filter(|key| is_blob_key(key)) {
            Some(key) if key == BLOB_KEY => {
                let sha256 = map.get(&key).and_then(Value::as_str).unwrap_or_default();
                // A lost text leaves the rest of its fact readable.
                *value = Value::String(
                    fetch(sha256).unwrap_or_else(|| format!("[content {sha256} is lost]")),
                );
            }
            Some(key) => {
                if let Some(mut inner) = map.remove(&key) {
                    put_long_strings(&mut inner, fetch);
                    map.insert(key.replacen('$', "", 1), inner);
                }
            }
            None => map
                .values_mut()
                .for_each(|value| put_long_strings(value, fetch)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::ids::CallId;
    use protocol::tool_call::{CallArgs, ToolCall};
    use serde_json::json;
    use std::collections::HashMap;

    fn call(value: Value) -> LogEvent {
        LogEvent::ToolCall {
            call: ToolCall {
                call_id: CallId::from("c1"),
                name: "write_file".to_owned(),
                args: CallArgs::Usable { value },
                meta: None,
            },
        }
    }

    #[track_caller]
    fn check(event: LogEvent, blobs: usize, why: &str) {
        let fact = Fact::new(event.clone()).unwrap();
        assert_eq!(fact.blobs.len(), blobs, "{why}");
        assert!(fact.payload.len() < MAX_INLINE_BYTES + 1024, "{why}");
        let kept: HashMap<_, _> = fact.blobs.into_iter().collect();
        let back = decode(event.kind(), &fact.payload, Texts::All, &|sha256| {
            kept.get(sha256).cloned()
        });
        assert_eq!(back, Some(event), "{why}");
    }

    #[test]
    fn every_value_comes_back() {
        let long = "é".repeat(40_000);
        check(call(json!({"a": 1})), 0, "a short one stays");
        check(
            call(json!({"content": long, "more": [long, "x"]})),
            2,
            "long strings leave",
        );
        check(call(json!({"$blob": "abc"})), 0, "a look-alike is not ours");
        check(
            call(json!({"x": {"$$blob": "abc"}, "y": long})),
            1,
            "nor is an escaped one",
        );
        check(
            call(json!({"$blob": long})),
            1,
            "a look-alike around a long string",
        );
        check(
            call(json!({"blob": "abc", "$blob": 1})),
            0,
            "two keys are never a name",
        );
    }

    #[test]
    fn an_unknown_kind_is_none_and_a_lost_text_is_said() {
        assert_eq!(decode("from_the_future", "{}", Texts::All, &|_| None), None);
        let fact = Fact::new(LogEvent::RuleAdded {
            rule: "x".repeat(70_000),
        })
        .unwrap();
        let back = decode("rule_added", &fact.payload, Texts::All, &|_| None);
        assert!(matches!(back, Some(LogEvent::RuleAdded { rule }) if rule.ends_with("is lost]")));
    }
}
