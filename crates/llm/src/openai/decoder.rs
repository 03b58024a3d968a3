//! The decoder of a Chat Completions answer: status and content type first, then frames, then the message.

use super::Quirks;
use super::message::Message;
use crate::event::{ProviderEvent, WarningCode};
use crate::failure::{Failure, FailureKind, header, http_failure, not_a_stream};
use crate::provider::{Decoder, EndKind};
use crate::secret::Secret;
use crate::sse::{DONE, Frame, Framer};
use std::sync::Arc;

/// A whole answer in one piece is held in memory; the same limit as for a stream.
const MAX_JSON_BYTES: usize = 64 * 1024 * 1024;

/// Error objects are short; of an endless error page the beginning is enough.
const MAX_ERROR_BODY_BYTES: usize = 256 * 1024;

/// Enough of a page to say what it is.
const MAX_PAGE_BYTES: usize = 4 * 1024;

/// Decodes one answer.
pub(crate) struct ChatDecoder {
    body: Body,
    message: Message,
    secrets: Arc<[Secret]>,
}

/// What the head said about the body.
enum Body {
    Stream(Framer),
    /// A server that does not stream.
    Json(Vec<u8>),
    Page {
        content_type: String,
        start: Vec<u8>,
    },
    Failed {
        status: u16,
        headers: Vec<(String, String)>,
        start: Vec<u8>,
    },
}

impl ChatDecoder {
    pub(crate) fn new(quirks: &Quirks, secrets: Arc<[Secret]>) -> Self {
        let message = if quirks.think_tags {
            Message::with_think_tags()
        } else {
            Message::default()
        };
        Self {
            body: Body::Stream(Framer::default()),
            message,
            secrets,
        }
    }

    fn whole_body(&mut self, body: &[u8], out: &mut Vec<ProviderEvent>) {
        let text = String::from_utf8_lossy(body);
        if serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok() {
            self.message.frame(&text, out);
            self.message.frame(DONE, out);
        } else if !text.trim().is_empty() {
            let failure = Failure::new(FailureKind::StreamTruncated, "stream ended early");
            self.message.fail(failure, out);
        }
    }

    fn end_body(&mut self, how: &EndKind, out: &mut Vec<ProviderEvent>) {
        let clean = *how == EndKind::Eof;
        match std::mem::replace(&mut self.body, Body::Stream(Framer::default())) {
            Body::Stream(mut framer) if clean => {
                framer.finish(&mut |frame| take(&mut self.message, frame, out));
            }
            Body::Json(body) if clean => self.whole_body(&body, out),
            Body::Page {
                content_type,
                start,
            } if clean => {
                self.message.fail(not_a_stream(&content_type, &start), out);
            }
            // A bad status says more than the way its body ended, unless we ended it.
            Body::Failed {
                status,
                headers,
                start,
            } if *how != EndKind::Cancelled => {
                self.message
                    .fail(http_failure(status, &headers, &start), out);
            }
            Body::Stream(_) | Body::Json(_) | Body::Page { .. } | Body::Failed { .. } => {}
        }
    }

    /// Takes the keys out of the texts of a server, which may repeat what it was sent.
    fn redact(&self, events: &mut [ProviderEvent]) {
        for event in events {
            if let ProviderEvent::Error(failure) = event {
                failure.redact(&self.secrets);
            }
        }
    }
}

impl Decoder for ChatDecoder {
    fn head(&mut self, status: u16, headers: &[(String, String)], _out: &mut Vec<ProviderEvent>) {
        self.body = if status >= 300 {
            Body::Failed {
                status,
                headers: headers.to_vec(),
                start: Vec::new(),
            }
        } else {
            body_of_type(header(headers, "content-type").unwrap_or_default())
        };
    }

    fn push(&mut self, bytes: &[u8], out: &mut Vec<ProviderEvent>) {
        if self.message.is_closed() {
            return;
        }
        let before = out.len();
        match &mut self.body {
            Body::Stream(framer) => {
                framer.push(bytes, &mut |frame| take(&mut self.message, frame, out));
            }
            Body::Json(body) => {
                body.extend_from_slice(bytes);
                if body.len() > MAX_JSON_BYTES {
                    take(&mut self.message, Frame::TooLarge, out);
                }
            }
            Body::Page { start, .. } => add_start(start, bytes, MAX_PAGE_BYTES),
            Body::Failed { start, .. } => add_start(start, bytes, MAX_ERROR_BODY_BYTES),
        }
        self.redact(out.get_mut(before..).unwrap_or_default());
    }

    fn end(&mut self, how: EndKind, out: &mut Vec<ProviderEvent>) {
        let before = out.len();
        self.end_body(&how, out);
        self.message.end(how, out);
        self.redact(out.get_mut(before..).unwrap_or_default());
    }
}

fn body_of_type(content_type: &str) -> Body {
    let name = content_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    match name.as_str() {
        "" | "text/event-stream" | "application/x-ndjson" => Body::Stream(Framer::default()),
        "application/json" => Body::Json(Vec::new()),
        _ => Body::Page {
            content_type: name,
            start: Vec::new(),
        },
    }
}

fn add_start(start: &mut Vec<u8>, bytes: &[u8], limit: usize) {
    let room = limit.saturating_sub(start.len()).min(bytes.len());
    start.extend_from_slice(bytes.get(..room).unwrap_or_default());
}

fn take(message: &mut Message, frame: Frame<'_>, out: &mut Vec<ProviderEvent>) {
    match frame {
        Frame::Data(data) => message.frame(data, out),
        Frame::ErrorField(value) => message.error_field(value, out),
        Frame::RawLine(line) => message.raw_line(line, out),
        Frame::InvalidUtf8 => message.warn(WarningCode::InvalidUtf8, out),
        Frame::TooLarge => {
            let words = "the answer has a part that is larger than this program takes";
            message.fail(Failure::new(FailureKind::FrameTooLarge, words), out);
        }
    }
}
