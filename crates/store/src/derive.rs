//! From facts to rows. Pure: the same fact always makes the same row.
//!
//! Most facts make one row or change the row of one call. What a fact does to other rows (hiding, pruning, taking a
//! refused answer out) is SQL and lives in `apply`. Deliberately absent: I/O, clocks, the counters of a session.

use crate::shorten;
use crate::text::{cut, estimate_tokens, head_chars, one_line};
use protocol::confirmation::Preview;
use protocol::item::{Item, ItemBody, ToolItem, ToolState};
use protocol::log::LogEvent;
use protocol::message::{Block, Part};
use protocol::session::{Mode, Outcome};
use protocol::tool_call::{CallArgs, CallStatus, Display, ToolCall, ToolKind};
use serde_json::Value;

/// Searchable text of one row.
const MAX_SEARCH_BYTES: usize = 8 * 1024;
/// Characters of a result that can be searched.
const MAX_SEARCH_RESULT_CHARS: usize = 2000;
/// One line that says what a call is about.
const MAX_SUBJECT_BYTES: usize = 200;
/// Arguments that say what a call is about, the most telling first.
const SUBJECT_KEYS: &[&str] = &[
    "file_path",
    "notebook_path",
    "command",
    "pattern",
    "url",
    "query",
    "path",
    "task_id",
    "question",
    "description",
    "prompt",
];
/// Those of them that are paths.
const PATH_KEYS: &[&str] = &["file_path", "notebook_path", "path"];
/// Tokens of the frame of a message and of a call, and of a picture.
const MESSAGE_TOKENS: u64 = 8;
const CALL_TOKENS: u64 = 16;
const IMAGE_TOKENS: u64 = 1600;

/// Where a fact stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) seq: u64,
    pub(crate) turn: u32,
    pub(crate) ts: i64,
    /// Folder of the session; paths below it are shown relative to it.
    pub(crate) workspace: &'a str,
}

/// A row as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) item: Item,
    pub(crate) text: String,
    pub(crate) est_tokens: u64,
    pub(crate) result_seq: Option<u64>,
}

impl Row {
    fn new(place: Place<'_>, step: u32, body: ItemBody) -> Self {
        Self {
            item: Item {
                seq: place.seq,
                turn: place.turn,
                step,
                ts: place.ts,
                excluded: false,
                body,
            },
            text: String::new(),
            est_tokens: 0,
            result_seq: None,
        }
    }

    fn searchable(mut self, text: &str) -> Self {
        self.text = cut(text, MAX_SEARCH_BYTES);
        self
    }

    fn costing(mut self, tokens: u64) -> Self {
        self.est_tokens = tokens;
        self
    }

    /// The text of the `kind` column.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.item.body {
            ItemBody::User { .. } => "user",
            ItemBody::Assistant { .. } => "assistant",
            ItemBody::Tool { .. } => "tool",
            ItemBody::Summary { .. } => "summary",
            ItemBody::Notice { .. } => "notice",
        }
    }

    pub(crate) fn tool(&self) -> Option<&ToolItem> {
        match &self.item.body {
            ItemBody::Tool { tool } => Some(tool),
            ItemBody::User { .. }
            | ItemBody::Assistant { .. }
            | ItemBody::Summary { .. }
            | ItemBody::Notice { .. } => None,
        }
    }

    /// The text of the `status` column.
    pub(crate) fn status(&self) -> Option<&'static str> {
        self.tool().map(|tool| match (tool.state, tool.status) {
            (ToolState::Proposed, _) => "proposed",
            (ToolState::Asking, _) => "asking",
            (ToolState::Decided, _) => "decided",
            (ToolState::Running, _) => "running",
            (ToolState::Done, Some(status)) => status.as_str(),
            (ToolState::Done, None) => "done",
        })
    }
}

