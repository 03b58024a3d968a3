//! A world in which anything may happen at any time, and which keeps count of what must not.

use crate::{invariants, recovery, script};
use agent::machine::{
    CheckVerdict, ContextLimits, Decided, DecidedAction, Effect, Input, LoopConfig, LoopState,
    RemindWhen, Repeats, SideKind, SideResult, ToolFacts, ToolOutcome, advance,
};
use llm::{BlockEnd, BlockKind, Failure, FailureKind, ProviderEvent};
use protocol::confirmation::{Ask, AskState, Preview, Resolution, Scope, Verdict};
use protocol::event::SessionEvent;
use protocol::ids::CallId;
use protocol::log::{LogEvent, LogRow};
use protocol::message::{Block, Origin, Part, Reminder, StopReason, Usage};
use protocol::session::{Delivery, Mode, Outcome, Phase};
use protocol::todo::{Todo, TodoStatus};
use protocol::tool_call::{
    ArgsError, CallArgs, CallStatus, Display, ToolCall, ToolFailure, ToolKind,
};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Requests a step can take: the first, five retries, two after empty answers, one after a forced compaction.
const MAX_REQUESTS_PER_STEP: u32 = 9;
const MAX_STEPS: u32 = 7;
const MAX_PARALLEL: usize = 3;
const TOOLS: [(&str, ToolKind); 6] = [
    ("read", ToolKind::Read),
    ("grep", ToolKind::Search),
    ("fetch", ToolKind::Fetch),
    ("edit", ToolKind::Edit),
    ("shell", ToolKind::Execute),
    ("todo", ToolKind::Think),
];

/// Something that happens.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Act {
    /// What the machine waits for, in one of its forms.
    Next(u16),
    Say(u8),
    Continue,
    SendQueued,
    Unqueue(u8),
    EditQueued(u8),
    Cancel,
    Kill(u8),
    RetryNow,
    SetMode(u8),
    Compact,
    Rewind(u8),
    Remind(u8),
    /// The oldest facts are durable.
    Acknowledge,
    /// An input that no longer fits, or never did.
    Late(u8),
    ThroughJson,
    Crash,
}

/// The world, and its count.
pub(crate) struct World {
    state: LoopState,
    rows: Vec<LogRow>,
    unconfirmed: VecDeque<Vec<u64>>,
    now: u64,
    request: Option<u64>,
    open_block: Option<(u32, BlockKind)>,
    blocks: u32,
    checks: Vec<CallId>,
    asked: BTreeSet<CallId>,
    allowed: BTreeSet<CallId>,
    running: Vec<CallId>,
    timer: Option<u64>,
    side: Option<u64>,
    title: Option<u64>,
    said: Vec<String>,
    returned: Vec<String>,
    withdrawn: BTreeSet<String>,
    stopped: bool,
    requests_in_step: u32,
    texts: u32,
    calls: u32,
    /// The model makes the same calls again and again, and they bring the same results.
    monotone: bool,
}

impl World {
    pub(crate) fn new() -> Self {
        let origin = Origin {
            provider: "p".to_owned(),
            model: "m".to_owned(),
        };
        let mut world = Self {
            state: LoopState::new(config(), Mode::Default, origin.clone()),
            rows: Vec::new(),
            unconfirmed: VecDeque::new(),
            now: 1,
            request: None,
            open_block: None,
            blocks: 0,
            checks: Vec::new(),
            asked: BTreeSet::new(),
            allowed: BTreeSet::new(),
            running: Vec::new(),
            timer: None,
            side: None,
            title: None,
            said: Vec::new(),
            returned: Vec::new(),
            withdrawn: BTreeSet::new(),
            stopped: false,
            requests_in_step: 0,
            texts: 0,
            calls: 0,
            monotone: false,
        };
        world.append(LogEvent::SessionCreated {
            workspace: "/w".to_owned(),
            origin,
            mode: Mode::Default,
            app_version: "0".to_owned(),
        });
        world
    }

