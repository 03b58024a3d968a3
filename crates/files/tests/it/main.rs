//! The crate from outside, on real folders.

mod cases;
mod commit;
mod glob;
mod grep;
mod list;
mod paths;
mod plan;
mod races;
mod read;
mod ripgrep;
mod support;
