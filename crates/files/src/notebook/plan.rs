//! From what a model asks for to the bytes of the changed notebook.
//!
//! The checks come in the order of a text edit. In addition every cell must have been shown as it is now: cells refer
//! to each other, and the list of cells is what an index counts in.

use super::splice::{NewCell, deleted, inserted, replaced};
use super::{Cell, Notebook, NotebookProblem};
use crate::ContentHash;
use crate::error::{Error, Noticed, OutsideChange, PriorRead, SpecialKind};
use crate::open::{open_regular, read_all, require_regular};
use crate::path_policy::{Presence, Resolved, suggestions};
use crate::plan::{
    PlanContext, PriorReadRule, gone_while_planning, is_absence, require_writable, too_large,
};
use crate::read_cache::{ReadRecord, ShownAs};
use crate::stat::FileFacts;
use edit::{EditError, LineRanges, refuse_elision, with_lf};
use std::io;
use std::path::{Path, PathBuf};

/// Digits of a new id, as Jupyter makes them.
const ID_DIGITS: usize = 8;

/// Kinds of cells that can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// Runs.
    Code,
    /// Prose.
    Markdown,
}

impl CellKind {
    /// The name in the file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Markdown => "markdown",
        }
    }
}

/// What shall happen to a notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellEdit {
    /// A cell gets another source, and perhaps another kind.
    Replace {
        /// Its id, or `cell-N`.
        cell: String,
        /// The source.
        source: String,
        /// The kind, if it changes.
        kind: Option<CellKind>,
    },
    /// A cell is added.
    Insert {
        /// Behind this one, else at the start.
        after: Option<String>,
        /// Its kind.
        kind: CellKind,
        /// Its source.
        source: String,
    },
    /// A cell goes.
    Delete {
        /// Its id, or `cell-N`.
        cell: String,
    },
}

/// A request for one notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotebookRequest {
    /// What shall happen.
    pub edit: CellEdit,
    /// Id of a new cell, where the format has ids. Chosen once, so that a change by hand does not change it.
    new_id: String,
}

impl NotebookRequest {
    /// A request. Line ends become LF.
    #[must_use]
    pub fn new(mut edit: CellEdit) -> Self {
        match &mut edit {
            CellEdit::Replace { source, .. } | CellEdit::Insert { source, .. } => {
                *source = with_lf(source).into_owned();
            }
            CellEdit::Delete { .. } => {}
        }
        Self {
            edit,
            new_id: random_id(),
        }
    }

    /// The same with another source.
    fn with_source(&self, text: &str) -> Self {
        let mut other = self.clone();
        match &mut other.edit {
            CellEdit::Replace { source, .. } | CellEdit::Insert { source, .. } => {
                *source = with_lf(text).into_owned();
            }
            CellEdit::Delete { .. } => {}
        }
        other
    }
}

/// The cell that a change is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellChange {
    /// 0-based; of a cell that goes, where it was.
    pub index: usize,
    /// Its id, if it has one.
    pub id: Option<String>,
    /// `code`, `markdown`, `raw`.
    pub kind: String,
    /// Cells of the notebook afterwards.
    pub n_cells: usize,
}

/// A change that can be shown and written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotebookProposal {
    /// Resolved target.
    pub path: PathBuf,
    /// The bytes before.
    pub base: Vec<u8>,
    /// Their hash.
    pub base_hash: ContentHash,
    /// The bytes that are proposed.
    pub bytes: Vec<u8>,
    /// Which cell.
    pub cell: CellChange,
    /// Most bytes the file may have.
    pub(crate) max_result_bytes: usize,
    /// Source of the cell before; empty for a new one.
    pub base_source: String,
    /// Source of the cell afterwards; empty for one that goes.
    pub source: String,
    /// What was asked for.
    pub request: NotebookRequest,
}

