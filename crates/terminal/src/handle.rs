//! What everybody else holds of a shell: ask, type, watch, end.
//!
//! Nothing here waits for the command unless its name says so. After the end everything can still be asked; typing is
//! refused and ending does nothing.

use crate::aftermath::{ShellFiles, ShellIdentity};
use crate::error::Error;
use crate::events::{ShellEvent, TerminalFrame};
use crate::input::Keys;
use crate::outcome::{EndReason, Exit, LeftProcess, Medium, Outcome, OutputText};
use crate::process_tree;
use crate::screen::{TerminalSize, TextSource};
use crate::session::{Order, Shared};
use crate::shells::Place;
use crate::text::TextSince;
use crate::view::{Urgency, View, ViewId};
use protocol::ids::ShellId;
use protocol::shell::{InputOwner, ShellState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, mpsc};

/// A shell. Clones are the same shell.
#[derive(Clone)]
pub struct ShellHandle {
    shared: Arc<Shared>,
}

impl std::fmt::Debug for ShellHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShellHandle")
            .field("facts", &self.shared.facts)
            .finish_non_exhaustive()
    }
}

/// How a shell stands right now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellStatus {
    /// Process id of the command.
    pub pid: i32,
    /// One-way.
    pub state: ShellState,
    /// How the command ended, once it did.
    pub exit: Option<Exit>,
    /// Since its start, or from start to end.
    pub elapsed: Duration,
    /// Bytes of output.
    pub bytes: u64,
    /// It seems to wait for input.
    pub waiting: bool,
    /// It gathers a line it does not show: a password, most likely.
    pub echo_off: bool,
    /// Who types.
    pub input_owner: InputOwner,
    /// What runs though the command ended.
    pub leftovers: Vec<LeftProcess>,
    /// The title it gave its window.
    pub title: Option<String>,
}

/// What a new view draws first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Names the view.
    pub view: ViewId,
    /// Bytes of output before the frames that follow.
    pub offset: u64,
    /// The size of the picture.
    pub size: TerminalSize,
    /// What a fresh terminal must be fed; empty if the view's own bytes are continued.
    pub screen: Vec<u8>,
}

impl ShellHandle {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Names the shell.
    #[must_use]
    pub fn id(&self) -> &ShellId {
        &self.shared.facts.id
    }

    /// Whose it is.
    #[must_use]
    pub fn owner(&self) -> &str {
        &self.shared.facts.owner
    }

    /// How long it may run; in the background there is no limit.
    #[must_use]
    pub fn timeout(&self) -> Option<Duration> {
        self.shared.timeout()
    }

    /// Whether somebody waits for its end.
    #[must_use]
    pub fn place(&self) -> Place {
        *self.shared.place.borrow()
    }

    /// From now on nobody waits for its end: it has no time limit, and all of its text is on disk. Output, views and
    /// processes do not notice.
    ///
    /// # Errors
    /// [`Error::NotRunning`] if it ended or is being ended.
    pub fn move_to_background(&self) -> Result<(), Error> {
        let mut state = self.shared.lock();
        if !state.life.is_running() || state.life.reason() != EndReason::Natural {
            return Err(Error::NotRunning);
        }
        self.shared.move_to_background(&mut state);
        Ok(())
    }

    /// Its time was over, and it went on in the background.
    #[must_use]
    pub fn outlived_timeout(&self) -> bool {
        self.shared.outlived_timeout.load(Ordering::Acquire)
    }

    /// Waits until it runs in the background; for ever if it never does.
    pub async fn moved_to_background(&self) {
        let mut places = self.shared.place.subscribe();
        // The sender is as old as this handle.
        places
            .wait_for(|place| *place == Place::Background)
            .await
            .ok();
    }

    /// Takes it on to tell of the end. False if somebody else did before.
    #[must_use]
    pub fn take_on_telling(&self) -> bool {
        !self.shared.told.swap(true, Ordering::AcqRel)
    }

    /// The command as it was given.
    #[must_use]
    pub fn command(&self) -> &str {
        &self.shared.facts.command
    }

    /// The folder it runs in.
    #[must_use]
    pub fn cwd(&self) -> &Path {
        &self.shared.facts.cwd
    }

    /// Whether it has a terminal.
    #[must_use]
    pub fn medium(&self) -> Medium {
        self.shared.facts.medium
    }

    /// Where its files are.
    #[must_use]
    pub fn files(&self) -> ShellFiles {
        let folder = &self.shared.facts.spool_dir;
        ShellFiles {
            raw: folder.join("raw.bin"),
            clean: folder.join("clean.txt"),
            status: folder.join("status.json"),
        }
    }

