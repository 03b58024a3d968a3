//! What a person, a slow disk or a crash may do to a session.

use super::{World, forms::pick};
use crate::{invariants, recovery, script};
use agent::machine::{CheckVerdict, Input, LoopState, SideResult, ToolOutcome};
use protocol::ids::CallId;
use protocol::log::LogEvent;
use protocol::message::StopReason;
use protocol::session::{Delivery, Phase};

impl World {
    pub(super) fn awake(&mut self, input: Input) {
        let phase = self.state.phase();
        if phase == Phase::Idle {
            self.stopped = false;
        }
        self.feed(input);
        if phase == Phase::Idle && self.state.phase() == Phase::Idle {
            self.stopped = true;
        }
    }

    pub(super) fn say(&mut self, choice: u8) {
        self.texts += 1;
        self.monotone = choice.is_multiple_of(4);
        let text = format!("text {}", self.texts);
        self.said.push(text.clone());
        let delivery = if choice.is_multiple_of(3) {
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

    pub(super) fn unqueue(&mut self, choice: u8) {
        if let Some(queued) = pick(self.state.queue(), choice) {
            self.withdrawn.insert(queued.text);
            self.feed(Input::Unqueue { id: queued.id });
        }
    }

    pub(super) fn edit_queued(&mut self, choice: u8) {
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

    pub(super) fn cancel(&mut self) {
        if self.state.phase() != Phase::Idle {
            self.stopped = true;
        }
        self.feed(Input::Cancel);
        self.checks.clear();
    }

    pub(super) fn rewind(&mut self, choice: u8) {
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
                // Whoever asks for it gives the words back.
                let words = self
                    .rows
                    .iter()
                    .filter(|row| row.seq == seq)
                    .filter_map(|row| match &row.event {
                        Some(LogEvent::UserMessage { text, .. }) => Some(text.clone()),
                        _ => None,
                    });
                self.returned.extend(words.collect::<Vec<_>>());
                self.feed(Input::RewindTo { seq });
            }
        }
    }

    pub(super) fn acknowledge(&mut self) {
        if let Some(seqs) = self.unconfirmed.pop_front() {
            self.feed(Input::Persisted { seqs });
        }
    }

    pub(super) fn crash(&mut self) {
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
            in_log: std::mem::take(&mut self.in_log),
            texts: self.texts,
            calls: self.calls,
            monotone: self.monotone,
            now: self.now,
            stopped: true,
            ..Self::new()
        };
    }

    /// Inputs that never fit: of the past, of another session, made up.
    pub(super) fn late(&mut self, choice: u8) {
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
