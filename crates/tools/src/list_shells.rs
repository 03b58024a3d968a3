//! `list_shells`: the background shells of the session, as they are right now.

use crate::background::end_words;
use crate::question::info;
use crate::run_shell_command::ShellDeps;
use async_trait::async_trait;
use protocol::shell::ShellState;
use protocol::tool_call::{Display, ToolFailure, ToolKind};
use serde_json::{Value, json};
use std::sync::LazyLock;
use terminal::ShellHandle;
use tool_api::{
    ExecContext, Invocation, PathFields, Permission, QuestionBody, Schema, Tool, ToolResult,
};

/// What is shown of a command.
const COMMAND_CHARS: usize = 200;

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    Schema::new(json!({"type": "object", "additionalProperties": false, "properties": {}}))
});

/// The tool.
pub struct ListShells {
    deps: ShellDeps,
}

impl ListShells {
    /// Lists these.
    #[must_use]
    pub fn new(deps: ShellDeps) -> Self {
        Self { deps }
    }
}

impl Tool for ListShells {
    fn name(&self) -> &'static str {
        "list_shells"
    }
    fn description(&self) -> &'static str {
        include_str!("list_shells/description.md")
    }
    fn kind(&self) -> ToolKind {
        ToolKind::Read
    }
    fn schema(&self) -> &Schema {
        &SCHEMA
    }
    fn path_fields(&self) -> PathFields {
        PathFields::None("it has no arguments")
    }
    fn build(&self, args: Value) -> Result<Box<dyn Invocation>, ToolFailure> {
        Ok(Box::new(Call {
            args,
            deps: self.deps.clone(),
        }))
    }
}

struct Call {
    args: Value,
    deps: ShellDeps,
}

#[async_trait]
impl Invocation for Call {
    fn args(&self) -> &Value {
        &self.args
    }
    fn subject(&self) -> String {
        String::new()
    }
    fn default_permission(&self) -> Permission {
        Permission::Allow
    }
    fn question(&self) -> QuestionBody {
        info("list_shells", &self.args)
    }
    async fn execute(self: Box<Self>, _ctx: ExecContext) -> ToolResult {
        let shells = self
            .deps
            .shells
            .background_of(self.deps.session_id.as_str());
        let (running, ended): (Vec<_>, Vec<_>) = shells
            .iter()
            .partition(|shell| shell.status().state == ShellState::Running);
        let rows: Vec<String> = running
            .into_iter()
            .chain(ended.into_iter().rev())
            .map(row)
            .collect();
        let text = match rows.is_empty() {
            true => "No background shells.".to_owned(),
            false => rows.join("\n"),
        };
        let shown = Display::Text { text: text.clone() };
        ToolResult::text(text, shown)
    }
}

fn row(shell: &ShellHandle) -> String {
    let status = shell.status();
    let command: String = shell
        .command()
        .lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(COMMAND_CHARS)
        .collect();
    let age = status.elapsed.as_secs();
    let rest = match status.state {
        ShellState::Running => format!(
            "for {age} s, last output {} s ago, pid {}",
            shell.silence().as_secs(),
            status.pid
        ),
        ShellState::Completed
        | ShellState::Failed
        | ShellState::Cancelled
        | ShellState::TimedOut
        | ShellState::Lost => format!("after {age} s, {}", end_words(shell)),
    };
    let left = match status.leftovers.len() {
        0 => String::new(),
        count => format!(", {count} processes still run"),
    };
    format!(
        "{} {} ({rest}{left}): {command}",
        shell.id().as_str(),
        status.state.name()
    )
}
