//! Plans a write of a whole text: by the model, by a person who changed a proposal, or into a new file.
//!
//! Over an existing file the new text is compared line by line and only the hunks are spliced in, so unchanged lines
//! keep their breaks, their undecodable bytes and all else. Deliberately absent: which files may be written.

#[cfg(test)]
mod tests;

use crate::align::Hunk;
use crate::elision::refuse_elision;
use crate::error::EditError;
use crate::line_diff::LineDiff;
use crate::lines::{count_lines, with_lf};
use crate::patch::{Chunk, patched_text};
use crate::replace::{Reviewer, TextChange, as_in_file, changed};
use crate::seen::LineRanges;
use crate::splice::{Replacement, splice};
use crate::text::TextFile;
use crate::warning::{ConfirmReason, Warning};

/// A write that takes away more lines than this, and more than the share below, is looked at by a person.
const LARGE_SHRINK_LINES: usize = 50;

/// See above.
const LARGE_SHRINK_PERCENT: usize = 70;

/// A longer text without any break and with `\n` as two characters was probably escaped twice.
const MIN_LITERAL_ESCAPES_CHARS: usize = 200;

/// A model's new text for an existing file.
#[derive(Debug, Clone, Copy)]
pub struct WriteRequest<'a> {
    /// The whole text.
    pub content: &'a str,
    /// The lines of the file that the model has been shown.
    pub seen: &'a LineRanges,
    /// Whether a person can look at it.
    pub reviewer: Reviewer,
    /// Most bytes the file may have afterwards.
    pub max_result_bytes: usize,
}

/// Plans a write of a whole text over an existing file.
pub fn plan_write(
    file: &TextFile<'_>,
    request: &WriteRequest<'_>,
) -> Result<TextChange, EditError> {
    let content = as_in_file(file, request.content);
    file.refuse_replacement_char(&content)?;
    refuse_elision(&content, &[file.text()])?;
    rewritten(file, &content, request)
}

/// Plans the places of a patch in an existing file; the content of the request is not looked at.
///
/// Of a file that is not all text, the places alone must be: what lies outside keeps its bytes.
pub fn plan_patch(
    file: &TextFile<'_>,
    chunks: &[Chunk],
    request: &WriteRequest<'_>,
) -> Result<TextChange, EditError> {
    for line in chunks.iter().flat_map(|chunk| &chunk.lines) {
        file.refuse_replacement_char(line.text())?;
    }
    let content = patched_text(file.text(), chunks).map_err(EditError::Chunk)?;
    refuse_elision(&content, &[file.text()])?;
    rewritten(file, &content, request)
}

/// Plans bytes that were worked out from those of the file.
pub fn plan_bytes(
    file: &TextFile<'_>,
    bytes: &[u8],
    max_result_bytes: usize,
) -> Result<TextChange, EditError> {
    if bytes.len() > max_result_bytes {
        return Err(EditError::ResultTooLarge {
            limit: max_result_bytes,
        });
    }
    changed(file, bytes.to_vec())
}

/// The file with a text in place of its own, line by line.
fn rewritten(
    file: &TextFile<'_>,
    content: &str,
    request: &WriteRequest<'_>,
) -> Result<TextChange, EditError> {
    let rewrite = Rewrite::of(file.text(), content);
    let mut change = changed(file, rewrite.splice(file, request.max_result_bytes)?)?;
    if file.is_encoding_guessed() && rewrite.adds_non_ascii() {
        change.note_guessed_encoding(file);
    }
    let n_unseen = rewrite.count_unseen(request.seen);
    if n_unseen > 0 {
        change
            .warnings
            .push(Warning::UnseenLinesReplaced { count: n_unseen });
        change.confirm_reasons.push(ConfirmReason::UnseenLines);
    }
    if rewrite.shrinks_much() {
        change.confirm_reasons.push(ConfirmReason::LargeShrink);
    }
    if has_literal_escapes(content) {
        change.warnings.push(Warning::LiteralEscapes);
    }
    request.reviewer.require_for(change)
}

/// What a person made of a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FinalText {
    /// The text of the file before the proposal.
    KeptOriginal,
    /// The proposal after all.
    AsProposed,
    /// Something else.
    Changed {
        /// The bytes to write.
        bytes: Vec<u8>,
        /// Those bytes as text with LF breaks.
        text: String,
    },
}

/// Plans the write of a person's text in place of a proposal. Both texts have LF breaks. A person may write what a
/// model may not, but nothing the encoding cannot hold.
pub fn plan_final(
    file: &TextFile<'_>,
    proposed: &str,
    final_text: &str,
    max_result_bytes: usize,
) -> Result<FinalText, EditError> {
    if final_text == file.text() {
        return Ok(FinalText::KeptOriginal);
    }
    if final_text == proposed {
        return Ok(FinalText::AsProposed);
    }
    let rewrite = Rewrite::of(file.text(), final_text);
    let bytes = rewrite.splice(file, max_result_bytes)?;
    let text = file.text_of(&bytes)?;
    Ok(FinalText::Changed { bytes, text })
}

