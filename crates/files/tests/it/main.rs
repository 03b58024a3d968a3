//! The crate from outside, on real folders.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests fail the test and say what is skipped; clippy only knows test functions"
)]

mod cases;
mod commit;
mod crashes;
mod glob;
mod grep;
mod grep_pages;
mod in_place;
mod list;
mod messages;
mod metadata;
mod notebook;
mod paths;
mod plan;
mod processes;
mod races;
mod read;
mod ripgrep;
mod support;
mod undo;