    /// Names its processes, for [`crate::aftermath`] should this program not see the end.
    #[must_use]
    pub fn identity(&self) -> &ShellIdentity {
        &self.shared.facts.identity
    }

    /// How it stands.
    #[must_use]
    pub fn status(&self) -> ShellStatus {
        let facts = &self.shared.facts;
        let outcome = self.outcome();
        let state = self.shared.lock();
        let life = &state.life;
        ShellStatus {
            pid: facts.identity.command.pid,
            state: outcome
                .as_ref()
                .map_or(ShellState::Running, |outcome| outcome.state()),
            exit: (!life.is_running()).then(|| life.exit.clone()),
            elapsed: life
                .ended_at()
                .unwrap_or_else(Instant::now)
                .saturating_duration_since(facts.started),
            bytes: state.output.end(),
            waiting: state.waiting,
            echo_off: !state.echo,
            input_owner: state.input.owner,
            leftovers: life.leftovers.iter().map(LeftProcess::from).collect(),
            title: state.title.clone(),
        }
    }

    /// How it ended, once it did.
    #[must_use]
    pub fn outcome(&self) -> Option<Arc<Outcome>> {
        self.shared.outcome.borrow().clone()
    }

    /// Waits for the end and the last output.
    pub async fn wait(&self) -> Arc<Outcome> {
        let mut outcomes = self.shared.outcome.subscribe();
        loop {
            if let Some(outcome) = &*outcomes.borrow_and_update() {
                return Arc::clone(outcome);
            }
            if outcomes.changed().await.is_err() {
                // The sender is as old as this handle, so this cannot be; and there would be nothing to wait for.
                std::future::pending::<()>().await;
            }
        }
    }

    /// What happens from now on, output aside.
    #[must_use]
    pub fn events(&self) -> broadcast::Receiver<ShellEvent> {
        self.shared.listen()
    }

    /// The last characters of the readable output so far.
    #[must_use]
    pub fn tail_text(&self, max_chars: usize) -> String {
        if let Some(outcome) = self.outcome() {
            return last_of(&outcome, max_chars);
        }
        let mut state = self.shared.lock();
        if state.output.source() == TextSource::Picture {
            self.draw_all(&mut state);
        }
        state.output.tail(max_chars)
    }

    /// The readable text from a place on, its end at least.
    #[must_use]
    pub fn text_since(&self, from: u64, max_chars: usize) -> TextSince {
        if let Some(outcome) = self.outcome() {
            return match &outcome.output {
                OutputText::Binary => TextSince::default(),
                OutputText::Text(excerpt) => excerpt.since(from, max_chars),
            };
        }
        let mut state = self.shared.lock();
        if state.output.source() == TextSource::Picture {
            self.draw_all(&mut state);
        }
        state.output.since(from, max_chars)
    }

    /// Processes that the command started and that run.
    #[must_use]
    pub fn n_children(&self) -> usize {
        match self.outcome() {
            Some(_) => self.shared.lock().life.leftovers_total,
            None => process_tree::descendants(self.shared.facts.identity.command.pid).len(),
        }
    }

    /// How long nothing was printed.
    #[must_use]
    pub fn silence(&self) -> Duration {
        Instant::now().saturating_duration_since(self.shared.lock().life.last_output)
    }

    /// Adds a view. With `have`, the number of bytes it already shows, it is only sent what is missing, if that is
    /// still there.
    pub fn attach(&self, have: Option<u64>) -> (Snapshot, mpsc::UnboundedReceiver<TerminalFrame>) {
        let now = Instant::now();
        let (sender, frames) = mpsc::unbounded_channel();
        let mut state = self.shared.lock();
        self.draw_all(&mut state);
        let ring = state.output.ring();
        let continued = have.filter(|have| (ring.start()..=ring.end()).contains(have));
        let offset = continued.unwrap_or(ring.end());
        let screen = if continued.is_some() {
            Vec::new()
        } else {
            state.output.snapshot()
        };
        let view = ViewId(state.next_view);
        state.next_view += 1;
        state.views.push(View::new(view, sender, offset, now));
        let snapshot = Snapshot {
            view,
            offset,
            size: state.output.size(),
            screen,
        };
        if state.served.is_none() {
            state.pump_views(now, Urgency::Now);
            state.views.clear();
        }
        state.wake();
        (snapshot, frames)
    }

    /// A view shows everything before this offset.
    pub fn acknowledge(&self, view: ViewId, offset: u64) {
        let mut state = self.shared.lock();
        if let Some(view) = state.views.iter_mut().find(|one| one.id == view) {
            view.acknowledge(offset);
        }
        state.wake();
    }

    /// Removes a view. Dropping its receiver does the same, a little later.
    pub fn detach(&self, view: ViewId) {
        self.shared.lock().views.retain(|one| one.id != view);
    }