/// The row that a fact makes, if it makes one. `step` is the step of the newest assistant message, for its calls.
pub(crate) fn row(place: Place<'_>, step: u32, event: &LogEvent) -> Option<Row> {
    match event {
        LogEvent::UserMessage { .. } => user_row(place, event),
        LogEvent::AssistantMessage {
            request,
            step,
            blocks,
            stop,
            usage,
            origin,
            ..
        } => {
            let body = ItemBody::Assistant {
                request: *request,
                blocks: shorten::blocks(blocks),
                stop: *stop,
                usage: *usage,
                origin: origin.clone(),
            };
            let text = said(blocks);
            let tokens = estimate_tokens(&text) + MESSAGE_TOKENS;
            Some(
                Row::new(place, *step, body)
                    .searchable(&text)
                    .costing(tokens),
            )
        }
        LogEvent::ToolCall { call } => Some(call_row(place, step, call)),
        LogEvent::Compaction {
            summary,
            before,
            after,
            ..
        } => {
            let body = ItemBody::Summary {
                text: cut(summary, shorten::MAX_MESSAGE_BYTES),
                before: *before,
                after: *after,
            };
            let tokens = estimate_tokens(summary) + MESSAGE_TOKENS;
            Some(Row::new(place, 0, body).searchable(summary).costing(tokens))
        }
        other => notice(other).map(|body| Row::new(place, 0, body)),
    }
}

fn user_row(place: Place<'_>, event: &LogEvent) -> Option<Row> {
    let LogEvent::UserMessage {
        text,
        images,
        reminders,
        steer,
    } = event
    else {
        return None;
    };
    let hidden: u64 = reminders
        .iter()
        .map(|reminder| estimate_tokens(&reminder.text))
        .sum();
    let tokens =
        estimate_tokens(text) + hidden + images.len() as u64 * IMAGE_TOKENS + MESSAGE_TOKENS;
    let body = ItemBody::User {
        text: cut(text, shorten::MAX_MESSAGE_BYTES),
        images: images.clone(),
        reminders: reminders
            .iter()
            .map(|reminder| reminder.code.clone())
            .collect(),
        steer: *steer,
    };
    Some(Row::new(place, 0, body).searchable(text).costing(tokens))
}

/// What the model said, without its thoughts.
fn said(blocks: &[Block]) -> String {
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| match block {
            Block::Text { text, .. } => Some(text.as_str()),
            Block::Thinking { .. }
            | Block::Call { .. }
            | Block::ServerToolCall { .. }
            | Block::ServerToolResult { .. }
            | Block::Opaque { .. } => None,
        })
        .collect();
    texts.join("\n")
}

fn call_row(place: Place<'_>, step: u32, call: &ToolCall) -> Row {
    let (args, subject, tokens) = match &call.args {
        CallArgs::Usable { value } => (
            shorten::args(value),
            subject(value, place.workspace),
            estimate_tokens(&value.to_string()),
        ),
        CallArgs::Unusable { raw, .. } => (
            shorten::args(&Value::from(raw.as_str())),
            String::new(),
            estimate_tokens(raw),
        ),
    };
    let tool = ToolItem {
        call_id: call.call_id.clone(),
        name: call.name.clone(),
        tool_kind: None,
        subject,
        args,
        state: ToolState::Proposed,
        status: None,
        ms: None,
        shell_id: None,
        resolution: None,
        stat: None,
        edit: None,
        failure: None,
        display: None,
        result_text: None,
        result_chars: 0,
    };
    // Found by search once it has its result: one index entry instead of two.
    Row::new(
        place,
        step,
        ItemBody::Tool {
            tool: Box::new(tool),
        },
    )
    .costing(tokens + CALL_TOKENS)
}

fn subject(args: &Value, workspace: &str) -> String {
    let Some(map) = args.as_object() else {
        return String::new();
    };
    let named = SUBJECT_KEYS.iter().find_map(|key| {
        map.get(*key)
            .and_then(Value::as_str)
            .map(|text| (*key, text))
    });
    match named {
        Some((key, path)) if PATH_KEYS.contains(&key) => {
            one_line(below(path, workspace), MAX_SUBJECT_BYTES)
        }
        Some((_, text)) => one_line(text, MAX_SUBJECT_BYTES),
        None => map
            .values()
            .find_map(Value::as_str)
            .map(|text| one_line(text, MAX_SUBJECT_BYTES))
            .unwrap_or_default(),
    }
}

/// The path as people read it.
fn below<'a>(path: &'a str, workspace: &str) -> &'a str {
    path.strip_prefix(workspace)
        .and_then(|rest| rest.strip_prefix(['/', '\\']))
        .filter(|rest| !rest.is_empty())
        .unwrap_or(path)
}

