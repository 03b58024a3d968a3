//! What journeys share: a model server that plays a script, and a workbench over fresh folders.
//!
//! Everything but the model is real: the store, the files, the terminals, HTTP on loopback. The server checks every
//! request for the one rule that providers punish for the rest of a session: each call has exactly one result.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail the test; clippy only knows test functions"
)]

pub mod model_server;
pub mod stage;

pub use model_server::{Answer, ModelServer};
pub use stage::Stage;
