//! The built-in tools through the registry, on real folders and real terminals.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail the test; clippy only knows test functions"
)]

mod changes;
mod declarations;
mod documents;
mod edit_cases;
mod kit;
mod notebooks;
mod patches;
mod reading;
mod sed;
mod shell;
