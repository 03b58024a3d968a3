//! What strict providers demand of a request body, checked without the code that builds it.

use serde_json::Value;
use std::collections::HashSet;

/// What is wrong with a Chat Completions body; nothing if all is well.
pub(crate) fn problems(body: &Value) -> Vec<String> {
    let mut out = Vec::new();
    let messages = body["messages"].as_array().unwrap();
    let said: Vec<&Value> = messages
        .iter()
        .filter(|message| message["role"] != "system")
        .collect();
    if said.first().is_some_and(|first| first["role"] != "user") {
        out.push("the first message is not a person's".to_owned());
    }
    if said.last().is_some_and(|last| last["role"] == "assistant") {
        out.push("the last message is the model's".to_owned());
    }
    for pair in said.windows(2) {
        if pair[0]["role"] == pair[1]["role"] && pair[0]["role"] != "tool" {
            out.push(format!("{} twice in a row", pair[0]["role"]));
        }
    }
    for (at, message) in messages.iter().enumerate() {
        out.extend(
            content_problems(message)
                .into_iter()
                .map(|problem| format!("message {at}: {problem}")),
        );
    }
    out.extend(pairing_problems(messages));
    out
}

fn content_problems(message: &Value) -> Vec<String> {
    let blank = |text: &str| text.trim().is_empty();
    match &message["content"] {
        Value::String(text) if blank(text) => vec!["blank content".to_owned()],
        Value::String(_) => Vec::new(),
        Value::Null if message["tool_calls"].is_array() => Vec::new(),
        Value::Null => vec!["neither content nor calls".to_owned()],
        Value::Array(parts) if parts.is_empty() => vec!["empty content".to_owned()],
        Value::Array(parts) => parts.iter().filter_map(part_problem).collect(),
        other => vec![format!("content of another kind: {other}")],
    }
}

fn part_problem(part: &Value) -> Option<String> {
    match part["type"].as_str() {
        Some("text") => {
            let text = part["text"].as_str().unwrap_or_default();
            text.trim().is_empty().then(|| "blank part".to_owned())
        }
        Some("image_url") => {
            let url = part["image_url"]["url"].as_str().unwrap_or_default();
            let is_png = url
                .strip_prefix("data:image/png;base64,")
                .is_some_and(|data| data.starts_with("iVBORw0KGg"));
            (!is_png).then(|| format!("type and bytes differ: {url}"))
        }
        other => Some(format!("unknown part {other:?}")),
    }
}

/// Every call has its result right after its message, in its order, and no result is without its call.
fn pairing_problems(messages: &[Value]) -> Vec<String> {
    let mut out = Vec::new();
    let mut open: Vec<String> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            if open.first().map(String::as_str) == Some(id) {
                open.remove(0);
            } else {
                out.push(format!("message {at}: result {id} out of place"));
            }
            continue;
        }
        if !open.is_empty() {
            out.push(format!("before message {at}: no results for {open:?}"));
        }
        open = message["tool_calls"]
            .as_array()
            .map(|calls| calls.iter().map(|call| call_id(call, &mut out)).collect())
            .unwrap_or_default();
        let distinct: HashSet<&String> = open.iter().collect();
        if distinct.len() != open.len() {
            out.push(format!("message {at}: an id twice in {open:?}"));
        }
    }
    if !open.is_empty() {
        out.push(format!("at the end: no results for {open:?}"));
    }
    out
}

fn call_id(call: &Value, out: &mut Vec<String>) -> String {
    let id = call["id"].as_str().unwrap_or_default();
    let name = call["function"]["name"].as_str().unwrap_or_default();
    for word in [id, name] {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if word.is_empty() || word.len() > 64 || !word.chars().all(fits) {
            out.push(format!("outside the alphabet: {word:?}"));
        }
    }
    let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
    if !serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object()) {
        out.push(format!("arguments are no object: {arguments:?}"));
    }
    id.to_owned()
}
