//! Plays one scenario through the machine: scripted provider, tools, decisions and triggers.

pub(crate) mod answers;

use self::answers::{config, mode};
use crate::{invariants, recovery, script};
use agent::machine::{
    CancelHow, Effect, Input, LoopState, SideKind, SideResult, ToolOutcome, advance,
};
use llm::{Failure, FailureKind};
use protocol::event::SessionEvent;
use protocol::ids::CallId;
use protocol::log::{LogEvent, LogRow};
use protocol::message::Origin;
use protocol::session::{Delivery, Phase};
use serde_json::Value;
use std::collections::VecDeque;

/// Milliseconds every call takes.
const CALL_MS: u64 = 3_000;
/// Inputs after which a scenario is stuck.
const MAX_INPUTS: usize = 10_000;

/// Whether the state takes a detour through JSON before each input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detour {
    None,
    Json,
}

/// A scenario being played.
pub(crate) struct World<'a> {
    scenario: &'a Value,
    kinds: &'a Value,
    detour: Detour,
    pub(crate) state: LoopState,
    pub(crate) rows: Vec<LogRow>,
    inbox: VecDeque<Input>,
    script: VecDeque<&'a Value>,
    actions: VecDeque<&'a Value>,
    stream: VecDeque<Vec<llm::ProviderEvent>>,
    entries_sent: usize,
    checks: Vec<CallId>,
    running: Vec<CallId>,
    stopped: Vec<CallId>,
    timer: Option<u64>,
    side: Option<u64>,
    waits: usize,
    sides: usize,
    now: u64,
    pub(crate) seen: Seen,
}

/// What a scenario's expectation speaks of.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) requests: u64,
    pub(crate) delays_ms: Vec<u64>,
    pub(crate) ran: Vec<Vec<String>>,
    pub(crate) asked: Vec<String>,
    pub(crate) order: Vec<String>,
    pub(crate) side_requests: Vec<&'static str>,
    pub(crate) composer: String,
}

impl<'a> World<'a> {
    pub(crate) fn new(file: &'a Value, scenario: &'a Value, detour: Detour) -> Self {
        let config = config(&file["tool_kinds"], &scenario["config"]);
        let mode = mode(&scenario["config"]["mode"]).unwrap_or_default();
        let origin = Origin {
            provider: "script".to_owned(),
            model: "m".to_owned(),
        };
        let created = LogEvent::SessionCreated {
            workspace: "/w".to_owned(),
            origin: origin.clone(),
            mode,
            app_version: "0".to_owned(),
        };
        let mut world = Self {
            scenario,
            kinds: &file["tool_kinds"],
            detour,
            state: LoopState::new(config, mode, origin),
            rows: Vec::new(),
            inbox: VecDeque::new(),
            script: scenario["script"].as_array().unwrap().iter().collect(),
            actions: scenario["do"].as_array().unwrap().iter().collect(),
            stream: VecDeque::new(),
            entries_sent: 0,
            checks: Vec::new(),
            running: Vec::new(),
            stopped: Vec::new(),
            timer: None,
            side: None,
            waits: 0,
            sides: 0,
            now: 1_000_000,
            seen: Seen::default(),
        };
        world.append(created);
        world
    }

    pub(crate) fn scenario(&self) -> &Value {
        self.scenario
    }

    /// Plays to the end.
    pub(crate) fn play(&mut self) {
        self.fire("start");
        for _ in 0..MAX_INPUTS {
            if let Some(input) = self.inbox.pop_front() {
                self.feed(input);
            } else if !self.move_on() {
                assert!(self.actions.is_empty(), "never came to {:?}", self.actions);
                return;
            }
        }
        panic!("stuck in {:?}", self.state.phase());
    }

    /// One thing from outside. False when nothing is left to happen.
    fn move_on(&mut self) -> bool {
        match self.state.phase() {
            Phase::Idle => return self.fire_one("idle"),
            Phase::Requesting => {
                let fired = self.fire(&format!("request:{}", self.seen.requests));
                if !fired {
                    self.send_entry();
                }
            }
            Phase::Streaming => {
                let fired = self.fire(&format!(
                    "stream:{}:{}",
                    self.seen.requests, self.entries_sent
                ));
                if !fired {
                    self.send_entry();
                }
            }
            Phase::Backoff => {
                if !self.fire(&format!("backoff:{}", self.waits)) {
                    let id = self.timer.take().expect("a back-off has a timer");
                    self.inbox.push_back(Input::Timer { id });
                }
            }
            Phase::Calls => self.move_calls(),
            Phase::Stopping => {
                if !self.fire("stopping") {
                    self.finish_stopped();
                }
            }
            Phase::Compacting => {
                if !self.fire(&format!("compacting:{}", self.sides)) {
                    self.finish_side();
                }
            }
            Phase::Boundary => panic!("the machine never rests between two steps"),
        }
        true
    }

