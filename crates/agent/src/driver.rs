//! The thin shell around the machine: one task per session that carries out effects and feeds back what happened.
//!
//! It owns the state, so nothing is shared and nothing is locked. Facts are awaited before anything that depends on
//! them begins; events reach the windows only after their facts are durable. Deliberately absent: every rule of the
//! loop, which the machine has, and every tool, which the registry has.

mod calls;
mod command;
mod effects;
mod partial;
mod request;
mod side;
mod snapshot;

use crate::driver::calls::Calls;
use crate::driver::request::OpenRequest;
use crate::driver::side::Sides;
use crate::machine::{ContextLimits, Input, LoopState, ToolFacts, ToolOutcome, advance};
use crate::publish::Publisher;
use llm::{ModelSettings, Provider, RequestCache, ToolDeclaration};
use protocol::event::Happened;
use protocol::ids::{CallId, SessionId};
use protocol::log::SystemPart;
use protocol::message::ImageRef;
use protocol::session::{Meters, Phase};
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::Instant;
use tool_api::{Invocation, ToolRegistry};

pub use command::{Command, DriverHandle, Past, PutBack};
pub use snapshot::idle_snapshot;

/// Commands that may wait; a person cannot press faster than these are taken.
const COMMAND_QUEUE: usize = 64;
/// An open question about a file is looked at this often, to show that the file changed.
const STALE_CHECK: Duration = Duration::from_millis(500);
/// Live text is kept for a crash at least this often.
const PARTIAL_SAVE: Duration = Duration::from_millis(500);

/// Milliseconds since 1970, UTC; passed in, so that tests have their own.
pub type NowMs = Arc<dyn Fn() -> u64 + Send + Sync>;
/// Told of the session whenever its past became another, or the model has less of it in front of it.
pub type OnReload = Arc<dyn Fn(&LoopState) + Send + Sync>;
/// Gives the tools of the turn that begins, if they are others than before.
pub type Retool = Arc<dyn Fn() -> Option<NewTools> + Send + Sync>;
/// Gives the bytes of a picture.
pub type Pictures = Arc<dyn Fn(&ImageRef) -> Option<Vec<u8>> + Send + Sync>;

/// The model a session talks to.
#[derive(Clone)]
pub struct Model {
    /// Its provider.
    pub provider: Arc<dyn Provider>,
    /// Its name and settings.
    pub settings: Arc<ModelSettings>,
    /// Its window in tokens, where known.
    pub window: Option<u64>,
}

impl Model {
    /// What the machine may fill.
    #[must_use]
    pub fn context(&self) -> ContextLimits {
        self.window
            .map_or_else(ContextLimits::unknown, ContextLimits::for_window)
    }
}

/// Tools that take the place of others.
pub struct NewTools {
    /// The tools.
    pub registry: Arc<ToolRegistry>,
    /// What the machine must know of them, by name.
    pub facts: BTreeMap<String, ToolFacts>,
}

/// What a session runs on.
pub struct Deps {
    /// Which session.
    pub session_id: SessionId,
    /// Its folder.
    pub workspace: PathBuf,
    /// Where its facts go.
    pub store: Store,
    /// Its tools.
    pub registry: Arc<ToolRegistry>,
    /// Its model.
    pub model: Model,
    /// The fixed part of the prompt.
    pub system: Vec<SystemPart>,
    /// The fixed part is in the log already.
    pub system_is_frozen: bool,
    /// The newest turn of the log.
    pub turn: u32,
    /// Totals so far.
    pub meters: Meters,
    /// Whoever watches.
    pub publisher: Publisher,
    /// The clock.
    pub now_ms: NowMs,
    /// The pictures.
    pub pictures: Pictures,
    /// Told after a rewind, and after older parts were summarised or emptied.
    pub on_reload: OnReload,
    /// Asked at the beginning of each turn.
    pub retool: Retool,
}

/// Starts the task of a session.
#[must_use]
pub fn spawn(deps: Deps, state: LoopState) -> DriverHandle {
    let (tx, rx) = mpsc::channel(COMMAND_QUEUE);
    let driver = Driver::new(deps, state, rx);
    let task = tokio::spawn(driver.run());
    DriverHandle::new(tx, task)
}

/// What the tasks of a session report.
pub(crate) enum Report {
    /// A call was prepared, or could not be.
    Prepared(Box<calls::Prepared>),
    /// A call ended.
    Done {
        call_id: CallId,
        outcome: Box<ToolOutcome>,
    },
    /// A cancelled call had its time.
    GraceOver { call_id: CallId },
    /// A timer ran out.
    Timer { id: u64 },
    /// A side request ended.
    Side {
        id: u64,
        result: crate::machine::SideResult,
    },
}

pub(crate) struct Driver {
    deps: Deps,
    state: LoopState,
    commands: mpsc::Receiver<Command>,
    /// Commands that came while facts were being written.
    deferred: VecDeque<Command>,
    reports: mpsc::UnboundedReceiver<Report>,
    report_to: mpsc::UnboundedSender<Report>,
    request: Option<OpenRequest>,
    cache: RequestCache,
    tools: Arc<[ToolDeclaration]>,
    calls: Calls,
    sides: Sides,
    timers: BTreeMap<u64, AbortHandle>,
    /// When the server was last heard, while a request is open.
    last_byte_at: Option<u64>,
    phase_shown: Option<PhaseShown>,
    /// The wait before another try, while it lasts.
    retry_shown: Option<Happened>,
    /// Live text waits to be sent to the windows, until then at the latest.
    flush_at: Option<Instant>,
    /// Live text waits to be kept for a crash.
    unsaved_text: bool,
    closing: Option<tokio::sync::oneshot::Sender<()>>,
}

