//! Real programs on real terminals, supervised by this crate's own small program.

mod ends;
mod harness;
