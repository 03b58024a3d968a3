//! What a command may reach: files it may change, files it may see, the network.
//!
//! On Linux the walls are bubblewrap's, which can keep one folder inside a writable one as it is; where that program
//! cannot be had they are Landlock's and seccomp's, and a [`Guard`] puts back afterwards what those cannot keep. Nothing
//! here decides whether a command needs walls, and a wall that cannot be had is an error and never silently missing.
//! Deliberately absent: starting the command, and what a person is told.

mod backend;
mod bubblewrap;
#[cfg(target_os = "linux")]
mod confine;
mod denial;
mod guard;
mod policy;
mod protected;
#[cfg(target_os = "linux")]
mod syscalls;

pub use backend::{Backend, Probe};
pub use bubblewrap::arguments;
#[cfg(target_os = "linux")]
pub use confine::{Confinement, landlock_works};
pub use denial::looks_denied;
pub use guard::{Fate, Guard, Touched};
pub use policy::{FileAccess, GitAccess, Network, Policy, Walls};
pub use protected::{Protection, protections};

/// Why there are no walls.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system has no support for it, or refuses it.
    #[error("{0}")]
    Unavailable(String),
    /// A file could not be read or changed.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: std::path::PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}