impl Driver {
    fn new(deps: Deps, state: LoopState, commands: mpsc::Receiver<Command>) -> Self {
        let (report_to, reports) = mpsc::unbounded_channel();
        let tools = declarations(&deps.registry);
        Self {
            deps,
            state,
            commands,
            deferred: VecDeque::new(),
            reports,
            report_to,
            request: None,
            cache: RequestCache::default(),
            tools,
            calls: Calls::default(),
            sides: Sides::default(),
            timers: BTreeMap::new(),
            last_byte_at: None,
            phase_shown: None,
            retry_shown: None,
            flush_at: None,
            unsaved_text: false,
            closing: None,
        }
    }

    async fn run(mut self) {
        let mut stale = tokio::time::interval(STALE_CHECK);
        let mut save = tokio::time::interval(PARTIAL_SAVE);
        loop {
            if let Some(command) = self.deferred.pop_front() {
                self.command(command).await;
                continue;
            }
            if self.closing.is_some() && self.state.phase() == Phase::Idle {
                break;
            }
            tokio::select! {
                biased;
                command = self.commands.recv() => match command {
                    Some(command) => self.command(command).await,
                    None => break,
                },
                Some(report) = self.reports.recv() => self.report(report).await,
                Some(batch) = next_batch(&mut self.request) => self.batch(batch).await,
                () = sleep_until(self.flush_at), if self.flush_at.is_some() => {
                    self.deps.publisher.flush();
                    self.flush_at = None;
                }
                _ = stale.tick(), if self.calls.has_open_asks() => self.look_for_stale().await,
                _ = save.tick(), if self.unsaved_text => self.save_partial().await,
            }
        }
        self.shut_down();
    }

    /// Feeds an input and carries out what follows, and what follows from that.
    pub(crate) async fn input(&mut self, input: Input) {
        let mut inputs = VecDeque::from([input]);
        while let Some(input) = inputs.pop_front() {
            let effects = advance(&mut self.state, (self.deps.now_ms)(), input);
            for effect in effects {
                self.effect(effect, &mut inputs).await;
            }
        }
    }

    async fn report(&mut self, report: Report) {
        match report {
            Report::Prepared(prepared) => {
                if let Some(input) = self.prepared(*prepared) {
                    self.input(input).await;
                }
            }
            Report::Done { call_id, outcome } => {
                if self.calls.finish(&call_id) {
                    self.input(Input::ToolDone { call_id, outcome }).await;
                }
            }
            Report::GraceOver { call_id } => {
                if let Some(outcome) = self.calls.kill(&call_id, self.now()) {
                    self.input(Input::ToolDone {
                        call_id,
                        outcome: Box::new(outcome),
                    })
                    .await;
                }
            }
            Report::Timer { id } => {
                if self.timers.remove(&id).is_some() {
                    self.input(Input::Timer { id }).await;
                }
            }
            Report::Side { id, result } => {
                if self.sides.finish(id) {
                    self.input(Input::SideDone { id, result }).await;
                }
            }
        }
    }

    async fn batch(&mut self, batch: request::Batch) {
        self.last_byte_at = Some(self.now());
        if batch.events.is_empty() {
            self.show_sign_of_life();
        }
        let mut ended = false;
        for event in batch.events {
            ended |= event.is_terminal();
            self.input(Input::Provider {
                request: batch.request,
                event,
            })
            .await;
        }
        // Only the request this batch came from: the events above may have started the next one.
        if ended
            && self
                .request
                .as_ref()
                .is_some_and(|open| open.request == batch.request)
        {
            self.request = None;
        }
    }

    /// Keeps live text for a crash.
    async fn save_partial(&mut self) {
        self.unsaved_text = false;
        let blocks = self.state.answer().map(partial::blocks).unwrap_or_default();
        if let Err(error) = self
            .deps
            .store
            .save_partial(&self.deps.session_id, blocks)
            .await
        {
            tracing::warn!(%error, "live text was not kept");
        }
    }

    fn now(&self) -> u64 {
        (self.deps.now_ms)()
    }

    fn shut_down(&mut self) {
        self.request = None;
        self.calls.abort_all();
        self.sides.abort_all();
        for timer in std::mem::take(&mut self.timers).into_values() {
            timer.abort();
        }
        self.deps.publisher.flush();
        if let Some(closed) = self.closing.take()
            && closed.send(()).is_err()
        {
            tracing::debug!("nobody waits for the session to close");
        }
    }
}

/// What the windows were told that the session does.
#[derive(Clone, Copy)]
pub(crate) struct PhaseShown {
    phase: PhaseOf,
    /// When it began: milliseconds since 1970, UTC.
    since: i64,
    /// When they were last told of a byte, by the driver's clock.
    told_at: u64,
}

/// A phase and what it is about.
#[derive(Clone, Copy)]
pub(crate) struct PhaseOf {
    phase: Phase,
    request: u64,
    step: u32,
    attempt: u32,
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

async fn next_batch(request: &mut Option<OpenRequest>) -> Option<request::Batch> {
    match request {
        Some(open) => open.next().await,
        None => std::future::pending().await,
    }
}

fn declarations(registry: &ToolRegistry) -> Arc<[ToolDeclaration]> {
    registry
        .iter()
        .map(|tool| ToolDeclaration {
            name: tool.name().to_owned(),
            description: tool.description().to_owned(),
            schema: tool.schema().json().clone(),
        })
        .collect()
}

/// A prepared or running call, boxed for the way between tasks.
pub(crate) type BoxedInvocation = Box<dyn Invocation>;