impl NotebookProposal {
    /// The proposal with another source, as a person wants it.
    ///
    /// # Errors
    /// The person wants the cell as it was.
    pub fn with_source(&self, source: &str) -> Result<Self, Error> {
        let request = self.request.with_source(source);
        let problem = |problem| Error::Notebook {
            path: self.path.clone(),
            problem,
        };
        let notebook = Notebook::parse(&self.base).map_err(problem)?;
        let changed = change(&notebook, &request).map_err(problem)?;
        let unchanged = changed.is_same && matches!(request.edit, CellEdit::Replace { .. });
        if unchanged {
            return Err(Error::KeptOriginal {
                path: self.path.clone(),
            });
        }
        self.checked(&notebook, changed, request)
    }

    /// The result must be a notebook with the same other cells.
    fn checked(
        &self,
        before: &Notebook<'_>,
        changed: Changed,
        request: NotebookRequest,
    ) -> Result<Self, Error> {
        require_only(&self.path, before, &changed, &request.edit)?;
        if changed.text.len() > self.max_result_bytes {
            return Err(Error::Edit {
                path: self.path.clone(),
                source: EditError::ResultTooLarge {
                    limit: self.max_result_bytes,
                },
            });
        }
        Ok(Self {
            bytes: changed.text.into_bytes(),
            cell: changed.cell,
            base_source: changed.base_source,
            source: changed.source,
            request,
            ..self.clone()
        })
    }
}

/// Checks everything that can be checked before a person is asked, and works out the change.
///
/// # Errors
/// A refusal that the model reads; nothing was written.
pub fn plan_notebook(
    target: &Resolved,
    request: NotebookRequest,
    context: &PlanContext<'_>,
) -> Result<NotebookProposal, Error> {
    let path = target.path.as_path();
    let facts = match FileFacts::follow(path) {
        Ok(facts) => facts,
        Err(error) if is_absence(&error) => return Err(absent(target, context)),
        Err(source) => {
            return Err(Error::Unverifiable {
                path: path.to_path_buf(),
                source,
            });
        }
    };
    require_regular(path, facts.kind)?;
    require_writable(path, &facts)?;
    if facts.stat.size > context.settings.max_edit_bytes {
        return Err(too_large(path, facts.stat.size, context));
    }
    let known = known(path, &facts, context)?;
    let open = open_regular(path).map_err(gone_while_planning)?;
    let bytes = read_all(&open, path, context.settings.max_edit_bytes)?;
    let hash = ContentHash::of(&bytes);
    if let Some(known) = &known
        && known.hash != Some(hash)
    {
        return Err(Error::Changed {
            path: path.to_path_buf(),
            change: OutsideChange::Changed,
            noticed: Noticed::BeforePlanning,
        });
    }
    context
        .cache
        .refresh_stat(path, hash, open.facts.stat, context.now_ns);
    let (bytes, max_result_bytes) = ((bytes, hash), context.settings.max_result_bytes);
    proposal(path, bytes, known.as_ref(), request, max_result_bytes)
}

fn proposal(
    path: &Path,
    (bytes, hash): (Vec<u8>, ContentHash),
    known: Option<&ReadRecord>,
    request: NotebookRequest,
    max_result_bytes: usize,
) -> Result<NotebookProposal, Error> {
    let problem = |problem| Error::Notebook {
        path: path.to_path_buf(),
        problem,
    };
    let refused = |source| Error::Edit {
        path: path.to_path_buf(),
        source,
    };
    let notebook = Notebook::parse(&bytes).map_err(problem)?;
    if known.is_some_and(|known| !knows_all(known, notebook.cells.len())) {
        return Err(Error::RequiresPriorRead {
            path: path.to_path_buf(),
            need: PriorRead::AllCells,
        });
    }
    let changed = change(&notebook, &request).map_err(problem)?;
    if changed.is_same && !matches!(request.edit, CellEdit::Delete { .. }) {
        return Err(refused(EditError::SameResult));
    }
    refuse_elision(&changed.source, &[&changed.base_source]).map_err(refused)?;
    let empty = NotebookProposal {
        path: path.to_path_buf(),
        base: bytes.clone(),
        base_hash: hash,
        bytes: Vec::new(),
        cell: changed.cell.clone(),
        max_result_bytes,
        base_source: String::new(),
        source: String::new(),
        request: request.clone(),
    };
    empty.checked(&notebook, changed, request)
}