    pub(crate) fn perform(&mut self, act: Act) {
        match act {
            Act::Next(choice) => self.next(choice),
            Act::Say(choice) => self.say(choice),
            Act::Continue => self.awake(Input::Continue),
            Act::SendQueued => self.awake(Input::SendQueued),
            Act::Unqueue(choice) => self.unqueue(choice),
            Act::EditQueued(choice) => self.edit_queued(choice),
            Act::Cancel => self.cancel(),
            Act::Kill(choice) => {
                if let Some(call_id) = pick(&self.running, choice) {
                    self.feed(Input::KillCall { call_id });
                }
            }
            Act::RetryNow => self.feed(Input::RetryNow),
            Act::SetMode(choice) => {
                let modes = [Mode::Default, Mode::AutoEdit, Mode::Plan, Mode::Yolo];
                self.feed(Input::SetMode {
                    mode: modes[usize::from(choice) % modes.len()],
                });
            }
            Act::Compact => self.feed(Input::CompactNow { words: None }),
            Act::Rewind(choice) => self.rewind(choice),
            Act::Remind(choice) => {
                let reminder = Reminder {
                    code: format!("r{}", choice / 2),
                    text: "note".to_owned(),
                };
                let when = if choice % 2 == 0 {
                    RemindWhen::NextStep
                } else {
                    RemindWhen::NextMessage
                };
                self.feed(Input::Remind { reminder, when });
            }
            Act::Acknowledge => self.acknowledge(),
            Act::Late(choice) => self.late(choice),
            Act::ThroughJson => {
                let text = serde_json::to_string(&self.state).unwrap();
                let copy: LoopState = serde_json::from_str(&text).unwrap();
                assert_eq!(copy, self.state, "I10");
                self.state = copy;
            }
            Act::Crash => self.crash(),
        }
    }

    /// Stops everything and looks at the whole.
    pub(crate) fn finish(&mut self) {
        self.cancel();
        let bound = 2 * self.running.len() + 2;
        for _ in 0..bound {
            if self.state.phase() == Phase::Idle {
                break;
            }
            self.next(0);
        }
        assert_eq!(
            self.state.phase(),
            Phase::Idle,
            "I4: idle within {bound} inputs"
        );
        while !self.unconfirmed.is_empty() {
            self.acknowledge();
        }
        let events: Vec<&LogEvent> = self
            .rows
            .iter()
            .filter_map(|row| row.event.as_ref())
            .collect();
        invariants::log(&events);
        invariants::complete(&self.state);
        self.compare_with_log();
    }

    /// I11, for everything that follows from the log.
    fn compare_with_log(&self) {
        let restored = LoopState::restore(self.state.config.clone(), &self.rows);
        assert_eq!(restored.view(), self.state.view(), "I11: the view");
        assert_eq!(
            restored.used_tokens(),
            self.state.used_tokens(),
            "I11: its size"
        );
        assert_eq!(restored.mode(), self.state.mode(), "I11: the mode");
        assert_eq!(restored.todos(), self.state.todos(), "I11: the task list");
        assert_eq!(
            restored.revealed(),
            self.state.revealed(),
            "I11: revealed tools"
        );
        assert_eq!(restored.queue(), self.state.queue(), "I11: the queue");
    }

    fn append(&mut self, event: LogEvent) -> u64 {
        let seq = self.rows.len() as u64 + 1;
        self.rows.push(LogRow {
            seq,
            ts: 0,
            turn: 0,
            event: Some(event),
        });
        seq
    }

    fn feed(&mut self, input: Input) {
        self.now += 3;
        let before = self.state.clone();
        let effects = advance(&mut self.state, self.now, input.clone());
        if self.now % 4 == 0 {
            let mut again = before.clone();
            assert_eq!(advance(&mut again, self.now, input), effects, "I6: effects");
            assert_eq!(again, self.state, "I6: state");
        }
        if self.state.stale_inputs() > before.stale_inputs() {
            self.check_ignored(before, &effects);
        }
        invariants::ordered(&effects);
        invariants::well_formed(&self.state);
        for effect in effects {
            self.carry_out(effect);
        }
        assert!(
            self.running.len() <= MAX_PARALLEL,
            "I12: {} calls run",
            self.running.len()
        );
        self.check_texts();
    }

