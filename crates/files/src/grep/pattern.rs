//! From the pattern of the model to something that can be run.
//!
//! First the engine with linear time, then the one with look-around, then the pattern as plain text. Each step but the
//! first leaves a note, so that nobody wonders about the result.

use super::fancy::{BACKTRACK_LIMIT, FancyMatcher, MAX_PROGRAM};
use super::{CaseMatch, GrepParams, MatchSpan, PatternSyntax, WordMatch};
use crate::error::Error;
use fancy_regex::{BytesMode, CompileError};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

/// Memory of a compiled pattern. More is a mistake, or an attack.
const MAX_COMPILED_BYTES: usize = 50 * 1024 * 1024;
/// Nested groups; deeper ones overflow the stack of the parser.
const MAX_NESTING: u32 = 250;

/// A pattern that can be run.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) engine: Engine,
    pub(super) span: MatchSpan,
    pub(super) notes: Vec<String>,
}

/// Which engine runs.
#[derive(Debug, Clone)]
pub(super) enum Engine {
    Linear(RegexMatcher),
    Backtracking(FancyMatcher),
}

/// Compiles the pattern, falling back as declared.
pub(super) fn compile(params: &GrepParams) -> Result<Compiled, Error> {
    let mut notes = Vec::new();
    let mut span = params.span;
    let mut linear = linear(params, params.syntax, span);
    if matches!(&linear, Err(error) if is_line_break(error)) {
        span = MatchSpan::Lines;
        notes.push("(the pattern contains a line break; searched across lines)".to_owned());
        linear = self::linear(params, params.syntax, span);
    }
    let engine = match linear {
        Ok(matcher) => Engine::Linear(matcher),
        Err(error) => fall_back(params, span, &error, &mut notes)?,
    };
    Ok(Compiled {
        engine,
        span,
        notes,
    })
}

fn fall_back(
    params: &GrepParams,
    span: MatchSpan,
    error: &grep_regex::Error,
    notes: &mut Vec<String>,
) -> Result<Engine, Error> {
    match backtracking(params, span) {
        Ok(matcher) => {
            notes.push("(searched with the engine for look-around and back-references)".to_owned());
            return Ok(Engine::Backtracking(matcher));
        }
        Err(fancy_regex::Error::CompileError(compile_error)) if is_size(&compile_error) => {
            return Err(Error::PatternTooLarge {
                detail: compile_error.to_string(),
            });
        }
        Err(_) => {}
    }
    let reason = error.to_string();
    let reason = reason
        .lines()
        .last()
        .unwrap_or_default()
        .trim()
        .trim_start_matches("error: ");
    notes.push(format!(
        "(not a valid regular expression: {reason}; searched as plain text)"
    ));
    let plain = linear(params, PatternSyntax::Literal, span);
    plain
        .map(Engine::Linear)
        .map_err(|error| Error::PatternTooLarge {
            detail: error.to_string(),
        })
}

fn is_line_break(error: &grep_regex::Error) -> bool {
    matches!(error.kind(), grep_regex::ErrorKind::NotAllowed(_))
}

fn is_size(error: &CompileError) -> bool {
    match error {
        CompileError::InnerError(build) => build.size_limit().is_some(),
        CompileError::PatternTooComplex | CompileError::DfaBuildError(..) => true,
        // The list of another crate, which may grow.
        _ => false,
    }
}

fn linear(
    params: &GrepParams,
    syntax: PatternSyntax,
    span: MatchSpan,
) -> Result<RegexMatcher, grep_regex::Error> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(true)
        .case_insensitive(params.case == CaseMatch::Ignored)
        .word(params.words == WordMatch::Whole)
        .fixed_strings(syntax == PatternSyntax::Literal)
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(MAX_COMPILED_BYTES)
        .nest_limit(MAX_NESTING)
        .crlf(true);
    match span {
        MatchSpan::Line => {}
        // After `crlf`, which sets a terminator: now line ends may be matched, and `$` still stops before CR.
        MatchSpan::Lines => {
            builder.line_terminator(None).dot_matches_new_line(true);
        }
    }
    builder.build(&params.pattern)
}

fn backtracking(params: &GrepParams, span: MatchSpan) -> Result<FancyMatcher, fancy_regex::Error> {
    let pattern = match params.words {
        WordMatch::Anywhere => params.pattern.clone(),
        WordMatch::Whole => format!(r"(?<!\w)(?:{})(?!\w)", params.pattern),
    };
    let regex = fancy_regex::RegexBuilder::new(&pattern)
        .multi_line(true)
        .crlf(true)
        .case_insensitive(params.case == CaseMatch::Ignored)
        .dot_matches_new_line(span == MatchSpan::Lines)
        .bytes_mode(BytesMode::UnicodeBytes)
        .backtrack_limit(BACKTRACK_LIMIT)
        .max_prog_size(MAX_PROGRAM)
        .delegate_size_limit(MAX_COMPILED_BYTES)
        .delegate_dfa_size_limit(MAX_COMPILED_BYTES)
        .build()?;
    Ok(FancyMatcher { regex })
}

#[cfg(test)]
mod tests;
