//! The façade: one value that does every command of the window.
//!
//! Methods named like commands are the commands; the dispatcher in `rpc` calls them by name. They are grouped by what
//! they are about in the modules below. Invariant: a session has at most one driver, and only the driver writes facts
//! of a turn.

mod changes;
mod drafts;
mod edit_outside;
mod merges;
mod opener;
mod rewind;
mod sessions;
mod settings;
mod shell_list;
mod start;
mod terminals;
mod turns;
mod undo;

use crate::env::Environment;
use crate::hub::Hubs;
use crate::keys::Keys;
use crate::paths::Paths;
use crate::providers::DemoScript;
use crate::rpc::Ops;
use crate::settings::SettingsFile;
use crate::shell_log::ShellLogs;
use crate::shells::ShellNotes;
use crate::startup::{Interaction, ProviderOverride};
use crate::walls::FoundWalls;
use files::Committer;
use protocol::command::WorkspaceInfo;
use protocol::error::{ApiError, ErrorCode};
use protocol::event::StoreState;
use protocol::ids::{SessionId, ShellId};
use protocol::shell::ShellInfo;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::Store;
use terminal::Shells;
use tokio::sync::broadcast;

pub use terminals::TerminalFrames;

/// Something about the whole program changed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AppEvent {
    /// Sessions were made, renamed, put away, deleted, or changed their state.
    SessionsChanged,
    /// The settings changed.
    SettingsChanged,
    /// A command ended whose end the person wants to hear of.
    ShellEnded {
        /// The command.
        shell: Box<ShellInfo>,
    },
    /// The store can or cannot be written.
    Store {
        /// As it now is.
        state: StoreState,
    },
}

/// Everything that runs behind a window or a command line.
pub struct Workbench {
    pub(crate) run: String,
    pub(crate) environment: Environment,
    pub(crate) paths: Paths,
    pub(crate) host_program: PathBuf,
    pub(crate) interaction: Interaction,
    pub(crate) demo: DemoScript,
    pub(crate) max_steps: Option<u32>,
    pub(crate) provider: Option<ProviderOverride>,
    pub(crate) settings: Mutex<SettingsFile>,
    pub(crate) keys: Mutex<Keys>,
    pub(crate) store: Store,
    /// Why nothing can be written, where that is so.
    pub(crate) read_only: Option<String>,
    pub(crate) notice: Mutex<Option<ApiError>>,
    pub(crate) workspace: Mutex<Option<WorkspaceInfo>>,
    pub(crate) hubs: Hubs,
    pub(crate) committer: Arc<Committer>,
    pub(crate) shells: Shells,
    pub(crate) shell_notes: Mutex<BTreeMap<ShellId, ShellNotes>>,
    pub(crate) shell_logs: ShellLogs,
    pub(crate) walls: Arc<FoundWalls>,
    pub(crate) copies: edit_outside::Copies,
    pub(crate) ops: Ops,
    pub(crate) changes: broadcast::Sender<AppEvent>,
}

impl Workbench {
    /// What happens to the program as a whole.
    #[must_use]
    pub fn changes(&self) -> broadcast::Receiver<AppEvent> {
        self.changes.subscribe()
    }

    /// Begins to hear the events of a session.
    #[must_use]
    pub fn watch(&self, session_id: &SessionId) -> agent::Watch {
        self.hubs.get(session_id).watch()
    }

    pub(crate) fn announce(&self, event: AppEvent) {
        if self.changes.send(event).is_err() {
            tracing::trace!("nobody watches the program");
        }
    }

    pub(crate) fn may_write(&self) -> Result<(), ApiError> {
        match &self.read_only {
            None => Ok(()),
            Some(reason) => Err(ApiError::new(ErrorCode::ReadOnly, reason.clone())),
        }
    }
}

/// A lock that a panic elsewhere does not make unusable: every change under it is a single step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
