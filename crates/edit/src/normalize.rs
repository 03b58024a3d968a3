//! Characters that people and models take for one another.
//!
//! Hyphens, quotes and blanks have typographic forms. `norm` maps each of them to its ASCII character, one code point
//! to one. Deliberately absent: full-width forms, ellipses, primes, invisible characters, canonical equivalents and
//! case; they are different text and only ever reported.

use std::borrow::Cow;

/// Fewer letters and digits than this say too little to be looked for tolerantly.
const MIN_TOLERANT_ALNUM: usize = 3;

/// The ASCII character that a typographic one stands for; any other character as it is.
pub(crate) fn norm(c: char) -> char {
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}'..='\u{201B}' => '\'',
        '\u{201C}'..='\u{201F}' => '"',
        '\u{00A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => ' ',
        _ => c,
    }
}

/// Whether a text has enough letters and digits to be looked for tolerantly.
pub(crate) fn passes_tolerant_gate(text: &str) -> bool {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .nth(MIN_TOLERANT_ALNUM - 1)
        .is_some()
}

/// What indents and trails.
const BLANKS: [char; 2] = [' ', '\t'];

/// A line without blanks and TABs at its end.
pub(crate) fn trim_blanks_end(line: &str) -> &str {
    line.trim_end_matches(BLANKS)
}

/// A line without blanks and TABs at both ends.
pub(crate) fn trim_blanks(line: &str) -> &str {
    line.trim_matches(BLANKS)
}

/// The blanks and TABs that a line starts with.
pub(crate) fn indentation(line: &str) -> &str {
    let rest = line.trim_start_matches(BLANKS);
    line.strip_suffix(rest).unwrap_or_default()
}

/// Whether a line has nothing but blanks, in any form.
fn is_blank(line: &str) -> bool {
    trim_norm_blanks_end(line).is_empty()
}

/// How many blank lines a text starts and ends with.
pub(crate) fn n_boundary_lines(lines: &[&str]) -> (usize, usize) {
    let lead = lines.iter().take_while(|line| is_blank(line)).count();
    let rest = lines.get(lead..).unwrap_or_default();
    let trail = rest.iter().rev().take_while(|line| is_blank(line)).count();
    (lead, trail)
}

/// A line without blanks at its end, whatever their form.
pub(crate) fn trim_norm_blanks_end(line: &str) -> &str {
    line.trim_end_matches(|c| BLANKS.contains(&norm(c)))
}

/// A line under `norm`, without blanks at its end.
pub(crate) fn norm_trimmed_end(line: &str) -> Cow<'_, str> {
    match trim_norm_blanks_end(line) {
        line if line.is_ascii() => Cow::Borrowed(line),
        line => Cow::Owned(line.chars().map(norm).collect()),
    }
}

/// A line with each run of blanks and TABs as one blank, and none at its ends.
pub(crate) fn collapsed(line: &str) -> Cow<'_, str> {
    let line = trim_blanks(line);
    if !line.contains('\t') && !line.contains("  ") {
        return Cow::Borrowed(line);
    }
    let words = line.split(BLANKS).filter(|word| !word.is_empty());
    Cow::Owned(words.collect::<Vec<_>>().join(" "))
}

/// A text under `norm`, and the way back to the offsets of the original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Normalized {
    text: String,
    /// After each shortened character: its end in the normalized text and in the original.
    shifts: Vec<(usize, usize)>,
}

impl Normalized {
    pub(crate) fn of(original: &str) -> Self {
        let mut text = String::with_capacity(original.len());
        let mut shifts = Vec::new();
        for (at, c) in original.char_indices() {
            let mapped = norm(c);
            text.push(mapped);
            if mapped != c {
                shifts.push((text.len(), at + c.len_utf8()));
            }
        }
        Self { text, shifts }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Where a character of the normalized text starts in the original.
    pub(crate) fn original_offset(&self, offset: usize) -> usize {
        let next = self.shifts.partition_point(|&(end, _)| end <= offset);
        match next.checked_sub(1).map(|at| self.shifts[at]) {
            Some((end, original_end)) => original_end + (offset - end),
            None => offset,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_table() {
        let check = |typographic: &str, ascii: char| {
            assert!(typographic.chars().all(|c| norm(c) == ascii), "{ascii:?}");
        };
        check(
            "\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2015}\u{2212}",
            '-',
        );
        check("\u{2018}\u{2019}\u{201A}\u{201B}", '\'');
        check("\u{201C}\u{201D}\u{201E}\u{201F}", '"');
        check(
            "\u{A0}\u{2000}\u{2001}\u{2009}\u{200A}\u{202F}\u{205F}\u{3000}",
            ' ',
        );
        let kept = "\u{FF08}\u{2026}\u{2032}\u{200B}\u{FEFF}\u{AD}é";
        assert!(
            kept.chars().all(|c| norm(c) == c),
            "these are different text"
        );
    }

    #[test]
    fn offsets_lead_back() {
        let original = "a\u{2019}b\u{A0}\u{201C}c";
        let normalized = Normalized::of(original);
        assert_eq!(normalized.text(), "a'b \"c");
        let starts: Vec<usize> = original.char_indices().map(|(at, _)| at).collect();
        let back: Vec<usize> = (0..6).map(|at| normalized.original_offset(at)).collect();
        assert_eq!(back, starts);
        assert_eq!(normalized.original_offset(6), original.len());
    }

    #[test]
    fn blanks_are_trimmed_and_collapsed() {
        assert_eq!(trim_blanks_end(" a\u{A0} \t"), " a\u{A0}");
        assert_eq!(trim_norm_blanks_end(" a\u{A0} \t"), " a");
        assert_eq!(norm_trimmed_end("\u{201C}a\u{201D}\u{A0}"), "\"a\"");
        assert_eq!(indentation(" \t x"), " \t ");
        assert_eq!(indentation("  "), "  ");
        assert_eq!(collapsed("\t f(a,   b)\t c "), "f(a, b) c");
        assert_eq!(collapsed("a b"), "a b");
        assert!(is_blank(" \u{3000}\t") && !is_blank(" x"));
    }

    #[test]
    fn the_gate_counts_letters_and_digits() {
        assert!(passes_tolerant_gate("a-1 é"));
        assert!(!passes_tolerant_gate("});\n--a1"));
    }
}
