//! What a tool is, and how a call of the model becomes something that may be run.
//!
//! A [`Tool`] is one per name and never holds a call. An [`Invocation`] is one call whose arguments are already valid;
//! only [`ToolRegistry::build`] makes one, so nothing unchecked can be executed. Deliberately absent: which tools there
//! are, who may run them, and in which order.

mod coerce;
mod context;
mod invocation;
mod registry;
mod result;
mod schema;
mod tool;

pub use context::ExecContext;
pub use invocation::{
    Invocation, Modification, ModifyError, Permission, QuestionBody, SessionRule,
};
pub use registry::{BuildError, RegisterError, ToolRegistry};
pub use result::{StopCause, ToolResult};
pub use schema::{Coerced, Schema, SchemaError};
pub use tool::{PathField, PathFields, PathRole, Tool};
