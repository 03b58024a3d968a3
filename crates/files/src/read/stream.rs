//! A few lines of a file that is too large to load.
//!
//! The file passes through a small buffer; of each line no more is kept than is shown. The line count is a lower
//! bound, since reading ends with the page.

use super::kind::TextFacts;
use super::numbered::{Numbered, Window};
use super::{ReadLimits, too_large};
use crate::error::{Error, PageUnit, SizePurpose};
use crate::open::OpenFile;
use crate::walk::Total;
use edit::{TextEncoding, TextFile};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

/// Beyond this even looking for line ends takes too long.
pub(super) const MAX_STREAMED_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// What the encoding is judged by.
const SAMPLE_BYTES: usize = 64 * 1024;
/// Longest character in the encodings that are read this way.
const MAX_CHAR_BYTES: usize = 4;

/// A page of a large file.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) numbered: Numbered,
    pub(super) facts: TextFacts,
    pub(super) total: Total,
}

/// Reads the lines of a window.
pub(super) fn read_lines(
    open: OpenFile,
    path: &Path,
    window: Window,
    limits: ReadLimits,
) -> Result<Part, Error> {
    let size = open.facts.stat.size;
    if size > MAX_STREAMED_BYTES {
        return Err(too_large(path, size, SizePurpose::StreamedRead));
    }
    let failed = |source| Error::reading("read", path, source);
    let mut reader = BufReader::with_capacity(SAMPLE_BYTES, open.file);
    let (encoding, facts) = judge(reader.fill_buf().map_err(failed)?, path, size)?;
    let mut lines = Lines {
        reader,
        started: Instant::now(),
        max_time: limits.max_stream_time,
        max_kept_bytes: limits.max_line_chars.saturating_mul(MAX_CHAR_BYTES),
    };
    let mut n_seen = 0;
    while n_seen + 1 < window.first {
        match lines.next(Keep::Nothing).map_err(failed)? {
            Next::Line(_) => n_seen += 1,
            Next::End => {
                return Err(Error::OffsetOutOfRange {
                    path: path.to_path_buf(),
                    offset: window.first,
                    n_lines: n_seen,
                    unit: PageUnit::Line,
                });
            }
            Next::TimeIsUp => return Err(too_large(path, size, SizePurpose::StreamedRead)),
        }
    }
    let numbered = number(&mut lines, encoding, window, limits).map_err(failed)?;
    if numbered.n_lines == 0 && !numbered.reached_end {
        // The line is there, but where it ends was not found in time.
        return Err(too_large(path, size, SizePurpose::StreamedRead));
    }
    if numbered.n_lines == 0 {
        return Err(Error::OffsetOutOfRange {
            path: path.to_path_buf(),
            offset: window.first,
            n_lines: n_seen,
            unit: PageUnit::Line,
        });
    }
    let total = Total {
        n: (n_seen + numbered.n_lines) as u64,
        is_exact: numbered.reached_end,
    };
    Ok(Part {
        numbered,
        facts,
        total,
    })
}

/// The header of a page of a large file.
pub(super) fn header(part: &Part) -> String {
    let page = &part.numbered;
    let last = page.first + page.n_lines - 1;
    let guessed = if part.facts.encoding_guessed {
        " (guessed)"
    } else {
        ""
    };
    format!(
        "[lines {}-{last} of {}; encoding {}{guessed}; file too large to edit]",
        page.first, part.total, part.facts.encoding
    )
}

fn judge(sample: &[u8], path: &Path, size: u64) -> Result<(TextEncoding, TextFacts), Error> {
    // A character cut at the end of the sample would count as broken.
    let end = memchr::memrchr(b'\n', sample).map_or(sample.len(), |at| at + 1);
    let sample = sample.get(..end).unwrap_or(sample);
    let file = TextFile::decode(sample).map_err(|source| Error::Edit {
        path: path.to_path_buf(),
        source,
    })?;
    match file.encoding() {
        encoding @ (TextEncoding::Utf8 | TextEncoding::Legacy(_)) => {
            Ok((encoding, TextFacts::of(&file)))
        }
        // An LF byte is no line end there.
        TextEncoding::Utf16Le | TextEncoding::Utf16Be => {
            Err(too_large(path, size, SizePurpose::StreamedRead))
        }
    }
}

