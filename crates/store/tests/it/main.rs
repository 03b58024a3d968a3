//! The store from the outside: real files, real processes.

mod basics;
#[expect(
    clippy::expect_used,
    clippy::panic,
    reason = "what these make or find is the test's own; without it the test has failed"
)]
mod support;
