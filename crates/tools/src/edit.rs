//! `edit`: replaces one exact piece of a file.

use crate::args::parse;
use crate::change::{Asked, ChangeCall};
use crate::files_deps::FileDeps;
use edit::{Occurrences, with_lf};
use protocol::tool_call::{ToolFailure, ToolKind};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::LazyLock;
use tool_api::{Invocation, PathField, PathFields, PathRole, Schema, Tool};

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    Schema::new(json!({
        "type": "object", "additionalProperties": false, "required": ["file_path", "old_string", "new_string"],
        "properties": {
            "file_path": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "Absolute path."},
            "old_string": {"type": "string", "maxLength": 1_000_000, "description": "The exact text to replace; empty creates the file."},
            "new_string": {"type": "string", "maxLength": 1_000_000, "description": "The text to put there."},
            "replace_all": {"type": "boolean", "default": false, "description": "Replace every occurrence."}}
    }))
});

/// The tool.
pub struct Edit {
    deps: FileDeps,
}

impl Edit {
    /// Edits with these.
    #[must_use]
    pub fn new(deps: FileDeps) -> Self {
        Self { deps }
    }
}

#[derive(Deserialize)]
struct Args {
    file_path: String,
    old_string: String,
    new_string: String,
    replace_all: bool,
}

impl Tool for Edit {
    fn name(&self) -> &'static str {
        "edit"
    }
    fn description(&self) -> &'static str {
        include_str!("edit/description.md")
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
        let Args {
            file_path,
            old_string,
            new_string,
            replace_all,
        } = parse(&args)?;
        let target = self.deps.resolve(&file_path)?;
        let asked = Asked::Edit {
            old: with_lf(&old_string).into_owned(),
            new: with_lf(&new_string).into_owned(),
            occurrences: if replace_all {
                Occurrences::All
            } else {
                Occurrences::One
            },
        };
        Ok(Box::new(ChangeCall::new(
            args,
            target,
            asked,
            self.deps.clone(),
        )))
    }
}
