//! The list of shells: what runs, who hears of an end, and what was printed.

use crate::clock::timestamp;
use crate::error::of_store;
use crate::shell_log;
use crate::workbench::changes::blocking;
use crate::workbench::{Workbench, lock, opener};
use protocol::command::{
    Empty, FindInShellLog, FoundInShellLog, NotifyShell, RunningShells, ShellLog, ShellLogQuery,
    ShellOp, ShellsOf,
};
use protocol::error::{ApiError, ErrorCode};
use protocol::event::SessionEvent;
use protocol::ids::{SessionId, ShellId};
use protocol::shell::ShellInfo;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use terminal::ShellHandle;

/// From the first polite signal to force.
const KILL_GRACE: Duration = Duration::from_secs(2);
/// Lines of one answer; more would keep the page busy.
const MAX_LINES: u64 = 5_000;

impl Workbench {
    /// Looks at the processes of a session's shells; what is found comes as events.
    ///
    /// # Errors
    /// None of its own.
    pub async fn check_shells(self: &Arc<Self>, request: ShellsOf) -> Result<Empty, ApiError> {
        let shells = self.shells_of(&request.session_id);
        let look = move || {
            let count = |shell: ShellHandle| {
                let n_children = shell.n_children();
                (shell, n_children)
            };
            Ok(shells.into_iter().map(count).collect::<Vec<_>>())
        };
        for (shell, n_children) in blocking(look).await? {
            let before = self.notes(shell.id()).map(|notes| notes.n_children);
            if before != Some(n_children) {
                self.change_notes(shell.id(), |notes| notes.n_children = n_children);
                self.publish_shell(&shell);
            }
        }
        Ok(Empty {})
    }

    /// Ends every background shell of a session, with all they started.
    ///
    /// # Errors
    /// None of its own.
    pub async fn kill_shells(self: &Arc<Self>, request: ShellsOf) -> Result<Empty, ApiError> {
        for shell in self.shells.background_of(request.session_id.as_str()) {
            shell.kill(KILL_GRACE);
        }
        Ok(Empty {})
    }

    /// Every shell of the program that runs, in the foreground or the background, or that left something running.
    ///
    /// # Errors
    /// None of its own.
    pub async fn running_shells(
        self: &Arc<Self>,
        _request: Empty,
    ) -> Result<RunningShells, ApiError> {
        let shells = self.shells.list();
        let running = shells.iter().filter(|shell| is_alive(shell));
        Ok(RunningShells {
            shells: running.map(|shell| self.shell_info(shell)).collect(),
        })
    }

    /// Whether a person must be asked before the program ends: something runs that would end with it.
    #[must_use]
    pub fn asks_before_quit(&self) -> bool {
        let settings = lock(&self.settings).get().clone();
        let would_end = |shell: &ShellHandle| match shell.outcome() {
            None => true,
            Some(_) => settings.kill_leftovers_on_quit && is_alive(shell),
        };
        settings.ask_before_quit && self.shells.list().iter().any(would_end)
    }

    /// Says who hears of the end of a shell. The model hears at once of one that has ended.
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub async fn notify_shell(
        self: &Arc<Self>,
        request: NotifyShell,
    ) -> Result<ShellInfo, ApiError> {
        let shell = self.shell(&request.shell_id)?;
        self.change_notes(shell.id(), |notes| {
            notes.notify_me = request.notify_me;
            notes.tell_agent = request.tell_agent;
        });
        if request.tell_agent
            && shell.outcome().is_some()
            && let Some(notes) = self.notes(shell.id())
        {
            self.tell_agent(&shell, &notes.session_id).await;
        }
        self.publish_shell(&shell);
        Ok(self.shell_info(&shell))
    }

