//! The bytes of a file as text.
//!
//! A [`TextFile`] shows the characters after the byte order mark, each CRLF pair as one LF, each undecodable byte as
//! U+FFFD, and knows for every character where its bytes are. So a change can be spliced into the bytes and nothing
//! else moves. Deliberately absent: turning a whole text back into bytes; no path may do that to an existing file.

pub(crate) mod encoding;
mod legacy;
mod offsets;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

#[cfg(test)]
use encoding_rs::Encoding;
use memchr::{memchr_iter, memmem};
use protocol::diff::Eol;

use crate::error::{EditError, MAX_LISTED_PLACES};
use crate::lines::Position;
use encoding::{Form, TextEncoding, utf16_chars};
use legacy::push_legacy;
use offsets::{Built, OffsetMap, TextBuilder};

/// Most bytes a text may have: an undecodable byte takes three in the text, and offsets have 32 bits.
pub const MAX_TEXT_BYTES: usize = (u32::MAX / 3) as usize;

/// A file as text, and the way back to its bytes.
#[derive(Debug, Clone)]
pub struct TextFile<'a> {
    bytes: &'a [u8],
    text: Cow<'a, str>,
    offsets: OffsetMap,
    form: Form,
    n_crlf: usize,
    opaque: Vec<u32>,
}

impl<'a> TextFile<'a> {
    /// Finds the encoding of a file and decodes it.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, EditError> {
        Self::decode_as(bytes, Form::of(bytes)?)
    }

    /// Decodes bytes in a form that is known.
    pub(crate) fn decode_as(bytes: &'a [u8], form: Form) -> Result<Self, EditError> {
        if bytes.len() > MAX_TEXT_BYTES {
            return Err(EditError::TextTooLarge {
                size: bytes.len(),
                limit: MAX_TEXT_BYTES,
            });
        }
        let payload = bytes.get(form.bom_len..).unwrap_or_default();
        if form.encoding == TextEncoding::Utf8
            && memmem::find(payload, b"\r\n").is_none()
            && let Ok(text) = std::str::from_utf8(payload)
        {
            return Ok(Self {
                bytes,
                text: Cow::Borrowed(text),
                offsets: OffsetMap::plain(form.bom_len),
                form,
                n_crlf: 0,
                opaque: Vec::new(),
            });
        }
        let built = build(payload, form);
        Ok(Self {
            bytes,
            text: Cow::Owned(built.text),
            offsets: built.offsets,
            form,
            n_crlf: built.n_crlf,
            opaque: built.opaque,
        })
    }

    /// Decodes as if the file were not plain, for tests of the shorter way.
    #[cfg(test)]
    pub(crate) fn decode_slowly(bytes: &'a [u8], form: Form) -> Result<Self, EditError> {
        let built = build(bytes.get(form.bom_len..).unwrap_or_default(), form);
        Ok(Self {
            bytes,
            text: Cow::Owned(built.text),
            offsets: built.offsets,
            form,
            n_crlf: built.n_crlf,
            opaque: built.opaque,
        })
    }

    /// The text with LF breaks, without the byte order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// All bytes of the file.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The encoding.
    pub fn encoding(&self) -> TextEncoding {
        self.form.encoding
    }

    /// The encoding is likely, not certain.
    pub fn is_encoding_guessed(&self) -> bool {
        self.form.is_guess
    }

    /// The file starts with a byte order mark.
    pub fn has_bom(&self) -> bool {
        self.form.bom_len > 0
    }

    /// The breaks of the file.
    pub fn breaks(&self) -> Breaks {
        let n_breaks = memchr_iter(b'\n', self.text.as_bytes()).count();
        Breaks {
            n_lf: n_breaks - self.n_crlf,
            n_crlf: self.n_crlf,
            n_lone_cr: memchr_iter(b'\r', self.text.as_bytes()).count(),
        }
    }

    /// The last line has a break.
    pub fn ends_with_break(&self) -> bool {
        self.text.ends_with('\n')
    }

    /// Number of bytes that could not be decoded.
    pub fn count_opaque(&self) -> usize {
        self.opaque.len()
    }

    /// Where the first undecodable bytes are, in order.
    pub fn opaque_positions(&self) -> impl Iterator<Item = Position> {
        self.opaque
            .iter()
            .map(|&at| Position::of(&self.text, at as usize))
    }

    /// The text of other bytes in the form of this file.
    pub(crate) fn text_of(&self, bytes: &[u8]) -> Result<String, EditError> {
        Ok(TextFile::decode_as(bytes, self.form)?.text.into_owned())
    }

    /// The byte offset of a text offset; `None` where nothing may start or end.
    pub(crate) fn byte_offset(&self, text_offset: usize) -> Option<usize> {
        self.offsets.to_byte(text_offset)
    }

    /// Whether the LF at a text offset stands for CRLF.
    pub(crate) fn is_crlf_at(&self, text_offset: usize) -> bool {
        self.offsets.is_unit_at(text_offset)
    }

    /// The refusal of a text that has U+FFFD where this file has undecodable bytes.
    pub(crate) fn refuse_replacement_char(&self, text: &str) -> Result<(), EditError> {
        if self.opaque.is_empty() || !text.contains('\u{FFFD}') {
            return Ok(());
        }
        Err(EditError::ReplacementChar {
            positions: self.opaque_positions().take(MAX_LISTED_PLACES).collect(),
            count: self.count_opaque(),
        })
    }
}

