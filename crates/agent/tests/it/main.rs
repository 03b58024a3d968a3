//! The machine alone: recorded scenarios and properties over random inputs.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail the test; clippy only knows test functions"
)]

mod chaos;
mod context;
mod invariants;
mod properties;
mod recovery;
mod rewinds;
mod rules;
mod scenario;
mod scenarios;
mod script;
mod session;
