//! Plans an edit: which bytes a file has after `old_string` became `new_string`.
//!
//! One place or refusal. At an exact place what is written is literal, nothing in either string is a pattern; at a
//! place that a tolerant layer found, `tolerant` decides. Planning reads only: the result is shown to a person and
//! written later. Deliberately absent: prior reads, paths and sizes of files, which the caller checks before, and the
//! person's answer.

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use protocol::settings::EditProfile;

use crate::elision::refuse_elision;
use crate::error::{EditError, MAX_LISTED_PLACES};
use crate::hint::Hints;
use crate::lines::{line_number_at, line_start, with_lf};
use crate::locate::{Layer, locate};
use crate::normalize::{Normalized, passes_tolerant_gate};
use crate::overlap::{find_overlapping, non_overlapping};
use crate::seen::LineRanges;
use crate::splice::{Replacement, splice};
use crate::text::TextFile;
use crate::tolerant::Found;
use crate::warning::{ConfirmReason, Warning};

/// How many places an edit is meant to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occurrences {
    /// Exactly one.
    One,
    /// All of them.
    All,
}

/// Whether a person can look at a change that one must look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reviewer {
    /// Yes.
    Person,
    /// No: such a change is refused.
    Nobody,
}

impl Reviewer {
    /// Refuses a change that waits for a person who is not there.
    pub(crate) fn require_for(self, change: TextChange) -> Result<TextChange, EditError> {
        match self {
            Self::Nobody if !change.confirm_reasons.is_empty() => {
                Err(EditError::NeedsConfirmation {
                    reasons: change.confirm_reasons,
                })
            }
            Self::Person | Self::Nobody => Ok(change),
        }
    }
}

/// What the model asks for.
#[derive(Debug, Clone, Copy)]
pub struct EditRequest<'a> {
    /// The text to replace. Empty fills an empty file.
    pub old: &'a str,
    /// The text to put there.
    pub new: &'a str,
    /// How many places.
    pub occurrences: Occurrences,
    /// The lines of the file that the model has been shown; only those are quoted.
    pub seen: &'a LineRanges,
    /// Name of the file; it tells whether white space has a meaning.
    pub file_name: &'a str,
    /// The layers that may find the text.
    pub profile: EditProfile,
    /// Whether a person can look at it.
    pub reviewer: Reviewer,
    /// Most bytes the file may have afterwards.
    pub max_result_bytes: usize,
}

/// A file as it would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextChange {
    /// The bytes to write.
    pub bytes: Vec<u8>,
    /// Those bytes as text with LF breaks.
    pub text: String,
    /// What the model should know.
    pub warnings: Vec<Warning>,
    /// Why a person must look at it; empty when nobody must.
    pub confirm_reasons: Vec<ConfirmReason>,
}

/// An edit that can be shown and written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditPlan {
    /// The file as it would be.
    pub change: TextChange,
    /// The rule that found the place.
    pub layer: Layer,
    /// Number of places that change.
    pub replaced: usize,
}

/// Refuses an edit that asks for nothing, whatever the file. It needs no file, so it can run before one is looked at.
pub fn refuse_identical(old: &str, new: &str) -> Result<(), EditError> {
    if !old.is_empty() && with_lf(old) == with_lf(new) {
        return Err(EditError::IdenticalStrings);
    }
    Ok(())
}

/// Plans an edit of an existing file.
pub fn plan_edit(file: &TextFile<'_>, request: &EditRequest<'_>) -> Result<EditPlan, EditError> {
    refuse_identical(request.old, request.new)?;
    let old = as_in_file(file, request.old);
    let new = as_in_file(file, request.new);
    if old.is_empty() {
        return fill(file, &new, request.max_result_bytes);
    }
    file.refuse_replacement_char(&old)?;
    file.refuse_replacement_char(&new)?;
    refuse_elision(&new, &[&old, file.text()])?;
    let Some(located) = locate(file, &old, request.profile)? else {
        let hints = Hints::of(file.text(), &old, &new, request.seen);
        return Err(EditError::NoOccurrence(Box::new(hints)));
    };
    let found = Found {
        file,
        located: &located,
        old: &old,
        new: &new,
        request,
    };
    match located.layer {
        Layer::Exact => plan_exact(&found),
        Layer::Create
        | Layer::Typographic
        | Layer::TrailingBlanks
        | Layer::TypographicLines
        | Layer::FinalNewline
        | Layer::Indentation
        | Layer::DoubleEscaping
        | Layer::BoundaryLines
        | Layer::WhiteSpace
        | Layer::DriftedContext => plan_tolerant(&found),
    }
}