    /// Takes the shells of a session that ended out of the list. Their output stays on disk, where the model may have
    /// been told of it.
    ///
    /// # Errors
    /// `READ_ONLY`, `STORE_BUSY`.
    pub async fn remove_ended_shells(
        self: &Arc<Self>,
        request: ShellsOf,
    ) -> Result<Empty, ApiError> {
        self.may_write()?;
        let session_id = request.session_id;
        let running: Vec<ShellId> = self
            .shells_of(&session_id)
            .into_iter()
            .filter(|shell| shell.outcome().is_none())
            .map(|shell| shell.id().clone())
            .collect();
        self.shells.forget_ended(session_id.as_str());
        self.store
            .forget_shells(&session_id, running)
            .await
            .map_err(of_store)?;
        self.hubs
            .get(&session_id)
            .publisher
            .publish(SessionEvent::Reset, None, timestamp());
        Ok(Empty {})
    }

    /// Lines of what a shell printed.
    ///
    /// # Errors
    /// `NOT_FOUND` where nothing of it is kept.
    pub async fn shell_log(self: &Arc<Self>, request: ShellLogQuery) -> Result<ShellLog, ApiError> {
        let folder = self.output_folder(&request.shell_id)?;
        let log = self.shell_logs.of(&request.shell_id, folder);
        let lines = request.lines.min(MAX_LINES);
        blocking(move || {
            let page = shell_log::locked(&log)
                .page(request.from_line, lines)
                .map_err(not_readable)?;
            Ok(ShellLog {
                text: page.text,
                total_lines: page.total_lines,
            })
        })
        .await
    }

    /// Looks for a text in what a shell printed.
    ///
    /// # Errors
    /// `NOT_FOUND` where nothing of it is kept.
    pub async fn find_in_shell_log(
        self: &Arc<Self>,
        request: FindInShellLog,
    ) -> Result<FoundInShellLog, ApiError> {
        let folder = self.output_folder(&request.shell_id)?;
        blocking(move || {
            let (lines, total) =
                shell_log::find(&folder, &request.query, request.max).map_err(not_readable)?;
            Ok(FoundInShellLog { lines, total })
        })
        .await
    }

    /// Opens the readable output of a shell with the program the system has for text.
    ///
    /// # Errors
    /// `NOT_FOUND` where there is no such file.
    pub async fn open_shell_output(self: &Arc<Self>, request: ShellOp) -> Result<Empty, ApiError> {
        let file = self.output_folder(&request.shell_id)?.join("clean.txt");
        if !file.is_file() {
            return Err(not_kept());
        }
        opener::open_in_system(file.as_os_str()).map(|()| Empty {})
    }

    pub(crate) fn shells_of(&self, session_id: &SessionId) -> Vec<ShellHandle> {
        let mut shells = self.shells.list();
        shells.retain(|shell| shell.owner() == session_id.as_str());
        shells
    }

    /// Where the output of a shell lies, also of one of an earlier run of the program.
    fn output_folder(&self, shell_id: &ShellId) -> Result<PathBuf, ApiError> {
        let id = shell_id.as_str();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if id.is_empty() || !id.chars().all(is_name) {
            return Err(not_kept());
        }
        let root = self.paths.data.join("shells");
        let known = self
            .notes(shell_id)
            .map(|notes| root.join(notes.session_id.as_str()).join(id));
        known
            .into_iter()
            .chain(
                std::fs::read_dir(&root)
                    .into_iter()
                    .flatten()
                    .filter_map(Result::ok)
                    .map(|entry| entry.path().join(id)),
            )
            .find(|folder| folder.is_dir())
            .ok_or_else(not_kept)
    }
}

/// It runs, or something that it started does.
fn is_alive(shell: &ShellHandle) -> bool {
    shell.outcome().is_none() || !shell.status().leftovers.is_empty()
}

fn not_kept() -> ApiError {
    ApiError::new(
        ErrorCode::NotFound,
        "the output of this command is no longer kept",
    )
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it is handed to map_err, which gives the error away"
)]
fn not_readable(error: std::io::Error) -> ApiError {
    ApiError::new(
        ErrorCode::NotFound,
        format!("the output of this command cannot be read: {error}"),
    )
}
