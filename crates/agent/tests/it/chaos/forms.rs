//! The forms that an expected input may take: messages, verdicts, decisions, results.

use super::{MAX_PARALLEL, MAX_STEPS, TOOLS, World};
use crate::scenario::answers::ask;
use crate::script;
use agent::machine::{
    CheckVerdict, ContextLimits, Decided, DecidedAction, Input, LoopConfig, Repeats, SideResult,
    ToolFacts, ToolOutcome,
};
use llm::{BlockEnd, BlockKind, Failure, FailureKind, ProviderEvent};
use protocol::confirmation::{Resolution, Scope, Verdict};
use protocol::ids::CallId;
use protocol::message::{Block, Part, StopReason, Usage};
use protocol::session::{Mode, Phase};
use protocol::todo::{Todo, TodoStatus};
use protocol::tool_call::{ArgsError, CallArgs, CallStatus, Display, ToolCall, ToolFailure};
use serde_json::json;
use std::collections::BTreeMap;

impl World {
    pub(super) fn next(&mut self, choice: u16) {
        if let Some(id) = self.title.take_if(|_| choice.is_multiple_of(5)) {
            let result = SideResult::Text {
                text: "\"A title\"\n".to_owned(),
                notes: Vec::new(),
            };
            return self.feed(Input::SideDone { id, result });
        }
        match self.state.phase() {
            Phase::Idle => self.say(u8::try_from(choice % 256).unwrap()),
            Phase::Requesting | Phase::Streaming => self.stream(choice),
            Phase::Backoff => {
                let id = self.timer.take().expect("a back-off has a timer");
                self.feed(Input::Timer { id });
            }
            Phase::Compacting => self.finish_side(choice),
            Phase::Calls | Phase::Stopping => self.move_calls(choice),
            Phase::Boundary => panic!("the machine never rests between two steps"),
        }
    }

    fn stream(&mut self, choice: u16) {
        let request = self.request.expect("an open request");
        let event = match self.open_block.take() {
            Some((block, kind)) => self.close_block(block, kind, choice),
            None => match choice % 16 {
                0..=7 => self.open_block(choice),
                8 => ProviderEvent::Usage {
                    usage: Usage {
                        input: u64::from(choice % 700),
                        output: 9,
                        ..Usage::default()
                    },
                },
                9 => self.end(choice / 16),
                10 if choice % 32 == 10 => self.fail(choice / 32),
                _ => self.end(u16::from(self.blocks > 0)),
            },
        };
        self.feed(Input::Provider { request, event });
    }

    fn open_block(&mut self, choice: u16) -> ProviderEvent {
        let kind = match choice / 16 % 5 {
            0 => BlockKind::Thinking,
            1 => BlockKind::Text,
            _ => BlockKind::ToolCall,
        };
        let block = self.blocks;
        self.blocks += 1;
        self.open_block = Some((block, kind));
        ProviderEvent::BlockStart {
            block,
            kind,
            id: None,
            name: None,
        }
    }

    fn close_block(&mut self, block: u32, kind: BlockKind, choice: u16) -> ProviderEvent {
        if choice.is_multiple_of(4) {
            self.open_block = Some((block, kind));
            return ProviderEvent::BlockDelta {
                block,
                delta: format!("word {choice} "),
            };
        }
        let text = if choice % 9 == 1 {
            String::new()
        } else {
            format!("words {choice}")
        };
        let end = match kind {
            BlockKind::Text => BlockEnd::Content {
                content: Block::Text { text, meta: None },
            },
            BlockKind::Thinking => {
                let signature = (choice.is_multiple_of(2)).then(|| "S".to_owned());
                let content = Block::Thinking {
                    text,
                    signature,
                    redacted: None,
                    meta: None,
                };
                BlockEnd::Content { content }
            }
            _ if choice % 13 == 2 => BlockEnd::Dropped,
            _ => BlockEnd::Call {
                call: self.call(choice),
            },
        };
        ProviderEvent::BlockStop { block, end }
    }