/// The breaks of a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewBreaks {
    /// As the text has them.
    AsGiven,
    /// CRLF throughout.
    Crlf,
}

/// Whether a new file starts with a byte order mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewBom {
    /// Only if the text starts with U+FEFF.
    AsGiven,
    /// Always.
    Always,
}

/// How a new file is written. It is UTF-8 in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewFileFormat {
    /// The breaks.
    pub breaks: NewBreaks,
    /// The byte order mark.
    pub bom: NewBom,
}

impl NewFileFormat {
    /// The format for a file with this extension (without the dot, in any case) and text. Keep it for a text that a
    /// person puts in place of the first: that one has lost its CRLF breaks.
    pub fn of(extension: &str, content: &str, bom: NewBom) -> Self {
        let is_batch = ["bat", "cmd"]
            .iter()
            .any(|batch| extension.eq_ignore_ascii_case(batch));
        let n_lf = content.matches('\n').count();
        let is_crlf = n_lf > 0 && content.matches("\r\n").count() == n_lf;
        let breaks = match is_batch || is_crlf {
            true => NewBreaks::Crlf,
            false => NewBreaks::AsGiven,
        };
        Self { breaks, bom }
    }
}

/// The bytes of a new file.
pub fn new_file_bytes(
    content: &str,
    format: NewFileFormat,
    max_result_bytes: usize,
) -> Result<Vec<u8>, EditError> {
    let (text, has_mark) = match content.strip_prefix('\u{FEFF}') {
        Some(text) => (text, true),
        None => (content, format.bom == NewBom::Always),
    };
    let mut bytes = Vec::with_capacity(content.len() + 3);
    if has_mark {
        bytes.extend_from_slice("\u{FEFF}".as_bytes());
    }
    match format.breaks {
        NewBreaks::AsGiven => bytes.extend_from_slice(text.as_bytes()),
        NewBreaks::Crlf => bytes.extend_from_slice(with_lf(text).replace('\n', "\r\n").as_bytes()),
    }
    match bytes.len() > max_result_bytes {
        true => Err(EditError::ResultTooLarge {
            limit: max_result_bytes,
        }),
        false => Ok(bytes),
    }
}

/// Plans a new file with a model's text.
pub fn plan_new_file(
    content: &str,
    format: NewFileFormat,
    max_result_bytes: usize,
) -> Result<TextChange, EditError> {
    refuse_elision(content, &[])?;
    let bytes = new_file_bytes(content, format, max_result_bytes)?;
    let text = with_lf(content.strip_prefix('\u{FEFF}').unwrap_or(content)).into_owned();
    let warnings = Vec::from_iter(has_literal_escapes(&text).then_some(Warning::LiteralEscapes));
    Ok(TextChange {
        bytes,
        text,
        warnings,
        confirm_reasons: Vec::new(),
    })
}

/// A text that was probably escaped once too often.
fn has_literal_escapes(content: &str) -> bool {
    content.contains("\\n")
        && !content.contains('\n')
        && content.chars().count() > MIN_LITERAL_ESCAPES_CHARS
}

/// Two texts compared by pieces.
struct Rewrite<'t> {
    diff: LineDiff<'t>,
    old: &'t str,
    new: &'t str,
}

impl<'t> Rewrite<'t> {
    fn of(old: &'t str, new: &'t str) -> Self {
        let diff = LineDiff::of_pieces(old, new);
        Self { diff, old, new }
    }

    /// The bytes of the file with only the hunks replaced.
    fn splice(&self, file: &TextFile<'_>, max_result_bytes: usize) -> Result<Vec<u8>, EditError> {
        let ranges = self.diff.byte_ranges().into_iter();
        let replacements: Vec<Replacement> = ranges
            .map(|(span, source)| Replacement { span, source })
            .collect();
        splice(file, self.new, &replacements, max_result_bytes)
    }

    /// Whether a line that comes has a character beyond ASCII.
    fn adds_non_ascii(&self) -> bool {
        let is_non_ascii = |hunk: Hunk| {
            self.diff
                .new_lines(hunk.new)
                .iter()
                .any(|line| !line.is_ascii())
        };
        self.diff.hunks().into_iter().any(is_non_ascii)
    }

    /// How many lines go that are not in the set.
    fn count_unseen(&self, seen: &LineRanges) -> usize {
        let unseen = |hunk: Hunk| seen.count_missing(hunk.old.start + 1..hunk.old.end + 1);
        self.diff.hunks().into_iter().map(unseen).sum()
    }

    /// Most of the lines go.
    fn shrinks_much(&self) -> bool {
        let n_old = count_lines(self.old);
        let n_gone = n_old.saturating_sub(count_lines(self.new));
        n_gone > LARGE_SHRINK_LINES && n_gone * 100 > n_old * LARGE_SHRINK_PERCENT
    }
}
