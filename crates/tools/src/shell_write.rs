//! `shell_write`: types into a shell, which is executing.
//!
//! A person is asked every time, unless a rule of the session names this very shell; and whoever takes the keys comes
//! first. Deliberately absent: any guess what a program wants to hear.

use crate::args::parse;
use crate::background::{failure, find};
use crate::run_shell_command::ShellDeps;
use crate::shell_output;
use async_trait::async_trait;
use protocol::confirmation::Preview;
use protocol::tool_call::{Display, ToolFailure, ToolKind};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::LazyLock;
use std::time::Duration;
use terminal::{Error, ShellHandle};
use tool_api::{
    ExecContext, Invocation, PathFields, Permission, QuestionBody, Schema, SessionRule, StopCause,
    Tool, ToolResult,
};

/// Longest text of one call.
const MAX_TEXT_BYTES: usize = 4_096;
/// What is printed within this time belongs to the result.
const LISTEN: Duration = Duration::from_millis(500);
/// What is shown of a command.
const COMMAND_CHARS: usize = 200;
/// Enter, as a terminal sends it.
const ENTER: char = '\r';

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    Schema::new(json!({
        "type": "object", "additionalProperties": false, "required": ["id", "text"],
        "properties": {
            "id": {"type": "string", "description": "The shell, such as bg_1a2b3c4d."},
            "text": {"type": "string", "description": "What to type, at most 4096 bytes. Control characters are keys: \\u0003 is Ctrl-C, \\u001b Escape."},
            "enter": {"type": "boolean", "description": "Press Enter after it; true if absent."}}
    }))
});

/// The tool.
pub struct ShellWrite {
    deps: ShellDeps,
}

impl ShellWrite {
    /// Types into these.
    #[must_use]
    pub fn new(deps: ShellDeps) -> Self {
        Self { deps }
    }
}

#[derive(Deserialize)]
struct Args {
    id: String,
    text: String,
    enter: Option<bool>,
}

impl Tool for ShellWrite {
    fn name(&self) -> &'static str {
        "shell_write"
    }
    fn description(&self) -> &'static str {
        include_str!("shell_write/description.md")
    }
    fn kind(&self) -> ToolKind {
        ToolKind::Execute
    }
    fn schema(&self) -> &Schema {
        &SCHEMA
    }
    fn path_fields(&self) -> PathFields {
        PathFields::None("a shell has an id, no path")
    }
    fn build(&self, args: Value) -> Result<Box<dyn Invocation>, ToolFailure> {
        let Args { id, text, enter } = parse(&args)?;
        if text.len() > MAX_TEXT_BYTES {
            let words = format!(
                "text has {} bytes; at most {MAX_TEXT_BYTES} can be typed at once. Write a file and let the program read \
                 that, or type it in parts.",
                text.len()
            );
            return Err(failure("TEXT_TOO_LONG", words));
        }
        let enter = enter.unwrap_or(true);
        if text.is_empty() && !enter {
            let words = "There is nothing to type: give text, or enter true.";
            return Err(failure("NOTHING_TO_TYPE", words.to_owned()));
        }
        let mut keys = text.replace("\r\n", "\n").replace('\n', "\r");
        keys.extend(enter.then_some(ENTER));
        Ok(Box::new(Call {
            args,
            id,
            keys,
            command: String::new(),
            deps: self.deps.clone(),
        }))
    }
}

struct Call {
    args: Value,
    id: String,
    keys: String,
    /// Beginning of the command that will read the keys.
    command: String,
    deps: ShellDeps,
}

impl Call {
    fn running(&self) -> Result<ShellHandle, ToolFailure> {
        let shell = find(&self.deps, &self.id)?;
        if shell.outcome().is_some() {
            let words = format!("The shell {} has ended, so nobody reads it.", self.id);
            return Err(failure("SHELL_NOT_RUNNING", words));
        }
        Ok(shell)
    }
}

#[async_trait]
impl Invocation for Call {
    fn args(&self) -> &Value {
        &self.args
    }
    fn subject(&self) -> String {
        format!("{}: {}", self.id, shown_keys(&self.keys))
            .chars()
            .take(COMMAND_CHARS)
            .collect()
    }
    fn default_permission(&self) -> Permission {
        Permission::Ask
    }
    fn session_rule(&self) -> Option<SessionRule> {
        Some(SessionRule {
            text: format!("ShellWrite({})", self.id),
        })
    }
    async fn prepare(&mut self, _ctx: &ExecContext) -> Result<(), ToolFailure> {
        self.command = self
            .running()?
            .command()
            .chars()
            .take(COMMAND_CHARS)
            .collect();
        Ok(())
    }
    fn question(&self) -> QuestionBody {
        QuestionBody {
            proposal_id: format!("shell_write {}", self.id).as_str().into(),
            preview: Preview::Info {
                title: "shell_write".to_owned(),
                body: format!(
                    "{} ({})\n\n{}",
                    self.id,
                    self.command,
                    shown_keys(&self.keys)
                ),
            },
            warnings: Vec::new(),
            confirm_reasons: Vec::new(),
            modifiable: false,
        }
    }
    async fn execute(self: Box<Self>, ctx: ExecContext) -> ToolResult {
        let shell = match self.running() {
            Ok(shell) => shell,
            Err(failure) => return ToolResult::failed(failure),
        };
        let from = shell.text_since(u64::MAX, 0).next;
        if let Err(error) = shell.write_as_agent(self.keys.as_bytes()) {
            return ToolResult::failed(not_typed(&error));
        }
        tokio::select! {
            biased;
            () = ctx.cancel.cancelled() => ToolResult {
                stopped: Some(StopCause::Cancelled),
                ..ToolResult::text("It was typed; then the turn was stopped.", Display::None)
            },
            () = tokio::time::sleep(LISTEN) => shell_output::read(&self.deps, &shell, from),
        }
    }
}

/// Keys as people read them: what cannot be seen has its sign.
fn shown_keys(keys: &str) -> String {
    let sign = |c: char| match c {
        ENTER => '⏎',
        '\t' => '⇥',
        // The block of signs for control characters has their order.
        '\0'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        other => other,
    };
    keys.chars().map(sign).collect()
}

fn not_typed(error: &Error) -> ToolFailure {
    match error {
        Error::InputTaken => failure(
            "INPUT_TAKEN",
            "The person is typing into this shell. Wait until they give it back, or ask them to type it.".to_owned(),
        ),
        Error::NotRunning => failure(
            "SHELL_NOT_RUNNING",
            "The shell has ended, so nobody reads it.".to_owned(),
        ),
        Error::InputBusy => failure(
            "INPUT_BUSY",
            "The program is not reading its input; try again later.".to_owned(),
        ),
        Error::NoTerminal => failure(
            "NO_TERMINAL",
            "The system had no terminal left for this shell, so it cannot be typed into. Stop it, and start the command with its answers on its command line or in a file.".to_owned(),
        ),
        Error::LineTooLong { .. }
        | Error::InputNotTaken
        | Error::SpawnFailed { .. }
        | Error::DuplicateId { .. }
        | Error::TooManyInBackground { .. } => failure("SHELL_WRITE_ERROR", error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_without_a_shape_are_shown_by_their_signs() {
        assert_eq!(shown_keys("yes\r"), "yes⏎");
        assert_eq!(shown_keys("\u{3}\u{1b}[A\t\u{7f}"), "␃␛[A⇥␡");
    }
}
