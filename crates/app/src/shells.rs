//! Shells as the window sees them, told to the session they belong to.

use crate::clock::timestamp;
use crate::workbench::{AppEvent, Workbench, lock};
use agent::Command;
use agent::machine::ShellChange;
use protocol::event::SessionEvent;
use protocol::ids::{SessionId, ShellId};
use protocol::message::Reminder;
use protocol::shell::{LeftProcess, ShellInfo, ShellState};
use std::sync::{Arc, Weak};
use std::time::Duration;
use store::ShellRun;
use terminal::{Place, ShellEvent, ShellHandle, signal_name};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

/// From the first polite signal to force, for the shells of a session that ends.
const END_GRACE: Duration = Duration::from_secs(2);

/// What the program knows of a shell besides its terminal.
#[derive(Debug, Clone)]
pub(crate) struct ShellNotes {
    pub(crate) session_id: SessionId,
    /// Milliseconds since 1970, UTC.
    started_at: i64,
    ended_at: Option<i64>,
    /// Processes below it, as of the last look.
    pub(crate) n_children: usize,
    pub(crate) notify_me: bool,
    pub(crate) tell_agent: bool,
    /// Its session said how it ends, before it did.
    settled_early: bool,
}

/// Whether anything of a shell can be running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It can.
    Here,
    /// It cannot.
    Gone,
}

impl ShellNotes {
    fn begin(session_id: SessionId) -> Self {
        Self {
            session_id,
            started_at: timestamp(),
            ended_at: None,
            n_children: 0,
            notify_me: false,
            tell_agent: true,
            settled_early: false,
        }
    }
}

/// What the next start must know of a shell.
fn run_of(shell: &ShellHandle, notes: ShellNotes, presence: Presence) -> ShellRun {
    let (status, identity) = (shell.status(), shell.identity());
    let exit = status.exit.unwrap_or_default();
    ShellRun {
        session_id: notes.session_id,
        shell_id: shell.id().clone(),
        command: shell.command().to_owned(),
        cwd: shell.cwd().display().to_string(),
        foreground: shell.place() == Place::Foreground,
        started_at: notes.started_at,
        ended_at: notes.ended_at,
        pid: identity.command.pid,
        pid_start: identity.command.start,
        host_pid: identity.host.pid,
        host_start: identity.host.start,
        boot_id: identity.boot_id.clone(),
        spool_dir: shell.spool_dir(),
        signal: exit.signal.map(signal_name),
        raw_bytes: status.bytes,
        dropped: shell.outcome().and_then(|outcome| outcome.dropped.clone()),
        leftovers: u32::try_from(status.leftovers.len()).unwrap_or(u32::MAX),
        is_gone: presence == Presence::Gone,
    }
}

/// After the end: what still runs of a shell is shown as it becomes less.
async fn follow_leftovers(
    weak: &Weak<Workbench>,
    shell: &ShellHandle,
    events: &mut broadcast::Receiver<ShellEvent>,
) {
    loop {
        let is_gone = tokio::select! {
            biased;
            () = shell.gone() => true,
            event = events.recv() => match event {
                Ok(ShellEvent::Leftovers(_)) | Err(RecvError::Lagged(_)) => false,
                Ok(_) => continue,
                Err(RecvError::Closed) => true,
            },
        };
        let Some(workbench) = weak.upgrade() else {
            return;
        };
        let presence = if is_gone {
            Presence::Gone
        } else {
            Presence::Here
        };
        workbench.keep_run(shell, presence);
        workbench.publish_shell(shell);
        if is_gone {
            workbench.forget_notes();
            return;
        }
    }
}

