//! `run_shell_command`: one command, on a terminal that the person can watch and type into. In the foreground its end is
//! the result; in the background its start is.
//!
//! A `sed -i` whose change can be worked out is not run: it is shown and written as an edit.

mod in_place;
mod walls;

pub use walls::SandboxChoice;

use crate::args::parse;
use crate::background::{moved_text, output_file, started_text, without_ampersand};
use crate::files_deps::FileDeps;
use crate::search::blocking;
use async_trait::async_trait;
use files::Roots;
use in_place::InPlace;
use protocol::confirmation::Preview;
use protocol::ids::{ProposalId, SessionId, ShellId};
use protocol::log::FileVersion;
use protocol::tool_call::{Display, ToolFailure, ToolKind};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use terminal::{
    Audience, ChildContext, EndReason, Environment, Excerpt, OnTimeout, Outcome, OutputText, Place,
    ShellHandle, ShellProgram, Shells, SpawnRequest, TerminalSize, child_env, model_text,
    one_is_an_answer, self_kill_guard, signal_name, sleep_guard,
};
use tokio_util::sync::CancellationToken;
use tool_api::{
    ExecContext, Invocation, PathField, PathFields, PathRole, Permission, QuestionBody, Schema,
    SessionRule, StopCause, Tool, ToolResult,
};

/// Time a command may take unless the model asks for another.
const DEFAULT_TIMEOUT_MS: u64 = 120_000;
/// Most time a command may take.
const MAX_TIMEOUT_MS: u64 = 600_000;
/// From the first polite signal to force, when a command is stopped.
const KILL_GRACE: Duration = Duration::from_millis(200);
/// Size of the terminal before a view is attached.
const TERMINAL_COLS_ROWS: (u16, u16) = (120, 30);
/// What the transcript row shows of the output.
const SHOWN_TAIL_CHARS: usize = 4_000;
/// What the model reads of the output of a command that was stopped.
const STOPPED_TAIL_CHARS: usize = 2_000;
/// Characters of a description; it is one line in the question.
const MAX_DESCRIPTION_CHARS: usize = 300;
/// Names of this program, which no command may kill by name.
const OWN_NAMES: [&str; 2] = ["benchdog", "benchdog-desktop"];
/// Variables that are nobody else's business.
const PRIVATE_VARIABLES: [&str; 2] = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"];

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    Schema::new(json!({
        "type": "object", "additionalProperties": false, "required": ["command"],
        "properties": {
            "command": {"type": "string", "description": "What bash runs."},
            "description": {"type": "string", "description": "One line for the user: what it does and why."},
            "is_background": {"type": "boolean", "default": false, "description": "For servers, watchers and long builds: it goes on while you do other things, without a time limit."},
            "timeout_ms": {"type": "integer", "description": format!("A foreground command is stopped after this time: {DEFAULT_TIMEOUT_MS} if absent, at most {MAX_TIMEOUT_MS}.")},
            "directory": {"type": "string", "description": "Absolute folder inside the workspace; its root if absent."}}
    }))
});

/// Told of each shell that was started.
pub type ShellStarted = Arc<dyn Fn(ShellHandle) + Send + Sync>;

/// Says which files are others than before the command.
pub type WhatChanged = Box<dyn FnOnce() -> Vec<FileVersion> + Send>;
/// Looks at the files of the session before a command. Blocks, and so does what it gives.
pub type LookAtFiles = Arc<dyn Fn() -> WhatChanged + Send + Sync>;

/// What commands of one session run in.
#[derive(Clone)]
pub struct ShellDeps {
    /// The shells of the program.
    pub shells: Shells,
    /// The files of the session.
    pub files: FileDeps,
    /// The person's environment.
    pub environment: Arc<Environment>,
    /// The session.
    pub session_id: SessionId,
    /// Folder for the output of its shells.
    pub spool_root: PathBuf,
    /// The shell program.
    pub shell: ShellProgram,
    /// The program that supervises a command.
    pub host_program: PathBuf,
    /// What becomes of a command whose time is over.
    pub on_timeout: OnTimeout,
    /// What commands are kept in.
    pub sandbox: SandboxChoice,
    /// Told of each shell that was started.
    pub started: ShellStarted,
    /// Notices what a command does to files of the session.
    pub look_at_files: LookAtFiles,
}

