//! The window of Benchdog.
//!
//! A thin shell: it starts the backend of `app`, opens one window and carries commands, events and terminal bytes
//! between the two. Deliberately absent: any decision about sessions, tools, files or models.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod closing;
mod commands;
mod feeds;
mod graphics;
mod logging;
mod setup;
mod views;
mod window;

use std::process::ExitCode;

fn main() -> ExitCode {
    // A command's supervisor is this same program started anew: it must not touch the window system.
    match app::run_shellhost_if_requested() {
        Some(code) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
        None => setup::run(),
    }
}
