//! Placeholder until the numbers are taken.
fn main() {}
