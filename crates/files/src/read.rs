//! What a model is shown of a file: numbered lines, a page at a time.
//!
//! Every page carries the proof of what was shown: the hash of all bytes and the lines that were shown whole. Nothing
//! is tidied up; trailing blanks and odd characters are shown or named, since an edit must repeat them.
//! Deliberately absent: images, documents and notebooks as such.

mod header;
mod kind;
mod numbered;
mod stream;

pub use kind::TextFacts;
pub(crate) use kind::is_notebook;

use crate::error::{Error, SizePurpose, SpecialKind};
use crate::open::{OpenFile, open_regular, read_all, require_regular};
use crate::path_policy::{Presence, Resolved, Roots, suggestions};
use crate::read_cache::{ReadCache, ReadRecord, ShownAs};
use crate::stat::FileFacts;
use crate::{ContentHash, Total};
use edit::{LineRanges, TextFile};
use header::header;
use numbered::{Numbered, Window, number_lines};
use std::path::Path;

/// Larger files are not loaded; a part of them can be read.
pub const MAX_WHOLE_BYTES: u64 = 10 * 1024 * 1024;
/// Files the kernel makes up have no size. So much of one is read.
const MAX_PSEUDO_BYTES: u64 = 256 * 1024;

/// What the model gets instead of text it has in front of it already.
pub const UNCHANGED_TEXT: &str = "[file unchanged since it was last shown; that text is still current. If it is no longer available, read with an \
     explicit offset and limit]";

/// Sizes of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// Lines if the call names no limit; setting `read.max_lines`.
    pub max_lines: usize,
    /// Characters of a page; setting `read.max_chars`.
    pub max_chars: usize,
    /// Characters of a line; setting `read.max_line_chars`.
    pub max_line_chars: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            max_lines: 2000,
            max_chars: 50_000,
            max_line_chars: 2000,
        }
    }
}

/// The part that is asked for. Neither means the whole file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadRange {
    /// First line, 1-based; 0 is taken as 1.
    pub offset: Option<usize>,
    /// Number of lines.
    pub limit: Option<usize>,
}

/// What a read takes place in.
#[derive(Debug, Clone, Copy)]
pub struct ReadContext<'a> {
    /// Records of the session.
    pub cache: &'a ReadCache,
    /// Workspace roots, for suggestions.
    pub roots: &'a Roots,
    /// Name of the product's ignore file, for suggestions.
    pub ignore_name: &'a str,
    /// Sizes of a page.
    pub limits: ReadLimits,
    /// The time now, nanoseconds since the epoch.
    pub now_ns: i64,
}

/// What came of a read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadOutcome {
    /// The model has it in front of it; say [`UNCHANGED_TEXT`].
    Unchanged,
    /// A page.
    Page(Box<TextPage>),
}

/// A page of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPage {
    /// The page as the model reads it.
    pub text: String,
    /// First line shown, 1-based.
    pub first_line: usize,
    /// Number of lines shown.
    pub n_lines: usize,
    /// Lines of the file.
    pub total: Total,
    /// Where the next page starts, if there is one.
    pub next_offset: Option<usize>,
    /// Encoding and line ends.
    pub facts: TextFacts,
    /// Size of the file in bytes.
    pub size: u64,
}

/// Reads a page and records what was shown.
pub fn read_text(
    target: &Resolved,
    range: ReadRange,
    context: &ReadContext<'_>,
) -> Result<ReadOutcome, Error> {
    let path = target.path.as_path();
    require_present(target, context)?;
    let facts = FileFacts::follow(path).map_err(|source| Error::Unverifiable {
        path: path.to_path_buf(),
        source,
    })?;
    require_regular(path, facts.kind)?;
    let open = open_regular(path)?;
    let size = open.facts.stat.size;
    if size == 0 && (path.starts_with("/proc") || path.starts_with("/sys")) {
        return read_pseudo(&open, path, range, context);
    }
    if size > MAX_WHOLE_BYTES {
        return read_part(open, path, range, context);
    }
    let bytes = read_all(&open, path, MAX_WHOLE_BYTES)?;
    if bytes.len() as u64 > MAX_WHOLE_BYTES {
        return Err(too_large(path, bytes.len() as u64, SizePurpose::Read));
    }
    kind::require_text(path, &bytes)?;
    let hash = ContentHash::of(&bytes);
    if is_whole(range) && is_known(path, &open, hash, context) {
        return Ok(ReadOutcome::Unchanged);
    }
    let shown_as = if is_notebook(path) {
        ShownAs::NonText
    } else {
        ShownAs::Text
    };
    let loaded = Loaded {
        path,
        open: &open,
        bytes: &bytes,
        hash,
        shown_as,
    };
    show(&loaded, range, context)
}

/// A file whose bytes are in memory.
struct Loaded<'a> {
    path: &'a Path,
    open: &'a OpenFile,
    bytes: &'a [u8],
    hash: ContentHash,
    shown_as: ShownAs,
}

fn require_present(target: &Resolved, context: &ReadContext<'_>) -> Result<(), Error> {
    match target.presence {
        Presence::Exists => Ok(()),
        Presence::DanglingLink => Err(Error::NotRegular {
            path: target.path.clone(),
            kind: SpecialKind::DanglingLink,
        }),
        Presence::Missing => Err(Error::NotFound {
            path: target.path.clone(),
            suggestions: suggestions(&target.path, context.roots, context.ignore_name),
        }),
    }
}

