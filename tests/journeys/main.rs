//! Journeys through the whole program without its window: what a person does, what lands, what the model is told.

mod approvals;
mod commands;
mod queue;
mod restarts;
mod servers;
