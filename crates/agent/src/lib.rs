//! The agent: a pure machine that decides what happens in a session, and what surrounds it.
//!
//! The machine ([`machine::advance`]) has every rule of the loop and no I/O; the driver carries out what it wants. The
//! loop sees tools, providers and the store only through their traits, so a new tool never touches it. Deliberately
//! absent: which tools there are, windows, settings.

mod driver;
pub mod machine;
pub mod permission;
mod prompt;
mod publish;

pub use driver::{
    Command, Deps, DriverHandle, Model, NewTools, NowMs, OnReload, Past, Pictures, PutBack, Retool,
    idle_snapshot, spawn,
};
pub use machine::{LoopConfig, LoopState, ToolFacts, late_write_notices};
pub use prompt::{Surroundings, system_parts};
pub use publish::{Publisher, Watch};
