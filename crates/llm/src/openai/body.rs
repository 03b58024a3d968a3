//! Writes the body of a Chat Completions request.
//!
//! A body is put together from pieces: settings, the fixed part, the messages of closed exchanges (kept as bytes from
//! request to request), and the newest exchange. Invariant: the same input gives the same bytes, with or without what
//! was kept, and no text in it is blank.

mod messages;

use super::{MaxTokensField, Quirks};
use crate::cache::RequestCache;
use crate::provider::{ModelRequest, ProviderInfo, ToolDeclaration};
use crate::view::{Exchange, normalise_view};
use messages::{Writer, push_json};
use protocol::log::SystemPart;
use protocol::message::{Origin, ViewEntry};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Providers take about this many; older pictures give way to newer ones.
const MAX_IMAGES: usize = 20;

/// Stands where the first word of a person is missing.
const BEGINNING: &str = "[The beginning of this conversation is not included.]";

/// Stands where a request would end with the model's own words, which some models refuse.
const GO_ON: &str = "<system-reminder>\nGo on directly from where you stopped.\n</system-reminder>";

/// The body of a request.
pub(super) fn build(
    info: &ProviderInfo,
    quirks: &Quirks,
    request: &ModelRequest<'_>,
    cache: &mut RequestCache,
) -> Vec<u8> {
    let skipped_images = count_images(request.view).saturating_sub(MAX_IMAGES);
    let origin = Origin {
        provider: info.id.clone(),
        model: request.model.name.clone(),
    };
    cache.rekey(&format!(
        "{}\n{}\n{}\n{skipped_images}",
        origin.provider, origin.model, info.vision
    ));
    let mut writer = Writer::new(&origin, quirks, info.vision, request.images);
    writer.skip_images(skipped_images);
    let tail = messages(request.view, cache, &mut writer);

    let system = system_message(quirks, request.system);
    let tools = cache.tools(request.tools, write_tools).to_vec();
    let mut body =
        Vec::with_capacity(cache.messages().len() + tail.len() + system.len() + tools.len() + 1024);
    body.extend_from_slice(b"{\"messages\":[");
    body.extend_from_slice(&system);
    body.extend_from_slice(cache.messages());
    body.extend_from_slice(&tail);
    if body.last() == Some(&b',') {
        body.pop();
    }
    body.push(b']');
    if !tools.is_empty() {
        body.extend_from_slice(b",\"tools\":");
        body.extend_from_slice(&tools);
    }
    for (name, value) in settings(quirks, request) {
        body.push(b',');
        push_json(&mut body, &name);
        body.push(b':');
        push_json(&mut body, &value);
    }
    body.push(b'}');
    body
}

/// Moves what is closed into the cache and gives the text of what is not.
fn messages(view: &[Arc<ViewEntry>], cache: &mut RequestCache, writer: &mut Writer<'_>) -> Vec<u8> {
    let from = cache.covered(view);
    writer.after_images(count_images(view.get(..from).unwrap_or_default()));
    let (exchanges, defects) = normalise_view(view, from);
    for defect in defects {
        tracing::warn!(?defect, "the view was put right before sending");
    }
    let Some((newest, closed)) = exchanges.split_last() else {
        return Vec::new();
    };
    let mut text = Vec::new();
    if from == 0 && begins_with_model(&exchanges) {
        writer.person_text(&mut text, BEGINNING);
    }
    for exchange in closed {
        writer.exchange(&mut text, exchange);
    }
    // A placeholder in front of the very first entry belongs to no entry, so it cannot be kept.
    if newest.start > from {
        cache.extend(view, newest.start, &text);
        text.clear();
    }
    writer.exchange(&mut text, newest);
    if newest.ends_with_model() && !newest.is_paused() {
        writer.person_text(&mut text, GO_ON);
    }
    text
}

fn begins_with_model(exchanges: &[Exchange<'_>]) -> bool {
    exchanges.len() > 1
        && exchanges
            .first()
            .is_some_and(|first| first.people.is_empty())
}

fn count_images(view: &[Arc<ViewEntry>]) -> usize {
    view.iter().map(|entry| messages::images_of(entry)).sum()
}

fn system_message(quirks: &Quirks, parts: &[SystemPart]) -> Vec<u8> {
    let texts: Vec<&str> = parts
        .iter()
        .map(|part| part.text.as_str())
        .filter(|text| !text.trim().is_empty())
        .collect();
    let mut out = Vec::new();
    if !texts.is_empty() {
        let message = json!({"role": quirks.system_role.as_str(), "content": texts.join("\n\n")});
        push_json(&mut out, &message);
        out.push(b',');
    }
    out
}

/// Nothing for an empty list, which some servers refuse.
fn write_tools(tools: &[ToolDeclaration]) -> Vec<u8> {
    let mut out = Vec::new();
    if tools.is_empty() {
        return out;
    }
    let list: Vec<Value> = tools
        .iter()
        .map(|tool| {
            json!({"type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": tool.schema,
            }})
        })
        .collect();
    push_json(&mut out, &list);
    out
}

/// Everything but messages and tools. What the person set for the model comes last and wins.
fn settings(quirks: &Quirks, request: &ModelRequest<'_>) -> Map<String, Value> {
    let limit = match quirks.max_tokens_field {
        MaxTokensField::MaxTokens => "max_tokens",
        MaxTokensField::MaxCompletionTokens => "max_completion_tokens",
    };
    let mut settings = Map::new();
    settings.insert("model".to_owned(), json!(request.model.name));
    settings.insert("stream".to_owned(), json!(true));
    settings.insert(limit.to_owned(), json!(request.model.max_output));
    if quirks.stream_usage {
        settings.insert("stream_options".to_owned(), json!({"include_usage": true}));
    }
    if quirks.prompt_cache_key {
        settings.insert("prompt_cache_key".to_owned(), json!(request.session_id));
    }
    settings.extend(request.model.extra_body.clone());
    settings.remove("messages");
    settings.remove("tools");
    settings
}