/// The tool.
pub struct RunShellCommand {
    deps: ShellDeps,
}

impl RunShellCommand {
    /// Runs with these.
    #[must_use]
    pub fn new(deps: ShellDeps) -> Self {
        Self { deps }
    }
}

#[derive(Deserialize)]
struct Args {
    command: String,
    description: Option<String>,
    #[serde(default)]
    is_background: bool,
    timeout_ms: Option<i64>,
    directory: Option<String>,
}

impl Tool for RunShellCommand {
    fn name(&self) -> &'static str {
        "run_shell_command"
    }
    fn description(&self) -> &'static str {
        include_str!("run_shell_command/description.md")
    }
    fn kind(&self) -> ToolKind {
        ToolKind::Execute
    }
    fn schema(&self) -> &Schema {
        &SCHEMA
    }
    fn aliases(&self) -> &'static [(&'static str, &'static str)] {
        &[("timeout", "timeout_ms")]
    }
    fn path_fields(&self) -> PathFields {
        PathFields::Fields(&[PathField {
            property: "directory",
            role: PathRole::Dir,
        }])
    }
    fn build(&self, args: Value) -> Result<Box<dyn Invocation>, ToolFailure> {
        let Args {
            command,
            description,
            is_background,
            timeout_ms,
            directory,
        } = parse(&args)?;
        let place = match is_background {
            true => Place::Background,
            false => Place::Foreground,
        };
        check_command(&command, place)?;
        self.deps.sandbox.check()?;
        let command = match place {
            Place::Foreground => command,
            Place::Background => self.in_background(&command)?,
        };
        let timeout_ms = time_limit(timeout_ms, place)?;
        let cwd = folder(directory.as_deref(), &self.deps.files.roots)?;
        let display_cwd = match self
            .deps
            .files
            .roots
            .first()
            .and_then(|root| cwd.strip_prefix(root).ok())
        {
            Some(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
            Some(inside) => inside.display().to_string(),
            None => cwd.display().to_string(),
        };
        let random = uuid::Uuid::now_v7().simple().to_string();
        let shell_id = ShellId(format!(
            "{}_{}",
            prefix(place),
            random.get(24..).unwrap_or(&random)
        ));
        let one_line = |text: String| {
            text.replace(['\n', '\r'], " ")
                .chars()
                .take(MAX_DESCRIPTION_CHARS)
                .collect()
        };
        Ok(Box::new(Call {
            command,
            description: description.map(one_line),
            place,
            timeout_ms,
            cwd,
            display_cwd,
            shell_id,
            args,
            deps: self.deps.clone(),
            in_place: InPlace::OtherCommand,
        }))
    }
}

fn refused(code: &str, message: &str) -> ToolFailure {
    ToolFailure {
        code: code.to_owned(),
        reason: None,
        message: message.to_owned(),
    }
}

impl RunShellCommand {
    /// What will run in the background.
    fn in_background(&self, command: &str) -> Result<String, ToolFailure> {
        let owner = self.deps.session_id.as_str();
        let room = self.deps.shells.room_in_background(owner);
        room.map_err(|error| refused("TOO_MANY_SHELLS", &error.to_string()))?;
        Ok(without_ampersand(command).to_owned())
    }
}

/// Milliseconds; none in the background.
fn time_limit(asked: Option<i64>, place: Place) -> Result<u64, ToolFailure> {
    let limit = match (asked, place) {
        (None, Place::Background) => Some(0),
        (Some(_), Place::Background) => None,
        (None, Place::Foreground) => Some(DEFAULT_TIMEOUT_MS),
        (Some(ms), Place::Foreground) => u64::try_from(ms)
            .ok()
            .filter(|ms| (1..=MAX_TIMEOUT_MS).contains(ms)),
    };
    limit.ok_or_else(|| {
        let words = format!("timeout_ms must be between 1 and {MAX_TIMEOUT_MS} and is only valid for foreground commands.");
        refused("BAD_TIMEOUT", &words)
    })
}

