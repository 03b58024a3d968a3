//! Real programs on real terminals, supervised by this crate's own small program.

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

mod background;
mod cases;
mod ends;
mod failures;
mod files;
mod flood;
mod harness;
mod input;
mod leftovers;
mod pipe;
mod programs;
mod start;
mod stops;
mod views;
#[cfg(target_os = "linux")]
mod walls;
