//! Commands on terminals: started under a supervisor, read from the first byte, shown, typed into, ended with all they
//! started.
//!
//! Invariant: when a shell is gone, no process it started is left, whatever they did to survive, and also if this
//! program is killed. Nothing a command prints is waited for by anything but the disk. Deliberately absent: who may run
//! what, databases, and any knowledge of windows or models beyond the text made for them.

#[cfg(not(unix))]
compile_error!("commands run on Unix terminals; there is no supervisor for this system yet");

mod aftermath;
mod environment;
mod error;
mod events;
mod guards;
mod handle;
mod input;
mod life;
mod line_text;
mod model_text;
mod outcome;
mod output;
mod process_tree;
mod program;
mod retention;
mod ring;
mod runtime;
mod screen;
mod session;
mod shellhost;
mod shells;
mod spool;
mod status;
mod text;
mod view;
mod walls;
mod wire;
mod worker;

pub use aftermath::{Aftermath, ProcessIdentity, ShellFiles, ShellIdentity, aftermath, kept_tail};
pub use environment::login::{CaptureError, capture_login_environment};
pub use environment::{Audience, ChildContext, Environment, child_env};
pub use error::Error;
pub use events::{ShellEvent, TerminalFrame};
pub use guards::{one_is_an_answer, self_kill_guard, sleep_guard};
pub use handle::{ShellHandle, ShellStatus, Snapshot};
pub use input::Keys;
pub use model_text::{MODEL_TEXT_MAX_CHARS, model_text};
pub use outcome::{
    EndReason, Exit, LeftProcess, Medium, Outcome, OutputText, TypedInput, signal_name,
};
pub use program::{ShellProgram, find_shell};
pub use retention::{RetentionLimits, Swept, remove_session_output, sweep};
pub use runtime::runtime_root;
pub use screen::TerminalSize;
pub use shellhost::{SHELLHOST_ARG, SHELLHOST_MISUSED, run_shellhost_if_requested};
pub use shells::{Leftovers, OnTimeout, Place, Sandbox, Shells, SpawnRequest, Terminals};
pub use spool::SpoolLimits;
pub use text::{Excerpt, TextSince};
pub use view::ViewId;
pub use walls::find_walls;
