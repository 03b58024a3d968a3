//! Sessions made of a few facts, and a clock that the test moves.

use protocol::confirmation::{Ask, AskState, Preview, Resolution, Verdict};
use protocol::diff::{DiffStat, Eol, FileDiff, NetStat};
use protocol::ids::{CallId, SessionId};
use protocol::item::{Item, ItemBody, ToolItem};
use protocol::log::LogEvent;
use protocol::message::{Block, Origin, Part, StopReason, Usage};
use protocol::session::{Mode, Outcome, TurnCause};
use protocol::tool_call::{CallArgs, CallStatus, Display, ToolCall};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use store::{Clock, NewSession, OpenOptions, OpenReport, Store};

/// The first millisecond of every test.
pub(crate) const START_MS: i64 = 1_790_000_000_000;

/// A clock that stands until it is moved.
#[derive(Clone)]
pub(crate) struct TestClock(Arc<AtomicI64>);

impl TestClock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicI64::new(START_MS)))
    }

    pub(crate) fn advance(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }

    pub(crate) fn options(&self) -> OpenOptions {
        let time = self.0.clone();
        OpenOptions::new(Clock::new(move || time.load(Ordering::SeqCst)))
    }
}

pub(crate) fn open(dir: &Path) -> (Store, OpenReport) {
    Store::open(dir, TestClock::new().options()).expect("the store opens")
}

pub(crate) fn origin() -> Origin {
    Origin {
        provider: "demo".to_owned(),
        model: "demo-1".to_owned(),
    }
}

pub(crate) fn new_session(workspace: &str) -> NewSession {
    NewSession {
        workspace: workspace.to_owned(),
        origin: origin(),
        mode: Mode::Default,
        app_version: "0.1.0".to_owned(),
        parent: None,
    }
}

pub(crate) fn session(store: &Store) -> SessionId {
    store
        .create_session(new_session("/w"))
        .wait()
        .expect("a session")
        .session_id
}

pub(crate) fn started() -> LogEvent {
    LogEvent::TurnStarted {
        cause: TurnCause::User,
    }
}

pub(crate) fn user(text: &str) -> LogEvent {
    LogEvent::UserMessage {
        text: text.to_owned(),
        images: Vec::new(),
        reminders: Vec::new(),
        steer: false,
    }
}

pub(crate) fn request(request: u64, step: u32) -> LogEvent {
    LogEvent::RequestStarted {
        request,
        step,
        attempt: 1,
        origin: origin(),
        estimate: 100,
    }
}

pub(crate) fn text_block(text: &str) -> Block {
    Block::Text {
        text: text.to_owned(),
        meta: None,
    }
}

/// A message of text and calls.
pub(crate) fn says(request: u64, text: &str, calls: &[&str]) -> LogEvent {
    let mut blocks = Vec::new();
    if !text.is_empty() {
        blocks.push(text_block(text));
    }
    blocks.extend(calls.iter().map(|id| Block::Call {
        call_id: CallId::from(*id),
    }));
    LogEvent::AssistantMessage {
        request,
        step: u32::try_from(request).expect("a small number"),
        blocks,
        stop: if calls.is_empty() {
            StopReason::EndTurn
        } else {
            StopReason::ToolUse
        },
        raw_stop: None,
        usage: Some(Usage {
            input: 100,
            output: 10,
            ..Usage::default()
        }),
        cost_micros: Some(7),
        origin: origin(),
    }
}

pub(crate) fn tool_call(id: &str, name: &str, args: Value) -> ToolCall {
    ToolCall {
        call_id: CallId::from(id),
        name: name.to_owned(),
        args: CallArgs::Usable { value: args },
        meta: None,
    }
}

pub(crate) fn call(id: &str, name: &str, args: Value) -> LogEvent {
    LogEvent::ToolCall {
        call: tool_call(id, name, args),
    }
}

pub(crate) fn read_call(id: &str) -> LogEvent {
    call(id, "read_file", json!({"file_path": "/w/src/a.rs"}))
}

pub(crate) fn runs(id: &str) -> LogEvent {
    LogEvent::ToolStarted {
        call_id: CallId::from(id),
        shell_id: None,
    }
}