fn absent(target: &Resolved, context: &PlanContext<'_>) -> Error {
    let path = target.path.clone();
    match target.presence {
        Presence::DanglingLink => Error::NotRegular {
            path,
            kind: SpecialKind::DanglingLink,
        },
        Presence::Exists | Presence::Missing if context.cache.knows_path(&path) => Error::Changed {
            path,
            change: OutsideChange::Deleted,
            noticed: Noticed::BeforePlanning,
        },
        Presence::Exists | Presence::Missing => Error::NotFound {
            suggestions: suggestions(&path, context.roots, context.ignore_name),
            path,
        },
    }
}

/// What the model has been shown; nothing where nobody asks.
fn known(
    path: &Path,
    facts: &FileFacts,
    context: &PlanContext<'_>,
) -> Result<Option<ReadRecord>, Error> {
    match context.settings.prior_read {
        PriorReadRule::NotRequired => return Ok(None),
        PriorReadRule::Required => {}
    }
    match context.cache.lookup(path, Some(facts.stat.id)) {
        Some(found) => Ok(Some(found.record().clone())),
        None => Err(Error::RequiresPriorRead {
            path: path.to_path_buf(),
            need: PriorRead::AllCells,
        }),
    }
}

fn knows_all(known: &ReadRecord, n_cells: usize) -> bool {
    match known.shown_as {
        // The model wrote the file itself, as text.
        ShownAs::Text => known.full,
        ShownAs::NonText => known.seen.count_missing(1..n_cells + 1) == 0,
    }
}

/// A notebook after a change.
struct Changed {
    text: String,
    cell: CellChange,
    base_source: String,
    source: String,
    /// Neither source nor kind differ.
    is_same: bool,
}

fn change(notebook: &Notebook<'_>, request: &NotebookRequest) -> Result<Changed, NotebookProblem> {
    match &request.edit {
        CellEdit::Replace { cell, source, kind } => replace(notebook, cell, source, *kind),
        CellEdit::Insert {
            after,
            kind,
            source,
        } => {
            let index = match after {
                Some(id) => notebook.index_of(id)? + 1,
                None => 0,
            };
            let id = notebook
                .has_ids()
                .then(|| unique_id(notebook, &request.new_id));
            let new = NewCell {
                kind: *kind,
                id: id.as_deref(),
                source,
            };
            insert(notebook, index, new)
        }
        CellEdit::Delete { cell } => delete(notebook, cell),
    }
}

fn replace(
    notebook: &Notebook<'_>,
    cell: &str,
    source: &str,
    kind: Option<CellKind>,
) -> Result<Changed, NotebookProblem> {
    let index = notebook.index_of(cell)?;
    let old = notebook.cells.get(index).ok_or_else(lost)?;
    let kind = kind.filter(|_| is_convertible(old));
    let becomes = old.kind_after(kind);
    Ok(Changed {
        text: replaced(notebook, index, source, kind).ok_or_else(lost)?,
        is_same: source == old.source && becomes == old.kind,
        cell: CellChange {
            index,
            id: old.id.clone(),
            kind: becomes.to_owned(),
            n_cells: notebook.cells.len(),
        },
        base_source: old.source.clone(),
        source: source.to_owned(),
    })
}

fn insert(
    notebook: &Notebook<'_>,
    index: usize,
    new: NewCell<'_>,
) -> Result<Changed, NotebookProblem> {
    Ok(Changed {
        text: inserted(notebook, index, new).ok_or_else(lost)?,
        is_same: false,
        cell: CellChange {
            index,
            id: new.id.map(str::to_owned),
            kind: new.kind.name().to_owned(),
            n_cells: notebook.cells.len() + 1,
        },
        base_source: String::new(),
        source: new.source.to_owned(),
    })
}