/// The call whose row a fact changes.
pub(crate) fn changed_call(event: &LogEvent) -> Option<&protocol::ids::CallId> {
    match event {
        LogEvent::ApprovalRequested { ask } => Some(&ask.call_id),
        LogEvent::ApprovalResolved { call_id, .. }
        | LogEvent::ToolStarted { call_id, .. }
        | LogEvent::ToolResult { call_id, .. } => Some(call_id),
        LogEvent::SessionCreated { .. }
        | LogEvent::SystemFrozen { .. }
        | LogEvent::TurnStarted { .. }
        | LogEvent::UserMessage { .. }
        | LogEvent::RequestStarted { .. }
        | LogEvent::AttemptDiscarded { .. }
        | LogEvent::AssistantMessage { .. }
        | LogEvent::ToolCall { .. }
        | LogEvent::FileVersions { .. }
        | LogEvent::StepFinished { .. }
        | LogEvent::TurnEnded { .. }
        | LogEvent::Compaction { .. }
        | LogEvent::Prune { .. }
        | LogEvent::ModeChanged { .. }
        | LogEvent::ModelChanged { .. }
        | LogEvent::TodoChanged { .. }
        | LogEvent::ToolsRevealed { .. }
        | LogEvent::RuleAdded { .. }
        | LogEvent::QueueChanged { .. }
        | LogEvent::ShellState { .. }
        | LogEvent::TitleChanged { .. }
        | LogEvent::Warning { .. }
        | LogEvent::Rewound { .. }
        | LogEvent::RewindUndone { .. }
        | LogEvent::ForkedFrom { .. }
        | LogEvent::Recovered { .. } => None,
    }
}

/// Brings the row of a call up to date with a fact of [`changed_call`]. `seq` is the fact's.
pub(crate) fn change_call(row: &mut Row, seq: u64, event: &LogEvent) {
    let ItemBody::Tool { tool } = &mut row.item.body else {
        return;
    };
    match event {
        LogEvent::ApprovalRequested { ask } => {
            tool.state = ToolState::Asking;
            tool.tool_kind = tool.tool_kind.or(kind_of_preview(&ask.preview));
        }
        LogEvent::ApprovalResolved {
            resolution, stat, ..
        } => {
            tool.state = ToolState::Decided;
            tool.resolution = Some(resolution.clone());
            tool.stat = stat.or(tool.stat);
        }
        LogEvent::ToolStarted { shell_id, .. } => {
            tool.state = ToolState::Running;
            tool.shell_id = shell_id.clone().or(tool.shell_id.take());
        }
        LogEvent::ToolResult {
            status,
            content,
            ms,
            failure,
            display,
            ..
        } => {
            let text = shorten::result_text(content);
            tool.state = ToolState::Done;
            tool.status = Some(*status);
            tool.ms = Some(*ms);
            tool.failure = failure.clone();
            tool.stat = diff_stat(display).or(tool.stat);
            tool.tool_kind = tool.tool_kind.or(kind_of_display(display));
            tool.display = Some(shorten::display(display));
            tool.result_text = Some(shorten::result_head(&text));
            tool.result_chars = text.chars().count() as u64;
            row.text = cut(&searchable_call(tool, &text), MAX_SEARCH_BYTES);
            row.est_tokens += estimate_tokens(&text) + images(content) * IMAGE_TOKENS;
            row.result_seq = Some(seq);
        }
        _ => {}
    }
}

fn images(content: &[Part]) -> u64 {
    content
        .iter()
        .filter(|part| matches!(part, Part::Image { .. }))
        .count() as u64
}

fn searchable_call(tool: &ToolItem, result: &str) -> String {
    let args = match &tool.args {
        Value::Object(map) => map
            .values()
            .map(|value| {
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned)
            })
            .collect::<Vec<_>>()
            .join("\n"),
        other => other.as_str().map_or_else(String::new, str::to_owned),
    };
    format!(
        "{}\n{args}\n{}",
        tool.name,
        head_chars(result, MAX_SEARCH_RESULT_CHARS)
    )
}

fn diff_stat(display: &Display) -> Option<protocol::diff::DiffStat> {
    match display {
        Display::FileDiff { diff } => Some(diff.stat),
        Display::None
        | Display::Text { .. }
        | Display::Todos { .. }
        | Display::Terminal { .. }
        | Display::Matches { .. }
        | Display::FileList { .. }
        | Display::FileRead { .. }
        | Display::Answers { .. } => None,
    }
}

