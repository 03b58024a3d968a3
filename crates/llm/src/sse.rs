//! Cuts the bytes of an event stream into frames, for all protocols.
//!
//! Works on bytes, so a cut inside a character or between CR and LF changes nothing, and decodes text only per whole
//! line. Cost is linear in the bytes whatever their cuts. Names of events, ids and reconnect times are ignored: the
//! data says what a frame is. Deliberately absent: any knowledge of what is in the data.

use memchr::memchr2;
use serde::de::IgnoredAny;
use std::borrow::Cow;

/// One line or one frame. Real frames stay under 1 MB; whole files travel in arguments, so leave room.
const MAX_FRAME_BYTES: usize = 16 * 1024 * 1024;

/// One message. More is a server gone wild, and it would all be kept in memory.
const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;

/// The end mark of some protocols: the whole data of a frame, never a part of one.
pub(crate) const DONE: &str = "[DONE]";

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What the framer finds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame<'a> {
    /// The joined data lines of a frame.
    Data(&'a str),
    /// The value of a field named `error`, which some servers use.
    ErrorField(&'a str),
    /// A line that is JSON by its first character and belongs to no field.
    RawLine(&'a str),
    /// Bytes of the next frame were not UTF-8 and were replaced.
    InvalidUtf8,
    /// A limit is passed; nothing follows.
    TooLarge,
}

/// The state between two chunks.
#[derive(Debug, Default)]
pub(crate) struct Framer {
    /// The beginning of a line whose end has not come.
    line: Vec<u8>,
    /// Data lines of the frame so far; `None` without one.
    data: Option<String>,
    /// The last chunk ended with CR; an LF at the start of the next belongs to it.
    after_cr: bool,
    past_first_line: bool,
    message_bytes: usize,
    overflown: bool,
}

impl Framer {
    /// Takes a chunk.
    pub(crate) fn push(&mut self, bytes: &[u8], sink: &mut dyn FnMut(Frame<'_>)) {
        if bytes.is_empty() || self.overflown {
            return;
        }
        self.message_bytes = self.message_bytes.saturating_add(bytes.len());
        let mut rest = match bytes.split_first() {
            Some((b'\n', rest)) if self.after_cr => rest,
            _ => bytes,
        };
        self.after_cr = false;
        while let Some(at) = memchr2(b'\n', b'\r', rest) {
            let (head, tail) = rest.split_at(at);
            self.complete_line(head, sink);
            rest = match tail {
                [b'\r', b'\n', rest @ ..] => rest,
                [end, rest @ ..] => {
                    self.after_cr = *end == b'\r' && rest.is_empty();
                    rest
                }
                [] => tail,
            };
        }
        self.line.extend_from_slice(rest);
        if self.line.len() > MAX_FRAME_BYTES || self.message_bytes > MAX_MESSAGE_BYTES {
            self.overflow(sink);
        }
    }

    /// The stream ended in order: what is left counts if it is whole.
    pub(crate) fn finish(&mut self, sink: &mut dyn FnMut(Frame<'_>)) {
        if !self.line.is_empty() {
            self.complete_line(&[], sink);
        }
        let whole =
            |data: &String| data == DONE || serde_json::from_str::<IgnoredAny>(data).is_ok();
        if let Some(data) = self.data.take().filter(whole) {
            sink(Frame::Data(&data));
        }
    }

    fn complete_line(&mut self, end: &[u8], sink: &mut dyn FnMut(Frame<'_>)) {
        if self.overflown {
            return;
        }
        if self.line.is_empty() {
            self.take_line(end, sink);
            return;
        }
        let mut line = std::mem::take(&mut self.line);
        line.extend_from_slice(end);
        self.take_line(&line, sink);
        line.clear();
        self.line = line;
    }

    fn take_line(&mut self, line: &[u8], sink: &mut dyn FnMut(Frame<'_>)) {
        let mut line = line;
        if !self.past_first_line {
            self.past_first_line = true;
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        match line.first() {
            None => self.end_frame(sink),
            Some(b':') => {}
            Some(b'{' | b'[') => {
                let text = decode(line, sink);
                sink(Frame::RawLine(&text));
            }
            Some(_) => self.take_field(line, sink),
        }
    }

    fn take_field(&mut self, line: &[u8], sink: &mut dyn FnMut(Frame<'_>)) {
        let (name, value) = match memchr::memchr(b':', line) {
            Some(at) => {
                let (name, value) = line.split_at(at);
                (name, value.get(1..).unwrap_or_default())
            }
            None => (line, [].as_slice()),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => self.add_data(value, sink),
            b"error" => {
                let text = decode(value, sink);
                sink(Frame::ErrorField(&text));
            }
            _ => {}
        }
    }

    fn add_data(&mut self, value: &[u8], sink: &mut dyn FnMut(Frame<'_>)) {
        let text = decode(value, sink);
        match &mut self.data {
            Some(data) => {
                data.push('\n');
                data.push_str(&text);
            }
            None => self.data = Some(text.into_owned()),
        }
        if self
            .data
            .as_ref()
            .is_some_and(|data| data.len() > MAX_FRAME_BYTES)
        {
            self.overflow(sink);
        }
    }

    fn end_frame(&mut self, sink: &mut dyn FnMut(Frame<'_>)) {
        if let Some(data) = self.data.take() {
            sink(Frame::Data(&data));
        }
    }

    fn overflow(&mut self, sink: &mut dyn FnMut(Frame<'_>)) {
        if !self.overflown {
            self.overflown = true;
            self.line = Vec::new();
            self.data = None;
            sink(Frame::TooLarge);
        }
    }
}

fn decode<'a>(bytes: &'a [u8], sink: &mut dyn FnMut(Frame<'_>)) -> Cow<'a, str> {
    let text = String::from_utf8_lossy(bytes);
    if matches!(text, Cow::Owned(_)) {
        sink(Frame::InvalidUtf8);
    }
    text
}

#[cfg(test)]
mod tests;
