//! One frame of a Chat Completions stream, read leniently.
//!
//! Servers put numbers where texts belong and null anywhere, so scalar fields take any JSON and are asked for what they
//! hold. Text is borrowed from the frame; a stream of small deltas costs one pass and no tree.

use crate::failure::{ErrorReport, find_error};
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};
use std::borrow::Cow;
use std::fmt;

/// What a frame is.
pub(super) enum Parsed<'a> {
    Chunk(Box<Frame<'a>>),
    Error(ErrorReport),
}

/// Reads a frame; nothing if it is not one.
pub(super) fn parse(data: &str) -> Option<Parsed<'_>> {
    if !data.starts_with('{') {
        // An array must not be read as a frame by position.
        return find_error(&serde_json::from_str(data).ok()?).map(Parsed::Error);
    }
    match serde_json::from_str::<Frame<'_>>(data) {
        Ok(frame) if !frame.may_be_error() => Some(Parsed::Chunk(Box::new(frame))),
        Ok(_) | Err(_) => {
            // A doubled key is an error to the typed reader; the last one counts, as everywhere in JSON.
            let value: Value = serde_json::from_str(data).ok()?;
            match find_error(&value) {
                Some(report) => Some(Parsed::Error(report)),
                None => Frame::deserialize(value)
                    .ok()
                    .map(|frame| Parsed::Chunk(Box::new(frame))),
            }
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Frame<'a> {
    #[serde(borrow)]
    pub(super) id: Loose<'a>,
    #[serde(borrow)]
    pub(super) model: Loose<'a>,
    #[serde(borrow)]
    pub(super) choices: Option<Vec<Option<Choice<'a>>>>,
    pub(super) usage: Option<Value>,
    pub(super) x_groq: Option<Value>,
    pub(super) timings: Option<Value>,
    #[serde(borrow)]
    error: Loose<'a>,
    #[serde(borrow)]
    object: Loose<'a>,
    #[serde(borrow)]
    r#type: Loose<'a>,
    #[serde(borrow)]
    code: Loose<'a>,
}

impl<'a> Frame<'a> {
    fn may_be_error(&self) -> bool {
        !matches!(self.error, Loose::Absent)
            || !matches!(self.code, Loose::Absent)
            || self.object.text() == Some("error")
            || self.r#type.text() == Some("error")
    }

    /// The one choice we asked for.
    pub(super) fn into_choice(self) -> Option<Choice<'a>> {
        self.choices
            .unwrap_or_default()
            .into_iter()
            .flatten()
            .find(|choice| matches!(choice.index, Loose::Absent) || choice.index.count() == Some(0))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice<'a> {
    #[serde(borrow)]
    index: Loose<'a>,
    #[serde(borrow)]
    pub(super) delta: Option<Delta<'a>>,
    /// The same, in an answer that is not a stream.
    #[serde(borrow)]
    pub(super) message: Option<Delta<'a>>,
    #[serde(borrow)]
    pub(super) finish_reason: Loose<'a>,
    pub(super) usage: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta<'a> {
    #[serde(borrow)]
    pub(super) content: Loose<'a>,
    #[serde(borrow)]
    pub(super) refusal: Loose<'a>,
    #[serde(borrow)]
    reasoning_content: Loose<'a>,
    #[serde(borrow)]
    reasoning: Loose<'a>,
    #[serde(borrow)]
    reasoning_text: Loose<'a>,
    pub(super) reasoning_details: Option<Value>,
    #[serde(borrow)]
    pub(super) tool_calls: Option<Vec<Option<ToolPiece<'a>>>>,
    #[serde(borrow)]
    pub(super) function_call: Option<FunctionPiece<'a>>,
}

/// The field that reasoning came in; only one of them goes back to its maker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReasoningField {
    ReasoningContent,
    Reasoning,
    ReasoningText,
}

impl Delta<'_> {
    /// The reasoning and its field. Some servers fill two fields with the same text.
    pub(super) fn thinking(&self) -> Option<(ReasoningField, &str)> {
        let object = match &self.reasoning {
            Loose::Other(value) => ["text", "content"]
                .iter()
                .find_map(|name| value.get(name).and_then(Value::as_str)),
            Loose::Absent | Loose::Text(_) | Loose::Number(_) => None,
        };
        [
            (
                ReasoningField::ReasoningContent,
                self.reasoning_content.text(),
            ),
            (ReasoningField::Reasoning, self.reasoning.text().or(object)),
            (ReasoningField::ReasoningText, self.reasoning_text.text()),
        ]
        .into_iter()
        .find_map(|(field, text)| Some((field, text.filter(|text| !text.is_empty())?)))
    }

    /// Whether there is anything a person or the loop would miss.
    pub(super) fn has_content(&self) -> bool {
        self.thinking().is_some()
            || !self.content.joined().is_empty()
            || self.refusal.text().is_some()
            || self
                .tool_calls
                .as_ref()
                .is_some_and(|calls| !calls.is_empty())
            || self.function_call.is_some()
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolPiece<'a> {
    #[serde(borrow)]
    pub(super) index: Loose<'a>,
    #[serde(borrow)]
    pub(super) id: Loose<'a>,
    #[serde(borrow)]
    pub(super) function: Option<FunctionPiece<'a>>,
    pub(super) extra_content: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FunctionPiece<'a> {
    #[serde(borrow)]
    pub(super) name: Loose<'a>,
    #[serde(borrow)]
    pub(super) arguments: Loose<'a>,
}

/// Any JSON value, with text borrowed where possible. Null is the same as nothing.
#[derive(Debug, Default)]
pub(super) enum Loose<'a> {
    #[default]
    Absent,
    Text(Cow<'a, str>),
    Number(Number),
    Other(Value),
}

impl Loose<'_> {
    /// The text, if it is one and not empty.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) if !text.is_empty() => Some(text),
            Self::Absent | Self::Text(_) | Self::Number(_) | Self::Other(_) => None,
        }
    }

    /// A count, also written as digits in a text.
    pub(super) fn count(&self) -> Option<u64> {
        match self {
            Self::Number(number) => number.as_u64(),
            Self::Text(text) if text.bytes().all(|b| b.is_ascii_digit()) => text.parse().ok(),
            Self::Absent | Self::Text(_) | Self::Other(_) => None,
        }
    }

    /// The text, or the texts of an array of parts; empty if there are none.
    pub(super) fn joined(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Other(Value::Array(parts)) => {
                let texts = parts
                    .iter()
                    .filter_map(|part| part.get("text").and_then(Value::as_str));
                Cow::Owned(texts.collect())
            }
            Self::Absent | Self::Number(_) | Self::Other(_) => Cow::Borrowed(""),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Loose<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor)
    }
}

struct LooseVisitor;

impl<'de> Visitor<'de> for LooseVisitor {
    type Value = Loose<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Owned(text)))
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Loose::Absent)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Loose::Other(Value::Bool(value)))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Loose::Number(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Loose::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Number::from_f64(value).map_or(Loose::Absent, Loose::Number))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Value::deserialize(MapAccessDeserializer::new(map)).map(Loose::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        Value::deserialize(SeqAccessDeserializer::new(seq)).map(Loose::Other)
    }
}
