//! What is written where a text was found that is not quite the file's.
//!
//! What the model did not change keeps the characters of the file; only the step from `old_string` to `new_string` is
//! carried over. Whenever it cannot be known what is meant, the edit is refused with the file's own text.
//! Deliberately absent: exact places, where the new text is literal, and the search.

mod anchored;
mod draft;
mod indent;
mod project;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::error::EditError;
use crate::lines::LineIndex;
use crate::locate::{Layer, Located, Writing};
use crate::normalize::{indentation, n_boundary_lines};
use crate::overlap::non_overlapping;
use crate::refusal::{QuotedLine, Refusal, RefusalReason};
use crate::replace::{EditRequest, Occurrences, first_lines, with_whole_lines};
use crate::text::TextFile;
use crate::unescape::{escape_kinds, unescaped_once};
use anchored::require_kept_context;
pub(crate) use draft::Draft;
use indent::Shift;
use project::{Projection, Style};

/// Extensions of files where white space inside lines has a meaning, and the name of one without.
const WHITE_SPACE_EXTENSIONS: [&str; 15] = [
    "py", "pyi", "yml", "yaml", "mk", "md", "rst", "haml", "pug", "coffee", "nim", "hs", "elm",
    "tsv", "makefile",
];

/// What white space has a meaning in.
const QUOTES: [char; 3] = ['"', '\'', '`'];

/// Why a place is refused, and which of its lines are concerned, counted from its first.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Refused {
    reason: RefusalReason,
    lines: Range<usize>,
}

/// A refusal that concerns all lines of a place.
fn refused<T>(reason: RefusalReason) -> Result<T, Refused> {
    Err(Refused {
        reason,
        lines: 0..usize::MAX,
    })
}

/// A text that was found, and what takes its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found<'f> {
    pub(crate) file: &'f TextFile<'f>,
    pub(crate) located: &'f Located,
    /// Both texts as they would be in the file.
    pub(crate) old: &'f str,
    pub(crate) new: &'f str,
    pub(crate) request: &'f EditRequest<'f>,
}

/// What changes, and the places.
pub(crate) struct Changed {
    pub(crate) draft: Draft,
    pub(crate) matches: Vec<Range<usize>>,
}

