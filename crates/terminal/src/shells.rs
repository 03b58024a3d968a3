//! All shells of the program: started here, found by their id, ended together.
//!
//! Ended shells stay readable, the last ones at least. Deliberately absent: who may start what, and any memory beyond
//! this process.

use crate::error::Error;
use crate::handle::ShellHandle;
use crate::program::ShellProgram;
use crate::runtime::RuntimeFolder;
use crate::screen::TerminalSize;
use crate::spool::SpoolLimits;
use crate::worker::start;
use protocol::ids::ShellId;
use sandbox::{Backend, Policy};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// Ended shells of one owner and place that stay, those that ended first go first; each holds its last bytes for views.
const KEPT_ENDED: usize = 32;
/// What one owner may have running in the background.
const BACKGROUND_MAX_OF_OWNER: usize = 16;
/// What all may have running in the background.
const BACKGROUND_MAX: usize = 64;
/// How long [`Shells::shut_down`] waits for the last process.
const SHUT_DOWN_MAX: Duration = Duration::from_secs(5);

/// Whether somebody waits for a command. It changes at most once, from the former to the latter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Somebody waits, so there is a time limit.
    Foreground,
    /// Nobody does, and its end is told of.
    Background,
}

/// What becomes of a command whose time is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnTimeout {
    /// It ends.
    Kill,
    /// It goes on in the background if it printed something this short a time ago, in the last quarter of its time at
    /// any rate, and does not seem to wait for somebody; else it ends.
    MoveIfActive {
        /// Longest silence.
        silence: Duration,
    },
    /// It goes on in the background.
    Move,
}

/// Whether the system has terminals to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Terminals {
    /// It is asked, and usually has.
    #[default]
    Opened,
    /// It is not asked: every command gets what it would get if the system had none left.
    Refused,
}

/// What becomes of processes whose command ended, when the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leftovers {
    /// They end with it.
    End,
    /// They are left to themselves; their terminal is gone.
    Leave,
}

/// What the starts of all commands have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Means {
    pub(crate) limits: SpoolLimits,
    pub(crate) terminals: Terminals,
}

/// What a command is kept in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// The walls this system has.
    pub backend: Backend,
    /// What the command may do.
    pub policy: Policy,
    /// The session's folders, canonical.
    pub roots: Vec<PathBuf>,
}

/// A command to start.
#[derive(Debug, Clone)]
pub struct SpawnRequest {
    /// Names the shell; not used before.
    pub id: ShellId,
    /// Whose it is; limits count for each owner.
    pub owner: String,
    /// Whether somebody waits for it.
    pub place: Place,
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
    /// What becomes of it then.
    pub on_timeout: OnTimeout,
    /// A folder that does not exist yet, for its output.
    pub spool_dir: PathBuf,
    /// What it is kept in, if it is.
    pub sandbox: Option<Sandbox>,
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
    runtime: RuntimeFolder,
    means: Means,
    /// In the order of their start.
    shells: Mutex<Vec<ShellHandle>>,
}

impl Shells {
    /// No shells yet. In `runtime_root`, see [`crate::runtime_root`], is a folder for the sockets of this run; those of
    /// runs that are over are removed from it.
    ///
    /// # Errors
    /// The folder cannot be made, or it is not private.
    pub fn new(runtime_root: &Path, limits: SpoolLimits) -> io::Result<Self> {
        Self::with_terminals(runtime_root, limits, Terminals::default())
    }

