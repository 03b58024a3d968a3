//! From checked JSON to a tool's own type.

use protocol::tool_call::ToolFailure;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads arguments that already fit the schema.
///
/// # Errors
/// `INVALID_TOOL_PARAMS` for what a schema cannot say, such as a lone surrogate.
pub(crate) fn parse<T: DeserializeOwned>(args: &Value) -> Result<T, ToolFailure> {
    T::deserialize(args).map_err(|error| ToolFailure {
        code: "INVALID_TOOL_PARAMS".to_owned(),
        reason: None,
        message: error.to_string(),
    })
}
