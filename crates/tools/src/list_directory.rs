//! `list_directory`: the entries of a folder.

use crate::args::parse;
use crate::search::{SearchDeps, blocking, control, failed, first_line, permission};
use async_trait::async_trait;
use files::{GitIgnored, ListParams, ListRow, SearchTarget, list};
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
        "type": "object", "additionalProperties": false, "required": ["path"],
        "properties": {
            "path": {"type": "string", "description": "The folder."},
            "ignore": {"type": "array", "maxItems": 50, "items": {"type": "string"}, "default": [], "description": "Patterns of names to leave out."},
            "depth": {"type": "integer", "minimum": 1, "maximum": 3, "default": 1},
            "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100},
            "offset": {"type": "integer", "minimum": 0, "default": 0},
            "show_ignored": {"type": "boolean", "default": false, "description": "Show what git ignores too."}}
    }))
});

/// The tool.
pub struct ListDirectory {
    deps: SearchDeps,
}

impl ListDirectory {
    /// Lists with these.
    #[must_use]
    pub fn new(deps: SearchDeps) -> Self {
        Self { deps }
    }
}

#[derive(Deserialize)]
struct Args {
    path: String,
    ignore: Vec<String>,
    depth: usize,
    limit: usize,
    offset: usize,
    show_ignored: bool,
}

impl Tool for ListDirectory {
    fn name(&self) -> &'static str {
        "list_directory"
    }
    fn description(&self) -> &'static str {
        include_str!("list_directory/description.md")
    }
    fn kind(&self) -> ToolKind {
        ToolKind::Search
    }
    fn schema(&self) -> &Schema {
        &SCHEMA
    }
    fn path_fields(&self) -> PathFields {
        PathFields::Fields(&[PathField {
            property: "path",
            role: PathRole::Dir,
        }])
    }
    fn build(&self, args: Value) -> Result<Box<dyn Invocation>, ToolFailure> {
        let parsed: Args = parse(&args)?;
        let target = self.deps.target(Some(&parsed.path))?;
        let params = ListParams {
            ignore: parsed.ignore,
            depth: parsed.depth,
            limit: parsed.limit,
            offset: parsed.offset,
            git_ignored: if parsed.show_ignored {
                GitIgnored::Shown
            } else {
                GitIgnored::Hidden
            },
        };
        Ok(Box::new(Call {
            args,
            path: parsed.path,
            params,
            target,
            deps: self.deps.clone(),
        }))
    }
}

struct Call {
    args: Value,
    path: String,
    params: ListParams,
    target: SearchTarget,
    deps: SearchDeps,
}

#[async_trait]
impl Invocation for Call {
    fn args(&self) -> &Value {
        &self.args
    }
    fn subject(&self) -> String {
        self.path.clone()
    }
    fn default_permission(&self) -> Permission {
        permission(self.target.location)
    }
    fn question(&self) -> QuestionBody {
        crate::question::info("list_directory", &self.args)
    }
    async fn execute(self: Box<Self>, ctx: ExecContext) -> ToolResult {
        let Self {
            params,
            target,
            deps,
            ..
        } = *self;
        let found = blocking(ctx.cancel.clone(), move |cancel| {
            list(&params, &target, &deps.rules, control(cancel))
        })
        .await;
        match found {
            Ok(Ok(found)) => {
                let text = found.text();
                let paths = found.rows.iter().map(ListRow::line).collect();
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
