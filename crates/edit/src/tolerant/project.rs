//! Carries the step from an old text to a new one over to a place of the file that differs from the old text.
//!
//! Lines that the step leaves alone are not touched at all, not even their breaks. Texts are cut into pieces at their
//! breaks; the old text and the place always have equally many.

use std::borrow::Cow;
use std::ops::Range;

use super::Refused;
use super::draft::Draft;
use super::indent::Shift;
use crate::lines::part;
use crate::normalize::trim_norm_blanks_end;
use crate::refusal::{OtherForm, RefusalReason};

/// How a line of the new text is written.
#[derive(Debug)]
pub(super) enum Style {
    /// As given.
    AsGiven,
    /// What it shares with the old line comes from the file; the rest may not have characters in doubt.
    Typographic,
    /// As given, if it has no characters in doubt.
    TypographicLines,
    /// With the indentation of the file.
    Shifted(Shift),
}

/// A place of the file, and the texts that meet there.
#[derive(Debug)]
pub(super) struct Projection<'t> {
    pub(super) old: Vec<&'t str>,
    pub(super) new: Vec<&'t str>,
    pub(super) file: Vec<&'t str>,
    /// Where each piece of the file starts in its text.
    starts: Vec<usize>,
}

impl<'t> Projection<'t> {
    pub(super) fn of(text: &'t str, span: &Range<usize>, old: &'t str, new: &'t str) -> Self {
        let file: Vec<&str> = part(text, span.clone()).split('\n').collect();
        let mut next = span.start;
        let mut starts = Vec::with_capacity(file.len());
        for piece in &file {
            starts.push(next);
            next += piece.len() + 1;
        }
        Self {
            starts,
            old: old.split('\n').collect(),
            new: new.split('\n').collect(),
            file,
        }
    }

    /// The pieces that the step leaves alone, at the start and at the end.
    pub(super) fn n_kept(&self) -> (usize, usize) {
        let pairs = self.old.iter().zip(&self.new);
        let head = pairs.take_while(|(old, new)| old == new).count();
        let (old, new) = (&self.old[head..], &self.new[head..]);
        let ends = old.iter().rev().zip(new.iter().rev());
        (head, ends.take_while(|(old, new)| old == new).count())
    }

    /// Writes the new text.
    pub(super) fn write(&self, draft: &mut Draft, style: &Style) -> Result<(), Refused> {
        let (head, tail) = self.n_kept();
        let old = head..self.old.len() - tail;
        let new = head..self.new.len() - tail;
        if old.len() == new.len() {
            let changed = old.filter(|&at| self.old[at] != self.new[at]);
            for at in changed {
                let line = self.line(at, style)?;
                draft.put(self.span(&(at..at + 1)), &line);
            }
            return Ok(());
        }
        self.require_certain(style, &old, &new)?;
        let lines = new.clone().map(|at| self.shifted(at, style));
        let lines = lines.collect::<Result<Vec<_>, Refused>>()?;
        self.put_lines(draft, &old, &lines);
        Ok(())
    }