fn is_whole(range: ReadRange) -> bool {
    range.offset.is_none() && range.limit.is_none()
}

/// Whether the model has all of these very bytes in front of it as text.
fn is_known(path: &Path, open: &OpenFile, hash: ContentHash, context: &ReadContext<'_>) -> bool {
    let Some(found) = context.cache.lookup(path, Some(open.facts.stat.id)) else {
        return false;
    };
    let record = found.record();
    let read_after_write = record
        .last_write_at_ns
        .is_none_or(|written| written < record.last_read_at_ns);
    record.hash == Some(hash)
        && record.shown_as == ShownAs::Text
        && record.full
        && record.resident
        && read_after_write
}

fn show(
    loaded: &Loaded<'_>,
    range: ReadRange,
    context: &ReadContext<'_>,
) -> Result<ReadOutcome, Error> {
    let path = loaded.path;
    let file = TextFile::decode(loaded.bytes).map_err(|source| Error::Edit {
        path: path.to_path_buf(),
        source,
    })?;
    let total = edit::count_lines(file.text());
    let window = Window::of(range, context.limits);
    if window.first > total.max(1) {
        return Err(Error::OffsetOutOfRange {
            path: path.to_path_buf(),
            offset: window.first,
            n_lines: total,
        });
    }
    let numbered = number_lines(file.text(), window, context.limits);
    let record = ReadRecord {
        path: path.to_path_buf(),
        stat: loaded.open.facts.stat,
        hash: Some(loaded.hash),
        shown_as: loaded.shown_as,
        seen: numbered.whole_lines.clone(),
        full: numbered.whole_lines == LineRanges::all(total),
        resident: true,
        hashed_at_ns: context.now_ns,
        last_read_at_ns: context.now_ns,
        last_write_at_ns: None,
    };
    context.cache.note_read(record);
    let header = header(&file, path, &numbered, total);
    let total = Total {
        n: total as u64,
        is_exact: true,
    };
    let facts = TextFacts::of(&file);
    Ok(page(numbered, header, facts, total, loaded.bytes.len()))
}

fn page(
    numbered: Numbered,
    header: Option<String>,
    facts: TextFacts,
    total: Total,
    size: usize,
) -> ReadOutcome {
    let next_offset = (!numbered.reached_end).then_some(numbered.first + numbered.n_lines);
    let mut text = String::with_capacity(numbered.text.len() + 200);
    if let Some(header) = header {
        text.push_str(&header);
        text.push('\n');
    }
    text.push_str(&numbered.text);
    if let Some(next) = next_offset {
        text.push_str(&format!("[more lines follow: use offset={next}]\n"));
    }
    ReadOutcome::Page(Box::new(TextPage {
        text,
        first_line: numbered.first,
        n_lines: numbered.n_lines,
        total,
        next_offset,
        facts,
        size: size as u64,
    }))
}

/// Text that the kernel makes up: shown, never a base for an edit.
fn read_pseudo(
    open: &OpenFile,
    path: &Path,
    range: ReadRange,
    context: &ReadContext<'_>,
) -> Result<ReadOutcome, Error> {
    let mut bytes = read_all(open, path, MAX_PSEUDO_BYTES)?;
    bytes.truncate(usize::try_from(MAX_PSEUDO_BYTES).unwrap_or(usize::MAX));
    let loaded = Loaded {
        path,
        open,
        hash: ContentHash::of(&bytes),
        bytes: &bytes,
        shown_as: ShownAs::NonText,
    };
    show(&loaded, range, context)
}

/// A part of a file that is too large to load.
fn read_part(
    open: OpenFile,
    path: &Path,
    range: ReadRange,
    context: &ReadContext<'_>,
) -> Result<ReadOutcome, Error> {
    let stat = open.facts.stat;
    if is_whole(range) {
        return Err(too_large(path, stat.size, SizePurpose::Read));
    }
    let part = stream::read_lines(
        open,
        path,
        Window::of(range, context.limits),
        context.limits,
    )?;
    context.cache.note_read(ReadRecord {
        path: path.to_path_buf(),
        stat,
        hash: None,
        shown_as: ShownAs::Text,
        seen: part.numbered.whole_lines.clone(),
        full: false,
        resident: true,
        hashed_at_ns: context.now_ns,
        last_read_at_ns: context.now_ns,
        last_write_at_ns: None,
    });
    let header = stream::header(&part);
    let size = usize::try_from(stat.size).unwrap_or(usize::MAX);
    Ok(page(
        part.numbered,
        Some(header),
        part.facts,
        part.total,
        size,
    ))
}

fn too_large(path: &Path, size: u64, purpose: SizePurpose) -> Error {
    Error::TooLarge {
        path: path.to_path_buf(),
        size,
        limit: match purpose {
            SizePurpose::StreamedRead => stream::MAX_STREAMED_BYTES,
            SizePurpose::Read | SizePurpose::Edit | SizePurpose::Result => MAX_WHOLE_BYTES,
        },
        purpose,
    }
}