    /// From now on keys go to the program, or nowhere.
    pub fn own_input(&self, owner: InputOwner) -> Result<(), Error> {
        let mut state = self.shared.lock();
        if !state.life.is_running() {
            return Err(Error::NotRunning);
        }
        let before = std::mem::replace(&mut state.input.owner, owner);
        self.announce_owner(&mut state, before);
        Ok(())
    }

    /// Types what a person typed, in order, without waiting. The keys must have been taken.
    pub fn write(&self, bytes: &[u8], keys: Keys) -> Result<(), Error> {
        let mut state = self.shared.lock();
        if !state.life.is_running() {
            return Err(Error::NotRunning);
        }
        self.can_be_typed_into()?;
        let mode = state.line_mode();
        state.input.type_keys(bytes, keys, mode)?;
        state.wake();
        Ok(())
    }

    /// Types what the model typed. From then on the keys are the model's, until a person takes them.
    ///
    /// # Errors
    /// [`Error::InputTaken`] while a person types.
    pub fn write_as_agent(&self, bytes: &[u8]) -> Result<(), Error> {
        let mut state = self.shared.lock();
        if !state.life.is_running() {
            return Err(Error::NotRunning);
        }
        self.can_be_typed_into()?;
        let mode = state.line_mode();
        let before = state.input.owner;
        state.input.type_as_agent(bytes, mode)?;
        self.announce_owner(&mut state, before);
        state.wake();
        Ok(())
    }

    /// Changes the terminal's size, within limits and not too often. Nothing happens after the end.
    pub fn resize(&self, size: TerminalSize) {
        let mut state = self.shared.lock();
        if state.life.is_running() {
            state.resize_to = Some(size);
        }
        state.wake();
    }

    /// Ctrl-C: the program in front of the terminal is asked to stop, and may decline.
    pub fn interrupt(&self) -> Result<(), Error> {
        let mut state = self.shared.lock();
        if !state.life.is_running() {
            return Err(Error::NotRunning);
        }
        state.input.interrupt();
        state.wake();
        Ok(())
    }

    /// Ends it and all it started: Ctrl-C, then signals, then after `grace` force.
    pub fn stop(&self, grace: Duration) {
        self.shared
            .order(Order::Stop { grace }, EndReason::Cancelled);
    }

    /// Ends it and all it started: signals, then after `grace` force. Also ends what outlived the command.
    pub fn kill(&self, grace: Duration) {
        self.shared
            .order(Order::Kill { grace }, EndReason::Cancelled);
    }

    /// Leaves what outlived the command to itself. A command that runs is not left: this does nothing then.
    pub(crate) fn let_go(&self) {
        let mut state = self.shared.lock();
        if !state.life.is_running() {
            state.orders.push(Order::LetGo);
            state.wake();
        }
    }

    /// Waits until the command is settled and nothing it started is left.
    pub async fn gone(&self) {
        let mut gone = self.shared.gone.subscribe();
        // The sender is as old as this handle.
        gone.wait_for(|gone| *gone).await.ok();
    }

    /// The folder of its files.
    #[must_use]
    pub fn spool_dir(&self) -> PathBuf {
        self.shared.facts.spool_dir.clone()
    }

    pub(crate) fn ended_at(&self) -> Option<Instant> {
        self.shared.lock().life.ended_at()
    }

    /// Whether the command is settled and nothing it started is left.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        *self.shared.gone.borrow()
    }

    /// Nothing is read at the other end of a pipe.
    fn can_be_typed_into(&self) -> Result<(), Error> {
        match self.shared.facts.medium {
            Medium::Terminal => Ok(()),
            Medium::Pipe => Err(Error::NoTerminal),
        }
    }

    fn announce_owner(&self, state: &mut crate::session::State, before: InputOwner) {
        let owner = state.input.owner;
        if owner != before {
            self.shared
                .announce(state, ShellEvent::Owner(owner), Instant::now());
        }
    }

    fn draw_all(&self, state: &mut crate::session::State) {
        let drawn = state.output.draw_all();
        state.input.answer(&drawn.answers);
        if drawn.title.is_some() {
            state.title = drawn.title;
        }
        state.wake();
    }
}

fn last_of(outcome: &Outcome, max_chars: usize) -> String {
    match &outcome.output {
        OutputText::Binary => String::new(),
        OutputText::Text(excerpt) => {
            let whole: Vec<char> = excerpt.head.chars().chain(excerpt.tail.chars()).collect();
            whole
                .get(whole.len().saturating_sub(max_chars)..)
                .unwrap_or_default()
                .iter()
                .collect()
        }
    }
}
