//! A world in which anything may happen at any time, and which keeps count of what must not.

mod forms;
mod person;

use self::forms::{config, pick};
use crate::invariants;
use agent::machine::{Effect, Input, LoopState, ShellChange, SideKind, advance};
use llm::BlockKind;
use protocol::event::SessionEvent;
use protocol::ids::CallId;
use protocol::log::{LogEvent, LogRow};
use protocol::message::{Origin, Reminder};
use protocol::session::{Mode, Outcome, Phase};
use protocol::shell::ShellState;
use protocol::tool_call::ToolKind;
use std::collections::{BTreeSet, VecDeque};

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
    ShellEnds(u8),
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
    in_log: BTreeSet<String>,
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
            in_log: BTreeSet::new(),
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
            Act::ShellEnds(choice) => {
                let shell_id = format!("s{}", choice / 2);
                let note = choice.is_multiple_of(2).then(|| Reminder {
                    code: shell_id.clone(),
                    text: "note".to_owned(),
                });
                self.feed(Input::Shell(ShellChange {
                    shell_id: shell_id.as_str().into(),
                    command: "serve".to_owned(),
                    state: ShellState::Failed,
                    exit_code: Some(1),
                    note,
                }));
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
        if let LogEvent::UserMessage { text, .. } = &event {
            self.in_log.insert(text.clone());
        }
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
        if self.now.is_multiple_of(4) {
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
            Effect::Side { id, kind } => self.open_side(id, &kind),
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

    fn open_side(&mut self, id: u64, kind: &SideKind) {
        match kind {
            SideKind::Title { .. } => self.title = Some(id),
            SideKind::Summary { from, to, .. } => {
                assert!(from < to && *to < self.state.view().len());
                assert_eq!(self.side.replace(id), None);
            }
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
            let waits = self.state.queue().iter().any(|queued| queued.text == *text);
            let back = self
                .returned
                .iter()
                .any(|draft| draft.split("\n\n").any(|part| part == text));
            assert!(
                waits || back || self.withdrawn.contains(text) || self.in_log.contains(text),
                "I9: {text:?} is lost"
            );
        }
    }
}
