//! Shells as the window sees them, told to the session they belong to.

use crate::workbench::{Workbench, lock};
use agent::Command;
use agent::machine::ShellChange;
use protocol::event::SessionEvent;
use protocol::ids::SessionId;
use protocol::shell::{ShellInfo, ShellState};
use std::sync::Arc;
use std::time::Duration;
use terminal::{Place, ShellEvent, ShellHandle, signal_name};
use tokio::sync::broadcast::error::RecvError;

/// From the first polite signal to force, for the shells of a session that ends.
const END_GRACE: Duration = Duration::from_secs(2);

impl Workbench {
    /// Tells the session of a shell whenever the shell changes, until it is over; of one in the background also the
    /// model.
    pub(crate) fn follow(self: &Arc<Self>, shell: ShellHandle, session_id: SessionId) {
        lock(&self.shell_owners).insert(shell.id().clone(), session_id.clone());
        self.publish_shell(&shell);
        let (mut events, weak) = (shell.events(), Arc::downgrade(self));
        tokio::spawn(async move {
            if shell.place() == Place::Background
                && let Some(workbench) = weak.upgrade()
            {
                workbench.keep_state(&shell, &session_id).await;
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
                // What is known of the end is kept before anybody sees it.
                let over = matches!(event, ShellEvent::Settled) || shell.outcome().is_some();
                if over {
                    workbench.tell_of_end(&shell, &session_id).await;
                } else if matches!(event, ShellEvent::MovedToBackground) {
                    workbench.keep_state(&shell, &session_id).await;
                }
                if over || !matches!(event, ShellEvent::Title(_)) {
                    workbench.publish_shell(&shell);
                }
                if over {
                    return;
                }
            }
        });
    }

    /// Makes the state of a background shell a fact of its session.
    async fn keep_state(&self, shell: &ShellHandle, session_id: &SessionId) {
        let status = shell.status();
        let fact = ShellChange {
            shell_id: shell.id().clone(),
            command: shell.command().to_owned(),
            state: status.state,
            exit_code: status.exit.and_then(|exit| exit.code),
        };
        self.tell_session(session_id, Command::Shell(fact)).await;
    }

    /// The end of a background shell becomes a fact, and the model is told once.
    async fn tell_of_end(&self, shell: &ShellHandle, session_id: &SessionId) {
        if shell.place() == Place::Foreground {
            return;
        }
        self.keep_state(shell, session_id).await;
        if shell.take_on_telling() {
            let note = tools::end_note(shell);
            self.tell_session(session_id, Command::Remind(note)).await;
        }
    }

    async fn tell_session(&self, session_id: &SessionId, command: Command) {
        let Some(commands) = self.hubs.get(session_id).running().await else {
            return tracing::debug!("a shell outlived the use of its session");
        };
        if commands.send(command).await.is_err() {
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
            };
            self.tell_session(session_id, Command::Shell(fact)).await;
        }
    }

    /// Ends the background shells of a session, and what they left running.
    pub(crate) fn end_shells(&self, session_id: &SessionId) {
        for shell in self.shells.background_of(session_id.as_str()) {
            shell.kill(END_GRACE);
        }
    }

    pub(crate) fn publish_shell(&self, shell: &ShellHandle) {
        let owner = lock(&self.shell_owners).get(shell.id()).cloned();
        if let Some(session_id) = owner {
            let event = SessionEvent::Shell {
                shell: Box::new(self.shell_info(shell)),
            };
            let ts = i64::try_from(crate::clock::now_ms()).unwrap_or(i64::MAX);
            self.hubs
                .get(&session_id)
                .publisher
                .publish(event, None, ts);
        }
    }

    /// A shell as it stands.
    pub(crate) fn shell_info(&self, shell: &ShellHandle) -> ShellInfo {
        let status = shell.status();
        let now = i64::try_from(crate::clock::now_ms()).unwrap_or(i64::MAX);
        let elapsed = i64::try_from(status.elapsed.as_millis()).unwrap_or(i64::MAX);
        let outcome = shell.outcome();
        let exit = status.exit.as_ref();
        ShellInfo {
            shell_id: shell.id().clone(),
            session_id: lock(&self.shell_owners)
                .get(shell.id())
                .cloned()
                .unwrap_or_else(|| SessionId::from("")),
            call_id: None,
            command: shell.command().to_owned(),
            cwd: shell.cwd().display().to_string(),
            pid: u32::try_from(status.pid).ok(),
            started_at: now - elapsed,
            ended_at: outcome.is_some().then_some(now),
            state: status.state,
            exit_code: exit.and_then(|exit| exit.code),
            signal: exit.and_then(|exit| exit.signal).map(signal_name),
            bytes: status.bytes,
            waiting: status.waiting,
            echo_off: status.echo_off,
            input_owner: status.input_owner,
            timeout_ms: None,
            background: shell.place() == Place::Background,
        }
    }

    /// Puts the shells that this program runs in place of what the store knows of them.
    pub(crate) fn live_shells(&self, session_id: &SessionId, shells: &mut Vec<ShellInfo>) {
        let owners = lock(&self.shell_owners).clone();
        for shell in self.shells.list() {
            if owners.get(shell.id()) == Some(session_id) {
                shells.retain(|known| known.shell_id != *shell.id());
                shells.push(self.shell_info(&shell));
            }
        }
    }
}
