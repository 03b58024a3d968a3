//! What the program asks of a running session.

use crate::driver::calls::answered;
use crate::driver::{Driver, Model};
use crate::machine::{Decided, DecidedAction, Input, ShellChange};
use protocol::confirmation::{Ask, AskState, Decision, Preview, Resolution, Scope, Verdict};
use protocol::diff::DiffStat;
use protocol::error::{ApiError, ErrorCode};
use protocol::event::Snapshot;
use protocol::ids::{CallId, ProposalId};
use protocol::log::FileVersion;
use protocol::message::{ImageRef, Origin};
use protocol::session::{Delivery, Mode, Phase};
use protocol::tool_call::ToolFailure;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tool_api::ModifyError;

/// Messages that may wait in a session.
const MAX_QUEUED: usize = 20;

type Reply = oneshot::Sender<Result<(), ApiError>>;

/// One thing asked of a session.
pub enum Command {
    /// Say something.
    Send {
        /// The text.
        text: String,
        /// Pictures.
        images: Vec<ImageRef>,
        /// When, if a turn runs.
        delivery: Delivery,
        /// Answered once it is durable.
        reply: Reply,
    },
    /// Stop the turn.
    Cancel,
    /// End one call.
    KillCall(CallId),
    /// Go on without a message.
    Continue(Reply),
    /// Do not wait for the next try.
    RetryNow,
    /// Send what waits.
    SendQueued,
    /// Change a waiting message.
    EditQueued(u64, String),
    /// Take a waiting message out.
    Unqueue(u64),
    /// Change the mode.
    SetMode(Mode),
    /// Change the model.
    SetModel(Box<Model>, Origin),
    /// Give it a title.
    Rename(String),
    /// Something of the past changes.
    Past(Past, Reply),
    /// A shell in the background changed its state.
    Shell(ShellChange),
    /// Answer a question.
    Decide {
        /// Which call.
        call_id: CallId,
        /// The proposal that was on screen.
        proposal_id: ProposalId,
        /// The answer.
        decision: Decision,
        /// Whether it was taken.
        reply: Reply,
    },
    /// How it stands, with the rows around a place.
    Snapshot(Option<u64>, oneshot::Sender<Result<Snapshot, store::Error>>),
    /// Whether a question is open.
    IsWaiting(oneshot::Sender<bool>),
    /// End, once nothing runs.
    Close(oneshot::Sender<()>),
}

/// What of the past changes.
pub enum Past {
    /// The conversation goes back to before this message.
    Rewind(u64),
    /// The rewind of this number is undone.
    UndoRewind(u64),
    /// Files were put back.
    Files(Box<PutBack>),
    /// Nothing yet: it is only asked whether nothing runs.
    Nothing,
}

/// Files that the person put back.
pub struct PutBack {
    /// What it is taken back by.
    pub call_id: CallId,
    /// The versions this made.
    pub rows: Vec<FileVersion>,
    /// Calls whose changes are no longer in the files.
    pub takes_back: Vec<CallId>,
    /// Calls whose changes are in the files again.
    pub brings_back: Vec<CallId>,
}

/// A running session.
pub struct DriverHandle {
    tx: mpsc::Sender<Command>,
    task: JoinHandle<()>,
}

impl DriverHandle {
    pub(crate) fn new(tx: mpsc::Sender<Command>, task: JoinHandle<()>) -> Self {
        Self { tx, task }
    }

    /// The task has ended, by a fault or because it was closed.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.task.is_finished()
    }

    /// Where commands go. A clone stays usable while the session runs.
    #[must_use]
    pub fn commands(&self) -> mpsc::Sender<Command> {
        self.tx.clone()
    }
}

