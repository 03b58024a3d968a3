//! Notices a text that says the same thing again and again.
//!
//! A piece of fixed length that comes up often enough within a short stretch, outside code fences, is a model that
//! runs in circles. Constant work per character: a rolling hash and one look-up; pieces not seen for a stretch are
//! forgotten. Occurrences that overlap count once; a piece that is itself one short run, such as a drawn line, does
//! not count.

use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

/// Length of a piece in characters; shorter ones repeat in honest text.
const PIECE_CHARACTERS: u64 = 50;
/// Occurrences that make a loop.
const OCCURRENCES: u32 = 10;
/// The stretch they must lie in, in characters.
const STRETCH_CHARACTERS: u64 = 1_500;
/// A piece that repeats itself this quickly is a drawn line, padding or filler, not an argument going in circles; what
/// is none of these is ended by the output limit.
const MAX_FILLER_PERIOD: usize = 8;
/// Base of the rolling hash: odd, large, of no meaning.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;
/// `BASE` to the power of the piece length: what a character leaving the piece weighs.
const BASE_OUT: u64 = power(BASE, PIECE_CHARACTERS);
/// Backticks that open or close a fence.
const FENCE_MARKS: u32 = 3;

/// What was said lately.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Repetition {
    piece: VecDeque<char>,
    hash: u64,
    at: u64,
    pieces: HashMap<u64, Seen, BuildHasherDefault<Spread>>,
    swept_at: u64,
    line: Line,
    in_fence: bool,
}

/// Where a piece came up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    first: u64,
    last: u64,
    times: u32,
}

/// Where in a line the text stands, as far as fences are concerned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Line {
    /// Only blanks so far.
    #[default]
    Start,
    /// That many backticks after the blanks.
    Marks(u32),
    /// Anything else.
    Inside,
}

impl Repetition {
    /// Takes more text. True once it runs in circles.
    pub(crate) fn push(&mut self, delta: &str) -> bool {
        delta.chars().any(|character| self.take(character))
    }

    fn take(&mut self, character: char) -> bool {
        self.at += 1;
        if self.crosses_fence(character) {
            self.in_fence = !self.in_fence;
            self.forget();
            return false;
        }
        !self.in_fence && self.slide(character) && self.note()
    }

    fn crosses_fence(&mut self, character: char) -> bool {
        self.line = match (self.line, character) {
            (_, '\n') => Line::Start,
            (Line::Start, ' ') => Line::Start,
            (Line::Start, '`') => Line::Marks(1),
            (Line::Marks(marks), '`') => Line::Marks(marks + 1),
            (Line::Start | Line::Marks(_) | Line::Inside, _) => Line::Inside,
        };
        self.line == Line::Marks(FENCE_MARKS)
    }

    /// Moves the piece by one character. False until there is a whole piece.
    fn slide(&mut self, character: char) -> bool {
        self.piece.push_back(character);
        self.hash = self
            .hash
            .wrapping_mul(BASE)
            .wrapping_add(u64::from(character));
        if self.piece.len() as u64 > PIECE_CHARACTERS {
            let out = self.piece.pop_front().map_or(0, u64::from);
            self.hash = self.hash.wrapping_sub(out.wrapping_mul(BASE_OUT));
        }
        self.piece.len() as u64 == PIECE_CHARACTERS
    }

    /// Counts the piece. True if it came up too often.
    fn note(&mut self) -> bool {
        let at = self.at;
        if at - self.swept_at >= STRETCH_CHARACTERS {
            self.pieces
                .retain(|_, seen| at - seen.last < STRETCH_CHARACTERS);
            self.swept_at = at;
        }
        let fresh = Seen {
            first: at,
            last: at,
            times: 1,
        };
        let seen = self.pieces.entry(self.hash).or_insert(fresh);
        if at - seen.first + PIECE_CHARACTERS > STRETCH_CHARACTERS {
            *seen = fresh;
        } else if at - seen.last >= PIECE_CHARACTERS {
            (seen.last, seen.times) = (at, seen.times + 1);
        }
        if seen.times < OCCURRENCES {
            return false;
        }
        *seen = fresh;
        !self.is_filler()
    }

    /// Whether the piece is made of one short run of characters.
    fn is_filler(&self) -> bool {
        (1..=MAX_FILLER_PERIOD).any(|period| {
            self.piece
                .iter()
                .skip(period)
                .eq(self.piece.iter().take(self.piece.len() - period))
        })
    }

    fn forget(&mut self) {
        self.piece.clear();
        self.hash = 0;
        self.pieces.clear();
    }
}

/// Spreads hashes that are already hashes over the buckets.
#[derive(Debug, Clone, Copy, Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0.rotate_left(5) ^ number).wrapping_mul(BASE);
        self.0 = mixed ^ (mixed >> 32);
    }
}

const fn power(base: u64, exponent: u64) -> u64 {
    let mut product: u64 = 1;
    let mut left = exponent;
    while left > 0 {
        product = product.wrapping_mul(base);
        left -= 1;
    }
    product
}

#[cfg(test)]
mod tests;
