//! `apply_patch`: changes several files with one review.

mod call;

use crate::args::parse;
use crate::files_deps::FileDeps;
use crate::search::failure;
use call::{PatchCall, Step};
use edit::{FilePatch, parse_patch};
use files::{Error, PatchStep, Resolved};
use protocol::tool_call::{ToolFailure, ToolKind};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;
use tool_api::{Invocation, PathFields, Schema, Tool};

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    Schema::new(json!({
        "type": "object", "additionalProperties": false, "required": ["patch"],
        "properties": {
            "patch": {"type": "string", "minLength": 1, "maxLength": 1_000_000, "description": "The patch, from *** Begin Patch to *** End Patch."}}
    }))
});

/// The tool.
pub struct ApplyPatch {
    deps: FileDeps,
}

impl ApplyPatch {
    /// Patches with these.
    #[must_use]
    pub fn new(deps: FileDeps) -> Self {
        Self { deps }
    }
}

#[derive(Deserialize)]
struct Args {
    patch: String,
}

impl Tool for ApplyPatch {
    fn name(&self) -> &'static str {
        "apply_patch"
    }
    fn description(&self) -> &'static str {
        include_str!("apply_patch/description.md")
    }
    fn kind(&self) -> ToolKind {
        ToolKind::Edit
    }
    fn schema(&self) -> &Schema {
        &SCHEMA
    }
    fn path_fields(&self) -> PathFields {
        PathFields::None("the paths are lines of the patch")
    }
    fn build(&self, args: Value) -> Result<Box<dyn Invocation>, ToolFailure> {
        let Args { patch } = parse(&args)?;
        let files = parse_patch(&patch).map_err(|error| invalid(error.to_string()))?;
        if files.is_empty() {
            return Err(ToolFailure {
                code: "EDIT_NO_CHANGE".to_owned(),
                reason: None,
                message: "the patch changes nothing".to_owned(),
            });
        }
        let mut steps = Vec::with_capacity(files.len());
        let mut touched = BTreeSet::new();
        for file in files {
            let step = self.step(file)?;
            for target in step.targets() {
                if !touched.insert(target.path.clone()) {
                    return Err(invalid(format!(
                        "{} occurs more than once in the patch; put all its chunks under one header",
                        target.path.display()
                    )));
                }
            }
            steps.push(step);
        }
        Ok(Box::new(PatchCall::new(args, steps, self.deps.clone())))
    }
}

impl ApplyPatch {
    fn step(&self, file: FilePatch) -> Result<Step, ToolFailure> {
        Ok(Step(match file {
            FilePatch::Add { path, content } => PatchStep::Add {
                target: self.resolve(&path)?,
                content,
            },
            FilePatch::Delete { path } => PatchStep::Delete {
                target: self.resolve(&path)?,
            },
            FilePatch::Update {
                path,
                move_to: None,
                chunks,
            } => PatchStep::Update {
                target: self.resolve(&path)?,
                chunks,
            },
            FilePatch::Update {
                path,
                move_to: Some(to),
                chunks,
            } => PatchStep::Move {
                target: self.resolve(&path)?,
                to: self.resolve(&to)?,
                chunks,
            },
        }))
    }

    /// A path of a patch may be relative to the workspace.
    fn resolve(&self, path: &str) -> Result<Resolved, ToolFailure> {
        match self.deps.roots.first() {
            Some(root) if Path::new(path).is_relative() && !path.is_empty() => {
                self.deps.resolve(&root.join(path).display().to_string())
            }
            Some(_) | None => self.deps.resolve(path),
        }
    }
}

fn invalid(problem: String) -> ToolFailure {
    failure(&Error::InvalidParams { problem })
}
