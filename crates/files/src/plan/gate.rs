//! The proof that the model knows the file it changes.

use super::{ChangeRequest, PlanContext, PriorReadRule, missing_read};
use crate::ContentHash;
use crate::error::{Error, Noticed, OutsideChange, PriorRead};
use crate::open::{open_regular, read_all};
use crate::read_cache::{Found, ShownAs};
use crate::stat::FileFacts;
use edit::{LineRanges, TextFile};
use rustix::fs::{Access, AtFlags, CWD};
use std::path::Path;

/// The longest byte order mark of a file that counts as empty.
const MAX_EMPTY_BYTES: u64 = 3;
/// Write permission of owner, group, others.
const WRITE_BITS: u32 = 0o222;

/// What is known about a file before its bytes are read.
#[derive(Debug)]
pub(super) enum Known {
    /// It is empty, so there is nothing to have read.
    Empty,
    /// It was shown with these bytes.
    Read {
        hash: Option<ContentHash>,
        seen: LineRanges,
        found: FoundBy,
        /// Whether the file's state differed from the one that was recorded.
        was_touched: bool,
    },
    /// Nobody asks.
    NotRequired,
}

/// Under which name the record was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FoundBy {
    Path,
    OtherName,
}

impl Known {
    /// For an edit that creates: an existing file must be empty, a byte order mark aside.
    pub(super) fn empty_file(path: &Path, facts: &FileFacts) -> Result<Option<Self>, Error> {
        let size = facts.stat.size;
        let exists = || Error::AlreadyExists {
            path: path.to_path_buf(),
            size,
        };
        if size > MAX_EMPTY_BYTES {
            return Err(exists());
        }
        let bytes = read_all(&open_regular(path)?, path, MAX_EMPTY_BYTES)?;
        match TextFile::decode(&bytes) {
            Ok(file) if file.text().is_empty() => Ok(Some(Self::Empty)),
            Ok(_) | Err(_) => Err(exists()),
        }
    }

    /// The first check: was the file shown as text?
    pub(super) fn by_record(
        path: &Path,
        facts: &FileFacts,
        request: &ChangeRequest<'_>,
        context: &PlanContext<'_>,
    ) -> Result<Self, Error> {
        match context.settings.prior_read {
            PriorReadRule::Required => {}
            PriorReadRule::NotRequired => return Ok(Self::NotRequired),
        }
        let Some(found) = context.cache.lookup(path, Some(facts.stat.id)) else {
            return Err(missing_read(path, request));
        };
        let record = found.record();
        match record.shown_as {
            ShownAs::Text => Ok(Self::Read {
                hash: record.hash,
                seen: record.seen.clone(),
                was_touched: !record.is_fresh_by_stat(&facts.stat),
                found: match found {
                    Found::SamePath(_) => FoundBy::Path,
                    Found::OtherName(_) => FoundBy::OtherName,
                },
            }),
            ShownAs::NonText => Err(Error::RequiresPriorRead {
                path: path.to_path_buf(),
                need: PriorRead::NonText,
            }),
        }
    }

    /// The second check: are the bytes the ones that were shown?
    pub(super) fn require_hash(
        &self,
        path: &Path,
        now: ContentHash,
        request: &ChangeRequest<'_>,
    ) -> Result<(), Error> {
        if let ChangeRequest::Computed { base, .. } = request
            && *base != now
        {
            return Err(Error::Changed {
                path: path.to_path_buf(),
                change: OutsideChange::Changed,
                noticed: Noticed::WhilePlanning,
            });
        }
        match self {
            Self::Empty | Self::NotRequired => Ok(()),
            Self::Read { hash, .. } if *hash == Some(now) => Ok(()),
            // The number of another file was given to this one.
            Self::Read {
                found: FoundBy::OtherName,
                ..
            } => Err(missing_read(path, request)),
            Self::Read { was_touched, .. } => Err(Error::Changed {
                path: path.to_path_buf(),
                change: OutsideChange::Changed,
                noticed: if *was_touched {
                    Noticed::BeforePlanning
                } else {
                    Noticed::WhilePlanning
                },
            }),
        }
    }

    /// The lines the model has seen.
    pub(super) fn seen(&self, text: &str) -> LineRanges {
        match self {
            Self::Read { seen, .. } => seen.clone(),
            Self::Empty | Self::NotRequired => LineRanges::all(edit::count_lines(text)),
        }
    }
}

/// Refuses a file that its mode or the system protects. An exchange would not ask.
pub(crate) fn require_writable(path: &Path, facts: &FileFacts) -> Result<(), Error> {
    // The superuser may write anything; the mode still says that it is not meant to be written.
    let is_protected = facts.mode & WRITE_BITS == 0;
    if is_protected || rustix::fs::accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS).is_err()
    {
        return Err(Error::ReadOnly {
            path: path.to_path_buf(),
            mode: facts.mode,
        });
    }
    Ok(())
}

/// Whether the nearest existing part of a missing path is no folder.
pub(super) fn is_below_file(path: &Path) -> bool {
    let mut above = path.ancestors().skip(1);
    above
        .find(|above| above.symlink_metadata().is_ok())
        .is_some_and(|above| !above.is_dir())
}

/// A new notebook must be one.
pub(super) fn require_notebook_content(path: &Path, content: &str) -> Result<(), Error> {
    if !crate::read::is_notebook(path) {
        return Ok(());
    }
    let parsed: Option<serde_json::Value> = serde_json::from_str(content).ok();
    let is_notebook = parsed.is_some_and(|notebook| {
        notebook.get("nbformat").and_then(serde_json::Value::as_u64) == Some(4)
            && notebook
                .get("cells")
                .is_some_and(serde_json::Value::is_array)
    });
    if is_notebook {
        return Ok(());
    }
    Err(Error::InvalidParams {
        problem: format!(
            "the content of {} must be a notebook: JSON with nbformat 4 and cells",
            path.display()
        ),
    })
}
