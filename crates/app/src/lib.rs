//! The program without a window: store, settings, providers, tools and sessions, put together.
//!
//! Both programs are thin shells over [`Workbench`]. Everything that comes from outside (environment, clock, folders)
//! enters here and is handed down by value. Deliberately absent: windows, command lines, and every rule that a crate
//! below already has.

mod authorship;
pub mod clock;
pub mod doctor;
pub mod env;
mod error;
mod file_backup;
mod folder_diff;
mod git;
mod history;
mod hub;
mod keys;
mod late_write;
mod paths;
mod providers;
mod put_back;
mod rpc;
mod settings;
mod settle;
mod shell_log;
mod shells;
mod shown_files;
mod startup;
mod strays;
mod three_way;
mod toolbox;
mod tracked;
mod vision;
mod walls;
mod workbench;
mod workspace;

pub use agent::Watch;
pub use paths::Paths;
pub use startup::{Interaction, ProviderOverride, Role, StartError, Startup};
pub use terminal::run_shellhost_if_requested;
pub use workbench::{AppEvent, TerminalFrames, Workbench};
