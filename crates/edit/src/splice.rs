//! Puts new text into the bytes of a file.
//!
//! Every byte outside the replaced spans is copied. Of a span, only what really differs is replaced, each new break
//! gets the style of the breaks around it, and new characters are encoded as the file is. Nothing is ever encoded
//! that a file already holds.

#[cfg(test)]
mod tests;

use std::ops::Range;

use memchr::memchr_iter;
use protocol::diff::Eol;

use crate::error::{EditError, UnmappableChar};
use crate::lines::{Position, part};
use crate::text::TextFile;
use crate::text::encoding::Unmappable;

/// Characters that a message about an encoding lists.
const MAX_LISTED_CHARS: usize = 3;

/// A span of the text, and which part of a source text comes in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Replacement {
    /// Byte range of the file's text.
    pub(crate) span: Range<usize>,
    /// Byte range of the source text.
    pub(crate) source: Range<usize>,
}

/// The bytes of a file after replacements, which are in order and do not overlap. The source has LF breaks.
pub(crate) fn splice(
    file: &TextFile<'_>,
    source: &str,
    replacements: &[Replacement],
    max_result_bytes: usize,
) -> Result<Vec<u8>, EditError> {
    let too_large = EditError::ResultTooLarge {
        limit: max_result_bytes,
    };
    let styles = BreakStyles::of(file);
    let mut out = Vec::with_capacity(file.bytes().len());
    let mut copied = 0;
    for replacement in replacements {
        let Replacement {
            span,
            source: range,
        } = trimmed(file, source, replacement);
        let start = file.byte_offset(span.start).ok_or(EditError::Internal)?;
        let end = file.byte_offset(span.end).ok_or(EditError::Internal)?;
        let new = part(source, range.clone());
        file.refuse_replacement_char(new)?;
        out.extend_from_slice(file.bytes().get(copied..start).ok_or(EditError::Internal)?);
        let encoded = match styles.at(file, &span) {
            BreakStyle::Crlf if new.contains('\n') => {
                file.encoding().encode(&new.replace('\n', "\r\n"), &mut out)
            }
            BreakStyle::Crlf | BreakStyle::Lf => file.encoding().encode(new, &mut out),
        };
        encoded.map_err(|Unmappable| unmappable(file, source, range))?;
        if out.len() > max_result_bytes {
            return Err(too_large);
        }
        copied = end;
    }
    let rest = file.bytes().get(copied..).ok_or(EditError::Internal)?;
    if out.len() + rest.len() > max_result_bytes {
        return Err(too_large);
    }
    out.extend_from_slice(rest);
    Ok(out)
}

/// The replacement without what is equal at both ends, on boundaries of the file's characters.
fn trimmed(file: &TextFile<'_>, source: &str, replacement: &Replacement) -> Replacement {
    let Replacement {
        span,
        source: range,
    } = replacement;
    let old = part(file.text(), span.clone());
    let new = part(source, range.clone());
    let equal = old
        .bytes()
        .zip(new.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let mut head = old.floor_char_boundary(equal);
    while head > 0 && file.byte_offset(span.start + head).is_none() {
        head = old.floor_char_boundary(head - 1);
    }
    let (old_rest, new_rest) = (part(old, head..old.len()), part(new, head..new.len()));
    let ends = old_rest.bytes().rev().zip(new_rest.bytes().rev());
    let equal = ends.take_while(|(a, b)| a == b).count();
    let mut end = old_rest.ceil_char_boundary(old_rest.len() - equal);
    while end < old_rest.len() && file.byte_offset(span.start + head + end).is_none() {
        end = old_rest.ceil_char_boundary(end + 1);
    }
    let tail = old_rest.len() - end;
    Replacement {
        span: span.start + head..span.end - tail,
        source: range.start + head..range.end - tail,
    }
}

/// How a break is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BreakStyle {
    Lf,
    Crlf,
}

/// Which style a new break gets, depending on the place.
enum BreakStyles {
    /// The same everywhere.
    Uniform(BreakStyle),
    /// The style of a neighbour. Text offsets of all breaks, in order.
    Neighbour(Vec<usize>),
}

impl BreakStyles {
    fn of(file: &TextFile<'_>) -> Self {
        match file.breaks().eol() {
            Eol::Lf | Eol::None => Self::Uniform(BreakStyle::Lf),
            Eol::Crlf => Self::Uniform(BreakStyle::Crlf),
            Eol::Mixed => Self::Neighbour(memchr_iter(b'\n', file.text().as_bytes()).collect()),
        }
    }

    /// The first break inside a span decides, else the last before it, else the first after it.
    fn at(&self, file: &TextFile<'_>, span: &Range<usize>) -> BreakStyle {
        let breaks = match self {
            Self::Uniform(style) => return *style,
            Self::Neighbour(breaks) => breaks,
        };
        let next = breaks.partition_point(|&at| at < span.start);
        let inside = breaks.get(next).filter(|&&at| at < span.end);
        let before = next.checked_sub(1).map(|at| &breaks[at]);
        match inside.or(before).or(breaks.get(next)) {
            Some(&at) if file.is_crlf_at(at) => BreakStyle::Crlf,
            _ => BreakStyle::Lf,
        }
    }
}

/// The refusal that names the first characters which have no bytes in the encoding of the file.
fn unmappable(file: &TextFile<'_>, source: &str, range: Range<usize>) -> EditError {
    let encoding = file.encoding();
    let mut buffer = [0; 4];
    let new = part(source, range.clone());
    let misfits = new.char_indices().filter(|(_, c)| {
        let text: &str = c.encode_utf8(&mut buffer);
        encoding.encode(text, &mut Vec::new()).is_err()
    });
    let chars = misfits
        .take(MAX_LISTED_CHARS)
        .map(|(at, char)| UnmappableChar {
            char,
            position: Position::of(source, range.start + at),
        });
    EditError::EncodingUnmappable {
        encoding: encoding.label().into_owned(),
        chars: chars.collect(),
    }
}
