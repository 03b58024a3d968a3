//! Bytes in an encoding from before Unicode, unit by unit.
//!
//! A unit is the bytes that give characters together; it may hold two of them. All legacy encodings here are ASCII
//! between units and keep no state there, so what two bytes begin with always means the same and is looked up.

use encoding_rs::{Decoder, DecoderResult, Encoding};

use super::offsets::TextBuilder;

/// Room for the characters of one unit; the decoder asks for more than it writes.
const MAX_UNIT_TEXT_BYTES: usize = 16;

/// The text of nearly all units fits; another one is decoded again each time.
const MAX_KNOWN_TEXT_BYTES: usize = 6;

/// Units begin with one of the upper 128 bytes; the second byte may be any.
const N_BEGINNINGS: usize = 128 * 256;

/// Adds all bytes of a payload to a text.
pub(super) fn push_legacy(builder: &mut TextBuilder, payload: &[u8], encoding: &'static Encoding) {
    let mut units = Units::of(encoding);
    let mut rest = payload;
    loop {
        let (ascii, other) = rest.split_at(Encoding::ascii_valid_up_to(rest));
        builder.push_run(std::str::from_utf8(ascii).unwrap_or_default());
        if other.is_empty() {
            return;
        }
        rest = other
            .get(units.push_first(builder, other)..)
            .unwrap_or_default();
    }
}

/// A unit that was decoded before.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    /// 0 as long as nothing is known.
    n_bytes: u8,
    /// 0 if the first byte cannot be decoded.
    n_text_bytes: u8,
    text: [u8; MAX_KNOWN_TEXT_BYTES],
}

/// The units of an encoding.
struct Units {
    encoding: &'static Encoding,
    decoder: Decoder,
    /// By the first byte and the one behind it.
    known: Vec<Known>,
}

/// What bytes begin with.
enum First<'b> {
    /// So many of them are a unit.
    Unit(&'b str, usize),
    /// The first cannot be decoded, which so many show.
    Broken(usize),
    /// A unit that is not finished.
    CutOff,
}

impl Units {
    fn of(encoding: &'static Encoding) -> Self {
        Self {
            encoding,
            decoder: encoding.new_decoder_without_bom_handling(),
            known: vec![Known::default(); N_BEGINNINGS],
        }
    }

    /// Adds what bytes begin with, which is not ASCII; returns how many bytes that is.
    fn push_first(&mut self, builder: &mut TextBuilder, bytes: &[u8]) -> usize {
        let place = match *bytes {
            [first, second, ..] if first >= 0x80 => {
                Some(usize::from(first - 0x80) << 8 | usize::from(second))
            }
            _ => None,
        };
        if let Some(known) = place.and_then(|place| self.known.get(place))
            && known.n_bytes > 0
        {
            return known.push(builder);
        }
        let mut buffer = [0; MAX_UNIT_TEXT_BYTES];
        let first = self.decoded(bytes, &mut buffer);
        let (pushed, known) = match first {
            First::Unit(text, n_bytes) => {
                builder.push_unit(text, n_bytes);
                (n_bytes, Known::unit(text, n_bytes))
            }
            First::Broken(n_looked_at) => {
                builder.push_opaque(1);
                (1, (n_looked_at <= 2).then_some(Known::BROKEN))
            }
            First::CutOff => {
                builder.push_opaque(1);
                (1, None)
            }
        };
        if let (Some(known), Some(place)) = (known, place) {
            self.known[place] = known;
        }
        pushed
    }

    /// Decodes one byte after the other until there are characters.
    fn decoded<'b>(&mut self, bytes: &[u8], buffer: &'b mut [u8]) -> First<'b> {
        for (at, byte) in bytes.iter().enumerate() {
            let (result, _, n_written) = self.decoder.decode_to_utf8_without_replacement(
                std::slice::from_ref(byte),
                buffer,
                false,
            );
            match result {
                DecoderResult::InputEmpty if n_written == 0 => {}
                DecoderResult::InputEmpty => {
                    let text = buffer.get(..n_written).unwrap_or_default();
                    return First::Unit(std::str::from_utf8(text).unwrap_or_default(), at + 1);
                }
                DecoderResult::OutputFull | DecoderResult::Malformed(..) => {
                    self.decoder = self.encoding.new_decoder_without_bom_handling();
                    return First::Broken(at + 1);
                }
            }
        }
        self.decoder = self.encoding.new_decoder_without_bom_handling();
        First::CutOff
    }
}

impl Known {
    const BROKEN: Self = Self {
        n_bytes: 1,
        n_text_bytes: 0,
        text: [0; MAX_KNOWN_TEXT_BYTES],
    };

    /// A unit that its first two bytes tell, if its text fits.
    fn unit(text: &str, n_bytes: usize) -> Option<Self> {
        let mut known = Self {
            n_bytes: u8::try_from(n_bytes).ok().filter(|n_bytes| *n_bytes <= 2)?,
            n_text_bytes: u8::try_from(text.len()).ok()?,
            text: [0; MAX_KNOWN_TEXT_BYTES],
        };
        known
            .text
            .get_mut(..text.len())?
            .copy_from_slice(text.as_bytes());
        Some(known)
    }

    fn push(&self, builder: &mut TextBuilder) -> usize {
        let text = self.text.get(..usize::from(self.n_text_bytes));
        match text.and_then(|text| std::str::from_utf8(text).ok()) {
            Some(text) if !text.is_empty() => {
                builder.push_unit(text, usize::from(self.n_bytes));
                usize::from(self.n_bytes)
            }
            Some(_) | None => {
                builder.push_opaque(1);
                1
            }
        }
    }
}
