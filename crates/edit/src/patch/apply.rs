//! Putting the chunks of an update in their places.

use super::{Chunk, ChunkLine};
use crate::error::MAX_LISTED_PLACES;
use crate::lines::lines;
use crate::normalize::{norm_trimmed_end, passes_tolerant_gate, trim_blanks_end};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// Why a chunk has no place. Chunks are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChunkError {
    /// Its old lines are not behind the chunk before it.
    NotFound {
        /// Which chunk.
        chunk: usize,
        /// The first line that was looked for.
        line: String,
    },
    /// There is more than one place.
    Ambiguous {
        /// Which chunk.
        chunk: usize,
        /// Number of places.
        count: usize,
        /// The first of them, as 1-based lines.
        lines: Vec<usize>,
        /// Whether the lines are those of the file or only alike.
        exactness: Sameness,
    },
    /// It only adds, and nothing says where.
    NoPlace {
        /// Which chunk.
        chunk: usize,
    },
}

/// What of two lines is equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sameness {
    /// Everything.
    Exact,
    /// All but blanks at the end.
    TrailingBlanks,
    /// All but blanks at the end and typography.
    Typography,
}

impl Sameness {
    const ALL: [Self; 3] = [Self::Exact, Self::TrailingBlanks, Self::Typography];

    fn key(self, line: &str) -> Cow<'_, str> {
        match self {
            Self::Exact => Cow::Borrowed(line),
            Self::TrailingBlanks => Cow::Borrowed(trim_blanks_end(line)),
            Self::Typography => norm_trimmed_end(line),
        }
    }
}

impl ChunkError {
    /// The closed code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "EDIT_NO_OCCURRENCE_FOUND",
            Self::Ambiguous { exactness, .. } => match exactness {
                Sameness::Exact => "EDIT_EXPECTED_OCCURRENCE_MISMATCH",
                Sameness::TrailingBlanks | Sameness::Typography => "EDIT_AMBIGUOUS_FUZZY_MATCH",
            },
            Self::NoPlace { .. } => "INVALID_TOOL_PARAMS",
        }
    }
}

impl fmt::Display for ChunkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { chunk, line } => write!(
                f,
                "The old lines of chunk {chunk} were not found behind the chunk before it; they begin with `{line}`. \
                 Nothing was written. Read the place again and send its own lines."
            ),
            Self::Ambiguous {
                chunk,
                count,
                lines,
                ..
            } => {
                let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
                write!(
                    f,
                    "Chunk {chunk} fits in {count} places (lines {}). Nothing was written. Add lines around it, or a \
                     line before it after `@@ `.",
                    lines.join(", ")
                )
            }
            Self::NoPlace { chunk } => write!(
                f,
                "Chunk {chunk} only adds lines and does not say where. Nothing was written. Add context lines, a line \
                 before it after `@@ `, or `*** End of File`."
            ),
        }
    }
}

/// The text after all chunks. Both texts have LF breaks; whether the last line has one stays as it is.
///
/// # Errors
/// [`ChunkError`] for the first chunk without a place.
pub(crate) fn patched_text(text: &str, chunks: &[Chunk]) -> Result<String, ChunkError> {
    let old = lines(text);
    let mut new: Vec<&str> = Vec::with_capacity(old.len());
    let mut done = 0;
    for (index, chunk) in chunks.iter().enumerate() {
        let place = place(&old, done, chunk).map_err(|why| why.of(index + 1))?;
        new.extend(old.get(done..place.start).unwrap_or_default());
        let mut kept = old.get(place.clone()).unwrap_or_default().iter();
        for line in &chunk.lines {
            match line {
                ChunkLine::Keep(_) => new.extend(kept.next()),
                ChunkLine::Remove(_) => {
                    kept.next();
                }
                ChunkLine::Add(line) => new.push(line),
            }
        }
        done = place.end;
    }
    new.extend(old.get(done..).unwrap_or_default());
    let mut patched = new.join("\n");
    let is_terminated = text.is_empty() || text.ends_with('\n');
    if is_terminated && !new.is_empty() {
        patched.push('\n');
    }
    Ok(patched)
}

/// A refusal whose chunk is not named yet.
enum Refusal {
    NotFound(String),
    Ambiguous(Vec<usize>, Sameness),
    NoPlace,
}

impl Refusal {
    fn of(self, chunk: usize) -> ChunkError {
        match self {
            Self::NotFound(line) => ChunkError::NotFound { chunk, line },
            Self::Ambiguous(starts, exactness) => ChunkError::Ambiguous {
                chunk,
                count: starts.len(),
                lines: starts
                    .iter()
                    .map(|at| at + 1)
                    .take(MAX_LISTED_PLACES)
                    .collect(),
                exactness,
            },
            Self::NoPlace => ChunkError::NoPlace { chunk },
        }
    }
}

/// The old lines of a chunk, 0-based.
fn place(old: &[&str], from: usize, chunk: &Chunk) -> Result<Range<usize>, Refusal> {
    let wanted: Vec<&str> = chunk.lines.iter().filter_map(old_line).collect();
    let start = match &chunk.after {
        Some(after) => only(old, from, &[after.as_str()], false)? + 1,
        None => from,
    };
    if wanted.is_empty() {
        return match &chunk.after {
            Some(_) => Ok(start..start),
            None if chunk.at_end => Ok(old.len()..old.len()),
            None => Err(Refusal::NoPlace),
        };
    }
    let first = only(old, start, &wanted, chunk.at_end)?;
    Ok(first..first + wanted.len())
}

fn old_line(line: &ChunkLine) -> Option<&str> {
    match line {
        ChunkLine::Keep(line) | ChunkLine::Remove(line) => Some(line),
        ChunkLine::Add(_) => None,
    }
}

/// The only place of these lines from a line on; the strictest comparison that finds any decides.
fn only(old: &[&str], from: usize, wanted: &[&str], at_end: bool) -> Result<usize, Refusal> {
    for sameness in Sameness::ALL {
        if sameness != Sameness::Exact && !passes_tolerant_gate(&wanted.join("\n")) {
            break;
        }
        let keys: Vec<Cow<'_, str>> = wanted.iter().map(|line| sameness.key(line)).collect();
        let starts: Vec<usize> = old
            .windows(wanted.len())
            .enumerate()
            .skip(from)
            .filter(|(at, _)| !at_end || at + wanted.len() == old.len())
            .filter(|(_, window)| {
                let pairs = window.iter().zip(&keys);
                pairs
                    .into_iter()
                    .all(|(line, key)| sameness.key(line) == *key)
            })
            .map(|(at, _)| at)
            .collect();
        match starts.as_slice() {
            [] => {}
            [at] => return Ok(*at),
            [..] => return Err(Refusal::Ambiguous(starts, sameness)),
        }
    }
    let line = wanted.first().copied().unwrap_or_default();
    Err(Refusal::NotFound(
        line.chars().take(crate::error::MAX_QUOTED_CHARS).collect(),
    ))
}
