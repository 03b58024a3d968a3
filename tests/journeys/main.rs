//! Journeys through the whole program without its window: what a person does, what lands, what the model is told.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test; clippy only knows test functions"
)]

mod approvals;
mod changes;
mod commands;
mod crashes;
mod queue;
mod restarts;
mod rewinds;
mod servers;
mod settings;
mod shells;