/// How ids of shells begin, so that a reader knows how they started.
fn prefix(place: Place) -> &'static str {
    match place {
        Place::Foreground => "sh",
        Place::Background => "bg",
    }
}

fn check_command(command: &str, place: Place) -> Result<(), ToolFailure> {
    if command.trim().is_empty() {
        return Err(refused("EMPTY_COMMAND", "Command cannot be empty."));
    }
    if command.contains('\0') {
        return Err(refused("NUL_IN_COMMAND", "Command contains a NUL byte."));
    }
    if place == Place::Foreground
        && let Some(text) = sleep_guard(command)
    {
        return Err(refused("SLEEP_GUARD", text));
    }
    match self_kill_guard(command, &OWN_NAMES) {
        Some(text) => Err(refused("SELF_KILL", text)),
        None => Ok(()),
    }
}

fn folder(directory: Option<&str>, roots: &Roots) -> Result<PathBuf, ToolFailure> {
    let bad = |given: &str| {
        let words =
            format!("Directory '{given}' is not an existing directory inside the workspace.");
        refused("BAD_DIRECTORY", &words)
    };
    let Some(given) = directory.filter(|given| !given.trim().is_empty()) else {
        return roots.first().map(Path::to_path_buf).ok_or_else(|| bad("."));
    };
    let path = Path::new(given);
    if !path.is_absolute() {
        return Err(bad(given));
    }
    let real = path.canonicalize().map_err(|_| bad(given))?;
    let inside = roots.locate(&real) == files::Location::Inside;
    if inside && real.is_dir() {
        Ok(real)
    } else {
        Err(bad(given))
    }
}

struct Call {
    args: Value,
    command: String,
    description: Option<String>,
    place: Place,
    timeout_ms: u64,
    cwd: PathBuf,
    display_cwd: String,
    shell_id: ShellId,
    deps: ShellDeps,
    /// Known once it is prepared.
    in_place: InPlace,
}

