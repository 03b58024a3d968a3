//! The readable output of a command, bounded: its beginning, its end, and how much lies between.
//!
//! Holds clean text only: valid, without control or invisible format characters, so that whoever reads it (a model, a
//! file, a notification) need not clean it again. Counts are exact also for what is no longer held.
//! Deliberately absent: terminal rules, which `line_text` and `screen` apply before text gets here.

use std::borrow::Cow;
use std::collections::VecDeque;

/// Piece the end is kept in and dropped by; small against the whole, large against an allocation.
const SEGMENT_BYTES: usize = 64 * 1024;

/// The most bytes whose count cannot overflow a byte, rounded down to whole vectors.
const COUNTED_BLOCK_BYTES: usize = 192;

/// How much text stays in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextLimits {
    pub(crate) head_bytes: usize,
    pub(crate) tail_bytes: usize,
}

/// The beginning and the end of a text, each complete up to the number of characters asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Excerpt {
    /// The beginning; the whole text if `omitted` is 0 and `tail` is empty.
    pub head: String,
    /// Characters between the two.
    pub omitted: u64,
    /// The end; empty if the head is everything.
    pub tail: String,
    /// Lines in all, a last one without an end included.
    pub lines: u64,
}

/// A text from a place on. Places count characters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextSince {
    /// The text, or its end.
    pub text: String,
    /// Characters between the place asked for and the text.
    pub skipped: u64,
    /// Where to go on. A line that is still being written comes again.
    pub next: u64,
}

impl Excerpt {
    /// The text from a place on, as far as it is held.
    pub(crate) fn since(&self, from: u64, max_chars: usize) -> TextSince {
        let held = if self.omitted == 0 {
            format!("{}{}", self.head, self.tail)
        } else {
            self.tail.clone()
        };
        let end = count_chars(&self.head) + self.omitted + count_chars(&self.tail);
        let wanted = end.saturating_sub(from);
        let room = usize::try_from(wanted).unwrap_or(usize::MAX).min(max_chars);
        let (text, given) = last_chars(&held, room);
        TextSince {
            text: text.to_owned(),
            skipped: wanted - given as u64,
            next: end,
        }
    }

    /// True if there is no text at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.head.is_empty()
    }
}

/// Text that grows at its end.
#[derive(Debug)]
pub(crate) struct TextStore {
    limits: TextLimits,
    head: String,
    head_full: bool,
    tail: VecDeque<String>,
    tail_bytes: usize,
    chars: u64,
    dropped_chars: u64,
    newlines: u64,
}

impl TextStore {
    pub(crate) fn new(limits: TextLimits) -> Self {
        Self {
            limits,
            head: String::new(),
            head_full: false,
            tail: VecDeque::new(),
            tail_bytes: 0,
            chars: 0,
            dropped_chars: 0,
            newlines: 0,
        }
    }

    /// Adds clean text.
    pub(crate) fn push(&mut self, text: &str) {
        self.chars += count_chars(text);
        self.newlines += count_newlines(text);
        let mut rest = text;
        if !self.head_full {
            let room = self.limits.head_bytes - self.head.len();
            let cut = text.floor_char_boundary(room);
            let (now, later) = text.split_at(cut);
            self.head.push_str(now);
            self.head_full = !later.is_empty();
            rest = later;
        }
        while !rest.is_empty() {
            let cut = rest.floor_char_boundary(SEGMENT_BYTES);
            let (now, later) = rest.split_at(cut);
            self.push_tail(now);
            rest = later;
        }
    }

    fn push_tail(&mut self, text: &str) {
        self.tail_bytes += text.len();
        match self.tail.back_mut() {
            Some(last) if last.len() + text.len() <= SEGMENT_BYTES => last.push_str(text),
            _ => {
                let mut segment = self
                    .drop_oldest()
                    .unwrap_or_else(|| String::with_capacity(SEGMENT_BYTES));
                segment.clear();
                segment.push_str(text);
                self.tail.push_back(segment);
            }
        }
    }

    /// The oldest segment, if the limit asks for its memory.
    fn drop_oldest(&mut self) -> Option<String> {
        if self.tail_bytes <= self.limits.tail_bytes {
            return None;
        }
        let oldest = self.tail.pop_front()?;
        self.tail_bytes -= oldest.len();
        self.dropped_chars += count_chars(&oldest);
        Some(oldest)
    }

    /// Characters so far.
    pub(crate) fn chars(&self) -> u64 {
        self.chars
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Self::new(self.limits);
    }

