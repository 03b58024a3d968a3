//! `write_file`: creates a file, or replaces its whole text.

use crate::args::parse;
use crate::change::{Asked, ChangeCall};
use crate::files_deps::FileDeps;
use edit::with_lf;
use protocol::tool_call::{ToolFailure, ToolKind};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::LazyLock;
use tool_api::{Invocation, PathField, PathFields, PathRole, Schema, Tool};

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    Schema::new(json!({
        "type": "object", "additionalProperties": false, "required": ["file_path", "content"],
        "properties": {
            "file_path": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "Absolute path."},
            "content": {"type": "string", "maxLength": 10_000_000, "description": "The whole text of the file."}}
    }))
});

/// The tool.
pub struct WriteFile {
    deps: FileDeps,
}

impl WriteFile {
    /// Writes with these.
    #[must_use]
    pub fn new(deps: FileDeps) -> Self {
        Self { deps }
    }
}

#[derive(Deserialize)]
struct Args {
    file_path: String,
    content: String,
}

impl Tool for WriteFile {
    fn name(&self) -> &'static str {
        "write_file"
    }
    fn description(&self) -> &'static str {
        include_str!("write_file/description.md")
    }
    fn kind(&self) -> ToolKind {
        ToolKind::Edit
    }
    fn schema(&self) -> &Schema {
        &SCHEMA
    }
    fn path_fields(&self) -> PathFields {
        PathFields::Fields(&[PathField {
            property: "file_path",
            role: PathRole::File,
        }])
    }
    fn build(&self, args: Value) -> Result<Box<dyn Invocation>, ToolFailure> {
        let Args { file_path, content } = parse(&args)?;
        let target = self.deps.resolve(&file_path)?;
        let asked = Asked::Write {
            content: with_lf(&content).into_owned(),
        };
        Ok(Box::new(ChangeCall::new(
            args,
            target,
            asked,
            self.deps.clone(),
        )))
    }
}
