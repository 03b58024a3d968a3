//! The shared vocabulary: what is said, done, asked and answered, and how it travels.
//!
//! The type that crosses to the window is the type that is stored and the type the window reduces; there is no chain
//! of look-alikes. Names on the wire are `snake_case` throughout. Deliberately absent: I/O, clocks, behaviour.

pub mod changes;
pub mod command;
pub mod confirmation;
pub mod diff;
pub mod error;
pub mod event;
pub mod ids;
pub mod item;
pub mod log;
pub mod message;
pub mod sandbox;
pub mod session;
pub mod settings;
pub mod shell;
pub mod todo;
pub mod tool_call;
