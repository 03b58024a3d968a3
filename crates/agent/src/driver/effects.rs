//! Carrying out what the machine wants.

use crate::driver::calls::report;
use crate::driver::request::OpenRequest;
use crate::driver::{Driver, NewTools, PhaseOf, PhaseShown, Report, declarations};
use crate::machine::{Effect, Input, Jitter};
use crate::publish::FLUSH_AFTER;
use llm::{Failure, FailureKind, ModelRequest, ProviderEvent, Purpose, RequestCache};
use protocol::confirmation::Preview;
use protocol::event::{Happened, SessionEvent};
use protocol::log::{LogEvent, SystemPart};
use protocol::message::Usage;
use protocol::session::Phase;
use std::collections::VecDeque;
use std::time::Duration;
use store::{Appended, ItemChange};
use tokio::time::Instant;

/// The first request of a turn.
const FIRST_STEP: u32 = 1;
/// Its first try.
const FIRST_ATTEMPT: u32 = 1;
/// By how much a back-off of our own is missed, in percent to either side.
const BACKOFF_JITTER_PERCENT: u64 = 20;
/// Keep-alives of a server are shown at most this often.
const SIGN_OF_LIFE_MS: u64 = 2_000;
/// By how much a wait the server asked for is exceeded at the most, in percent.
const RETRY_AFTER_JITTER_PERCENT: u64 = 10;

impl Driver {
    pub(crate) async fn effect(&mut self, effect: Effect, inputs: &mut VecDeque<Input>) {
        match effect {
            Effect::Persist { events } => self.persist(events, inputs).await,
            Effect::StartRequest {
                request,
                step,
                attempt,
            } => {
                if step <= FIRST_STEP && attempt == FIRST_ATTEMPT {
                    inputs.extend(self.retool());
                }
                self.start_request(request, attempt, inputs).await;
            }
            Effect::AbortRequest { request } => {
                if self
                    .request
                    .as_ref()
                    .is_some_and(|open| open.request == request)
                {
                    self.request = None;
                }
                self.last_byte_at = None;
            }
            Effect::CheckCall { call_id } => inputs.extend(self.check(call_id)),
            Effect::RunCall {
                call_id,
                shell_id: _,
            } => inputs.extend(self.run_call(call_id)),
            Effect::CancelCall { call_id, how } => inputs.extend(self.cancel_call(call_id, how)),
            // The question is published with its fact; what the answer needs is kept with the call.
            Effect::Ask { call_id: _ } => {}
            Effect::CloseAsk { call_id } => self.calls.close_ask(&call_id),
            Effect::StartTimer { id, ms, jitter } => self.start_timer(id, ms, jitter),
            Effect::DropTimer { id } => {
                if let Some(timer) = self.timers.remove(&id) {
                    timer.abort();
                }
            }
            Effect::Side { id, kind } => self.start_side(id, kind),
            Effect::AbortSide { id } => self.sides.abort(id),
            Effect::Reload => {
                // What waits belongs to the state that goes.
                inputs.clear();
                self.reload().await;
            }
            Effect::Ui { event } => self.show(event),
        }
    }

    async fn persist(&mut self, events: Vec<LogEvent>, inputs: &mut VecDeque<Input>) {
        let mut seqs = Vec::with_capacity(events.len());
        for (turn, events) in by_turn(self.deps.turn, events) {
            self.deps.turn = turn;
            self.note(&events);
            let Some(appended) = self.append(turn, kept(&events)).await else {
                return;
            };
            seqs.extend(appended.first_seq..=appended.last_seq);
            if events.iter().any(takes_from_context) {
                (self.deps.on_reload)(&self.state);
            }
            self.show_facts(&appended, &events);
        }
        inputs.push_back(Input::Persisted { seqs });
    }