    /// I7.
    fn check_ignored(&self, mut before: LoopState, effects: &[Effect]) {
        // Counts a late input of its own, so that the counters agree.
        advance(&mut before, self.now, Input::Timer { id: u64::MAX });
        assert_eq!(
            before, self.state,
            "I7: an input that does not fit changes nothing"
        );
        assert_eq!(effects, &[], "I7: and does nothing");
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Persist { events } => {
                for event in &events {
                    self.count(event);
                }
                let seqs = events.into_iter().map(|event| self.append(event)).collect();
                self.unconfirmed.push_back(seqs);
            }
            Effect::StartRequest { request, .. } => {
                assert!(!self.stopped, "I4: a request after a stop");
                assert_eq!(
                    self.request.replace(request),
                    None,
                    "I12: two open requests"
                );
                (self.blocks, self.open_block) = (0, None);
                invariants::sendable(&self.state);
            }
            Effect::AbortRequest { request } => assert_eq!(self.request.take(), Some(request)),
            Effect::CheckCall { call_id } => {
                assert!(!self.stopped, "I4: a check after a stop");
                self.checks.push(call_id);
            }
            Effect::RunCall { call_id, .. } => {
                assert!(!self.stopped, "I4: {call_id} runs after a stop");
                assert!(
                    self.allowed.contains(&call_id),
                    "I3: {call_id} runs undecided"
                );
                assert!(!self.running.contains(&call_id), "{call_id} runs twice");
                self.running.push(call_id);
            }
            Effect::CancelCall { call_id, .. } => assert!(self.running.contains(&call_id)),
            Effect::Ask { call_id } => assert!(self.asked.insert(call_id)),
            Effect::CloseAsk { call_id } => assert!(self.asked.remove(&call_id)),
            Effect::StartTimer { id, .. } => assert_eq!(self.timer.replace(id), None),
            Effect::DropTimer { id } => assert_eq!(self.timer.take(), Some(id)),
            Effect::Side {
                id,
                kind: SideKind::Title { .. },
            } => self.title = Some(id),
            Effect::Side {
                id,
                kind: SideKind::Summary { from, to, .. },
            } => {
                assert!(from < to && to < self.state.view().len());
                assert_eq!(self.side.replace(id), None);
            }
            Effect::AbortSide { id } => assert_eq!(self.side.take(), Some(id)),
            Effect::Reload => {
                while !self.unconfirmed.is_empty() {
                    self.unconfirmed.pop_front();
                }
                self.state = LoopState::restore(self.state.config.clone(), &self.rows);
                self.title = None;
            }
            Effect::Ui {
                event: SessionEvent::Draft { text },
            } => self.returned.push(text),
            Effect::Ui { .. } => {}
        }
    }

    /// I5, and whether a stop still holds.
    fn count(&mut self, event: &LogEvent) {
        match event {
            LogEvent::RequestStarted { attempt, step, .. } => {
                self.requests_in_step = if *attempt == 1 {
                    1
                } else {
                    self.requests_in_step + 1
                };
                assert!(
                    self.requests_in_step <= MAX_REQUESTS_PER_STEP,
                    "I5: {attempt} requests in a step"
                );
                assert!(*step <= MAX_STEPS, "I5: step {step}");
            }
            LogEvent::TurnEnded {
                outcome: Outcome::Crashed,
                ..
            } => panic!("only recovery says so"),
            _ => {}
        }
    }

    /// I9.
    fn check_texts(&self) {
        for text in &self.said {
            let in_log = || {
                self.rows.iter().any(|row| {
                    matches!(&row.event, Some(LogEvent::UserMessage { text: said, .. }) if said == text)
                })
            };
            let waits = self.state.queue().iter().any(|queued| queued.text == *text);
            let back = self
                .returned
                .iter()
                .any(|draft| draft.split("\n\n").any(|part| part == text));
            assert!(
                waits || back || self.withdrawn.contains(text) || in_log(),
                "I9: {text:?} is lost"
            );
        }
    }

    fn awake(&mut self, input: Input) {
        let phase = self.state.phase();
        if phase == Phase::Idle {
            self.stopped = false;
        }
        self.feed(input);
        if phase == Phase::Idle && self.state.phase() == Phase::Idle {
            self.stopped = true;
        }
    }

    fn say(&mut self, choice: u8) {
        self.texts += 1;
        self.monotone = choice % 4 == 0;
        let text = format!("text {}", self.texts);
        self.said.push(text.clone());
        let delivery = if choice % 3 == 0 {
            Delivery::After
        } else {
            Delivery::Steer
        };
        if self.state.phase() != Phase::Stopping {
            self.stopped = false;
        }
        self.feed(Input::User {
            text,
            images: Vec::new(),
            delivery,
        });
    }

    fn unqueue(&mut self, choice: u8) {
        if let Some(queued) = pick(self.state.queue(), choice) {
            self.withdrawn.insert(queued.text);
            self.feed(Input::Unqueue { id: queued.id });
        }
    }

    fn edit_queued(&mut self, choice: u8) {
        if let Some(queued) = pick(self.state.queue(), choice) {
            self.texts += 1;
            let text = format!("text {}", self.texts);
            self.withdrawn.insert(queued.text);
            self.said.push(text.clone());
            self.feed(Input::EditQueued {
                id: queued.id,
                text,
            });
        }
    }

    fn cancel(&mut self) {
        if self.state.phase() != Phase::Idle {
            self.stopped = true;
        }
        self.feed(Input::Cancel);
        self.checks.clear();
    }

    fn rewind(&mut self, choice: u8) {
        if self.state.phase() != Phase::Idle {
            return self.feed(Input::RewindTo {
                seq: u64::from(choice),
            });
        }
        let seqs: Vec<u64> = self
            .rows
            .iter()
            .filter(|row| matches!(&row.event, Some(LogEvent::UserMessage { .. })))
            .map(|row| row.seq)
            .collect();
        if let Some(seq) = pick(&seqs, choice) {
            while !self.unconfirmed.is_empty() {
                self.acknowledge();
            }
            if self.state.phase() == Phase::Idle {
                self.feed(Input::RewindTo { seq });
            }
        }
    }

    fn acknowledge(&mut self) {
        if let Some(seqs) = self.unconfirmed.pop_front() {
            self.feed(Input::Persisted { seqs });
        }
    }

    fn crash(&mut self) {
        let queue: Vec<String> = self
            .state
            .queue()
            .iter()
            .map(|queued| queued.text.clone())
            .collect();
        self.returned.extend(queue);
        for fact in recovery::facts(&self.state, &self.rows) {
            self.append(fact);
        }
        let state = LoopState::restore(self.state.config.clone(), &self.rows);
        invariants::complete(&state);
        *self = Self {
            state,
            rows: std::mem::take(&mut self.rows),
            said: std::mem::take(&mut self.said),
            returned: std::mem::take(&mut self.returned),
            withdrawn: std::mem::take(&mut self.withdrawn),
            texts: self.texts,
            calls: self.calls,
            monotone: self.monotone,
            now: self.now,
            stopped: true,
            ..Self::new()
        };
    }

    fn next(&mut self, choice: u16) {
        if let Some(id) = self.title.take_if(|_| choice % 5 == 0) {
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
        if choice % 4 == 0 {
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
                let signature = (choice % 2 == 0).then(|| "S".to_owned());
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
        let number = if choice % 3 == 0 {
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
        let retry_after_ms = (choice % 7 == 0).then_some(u64::from(choice) * 1_000);
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
                ask: Box::new(ask(call_id)),
                shell_id: None,
            },
            _ => {
                self.allowed.insert(call_id.clone());
                let rule = (choice % 2 == 0).then(|| "rule".to_owned());
                CheckVerdict::Ready {
                    kind,
                    rule,
                    shell_id: None,
                }
            }
        }
    }

    fn decided(&mut self, call_id: &CallId, choice: u16) -> Decided {
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
        let scope = Some(if choice % 2 == 0 {
            Scope::Session
        } else {
            Scope::Once
        });
        let words = (choice % 3 == 0).then(|| "no".to_owned());
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

    /// Inputs that never fit: of the past, of another session, made up.
    fn late(&mut self, choice: u8) {
        let call_id: CallId = "never".into();
        let input = match choice % 9 {
            0 => Input::Provider {
                request: self.request.unwrap_or(0) + 1_000,
                event: script::stop(StopReason::EndTurn),
            },
            1 => Input::Checked {
                verdict: CheckVerdict::Invalid {
                    message: String::new(),
                },
                call_id,
            },
            2 => Input::ToolDone {
                call_id,
                outcome: Box::new(ToolOutcome::text("late", 1)),
            },
            3 => Input::Decision {
                decided: Box::new(self.decided(&"other".into(), 3)),
                call_id,
            },
            4 => Input::Timer { id: 1_000_000 },
            5 => Input::SideDone {
                id: 1_000_000,
                result: SideResult::Text {
                    text: "late".to_owned(),
                    notes: Vec::new(),
                },
            },
            6 => Input::KillCall { call_id },
            7 => Input::Unqueue { id: 1_000_000 },
            _ => Input::User {
                text: " \n".to_owned(),
                images: Vec::new(),
                delivery: Delivery::Steer,
            },
        };
        let stale = self.state.stale_inputs();
        self.feed(input);
        assert_eq!(self.state.stale_inputs(), stale + 1, "I7: it is counted");
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

fn ask(call_id: &CallId) -> Ask {
    Ask {
        call_id: call_id.clone(),
        proposal_id: "p".into(),
        tool: "edit".to_owned(),
        preview: Preview::Info {
            title: String::new(),
            body: String::new(),
        },
        scopes: Vec::new(),
        warnings: Vec::new(),
        confirm_reasons: Vec::new(),
        modifiable: false,
        state: AskState::Open,
    }
}

fn pick<T: Clone>(list: &[T], choice: u8) -> Option<T> {
    list.get(usize::from(choice) % list.len().max(1)).cloned()
}

fn config() -> LoopConfig {
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
