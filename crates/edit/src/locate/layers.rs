//! The tolerant layers, one search each, from strict to loose.
//!
//! A text with hardly any letters says too little to be looked for tolerantly; only where the place is fixed or the
//! difference is exact does that not matter.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use super::windows::{LineKey, anchored, windows};
use super::{Layer, Located, Writing, find_exact, is_whole};
use crate::lines::LineIndex;
use crate::normalize::{
    Normalized, collapsed, n_boundary_lines, norm, norm_trimmed_end, passes_tolerant_gate,
    trim_blanks, trim_blanks_end,
};
use crate::overlap::find_overlapping;
use crate::text::TextFile;
use crate::unescape::unescaped_once;

/// Finds all candidates of one layer.
type Search = fn(&Sought<'_>) -> Option<Located>;

/// Those that only what models blur can tell from the text.
pub(super) const SAFE_LAYERS: [Search; 7] = [
    typographic,
    trailing_blanks,
    typographic_lines,
    final_newline,
    indentation,
    double_escaping,
    boundary_lines,
];

/// Those that a person must have asked for.
pub(super) const EXTENDED_LAYERS: [Search; 2] = [white_space, drifted_context];

/// Lines of a text as a window of the file must have them.
struct WantedLines<'o> {
    lines: Vec<&'o str>,
    /// The last one must have a break, which belongs to the window.
    is_terminated: bool,
}

impl<'o> WantedLines<'o> {
    fn of(old: &'o str) -> Self {
        let whole = old.strip_suffix('\n');
        Self {
            lines: whole.unwrap_or(old).split('\n').collect(),
            is_terminated: whole.is_some(),
        }
    }
}

/// A text that is looked for, and what is known of it and of the file.
pub(super) struct Sought<'s> {
    file: &'s TextFile<'s>,
    old: &'s str,
    is_distinctive: bool,
    /// Nothing typographic is anywhere.
    is_ascii: bool,
    index: OnceCell<LineIndex<'s>>,
}

impl<'s> Sought<'s> {
    pub(super) fn new(file: &'s TextFile<'s>, old: &'s str) -> Self {
        Self {
            file,
            old,
            is_distinctive: passes_tolerant_gate(old),
            is_ascii: old.is_ascii() && file.text().is_ascii(),
            index: OnceCell::new(),
        }
    }

    fn index(&self) -> &LineIndex<'s> {
        self.index.get_or_init(|| LineIndex::of(self.file.text()))
    }

    /// The spans of the windows with these lines under a key.
    fn windows(&self, wanted: &WantedLines<'_>, key: LineKey) -> Vec<Range<usize>> {
        let starts = windows(self.index(), &wanted.lines, key);
        self.spans(starts, wanted)
    }

    fn spans(&self, starts: Vec<usize>, wanted: &WantedLines<'_>) -> Vec<Range<usize>> {
        let index = self.index();
        let span = |first: usize| {
            let last = first + wanted.lines.len() - 1;
            match wanted.is_terminated {
                true => index
                    .is_terminated(last)
                    .then(|| index.start(first)..index.next_start(last)),
                false => Some(index.start(first)..index.end(last)),
            }
        };
        starts.into_iter().filter_map(span).collect()
    }

    /// Whole-line windows of a distinctive text.
    fn line_windows(&self, layer: Layer, writing: Writing, key: LineKey) -> Option<Located> {
        self.is_distinctive
            .then(|| self.windows(&WantedLines::of(self.old), key))
            .and_then(|spans| located(layer, writing, spans))
    }
}

fn located(layer: Layer, writing: Writing, spans: Vec<Range<usize>>) -> Option<Located> {
    let located = Located {
        layer,
        writing,
        spans,
    };
    (!located.spans.is_empty()).then_some(located)
}

fn typographic(sought: &Sought<'_>) -> Option<Located> {
    if !sought.is_distinctive || sought.is_ascii {
        return None;
    }
    let text = Normalized::of(sought.file.text());
    let old = Normalized::of(sought.old);
    let original =
        |span: Range<usize>| text.original_offset(span.start)..text.original_offset(span.end);
    let spans = find_overlapping(text.text(), old.text())
        .into_iter()
        .map(original)
        .filter(|span| is_whole(sought.file, span));
    located(Layer::Typographic, Writing::Typographic, spans.collect())
}