    fn move_calls(&mut self) {
        if let Some(call_id) = self.checks.pop() {
            let verdict = self.verdict(&call_id);
            return self.inbox.push_back(Input::Checked { call_id, verdict });
        }
        if let Some(ask) = self.state.open_asks().first().map(|ask| (*ask).clone()) {
            if !self.fire(&format!("approval:{}", ask.call_id)) {
                self.decide(&ask);
            }
            return;
        }
        let running = self.running.clone();
        if running.iter().any(|id| self.fire(&format!("running:{id}"))) {
            return;
        }
        if !self.stopped.is_empty() {
            return self.finish_stopped();
        }
        // The newest first: the order of results must not depend on it.
        let finishes = |id: &CallId| self.scenario["tools"][id.as_str()].get("hang").is_none();
        let index = running
            .iter()
            .rposition(finishes)
            .expect("only calls that hang are left");
        let call_id = self.running.remove(index);
        let outcome = Box::new(self.outcome(&call_id));
        self.inbox.push_back(Input::ToolDone { call_id, outcome });
    }

    fn finish_stopped(&mut self) {
        let call_id = self.stopped.pop().expect("a stopped call");
        self.running.retain(|id| *id != call_id);
        let tool = &self.scenario["tools"][call_id.as_str()];
        if let Some(text) = tool["late"].as_str() {
            let outcome = Box::new(ToolOutcome::text(text, CALL_MS));
            return self.inbox.push_back(Input::ToolDone { call_id, outcome });
        }
        let tail = tool["tail"].as_str().unwrap_or_default();
        let outcome = Box::new(ToolOutcome::stopped(tail, CALL_MS));
        self.inbox.push_back(Input::ToolDone { call_id, outcome });
    }

    fn finish_side(&mut self) {
        let id = self.side.take().expect("a side request");
        let entry = self
            .script
            .pop_front()
            .expect("an answer to the summary request");
        let result = match entry["compaction"].as_str() {
            Some(text) => SideResult::Text {
                text: text.to_owned(),
                notes: Vec::new(),
            },
            None => SideResult::Failed {
                failure: Failure::new(FailureKind::Server, "scripted"),
            },
        };
        self.inbox.push_back(Input::SideDone { id, result });
    }

    fn send_entry(&mut self) {
        let events = self.stream.pop_front().expect("the message has an end");
        self.entries_sent += 1;
        let request = self.seen.requests;
        self.inbox.extend(
            events
                .into_iter()
                .map(|event| Input::Provider { request, event }),
        );
    }

    /// Does the actions that are due at this point. True if there were any.
    fn fire(&mut self, at: &str) -> bool {
        let mut any = false;
        while self.fire_one(at) {
            any = true;
            while let Some(input) = self.inbox.pop_front() {
                self.feed(input);
            }
        }
        any
    }

    fn fire_one(&mut self, at: &str) -> bool {
        let Some(action) = self
            .actions
            .front()
            .copied()
            .filter(|action| action["at"] == at)
        else {
            return false;
        };
        self.actions.pop_front();
        let input = if let Some(text) = action["send"].as_str() {
            let delivery = if action["as"] == "after" {
                Delivery::After
            } else {
                Delivery::Steer
            };
            Input::User {
                text: text.to_owned(),
                images: Vec::new(),
                delivery,
            }
        } else if action.get("stop").is_some() {
            Input::Cancel
        } else if let Some(call) = action["kill"].as_str() {
            Input::KillCall {
                call_id: call.into(),
            }
        } else if let Some(text) = action["unqueue"].as_str() {
            let id = self
                .state
                .queue()
                .iter()
                .find(|queued| queued.text == text)
                .unwrap()
                .id;
            Input::Unqueue { id }
        } else if action.get("crash").is_some() {
            self.crash();
            return true;
        } else if let Some(mode) = mode(&action["set_mode"]) {
            Input::SetMode { mode }
        } else if action.get("continue").is_some() {
            Input::Continue
        } else if action.get("send_queued").is_some() {
            Input::SendQueued
        } else if let Some(number) = action["rewind_to_user"].as_u64() {
            let seq = self.user_seq(number);
            // Whoever asks for it gives the words back.
            self.seen.composer = self.words_of(seq);
            Input::RewindTo { seq }
        } else if action.get("compact").is_some() {
            Input::CompactNow { words: None }
        } else {
            panic!("action {action}")
        };
        self.inbox.push_back(input);
        true
    }

