//! All shells of the program: started here, found by their id, ended together.
//!
//! Ended shells stay readable, the last ones at least. Deliberately absent: who may start what, and any memory beyond
//! this process.

use crate::error::Error;
use crate::handle::ShellHandle;
use crate::program::ShellProgram;
use crate::screen::TerminalSize;
use crate::spool::{self, SpoolLimits};
use crate::worker::start;
use protocol::ids::ShellId;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// Ended shells that stay, oldest go first; each holds its last bytes for views.
const KEPT_ENDED: usize = 32;
/// How long [`Shells::shut_down`] waits for the last process.
const SHUT_DOWN_MAX: Duration = Duration::from_secs(5);

/// A command to start.
#[derive(Debug, Clone)]
pub struct SpawnRequest {
    /// Names the shell; not used before.
    pub id: ShellId,
    /// What the shell is given, as it is.
    pub command: String,
    /// The folder it runs in. It is an error, and no other folder is taken, if it does not exist by then.
    pub cwd: PathBuf,
    /// The whole environment, see [`crate::child_env`].
    pub env: BTreeMap<String, String>,
    /// The size until a view says otherwise.
    pub size: TerminalSize,
    /// How long it may run.
    pub timeout: Option<Duration>,
    /// A folder that does not exist yet, for its output.
    pub spool_dir: PathBuf,
    /// The shell, see [`crate::find_shell`].
    pub shell: ShellProgram,
    /// The program that supervises it: one that calls [`crate::run_shellhost_if_requested`] first. The fewer libraries
    /// it links, the sooner the command starts.
    pub host_program: PathBuf,
}

/// The shells. Clones are the same shells.
#[derive(Debug, Clone)]
pub struct Shells {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    runtime_dir: PathBuf,
    limits: SpoolLimits,
    /// In the order of their start.
    shells: Mutex<Vec<ShellHandle>>,
}

impl Shells {
    /// No shells yet. `runtime_dir` is for sockets: short-lived, private, with a short path.
    pub fn new(runtime_dir: &Path, limits: SpoolLimits) -> io::Result<Self> {
        spool::create_private_dir(runtime_dir)?;
        let inner = Inner {
            runtime_dir: runtime_dir.to_owned(),
            limits,
            shells: Mutex::new(Vec::new()),
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// Starts a command and returns once it runs.
    pub async fn start(&self, request: SpawnRequest) -> Result<ShellHandle, Error> {
        let id = request.id.clone();
        if self.get(&id).is_some() {
            return Err(Error::DuplicateId {
                id: id.as_str().to_owned(),
            });
        }
        let (sender, started) = oneshot::channel();
        let inner = Arc::clone(&self.inner);
        let serve = move || match start::start(request, &inner.runtime_dir, inner.limits) {
            Ok(worker) => {
                let handle = worker.handle();
                inner.remember(handle.clone());
                // Whoever asked may have gone; the shell is in the list.
                sender.send(Ok(handle)).ok();
                worker.run();
            }
            Err(error) => {
                sender.send(Err(error)).ok();
            }
        };
        let thread = std::thread::Builder::new()
            .name(format!("shell {}", id.as_str()))
            .spawn(serve);
        thread.map_err(|error| Error::SpawnFailed {
            reason: error.to_string(),
        })?;
        started.await.unwrap_or_else(|_| {
            Err(Error::SpawnFailed {
                reason: "its thread ended".to_owned(),
            })
        })
    }

    /// The shell with this id.
    #[must_use]
    pub fn get(&self, id: &ShellId) -> Option<ShellHandle> {
        self.inner
            .lock()
            .iter()
            .find(|shell| shell.id() == id)
            .cloned()
    }

    /// All shells, in the order of their start.
    #[must_use]
    pub fn list(&self) -> Vec<ShellHandle> {
        self.inner.lock().clone()
    }

    /// Ends every shell and what they left running: politely, and after `grace` by force. Returns when all are gone, or
    /// after five seconds.
    pub async fn shut_down(&self, grace: Duration) {
        let shells = self.list();
        shells.iter().for_each(|shell| shell.kill(grace));
        let all = async {
            for shell in &shells {
                shell.gone().await;
            }
        };
        if tokio::time::timeout(SHUT_DOWN_MAX, all).await.is_err() {
            tracing::warn!("some processes survived the end of their shells");
        }
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Vec<ShellHandle>> {
        self.shells.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, handle: ShellHandle) {
        let mut shells = self.lock();
        shells.push(handle);
        let ended = shells.iter().filter(|shell| shell.is_gone()).count();
        let mut excess = ended.saturating_sub(KEPT_ENDED);
        shells.retain(|shell| {
            let drop = excess > 0 && shell.is_gone();
            excess -= usize::from(drop);
            !drop
        });
    }
}