impl Driver {
    pub(crate) async fn command(&mut self, command: Command) {
        match command {
            Command::Send {
                text,
                images,
                delivery,
                reply,
            } => {
                let input = Input::User {
                    text,
                    images,
                    delivery,
                };
                self.send(input, reply).await;
            }
            Command::Cancel => self.input(Input::Cancel).await,
            Command::KillCall(call_id) => self.input(Input::KillCall { call_id }).await,
            Command::Continue(reply) => self.if_idle(Input::Continue, reply).await,
            Command::Past(past, reply) => self.change_past(past, reply).await,
            Command::RetryNow => self.input(Input::RetryNow).await,
            Command::SendQueued => self.input(Input::SendQueued).await,
            Command::EditQueued(id, text) => self.input(Input::EditQueued { id, text }).await,
            Command::Unqueue(id) => self.input(Input::Unqueue { id }).await,
            Command::SetMode(mode) => self.input(Input::SetMode { mode }).await,
            Command::SetModel(model, origin) => self.set_model(*model, origin).await,
            Command::Rename(title) => self.input(Input::Rename { title }).await,
            Command::Shell(change) => self.input(Input::Shell(change)).await,
            Command::Decide {
                call_id,
                proposal_id,
                decision,
                reply,
            } => {
                let taken = self.decide(call_id, &proposal_id, decision).await;
                answer(reply, taken);
            }
            Command::Snapshot(around, reply) => self.snapshot(around, reply).await,
            Command::IsWaiting(reply) => {
                if reply.send(self.calls.has_open_asks()).is_err() {
                    tracing::debug!("nobody waits for the answer to a command");
                }
            }
            Command::Close(reply) => {
                self.closing = Some(reply);
                self.input(Input::Cancel).await;
            }
        }
    }

    async fn change_past(&mut self, past: Past, reply: Reply) {
        match past {
            Past::Rewind(seq) => self.if_idle(Input::RewindTo { seq }, reply).await,
            Past::UndoRewind(seq) => self.if_idle(Input::UndoRewind { seq }, reply).await,
            Past::Files(put_back) => {
                let PutBack {
                    call_id,
                    rows,
                    takes_back,
                    brings_back,
                } = *put_back;
                let input = Input::FilesPutBack {
                    call_id,
                    rows,
                    takes_back,
                    brings_back,
                };
                self.input(input).await;
                answer(reply, Ok(()));
            }
            Past::Nothing => answer(reply, self.must_be_idle()),
        }
    }

    fn must_be_idle(&self) -> Result<(), ApiError> {
        match self.state.phase() {
            Phase::Idle => Ok(()),
            Phase::Boundary
            | Phase::Requesting
            | Phase::Streaming
            | Phase::Backoff
            | Phase::Calls
            | Phase::Compacting
            | Phase::Stopping => Err(busy()),
        }
    }

    /// An input that only fits a session in which nothing runs.
    async fn if_idle(&mut self, input: Input, reply: Reply) {
        let idle = self.must_be_idle();
        if idle.is_ok() {
            self.input(input).await;
        }
        answer(reply, idle);
    }

    async fn send(&mut self, message: Input, reply: Reply) {
        let Input::User { text, .. } = &message else {
            return;
        };
        let result = self.may_send(text);
        if result.is_ok() {
            self.input(message).await;
        }
        answer(reply, result);
    }

    async fn decide(
        &mut self,
        call_id: CallId,
        proposal_id: &ProposalId,
        decision: Decision,
    ) -> Result<(), ApiError> {
        let decided = Box::new(self.decided(&call_id, proposal_id, decision)?);
        self.input(Input::Decision { call_id, decided }).await;
        Ok(())
    }

    fn may_send(&self, text: &str) -> Result<(), ApiError> {
        if text.trim().is_empty() {
            return Err(ApiError::new(
                ErrorCode::BadRequest,
                "an empty message is not sent; write something first",
            ));
        }
        if self.state.queue().len() >= MAX_QUEUED {
            let words = format!(
                "{MAX_QUEUED} messages already wait; remove one or wait for the turn to end"
            );
            return Err(ApiError::new(ErrorCode::QueueFull, words));
        }
        Ok(())
    }

    async fn set_model(&mut self, model: Model, origin: Origin) {
        let context = model.context();
        self.deps.model = model;
        self.input(Input::SetModel { origin, context }).await;
    }

