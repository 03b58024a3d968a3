//! Arguments against a JSON schema: validated as they are, coerced only if that fails, explained if that fails too.
//!
//! The caller's value is never changed; everything works on a clone. References to other documents cannot be followed:
//! the validator is built without the features that would fetch them.

use crate::coerce::coerce;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Deeper arguments than this are refused unread; no tool needs more, and recursion stays bounded.
const MAX_DEPTH: usize = 64;
/// More JSON nodes than this are refused.
const MAX_NODES: usize = 100_000;
/// The whole message; longer ones waste the model's context.
const MAX_MESSAGE_CHARS: usize = 600;
/// Errors named in one message.
const MAX_ERRORS: usize = 5;
/// Names listed for an unknown property.
const MAX_LISTED_NAMES: usize = 20;
/// A name this near to a known one is taken for a slip.
const NEAR_EDIT_DISTANCE: usize = 2;
/// Matching steps a pattern may take before it counts as not matching.
const PATTERN_BACKTRACK_LIMIT: usize = 100_000;

/// A JSON schema with its validator, compiled at first use.
pub struct Schema {
    json: Value,
    validator: OnceLock<Result<Validator, String>>,
}

/// One value that was turned into another type to fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coerced {
    /// JSON pointer of the value.
    pub pointer: String,
    /// Type it had.
    pub from: &'static str,
    /// Type it has now.
    pub to: &'static str,
}

/// Why arguments do not fit, in words for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SchemaError {
    /// `pointer: message`, several joined by `; `.
    pub message: String,
}

impl Schema {
    /// Takes a schema. A schema that does not compile accepts nothing; each built-in has a test against that.
    #[must_use]
    pub fn new(json: Value) -> Self {
        Self {
            json,
            validator: OnceLock::new(),
        }
    }

    /// The schema itself.
    #[must_use]
    pub fn json(&self) -> &Value {
        &self.json
    }

    /// Compiles the schema now.
    ///
    /// # Errors
    /// The validator's words, if the schema cannot be used.
    pub fn compile(&self) -> Result<(), SchemaError> {
        self.validator().map(|_| ())
    }

    /// The arguments as the tool gets them, and what was coerced on the way.
    ///
    /// # Errors
    /// [`SchemaError`] if they fit neither as they are nor coerced.
    pub fn accept(
        &self,
        args: &Value,
        aliases: &[(&str, &str)],
    ) -> Result<(Value, Vec<Coerced>), SchemaError> {
        check_size(args)?;
        let mut args = args.clone();
        rename_aliases(&mut args, aliases, &self.json);
        let validator = self.validator()?;
        let mut coerced = Vec::new();
        if !validator.is_valid(&args) {
            coerced = coerce(&mut args, &self.json);
            let errors: Vec<ValidationError<'_>> = validator.iter_errors(&args).collect();
            if !errors.is_empty() {
                return Err(SchemaError {
                    message: message(&errors, &self.json),
                });
            }
        }
        fill_defaults(&mut args, &self.json);
        Ok((args, coerced))
    }

    fn validator(&self) -> Result<&Validator, SchemaError> {
        self.validator
            .get_or_init(|| {
                jsonschema::options()
                    .should_validate_formats(false)
                    .with_pattern_options(
                        PatternOptions::fancy_regex().backtrack_limit(PATTERN_BACKTRACK_LIMIT),
                    )
                    .build(&self.json)
                    .map_err(|error| error.to_string())
            })
            .as_ref()
            .map_err(|reason| SchemaError {
                message: format!("the schema is unusable: {reason}"),
            })
    }
}