    fn user_seq(&self, number: u64) -> u64 {
        let mut users = self
            .rows
            .iter()
            .filter(|row| matches!(&row.event, Some(LogEvent::UserMessage { .. })));
        users.nth(usize::try_from(number - 1).unwrap()).unwrap().seq
    }

    fn words_of(&self, seq: u64) -> String {
        let row = self.rows.iter().find(|row| row.seq == seq);
        match row.and_then(|row| row.event.as_ref()) {
            Some(LogEvent::UserMessage { text, .. }) => text.clone(),
            _ => panic!("{seq} is no message"),
        }
    }

    fn crash(&mut self) {
        let queue: Vec<&str> = self
            .state
            .queue()
            .iter()
            .map(|queued| queued.text.as_str())
            .collect();
        self.seen.composer = queue.join("\n\n");
        for fact in recovery::facts(&self.state, &self.rows) {
            self.append(fact);
        }
        self.reload();
        (self.checks, self.running, self.stopped) = (Vec::new(), Vec::new(), Vec::new());
        self.inbox.clear();
    }

    fn reload(&mut self) {
        self.state = LoopState::restore(self.state.config.clone(), &self.rows);
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
        self.now += 7;
        if self.detour == Detour::Json {
            let text = serde_json::to_string(&self.state).unwrap();
            let state: LoopState = serde_json::from_str(&text).unwrap();
            assert_eq!(state, self.state, "a state survives JSON");
            self.state = state;
        }
        let stale = self.state.stale_inputs();
        let effects = advance(&mut self.state, self.now, input.clone());
        assert_eq!(self.state.stale_inputs(), stale, "{input:?} fits");
        invariants::ordered(&effects);
        invariants::well_formed(&self.state);
        let mut batch = Vec::new();
        for effect in effects {
            self.carry_out(effect, &mut batch);
        }
        if !batch.is_empty() {
            self.seen.order.push(format!("run {}", batch.join(" ")));
            self.seen.ran.push(batch);
        }
    }

    fn carry_out(&mut self, effect: Effect, batch: &mut Vec<String>) {
        match effect {
            Effect::Persist { events } => {
                let seqs = events.into_iter().map(|event| self.append(event)).collect();
                self.inbox.push_front(Input::Persisted { seqs });
            }
            Effect::StartRequest { request, .. } => {
                invariants::sendable(&self.state);
                self.seen.requests += 1;
                assert_eq!(request, self.seen.requests);
                let entry = self.script.pop_front().expect("a message for the request");
                self.stream = script::message(entry.as_array().expect("a message")).into();
                self.entries_sent = 0;
            }
            Effect::AbortRequest { .. } => self.stream.clear(),
            Effect::CheckCall { call_id } => self.checks.push(call_id),
            Effect::RunCall { call_id, .. } => {
                batch.push(call_id.to_string());
                self.running.push(call_id);
            }
            Effect::CancelCall {
                call_id,
                how: CancelHow::Force,
            } => {
                self.seen.order.push(format!("force {call_id}"));
            }
            Effect::CancelCall { call_id, .. } => self.stopped.push(call_id),
            Effect::Ask { call_id } => {
                self.seen.order.push(format!("ask {call_id}"));
                self.seen.asked.push(call_id.to_string());
            }
            Effect::StartTimer { id, ms, .. } => {
                (self.timer, self.waits) = (Some(id), self.waits + 1);
                self.seen.delays_ms.push(ms);
            }
            Effect::Side {
                id,
                kind: SideKind::Summary { .. },
            } => {
                (self.side, self.sides) = (Some(id), self.sides + 1);
                self.seen.side_requests.push("compaction");
            }
            Effect::AbortSide { .. } => {
                self.side = None;
                self.script.pop_front();
            }
            Effect::Reload => {
                self.inbox.clear();
                self.reload();
            }
            Effect::Ui {
                event: SessionEvent::Draft { text },
            } => self.seen.composer = text,
            Effect::Ui { .. } | Effect::CloseAsk { .. } | Effect::DropTimer { .. } => {}
            Effect::Side {
                kind: SideKind::Title { .. },
                ..
            } => panic!("titles are off"),
        }
    }
}
