//! The built-in tools, one file each. A tool gets what it needs by value; none knows of sessions, windows or models.
//!
//! Invariant: no tool writes to a file or starts a process before its call was allowed; preparing reads only.

mod apply_patch;
mod args;
mod ask_user_question;
mod background;
mod change;
mod edit;
mod files_deps;
mod glob;
mod grep_search;
mod list_directory;
mod list_shells;
mod notebook_edit;
mod question;
mod read_file;
mod run_shell_command;
mod search;
mod shell_output;
mod shell_write;
mod task_stop;
#[cfg(test)]
mod test_support;
mod todo_write;
mod write_file;

pub use apply_patch::ApplyPatch;
pub use ask_user_question::AskUserQuestion;
pub use background::{EndedShell, NOTE_TAIL_BYTES, OutputTail, end_note, note_of};
pub use edit::Edit;
pub use files_deps::{FileDeps, KeepPicture, PdfPrograms};
pub use glob::Glob;
pub use grep_search::GrepSearch;
pub use list_directory::ListDirectory;
pub use list_shells::ListShells;
pub use notebook_edit::NotebookEdit;
pub use read_file::ReadFile;
pub use run_shell_command::{
    LookAtFiles, RunShellCommand, SandboxChoice, ShellDeps, ShellStarted, WhatChanged,
};
pub use search::{NowNs, SearchDeps};
pub use shell_output::ShellOutput;
pub use shell_write::ShellWrite;
pub use task_stop::TaskStop;
pub use todo_write::{TodoList, TodoWrite};
pub use write_file::WriteFile;