fn delete(notebook: &Notebook<'_>, cell: &str) -> Result<Changed, NotebookProblem> {
    let index = notebook.index_of(cell)?;
    let old = notebook.cells.get(index).ok_or_else(lost)?;
    Ok(Changed {
        text: deleted(notebook, index).ok_or_else(lost)?,
        is_same: false,
        cell: CellChange {
            index,
            id: old.id.clone(),
            kind: old.kind.clone(),
            n_cells: notebook.cells.len() - 1,
        },
        base_source: old.source.clone(),
        source: String::new(),
    })
}

fn lost() -> NotebookProblem {
    NotebookProblem::Parse {
        detail: "its cells cannot be found".to_owned(),
    }
}

/// Raw cells are for other programs and stay what they are.
fn is_convertible(cell: &Cell) -> bool {
    [CellKind::Code, CellKind::Markdown]
        .iter()
        .any(|kind| kind.name() == cell.kind)
}

fn random_id() -> String {
    let digit = |_| char::from_digit(fastrand::u32(..16), 16).unwrap_or('0');
    (0..ID_DIGITS).map(digit).collect()
}

fn unique_id(notebook: &Notebook<'_>, wanted: &str) -> String {
    let is_taken = |id: &str| {
        notebook
            .cells
            .iter()
            .any(|cell| cell.id.as_deref() == Some(id))
    };
    let mut id = wanted.to_owned();
    while is_taken(&id) {
        id = random_id();
    }
    id
}

/// Makes sure that the result is a notebook in which every other cell has the bytes it had.
fn require_only(
    path: &Path,
    before: &Notebook<'_>,
    changed: &Changed,
    edit: &CellEdit,
) -> Result<(), Error> {
    let failed = |words: &str| Error::Preparation {
        path: path.to_path_buf(),
        source: io::Error::other(words.to_owned()),
    };
    let after =
        Notebook::parse(changed.text.as_bytes()).map_err(|problem| failed(&problem.to_string()))?;
    let mut old = cell_texts(before);
    let mut new = cell_texts(&after);
    let index = changed.cell.index;
    match edit {
        CellEdit::Replace { .. } => {
            remove(&mut old, index);
            remove(&mut new, index);
        }
        CellEdit::Insert { .. } => remove(&mut new, index),
        CellEdit::Delete { .. } => remove(&mut old, index),
    }
    if old != new {
        return Err(failed("other cells would change"));
    }
    let is_written = match edit {
        CellEdit::Delete { .. } => true,
        CellEdit::Replace { .. } | CellEdit::Insert { .. } => {
            let cell = after.cells.get(index);
            cell.is_some_and(|cell| cell.source == changed.source && cell.id == changed.cell.id)
        }
    };
    if is_written {
        Ok(())
    } else {
        Err(failed("the cell would not be as asked"))
    }
}

fn cell_texts<'n>(notebook: &Notebook<'n>) -> Vec<&'n str> {
    let texts = notebook.cells.iter();
    texts
        .map(|cell| notebook.text.get(cell.range.clone()).unwrap_or_default())
        .collect()
}

fn remove(texts: &mut Vec<&str>, index: usize) {
    if index < texts.len() {
        texts.remove(index);
    }
}

/// The cells that are known after a change, of those that were known before it.
pub(super) fn known_after(seen: &LineRanges, change: &CellChange, edit: &CellEdit) -> LineRanges {
    let at = change.index;
    let (old, new) = match edit {
        CellEdit::Replace { .. } => (at..at + 1, at..at + 1),
        CellEdit::Insert { .. } => (at..at, at..at + 1),
        CellEdit::Delete { .. } => (at..at + 1, at..at),
    };
    seen.after_change(&[edit::Hunk { old, new }])
}
