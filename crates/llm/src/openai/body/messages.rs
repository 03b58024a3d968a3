//! Writes the messages of one exchange, each followed by a comma.
//!
//! What a provider must not see is decided here: reasoning of another model, blank texts, ids and names outside its
//! alphabet, pictures a model cannot look at.

use crate::openai::Quirks;
use crate::openai::message::{DETAILS, FIELD};
use crate::provider::ImageSource;
use crate::view::{CallResult, Exchange, Outcome, Said, Spoken};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use protocol::message::{Block, ImageRef, Origin, Part, Reminder, ViewEntry};
use protocol::tool_call::{CallArgs, ToolCall};
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// Providers refuse larger pictures; counted after encoding.
const MAX_IMAGE_BASE64_BYTES: usize = 5 * 1024 * 1024;

/// The alphabet and length that every provider takes.
const MAX_NAME_CHARS: usize = 64;

/// Enough of a hash that two ids of a session never meet.
const ID_HASH_BYTES: usize = 12;

const NO_OUTPUT: &str = "(no output)";
const NOT_RUN: &str = "Not run: the application stopped first.";
const NO_VISION: &str = "[image omitted: this model cannot see images]";
const IMAGE_LOST: &str = "[image omitted: its content is lost or not of a kind that can be sent]";
const IMAGE_TOO_LARGE: &str = "[image omitted: it is too large]";
const IMAGE_OLD: &str = "[image omitted: too many images in this conversation]";
const ERROR_START: &str = "Error: ";

/// Media types by the bytes a file begins with; what a file is called does not count.
const MAGIC: [(&[u8], &str); 4] = [
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"RIFF", "image/webp"),
];

/// Writes messages for one model.
pub(super) struct Writer<'a> {
    origin: &'a Origin,
    quirks: &'a Quirks,
    vision: bool,
    images: ImageSource<'a>,
    seen_images: usize,
    skipped_images: usize,
}

#[derive(Serialize)]
struct ModelMessage<'a> {
    role: &'static str,
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasoning_details: Vec<&'a Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Value>,
}

