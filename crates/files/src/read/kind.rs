//! What a file is, by its first bytes, and what its text is like. What it is called counts for notebooks and drawings
//! alone, which are text by their bytes.

use crate::error::Error;
use crate::open::OpenFile;
use edit::TextFile;
use image::ImageFormat;
use protocol::diff::Eol;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Enough for every mark below.
const HEAD_BYTES: u64 = 16;
/// First bytes of the pictures that providers take. WEBP has its mark behind a length.
const PICTURE_MARKS: [(&[u8], ImageFormat); 4] = [
    (b"\x89PNG\r\n\x1a\n", ImageFormat::Png),
    (b"\xff\xd8\xff", ImageFormat::Jpeg),
    (b"GIF87a", ImageFormat::Gif),
    (b"GIF89a", ImageFormat::Gif),
];
const PDF_MARK: &[u8] = b"%PDF-";

/// Encoding and line ends of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFacts {
    /// Label such as `utf-8` or `gbk`.
    pub encoding: String,
    /// The encoding is likely, not certain.
    pub encoding_guessed: bool,
    /// The file starts with a byte order mark.
    pub bom: bool,
    /// The line ends.
    pub eol: Eol,
}

impl TextFacts {
    /// The facts of a decoded file.
    #[must_use]
    pub fn of(file: &TextFile<'_>) -> Self {
        Self {
            encoding: file.encoding().label().into_owned(),
            encoding_guessed: file.is_encoding_guessed(),
            bom: file.has_bom(),
            eol: file.breaks().eol(),
        }
    }
}

/// What the first bytes promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Promise {
    Picture(ImageFormat),
    Pdf,
    /// Text, or nothing that can be shown.
    Other,
}

/// Looks at the first bytes; the file is read from its start afterwards.
pub(super) fn promise_of(open: &OpenFile, path: &Path) -> Result<Promise, Error> {
    let mut head = Vec::new();
    let mut file = &open.file;
    file.take(HEAD_BYTES)
        .read_to_end(&mut head)
        .and_then(|_| file.seek(SeekFrom::Start(0)))
        .map_err(|source| Error::reading("read", path, source))?;
    Ok(promise(&head))
}

fn promise(head: &[u8]) -> Promise {
    if head.starts_with(PDF_MARK) {
        return Promise::Pdf;
    }
    if head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP") {
        return Promise::Picture(ImageFormat::WebP);
    }
    PICTURE_MARKS
        .iter()
        .find(|(mark, _)| head.starts_with(mark))
        .map_or(Promise::Other, |(_, format)| Promise::Picture(*format))
}

/// Whether notebooks have their own rules for this path.
pub(crate) fn is_notebook(path: &Path) -> bool {
    has_extension(path, "ipynb")
}

/// Whether this is a drawing, which is text and can be very long text.
pub(super) fn is_svg(path: &Path) -> bool {
    has_extension(path, "svg")
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}
