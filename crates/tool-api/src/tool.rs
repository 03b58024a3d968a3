//! The static side of a tool: its name, its schema and what it does to the world.

use crate::invocation::Invocation;
use crate::schema::Schema;
use protocol::tool_call::{ToolFailure, ToolKind};
use serde_json::Value;

/// One tool. Holds no state of any call.
pub trait Tool: Send + Sync {
    /// The name the model uses: `[A-Za-z][A-Za-z0-9_-]{0,62}`.
    fn name(&self) -> &'static str;

    /// What the model reads about it. Never depends on the time or on what happened before: the text is part of the
    /// cached prefix of every request.
    fn description(&self) -> &'static str;

    /// What it does to the world.
    fn kind(&self) -> ToolKind;

    /// Its arguments.
    fn schema(&self) -> &Schema;

    /// Other names for arguments that models use: `(alias, name)`.
    fn aliases(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Which arguments are paths. No default: a new tool decides.
    fn path_fields(&self) -> PathFields;

    /// Turns valid arguments into a call. Makes the tool's own checks; changes nothing, reaches no network.
    ///
    /// # Errors
    /// A failure that the model reads: the arguments fit the schema but make no sense.
    fn build(&self, args: Value) -> Result<Box<dyn Invocation>, ToolFailure>;
}

/// Which arguments of a tool are paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathFields {
    /// None of them, and why.
    None(&'static str),
    /// These.
    Fields(&'static [PathField]),
}

/// One argument that is a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathField {
    /// Name of the top-level property.
    pub property: &'static str,
    /// What it names.
    pub role: PathRole,
}

/// What a path argument names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathRole {
    /// A file.
    File,
    /// A folder.
    Dir,
    /// A file or folder where a search begins.
    SearchRoot,
    /// A pattern under the search root.
    Glob,
}