/// A piece of a person's message.
enum Piece {
    Text(String),
    Image(String),
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        origin: &'a Origin,
        quirks: &'a Quirks,
        vision: bool,
        images: ImageSource<'a>,
    ) -> Self {
        Self {
            origin,
            quirks,
            vision,
            images,
            seen_images: 0,
            skipped_images: 0,
        }
    }

    /// The first pictures of the view are left out.
    pub(super) fn skip_images(&mut self, count: usize) {
        self.skipped_images = count;
    }

    /// So many pictures stand before what is written next.
    pub(super) fn after_images(&mut self, count: usize) {
        self.seen_images = count;
    }

    /// Writes a model's message, the results of its calls, and what people said then.
    pub(super) fn exchange(&mut self, out: &mut Vec<u8>, exchange: &Exchange<'_>) {
        let mut pieces = Vec::new();
        if !exchange.said.is_empty() {
            push_message(out, &self.model_message(exchange));
        }
        for result in &exchange.results {
            let content = self.result_text(result, &mut pieces);
            let id = safe_id(result.call_id.as_str());
            push_message(
                out,
                &json!({"role": "tool", "tool_call_id": id, "content": content}),
            );
        }
        for spoken in &exchange.people {
            self.spoken(spoken, &mut pieces);
        }
        push_person(out, pieces);
    }

    /// Writes a person's message of one text.
    pub(super) fn person_text(&self, out: &mut Vec<u8>, text: &str) {
        push_person(out, vec![Piece::Text(text.to_owned())]);
    }

    fn model_message<'m>(&self, exchange: &'m Exchange<'_>) -> ModelMessage<'m> {
        let mut message = ModelMessage {
            role: "assistant",
            content: None,
            reasoning_content: None,
            reasoning_details: Vec::new(),
            tool_calls: Vec::new(),
        };
        let (mut text, mut reasoning) = (String::new(), String::new());
        for said in &exchange.said {
            for block in said.blocks {
                self.block(block, said, &mut text, &mut reasoning);
            }
            let is_own = said.origin == self.origin;
            message.reasoning_details.extend(self.details(said));
            let calls = said.calls.iter().map(|call| call_value(call, is_own));
            message.tool_calls.extend(calls);
        }
        if exchange.ends_with_model() {
            text.truncate(text.trim_end().len());
        }
        message.content = (!text.trim().is_empty()).then_some(text);
        message.reasoning_content = (!reasoning.is_empty()).then_some(reasoning);
        message
    }

    fn block(&self, block: &Block, said: &Said<'_>, text: &mut String, reasoning: &mut String) {
        match block {
            Block::Text { text: more, .. } => text.push_str(more),
            Block::Thinking {
                text: more, meta, ..
            } => {
                let from_elsewhere = meta
                    .as_ref()
                    .is_some_and(|meta| meta.get(FIELD).is_some() || meta.get(DETAILS).is_some());
                if self.takes_reasoning_of(said) && !from_elsewhere {
                    reasoning.push_str(more);
                }
            }
            Block::ServerToolCall { name, .. } => {
                text.push_str(&format!("\n[The provider ran its tool {name}.]\n"));
            }
            Block::Call { .. } | Block::ServerToolResult { .. } | Block::Opaque { .. } => {}
        }
    }

    /// Reasoning that goes back as opaque objects.
    fn details<'m>(&self, said: &'m Said<'_>) -> Vec<&'m Value> {
        if !self.takes_reasoning_of(said) {
            return Vec::new();
        }
        let kept = said.blocks.iter().filter_map(|block| match block {
            Block::Thinking {
                meta: Some(meta), ..
            } => meta.get(DETAILS)?.as_array(),
            _ => None,
        });
        kept.flatten().collect()
    }

    fn takes_reasoning_of(&self, said: &Said<'_>) -> bool {
        said.origin == self.origin && self.quirks.send_reasoning_back && !self.quirks.think_tags
    }

    /// The text of a result; its pictures follow in the person's message, where every server takes them.
    fn result_text(&mut self, result: &CallResult<'_>, pieces: &mut Vec<Piece>) -> String {
        let Outcome::Given {
            content,
            is_error,
            hint,
        } = result.outcome
        else {
            return format!("{ERROR_START}{NOT_RUN}");
        };
        let mut texts: Vec<Cow<'_, str>> = Vec::new();
        for part in content {
            match part {
                Part::Text { text } => texts.push(Cow::Borrowed(text)),
                Part::Image { image } => match self.image(image) {
                    Ok(url) => {
                        let mark = format!(
                            "[image of the result of {}]",
                            safe_id(result.call_id.as_str())
                        );
                        texts.push(Cow::Owned(mark.clone()));
                        pieces.extend([Piece::Text(mark), Piece::Image(url)]);
                    }
                    Err(why) => texts.push(Cow::Borrowed(why)),
                },
            }
        }
        let mut text = texts.join("\n");
        if text.trim().is_empty() {
            text = NO_OUTPUT.to_owned();
        }
        if is_error && !text.starts_with(ERROR_START) {
            text.insert_str(0, ERROR_START);
        }
        if let Some(hint) = hint.filter(|hint| !hint.trim().is_empty()) {
            text.push_str("\n\n");
            text.push_str(hint);
        }
        text
    }

    fn spoken(&mut self, spoken: &Spoken<'_>, pieces: &mut Vec<Piece>) {
        match spoken {
            Spoken::Summary(text) => pieces.push(Piece::Text((*text).to_owned())),
            Spoken::Person {
                text,
                images,
                reminders,
            } => {
                pieces.extend(reminders.iter().filter_map(reminder).map(Piece::Text));
                pieces.push(Piece::Text((*text).to_owned()));
                for image in *images {
                    pieces.push(match self.image(image) {
                        Ok(url) => Piece::Image(url),
                        Err(why) => Piece::Text(why.to_owned()),
                    });
                }
            }
        }
    }

    /// A picture as a data URL, or what stands in its place.
    fn image(&mut self, image: &ImageRef) -> Result<String, &'static str> {
        let place = self.seen_images;
        self.seen_images += 1;
        if !self.vision {
            return Err(NO_VISION);
        }
        if place < self.skipped_images {
            return Err(IMAGE_OLD);
        }
        let bytes = (self.images)(image).ok_or(IMAGE_LOST)?;
        let kind = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic));
        let (_, mime) = kind.ok_or(IMAGE_LOST)?;
        let text = STANDARD.encode(bytes);
        if text.len() > MAX_IMAGE_BASE64_BYTES {
            return Err(IMAGE_TOO_LARGE);
        }
        Ok(format!("data:{mime};base64,{text}"))
    }
}

