//! Which encoding the bytes of a file are in.
//!
//! The rules run in a fixed order and the first that fits decides; the name of the file never does. A guess counts
//! only if the whole file decodes without an error. What fits nothing is UTF-8 whose broken bytes stay as they are.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{EncoderResult, Encoding};

use crate::error::{EditError, UnsupportedForm};

/// Bytes in which a NUL decides against text, as `git` and `grep` look.
const NUL_SAMPLE_BYTES: usize = 8 << 10;

/// Bytes in which control characters are counted.
const CONTROL_SAMPLE_BYTES: usize = 4 << 10;

/// Bytes that an encoding is guessed from; the detector reads 10 MB in a second.
const GUESS_SAMPLE_BYTES: usize = 256 << 10;

/// More control characters than this are no text.
const MAX_CONTROL_PERCENT: usize = 30;

/// Fewer zero bytes than this in the high halves are no UTF-16 of a western text.
const MIN_UTF16_ZERO_PERCENT: usize = 90;

/// Broken bytes that a UTF-8 text may always have.
const MAX_FEW_BROKEN_BYTES: usize = 4;

/// Beyond those: one broken byte for this many good sequences.
const SEQUENCES_PER_BROKEN_BYTE: usize = 10;

/// How the characters of a file are written as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextEncoding {
    /// UTF-8, perhaps with bytes that are not.
    Utf8,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
    /// An encoding from before Unicode.
    Legacy(&'static Encoding),
}

impl TextEncoding {
    /// The label, in lower case.
    pub fn label(self) -> Cow<'static, str> {
        match self {
            Self::Utf8 => Cow::Borrowed("utf-8"),
            Self::Utf16Le => Cow::Borrowed("utf-16le"),
            Self::Utf16Be => Cow::Borrowed("utf-16be"),
            Self::Legacy(encoding) => Cow::Owned(encoding.name().to_ascii_lowercase()),
        }
    }

    /// Appends the bytes of a text, or leaves `out` alone when a character has none.
    pub(crate) fn encode(self, text: &str, out: &mut Vec<u8>) -> Result<(), Unmappable> {
        match self {
            Self::Utf8 => out.extend_from_slice(text.as_bytes()),
            Self::Utf16Le => out.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
            Self::Utf16Be => out.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
            Self::Legacy(encoding) => out.extend(encode_legacy(encoding, text)?),
        }
        Ok(())
    }
}

/// A character has no bytes in the encoding.
#[derive(Debug)]
pub(crate) struct Unmappable;

/// Bytes that decode to exactly `text`. Some encoders write a look-alike (Shift_JIS a backslash for a yen sign), which
/// nobody asked for, so the way back is checked.
fn encode_legacy(encoding: &'static Encoding, text: &str) -> Result<Vec<u8>, Unmappable> {
    let mut encoder = encoding.new_encoder();
    let mut bytes = Vec::new();
    let mut rest = text;
    loop {
        let room = encoder.max_buffer_length_from_utf8_without_replacement(rest.len());
        bytes.reserve(room.unwrap_or(rest.len()));
        let (result, n_read) =
            encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
        match result {
            EncoderResult::InputEmpty => break,
            EncoderResult::OutputFull => rest = rest.get(n_read..).unwrap_or_default(),
            EncoderResult::Unmappable(_) => return Err(Unmappable),
        }
    }
    match encoding.decode_without_bom_handling_and_without_replacement(&bytes) {
        Some(decoded) if decoded == text => Ok(bytes),
        _ => Err(Unmappable),
    }
}

/// What is known about the bytes of a file before they are decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) encoding: TextEncoding,
    /// Length of the byte order mark; 0 when there is none.
    pub(crate) bom_len: usize,
    /// The encoding is likely, not certain.
    pub(crate) is_guess: bool,
}

impl Form {
    fn certain(encoding: TextEncoding, bom_len: usize) -> Self {
        Self {
            encoding,
            bom_len,
            is_guess: false,
        }
    }

    /// The form of a file.
    pub(crate) fn of(bytes: &[u8]) -> Result<Self, EditError> {
        if let Some(form) = by_mark(bytes)? {
            return Ok(form);
        }
        let sample = &bytes[..bytes.len().min(NUL_SAMPLE_BYTES)];
        if sample.contains(&0) {
            return match utf16_without_mark(bytes, sample) {
                Some(encoding) => Ok(Self::certain(encoding, 0)),
                None => Err(EditError::BinaryFile),
            };
        }
        if has_many_controls(&bytes[..bytes.len().min(CONTROL_SAMPLE_BYTES)]) {
            return Err(EditError::BinaryFile);
        }
        if std::str::from_utf8(bytes).is_ok() || is_nearly_utf8(bytes) {
            return Ok(Self::certain(TextEncoding::Utf8, 0));
        }
        Ok(
            guess(bytes).map_or(Self::certain(TextEncoding::Utf8, 0), |encoding| Self {
                encoding: TextEncoding::Legacy(encoding),
                bom_len: 0,
                is_guess: true,
            }),
        )
    }
}