fn number(
    lines: &mut Lines,
    encoding: TextEncoding,
    window: Window,
    limits: ReadLimits,
) -> io::Result<Numbered> {
    let mut page = Numbered::starting_at(window.first);
    let mut chars_left = limits.max_chars;
    while page.n_lines < window.max_lines {
        match lines.next(Keep::Beginning)? {
            Next::Line(line) => {
                let text = decode(encoding, &line.kept);
                let n_chars = if line.is_whole {
                    text.chars().count()
                } else {
                    line.n_chars
                };
                if !page.push(&text, n_chars, &mut chars_left, limits) {
                    return Ok(page);
                }
            }
            Next::End => {
                page.reached_end = true;
                return Ok(page);
            }
            Next::TimeIsUp => return Ok(page),
        }
    }
    page.reached_end = lines.reader.fill_buf()?.is_empty();
    Ok(page)
}

fn decode(encoding: TextEncoding, bytes: &[u8]) -> String {
    match encoding {
        TextEncoding::Legacy(encoding) => {
            encoding.decode_without_bom_handling(bytes).0.into_owned()
        }
        TextEncoding::Utf8 | TextEncoding::Utf16Le | TextEncoding::Utf16Be => {
            let text = String::from_utf8_lossy(bytes);
            text.strip_prefix('\u{FEFF}').unwrap_or(&text).to_owned()
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Keep {
    Nothing,
    Beginning,
}

/// A line, or as much of it as is shown.
#[derive(Debug, Default)]
struct Kept {
    kept: Vec<u8>,
    /// Bytes that begin a character.
    n_chars: usize,
    is_whole: bool,
}

enum Next {
    Line(Kept),
    End,
    TimeIsUp,
}

struct Lines {
    reader: BufReader<File>,
    started: Instant,
    max_time: Duration,
    max_kept_bytes: usize,
}

impl Lines {
    fn next(&mut self, keep: Keep) -> io::Result<Next> {
        let mut line = Kept {
            is_whole: true,
            ..Kept::default()
        };
        let mut has_bytes = false;
        loop {
            // Looked at once per buffer, since lines are many.
            if self.reader.buffer().is_empty() && self.started.elapsed() > self.max_time {
                return Ok(Next::TimeIsUp);
            }
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok(if has_bytes {
                    Next::Line(line.without_cr())
                } else {
                    Next::End
                });
            }
            has_bytes = true;
            let line_end = memchr::memchr(b'\n', buffer);
            let part = buffer
                .get(..line_end.unwrap_or(buffer.len()))
                .unwrap_or_default();
            match keep {
                Keep::Nothing => {}
                Keep::Beginning => line.extend(part, self.max_kept_bytes),
            }
            let n_used = part.len() + usize::from(line_end.is_some());
            self.reader.consume(n_used);
            if line_end.is_some() {
                return Ok(Next::Line(line.without_cr()));
            }
        }
    }
}

impl Kept {
    fn extend(&mut self, part: &[u8], max_kept_bytes: usize) {
        let room = max_kept_bytes.saturating_sub(self.kept.len());
        self.kept
            .extend_from_slice(part.get(..room.min(part.len())).unwrap_or_default());
        self.is_whole &= part.len() <= room;
        self.n_chars += part.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
    }

    /// Shows CRLF as one line end.
    fn without_cr(mut self) -> Self {
        if self.is_whole && self.kept.last() == Some(&b'\r') {
            self.kept.pop();
        }
        self
    }
}
