//! What a file is, by its first bytes, and what its text is like.

use crate::error::{BinaryKind, Error};
use edit::TextFile;
use protocol::diff::Eol;
use std::path::Path;

/// First bytes of the images that providers take.
const IMAGE_MAGIC: [&[u8]; 4] = [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a"];
const PDF_MAGIC: &[u8] = b"%PDF-";

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

/// Whether notebooks have their own rules for this path.
pub(crate) fn is_notebook(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("ipynb"))
}

/// Refuses what is no text by its first bytes.
pub(super) fn require_text(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let what = if is_image(bytes) {
        BinaryKind::Image
    } else if bytes.starts_with(PDF_MAGIC) {
        BinaryKind::Pdf
    } else {
        return Ok(());
    };
    Err(Error::Binary {
        path: path.to_path_buf(),
        what,
    })
}

fn is_image(bytes: &[u8]) -> bool {
    let is_webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    is_webp || IMAGE_MAGIC.iter().any(|magic| bytes.starts_with(magic))
}
