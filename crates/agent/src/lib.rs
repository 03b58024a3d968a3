//! The agent: a pure machine that decides what happens in a session, and what surrounds it.

pub mod machine;
pub mod permission;