    /// Ids repeat now and then, as some providers' do.
    fn call(&mut self, choice: u16) -> ToolCall {
        self.calls += 1;
        if self.monotone {
            let call_id = format!("c{}", self.calls).into();
            let args = CallArgs::Usable { value: json!({}) };
            let name = TOOLS[usize::from(choice % 2)].0.to_owned();
            return ToolCall {
                call_id,
                name,
                args,
                meta: None,
            };
        }
        let names = TOOLS.iter().map(|tool| tool.0).chain(["no_such_tool"]);
        let name = names.collect::<Vec<_>>()[usize::from(choice / 7) % 7].to_owned();
        let number = if choice.is_multiple_of(3) {
            u32::from(choice % 4)
        } else {
            self.calls
        };
        let args = match choice % 11 {
            0 => CallArgs::Unusable {
                error: ArgsError::InvalidJson,
                raw: "{".to_owned(),
                detail: Some("end of input at byte 1".to_owned()),
            },
            _ => CallArgs::Usable {
                value: json!({"a": choice % 2}),
            },
        };
        ToolCall {
            call_id: format!("c{number}").into(),
            name,
            args,
            meta: None,
        }
    }

    fn end(&mut self, choice: u16) -> ProviderEvent {
        self.request = None;
        let reasons = [
            StopReason::EndTurn,
            StopReason::ToolUse,
            StopReason::MaxTokens,
            StopReason::StopSequence,
            StopReason::Refusal,
            StopReason::Pause,
            StopReason::ContextOverflow,
            StopReason::Unknown,
        ];
        script::stop(reasons[usize::from(choice) % reasons.len()])
    }

    fn fail(&mut self, choice: u16) -> ProviderEvent {
        self.request = None;
        let kinds = [
            FailureKind::Overloaded,
            FailureKind::Network,
            FailureKind::Auth,
            FailureKind::ContextOverflow,
            FailureKind::RequestTooLarge,
            FailureKind::RateLimit,
        ];
        let kind = kinds[usize::from(choice) % kinds.len()];
        let retry_after_ms = (choice.is_multiple_of(7)).then_some(u64::from(choice) * 1_000);
        ProviderEvent::Error(Failure {
            retry_after_ms,
            ..Failure::new(kind, "scripted")
        })
    }

    fn finish_side(&mut self, choice: u16) {
        let Some(id) = self.side.take() else {
            return self.acknowledge();
        };
        let result = match choice % 5 {
            0 => SideResult::Failed {
                failure: Failure::new(FailureKind::Server, "scripted"),
            },
            1 => SideResult::Failed {
                failure: Failure::new(FailureKind::ContextOverflow, "long"),
            },
            2 => SideResult::Text {
                text: " ".to_owned(),
                notes: Vec::new(),
            },
            _ => SideResult::Text {
                text: "SUM".to_owned(),
                notes: vec!["note".to_owned()],
            },
        };
        self.feed(Input::SideDone { id, result });
    }

    fn move_calls(&mut self, choice: u16) {
        let small = u8::try_from(choice % 251).unwrap();
        let asked: Vec<CallId> = self.asked.iter().cloned().collect();
        if let Some(call_id) = pick(&self.checks, small) {
            self.checks.retain(|id| *id != call_id);
            let verdict = self.verdict(&call_id, choice);
            self.feed(Input::Checked { call_id, verdict });
        } else if let Some(call_id) = pick(&asked, small) {
            let decided = Box::new(self.decided(&call_id, choice));
            self.feed(Input::Decision { call_id, decided });
        } else if let Some(call_id) = pick(&self.running, small) {
            self.running.retain(|id| *id != call_id);
            let choice = if self.monotone { 7 } else { choice };
            self.feed(Input::ToolDone {
                call_id,
                outcome: Box::new(outcome(choice)),
            });
        }
    }

