//! The store from the outside: real files, real processes.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "helpers stand outside test functions; where they cannot go on, the test has failed"
)]

mod basics;
mod copies;
mod damage;
mod deletion;
mod full_disk;
mod processes;
mod reads;
mod rebuilding;
mod recovery;
mod schema;
mod searching;
mod shell_runs;
mod support;
