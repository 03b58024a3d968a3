//! `task_stop`: ends a background shell with everything it started.

use crate::args::parse;
use crate::background::{end_words, find};
use crate::question::info;
use crate::run_shell_command::ShellDeps;
use async_trait::async_trait;
use protocol::tool_call::{Display, ToolFailure, ToolKind};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::LazyLock;
use std::time::Duration;
use tool_api::{
    ExecContext, Invocation, PathFields, Permission, QuestionBody, Schema, Tool, ToolResult,
};

/// From the first polite signal to force.
const KILL_GRACE: Duration = Duration::from_secs(2);
/// The supervisor gives up on what cannot be killed after five seconds; a little later nothing more will happen.
const END_MAX: Duration = Duration::from_secs(6);

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    Schema::new(json!({
        "type": "object", "additionalProperties": false, "required": ["id"],
        "properties": {"id": {"type": "string", "description": "The shell, such as bg_1a2b3c4d."}}
    }))
});

/// The tool.
pub struct TaskStop {
    deps: ShellDeps,
}

impl TaskStop {
    /// Stops these.
    #[must_use]
    pub fn new(deps: ShellDeps) -> Self {
        Self { deps }
    }
}

#[derive(Deserialize)]
struct Args {
    id: String,
}

impl Tool for TaskStop {
    fn name(&self) -> &'static str {
        "task_stop"
    }
    fn description(&self) -> &'static str {
        include_str!("task_stop/description.md")
    }
    fn kind(&self) -> ToolKind {
        ToolKind::Other
    }
    fn schema(&self) -> &Schema {
        &SCHEMA
    }
    fn path_fields(&self) -> PathFields {
        PathFields::None("a shell has an id, no path")
    }
    fn build(&self, args: Value) -> Result<Box<dyn Invocation>, ToolFailure> {
        let Args { id } = parse(&args)?;
        Ok(Box::new(Call {
            args,
            id,
            deps: self.deps.clone(),
        }))
    }
}

struct Call {
    args: Value,
    id: String,
    deps: ShellDeps,
}

#[async_trait]
impl Invocation for Call {
    fn args(&self) -> &Value {
        &self.args
    }
    fn subject(&self) -> String {
        self.id.clone()
    }
    fn default_permission(&self) -> Permission {
        Permission::Allow
    }
    fn question(&self) -> QuestionBody {
        info("task_stop", &self.args)
    }
    async fn execute(self: Box<Self>, _ctx: ExecContext) -> ToolResult {
        let shell = match find(&self.deps, &self.id) {
            Ok(shell) => shell,
            Err(failure) => return ToolResult::failed(failure),
        };
        let ran = shell.outcome().is_none();
        if ran && !shell.take_on_telling() {
            tracing::debug!(id = self.id, "its end is told of elsewhere, too");
        }
        shell.kill(KILL_GRACE);
        let all_gone = tokio::time::timeout(END_MAX, shell.gone()).await.is_ok();
        let status = shell.status();
        let mut text = match ran {
            true => format!("Background shell {} was stopped.", self.id),
            false => format!("Background shell {} had ended before.", self.id),
        };
        text.push_str(&format!("\nstatus: {}", status.state.name()));
        match end_words(&shell) {
            words if words.is_empty() => {}
            words => text.push_str(&format!(" ({words})")),
        }
        if !all_gone {
            text.push_str("\nSome of its processes could not be ended.");
        }
        let shown = Display::Text { text: text.clone() };
        ToolResult::text(text, shown)
    }
}
