//! What a model is shown of a file: numbered lines a page at a time, the cells of a notebook, a picture.
//!
//! Every page carries the proof of what was shown: the hash of all bytes and the lines that were shown whole. Nothing
//! is tidied up; trailing blanks and odd characters are shown or named, since an edit must repeat them. What a file is
//! its bytes say, not its name. Deliberately absent: the text of PDF documents, which needs another program.

mod header;
mod kind;
mod numbered;
mod pages;
mod picture;
mod stream;

pub use kind::TextFacts;
pub(crate) use kind::is_notebook;
pub use pages::PdfPages;
pub use picture::{Original, Picture};

use crate::error::{Error, PageUnit, SizePurpose, SpecialKind};
use crate::notebook::{Notebook, show_cells};
use crate::open::{OpenFile, open_regular, read_all, require_regular};
use crate::path_policy::{Presence, Resolved, Roots, suggestions};
use crate::read_cache::{ReadCache, ReadRecord, ShownAs};
use crate::stat::FileFacts;
use crate::{ContentHash, Total};
use edit::{LineRanges, TextFile};
use header::header;
use image::ImageFormat;
use kind::Promise;
use numbered::{Numbered, Window, number_lines};
use std::path::Path;
use std::time::Duration;

/// Larger files are not loaded; a part of them can be read.
pub const MAX_WHOLE_BYTES: u64 = 10 * 1024 * 1024;
/// Notebooks hold pictures in their text. A part of a larger one is shown as lines.
const MAX_NOTEBOOK_BYTES: u64 = 50 * 1024 * 1024;
/// Larger drawings are read in parts: they are mostly numbers.
const MAX_WHOLE_SVG_BYTES: u64 = 1_000_000;
/// Larger documents are not given to the program that reads them.
const MAX_PDF_BYTES: u64 = 100 * 1024 * 1024;
/// A call must not hang on a slow disk.
const MAX_STREAM_TIME: Duration = Duration::from_secs(10);
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
    /// Time that looking for lines in a file too large to load may take.
    pub max_stream_time: Duration,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            max_lines: 2000,
            max_chars: 50_000,
            max_line_chars: 2000,
            max_stream_time: MAX_STREAM_TIME,
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
    /// Cells of a notebook.
    Notebook(Box<NotebookPage>),
    /// A picture.
    Picture(Box<Picture>),
    /// A PDF document, whose text the caller finds.
    Pdf(PdfFile),
}

/// Some cells of a notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotebookPage {
    /// The page as the model reads it.
    pub text: String,
    /// First cell shown, counted from 1.
    pub first_cell: usize,
    /// Number of cells shown.
    pub n_shown: usize,
    /// Cells of the notebook.
    pub n_cells: usize,
}

/// A PDF document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PdfFile {
    /// Size of the file in bytes.
    pub size: u64,
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

/// Reads a page and records what was shown. `pages` belongs to PDF documents alone.
///
/// # Errors
/// A refusal or a failure that the model reads.
pub fn read_file(
    target: &Resolved,
    range: ReadRange,
    pages: Option<PdfPages>,
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
    let promise = kind::promise_of(&open, path)?;
    match (promise, pages) {
        (Promise::Pdf, _) => read_pdf(&open, path, context),
        (Promise::Picture(_) | Promise::Other, Some(_)) => Err(Error::InvalidParams {
            problem: format!(
                "pages is for PDF documents, and {} is none; use offset and limit",
                path.display()
            ),
        }),
        (Promise::Picture(format), None) => read_picture(&open, path, format, context),
        (Promise::Other, None) => read_text(open, path, range, context),
    }
}

fn read_text(
    open: OpenFile,
    path: &Path,
    range: ReadRange,
    context: &ReadContext<'_>,
) -> Result<ReadOutcome, Error> {
    let size = open.facts.stat.size;
    if size == 0 && (path.starts_with("/proc") || path.starts_with("/sys")) {
        return read_pseudo(&open, path, range, context);
    }
    let max_bytes = whole_bytes(path, range);
    if size > max_bytes && max_bytes < MAX_WHOLE_BYTES {
        return Err(too_large(path, size, SizePurpose::Read));
    }
    if size > max_bytes {
        return read_part(open, path, range, context);
    }
    let bytes = read_all(&open, path, max_bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(too_large(path, bytes.len() as u64, SizePurpose::Read));
    }
    let hash = ContentHash::of(&bytes);
    if is_whole(range) && is_known(path, &open, hash, context) {
        return Ok(ReadOutcome::Unchanged);
    }
    let mut loaded = Loaded {
        path,
        open: &open,
        bytes: &bytes,
        hash,
        shown_as: ShownAs::Text,
    };
    if is_notebook(path) {
        // What is no notebook is shown as it is, so that the model sees what is wrong with it.
        loaded.shown_as = ShownAs::NonText;
        if let Ok(notebook) = Notebook::parse(&bytes) {
            return show_notebook(&loaded, &notebook, range, context);
        }
    }
    show(&loaded, range, context)
}