#[async_trait]
impl Invocation for Call {
    fn args(&self) -> &Value {
        &self.args
    }
    fn subject(&self) -> String {
        self.command.lines().next().unwrap_or_default().to_owned()
    }
    fn default_permission(&self) -> Permission {
        match self.in_place {
            InPlace::NoChange(_) => Permission::Allow,
            InPlace::OtherCommand | InPlace::Hidden(_) | InPlace::Change(_) => Permission::Ask,
        }
    }
    fn session_rule(&self) -> Option<SessionRule> {
        match &self.in_place {
            InPlace::Change(change) if change.passes_as_edit() => change.call.session_rule(),
            InPlace::Change(_) => None,
            InPlace::OtherCommand | InPlace::Hidden(_) | InPlace::NoChange(_) => {
                Some(SessionRule {
                    text: self.deps.sandbox.rule(&self.command),
                })
            }
        }
    }
    fn kind(&self) -> Option<ToolKind> {
        match &self.in_place {
            InPlace::Change(change) if change.passes_as_edit() => Some(ToolKind::Edit),
            InPlace::Change(_)
            | InPlace::OtherCommand
            | InPlace::Hidden(_)
            | InPlace::NoChange(_) => None,
        }
    }
    fn shell_id(&self) -> Option<ShellId> {
        match self.in_place {
            InPlace::OtherCommand | InPlace::Hidden(_) => Some(self.shell_id.clone()),
            InPlace::NoChange(_) | InPlace::Change(_) => None,
        }
    }
    async fn prepare(&mut self, ctx: &ExecContext) -> Result<(), ToolFailure> {
        // In the background nobody would see the edit.
        if self.place == Place::Foreground {
            self.in_place = in_place::look(self, ctx).await?;
        }
        Ok(())
    }
    fn is_stale(&self) -> bool {
        match &self.in_place {
            InPlace::Change(change) => change.call.is_stale(),
            InPlace::OtherCommand | InPlace::Hidden(_) | InPlace::NoChange(_) => false,
        }
    }
    fn question(&self) -> QuestionBody {
        let mut warnings = match &self.in_place {
            InPlace::Change(change) => return change.question(&self.command),
            InPlace::Hidden(reason) => vec![in_place::hidden(reason)],
            InPlace::OtherCommand | InPlace::NoChange(_) => Vec::new(),
        };
        warnings.extend(self.deps.sandbox.warning());
        QuestionBody {
            proposal_id: ProposalId(self.shell_id.as_str().to_owned()),
            preview: Preview::Exec {
                command: self.command.clone(),
                cwd: self.cwd.display().to_string(),
                display_cwd: self.display_cwd.clone(),
                description: self.description.clone(),
                timeout_ms: self.timeout_ms,
                background: self.place == Place::Background,
                sandbox: self.deps.sandbox.facts().cloned(),
            },
            warnings,
            confirm_reasons: Vec::new(),
            modifiable: false,
        }
    }
    async fn execute(mut self: Box<Self>, ctx: ExecContext) -> ToolResult {
        match std::mem::replace(&mut self.in_place, InPlace::OtherCommand) {
            InPlace::Change(change) => return Box::new(change.call).execute(ctx).await,
            InPlace::NoChange(path) => return in_place::no_change(&path),
            InPlace::OtherCommand | InPlace::Hidden(_) => {}
        }
        let look = self.deps.look_at_files.clone();
        let what_changed = match blocking(CancellationToken::new(), move |_| look()).await {
            Ok(what_changed) => what_changed,
            Err(failure) => return ToolResult::failed(failure),
        };
        let shell = match self.deps.shells.start(self.request()).await {
            Ok(shell) => shell,
            Err(error) => return ToolResult::failed(not_started(&error)),
        };
        (self.deps.started)(shell.clone());
        let file = output_file(&self.deps, &self.shell_id);
        if self.place == Place::Background {
            return self.handed_over(&shell, started_text(&shell, &file));
        }
        let outcome = tokio::select! {
            biased;
            () = shell.moved_to_background() => None,
            outcome = shell.wait() => Some(outcome),
            () = ctx.cancel.cancelled() => {
                shell.stop(KILL_GRACE);
                Some(shell.wait().await)
            }
        };
        let mut result = match outcome {
            Some(outcome) => self.result(&outcome, ctx.cancel.is_cancelled()),
            None => self.handed_over(&shell, self.moved_text(&shell, &file)),
        };
        match blocking(CancellationToken::new(), move |_| what_changed()).await {
            Ok(files) => result.files = files,
            Err(failure) => tracing::error!(?failure, "what a command did to files is not known"),
        }
        result
    }
}

impl Call {
    fn moved_text(&self, shell: &ShellHandle, file: &Path) -> String {
        let mut text = moved_text(shell, file);
        if shell.outlived_timeout() {
            text.push_str(&format!(
                "\nNote: timed out after {} ms and was moved to the background as {}",
                self.timeout_ms,
                self.shell_id.as_str()
            ));
        }
        text
    }

    fn request(&self) -> SpawnRequest {
        let context = ChildContext {
            cwd: &self.cwd,
            session_id: self.deps.session_id.as_str(),
            shell_id: self.shell_id.as_str(),
            audience: Audience::Present,
            private: &PRIVATE_VARIABLES,
        };
        let (cols, rows) = TERMINAL_COLS_ROWS;
        SpawnRequest {
            id: self.shell_id.clone(),
            owner: self.deps.session_id.as_str().to_owned(),
            place: self.place,
            command: self.command.clone(),
            cwd: self.cwd.clone(),
            env: child_env(&self.deps.environment, &context),
            size: TerminalSize::clamped(cols, rows),
            timeout: (self.place == Place::Foreground)
                .then(|| Duration::from_millis(self.timeout_ms)),
            on_timeout: self.deps.on_timeout,
            sandbox: self.deps.sandbox.walls().cloned(),
            spool_dir: self.deps.spool_root.join(self.shell_id.as_str()),
            shell: self.deps.shell.clone(),
            host_program: self.deps.host_program.clone(),
        }
    }