    /// The same, where the system may have no terminals.
    ///
    /// # Errors
    /// Those of [`Shells::new`].
    pub fn with_terminals(
        runtime_root: &Path,
        limits: SpoolLimits,
        terminals: Terminals,
    ) -> io::Result<Self> {
        let inner = Inner {
            runtime: RuntimeFolder::create(runtime_root)?,
            means: Means { limits, terminals },
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
        if request.place == Place::Background {
            self.room_in_background(&request.owner)?;
        }
        let (sender, started) = oneshot::channel();
        let inner = Arc::clone(&self.inner);
        let serve = move || match start::start(request, inner.runtime.path(), inner.means) {
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

    /// Whether this owner may start one more in the background.
    ///
    /// # Errors
    /// [`Error::TooManyInBackground`].
    pub fn room_in_background(&self, owner: &str) -> Result<(), Error> {
        let running =
            |shell: &&ShellHandle| shell.place() == Place::Background && shell.outcome().is_none();
        let shells = self.list();
        let all = shells.iter().filter(running).count();
        let own = shells.iter().filter(running);
        let own = own.filter(|shell| shell.owner() == owner).count();
        if own >= BACKGROUND_MAX_OF_OWNER || all >= BACKGROUND_MAX {
            let running = if own >= BACKGROUND_MAX_OF_OWNER {
                own
            } else {
                all
            };
            return Err(Error::TooManyInBackground { running });
        }
        Ok(())
    }

    /// The shells of one owner that are or were in the background, in the order of their start.
    #[must_use]
    pub fn background_of(&self, owner: &str) -> Vec<ShellHandle> {
        let mut shells = self.list();
        shells.retain(|shell| shell.owner() == owner && shell.place() == Place::Background);
        shells
    }

    /// Forgets the shells of one owner that ended and left nothing running, and names them.
    pub fn forget_ended(&self, owner: &str) -> Vec<ShellId> {
        let mut shells = self.inner.lock();
        let is_over = |shell: &ShellHandle| shell.owner() == owner && shell.is_gone();
        let (over, kept) = shells.drain(..).partition(is_over);
        *shells = kept;
        let over: Vec<ShellHandle> = over;
        over.iter().map(|shell| shell.id().clone()).collect()
    }

    /// All shells, in the order of their start.
    #[must_use]
    pub fn list(&self) -> Vec<ShellHandle> {
        let mut shells = self.inner.lock();
        prune(&mut shells);
        shells.clone()
    }

    /// Folders of commands that print or may print, for [`crate::sweep`].
    #[must_use]
    pub fn in_use(&self) -> Vec<PathBuf> {
        let shells = self.list();
        let running = shells.iter().filter(|shell| !shell.is_gone());
        running.map(ShellHandle::spool_dir).collect()
    }

    /// Ends every shell, and what they left running if that is to end: politely, and after `grace` by force. Returns
    /// when all are gone, or after five seconds. None can be started afterwards.
    pub async fn shut_down(&self, grace: Duration, leftovers: Leftovers) {
        let shells = self.list();
        for shell in &shells {
            match (leftovers, shell.outcome()) {
                (Leftovers::Leave, Some(_)) => shell.let_go(),
                (Leftovers::Leave, None) | (Leftovers::End, _) => shell.kill(grace),
            }
        }
        let all = async {
            for shell in &shells {
                shell.gone().await;
            }
        };
        if tokio::time::timeout(SHUT_DOWN_MAX, all).await.is_err() {
            tracing::warn!("some processes survived the end of their shells");
        }
        self.inner.runtime.remove();
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Vec<ShellHandle>> {
        self.shells.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, handle: ShellHandle) {
        let mut shells = self.lock();
        shells.push(handle);
        prune(&mut shells);
    }
}

/// Forgets what ended longest ago, where there is too much of it. What runs is never forgotten.
fn prune(shells: &mut Vec<ShellHandle>) {
    let mut ended: Vec<&ShellHandle> = shells.iter().filter(|shell| shell.is_gone()).collect();
    if ended.len() <= KEPT_ENDED {
        return;
    }
    ended.sort_by_key(|shell| std::cmp::Reverse(shell.ended_at()));
    let mut kept: BTreeMap<(String, Place), usize> = BTreeMap::new();
    let mut forgotten: Vec<ShellId> = Vec::new();
    for shell in ended {
        let count = kept
            .entry((shell.owner().to_owned(), shell.place()))
            .or_default();
        *count += 1;
        if *count > KEPT_ENDED {
            forgotten.push(shell.id().clone());
        }
    }
    shells.retain(|shell| !forgotten.contains(shell.id()));
}