/// How much of a file is loaded.
fn whole_bytes(path: &Path, range: ReadRange) -> u64 {
    match is_whole(range) {
        true if kind::is_svg(path) => MAX_WHOLE_SVG_BYTES,
        false if is_notebook(path) => MAX_NOTEBOOK_BYTES,
        true | false => MAX_WHOLE_BYTES,
    }
}

fn read_picture(
    open: &OpenFile,
    path: &Path,
    format: ImageFormat,
    context: &ReadContext<'_>,
) -> Result<ReadOutcome, Error> {
    let size = open.facts.stat.size;
    if size > picture::MAX_PICTURE_FILE_BYTES {
        return Err(too_large(path, size, SizePurpose::Picture));
    }
    let bytes = read_all(open, path, picture::MAX_PICTURE_FILE_BYTES)?;
    let hash = ContentHash::of(&bytes);
    let picture = picture::fit(path, bytes, format)?;
    note_non_text(open, path, Some(hash), context);
    Ok(ReadOutcome::Picture(Box::new(picture)))
}

fn read_pdf(open: &OpenFile, path: &Path, context: &ReadContext<'_>) -> Result<ReadOutcome, Error> {
    let size = open.facts.stat.size;
    if size > MAX_PDF_BYTES {
        return Err(too_large(path, size, SizePurpose::Document));
    }
    note_non_text(open, path, None, context);
    Ok(ReadOutcome::Pdf(PdfFile { size }))
}

/// Records that the model saw something of a file that is no base for an edit.
fn note_non_text(
    open: &OpenFile,
    path: &Path,
    hash: Option<ContentHash>,
    context: &ReadContext<'_>,
) {
    context.cache.note_read(ReadRecord {
        path: path.to_path_buf(),
        stat: open.facts.stat,
        hash,
        shown_as: ShownAs::NonText,
        seen: LineRanges::new(),
        full: false,
        resident: true,
        hashed_at_ns: context.now_ns,
        last_read_at_ns: context.now_ns,
        last_write_at_ns: None,
    });
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
            unit: PageUnit::Line,
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

fn show_notebook(
    loaded: &Loaded<'_>,
    notebook: &Notebook<'_>,
    range: ReadRange,
    context: &ReadContext<'_>,
) -> Result<ReadOutcome, Error> {
    let window = Window::of(range, context.limits);
    let page = show_cells(notebook, window.first, window.max_lines);
    if window.first > page.n_cells.max(1) {
        return Err(Error::OffsetOutOfRange {
            path: loaded.path.to_path_buf(),
            offset: window.first,
            n_lines: page.n_cells,
            unit: PageUnit::Cell,
        });
    }
    context.cache.note_read(ReadRecord {
        path: loaded.path.to_path_buf(),
        stat: loaded.open.facts.stat,
        hash: Some(loaded.hash),
        shown_as: loaded.shown_as,
        full: page.whole == LineRanges::all(page.n_cells),
        seen: page.whole,
        resident: true,
        hashed_at_ns: context.now_ns,
        last_read_at_ns: context.now_ns,
        last_write_at_ns: None,
    });
    Ok(ReadOutcome::Notebook(Box::new(NotebookPage {
        text: page.text,
        first_cell: window.first,
        n_shown: page.n_shown,
        n_cells: page.n_cells,
    })))
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
            SizePurpose::Picture => picture::MAX_PICTURE_FILE_BYTES,
            SizePurpose::Document => MAX_PDF_BYTES,
            SizePurpose::Read if kind::is_svg(path) => MAX_WHOLE_SVG_BYTES,
            SizePurpose::Read | SizePurpose::Edit | SizePurpose::Result => MAX_WHOLE_BYTES,
        },
        purpose,
    }
}