    /// The result of a command that goes on without anybody waiting.
    fn handed_over(&self, shell: &ShellHandle, text: String) -> ToolResult {
        let display = Display::Terminal {
            shell_id: self.shell_id.clone(),
            command: self.command.clone(),
            cwd: self.display_cwd.clone(),
            exit_code: None,
            signal: None,
            tail: shell.tail_text(SHOWN_TAIL_CHARS),
            lines: 0,
        };
        ToolResult::text(text, display)
    }

    fn result(&self, outcome: &Outcome, was_cancelled: bool) -> ToolResult {
        let display = Display::Terminal {
            shell_id: self.shell_id.clone(),
            command: self.command.clone(),
            cwd: self.display_cwd.clone(),
            exit_code: outcome.exit.code,
            signal: outcome.exit.signal.map(signal_name),
            tail: output_tail(outcome, SHOWN_TAIL_CHARS),
            lines: line_count(outcome),
        };
        let text = model_text(&self.command, &self.display_cwd, outcome);
        match outcome.reason {
            EndReason::Cancelled if was_cancelled => ToolResult {
                stopped: Some(StopCause::Cancelled),
                ..ToolResult::text(output_tail(outcome, STOPPED_TAIL_CHARS), display)
            },
            EndReason::TimedOut => ToolResult {
                stopped: Some(StopCause::Timeout),
                failure: Some(refused("EXECUTION_TIMEOUT", "the time limit was reached")),
                ..ToolResult::text(text, display)
            },
            EndReason::Natural | EndReason::Lost | EndReason::Cancelled => ToolResult {
                failure: self.failure(outcome),
                ..ToolResult::text(text, display)
            },
        }
    }

    fn failure(&self, outcome: &Outcome) -> Option<ToolFailure> {
        let words = match (outcome.exit.code, outcome.exit.signal) {
            (Some(0), _) => return None,
            (Some(1), _) if one_is_an_answer(&self.command) => return None,
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("ended by {}", signal_name(signal)),
            (None, None) => "it ended without an exit code".to_owned(),
        };
        Some(refused("SHELL_EXECUTE_ERROR", &words))
    }
}

fn not_started(error: &terminal::Error) -> ToolFailure {
    match error {
        terminal::Error::TooManyInBackground { .. } => {
            refused("TOO_MANY_SHELLS", &error.to_string())
        }
        terminal::Error::SpawnFailed { reason } => refused(
            "SPAWN_FAILED",
            &format!("Could not start the shell: {reason}"),
        ),
        terminal::Error::DuplicateId { .. }
        | terminal::Error::NotRunning
        | terminal::Error::InputNotTaken
        | terminal::Error::InputTaken
        | terminal::Error::InputBusy
        | terminal::Error::NoTerminal
        | terminal::Error::LineTooLong { .. } => refused(
            "SPAWN_FAILED",
            &format!("Could not start the shell: {error}"),
        ),
    }
}

fn output_tail(outcome: &Outcome, max_chars: usize) -> String {
    let OutputText::Text(Excerpt { head, tail, .. }) = &outcome.output else {
        return "[binary output]".to_owned();
    };
    let end = if tail.is_empty() { head } else { tail };
    let skip = end.chars().count().saturating_sub(max_chars);
    end.chars().skip(skip).collect()
}

fn line_count(outcome: &Outcome) -> u64 {
    match &outcome.output {
        OutputText::Text(excerpt) => excerpt.lines,
        OutputText::Binary => 0,
    }
}
