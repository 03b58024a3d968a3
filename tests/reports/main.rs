//! Situations from public bug reports, played black box: the real `benchdog` program on the command line against a
//! scripted model server, in folders of their own.
//!
//! Observed are only what a user could see: events, files, processes, and the requests that reach the server. Every
//! recorded request must also pass the strict checks of `check_request.py`. Linux only: running commands are looked up
//! in `/proc`. Deliberately absent: streams of the Anthropic protocol, which the program does not speak yet, and what
//! only a window shows.

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail the test; clippy only knows test functions"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "tests set the scene with the environment and with other programs"
)]

mod approvals;
mod case;
mod copies;
mod edits;
mod histories;
mod program;
mod projects;
mod provider;
mod reads;
mod reasoning;
mod scene;
mod stops;
mod streams;
mod wait;
