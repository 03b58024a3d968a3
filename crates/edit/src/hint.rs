//! What to tell a model whose `old_string` is nowhere in the file.
//!
//! Similar places are named, never used. Text of the file is quoted only from lines the model has been shown; of
//! others only the numbers are told. Deliberately absent: any influence on what is written.

pub(crate) mod difference;
mod similarity;
#[cfg(test)]
mod tests;
mod window;

use std::fmt::{Display, Formatter, Result as FmtResult};
use std::ops::RangeInclusive;

use crate::error::MAX_QUOTED_CHARS;
use crate::lines::{Position, count_lines, line_number_at, lines};
use crate::overlap::find_overlapping;
use crate::seen::LineRanges;
pub(crate) use difference::CharName;
use difference::{DifferenceKind, first_difference};
pub(crate) use similarity::line_similarity;
use window::{Window, closest};

/// A new text at least this long, or of this many lines, is there because it was written before.
const MIN_APPLIED_CHARS: usize = 40;

/// See above.
const MIN_APPLIED_LINES: usize = 3;

/// What a message about a text that was not found adds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hints {
    /// The most similar places, best first.
    pub candidates: Vec<Candidate>,
    /// 1-based line of the only occurrence of the new text, when that says something.
    pub applied_at: Option<usize>,
}

impl Hints {
    pub(crate) fn of(text: &str, old: &str, new: &str, seen: &LineRanges) -> Self {
        let (file_lines, old_lines) = (lines(text), lines(old));
        let windows = closest(&file_lines, &old_lines);
        let candidate = |window: &Window| Candidate::of(window, &file_lines, &old_lines, seen);
        Self {
            candidates: windows.iter().map(candidate).collect(),
            applied_at: applied_at(text, new),
        }
    }
}

/// Where a text that is long enough to be distinctive occurs just once.
fn applied_at(text: &str, new: &str) -> Option<usize> {
    let is_distinctive =
        count_lines(new) >= MIN_APPLIED_LINES || new.chars().nth(MIN_APPLIED_CHARS - 1).is_some();
    if new.is_empty() || !is_distinctive {
        return None;
    }
    match find_overlapping(text, new).as_slice() {
        [only] => Some(line_number_at(text, only.start)),
        _ => None,
    }
}

/// A place that is similar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// 1-based lines.
    pub lines: RangeInclusive<usize>,
    /// Mean similarity of the lines.
    pub similarity_percent: u8,
    /// The first difference, as far as it may be told.
    pub difference: Difference,
}

/// How a candidate first differs from the text that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// It stands in a line the model has not been shown.
    Unseen,
    /// All lines are equal; the file has no break after the last one.
    NoFinalNewline,
    /// One character.
    At {
        /// Where in the file.
        position: Position,
        /// What kind.
        kind: DifferenceKind,
        /// The character of the file; none at the end of the line.
        in_file: Option<char>,
        /// The character of `old_string`; none at the end of the line.
        in_old: Option<char>,
        /// The line of the file, shortened.
        line: String,
    },
}

impl Candidate {
    fn of(window: &Window, file_lines: &[&str], old_lines: &[&str], seen: &LineRanges) -> Self {
        let in_file = &file_lines[window.start..window.start + old_lines.len()];
        Self {
            lines: window.start + 1..=window.start + old_lines.len(),
            similarity_percent: window.similarity_percent(),
            difference: difference_of(in_file, old_lines, window.start + 1, seen),
        }
    }
}

fn difference_of(
    in_file: &[&str],
    old: &[&str],
    first_line: usize,
    seen: &LineRanges,
) -> Difference {
    let mut pairs = in_file.iter().zip(old).zip(first_line..);
    let Some(((file_line, old_line), line)) = pairs.find(|((a, b), _)| a != b) else {
        return Difference::NoFinalNewline;
    };
    if !seen.contains(line) {
        return Difference::Unseen;
    }
    let found = first_difference(file_line, old_line);
    Difference::At {
        position: Position {
            line,
            column: found.at + 1,
        },
        kind: found.kind,
        in_file: found.in_file,
        in_old: found.in_old,
        line: file_line.chars().take(MAX_QUOTED_CHARS).collect(),
    }
}

impl Display for Hints {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        if let Some(line) = self.applied_at {
            write!(
                f,
                "\nPossibly already applied at line {line}: new_string is there, once."
            )?;
        }
        if self.candidates.is_empty() {
            return f.write_str(
                "\nNo similar text was found. Read the file again and copy the text exactly.",
            );
        }
        f.write_str("\nSimilar text, not edited:")?;
        self.candidates
            .iter()
            .try_for_each(|candidate| write!(f, "\n- {candidate}"))
    }
}

impl Display for Candidate {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        let (first, last) = (self.lines.start(), self.lines.end());
        match first == last {
            true => write!(f, "line {first}")?,
            false => write!(f, "lines {first}-{last}")?,
        }
        write!(
            f,
            " ({} % similar): {}",
            self.similarity_percent, self.difference
        )
    }
}

impl Display for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        match self {
            Self::Unseen => f.write_str("not read yet; read these lines first."),
            Self::NoFinalNewline => {
                f.write_str("equal, but the file has no newline at its end and old_string has one.")
            }
            Self::At {
                position,
                kind,
                in_file,
                in_old,
                line,
            } => write!(
                f,
                "first difference at {position} ({kind}): the file has {}, old_string has {}. Line {} of the file: \
                 `{line}`",
                CharName(*in_file),
                CharName(*in_old),
                position.line
            ),
        }
    }
}
