//! Where each line of a changed text comes from: kept, or written by the model or the person; and who dropped the rest.
//!
//! The same classification as the net counts, line by line, so that sums over it equal them. The written form is as
//! small as the change: one number per run of lines, whatever the size of the file.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use super::{Kept, LineDiff};
use crate::lines::count_lines;

/// Where a line comes from, or who dropped it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineSource {
    /// It was there before.
    Kept,
    /// It was there before; the model dropped it.
    DroppedByModel,
    /// It was there before; the person dropped it.
    DroppedByPerson,
    /// The model wrote it and the person kept it.
    Model,
    /// The person wrote it.
    Person,
}

const MARKS: [(LineSource, char); 5] = [
    (LineSource::Kept, '='),
    (LineSource::DroppedByModel, '-'),
    (LineSource::DroppedByPerson, '~'),
    (LineSource::Model, 'a'),
    (LineSource::Person, 'h'),
];

/// Lines in a row that come from the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceRun {
    /// Where they come from.
    pub source: LineSource,
    /// How many.
    pub lines: usize,
}

/// How the lines of a text after a change come from those before it, from the first to the last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineSources(Vec<SourceRun>);

impl LineSources {
    /// Compares the base, what the model proposed, and what was written. All texts have LF breaks.
    pub fn of(base: &str, proposed: &str, final_text: &str) -> Self {
        let overall = LineDiff::of_lines(base, final_text);
        let mut sources = Self::default();
        let (mut old, mut new) = (0, 0);
        let changed = (proposed != final_text).then(|| Changed::of(base, proposed, final_text));
        for hunk in overall.hunks() {
            sources.push(LineSource::Kept, hunk.old.start - old);
            for line in hunk.old.clone() {
                sources.push(dropped(changed.as_ref(), line), 1);
            }
            for line in hunk.new.clone() {
                sources.push(written(changed.as_ref(), line), 1);
            }
            (old, new) = (hunk.old.end, hunk.new.end);
        }
        debug_assert_eq!(count_lines(base) - old, count_lines(final_text) - new);
        sources.push(LineSource::Kept, count_lines(base) - old);
        sources
    }

    /// The runs.
    pub fn runs(&self) -> &[SourceRun] {
        &self.0
    }

    /// Lines of the text before.
    pub fn lines_before(&self) -> usize {
        self.0
            .iter()
            .filter(|run| match run.source {
                LineSource::Kept | LineSource::DroppedByModel | LineSource::DroppedByPerson => true,
                LineSource::Model | LineSource::Person => false,
            })
            .map(|run| run.lines)
            .sum()
    }

    fn push(&mut self, source: LineSource, lines: usize) {
        match self.0.last_mut() {
            _ if lines == 0 => {}
            Some(last) if last.source == source => last.lines += lines,
            _ => self.0.push(SourceRun { source, lines }),
        }
    }
}

/// What is known of a change that the person changed.
struct Changed {
    /// For each line of the base, whether the model kept it.
    kept_by_model: Vec<bool>,
    /// For each line of the final text, whether it is the model's own.
    models_own: Vec<bool>,
}

impl Changed {
    fn of(base: &str, proposed: &str, final_text: &str) -> Self {
        let by_model = Kept::of(&LineDiff::of_lines(base, proposed), base, proposed);
        let by_person = Kept::of(
            &LineDiff::of_lines(proposed, final_text),
            proposed,
            final_text,
        );
        let mut models_own = vec![false; by_person.new.len()];
        for run in &by_person.runs {
            for k in 0..run.len {
                models_own[run.new + k] = !by_model.new[run.old + k];
            }
        }
        Self {
            kept_by_model: by_model.old,
            models_own,
        }
    }
}

fn dropped(changed: Option<&Changed>, line: usize) -> LineSource {
    match changed {
        Some(changed) if changed.kept_by_model[line] => LineSource::DroppedByPerson,
        Some(_) | None => LineSource::DroppedByModel,
    }
}

fn written(changed: Option<&Changed>, line: usize) -> LineSource {
    match changed {
        Some(changed) if !changed.models_own[line] => LineSource::Person,
        Some(_) | None => LineSource::Model,
    }
}

impl fmt::Display for LineSources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for run in &self.0 {
            let mark = MARKS.iter().find(|(source, _)| *source == run.source);
            f.write_char(mark.map_or('=', |(_, mark)| *mark))?;
            write!(f, "{}", run.lines)?;
        }
        Ok(())
    }
}

