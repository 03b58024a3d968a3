//! Jupyter notebooks: shown cell by cell, changed one cell at a time.
//!
//! A notebook is never parsed and written again. Its cells are found in the bytes, and a change replaces the bytes of
//! one cell in the style of the file; every other byte stays. Deliberately absent: running cells.

mod apply;
mod json;
mod plan;
mod show;
mod splice;
mod style;

pub use apply::{NotebookApplied, apply_notebook};
pub use plan::{CellChange, CellEdit, CellKind, NotebookProposal, NotebookRequest, plan_notebook};
pub(crate) use show::show_cells;

use json::Field;
use std::fmt;
use std::ops::Range;

/// Why a notebook cannot be changed as asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotebookProblem {
    /// It is no notebook.
    Parse {
        /// What is wrong.
        detail: String,
    },
    /// An old format, without a list of cells.
    Format {
        /// Major number of its format.
        nbformat: u64,
    },
    /// No such cell.
    CellNotFound {
        /// What was asked for.
        id: String,
        /// How many there are.
        n_cells: usize,
    },
    /// More than one such cell.
    DuplicateId {
        /// The id.
        id: String,
        /// Where: 0-based.
        indices: Vec<usize>,
    },
}

impl NotebookProblem {
    /// The closed reason.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Parse { .. } => "parse",
            Self::Format { .. } => "nbformat",
            Self::CellNotFound { .. } => "cell_not_found",
            Self::DuplicateId { .. } => "duplicate_id",
        }
    }
}

impl fmt::Display for NotebookProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parse { detail } => write!(f, "this is no notebook: {detail}"),
            Self::Format { nbformat } => write!(
                f,
                "notebooks of format {nbformat} cannot be edited; ask the user to convert it to format 4"
            ),
            Self::CellNotFound { id, n_cells: 0 } => {
                write!(
                    f,
                    "there is no cell {id:?}, since the notebook has no cells"
                )
            }
            Self::CellNotFound { id, n_cells } => write!(
                f,
                "there is no cell {id:?}; the notebook has {n_cells} cells, cell-0 to cell-{}. To add a cell, use \
                 edit_mode insert with the cell it follows",
                n_cells - 1
            ),
            Self::DuplicateId { id, indices } => {
                let names: Vec<String> = indices.iter().map(|at| format!("cell-{at}")).collect();
                write!(
                    f,
                    "the id {id:?} occurs more than once; use one of {}",
                    names.join(", ")
                )
            }
        }
    }
}

/// Where the cells of a notebook are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notebook<'a> {
    text: &'a str,
    /// The array, with its brackets.
    array: Range<usize>,
    cells: Vec<Cell>,
    /// Fields of the whole.
    fields: Vec<Field>,
    minor: u64,
    language: Option<String>,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cell {
    range: Range<usize>,
    fields: Vec<Field>,
    kind: String,
    id: Option<String>,
    source: String,
}

impl<'a> Notebook<'a> {
    /// Finds the cells.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, NotebookProblem> {
        let parse = |detail: String| NotebookProblem::Parse { detail };
        let text = std::str::from_utf8(bytes).map_err(|error| parse(error.to_string()))?;
        let body = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        serde_json::from_str::<serde::de::IgnoredAny>(body)
            .map_err(|error| parse(error.to_string()))?;
        let whole = json::value_at(text, text.len() - body.len());
        if !json::is_object(text, &whole) {
            return Err(parse("it is no JSON object".to_owned()));
        }
        let fields = json::fields(text, &whole);
        let major = number(text, &fields, "nbformat").unwrap_or(0);
        if major < 4 {
            return Err(NotebookProblem::Format { nbformat: major });
        }
        let array = json::field(&fields, "cells")
            .map(|field| field.value.clone())
            .filter(|value| json::is_array(text, value))
            .ok_or_else(|| parse("it has no list of cells".to_owned()))?;
        let cells = json::items(text, &array)
            .into_iter()
            .map(|range| Cell::find(text, range))
            .collect::<Option<Vec<Cell>>>()
            .ok_or_else(|| parse("a cell is no object with a text as its source".to_owned()))?;
        Ok(Self {
            minor: number(text, &fields, "nbformat_minor").unwrap_or(0),
            language: language(text, &fields),
            text,
            array,
            cells,
            fields,
        })
    }

    /// Whether cells have ids: since format 4.5.
    fn has_ids(&self) -> bool {
        self.minor >= 5
    }

    /// The cell that an id or `cell-N` means, 0-based.
    fn index_of(&self, id: &str) -> Result<usize, NotebookProblem> {
        let same = |cell: &Cell| cell.id.as_deref() == Some(id);
        let indices: Vec<usize> = (0..self.cells.len())
            .filter(|at| self.cells.get(*at).is_some_and(same))
            .collect();
        match indices.as_slice() {
            [at] => return Ok(*at),
            [] => {}
            [..] => {
                return Err(NotebookProblem::DuplicateId {
                    id: id.to_owned(),
                    indices,
                });
            }
        }
        id.strip_prefix("cell-")
            .and_then(|index| index.parse::<usize>().ok())
            .filter(|index| *index < self.cells.len())
            .ok_or_else(|| NotebookProblem::CellNotFound {
                id: id.to_owned(),
                n_cells: self.cells.len(),
            })
    }
}

impl Cell {
    fn find(text: &str, range: Range<usize>) -> Option<Self> {
        if !json::is_object(text, &range) {
            return None;
        }
        let fields = json::fields(text, &range);
        let named = |name: &str| {
            let field = json::field(&fields, name)?;
            json::string(text, &field.value)
        };
        Some(Self {
            kind: named("cell_type").unwrap_or_default(),
            id: named("id"),
            source: match json::field(&fields, "source") {
                Some(field) => multiline(text, &field.value)?,
                None => String::new(),
            },
            fields,
            range,
        })
    }
}

impl Cell {
    /// Its kind after a change that names one or not.
    fn kind_after(&self, named: Option<CellKind>) -> &str {
        match named {
            Some(kind) => kind.name(),
            None => &self.kind,
        }
    }
}

/// A text that is written as a string or as an array of strings.
fn multiline(text: &str, value: &Range<usize>) -> Option<String> {
    if json::is_array(text, value) {
        let lines = json::items(text, value);
        lines.iter().map(|line| json::string(text, line)).collect()
    } else {
        json::string(text, value)
    }
}

fn number(text: &str, fields: &[Field], name: &str) -> Option<u64> {
    let value = &json::field(fields, name)?.value;
    text.get(value.clone())?.parse().ok()
}

fn language(text: &str, fields: &[Field]) -> Option<String> {
    let metadata = &json::field(fields, "metadata")?.value;
    let metadata: serde_json::Value = serde_json::from_str(text.get(metadata.clone())?).ok()?;
    ["/language_info/name", "/kernelspec/language"]
        .iter()
        .find_map(|place| metadata.pointer(place)?.as_str())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests;