fn check_size(args: &Value) -> Result<(), SchemaError> {
    if !args.is_object() {
        return Err(SchemaError {
            message: ": expected an object".to_owned(),
        });
    }
    let mut nodes = 0;
    let mut open = vec![(args, 1)];
    while let Some((value, depth)) = open.pop() {
        nodes += 1;
        if depth > MAX_DEPTH || nodes > MAX_NODES {
            return Err(SchemaError {
                message: ": nested too deeply or too large".to_owned(),
            });
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(map) => open.extend(map.values().map(|item| (item, depth + 1))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    Ok(())
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}

fn rename_aliases(args: &mut Value, aliases: &[(&str, &str)], schema: &Value) {
    let Some(map) = args.as_object_mut() else {
        return;
    };
    for (alias, name) in aliases {
        let is_property = properties(schema).is_some_and(|known| known.contains_key(*alias));
        if map.contains_key(*name) || is_property {
            continue;
        }
        if let Some(value) = map.remove(*alias) {
            map.insert((*name).to_owned(), value);
        }
    }
}

fn fill_defaults(args: &mut Value, schema: &Value) {
    let (Some(map), Some(known)) = (args.as_object_mut(), properties(schema)) else {
        return;
    };
    for (name, property) in known {
        if let Some(default) = property.get("default") {
            map.entry(name.clone()).or_insert_with(|| default.clone());
        }
    }
}

fn message(errors: &[ValidationError<'_>], schema: &Value) -> String {
    let sorted: BTreeSet<(String, String)> = errors
        .iter()
        .map(|error| (error.instance_path().to_string(), explain(error, schema)))
        .collect();
    let text: Vec<String> = sorted
        .into_iter()
        .take(MAX_ERRORS)
        .map(|(pointer, words)| format!("{pointer}: {words}"))
        .collect();
    text.join("; ").chars().take(MAX_MESSAGE_CHARS).collect()
}

fn explain(error: &ValidationError<'_>, schema: &Value) -> String {
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            format!("missing required property {property}")
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            unknown(unexpected, error, schema)
        }
        ValidationErrorKind::Type { kind } => {
            let expected = match kind {
                TypeKind::Single(single) => single.to_string(),
                TypeKind::Multiple(many) => many
                    .iter()
                    .map(|one| one.to_string())
                    .collect::<Vec<_>>()
                    .join(" or "),
            };
            format!(
                "expected {}, got {}",
                expected.trim_matches('"'),
                type_name(error.instance())
            )
        }
        // The value itself stays out: it may be long, and it may be a secret.
        _ => error.masked_with("the value").to_string(),
    }
}

fn unknown(unexpected: &[String], error: &ValidationError<'_>, schema: &Value) -> String {
    let known: Vec<&str> = match error.instance_path().to_string().as_str() {
        "" => properties(schema)
            .map(|map| map.keys().map(String::as_str).collect())
            .unwrap_or_default(),
        _ => Vec::new(),
    };
    let mut words = Vec::new();
    for name in unexpected {
        let near = known
            .iter()
            .map(|candidate| (edit_distance(candidate, name), *candidate))
            .filter(|(distance, _)| *distance <= NEAR_EDIT_DISTANCE.max(name.chars().count() / 3))
            .min();
        words.push(match near {
            Some((_, candidate)) => {
                format!("unknown property {name:?}, did you mean {candidate:?}")
            }
            None => format!("unknown property {name:?}"),
        });
    }
    if !known.is_empty() {
        let listed: Vec<&str> = known.into_iter().take(MAX_LISTED_NAMES).collect();
        words.push(format!("allowed are {}", listed.join(", ")));
    }
    words.join(", ")
}

pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Single-character edits that turn one name into the other.
pub(crate) fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Schema {
        Schema::new(json!({
            "type": "object", "additionalProperties": false, "required": ["file_path"],
            "properties": {
                "file_path": {"type": "string", "minLength": 1},
                "limit": {"type": "integer", "minimum": 1, "maximum": 10},
                "mode": {"type": "string", "enum": ["content", "count"], "default": "count"},
                "types": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            }
        }))
    }

    #[track_caller]
    fn check(args: Value, expected: &str) {
        let error = schema().accept(&args, &[]).expect_err("must not fit");
        assert_eq!(error.message, expected);
    }

    #[test]
    fn messages_name_the_place_and_the_remedy() {
        check(
            json!({"file_path": []}),
            "/file_path: expected string, got array",
        );
        check(json!({}), ": missing required property \"file_path\"");
        check(json!([]), ": expected an object");
        check(
            json!({"file_path": "a", "file_pth": "b"}),
            ": unknown property \"file_pth\", did you mean \"file_path\", allowed are file_path, limit, mode, types",
        );
        check(
            json!({"file_path": "a", "limit": 11}),
            "/limit: the value is greater than the maximum of 10",
        );
    }

    #[test]
    fn a_value_is_never_quoted() {
        let secret = "sk-".repeat(100);
        let error = schema()
            .accept(&json!({"file_path": "a", "mode": secret}), &[])
            .unwrap_err();
        assert!(!error.message.contains("sk-"), "{}", error.message);
    }

    #[test]
    fn defaults_fill_what_is_absent() {
        let (args, coerced) = schema().accept(&json!({"file_path": "a"}), &[]).unwrap();
        assert_eq!(args, json!({"file_path": "a", "mode": "count"}));
        assert!(coerced.is_empty());
    }

    #[test]
    fn an_alias_stands_in_for_an_absent_name_only() {
        let aliases = [("path", "file_path")];
        let (args, _) = schema().accept(&json!({"path": "a"}), &aliases).unwrap();
        assert_eq!(args["file_path"], "a");
        assert!(
            schema()
                .accept(&json!({"path": "a", "file_path": "b"}), &aliases)
                .is_err()
        );
    }

    #[test]
    fn huge_and_deep_arguments_are_refused() {
        let mut deep = json!(1);
        for _ in 0..70 {
            deep = json!([deep]);
        }
        assert!(
            schema()
                .accept(&json!({"file_path": "a", "types": deep}), &[])
                .is_err()
        );
        let wide = vec![Value::Null; MAX_NODES + 1];
        assert!(
            schema()
                .accept(&json!({"file_path": "a", "types": wide}), &[])
                .is_err()
        );
    }

    #[test]
    fn a_reference_to_another_document_is_not_followed() {
        for target in ["file:///etc/passwd", "http://127.0.0.1:1/s.json"] {
            let schema =
                Schema::new(json!({"type": "object", "properties": {"a": {"$ref": target}}}));
            assert!(schema.compile().is_err(), "{target}");
        }
    }
}