/// How many pictures an entry may bring.
pub(super) fn images_of(entry: &ViewEntry) -> usize {
    match entry {
        ViewEntry::User { images, .. } => images.len(),
        ViewEntry::Result { content, .. } => content
            .iter()
            .filter(|part| matches!(part, Part::Image { .. }))
            .count(),
        ViewEntry::Assistant { .. } | ViewEntry::Summary { .. } => 0,
    }
}

/// Appends a value as JSON. Writing to memory cannot fail, and every key here is a text.
pub(super) fn push_json<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    if let Err(error) = serde_json::to_writer(out, value) {
        tracing::error!(%error, "a value could not be written as JSON");
    }
}

fn push_message<T: Serialize>(out: &mut Vec<u8>, message: &T) {
    push_json(out, message);
    out.push(b',');
}

/// One message of all pieces: a plain text where that is enough, because not every server takes parts.
fn push_person(out: &mut Vec<u8>, pieces: Vec<Piece>) {
    let said: Vec<Piece> = pieces
        .into_iter()
        .filter(|piece| !matches!(piece, Piece::Text(text) if text.trim().is_empty()))
        .collect();
    if said.is_empty() {
        return;
    }
    let has_image = said.iter().any(|piece| matches!(piece, Piece::Image(_)));
    let content = if has_image {
        Value::Array(said.into_iter().map(part).collect())
    } else {
        let texts: Vec<String> = said
            .into_iter()
            .map(|piece| match piece {
                Piece::Text(text) | Piece::Image(text) => text,
            })
            .collect();
        Value::String(texts.join("\n\n"))
    };
    push_message(out, &json!({"role": "user", "content": content}));
}

fn part(piece: Piece) -> Value {
    match piece {
        Piece::Text(text) => json!({"type": "text", "text": text}),
        Piece::Image(url) => json!({"type": "image_url", "image_url": {"url": url}}),
    }
}

/// A hidden note in its frame. A frame inside the note is taken apart, so that nothing can end it early.
fn reminder(reminder: &Reminder) -> Option<String> {
    let text = reminder.text.trim();
    if text.is_empty() {
        return None;
    }
    let escaped = escape_tags(text);
    Some(format!("<system-reminder>\n{escaped}\n</system-reminder>"))
}

fn escape_tags(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let rest = lower.get(at..).unwrap_or_default();
        let opens = rest.starts_with("<system-reminder") || rest.starts_with("</system-reminder");
        if opens {
            out.push_str("&lt;");
        } else {
            out.push(c);
        }
    }
    out
}

fn call_value(call: &ToolCall, is_own: bool) -> Value {
    let arguments = match &call.args {
        CallArgs::Usable { value } => value.to_string(),
        // Servers that render templates parse old arguments and fail on broken ones.
        CallArgs::Unusable { .. } => "{}".to_owned(),
    };
    let mut value = json!({
        "id": safe_id(call.call_id.as_str()),
        "type": "function",
        "function": {"name": safe_name(&call.name), "arguments": arguments},
    });
    let extra = call
        .meta
        .as_ref()
        .and_then(|meta| meta.get("extra_content"));
    if let (true, Some(extra), Some(value)) = (is_own, extra, value.as_object_mut()) {
        value.insert("extra_content".to_owned(), extra.clone());
    }
    value
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// An id in the alphabet of every provider, the same for a call and its result.
fn safe_id(id: &str) -> Cow<'_, str> {
    if (1..=MAX_NAME_CHARS).contains(&id.len()) && id.chars().all(is_name_char) {
        return Cow::Borrowed(id);
    }
    let hash = Sha256::digest(id.as_bytes());
    let hex: String = hash
        .iter()
        .take(ID_HASH_BYTES)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Cow::Owned(format!("c_{hex}"))
}

/// A name that goes through; a model may have made up one that does not.
fn safe_name(name: &str) -> String {
    name.chars()
        .take(MAX_NAME_CHARS)
        .map(|c| if is_name_char(c) { c } else { '_' })
        .collect()
}
