//! A session as it stands between two events: what the store has, and what only lives here.

use crate::driver::Driver;
use crate::publish::Publisher;
use protocol::event::{Happened, Snapshot, StoreState};
use protocol::ids::SessionId;
use protocol::session::{Meters, Phase, SessionState};
use protocol::shell::{InputOwner, ShellInfo, ShellState};
use store::{Store, StoredSession, StoredShell};
use tokio::sync::oneshot;

/// A session that nobody has asked anything of since the program started. `run` and what concerns the whole program
/// are the caller's.
///
/// # Errors
/// The session cannot be read.
pub async fn idle_snapshot(
    store: &Store,
    publisher: &Publisher,
    session_id: &SessionId,
    around: Option<u64>,
) -> Result<Snapshot, store::Error> {
    // Before the read: an event in between is then both in the rows and sent, and a row twice is a row.
    let rev = publisher.rev();
    let id = session_id.clone();
    let stored = store
        .read(move |reader| reader.session(&id, around))
        .await?;
    Ok(of_stored(stored, rev))
}

fn of_stored(stored: StoredSession, rev: u64) -> Snapshot {
    let session_id = stored.summary.session_id.clone();
    Snapshot {
        run: String::new(),
        rev,
        summary: stored.summary,
        phase: Phase::Idle,
        activity: Vec::new(),
        items: stored.page.items,
        has_older: stored.page.has_older,
        live_request: None,
        live: Vec::new(),
        asks: Vec::new(),
        todos: stored.todos,
        todos_updated_at: stored.todos_updated_at,
        queue: stored.queue,
        shells: stored
            .shells
            .into_iter()
            .map(|shell| shell_info(shell, &session_id))
            .collect(),
        meters: stored.meters,
        drafts: stored.drafts,
        store: StoreState::Ok,
        read_only: None,
    }
}

/// A shell of an earlier run of the program.
fn shell_info(shell: StoredShell, session_id: &SessionId) -> ShellInfo {
    let state = match shell.state {
        ShellState::Running => ShellState::Lost,
        other => other,
    };
    ShellInfo {
        shell_id: shell.shell_id,
        session_id: session_id.clone(),
        call_id: None,
        command: shell.command,
        cwd: shell.cwd,
        pid: shell.pid,
        started_at: shell.started_at,
        ended_at: shell.ended_at,
        state,
        exit_code: shell.exit_code,
        signal: shell.signal,
        bytes: shell.raw_bytes,
        waiting: false,
        echo_off: false,
        input_owner: InputOwner::None,
        timeout_ms: None,
        background: true,
        last_output_at: None,
        children: 0,
        leftovers: 0,
        left: Vec::new(),
        notify_me: false,
        tell_agent: false,
    }
}

impl Driver {
    pub(crate) async fn snapshot(
        &mut self,
        around: Option<u64>,
        reply: oneshot::Sender<Result<Snapshot, store::Error>>,
    ) {
        let snapshot = self.take_snapshot(around).await;
        if reply.send(snapshot).is_err() {
            tracing::debug!("nobody waits for a snapshot");
        }
    }

    /// Taken between two inputs, so the rows and what is live belong together.
    async fn take_snapshot(&mut self, around: Option<u64>) -> Result<Snapshot, store::Error> {
        let base = idle_snapshot(
            &self.deps.store,
            &self.deps.publisher,
            &self.deps.session_id,
            around,
        )
        .await?;
        let asks = self.calls.open_asks(&self.state);
        let mut summary = base.summary;
        if !asks.is_empty() {
            summary.state = SessionState::Waiting;
        }
        Ok(Snapshot {
            summary,
            phase: self.state.phase(),
            activity: self.activity(),
            live_request: self.request.as_ref().map(|open| open.request),
            live: self.state.partial_blocks(),
            asks,
            queue: self.state.queue().to_vec(),
            meters: self.meters(),
            ..base
        })
    }

    fn activity(&self) -> Vec<Happened> {
        let phase = self.phase_shown.map(|shown| Happened {
            ts: shown.since,
            event: self.phase_event(shown.phase),
        });
        phase.into_iter().chain(self.retry_shown.clone()).collect()
    }

    /// Totals, and how full the context is.
    pub(crate) fn meters(&self) -> Meters {
        Meters {
            context_used: self.state.used_tokens(),
            context_window: self.deps.model.window,
            context_auto: self.state.config.context.auto_at,
            ..self.deps.meters
        }
    }
}