/// How many breaks of each kind a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Breaks {
    /// LF without CR before it.
    pub n_lf: usize,
    /// CRLF pairs.
    pub n_crlf: usize,
    /// CR without LF after it; that is data, not a break.
    pub n_lone_cr: usize,
}

impl Breaks {
    /// The kind of break in one word.
    pub fn eol(self) -> Eol {
        match (self.n_lf, self.n_crlf) {
            (0, 0) => Eol::None,
            (_, 0) => Eol::Lf,
            (0, _) => Eol::Crlf,
            _ => Eol::Mixed,
        }
    }
}

/// Decodes all after the byte order mark, unit by unit. Never fails: what cannot be decoded is opaque.
fn build(payload: &[u8], form: Form) -> Built {
    let mut builder = TextBuilder::new(form.bom_len, payload.len());
    match form.encoding {
        TextEncoding::Utf8 => push_utf8(&mut builder, payload),
        TextEncoding::Utf16Le | TextEncoding::Utf16Be => {
            push_utf16(&mut builder, payload, form.encoding)
        }
        TextEncoding::Legacy(encoding) => push_legacy(&mut builder, payload, encoding),
    }
    builder.build()
}

fn push_utf8(builder: &mut TextBuilder, payload: &[u8]) {
    for chunk in payload.utf8_chunks() {
        builder.push_run(chunk.valid());
        chunk.invalid().iter().for_each(|_| builder.push_opaque(1));
    }
}

fn push_utf16(builder: &mut TextBuilder, payload: &[u8], encoding: TextEncoding) {
    let mut chars = utf16_chars(encoding, payload).peekable();
    let mut buffer = [0; 4];
    while let Some(next) = chars.next() {
        match next {
            Ok('\r') if chars.next_if_eq(&Ok('\n')).is_some() => builder.push_crlf(4),
            Ok(c) if c.is_ascii() => builder.push_wide(c),
            Ok(c) => builder.push_unit(c.encode_utf8(&mut buffer), 2 * c.len_utf16()),
            Err(_) => builder.push_opaque(2),
        }
    }
    if payload.len() % 2 == 1 {
        builder.push_opaque(1);
    }
}

/// A form with a legacy encoding, for tests of what a guess would not reach.
#[cfg(test)]
pub(crate) fn test_form(encoding: &'static Encoding) -> Form {
    Form {
        encoding: TextEncoding::Legacy(encoding),
        bom_len: 0,
        is_guess: true,
    }
}