impl Workbench {
    /// Tells the session of a shell whenever the shell changes, until nothing of it is left; of one in the background
    /// also the model.
    pub(crate) fn follow(self: &Arc<Self>, shell: ShellHandle, session_id: SessionId) {
        let notes = ShellNotes::begin(session_id.clone());
        lock(&self.shell_notes).insert(shell.id().clone(), notes);
        self.keep_run(&shell, Presence::Here);
        self.publish_shell(&shell);
        let (mut events, weak) = (shell.events(), Arc::downgrade(self));
        tokio::spawn(async move {
            if shell.place() == Place::Background
                && let Some(workbench) = weak.upgrade()
            {
                workbench.keep_state(&shell, &session_id, None).await;
            }
            loop {
                let event = match events.recv().await {
                    Ok(event) => event,
                    // What was missed is in the state that is published anyway.
                    Err(RecvError::Lagged(_)) => ShellEvent::Bell,
                    Err(RecvError::Closed) => ShellEvent::Settled,
                };
                let Some(workbench) = weak.upgrade() else {
                    return;
                };
                let over = matches!(event, ShellEvent::Settled) || shell.outcome().is_some();
                if over {
                    workbench.note_end(&shell, &session_id).await;
                } else if matches!(event, ShellEvent::MovedToBackground) {
                    workbench.keep_run(&shell, Presence::Here);
                    workbench.keep_state(&shell, &session_id, None).await;
                }
                if over || !matches!(event, ShellEvent::Title(_)) {
                    workbench.publish_shell(&shell);
                }
                if over {
                    break;
                }
            }
            follow_leftovers(&weak, &shell, &mut events).await;
        });
    }

    /// What is known of the end is kept before anybody sees it.
    async fn note_end(&self, shell: &ShellHandle, session_id: &SessionId) {
        // The clock of the machine may have been set meanwhile; how long it ran must not depend on that.
        let ran = i64::try_from(shell.status().elapsed.as_millis()).unwrap_or(i64::MAX);
        self.change_notes(shell.id(), |notes| {
            notes.ended_at = Some(notes.started_at.saturating_add(ran));
        });
        self.keep_run(shell, Presence::Here);
        self.tell_person(shell);
        self.tell_of_end(shell, session_id).await;
    }

    /// Notes for the next start which processes the shell has. Nobody waits for that: should the program be killed
    /// before, the supervisor ends them.
    pub(crate) fn keep_run(&self, shell: &ShellHandle, presence: Presence) {
        let Some(notes) = self.notes(shell.id()) else {
            return;
        };
        drop(self.store.note_shell_run(run_of(shell, notes, presence)));
    }

    /// Forgets what is known of shells that nobody can ask about any more.
    fn forget_notes(&self) {
        let shells = self.shells.list();
        lock(&self.shell_notes).retain(|id, _| shells.iter().any(|shell| shell.id() == id));
    }

    /// Makes the state of a background shell a fact of its session, and with it what the model is to be told.
    async fn keep_state(
        &self,
        shell: &ShellHandle,
        session_id: &SessionId,
        note: Option<Reminder>,
    ) {
        if self
            .notes(shell.id())
            .is_some_and(|notes| notes.settled_early)
        {
            return;
        }
        let status = shell.status();
        let fact = ShellChange {
            shell_id: shell.id().clone(),
            command: shell.command().to_owned(),
            state: status.state,
            exit_code: status.exit.and_then(|exit| exit.code),
            note,
        };
        self.tell_session(session_id, fact).await;
    }

    /// The end of a background shell becomes a fact, and the model is told once.
    async fn tell_of_end(&self, shell: &ShellHandle, session_id: &SessionId) {
        if shell.place() == Place::Foreground {
            return;
        }
        let wanted = self.notes(shell.id()).is_none_or(|notes| notes.tell_agent);
        let note = (wanted && shell.take_on_telling()).then(|| tools::end_note(shell));
        self.keep_state(shell, session_id, note).await;
    }

    /// The person hears of an end if they wanted to, whatever session is on screen.
    fn tell_person(&self, shell: &ShellHandle) {
        if self.notes(shell.id()).is_some_and(|notes| notes.notify_me) {
            let shell = Box::new(self.shell_info(shell));
            self.announce(AppEvent::ShellEnded { shell });
        }
    }

    /// Tells the model of the end of a shell, unless somebody did.
    pub(crate) async fn tell_agent(&self, shell: &ShellHandle, session_id: &SessionId) {
        if shell.take_on_telling() {
            let note = tools::end_note(shell);
            self.keep_state(shell, session_id, Some(note)).await;
        }
    }

    async fn tell_session(&self, session_id: &SessionId, change: ShellChange) {
        let kept = match self.hubs.get(session_id).running().await {
            Some(commands) => commands.send(Command::Shell(change)).await.is_ok(),
            // Its driver stopped by a fault, and nobody has asked anything of it since.
            None => {
                let fact = self.store.append_aside(session_id, change.into());
                fact.await.is_ok()
            }
        };
        if !kept {
            tracing::debug!("a session ended before it heard of its shell");
        }
    }

