//! The built-in tools through the registry, on real folders and real terminals.

mod changes;
mod declarations;
mod kit;
mod reading;
mod shell;