/// Puts the new text as given into exact places.
fn plan_exact(found: &Found<'_>) -> Result<EditPlan, EditError> {
    let Found {
        file,
        located,
        old,
        new,
        request,
    } = *found;
    let matches = chosen(file, &located.spans, request.occurrences)?;
    let spans = if new.is_empty() && !old.ends_with('\n') {
        with_whole_lines(file.text(), &matches)
    } else {
        matches.clone()
    };
    let mut change = replaced_at(file, new, &spans, request.max_result_bytes)?;
    if joins_lines(file, old, new, &matches) {
        change.warnings.insert(0, Warning::LinesJoined);
    }
    if request.occurrences == Occurrences::All {
        change
            .warnings
            .extend(near_matches_left(file.text(), old, &matches));
    }
    Ok(EditPlan {
        change: request.reviewer.require_for(change)?,
        layer: located.layer,
        replaced: matches.len(),
    })
}

/// Carries the change over to places that are not quite the text.
fn plan_tolerant(found: &Found<'_>) -> Result<EditPlan, EditError> {
    let Found { file, request, .. } = *found;
    let layer = found.located.layer;
    let changed_places = found.change()?;
    let draft = &changed_places.draft;
    let bytes = splice(
        file,
        &draft.source,
        &draft.replacements,
        request.max_result_bytes,
    )?;
    let mut change = changed(file, bytes)?;
    if file.is_encoding_guessed() && !found.new.is_ascii() {
        change.note_guessed_encoding(file);
    }
    if let Some(reason) = ConfirmReason::of(layer) {
        if request.reviewer == Reviewer::Nobody {
            return Err(found.needs_person(&changed_places.matches));
        }
        change.confirm_reasons.insert(0, reason);
    }
    Ok(EditPlan {
        change: request.reviewer.require_for(change)?,
        layer,
        replaced: changed_places.matches.len(),
    })
}

/// An argument with LF breaks, and without the mark that the file has already.
pub(crate) fn as_in_file<'t>(file: &TextFile<'_>, argument: &'t str) -> Cow<'t, str> {
    let argument = match file.has_bom() {
        true => argument.strip_prefix('\u{FEFF}').unwrap_or(argument),
        false => argument,
    };
    with_lf(argument)
}

/// Puts text into an empty file; a byte order mark stays.
fn fill(file: &TextFile<'_>, new: &str, max_result_bytes: usize) -> Result<EditPlan, EditError> {
    if !file.text().is_empty() {
        return Err(EditError::AlreadyExists {
            size: file.bytes().len(),
        });
    }
    refuse_elision(new, &[])?;
    Ok(EditPlan {
        change: replaced_at(file, new, std::slice::from_ref(&(0..0)), max_result_bytes)?,
        layer: Layer::Create,
        replaced: 1,
    })
}

/// The places that change, or the refusal to choose among them.
fn chosen(
    file: &TextFile<'_>,
    spans: &[Range<usize>],
    occurrences: Occurrences,
) -> Result<Vec<Range<usize>>, EditError> {
    match (occurrences, spans) {
        (Occurrences::All, spans) => Ok(non_overlapping(spans)),
        (Occurrences::One, [only]) => Ok(vec![only.clone()]),
        (Occurrences::One, spans) => Err(EditError::Ambiguous {
            count: spans.len(),
            lines: first_lines(file.text(), spans.iter().map(|span| span.start)),
        }),
    }
}