fn kind_of_preview(preview: &Preview) -> Option<ToolKind> {
    match preview {
        Preview::Edit { .. } | Preview::Write { .. } => Some(ToolKind::Edit),
        Preview::Exec { .. } => Some(ToolKind::Execute),
        Preview::Questions { .. } => Some(ToolKind::Think),
        Preview::Info { .. } => None,
    }
}

fn kind_of_display(display: &Display) -> Option<ToolKind> {
    match display {
        Display::None | Display::Text { .. } => None,
        Display::FileDiff { .. } => Some(ToolKind::Edit),
        Display::Todos { .. } | Display::Answers { .. } => Some(ToolKind::Think),
        Display::Terminal { .. } => Some(ToolKind::Execute),
        Display::Matches { .. } | Display::FileList { .. } => Some(ToolKind::Search),
        Display::FileRead { .. } => Some(ToolKind::Read),
    }
}

/// Whether a call with this status had begun to run.
pub(crate) fn has_run(status: CallStatus) -> bool {
    match status {
        CallStatus::Ok
        | CallStatus::Error
        | CallStatus::CancelledRunning
        | CallStatus::Killed
        | CallStatus::Timeout
        | CallStatus::Lost => true,
        CallStatus::Invalid
        | CallStatus::UnknownTool
        | CallStatus::Denied
        | CallStatus::Skipped
        | CallStatus::Blocked
        | CallStatus::Cancelled
        | CallStatus::NotRun => false,
    }
}

/// The one line about the session that a fact makes.
fn notice(event: &LogEvent) -> Option<ItemBody> {
    let (code, text, args) = match event {
        LogEvent::TurnEnded {
            outcome, message, ..
        } => return turn_notice(outcome, message.as_deref()),
        LogEvent::ModeChanged { old, new } => (
            "mode_changed",
            format!("Mode: {} → {}", mode_name(*old), mode_name(*new)),
            vec![mode_name(*old), mode_name(*new)],
        ),
        LogEvent::ModelChanged { old, new } => (
            "model_changed",
            format!("Model: {} → {}", old.model, new.model),
            vec![old.model.clone(), new.model.clone()],
        ),
        LogEvent::Warning { code, text, args } => {
            return Some(notice_body(code, text.clone(), args.clone()));
        }
        LogEvent::Rewound { to_seq } => (
            "rewound",
            "The conversation was taken back.".to_owned(),
            vec![to_seq.to_string()],
        ),
        LogEvent::RewindUndone { rewind_seq } => (
            "rewind_undone",
            "Taking the conversation back was undone.".to_owned(),
            vec![rewind_seq.to_string()],
        ),
        LogEvent::ForkedFrom { session_id, seq } => (
            "forked_from",
            "This session began as a copy.".to_owned(),
            vec![session_id.clone(), seq.to_string()],
        ),
        LogEvent::Recovered { what } => (
            "recovered",
            "The program had ended in the middle of this turn.".to_owned(),
            what.clone(),
        ),
        _ => return None,
    };
    Some(notice_body(code, text, args))
}

fn turn_notice(outcome: &Outcome, message: Option<&str>) -> Option<ItemBody> {
    let (code, args) = match outcome {
        Outcome::Completed => return None,
        Outcome::Error(kind) => ("error".to_owned(), vec![kind.clone()]),
        Outcome::Cancelled
        | Outcome::MaxSteps
        | Outcome::MaxTokens
        | Outcome::Refusal
        | Outcome::LoopDetected
        | Outcome::ContextFull
        | Outcome::Crashed => (outcome.to_string(), Vec::new()),
    };
    let text = message.map_or_else(|| format!("The turn ended: {outcome}."), str::to_owned);
    Some(notice_body(&code, text, args))
}

fn notice_body(code: &str, text: String, args: Vec<String>) -> ItemBody {
    ItemBody::Notice {
        code: code.to_owned(),
        text: cut(&text, shorten::MAX_MESSAGE_BYTES),
        args,
    }
}

/// The wire name of a mode.
pub(crate) fn mode_name(mode: Mode) -> String {
    match mode {
        Mode::Default => "default",
        Mode::AutoEdit => "auto_edit",
        Mode::Plan => "plan",
        Mode::Yolo => "yolo",
    }
    .to_owned()
}

#[cfg(test)]
mod tests;