/// The written form was not one of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a list of line sources")]
pub struct NotLineSources;

impl FromStr for LineSources {
    type Err = NotLineSources;

    fn from_str(text: &str) -> Result<Self, NotLineSources> {
        let mut sources = Self::default();
        let mut rest = text.chars().peekable();
        while let Some(mark) = rest.next() {
            let known = MARKS.iter().find(|(_, known)| *known == mark);
            let (source, _) = known.ok_or(NotLineSources)?;
            let mut lines = 0_usize;
            let mut n_digits = 0;
            while let Some(digit) = rest.peek().and_then(|c| c.to_digit(10)) {
                rest.next();
                n_digits += 1;
                lines = lines
                    .checked_mul(10)
                    .and_then(|lines| lines.checked_add(digit as usize))
                    .ok_or(NotLineSources)?;
            }
            if n_digits == 0 {
                return Err(NotLineSources);
            }
            sources.push(*source, lines);
        }
        Ok(sources)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stat::diff_stat;
    use proptest::prelude::*;

    #[track_caller]
    fn check((o, a, f): (&str, &str, &str), expected: &str) {
        let lines = |text: &str| text.split(' ').collect::<Vec<_>>().join("\n");
        let text = |words: &str| {
            if words.is_empty() {
                String::new()
            } else {
                lines(words)
            }
        };
        let sources = LineSources::of(&text(o), &text(a), &text(f));
        assert_eq!(sources.to_string(), expected);
        assert_eq!(expected.parse(), Ok(sources));
    }

    #[test]
    fn the_worked_examples_of_net_counts_line_by_line() {
        check(("a b c", "a B c", "a B c"), "=1-1a1=1");
        check(("a c", "a b1 b2 c", "a b1 c"), "=1a1=1");
        check(("a b c", "a B c", "a b c"), "=3");
        check(("a b c", "a B c", "a B2 c"), "=1-1h1=1");
        check(("a b c", "a B c", "a B"), "=1-1~1a1");
        check(("a b c", "a c", "a b c"), "=3");
        check(("a b", "", ""), "-2");
        check(
            ("a b c d", "a b1 b2 b3 d", "a b1 human d tail"),
            "=1-2a1h1=1h1",
        );
        check(("", "x y", "x y"), "a2");
    }

    #[test]
    fn a_one_line_change_of_a_large_text_takes_a_few_bytes() {
        let base: String = (0..150_000)
            .map(|n| format!("line {n} of a large text, somewhat long\n"))
            .collect();
        let changed = base.replacen("line 70000 ", "another ", 1);
        let sources = LineSources::of(&base, &changed, &changed);
        assert_eq!(sources.to_string(), "=70000-1a1=79999");
    }

    #[test]
    fn what_is_not_of_this_form_is_refused() {
        for text in ["=", "x3", "=3a", "3", "=99999999999999999999999"] {
            assert_eq!(text.parse::<LineSources>(), Err(NotLineSources), "{text}");
        }
    }

    fn some_text() -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "d", ""]), 0..12)
            .prop_map(|lines| lines.join("\n"))
    }

    proptest! {
        #[test]
        fn sums_are_the_net_counts_and_every_line_has_a_source(
            (o, a, f) in (some_text(), some_text(), some_text())
        ) {
            let sources = LineSources::of(&o, &a, &f);
            let net = diff_stat(&o, &a, &f).net;
            let sum = |wanted: LineSource| -> u64 {
                sources.runs().iter().filter(|run| run.source == wanted).map(|run| run.lines as u64).sum()
            };
            prop_assert_eq!(sum(LineSource::Model), net.ai_added);
            prop_assert_eq!(sum(LineSource::Person), net.human_added);
            prop_assert_eq!(sum(LineSource::DroppedByModel), net.ai_removed);
            prop_assert_eq!(sum(LineSource::DroppedByPerson), net.human_removed);
            prop_assert_eq!(sources.lines_before(), count_lines(&o));
            let after = sum(LineSource::Kept) + sum(LineSource::Model) + sum(LineSource::Person);
            prop_assert_eq!(after, count_lines(&f) as u64);
            prop_assert_eq!(sources.to_string().parse(), Ok(sources));
        }
    }
}
