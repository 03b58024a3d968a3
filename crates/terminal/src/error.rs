//! What can go wrong with a terminal, by what the caller does about it.

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command does not run; nothing of it is left. The model may try another way.
    #[error("could not start the shell: {reason}")]
    SpawnFailed {
        /// What the system said.
        reason: String,
    },
    /// The identifier is taken.
    #[error("a shell named {id} exists already")]
    DuplicateId {
        /// The identifier.
        id: String,
    },
    /// As many run in the background as may.
    #[error("{running} background shells are already running. Stop one with task_stop first.")]
    TooManyInBackground {
        /// How many run.
        running: usize,
    },
    /// It ended, so nobody reads what is typed.
    #[error("the shell does not run any more")]
    NotRunning,
    /// The keys were not taken, so they go nowhere.
    #[error("take the input of the shell before typing into it")]
    InputNotTaken,
    /// The person types into it.
    #[error("a person is typing into this shell")]
    InputTaken,
    /// The program does not read; try later.
    #[error("the program is not reading its input")]
    InputBusy,
    /// It runs without a terminal, so it reads nothing.
    #[error("this shell runs without a terminal, so nothing can be typed into it")]
    NoTerminal,
    /// The terminal would cut the line silently.
    #[error("a line of {len} bytes is longer than the {max} bytes this terminal takes")]
    LineTooLong {
        /// Length of the line.
        len: usize,
        /// Longest line.
        max: usize,
    },
}
