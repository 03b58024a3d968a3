//! Look-up by name, and the only way to an invocation.
//!
//! Tools are sorted by name, so that the same tools give the same bytes in every request.

use crate::invocation::Invocation;
use crate::schema::{Coerced, SchemaError};
use crate::tool::Tool;
use protocol::tool_call::ToolFailure;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Names nearer than this share of their length are offered instead of an unknown one.
const NEAREST_NAME_LENGTH_DIVISOR: usize = 3;

/// The tools of one session.
#[derive(Default)]
pub struct ToolRegistry {
    tools: BTreeMap<&'static str, Arc<dyn Tool>>,
}

/// Why a tool was not registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegisterError {
    /// A tool of this name, ignoring case, is there.
    #[error("a tool named {0:?} is already registered")]
    NameTaken(String),
}

/// Why a call was not built. Nothing has run.
#[derive(Debug, Clone, PartialEq)]
pub enum BuildError {
    /// No such tool; the nearest name, if one is near.
    UnknownTool {
        /// A name the model may have meant.
        nearest: Option<String>,
    },
    /// The arguments do not fit the schema.
    Schema(SchemaError),
    /// The tool's own checks failed.
    Refused(ToolFailure),
}

impl ToolRegistry {
    /// Adds a tool.
    ///
    /// # Errors
    /// [`RegisterError::NameTaken`]: names are unique ignoring ASCII case.
    pub fn register(&mut self, tool: Arc<dyn Tool>) -> Result<(), RegisterError> {
        let name = tool.name();
        if self
            .tools
            .keys()
            .any(|taken| taken.eq_ignore_ascii_case(name))
        {
            return Err(RegisterError::NameTaken(name.to_owned()));
        }
        self.tools.insert(name, tool);
        Ok(())
    }

    /// The tool of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name)
    }

    /// All tools by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.tools.values()
    }

    /// Turns a call of the model into something that may be run, and says which arguments were coerced.
    ///
    /// # Errors
    /// [`BuildError`]; in each case nothing has run.
    pub fn build(
        &self,
        name: &str,
        args: &Value,
    ) -> Result<(Box<dyn Invocation>, Vec<Coerced>), BuildError> {
        let Some(tool) = self.tools.get(name) else {
            return Err(BuildError::UnknownTool {
                nearest: self.nearest(name),
            });
        };
        let (args, coerced) = tool
            .schema()
            .accept(args, tool.aliases())
            .map_err(BuildError::Schema)?;
        let invocation = tool.build(args).map_err(BuildError::Refused)?;
        Ok((invocation, coerced))
    }

    fn nearest(&self, name: &str) -> Option<String> {
        let limit = name.chars().count() / NEAREST_NAME_LENGTH_DIVISOR;
        self.tools
            .keys()
            .map(|known| {
                let distance = if known.eq_ignore_ascii_case(name) {
                    0
                } else {
                    crate::schema::edit_distance(known, name)
                };
                (distance, *known)
            })
            .filter(|(distance, _)| *distance <= limit)
            .min()
            .map(|(_, known)| known.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::ExecContext;
    use crate::invocation::{Permission, QuestionBody};
    use crate::result::ToolResult;
    use crate::schema::Schema;
    use crate::tool::PathFields;
    use protocol::confirmation::Preview;
    use protocol::tool_call::ToolKind;
    use serde_json::json;

    struct Echo(&'static str, Schema);

    impl Tool for Echo {
        fn name(&self) -> &'static str {
            self.0
        }
        fn description(&self) -> &'static str {
            "says it again"
        }
        fn kind(&self) -> ToolKind {
            ToolKind::Other
        }
        fn schema(&self) -> &Schema {
            &self.1
        }
        fn path_fields(&self) -> PathFields {
            PathFields::None("plain words")
        }
        fn build(&self, args: Value) -> Result<Box<dyn Invocation>, ToolFailure> {
            Ok(Box::new(EchoCall(args)))
        }
    }

    struct EchoCall(Value);

    #[async_trait::async_trait]
    impl Invocation for EchoCall {
        fn args(&self) -> &Value {
            &self.0
        }
        fn subject(&self) -> String {
            String::new()
        }
        fn default_permission(&self) -> Permission {
            Permission::Ask
        }
        fn question(&self) -> QuestionBody {
            QuestionBody {
                proposal_id: "p".into(),
                preview: Preview::Info {
                    title: String::new(),
                    body: String::new(),
                },
                warnings: Vec::new(),
                confirm_reasons: Vec::new(),
                modifiable: false,
            }
        }
        async fn execute(self: Box<Self>, _ctx: ExecContext) -> ToolResult {
            ToolResult::text("", protocol::tool_call::Display::None)
        }
    }

    fn echo(name: &'static str) -> Arc<dyn Tool> {
        let schema = json!({"type": "object", "additionalProperties": false, "required": ["word"],
            "properties": {"word": {"type": "string"}}});
        Arc::new(Echo(name, Schema::new(schema)))
    }

    #[test]
    fn the_order_of_tools_does_not_depend_on_the_order_of_registration() {
        let mut one = ToolRegistry::default();
        let mut two = ToolRegistry::default();
        for name in ["b", "a", "c"] {
            one.register(echo(name)).unwrap();
        }
        for name in ["c", "b", "a"] {
            two.register(echo(name)).unwrap();
        }
        let names =
            |registry: &ToolRegistry| registry.iter().map(|tool| tool.name()).collect::<Vec<_>>();
        assert_eq!(names(&one), names(&two));
        assert_eq!(names(&one), ["a", "b", "c"]);
    }

    #[test]
    fn a_name_is_taken_ignoring_case() {
        let mut registry = ToolRegistry::default();
        registry.register(echo("echo")).unwrap();
        assert_eq!(
            registry.register(echo("Echo")),
            Err(RegisterError::NameTaken("Echo".to_owned()))
        );
    }

    #[test]
    fn an_unknown_name_offers_the_nearest() {
        let mut registry = ToolRegistry::default();
        registry.register(echo("read_file")).unwrap();
        let miss = |name: &str| match registry.build(name, &json!({"word": "x"})) {
            Err(BuildError::UnknownTool { nearest }) => nearest,
            _ => panic!("{name} must be unknown"),
        };
        assert_eq!(miss("readfile"), Some("read_file".to_owned()));
        assert_eq!(miss("READ_FILE"), Some("read_file".to_owned()));
        assert_eq!(miss("browse"), None, "too far to be meant");
    }

    #[test]
    fn only_valid_arguments_become_an_invocation() {
        let mut registry = ToolRegistry::default();
        registry.register(echo("echo")).unwrap();
        assert!(matches!(
            registry.build("echo", &json!({})),
            Err(BuildError::Schema(_))
        ));
        let (invocation, coerced) = registry.build("echo", &json!({"word": 5})).unwrap();
        assert_eq!(invocation.args(), &json!({"word": "5"}));
        assert_eq!(coerced.len(), 1);
    }
}
