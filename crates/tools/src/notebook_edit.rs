//! `notebook_edit`: changes one cell of a notebook.

mod call;

use crate::args::parse;
use crate::files_deps::FileDeps;
use call::NotebookCall;
use files::{CellEdit, CellKind, NotebookRequest};
use protocol::tool_call::{ToolFailure, ToolKind};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::LazyLock;
use tool_api::{Invocation, PathField, PathFields, PathRole, Schema, Tool};

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    Schema::new(json!({
        "type": "object", "additionalProperties": false, "required": ["notebook_path"],
        "properties": {
            "notebook_path": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "Absolute path of an .ipynb file."},
            "edit_mode": {"type": "string", "enum": ["replace", "insert", "delete"], "default": "replace"},
            "cell_id": {"type": "string", "minLength": 1, "maxLength": 256, "description": "The id of the cell, or cell-N, N from 0. To insert: the cell before."},
            "cell_type": {"type": "string", "enum": ["code", "markdown"], "description": "Needed to insert; changes the type on replace."},
            "new_source": {"type": "string", "maxLength": 1_000_000, "description": "The whole source of the cell. Needed to replace and insert."}}
    }))
});

/// The tool.
pub struct NotebookEdit {
    deps: FileDeps,
}

impl NotebookEdit {
    /// Edits with these.
    #[must_use]
    pub fn new(deps: FileDeps) -> Self {
        Self { deps }
    }
}

#[derive(Deserialize)]
struct Args {
    notebook_path: String,
    edit_mode: Mode,
    cell_id: Option<String>,
    cell_type: Option<Kind>,
    new_source: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    Replace,
    Insert,
    Delete,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Code,
    Markdown,
}

impl Kind {
    fn of_cell(&self) -> CellKind {
        match self {
            Self::Code => CellKind::Code,
            Self::Markdown => CellKind::Markdown,
        }
    }
}

impl Tool for NotebookEdit {
    fn name(&self) -> &'static str {
        "notebook_edit"
    }
    fn description(&self) -> &'static str {
        include_str!("notebook_edit/description.md")
    }
    fn kind(&self) -> ToolKind {
        ToolKind::Edit
    }
    fn schema(&self) -> &Schema {
        &SCHEMA
    }
    fn path_fields(&self) -> PathFields {
        PathFields::Fields(&[PathField {
            property: "notebook_path",
            role: PathRole::File,
        }])
    }
    fn build(&self, args: Value) -> Result<Box<dyn Invocation>, ToolFailure> {
        let parsed: Args = parse(&args)?;
        let is_notebook = Path::new(&parsed.notebook_path)
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("ipynb"));
        if !is_notebook {
            return Err(invalid(
                "notebook_path must name an .ipynb file; use edit for other files",
            ));
        }
        let target = self.deps.resolve(&parsed.notebook_path)?;
        let request = NotebookRequest::new(asked(parsed)?);
        let deps = self.deps.clone();
        Ok(Box::new(NotebookCall::new(args, target, request, deps)))
    }
}

/// What a schema cannot say: which arguments belong to which mode.
fn asked(args: Args) -> Result<CellEdit, ToolFailure> {
    let kind = args.cell_type.as_ref().map(Kind::of_cell);
    match (args.edit_mode, args.cell_id, args.new_source) {
        (Mode::Replace, Some(cell), Some(source)) => Ok(CellEdit::Replace { cell, source, kind }),
        (Mode::Insert, after, Some(source)) => match kind {
            Some(kind) => Ok(CellEdit::Insert {
                after,
                kind,
                source,
            }),
            None => Err(invalid(
                "to insert a cell, give cell_type: code or markdown",
            )),
        },
        (Mode::Delete, Some(cell), _) => Ok(CellEdit::Delete { cell }),
        (Mode::Replace | Mode::Delete, None, _) => {
            Err(invalid("to replace or delete a cell, give cell_id"))
        }
        (Mode::Replace | Mode::Insert, _, None) => {
            Err(invalid("to replace or insert a cell, give new_source"))
        }
    }
}

fn invalid(words: &str) -> ToolFailure {
    ToolFailure {
        code: "INVALID_TOOL_PARAMS".to_owned(),
        reason: None,
        message: words.to_owned(),
    }
}