impl Found<'_> {
    /// What changes in a file where a tolerant layer found the text.
    pub(crate) fn change(&self) -> Result<Changed, EditError> {
        let index = LineIndex::of(self.file.text());
        let matches = self.chosen(&index)?;
        for span in &matches {
            let lines = index.touched(span);
            if self
                .request
                .seen
                .count_missing(lines.start + 1..lines.end + 1)
                > 0
            {
                return Err(self.refusal(&index, span, RefusalReason::UnseenLines));
            }
        }
        let mut draft = Draft::default();
        if self.deletes_all() {
            deleted(self.file.text(), self.old, &matches)
                .into_iter()
                .for_each(|span| draft.put(span, ""));
        } else {
            for span in &matches {
                self.write(&mut draft, span)
                    .map_err(|refused| self.refusal_at(&index, span, refused))?;
            }
        }
        Ok(Changed { draft, matches })
    }

    /// The refusal of a place that only a person may approve, where nobody can.
    pub(crate) fn needs_person(&self, matches: &[Range<usize>]) -> EditError {
        let index = LineIndex::of(self.file.text());
        let first = matches.first().cloned().unwrap_or_default();
        self.refusal(&index, &first, RefusalReason::NeedsConfirmation)
    }

    /// The places that change.
    fn chosen(&self, index: &LineIndex<'_>) -> Result<Vec<Range<usize>>, EditError> {
        let Located { layer, spans, .. } = self.located;
        match (self.request.occurrences, spans.as_slice()) {
            (Occurrences::All, [first, ..]) if !allows_all(*layer) => {
                Err(self.refusal(index, first, RefusalReason::ReplaceAll))
            }
            (Occurrences::All, spans) => Ok(non_overlapping(spans)),
            (Occurrences::One, [only]) => Ok(vec![only.clone()]),
            (Occurrences::One, spans) => Err(EditError::AmbiguousFuzzy {
                layer: *layer,
                count: spans.len(),
                lines: first_lines(self.file.text(), spans.iter().map(|span| span.start)),
            }),
        }
    }

    /// Every place goes, with the break of the last line, and nothing else has to be checked.
    fn deletes_all(&self) -> bool {
        self.new.is_empty()
            && match self.located.layer {
                Layer::Typographic | Layer::TrailingBlanks | Layer::TypographicLines => true,
                Layer::Create
                | Layer::Exact
                | Layer::FinalNewline
                | Layer::Indentation
                | Layer::DoubleEscaping
                | Layer::BoundaryLines
                | Layer::WhiteSpace
                | Layer::DriftedContext => false,
            }
    }

    /// Puts the new text into one place.
    fn write(&self, draft: &mut Draft, span: &Range<usize>) -> Result<(), Refused> {
        let is_last_without_break = self.located.layer == Layer::FinalNewline;
        let (old, new) = match is_last_without_break {
            true => (without_final(self.old), without_final(self.new)),
            false => (self.old, self.new),
        };
        self.require_same_end()?;
        let place = Projection::of(self.file.text(), span, old, new);
        match self.located.writing {
            Writing::Literal => draft.put(span.clone(), new),
            Writing::Typographic => place.write(draft, &Style::Typographic)?,
            Writing::Lines => place.write(draft, &Style::AsGiven)?,
            Writing::TypographicLines => place.write(draft, &Style::TypographicLines)?,
            Writing::Indented => self.write_indented(draft, span, &place)?,
            Writing::Unescaped => draft.put(span.clone(), &unescaped_like(old, new)?),
            Writing::Core => self.write_core(draft, span)?,
            Writing::Collapsed => {
                self.require_free_white_space(&place)?;
                self.write_indented(draft, span, &place)?;
            }
            Writing::Anchored => {
                require_kept_context(&place)?;
                place.write(draft, &Style::AsGiven)?;
            }
        }
        Ok(())
    }

    /// Writes lines with the indentation of the file, or deletes them.
    fn write_indented(
        &self,
        draft: &mut Draft,
        span: &Range<usize>,
        place: &Projection<'_>,
    ) -> Result<(), Refused> {
        let shift = Shift::of(place)?;
        if !self.new.is_empty() {
            return place.write(draft, &Style::Shifted(shift));
        }
        deleted(self.file.text(), self.old, std::slice::from_ref(span))
            .into_iter()
            .for_each(|span| draft.put(span, ""));
        Ok(())
    }

    /// Both texts end with a newline, or neither does: no match of whole lines may join or split them.
    fn require_same_end(&self) -> Result<(), Refused> {
        let (old_ends, new_ends) = (self.old.ends_with('\n'), self.new.ends_with('\n'));
        let is_refused = match self.located.layer {
            Layer::Create | Layer::Exact | Layer::FinalNewline | Layer::DoubleEscaping => false,
            // Blank lines that were made up are judged by their number below.
            Layer::BoundaryLines if old_ends != new_ends => {
                return refused(RefusalReason::BoundaryMismatch);
            }
            Layer::BoundaryLines => false,
            Layer::Typographic => old_ends && !new_ends,
            Layer::TrailingBlanks
            | Layer::TypographicLines
            | Layer::Indentation
            | Layer::WhiteSpace
            | Layer::DriftedContext => old_ends != new_ends,
        };
        match is_refused && !self.new.is_empty() {
            true => refused(RefusalReason::NewlineMismatch),
            false => Ok(()),
        }
    }

    /// Replaces the lines between the blank ones that the file does not have.
    fn write_core(&self, draft: &mut Draft, span: &Range<usize>) -> Result<(), Refused> {
        let old: Vec<&str> = without_final(self.old).split('\n').collect();
        let new: Vec<&str> = without_final(self.new).split('\n').collect();
        let (lead, trail) = n_boundary_lines(&old);
        let (new_lead, new_trail) = n_boundary_lines(&new);
        let has_core = new_lead < new.len();
        if !has_core || new_lead < lead || new_trail < trail {
            return refused(RefusalReason::BoundaryMismatch);
        }
        let core = |lines: &[&str]| lines[lead..lines.len() - trail].join("\n");
        let (old, new) = (core(&old), core(&new));
        Projection::of(self.file.text(), span, &old, &new).write(draft, &Style::TypographicLines)
    }

    /// Refuses to take white space for meaningless where it may mean something.
    fn require_free_white_space(&self, place: &Projection<'_>) -> Result<(), Refused> {
        let name = self.request.file_name.to_lowercase();
        let extension = name.rsplit('.').next().unwrap_or_default();
        if WHITE_SPACE_EXTENSIONS.contains(&extension) {
            return refused(RefusalReason::WhitespaceSensitiveFile);
        }
        for (at, (old, file)) in place.old.iter().zip(&place.file).enumerate() {
            let is_same =
                old.strip_prefix(indentation(old)) == file.strip_prefix(indentation(file));
            if !is_same && (old.contains(QUOTES) || file.contains(QUOTES)) {
                return Err(Refused {
                    reason: RefusalReason::WhitespaceInQuotedLine,
                    lines: at..at + 1,
                });
            }
        }
        Ok(())
    }

    fn refusal(
        &self,
        index: &LineIndex<'_>,
        span: &Range<usize>,
        reason: RefusalReason,
    ) -> EditError {
        let lines = 0..usize::MAX;
        self.refusal_at(index, span, Refused { reason, lines })
    }

    /// A refusal with the lines of the file that are concerned, as far as the model has seen them.
    fn refusal_at(
        &self,
        index: &LineIndex<'_>,
        span: &Range<usize>,
        refused: Refused,
    ) -> EditError {
        let place = index.touched(span);
        let first = place
            .start
            .saturating_add(refused.lines.start)
            .min(place.end);
        let end = place.start.saturating_add(refused.lines.end).min(place.end);
        let seen = (first..end).filter(|line| self.request.seen.contains(line + 1));
        EditError::FuzzyRefused(Box::new(Refusal {
            layer: self.located.layer,
            reason: refused.reason,
            place: place.start + 1..place.end + 1,
            quoted: QuotedLine::first_of(seen.map(|line| (line + 1, index.line(line)))),
            n_concerned: end - first,
        }))
    }
}

/// Whether a layer is certain enough to change every place at once.
fn allows_all(layer: Layer) -> bool {
    match layer {
        Layer::Create
        | Layer::Exact
        | Layer::Typographic
        | Layer::TrailingBlanks
        | Layer::TypographicLines
        | Layer::FinalNewline => true,
        Layer::Indentation
        | Layer::DoubleEscaping
        | Layer::BoundaryLines
        | Layer::WhiteSpace
        | Layer::DriftedContext => false,
    }
}

/// Places that go, whole lines with their breaks.
fn deleted(text: &str, old: &str, spans: &[Range<usize>]) -> Vec<Range<usize>> {
    match old.ends_with('\n') {
        true => spans.to_vec(),
        false => with_whole_lines(text, spans),
    }
}

fn without_final(text: &str) -> &str {
    text.strip_suffix('\n').unwrap_or(text)
}

/// A new text without the escaping that the old one has too.
fn unescaped_like(old: &str, new: &str) -> Result<String, Refused> {
    let kinds = escape_kinds(old);
    match unescaped_once(new) {
        Some(text) if escape_kinds(new).is_subset(&kinds) => Ok(text),
        Some(_) | None => refused(RefusalReason::EscapeInconsistent),
    }
}