    /// The log tells another past from here on.
    async fn reload(&mut self) {
        let id = self.deps.session_id.clone();
        match self.deps.store.read(move |reader| reader.events(&id)).await {
            Ok(rows) => self.state = self.state.reloaded(&rows),
            Err(error) => {
                // A state of the wrong past must not be built upon: the session is opened anew from the log.
                tracing::error!(%error, "the log could not be read; the session ends");
                self.commands.close();
                let now = self.timestamp();
                self.deps.publisher.publish(SessionEvent::Reset, None, now);
                return;
            }
        }
        self.cache = RequestCache::default();
        (self.deps.on_reload)(&self.state);
        let now = self.timestamp();
        let shown = [
            SessionEvent::Todos {
                todos: self.state.todos().to_vec(),
                updated_at: now,
            },
            SessionEvent::Mode {
                mode: self.state.mode(),
            },
            SessionEvent::Meters {
                meters: self.meters(),
            },
        ];
        for event in shown {
            self.deps.publisher.publish(event, None, now);
        }
    }

    /// Waits until facts are durable. Questions about how the session stands are answered meanwhile: the wait may be
    /// long where the disk is full.
    async fn append(&mut self, turn: u32, events: Vec<LogEvent>) -> Option<Appended> {
        let mut pending = self.deps.store.append(&self.deps.session_id, turn, events);
        let result = loop {
            tokio::select! {
                biased;
                result = &mut pending => break result,
                Some(command) = self.commands.recv() => match command {
                    super::Command::Snapshot(around, reply) => self.snapshot(around, reply).await,
                    other => self.deferred.push_back(other),
                },
            }
        };
        match result {
            Ok(appended) => Some(appended),
            Err(error) => {
                // Nothing may be shown or run that is not kept: the session stops here and is recovered from what is.
                tracing::error!(%error, "facts could not be kept; the session ends");
                self.commands.close();
                self.request = None;
                self.calls.abort_all();
                self.deps
                    .publisher
                    .publish(SessionEvent::Reset, None, self.timestamp());
                None
            }
        }
    }

    /// Totals that the facts change.
    fn note(&mut self, events: &[LogEvent]) {
        for event in events {
            match event {
                LogEvent::AssistantMessage {
                    usage, cost_micros, ..
                } => {
                    self.unsaved_text = false;
                    self.count(usage.as_ref(), *cost_micros);
                }
                // With its result a call is over, also one that was prepared and never ran.
                LogEvent::ToolResult { call_id, .. } => self.calls.drop_call(call_id),
                _ => {}
            }
        }
    }

    fn count(&mut self, usage: Option<&Usage>, cost_micros: Option<u64>) {
        let meters = &mut self.deps.meters;
        if let Some(usage) = usage {
            meters.tok_in += usage.input;
            meters.tok_out += usage.output;
            meters.tok_cache_read += usage.cache_read.unwrap_or_default();
            meters.tok_cache_write += usage.cache_write.unwrap_or_default();
        }
        if let Some(cost) = cost_micros {
            meters.cost_micros = Some(meters.cost_micros.unwrap_or_default() + cost);
        }
    }

    fn show_facts(&mut self, appended: &Appended, events: &[LogEvent]) {
        for change in &appended.changes {
            let (event, seq) = match change {
                ItemChange::Added(item) => (
                    SessionEvent::ItemAdded { item: item.clone() },
                    Some(item.seq),
                ),
                ItemChange::Changed(item) => (
                    SessionEvent::ItemChanged { item: item.clone() },
                    Some(item.seq),
                ),
                ItemChange::Hidden { from } => (SessionEvent::ItemsHidden { from: *from }, None),
                // Rows that come back lie anywhere: a window takes a new snapshot.
                ItemChange::Shown => (SessionEvent::Reset, None),
            };
            self.deps.publisher.publish(event, seq, appended.ts);
        }
        for event in events {
            match event {
                LogEvent::TodoChanged { todos } => {
                    let event = SessionEvent::Todos {
                        todos: todos.clone(),
                        updated_at: appended.ts,
                    };
                    self.deps.publisher.publish(event, None, appended.ts);
                }
                LogEvent::ModeChanged { new, .. } => {
                    self.deps.publisher.publish(
                        SessionEvent::Mode { mode: *new },
                        None,
                        appended.ts,
                    );
                }
                LogEvent::AssistantMessage { .. } => {
                    let meters = self.meters();
                    self.deps
                        .publisher
                        .publish(SessionEvent::Meters { meters }, None, appended.ts);
                }
                _ => {}
            }
        }
        if let Some(summary) = &appended.summary {
            let event = SessionEvent::Summary {
                summary: summary.clone(),
            };
            self.deps.publisher.publish(event, None, appended.ts);
        }
    }