    /// The text with `rest` behind it, as two ends of at most `max_chars` each. Blank lines at the end are left out.
    pub(crate) fn excerpt(&self, rest: &str, max_chars: usize) -> Excerpt {
        let lines = self.newlines
            + count_newlines(rest)
            + u64::from(!rest.is_empty() && !rest.ends_with('\n'));
        let total = self.chars + count_chars(rest);
        if self.dropped_chars == 0 && total <= max_chars as u64 {
            let mut head: String = self.pieces().chain([rest]).collect();
            head.truncate(trimmed_len(&head));
            return Excerpt {
                head,
                omitted: 0,
                tail: String::new(),
                lines,
            };
        }
        let mut head = String::new();
        let mut head_chars = 0;
        // What was dropped lies behind the head, so the head alone is asked unless nothing was dropped.
        let sources: Vec<&str> = match self.dropped_chars {
            0 => self.pieces().chain([rest]).collect(),
            _ => vec![self.head.as_str()],
        };
        for piece in sources {
            head_chars += push_chars(&mut head, piece, max_chars - head_chars);
        }
        let tail = self.tail_with(
            rest,
            max_chars.min(usize::try_from(total).unwrap_or(usize::MAX) - head_chars),
        );
        let omitted = total - head_chars as u64 - count_chars(&tail);
        let tail = tail
            .get(..trimmed_len(&tail))
            .unwrap_or_default()
            .to_owned();
        Excerpt {
            head,
            omitted,
            tail,
            lines,
        }
    }

    /// The last `max_chars` characters, `rest` included.
    pub(crate) fn tail_with(&self, rest: &str, max_chars: usize) -> String {
        let mut pieces = Vec::new();
        let mut missing = max_chars;
        for piece in [rest]
            .into_iter()
            .chain(self.tail.iter().rev().map(String::as_str))
            .chain(self.last_of_head())
        {
            let (part, chars) = last_chars(piece, missing);
            pieces.push(part);
            missing -= chars;
            if missing == 0 {
                break;
            }
        }
        pieces.into_iter().rev().collect()
    }

    /// The head touches the tail only while nothing was dropped between them.
    fn last_of_head(&self) -> Option<&str> {
        (self.dropped_chars == 0).then_some(self.head.as_str())
    }

    /// Everything that is held, in order.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.head.as_str()).chain(self.tail.iter().map(String::as_str))
    }
}

/// Bytes as clean text: invalid sequences become U+FFFD, invisible characters go.
pub(crate) fn clean(bytes: &[u8]) -> Cow<'_, str> {
    // Checking is several times faster than converting, and almost all text is fine.
    let text =
        std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
    if text.is_ascii() || text.chars().all(is_visible) {
        return text;
    }
    Cow::Owned(
        text.chars()
            .filter(|character| is_visible(*character))
            .collect(),
    )
}

/// False for what a reader cannot see but a program may obey or be fooled by: C0 except tab and newline, DEL, C1,
/// direction controls, zero-width and tag characters. Joiners inside emoji go too; variation selectors stay.
pub(crate) fn is_visible(character: char) -> bool {
    !matches!(character,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

fn count_chars(text: &str) -> u64 {
    count(text, |byte| byte & 0b1100_0000 != 0b1000_0000)
}

fn count_newlines(text: &str) -> u64 {
    count(text, |byte| byte == b'\n')
}

/// Counts bytes in blocks whose count fits a byte, which processors do many bytes at a time.
fn count(text: &str, counted: impl Fn(u8) -> bool) -> u64 {
    let block_count = |block: &[u8]| {
        block
            .iter()
            .map(|byte| u8::from(counted(*byte)))
            .sum::<u8>()
    };
    text.as_bytes()
        .chunks(COUNTED_BLOCK_BYTES)
        .map(|block| u64::from(block_count(block)))
        .sum()
}

/// Length without blank lines and blanks at the end.
fn trimmed_len(text: &str) -> usize {
    text.trim_end_matches([' ', '\t', '\n']).len()
}

/// Appends at most `max_chars` characters of `piece`, and says how many.
fn push_chars(target: &mut String, piece: &str, max_chars: usize) -> usize {
    let end = piece
        .char_indices()
        .nth(max_chars)
        .map_or(piece.len(), |(index, _)| index);
    let part = piece.get(..end).unwrap_or_default();
    target.push_str(part);
    usize::try_from(count_chars(part)).unwrap_or(max_chars)
}

/// The last `max_chars` characters of a piece, and how many they are.
fn last_chars(piece: &str, max_chars: usize) -> (&str, usize) {
    if max_chars == 0 {
        return ("", 0);
    }
    let start = piece
        .char_indices()
        .rev()
        .nth(max_chars - 1)
        .map_or(0, |(index, _)| index);
    let part = piece.get(start..).unwrap_or_default();
    (
        part,
        usize::try_from(count_chars(part)).unwrap_or(max_chars),
    )
}

#[cfg(test)]
mod tests;
