//! The second engine: look-around, back-references and the forgiving reading of stray braces.
//!
//! It has no line terminator, so that the searcher tests each line alone. Its work per search call is limited.

use fancy_regex::{Regex, RuntimeError};
use grep_matcher::{Match, Matcher, NoCaptures};
use std::fmt;

/// Steps back in one search call; some patterns never end otherwise.
pub(super) const BACKTRACK_LIMIT: usize = 1_000_000;
/// Instructions of a compiled pattern.
pub(super) const MAX_PROGRAM: usize = 100_000;

/// A pattern of the second engine.
#[derive(Debug, Clone)]
pub(super) struct FancyMatcher {
    pub(super) regex: Regex,
}

/// Why a search in one file ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FancyError {
    Limit,
    Other,
}

impl fmt::Display for FancyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Limit => "backtrack limit",
            Self::Other => "the pattern cannot be run",
        })
    }
}

impl Matcher for FancyMatcher {
    type Captures = NoCaptures;
    type Error = FancyError;

    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, FancyError> {
        match self.regex.find_from_pos(haystack, at) {
            Ok(found) => Ok(found.map(|found| Match::new(found.start(), found.end()))),
            Err(fancy_regex::Error::RuntimeError(
                RuntimeError::BacktrackLimitExceeded | RuntimeError::StackOverflow,
            )) => Err(FancyError::Limit),
            Err(_) => Err(FancyError::Other),
        }
    }

    fn new_captures(&self) -> Result<NoCaptures, FancyError> {
        Ok(NoCaptures::new())
    }
}