    /// A turn begins: settings that changed count from here on, and not in the middle of one.
    fn retool(&mut self) -> Option<Input> {
        let NewTools { registry, facts } = (self.deps.retool)()?;
        self.tools = declarations(&registry);
        self.deps.registry = registry;
        self.cache = RequestCache::default();
        Some(Input::SetTools {
            tools: facts,
            overhead_tokens: self.state.overhead_tokens(),
        })
    }

    async fn start_request(&mut self, request: u64, attempt: u32, inputs: &mut VecDeque<Input>) {
        if !self.deps.system_is_frozen {
            let parts: Vec<SystemPart> = self.deps.system.clone();
            if self
                .append(self.deps.turn, vec![LogEvent::SystemFrozen { parts }])
                .await
                .is_none()
            {
                return;
            }
            self.deps.system_is_frozen = true;
        }
        self.last_byte_at = None;
        let built = self.deps.model.provider.build(
            &ModelRequest {
                session_id: &self.deps.session_id,
                purpose: Purpose::Turn,
                attempt,
                workspace: &self.deps.workspace,
                model: &self.deps.model.settings,
                system: &self.deps.system,
                view: self.state.view(),
                tools: &self.tools,
                images: &*self.deps.pictures,
            },
            &mut self.cache,
        );
        match built {
            Ok(wire) => {
                self.request = Some(OpenRequest::start(request, &self.deps.model.provider, wire))
            }
            Err(error) => {
                let event =
                    ProviderEvent::Error(Failure::new(FailureKind::Config, error.to_string()));
                inputs.push_back(Input::Provider { request, event });
            }
        }
    }

    fn start_timer(&mut self, id: u64, ms: u64, jitter: Jitter) {
        let wait = Duration::from_millis(with_jitter(ms, jitter));
        let report_to = self.report_to.clone();
        let task = tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            report(&report_to, Report::Timer { id });
        });
        self.timers.insert(id, task.abort_handle());
    }

    fn show(&mut self, event: SessionEvent) {
        let now = self.timestamp();
        match event {
            SessionEvent::BlockDelta {
                request,
                block,
                delta,
            } => {
                let waits = self.deps.publisher.delta(request, block, &delta, now);
                // Set once: text that keeps coming must not put its own sending off.
                self.flush_at = match (waits, self.flush_at) {
                    (false, _) => None,
                    (true, Some(at)) => Some(at),
                    (true, None) => Some(Instant::now() + FLUSH_AFTER),
                };
                self.unsaved_text = true;
            }
            SessionEvent::Phase {
                phase,
                request,
                step,
                attempt,
                last_byte_at: _,
            } => {
                self.show_phase(PhaseOf {
                    phase,
                    request,
                    step,
                    attempt,
                });
            }
            event @ SessionEvent::RetryWait { .. } => {
                self.retry_shown = Some(Happened {
                    ts: now,
                    event: event.clone(),
                });
                self.deps.publisher.publish(event, None, now);
            }
            other => self.deps.publisher.publish(other, None, now),
        }
    }

    fn show_phase(&mut self, phase: PhaseOf) {
        if phase.phase != Phase::Backoff {
            self.retry_shown = None;
        }
        let ts = self.timestamp();
        let since = match self.phase_shown {
            Some(PhaseShown {
                phase: of, since, ..
            }) if (of.phase, of.request) == (phase.phase, phase.request) => since,
            _ => ts,
        };
        self.phase_shown = Some(PhaseShown {
            phase,
            since,
            told_at: self.now(),
        });
        self.deps
            .publisher
            .publish(self.phase_event(phase), None, ts);
    }

    pub(crate) fn phase_event(&self, phase: PhaseOf) -> SessionEvent {
        let PhaseOf {
            phase,
            request,
            step,
            attempt,
        } = phase;
        SessionEvent::Phase {
            phase,
            request,
            step,
            attempt,
            last_byte_at: self.last_byte_at.and_then(|at| i64::try_from(at).ok()),
        }
    }

    /// A byte came that is no event, such as a keep-alive: the window shows for how long the server has been silent,
    /// so it must hear of it, but not of each one.
    pub(crate) fn show_sign_of_life(&mut self) {
        if let Some(shown) = self.phase_shown
            && self.now().saturating_sub(shown.told_at) >= SIGN_OF_LIFE_MS
        {
            self.show_phase(shown.phase);
        }
    }

    pub(crate) fn timestamp(&self) -> i64 {
        i64::try_from(self.now()).unwrap_or(i64::MAX)
    }
}