    fn verdict(&mut self, call_id: &CallId, choice: u16) -> CheckVerdict {
        let name = call_id.as_str().len() + usize::from(choice);
        let kind = TOOLS[name % TOOLS.len()].1;
        match if self.monotone { 9 } else { choice % 12 } {
            0 => CheckVerdict::UnknownTool {
                nearest: Some("read".to_owned()),
                hidden: true,
            },
            1 => CheckVerdict::Invalid {
                message: "/a: expected string".to_owned(),
            },
            2 => CheckVerdict::Failed {
                failure: failure("gone"),
                content: Vec::new(),
            },
            3..=5 => CheckVerdict::Ask {
                kind,
                ask: Box::new(ask(call_id, "edit")),
                shell_id: None,
            },
            _ => {
                self.allowed.insert(call_id.clone());
                let rule = (choice.is_multiple_of(2)).then(|| "rule".to_owned());
                CheckVerdict::Ready {
                    kind,
                    rule,
                    shell_id: None,
                }
            }
        }
    }

    pub(super) fn decided(&mut self, call_id: &CallId, choice: u16) -> Decided {
        let (action, verdict) = match choice % 5 {
            0 => (DecidedAction::Deny, Verdict::Denied),
            1 => {
                let content = vec![Part::Text {
                    text: "B".to_owned(),
                }];
                (
                    DecidedAction::Answer {
                        content,
                        display: Display::None,
                    },
                    Verdict::Answered,
                )
            }
            2 => (DecidedAction::Run, Verdict::Edited),
            _ => (DecidedAction::Run, Verdict::Allowed),
        };
        if action == DecidedAction::Run {
            self.allowed.insert(call_id.clone());
        }
        let scope = Some(if choice.is_multiple_of(2) {
            Scope::Session
        } else {
            Scope::Once
        });
        let words = (choice.is_multiple_of(3)).then(|| "no".to_owned());
        let resolution = Resolution {
            verdict,
            scope,
            rules: vec!["rule".to_owned()],
            words,
        };
        Decided {
            action,
            resolution,
            stat: None,
            final_args: None,
        }
    }
}

fn outcome(choice: u16) -> ToolOutcome {
    let text = format!("result {}", choice % 3);
    match choice % 8 {
        0 => ToolOutcome {
            status: CallStatus::Error,
            failure: Some(failure("broken")),
            ..ToolOutcome::text("broken", 5)
        },
        1 => ToolOutcome::panicked("boom", 5),
        2 => ToolOutcome {
            status: CallStatus::Timeout,
            ..ToolOutcome::stopped("tail", 5)
        },
        3 => ToolOutcome::stopped("tail", 5),
        4 => {
            let status = if choice % 16 < 8 {
                TodoStatus::Pending
            } else {
                TodoStatus::Completed
            };
            let todo = Todo {
                id: "1".to_owned(),
                content: "do".to_owned(),
                status,
            };
            ToolOutcome {
                todos: Some(vec![todo]),
                ..ToolOutcome::text(text, 5)
            }
        }
        5 => ToolOutcome {
            mode: Some(Mode::AutoEdit),
            ..ToolOutcome::text(text, 5)
        },
        6 => ToolOutcome {
            revealed: vec![format!("t{}", choice % 5)],
            ..ToolOutcome::text(text, 5)
        },
        _ => ToolOutcome::text(text.repeat(usize::from(choice % 97)), 5),
    }
}

fn failure(message: &str) -> ToolFailure {
    ToolFailure {
        code: "FAILED".to_owned(),
        reason: None,
        message: message.to_owned(),
    }
}

pub(super) fn pick<T: Clone>(list: &[T], choice: u8) -> Option<T> {
    list.get(usize::from(choice) % list.len().max(1)).cloned()
}

pub(super) fn config() -> LoopConfig {
    let tools: BTreeMap<String, ToolFacts> = TOOLS
        .iter()
        .map(|(name, kind)| {
            let repeats = if *name == "grep" {
                Repeats::Polling
            } else {
                Repeats::Calls
            };
            (
                (*name).to_owned(),
                ToolFacts {
                    repeats,
                    ..ToolFacts::of_kind(*kind)
                },
            )
        })
        .collect();
    LoopConfig {
        max_steps: MAX_STEPS,
        max_parallel: MAX_PARALLEL,
        max_pauses: 2,
        context: ContextLimits {
            auto_at: Some(300),
            hard_at: Some(600),
            tail_tokens: 50,
            summary_tokens: 100,
        },
        title_requests: true,
        tools,
        ..LoopConfig::default()
    }
}