    /// Puts lines in place of others, with the breaks that this takes.
    fn put_lines(&self, draft: &mut Draft, old: &Range<usize>, lines: &[Cow<'_, str>]) {
        let mut text = lines.join("\n");
        let is_last = old.end == self.file.len();
        let span = match (old.is_empty(), lines.is_empty()) {
            (false, false) => self.span(old),
            // Before the pieces that stay behind, if any do.
            (true, _) if !is_last => {
                text.push('\n');
                self.starts[old.start]..self.starts[old.start]
            }
            (false, true) if !is_last => self.starts[old.start]..self.starts[old.end],
            (true, _) => {
                text.insert(0, '\n');
                let end = self.end(old.start.saturating_sub(1));
                end..end
            }
            (false, true) => self.end(old.start.saturating_sub(1))..self.end(old.end - 1),
        };
        draft.put(span, &text);
    }

    /// The span of pieces, with the breaks between them.
    fn span(&self, pieces: &Range<usize>) -> Range<usize> {
        self.starts[pieces.start]..self.end(pieces.end - 1)
    }

    fn end(&self, piece: usize) -> usize {
        self.starts[piece] + self.file[piece].len()
    }

    /// A changed line that stands where an old one was.
    fn line(&self, at: usize, style: &Style) -> Result<Cow<'t, str>, Refused> {
        let (old, new, file) = (self.old[at], self.new[at], self.file[at]);
        match style {
            Style::AsGiven | Style::Shifted(_) => self.shifted(at, style),
            Style::TypographicLines => {
                self.require_certain(style, &(at..at + 1), &(at..at + 1))?;
                Ok(Cow::Borrowed(new))
            }
            Style::Typographic => {
                let shared = SharedEnds::of(old, new);
                let middle = part(new, shared.head..new.len() - shared.tail);
                let doubts = OtherForm::all_in(old, file);
                require_none(&doubts, &[middle], &(at..at + 1))?;
                let (before, after) = shared.in_file(old, file);
                Ok(Cow::Owned([before, middle, after].concat()))
            }
        }
    }

    /// A new line that stands for no certain old one.
    fn shifted(&self, at: usize, style: &Style) -> Result<Cow<'t, str>, Refused> {
        match style {
            Style::AsGiven | Style::Typographic | Style::TypographicLines => {
                Ok(Cow::Borrowed(self.new[at]))
            }
            Style::Shifted(shift) => shift.applied(self.new[at], at),
        }
    }

    /// Refuses new lines with a character that the old lines have in another form than the file.
    fn require_certain(
        &self,
        style: &Style,
        old: &Range<usize>,
        new: &Range<usize>,
    ) -> Result<(), Refused> {
        let pairs = self.old[old.clone()].iter().zip(&self.file[old.clone()]);
        let doubts: Vec<OtherForm> = match style {
            Style::AsGiven | Style::Shifted(_) => return Ok(()),
            Style::Typographic => pairs
                .flat_map(|(old, file)| OtherForm::all_in(old, file))
                .collect(),
            Style::TypographicLines => pairs
                .flat_map(|(old, file)| {
                    OtherForm::all_in(trim_norm_blanks_end(old), trim_norm_blanks_end(file))
                })
                .collect(),
        };
        require_none(&doubts, &self.new[new.clone()], old)
    }
}

fn require_none(doubts: &[OtherForm], texts: &[&str], lines: &Range<usize>) -> Result<(), Refused> {
    let is_in_text = |form: &&OtherForm| texts.iter().any(|text| text.contains(form.in_old));
    match doubts.iter().find(is_in_text) {
        None => Ok(()),
        Some(form) => Err(Refused {
            reason: RefusalReason::TypographyInChangedText(*form),
            lines: lines.clone(),
        }),
    }
}

/// Bytes that two lines share at their ends, in whole characters.
struct SharedEnds {
    head: usize,
    tail: usize,
}

impl SharedEnds {
    fn of(old: &str, new: &str) -> Self {
        let len = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
            pairs
                .take_while(|(a, b)| a == b)
                .map(|(a, _)| a.len_utf8())
                .sum()
        };
        let head = len(&mut old.chars().zip(new.chars()));
        let (old, new) = (part(old, head..old.len()), part(new, head..new.len()));
        let tail = len(&mut old.chars().rev().zip(new.chars().rev()));
        Self { head, tail }
    }

    /// The same characters of the file, which has another form of the old line.
    fn in_file<'t>(&self, old: &str, file: &'t str) -> (&'t str, &'t str) {
        let n_head = part(old, 0..self.head).chars().count();
        let n_tail = part(old, old.len() - self.tail..old.len()).chars().count();
        let head = file.chars().take(n_head).map(char::len_utf8).sum();
        let tail: usize = file.chars().rev().take(n_tail).map(char::len_utf8).sum();
        (
            part(file, 0..head),
            part(file, file.len() - tail..file.len()),
        )
    }
}
