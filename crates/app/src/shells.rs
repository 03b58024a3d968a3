//! Shells as the window sees them, told to the session they belong to.

use crate::workbench::{Workbench, lock};
use protocol::event::SessionEvent;
use protocol::ids::SessionId;
use protocol::shell::ShellInfo;
use std::sync::Arc;
use terminal::{ShellEvent, ShellHandle, signal_name};
use tokio::sync::broadcast::error::RecvError;

impl Workbench {
    /// Tells the session of a shell whenever the shell changes, until it is over.
    pub(crate) fn follow(self: &Arc<Self>, shell: ShellHandle, session_id: SessionId) {
        lock(&self.shell_owners).insert(shell.id().clone(), session_id);
        self.publish_shell(&shell);
        let (mut events, weak) = (shell.events(), Arc::downgrade(self));
        tokio::spawn(async move {
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
                if !matches!(event, ShellEvent::Title(_)) {
                    workbench.publish_shell(&shell);
                }
                if matches!(event, ShellEvent::Settled) {
                    return;
                }
            }
        });
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
