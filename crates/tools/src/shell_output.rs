//! `shell_output`: what a shell printed since a place, after waiting a little if that is wanted.

use crate::args::parse;
use crate::background::{READ_MAX_CHARS, end_words, find, output_file, with_mark};
use crate::question::info;
use crate::run_shell_command::ShellDeps;
use async_trait::async_trait;
use protocol::shell::ShellState;
use protocol::tool_call::{Display, ToolFailure, ToolKind};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::LazyLock;
use std::time::Duration;
use terminal::ShellHandle;
use tokio::time::Instant;
use tool_api::{
    ExecContext, Invocation, PathFields, Permission, QuestionBody, Schema, StopCause, Tool,
    ToolResult,
};

/// Longest wait.
const MAX_WAIT_MS: u64 = 30_000;
/// New output is complete enough after this much silence.
const QUIET: Duration = Duration::from_millis(300);
/// Between two looks while waiting.
const LOOK_PERIOD: Duration = Duration::from_millis(50);

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    Schema::new(json!({
        "type": "object", "additionalProperties": false, "required": ["id"],
        "properties": {
            "id": {"type": "string", "description": "The shell, such as bg_1a2b3c4d."},
            "from": {"type": "integer", "minimum": 0, "description": "Place in the text to read from: next_from of the last result; the beginning if absent."},
            "wait_ms": {"type": "integer", "minimum": 0, "maximum": MAX_WAIT_MS, "description": "Longest wait for new output; none if absent."}}
    }))
});

/// The tool.
pub struct ShellOutput {
    deps: ShellDeps,
}

impl ShellOutput {
    /// Reads from these.
    #[must_use]
    pub fn new(deps: ShellDeps) -> Self {
        Self { deps }
    }
}

#[derive(Deserialize)]
struct Args {
    id: String,
    from: Option<u64>,
    wait_ms: Option<u64>,
}

impl Tool for ShellOutput {
    fn name(&self) -> &'static str {
        "shell_output"
    }
    fn description(&self) -> &'static str {
        include_str!("shell_output/description.md")
    }
    fn kind(&self) -> ToolKind {
        ToolKind::Read
    }
    fn schema(&self) -> &Schema {
        &SCHEMA
    }
    fn path_fields(&self) -> PathFields {
        PathFields::None("a shell has an id, no path")
    }
    fn build(&self, args: Value) -> Result<Box<dyn Invocation>, ToolFailure> {
        let Args { id, from, wait_ms } = parse(&args)?;
        Ok(Box::new(Call {
            args,
            id,
            from: from.unwrap_or_default(),
            wait: Duration::from_millis(wait_ms.unwrap_or_default().min(MAX_WAIT_MS)),
            deps: self.deps.clone(),
        }))
    }
}

struct Call {
    args: Value,
    id: String,
    from: u64,
    wait: Duration,
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
        info("shell_output", &self.args)
    }
    async fn execute(self: Box<Self>, ctx: ExecContext) -> ToolResult {
        let shell = match find(&self.deps, &self.id) {
            Ok(shell) => shell,
            Err(failure) => return ToolResult::failed(failure),
        };
        tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => {
                return ToolResult {
                    stopped: Some(StopCause::Cancelled),
                    ..ToolResult::text("", Display::None)
                };
            }
            () = self.news(&shell) => {}
        }
        read(&self.deps, &shell, self.from)
    }
}

impl Call {
    /// Waits for something to tell: output and then silence, a question, the end. Not for longer than asked.
    async fn news(&self, shell: &ShellHandle) {
        let until = Instant::now() + self.wait;
        while Instant::now() < until {
            let status = shell.status();
            let told = status.state != ShellState::Running || status.waiting;
            let quiet = shell.silence() >= QUIET;
            if told || quiet && !shell.text_since(self.from, 1).text.is_empty() {
                return;
            }
            tokio::time::sleep_until(until.min(Instant::now() + LOOK_PERIOD)).await;
        }
    }
}

/// What a shell printed from a place on, and how it stands.
pub(crate) fn read(deps: &ShellDeps, shell: &ShellHandle, from: u64) -> ToolResult {
    // The state first: what is printed between the two is in the text, and an end is not told before its output.
    let status = shell.status();
    let since = shell.text_since(from, READ_MAX_CHARS);
    let file = output_file(deps, shell.id());
    let state = status.state.name();
    let end = match end_words(shell) {
        words if words.is_empty() || status.state == ShellState::Running => String::new(),
        words => format!(" ({words})"),
    };
    let waiting = if status.waiting { "yes" } else { "no" };
    let text = format!(
        "status: {state}{end}\nwaiting_for_input: {waiting}\nnext_from: {}\ntext: {}",
        since.next,
        with_mark(&since, &file)
    );
    let shown = Display::Text { text: text.clone() };
    ToolResult::text(text, shown)
}