/// The line numbers of the first places.
pub(crate) fn first_lines(text: &str, starts: impl Iterator<Item = usize>) -> Vec<usize> {
    starts
        .take(MAX_LISTED_PLACES)
        .map(|start| line_number_at(text, start))
        .collect()
}

/// Deleted spans with the break behind them, where they are whole lines; so no blank line is left.
pub(crate) fn with_whole_lines(text: &str, spans: &[Range<usize>]) -> Vec<Range<usize>> {
    let starts_after = |at: usize| spans.get(at + 1).map_or(usize::MAX, |next| next.start);
    let extended = spans.iter().enumerate().map(|(at, span)| {
        let is_at_line_start = line_start(text, span.start) == span.start;
        let is_before_break = text.as_bytes().get(span.end) == Some(&b'\n');
        let is_free = span.end < starts_after(at);
        span.start..span.end + usize::from(is_at_line_start && is_before_break && is_free)
    });
    extended.collect()
}

/// The file with the same text put into each span.
fn replaced_at(
    file: &TextFile<'_>,
    new: &str,
    spans: &[Range<usize>],
    max_result_bytes: usize,
) -> Result<TextChange, EditError> {
    let whole = |span: &Range<usize>| Replacement {
        span: span.clone(),
        source: 0..new.len(),
    };
    let replacements: Vec<Replacement> = spans.iter().map(whole).collect();
    let bytes = splice(file, new, &replacements, max_result_bytes)?;
    let mut change = changed(file, bytes)?;
    if file.is_encoding_guessed() && !new.is_ascii() {
        change.note_guessed_encoding(file);
    }
    Ok(change)
}

/// New bytes of a file as a change, with the warnings that need only both texts.
pub(crate) fn changed(file: &TextFile<'_>, bytes: Vec<u8>) -> Result<TextChange, EditError> {
    if bytes == file.bytes() {
        return Err(EditError::SameResult);
    }
    let text = file.text_of(&bytes)?;
    let lost_final_break = file.ends_with_break() && !text.is_empty() && !text.ends_with('\n');
    Ok(TextChange {
        bytes,
        text,
        warnings: Vec::from_iter(lost_final_break.then_some(Warning::FinalNewlineRemoved)),
        confirm_reasons: Vec::new(),
    })
}

impl TextChange {
    /// Non-ASCII text was written in an encoding that is only likely.
    pub(crate) fn note_guessed_encoding(&mut self, file: &TextFile<'_>) {
        self.warnings.push(Warning::EncodingGuessed {
            encoding: file.encoding().label().into_owned(),
        });
        self.confirm_reasons.push(ConfirmReason::EncodingGuessed);
    }
}

/// Whether a break goes that stood between a match and more text.
fn joins_lines(file: &TextFile<'_>, old: &str, new: &str, matches: &[Range<usize>]) -> bool {
    let is_before_text = |span: &Range<usize>| span.end < file.text().len();
    old.ends_with('\n')
        && !new.is_empty()
        && !new.ends_with('\n')
        && matches.iter().any(is_before_text)
}

/// Places that were not replaced but look the same.
fn near_matches_left(text: &str, old: &str, matches: &[Range<usize>]) -> Option<Warning> {
    if !passes_tolerant_gate(old) || (text.is_ascii() && old.is_ascii()) {
        return None;
    }
    let (text_norm, old_norm) = (Normalized::of(text), Normalized::of(old));
    let found = find_overlapping(text_norm.text(), old_norm.text());
    let places = found
        .iter()
        .map(|span| text_norm.original_offset(span.start)..text_norm.original_offset(span.end));
    let is_left = |place: &Range<usize>| {
        let next = matches.partition_point(|span| span.end <= place.start);
        matches.get(next).is_none_or(|span| span.start >= place.end)
    };
    let left: Vec<Range<usize>> = places.filter(is_left).collect();
    (!left.is_empty()).then(|| Warning::NearMatchesLeft {
        count: left.len(),
        lines: first_lines(text, left.iter().map(|place| place.start)),
    })
}