/// What a byte order mark says.
fn by_mark(bytes: &[u8]) -> Result<Option<Form>, EditError> {
    if bytes.starts_with(&[0xFF, 0xFE, 0, 0]) || bytes.starts_with(&[0, 0, 0xFE, 0xFF]) {
        return Err(EditError::EncodingUnsupported(UnsupportedForm::Utf32));
    }
    if bytes.starts_with(&[0xEF, 0xBB, 0xBF]) {
        return Ok(Some(Form::certain(TextEncoding::Utf8, 3)));
    }
    let encoding = match bytes {
        [0xFF, 0xFE, ..] => TextEncoding::Utf16Le,
        [0xFE, 0xFF, ..] => TextEncoding::Utf16Be,
        _ => return Ok(None),
    };
    if bytes.len() % 2 == 1 {
        return Err(EditError::EncodingUnsupported(
            UnsupportedForm::Utf16OddLength,
        ));
    }
    if utf16_chars(encoding, &bytes[2..]).any(|c| c.is_err()) {
        return Err(EditError::EncodingUnsupported(
            UnsupportedForm::Utf16LoneSurrogate,
        ));
    }
    Ok(Some(Form::certain(encoding, 2)))
}

/// The characters of UTF-16 bytes; an odd byte at the end is left out.
pub(crate) fn utf16_chars(
    encoding: TextEncoding,
    bytes: &[u8],
) -> impl Iterator<Item = Result<char, std::char::DecodeUtf16Error>> {
    let is_big_endian = encoding == TextEncoding::Utf16Be;
    let units = bytes
        .as_chunks::<2>()
        .0
        .iter()
        .map(move |&unit| match is_big_endian {
            true => u16::from_be_bytes(unit),
            false => u16::from_le_bytes(unit),
        });
    char::decode_utf16(units)
}

/// Which UTF-16 a file without a mark is in, if it is certainly text.
fn utf16_without_mark(bytes: &[u8], sample: &[u8]) -> Option<TextEncoding> {
    if bytes.len() % 2 == 1 {
        return None;
    }
    let n_units = sample.len() / 2;
    let zeros = |parity: usize| {
        sample
            .iter()
            .skip(parity)
            .step_by(2)
            .filter(|&&byte| byte == 0)
            .count()
    };
    let is_high_half = |parity| zeros(parity) * 100 >= n_units * MIN_UTF16_ZERO_PERCENT;
    let encoding = match (is_high_half(1), is_high_half(0)) {
        (true, _) => TextEncoding::Utf16Le,
        (false, true) => TextEncoding::Utf16Be,
        (false, false) => return None,
    };
    let is_text = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\u{c}');
    utf16_chars(encoding, bytes)
        .all(|c| c.is_ok_and(is_text))
        .then_some(encoding)
}

/// More control bytes than a text has.
fn has_many_controls(sample: &[u8]) -> bool {
    let is_control = |byte: &&u8| **byte < 9 || (14..32).contains(*byte);
    sample.iter().filter(is_control).count() * 100 > sample.len() * MAX_CONTROL_PERCENT
}

/// UTF-8 that a few stray bytes have got into.
fn is_nearly_utf8(bytes: &[u8]) -> bool {
    let (mut n_sequences, mut n_broken) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        n_sequences += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        n_broken += chunk.invalid().len();
    }
    n_sequences >= 1
        && n_broken <= MAX_FEW_BROKEN_BYTES.max(n_sequences / SEQUENCES_PER_BROKEN_BYTE)
}

/// The likely legacy encoding, if all bytes decode in it.
fn guess(bytes: &[u8]) -> Option<&'static Encoding> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    if bytes.len() <= GUESS_SAMPLE_BYTES {
        detector.feed(bytes, true);
    } else {
        // Lines of ASCII alone say nothing.
        let mut n_left = GUESS_SAMPLE_BYTES;
        let telling = |line: &&[u8]| !line.is_ascii();
        for line in bytes.split_inclusive(|&byte| byte == b'\n').filter(telling) {
            let fed = &line[..line.len().min(n_left)];
            detector.feed(fed, false);
            n_left -= fed.len();
            if n_left == 0 {
                break;
            }
        }
    }
    let encoding = detector.guess(None, Utf8Detection::Deny);
    encoding
        .decode_without_bom_handling_and_without_replacement(bytes)
        .map(|_| encoding)
}