fn trailing_blanks(sought: &Sought<'_>) -> Option<Located> {
    let key: LineKey = |line| Cow::Borrowed(trim_blanks_end(line));
    sought.line_windows(Layer::TrailingBlanks, Writing::Lines, key)
}

fn typographic_lines(sought: &Sought<'_>) -> Option<Located> {
    if sought.is_ascii {
        return None;
    }
    sought.line_windows(
        Layer::TypographicLines,
        Writing::TypographicLines,
        norm_trimmed_end,
    )
}

fn final_newline(sought: &Sought<'_>) -> Option<Located> {
    let text = sought.file.text();
    let body = sought.old.strip_suffix('\n')?;
    if body.is_empty() || text.ends_with('\n') {
        return None;
    }
    let (start, writing) = end_of(sought, body)?;
    let span = start..text.len();
    let spans = Vec::from_iter(is_whole(sought.file, &span).then_some(span));
    located(Layer::FinalNewline, writing, spans)
}

/// Where the end of the file starts that equals a text, and in which way.
fn end_of(sought: &Sought<'_>, body: &str) -> Option<(usize, Writing)> {
    let text = sought.file.text();
    if text.ends_with(body) {
        return Some((text.len() - body.len(), Writing::Literal));
    }
    if !sought.is_distinctive {
        return None;
    }
    let mut rest = text.char_indices().rev();
    let is_same_char = |c: char| rest.next().filter(|&(_, other)| norm(other) == norm(c));
    let matched = body.chars().rev().map(is_same_char);
    if let Some(starts) = matched.collect::<Option<Vec<_>>>() {
        let (start, _) = *starts.last()?;
        return Some((start, Writing::Typographic));
    }
    let wanted: Vec<&str> = body.split('\n').collect();
    let index = sought.index();
    let first = index.len().checked_sub(wanted.len())?;
    let is_same = |key: LineKey| {
        let mut pairs = (first..index.len()).zip(&wanted);
        pairs.all(|(line, wanted)| key(index.line(line)) == key(wanted))
    };
    let start = index.start(first);
    if is_same(|line| Cow::Borrowed(trim_blanks_end(line))) {
        return Some((start, Writing::Lines));
    }
    is_same(norm_trimmed_end).then_some((start, Writing::TypographicLines))
}

fn indentation(sought: &Sought<'_>) -> Option<Located> {
    let key: LineKey = |line| Cow::Borrowed(trim_blanks(line));
    sought.line_windows(Layer::Indentation, Writing::Indented, key)
}

fn double_escaping(sought: &Sought<'_>) -> Option<Located> {
    let unescaped = unescaped_once(sought.old).filter(|text| text != sought.old)?;
    let spans = find_exact(sought.file, &unescaped);
    located(Layer::DoubleEscaping, Writing::Unescaped, spans)
}

fn boundary_lines(sought: &Sought<'_>) -> Option<Located> {
    if !sought.is_distinctive {
        return None;
    }
    let WantedLines {
        lines,
        is_terminated,
    } = WantedLines::of(sought.old);
    let (lead, trail) = n_boundary_lines(&lines);
    if lead + trail == 0 {
        return None;
    }
    let core = lines.get(lead..lines.len() - trail)?.to_vec();
    let n_core = core.len();
    let index = sought.index();
    let spans = windows(index, &core, norm_trimmed_end)
        .into_iter()
        .map(|first| (first, first + n_core - 1))
        .filter(|&(_, last)| !is_terminated || index.is_terminated(last))
        .map(|(first, last)| index.start(first)..index.end(last));
    located(Layer::BoundaryLines, Writing::Core, spans.collect())
}

fn white_space(sought: &Sought<'_>) -> Option<Located> {
    sought.line_windows(Layer::WhiteSpace, Writing::Collapsed, collapsed)
}

fn drifted_context(sought: &Sought<'_>) -> Option<Located> {
    if !sought.is_distinctive {
        return None;
    }
    let wanted = WantedLines::of(sought.old);
    let starts = anchored(sought.index(), &wanted.lines);
    let spans = sought.spans(starts, &wanted);
    located(Layer::DriftedContext, Writing::Anchored, spans)
}
