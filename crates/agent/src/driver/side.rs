//! Requests beside the conversation: a title, a summary. They have no tools, one try, and a time limit.

use crate::driver::calls::report;
use crate::driver::request::OpenRequest;
use crate::driver::{Driver, Report};
use crate::machine::{SideKind, SideResult};
use llm::{
    Failure, FailureKind, ModelRequest, ModelSettings, ProviderEvent, Purpose, RequestCache,
};
use protocol::log::SystemPart;
use protocol::message::{Part, ViewEntry};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::AbortHandle;

/// A title that takes longer is not worth it.
const TITLE_TIME: Duration = Duration::from_secs(20);
/// Tokens of a title.
const TITLE_TOKENS: u32 = 30;
/// A summary reads the whole conversation.
const SUMMARY_TIME: Duration = Duration::from_secs(300);
/// Characters of one tool result that a summary reads.
const RESULT_CHARS: usize = 2_000;

/// Side requests by id.
#[derive(Default)]
pub(crate) struct Sides {
    open: BTreeMap<u64, AbortHandle>,
}

impl Sides {
    /// A side request reported; returns whether anyone still wants it.
    pub(crate) fn finish(&mut self, id: u64) -> bool {
        self.open.remove(&id).is_some()
    }

    pub(crate) fn abort(&mut self, id: u64) {
        if let Some(task) = self.open.remove(&id) {
            task.abort();
        }
    }

    pub(crate) fn abort_all(&mut self) {
        for task in std::mem::take(&mut self.open).into_values() {
            task.abort();
        }
    }
}

impl Driver {
    pub(crate) fn start_side(&mut self, id: u64, kind: SideKind) {
        let (purpose, instruction, text, limit, time) = self.side_request(kind);
        let settings = ModelSettings {
            max_output: limit,
            ..(*self.deps.model.settings).clone()
        };
        let view = [Arc::new(ViewEntry::User {
            text,
            images: Vec::new(),
            reminders: Vec::new(),
            steer: false,
        })];
        let system = [SystemPart {
            source: "side".to_owned(),
            text: instruction,
        }];
        let built = self.deps.model.provider.build(
            &ModelRequest {
                session_id: &self.deps.session_id,
                purpose,
                attempt: 1,
                workspace: &self.deps.workspace,
                model: &settings,
                system: &system,
                view: &view,
                tools: &Arc::from([]),
                images: &*self.deps.pictures,
            },
            &mut RequestCache::default(),
        );
        let report_to = self.report_to.clone();
        let provider = self.deps.model.provider.clone();
        let task = tokio::spawn(async move {
            let result = match built {
                Ok(wire) => match tokio::time::timeout(
                    time,
                    collect(OpenRequest::start(0, &provider, wire)),
                )
                .await
                {
                    Ok(result) => result,
                    Err(_) => failed(FailureKind::TimeoutTotal, "it took too long"),
                },
                Err(error) => failed(FailureKind::Config, &error.to_string()),
            };
            report(&report_to, Report::Side { id, result });
        });
        self.sides.open.insert(id, task.abort_handle());
    }

    fn side_request(&self, kind: SideKind) -> (Purpose, String, String, u32, Duration) {
        match kind {
            SideKind::Title { text } => (
                Purpose::Title,
                include_str!("../prompt/title.md").to_owned(),
                text,
                TITLE_TOKENS,
                TITLE_TIME,
            ),
            SideKind::Summary {
                from,
                to,
                words,
                max_tokens,
            } => {
                let mut instruction = include_str!("../prompt/summary.md").to_owned();
                if let Some(words) = words {
                    instruction.push_str("\nThe user asks you to look after this in particular: ");
                    instruction.push_str(&words);
                }
                let head = self.state.view().get(from..to).unwrap_or_default();
                let text = head
                    .iter()
                    .map(|entry| spoken(entry))
                    .collect::<Vec<_>>()
                    .join("\n\n");
                (
                    Purpose::Summary,
                    instruction,
                    text,
                    u32::try_from(max_tokens).unwrap_or(u32::MAX),
                    SUMMARY_TIME,
                )
            }
        }
    }
}

async fn collect(mut request: OpenRequest) -> SideResult {
    let mut out = String::new();
    let mut texts = std::collections::BTreeSet::new();
    while let Some(batch) = request.next().await {
        for event in batch.events {
            match event {
                ProviderEvent::BlockStart {
                    block,
                    kind: llm::BlockKind::Text,
                    ..
                } => {
                    texts.insert(block);
                }
                ProviderEvent::BlockDelta { block, delta } if texts.contains(&block) => {
                    out.push_str(&delta)
                }
                ProviderEvent::Error(failure) => return SideResult::Failed { failure },
                ProviderEvent::Stop { .. } => {
                    return SideResult::Text {
                        text: out,
                        notes: Vec::new(),
                    };
                }
                ProviderEvent::ResponseStart { .. }
                | ProviderEvent::BlockStart { .. }
                | ProviderEvent::BlockDelta { .. }
                | ProviderEvent::BlockStop { .. }
                | ProviderEvent::Warning { .. }
                | ProviderEvent::Usage { .. } => {}
            }
        }
    }
    failed(
        FailureKind::StreamTruncated,
        "the answer ended in the middle",
    )
}

fn failed(kind: FailureKind, message: &str) -> SideResult {
    SideResult::Failed {
        failure: Failure::new(kind, message),
    }
}

fn spoken(entry: &ViewEntry) -> String {
    match entry {
        ViewEntry::User { text, .. } => format!("User: {text}"),
        ViewEntry::Summary { text } => format!("Summary of what came before: {text}"),
        ViewEntry::Result { content, .. } => {
            let text: String = content.iter().map(part_text).collect::<Vec<_>>().join("\n");
            format!(
                "Result: {}",
                text.chars().take(RESULT_CHARS).collect::<String>()
            )
        }
        ViewEntry::Assistant { blocks, calls, .. } => {
            let mut lines: Vec<String> = blocks
                .iter()
                .filter_map(|block| match block {
                    protocol::message::Block::Text { text, .. } => {
                        Some(format!("Assistant: {text}"))
                    }
                    _ => None,
                })
                .collect();
            lines.extend(
                calls
                    .iter()
                    .map(|call| format!("Call: {} {}", call.name, arguments(&call.args))),
            );
            lines.join("\n")
        }
    }
}

fn part_text(part: &Part) -> String {
    match part {
        Part::Text { text } => text.clone(),
        Part::Image { .. } => "[image]".to_owned(),
    }
}

fn arguments(args: &protocol::tool_call::CallArgs) -> String {
    match args {
        protocol::tool_call::CallArgs::Usable { value } => {
            value.to_string().chars().take(RESULT_CHARS).collect()
        }
        protocol::tool_call::CallArgs::Unusable { raw, .. } => {
            raw.chars().take(RESULT_CHARS).collect()
        }
    }
}
