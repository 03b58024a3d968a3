//! `read_file`: numbered lines of a text file.

use crate::args::parse;
use crate::files_deps::FileDeps;
use crate::search::{blocking, failed, permission};
use async_trait::async_trait;
use files::{
    ReadContext, ReadLimits, ReadOutcome, ReadRange, Resolved, TextPage, UNCHANGED_TEXT, Variant,
    read_text,
};
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
        "type": "object", "additionalProperties": false, "required": ["file_path"],
        "properties": {
            "file_path": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "Absolute path."},
            "offset": {"type": "integer", "minimum": 0, "description": "First line, from 1."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 10000, "description": "Lines; 2000 if absent."}}
    }))
});

/// The tool.
pub struct ReadFile {
    deps: FileDeps,
}

impl ReadFile {
    /// Reads with these.
    #[must_use]
    pub fn new(deps: FileDeps) -> Self {
        Self { deps }
    }
}

#[derive(Deserialize)]
struct Args {
    file_path: String,
    offset: Option<usize>,
    limit: Option<usize>,
}

impl Tool for ReadFile {
    fn name(&self) -> &'static str {
        "read_file"
    }
    fn description(&self) -> &'static str {
        include_str!("read_file/description.md")
    }
    fn kind(&self) -> ToolKind {
        ToolKind::Read
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
            offset,
            limit,
        } = parse(&args)?;
        let target = self.deps.resolve(&file_path)?;
        // Line 0 is taken as line 1: some models count from nought.
        let range = ReadRange {
            offset: offset.map(|line| line.max(1)),
            limit,
        };
        Ok(Box::new(Call {
            args,
            target,
            range,
            deps: self.deps.clone(),
        }))
    }
}

struct Call {
    args: Value,
    target: Resolved,
    range: ReadRange,
    deps: FileDeps,
}

#[async_trait]
impl Invocation for Call {
    fn args(&self) -> &Value {
        &self.args
    }
    fn subject(&self) -> String {
        self.deps.display_path(&self.target.path)
    }
    fn default_permission(&self) -> Permission {
        permission(self.target.location)
    }
    fn question(&self) -> QuestionBody {
        crate::question::info("read_file", &self.args)
    }
    async fn execute(self: Box<Self>, ctx: ExecContext) -> ToolResult {
        let path = self.deps.display_path(&self.target.path);
        let variant = self.target.variant;
        let Self {
            target,
            range,
            deps,
            ..
        } = *self;
        let read = blocking(ctx.cancel.clone(), move |_| {
            let context = ReadContext {
                cache: &deps.cache,
                roots: &deps.roots,
                ignore_name: &deps.ignore_name,
                limits: ReadLimits::default(),
                now_ns: (deps.now_ns)(),
            };
            read_text(&target, range, &context)
        })
        .await;
        match read {
            Ok(Ok(ReadOutcome::Page(page))) => shown(&page, path, variant),
            Ok(Ok(ReadOutcome::Unchanged)) => ToolResult::text(
                UNCHANGED_TEXT,
                Display::FileRead {
                    path,
                    first_line: 0,
                    last_line: 0,
                    total_lines: 0,
                },
            ),
            Ok(Err(error)) => failed(&error),
            Err(failure) => ToolResult::failed(failure),
        }
    }
}

fn shown(page: &TextPage, path: String, variant: Option<Variant>) -> ToolResult {
    let text = match variant {
        None => page.text.clone(),
        Some(variant) => format!("[read {path} {}]\n{}", variant.as_str(), page.text),
    };
    let display = Display::FileRead {
        path,
        first_line: page.first_line as u64,
        last_line: (page.first_line + page.n_lines).saturating_sub(1) as u64,
        total_lines: page.total.n,
    };
    ToolResult::text(text, display)
}