/// Facts as they are kept. A question's texts are for the person who answers it now: they are large, the files and
/// their copies have them, and no question outlives the program.
fn kept(events: &[LogEvent]) -> Vec<LogEvent> {
    let mut kept = events.to_vec();
    for event in &mut kept {
        if let LogEvent::ApprovalRequested { ask } = event
            && let Preview::Edit { diff } | Preview::Write { diff, .. } = &mut ask.preview
        {
            diff.base_text = None;
            diff.new_text = None;
        }
    }
    kept
}

/// Whether a fact takes something out of what the model has in front of it.
fn takes_from_context(event: &LogEvent) -> bool {
    matches!(event, LogEvent::Compaction { .. } | LogEvent::Prune { .. })
}

/// Facts by the turn they belong to; a start of a turn begins a new one.
fn by_turn(mut turn: u32, events: Vec<LogEvent>) -> Vec<(u32, Vec<LogEvent>)> {
    let mut groups: Vec<(u32, Vec<LogEvent>)> = Vec::new();
    for event in events {
        if matches!(event, LogEvent::TurnStarted { .. }) {
            turn += 1;
        }
        match groups.last_mut() {
            Some((last, group)) if *last == turn => group.push(event),
            _ => groups.push((turn, vec![event])),
        }
    }
    groups
}

fn with_jitter(ms: u64, jitter: Jitter) -> u64 {
    match jitter {
        Jitter::Backoff => {
            let spread = ms * BACKOFF_JITTER_PERCENT / 100;
            ms - spread + fastrand::u64(0..=2 * spread)
        }
        Jitter::RetryAfter => ms + fastrand::u64(0..=ms * RETRY_AFTER_JITTER_PERCENT / 100),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::session::{Outcome, TurnCause};

    #[test]
    fn a_turn_that_follows_at_once_has_its_own_number() {
        let ended = LogEvent::TurnEnded {
            outcome: Outcome::Completed,
            message: None,
            steps: 1,
        };
        let started = LogEvent::TurnStarted {
            cause: TurnCause::Queued,
        };
        let groups = by_turn(1, vec![ended.clone(), started.clone(), ended.clone()]);
        assert_eq!(
            groups,
            vec![(1, vec![ended.clone()]), (2, vec![started, ended])]
        );
    }

    #[test]
    fn jitter_stays_in_its_bounds() {
        for _ in 0..1_000 {
            assert!((800..=1_200).contains(&with_jitter(1_000, Jitter::Backoff)));
            assert!((1_000..=1_100).contains(&with_jitter(1_000, Jitter::RetryAfter)));
        }
        assert_eq!(with_jitter(0, Jitter::Backoff), 0);
    }
}