pub(crate) fn result(id: &str, status: CallStatus, text: &str) -> LogEvent {
    result_with(id, status, text, Display::None)
}

pub(crate) fn result_with(id: &str, status: CallStatus, text: &str, display: Display) -> LogEvent {
    LogEvent::ToolResult {
        call_id: CallId::from(id),
        status,
        content: vec![Part::Text {
            text: text.to_owned(),
        }],
        is_error: status != CallStatus::Ok,
        ms: 12,
        failure: None,
        display,
        edited: false,
        hint: None,
    }
}

pub(crate) fn asks(id: &str) -> LogEvent {
    LogEvent::ApprovalRequested {
        ask: Box::new(Ask {
            call_id: CallId::from(id),
            proposal_id: format!("p-{id}").into(),
            tool: "edit".to_owned(),
            preview: Preview::Edit {
                diff: Box::new(file_diff("old\n", "new\n")),
            },
            scopes: Vec::new(),
            warnings: Vec::new(),
            confirm_reasons: Vec::new(),
            modifiable: true,
            state: AskState::Open,
        }),
    }
}

pub(crate) fn resolved(id: &str, verdict: Verdict) -> LogEvent {
    LogEvent::ApprovalResolved {
        call_id: CallId::from(id),
        resolution: Resolution {
            verdict,
            scope: None,
            rules: Vec::new(),
            words: None,
        },
        stat: None,
        final_args: None,
    }
}

pub(crate) fn file_diff(base: &str, new: &str) -> FileDiff {
    FileDiff {
        file_path: "/w/src/a.rs".to_owned(),
        display_path: "src/a.rs".to_owned(),
        is_new: false,
        unified_diff: "-old\n+new\n".to_owned(),
        base_text: Some(base.to_owned()),
        new_text: Some(new.to_owned()),
        stat: DiffStat {
            model_added_lines: 3,
            model_removed_lines: 1,
            net: NetStat {
                ai_added: 2,
                human_added: 1,
                ai_removed: 1,
                ..NetStat::default()
            },
            ..DiffStat::default()
        },
        layer: "L1".to_owned(),
        encoding: "utf-8".to_owned(),
        encoding_guessed: false,
        bom: false,
        eol: Eol::Lf,
        warnings: Vec::new(),
        changed_by_user: false,
        notebook: None,
    }
}

pub(crate) fn ended(outcome: Outcome) -> LogEvent {
    LogEvent::TurnEnded {
        outcome,
        message: None,
        steps: 1,
    }
}

/// A turn of one question and one answer.
pub(crate) fn small_turn(number: u64) -> Vec<LogEvent> {
    vec![
        started(),
        user(&format!("say {number}")),
        request(number, 1),
        says(number, &format!("answer {number}"), &[]),
        ended(Outcome::Completed),
    ]
}

pub(crate) fn items(store: &Store, id: &SessionId) -> Vec<Item> {
    store
        .read_blocking(|reader| reader.page(id, u64::MAX, 200))
        .expect("a page")
        .items
}

pub(crate) fn tool(item: &Item) -> &ToolItem {
    match &item.body {
        ItemBody::Tool { tool } => tool,
        other => panic!("a call, not {other:?}"),
    }
}

/// A short word for each row.
pub(crate) fn words(items: &[Item]) -> Vec<String> {
    items
        .iter()
        .map(|item| match &item.body {
            ItemBody::User { text, .. } => format!("user {text}"),
            ItemBody::Assistant { blocks, .. } => {
                let texts: Vec<&str> = blocks
                    .iter()
                    .filter_map(|block| match block {
                        Block::Text { text, .. } => Some(text.as_str()),
                        _ => None,
                    })
                    .collect();
                format!("assistant {}", texts.join("|"))
            }
            ItemBody::Tool { tool } => format!(
                "tool {} {}",
                tool.call_id,
                tool.status.map_or("open", CallStatus::as_str)
            ),
            ItemBody::Summary { text, .. } => format!("summary {text}"),
            ItemBody::Notice { code, .. } => format!("notice {code}"),
        })
        .collect()
}
