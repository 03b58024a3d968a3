//! `glob`: files by name, those changed last first.

use crate::args::parse;
use crate::search::{SearchDeps, blocking, control, failed, first_line, permission};
use async_trait::async_trait;
use files::{Folders, GitIgnored, GlobParams, SearchTarget, glob, split_absolute_pattern};
use protocol::tool_call::{Display, ToolFailure, ToolKind};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::LazyLock;
use tool_api::{
    ExecContext, Invocation, PathField, PathFields, PathRole, Permission, QuestionBody, Schema,
    Tool, ToolResult,
};

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    Schema::new(json!({
        "type": "object", "additionalProperties": false, "required": ["pattern"],
        "properties": {
            "pattern": {"type": "string", "minLength": 1, "maxLength": 1024, "description": "Such as **/*.rs or src/*/mod.rs; without a slash it matches names at any depth."},
            "path": {"type": "string", "description": "Folder to look in; the workspace if absent."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100},
            "offset": {"type": "integer", "minimum": 0, "default": 0},
            "include_dirs": {"type": "boolean", "default": false},
            "no_ignore": {"type": "boolean", "default": false, "description": "Include files that git ignores."}}
    }))
});

/// The tool.
pub struct Glob {
    deps: SearchDeps,
}

impl Glob {
    /// Looks with these.
    #[must_use]
    pub fn new(deps: SearchDeps) -> Self {
        Self { deps }
    }
}

#[derive(Deserialize)]
struct Args {
    pattern: String,
    path: Option<String>,
    limit: usize,
    offset: usize,
    include_dirs: bool,
    no_ignore: bool,
}

impl Tool for Glob {
    fn name(&self) -> &'static str {
        "glob"
    }
    fn description(&self) -> &'static str {
        include_str!("glob/description.md")
    }
    fn kind(&self) -> ToolKind {
        ToolKind::Search
    }
    fn schema(&self) -> &Schema {
        &SCHEMA
    }
    fn path_fields(&self) -> PathFields {
        PathFields::Fields(&[
            PathField {
                property: "path",
                role: PathRole::SearchRoot,
            },
            PathField {
                property: "pattern",
                role: PathRole::Glob,
            },
        ])
    }
    fn build(&self, args: Value) -> Result<Box<dyn Invocation>, ToolFailure> {
        let parsed: Args = parse(&args)?;
        let (path, pattern) = match split_absolute_pattern(&parsed.pattern) {
            Some((folder, rest)) => (Some(folder), rest.to_owned()),
            None => (parsed.path.as_deref(), parsed.pattern.clone()),
        };
        let target = self.deps.target(path)?;
        let params = GlobParams {
            pattern,
            limit: parsed.limit,
            offset: parsed.offset,
            folders: if parsed.include_dirs {
                Folders::Included
            } else {
                Folders::LeftOut
            },
            git_ignored: if parsed.no_ignore {
                GitIgnored::Shown
            } else {
                GitIgnored::Hidden
            },
            now_ns: (self.deps.now_ns)(),
        };
        Ok(Box::new(Call {
            args,
            params,
            target,
            deps: self.deps.clone(),
        }))
    }
}

struct Call {
    args: Value,
    params: GlobParams,
    target: SearchTarget,
    deps: SearchDeps,
}

#[async_trait]
impl Invocation for Call {
    fn args(&self) -> &Value {
        &self.args
    }
    fn subject(&self) -> String {
        self.params.pattern.clone()
    }
    fn default_permission(&self) -> Permission {
        permission(self.target.location)
    }
    fn question(&self) -> QuestionBody {
        crate::question::info("glob", &self.args)
    }
    async fn execute(self: Box<Self>, ctx: ExecContext) -> ToolResult {
        let Self {
            params,
            target,
            deps,
            ..
        } = *self;
        let found = blocking(ctx.cancel.clone(), move |cancel| {
            glob(&params, &target, &deps.rules, control(cancel))
        })
        .await;
        match found {
            Ok(Ok(found)) => {
                let text = found.text();
                let paths = found.rows.iter().map(|row| row.display.clone()).collect();
                let display = Display::FileList {
                    summary: first_line(&text),
                    paths,
                };
                ToolResult::text(text, display)
            }
            Ok(Err(error)) => failed(&error),
            Err(failure) => ToolResult::failed(failure),
        }
    }
}