    /// Before a session is closed: what still runs in the background counts as stopped, whatever it does meanwhile.
    pub(crate) async fn settle_shells(&self, session_id: &SessionId) {
        for shell in self.shells.background_of(session_id.as_str()) {
            if shell.status().state != ShellState::Running {
                continue;
            }
            if !shell.take_on_telling() {
                tracing::debug!("its end is told of elsewhere, too");
            }
            let fact = ShellChange {
                shell_id: shell.id().clone(),
                command: shell.command().to_owned(),
                state: ShellState::Cancelled,
                exit_code: None,
                note: None,
            };
            self.change_notes(shell.id(), |notes| notes.settled_early = true);
            self.tell_session(session_id, fact).await;
        }
    }

    /// Ends the shells of a session, and what they left running.
    pub(crate) fn end_shells(&self, session_id: &SessionId) {
        for shell in self.shells_of(session_id) {
            shell.kill(END_GRACE);
        }
    }

    pub(crate) fn notes(&self, shell_id: &ShellId) -> Option<ShellNotes> {
        lock(&self.shell_notes).get(shell_id).cloned()
    }

    pub(crate) fn change_notes(&self, shell_id: &ShellId, change: impl FnOnce(&mut ShellNotes)) {
        if let Some(notes) = lock(&self.shell_notes).get_mut(shell_id) {
            change(notes);
        }
    }

    pub(crate) fn publish_shell(&self, shell: &ShellHandle) {
        let Some(notes) = self.notes(shell.id()) else {
            return;
        };
        let event = SessionEvent::Shell {
            shell: Box::new(self.shell_info(shell)),
        };
        self.hubs
            .get(&notes.session_id)
            .publisher
            .publish(event, None, timestamp());
    }

    /// A shell as it stands.
    pub(crate) fn shell_info(&self, shell: &ShellHandle) -> ShellInfo {
        let status = shell.status();
        // Only a shell that is being started has none yet.
        let notes = self
            .notes(shell.id())
            .unwrap_or_else(|| ShellNotes::begin(SessionId::from(shell.owner())));
        let exit = status.exit.as_ref();
        let silence = i64::try_from(shell.silence().as_millis()).unwrap_or(i64::MAX);
        let is_over = status.state != ShellState::Running;
        ShellInfo {
            shell_id: shell.id().clone(),
            session_id: notes.session_id,
            call_id: None,
            command: shell.command().to_owned(),
            cwd: shell.cwd().display().to_string(),
            pid: u32::try_from(status.pid).ok(),
            started_at: notes.started_at,
            ended_at: notes.ended_at.or(is_over.then(timestamp)),
            state: status.state,
            exit_code: exit.and_then(|exit| exit.code),
            signal: exit.and_then(|exit| exit.signal).map(signal_name),
            bytes: status.bytes,
            waiting: status.waiting,
            echo_off: status.echo_off,
            input_owner: status.input_owner,
            timeout_ms: shell
                .timeout()
                .and_then(|timeout| u64::try_from(timeout.as_millis()).ok()),
            background: shell.place() == Place::Background,
            last_output_at: (status.bytes > 0).then(|| timestamp().saturating_sub(silence)),
            children: u32::try_from(notes.n_children).unwrap_or(u32::MAX),
            leftovers: u32::try_from(status.leftovers.len()).unwrap_or(u32::MAX),
            left: status.leftovers.iter().filter_map(left_process).collect(),
            notify_me: notes.notify_me,
            tell_agent: notes.tell_agent,
        }
    }

    /// Puts the shells that this program runs in place of what the store knows of them.
    pub(crate) fn live_shells(&self, session_id: &SessionId, shells: &mut Vec<ShellInfo>) {
        for shell in self.shells.list() {
            let notes = self.notes(shell.id());
            if notes.is_some_and(|notes| notes.session_id == *session_id) {
                shells.retain(|known| known.shell_id != *shell.id());
                shells.push(self.shell_info(&shell));
            }
        }
    }
}

fn left_process(process: &terminal::LeftProcess) -> Option<LeftProcess> {
    let pid = u32::try_from(process.pid).ok()?;
    let name = process.name.clone();
    Some(LeftProcess { pid, name })
}
