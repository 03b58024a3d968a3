//! The machine alone: recorded scenarios and properties over random inputs.

mod chaos;
mod invariants;
mod properties;
mod recovery;
mod scenario;
mod scenarios;
mod script;