    fn decided(
        &mut self,
        call_id: &CallId,
        proposal_id: &ProposalId,
        decision: Decision,
    ) -> Result<Decided, ApiError> {
        let Some((invocation, ask)) = self.calls.asked(call_id) else {
            return Err(ApiError::new(
                ErrorCode::NotPending,
                "this question is no longer open",
            ));
        };
        if ask.proposal_id != *proposal_id {
            return Err(ApiError::new(
                ErrorCode::Stale,
                "the proposal changed; look at the new one first",
            ));
        }
        let stale = ask.state == AskState::Stale;
        let proposed = proposal_stat(&ask.preview);
        match decision {
            Decision::Deny { words: None } if stale => Ok(closed_stale(ask)),
            Decision::Deny { words } => Ok(denied(words, proposed)),
            Decision::Allow { .. } | Decision::Modify { .. } if stale => Err(ApiError::new(
                ErrorCode::Stale,
                "the file changed on disk; close the question, the agent reads it again",
            )),
            Decision::Allow { scope } => Ok(allowed(ask, scope, proposed)),
            Decision::Modify { final_text } => {
                let done = invocation
                    .modify(&final_text)
                    .map_err(|error| modify_error(&error))?;
                let verdict = match done.changed {
                    true => Verdict::Edited,
                    false => Verdict::Allowed,
                };
                Ok(run(verdict, Scope::Once, Vec::new(), Some(done.stat)))
            }
            Decision::Answer { answers } => {
                let result = invocation.answer(&answers).ok_or_else(|| {
                    let words = "this question is not answered by options; allow or reject it";
                    ApiError::new(ErrorCode::BadRequest, words)
                })?;
                let (content, display) = answered(result);
                Ok(Decided {
                    action: DecidedAction::Answer { content, display },
                    ..closed(Verdict::Answered)
                })
            }
        }
    }
}

fn run(verdict: Verdict, scope: Scope, rules: Vec<String>, stat: Option<DiffStat>) -> Decided {
    let mut decided = closed(verdict);
    decided.action = DecidedAction::Run;
    decided.resolution.scope = Some(scope);
    decided.resolution.rules = rules;
    decided.stat = stat;
    decided
}

fn allowed(ask: &Ask, scope: Scope, stat: Option<DiffStat>) -> Decided {
    let rules = match scope {
        Scope::Once => Vec::new(),
        Scope::Session => ask
            .scopes
            .iter()
            .flat_map(|offer| offer.rules.clone())
            .collect(),
    };
    run(Verdict::Allowed, scope, rules, stat)
}

/// A question that ends without the call running.
fn closed(verdict: Verdict) -> Decided {
    Decided {
        action: DecidedAction::Deny,
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

fn denied(words: Option<String>, stat: Option<DiffStat>) -> Decided {
    let mut decided = closed(Verdict::Denied);
    decided.resolution.words = words.filter(|text| !text.trim().is_empty());
    decided.stat = stat;
    decided
}

/// A question about a file that changed is closed, not declined: the agent shall read the file again and go on.
fn closed_stale(ask: &Ask) -> Decided {
    let path = match &ask.preview {
        Preview::Edit { diff } | Preview::Write { diff, .. } => diff.file_path.as_str(),
        Preview::Exec { .. } | Preview::Questions { .. } | Preview::Info { .. } => "the file",
    };
    let failure = ToolFailure {
        code: "FILE_CHANGED_SINCE_READ".to_owned(),
        reason: None,
        message: format!(
            "{path} changed on disk while the change waited for approval. Nothing was written. Read the file again and propose the change anew."
        ),
    };
    Decided {
        action: DecidedAction::Fail { failure },
        ..closed(Verdict::Closed)
    }
}

fn proposal_stat(preview: &Preview) -> Option<DiffStat> {
    match preview {
        Preview::Edit { diff } | Preview::Write { diff, .. } => Some(diff.stat),
        Preview::Exec { .. } | Preview::Questions { .. } | Preview::Info { .. } => None,
    }
}

fn modify_error(error: &ModifyError) -> ApiError {
    match error {
        ModifyError::Encoding {
            encoding,
            character,
            line,
            column,
        } => ApiError {
            args: vec![
                encoding.clone(),
                character.to_string(),
                line.to_string(),
                column.to_string(),
            ],
            ..ApiError::new(ErrorCode::Encoding, error.to_string())
        },
        ModifyError::NotModifiable | ModifyError::Refused(_) => {
            ApiError::new(ErrorCode::BadRequest, error.to_string())
        }
    }
}

fn busy() -> ApiError {
    ApiError::new(ErrorCode::Busy, "a turn is running; stop it first or wait")
}

fn answer(reply: Reply, result: Result<(), ApiError>) {
    if reply.send(result).is_err() {
        tracing::debug!("nobody waits for the answer to a command");
    }
}
