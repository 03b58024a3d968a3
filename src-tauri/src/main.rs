//! The window of Benchdog.
//!
//! A thin shell: it starts the backend of `app`, opens one window and carries commands, events and terminal bytes
//! between the two. Deliberately absent: any decision about sessions, tools, files or models.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod commands;
mod graphics;
mod logging;
mod setup;
mod terminals;
mod views;
mod window;

use std::process::ExitCode;

fn main() -> ExitCode {
    app::run_shellhost_if_requested();
    setup::run()
}
