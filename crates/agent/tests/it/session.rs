//! A session that is fed by hand, for rules that no scenario speaks of.

use crate::script;
use agent::machine::{
    CheckVerdict, Effect, Input, LoopConfig, LoopState, SideKind, ToolFacts, ToolOutcome, advance,
};
use llm::ProviderEvent;
use protocol::event::SessionEvent;
use protocol::ids::CallId;
use protocol::log::{LogEvent, LogRow};
use protocol::message::{Origin, Part, ViewEntry};
use protocol::session::{Delivery, Mode};
use protocol::tool_call::{CallStatus, ToolKind};
use serde_json::Value;

/// Whether facts are confirmed as soon as they are recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Store {
    Prompt,
    Slow,
}

/// A session that is fed by hand.
pub(crate) struct Session {
    pub(crate) state: LoopState,
    pub(crate) rows: Vec<LogRow>,
    pub(crate) store: Store,
    unconfirmed: Vec<Vec<u64>>,
}

impl Session {
    pub(crate) fn new(config: LoopConfig) -> Self {
        let tools = [
            ("read", ToolKind::Read),
            ("edit", ToolKind::Edit),
            ("shell", ToolKind::Execute),
        ];
        let tools = tools.map(|(name, kind)| (name.to_owned(), ToolFacts::of_kind(kind)));
        let config = LoopConfig {
            tools: tools.into(),
            ..config
        };
        let state = LoopState::new(config, Mode::Default, Origin::default());
        Self {
            state,
            rows: Vec::new(),
            store: Store::Prompt,
            unconfirmed: Vec::new(),
        }
    }

    /// Feeds an input; what is to be done beside making facts durable.
    pub(crate) fn feed(&mut self, input: Input) -> Vec<Effect> {
        let mut others = Vec::new();
        for effect in advance(&mut self.state, 1_000, input) {
            if let Effect::Persist { events } = effect {
                let seqs = events.into_iter().map(|event| self.append(event)).collect();
                self.unconfirmed.push(seqs);
            } else {
                others.push(effect);
            }
        }
        if self.store == Store::Prompt {
            others.extend(self.confirm());
        }
        others
    }

    /// Confirms everything that was recorded.
    pub(crate) fn confirm(&mut self) -> Vec<Effect> {
        let mut others = Vec::new();
        while !self.unconfirmed.is_empty() {
            let seqs = self.unconfirmed.remove(0);
            others.extend(self.feed(Input::Persisted { seqs }));
        }
        others
    }

    pub(crate) fn say(&mut self, text: &str) -> Vec<Effect> {
        self.feed(Input::User {
            text: text.to_owned(),
            images: Vec::new(),
            delivery: Delivery::Steer,
        })
    }

    pub(crate) fn provider(&mut self, event: ProviderEvent) -> Vec<Effect> {
        let request = self.state.answer().expect("an open request").request();
        self.feed(Input::Provider { request, event })
    }

    /// Answers the open request with a message as scenarios write it.
    pub(crate) fn answer(&mut self, entries: &Value) -> Vec<Effect> {
        let message = script::message(entries.as_array().unwrap());
        let events: Vec<ProviderEvent> = message.into_iter().flatten().collect();
        let mut all = Vec::new();
        for event in events {
            all.extend(self.provider(event));
        }
        all
    }

    /// Lets a call pass and gives it a result.
    pub(crate) fn run(
        &mut self,
        call_id: &str,
        kind: ToolKind,
        outcome: ToolOutcome,
    ) -> Vec<Effect> {
        self.pass(call_id, kind);
        self.done(call_id, outcome)
    }

    pub(crate) fn pass(&mut self, call_id: &str, kind: ToolKind) -> Vec<Effect> {
        let verdict = CheckVerdict::Ready {
            kind,
            rule: None,
            shell_id: None,
        };
        self.feed(Input::Checked {
            call_id: call_id.into(),
            verdict,
        })
    }

    pub(crate) fn done(&mut self, call_id: &str, outcome: ToolOutcome) -> Vec<Effect> {
        let call_id = CallId::from(call_id);
        self.feed(Input::ToolDone {
            call_id,
            outcome: Box::new(outcome),
        })
    }

    /// The program starts anew, and only the log is left.
    pub(crate) fn restart(&mut self) {
        self.state = LoopState::restore(self.state.config.clone(), &self.rows);
    }

    pub(crate) fn events(&self) -> impl DoubleEndedIterator<Item = &LogEvent> {
        self.rows.iter().filter_map(|row| row.event.as_ref())
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
}

pub(crate) fn last_user(session: &Session) -> (&str, Vec<&str>) {
    let users = session
        .state
        .view()
        .iter()
        .rev()
        .find_map(|entry| match &**entry {
            ViewEntry::User {
                text, reminders, ..
            } => Some((
                text.as_str(),
                reminders
                    .iter()
                    .map(|reminder| reminder.code.as_str())
                    .collect(),
            )),
            _ => None,
        });
    users.expect("a message of the person")
}

pub(crate) fn last_result(session: &Session) -> (CallStatus, String) {
    let result = session
        .state
        .view()
        .iter()
        .rev()
        .find_map(|entry| match &**entry {
            ViewEntry::Result {
                status, content, ..
            } => Some((*status, text_of(content))),
            _ => None,
        });
    result.expect("a result")
}

pub(crate) fn text_of(content: &[Part]) -> String {
    let texts = content.iter().map(|part| match part {
        Part::Text { text } => text.as_str(),
        Part::Image { .. } => "",
    });
    texts.collect()
}

pub(crate) fn ends(session: &Session) -> Vec<String> {
    let outcome = |event: &LogEvent| match event {
        LogEvent::TurnEnded { outcome, .. } => Some(outcome.to_string()),
        _ => None,
    };
    session.events().filter_map(outcome).collect()
}

pub(crate) fn side_of(effects: &[Effect]) -> Option<(u64, &SideKind)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Side { id, kind } => Some((*id, kind)),
        _ => None,
    })
}

pub(crate) fn draft_of(effects: &[Effect]) -> Option<&str> {
    effects.iter().find_map(|effect| match effect {
        Effect::Ui {
            event: SessionEvent::Draft { text },
        } => Some(text.as_str()),
        _ => None,
    })
}
