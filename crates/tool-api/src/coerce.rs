//! Mends the type slips of models: `"true"`, `"5"`, `"[\"a\"]"`.
//!
//! A value is touched only where the set of types its place accepts is known and its own type is not among them, so
//! nothing valid ever changes, and doing it twice is doing it once. Deliberately absent: guessing at meaning.

use crate::schema::{Coerced, type_name};
use serde_json::{Number, Value};
use std::collections::BTreeSet;

/// References followed before a schema counts as unknown.
const MAX_REF_HOPS: usize = 64;
/// Levels of arguments walked.
const MAX_DEPTH: usize = 64;

/// Coerces `args` in place and says what changed.
pub(crate) fn coerce(args: &mut Value, schema: &Value) -> Vec<Coerced> {
    let mut walk = Walk {
        root: schema,
        changes: Vec::new(),
    };
    walk.value(args, schema, "", 0);
    walk.changes
}

struct Walk<'s> {
    root: &'s Value,
    changes: Vec<Coerced>,
}

impl<'s> Walk<'s> {
    fn value(&mut self, value: &mut Value, schema: &'s Value, pointer: &str, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        self.children(value, schema, pointer, depth);
        let Some(accepted) = self.accepted(schema, 0) else {
            return;
        };
        if accepts(&accepted, value) {
            self.match_enum(value, schema, pointer);
            return;
        }
        let from = type_name(value);
        let Some(new) = self.convert(value, &accepted, schema) else {
            return;
        };
        *value = new;
        self.changes.push(Coerced {
            pointer: pointer.to_owned(),
            from,
            to: type_name(value),
        });
        self.children(value, schema, pointer, depth);
    }

    fn children(&mut self, value: &mut Value, schema: &'s Value, pointer: &str, depth: usize) {
        match value {
            Value::Object(map) => {
                let required = self.required(schema);
                let mut gone = Vec::new();
                for (key, child) in map.iter_mut() {
                    let Some(sub) = self.property(schema, key, 0) else {
                        continue;
                    };
                    let at = format!("{pointer}/{key}");
                    let nullable = self.accepted(sub, 0).is_none_or(|set| set.contains("null"));
                    if child.is_null() && !nullable && !required.contains(key.as_str()) {
                        gone.push(key.clone());
                        self.changes.push(Coerced {
                            pointer: at,
                            from: "null",
                            to: "absent",
                        });
                    } else {
                        self.value(child, sub, &at, depth + 1);
                    }
                }
                for key in gone {
                    map.remove(&key);
                }
            }
            Value::Array(items) => {
                for (index, child) in items.iter_mut().enumerate() {
                    if let Some(sub) = self.item(schema, index, 0) {
                        self.value(child, sub, &format!("{pointer}/{index}"), depth + 1);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn convert(
        &self,
        value: &Value,
        accepted: &BTreeSet<&str>,
        schema: &'s Value,
    ) -> Option<Value> {
        let takes = |name: &str| accepted.contains(name);
        match value {
            Value::String(text) => {
                from_string(text, &takes).or_else(|| self.wrap(value, accepted, schema))
            }
            Value::Number(number) if takes("string") => Some(Value::String(number_text(number))),
            Value::Bool(flag) if takes("string") => Some(Value::String(flag.to_string())),
            Value::Number(_) | Value::Bool(_) | Value::Object(_) => {
                self.wrap(value, accepted, schema)
            }
            Value::Null | Value::Array(_) => None,
        }
    }

    fn wrap(&self, value: &Value, accepted: &BTreeSet<&str>, schema: &'s Value) -> Option<Value> {
        if accepted.len() != 1 || !accepted.contains("array") {
            return None;
        }
        let items = self.accepted(self.item(schema, 0, 0)?, 0)?;
        accepts(&items, value).then(|| Value::Array(vec![value.clone()]))
    }

    fn match_enum(&mut self, value: &mut Value, schema: &'s Value, pointer: &str) {
        let Some(text) = value.as_str() else { return };
        let Some(members) = self
            .resolve(schema, 0)
            .and_then(|s| s.get("enum"))
            .and_then(Value::as_array)
        else {
            return;
        };
        if members.iter().any(|member| member.as_str() == Some(text)) {
            return;
        }
        let near: Vec<&str> = members
            .iter()
            .filter_map(Value::as_str)
            .filter(|m| m.eq_ignore_ascii_case(text))
            .collect();
        if let [only] = near.as_slice() {
            *value = Value::String((*only).to_owned());
            self.changes.push(Coerced {
                pointer: pointer.to_owned(),
                from: "string",
                to: "string",
            });
        }
    }

    fn resolve(&self, schema: &'s Value, hops: usize) -> Option<&'s Value> {
        match schema.get("$ref").and_then(Value::as_str) {
            None => Some(schema),
            Some(_) if hops >= MAX_REF_HOPS => None,
            Some(reference) => {
                let target = self.root.pointer(reference.strip_prefix('#')?)?;
                self.resolve(target, hops + 1)
            }
        }
    }

    /// The types a place accepts, or `None` where that cannot be known.
    fn accepted(&self, schema: &'s Value, hops: usize) -> Option<BTreeSet<&'s str>> {
        let schema = self.resolve(schema, hops)?;
        if hops > MAX_REF_HOPS {
            return None;
        }
        let mut set = match schema.get("type") {
            Some(Value::String(one)) => Some(BTreeSet::from([one.as_str()])),
            Some(Value::Array(many)) => Some(many.iter().filter_map(Value::as_str).collect()),
            _ => None,
        };
        for key in ["anyOf", "oneOf", "allOf"] {
            for branch in schema
                .get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                if let Some(more) = self.accepted(branch, hops + 1) {
                    set.get_or_insert_with(BTreeSet::new).extend(more);
                }
            }
        }
        set
    }

    fn required(&self, schema: &'s Value) -> BTreeSet<&'s str> {
        self.resolve(schema, 0)
            .and_then(|s| s.get("required"))
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    fn property(&self, schema: &'s Value, key: &str, hops: usize) -> Option<&'s Value> {
        let schema = self.resolve(schema, hops)?;
        if let Some(found) = schema.get("properties").and_then(|map| map.get(key)) {
            return Some(found);
        }
        self.in_branches(schema, hops, |branch, hops| {
            self.property(branch, key, hops)
        })
        .or_else(|| {
            schema
                .get("additionalProperties")
                .filter(|more| more.is_object())
        })
    }

    fn item(&self, schema: &'s Value, index: usize, hops: usize) -> Option<&'s Value> {
        let schema = self.resolve(schema, hops)?;
        let prefix = schema.get("prefixItems").and_then(|items| items.get(index));
        prefix
            .or_else(|| schema.get("items").filter(|items| items.is_object()))
            .or_else(|| {
                self.in_branches(schema, hops, |branch, hops| self.item(branch, index, hops))
            })
    }

    fn in_branches(
        &self,
        schema: &'s Value,
        hops: usize,
        find: impl Fn(&'s Value, usize) -> Option<&'s Value>,
    ) -> Option<&'s Value> {
        if hops >= MAX_REF_HOPS {
            return None;
        }
        ["anyOf", "oneOf", "allOf"]
            .iter()
            .filter_map(|key| schema.get(*key).and_then(Value::as_array))
            .flatten()
            .find_map(|branch| find(branch, hops + 1))
    }
}

fn accepts(accepted: &BTreeSet<&str>, value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            accepted.contains("number")
                || (accepted.contains("integer")
                    && number.as_f64().is_some_and(|n| n.fract() == 0.0))
        }
        other => accepted.contains(type_name(other)),
    }
}

fn from_string(text: &str, takes: &dyn Fn(&str) -> bool) -> Option<Value> {
    let trimmed = text.trim();
    if takes("boolean") {
        if trimmed.eq_ignore_ascii_case("true") {
            return Some(Value::Bool(true));
        }
        if trimmed.eq_ignore_ascii_case("false") {
            return Some(Value::Bool(false));
        }
    }
    if (takes("array") || takes("object")) && trimmed.starts_with(['[', '{']) {
        let parsed: Value = serde_json::from_str(trimmed).ok()?;
        return takes(type_name(&parsed)).then_some(parsed);
    }
    if takes("number") || takes("integer") {
        return number(trimmed, takes("number"));
    }
    None
}

fn number(text: &str, fractions: bool) -> Option<Value> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits
        .split_once('.')
        .map_or((digits, None), |(w, f)| (w, Some(f)));
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !all_digits(whole) || !fraction.is_none_or(all_digits) {
        return None;
    }
    if fraction.is_none_or(|f| f.bytes().all(|b| b == b'0')) {
        let sign = if text.starts_with('-') { "-" } else { "" };
        if let Ok(integer) = format!("{sign}{whole}").parse::<i64>() {
            return Some(Value::from(integer));
        }
    }
    fractions
        .then(|| {
            text.parse::<f64>()
                .ok()
                .and_then(Number::from_f64)
                .map(Value::Number)
        })
        .flatten()
}

fn number_text(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 1e15 => {
            format!("{float:.0}")
        }
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[track_caller]
    fn check(schema: Value, before: Value, after: Value, why: &str) {
        let schema = json!({"type": "object", "properties": {"x": schema}});
        let mut args = json!({"x": before});
        coerce(&mut args, &schema);
        assert_eq!(args, json!({"x": after}), "{why}");
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "one table")]
    fn each_row_of_the_table() {
        check(
            json!({"type": "boolean"}),
            json!("True"),
            json!(true),
            "text to boolean",
        );
        check(
            json!({"type": ["boolean", "string"]}),
            json!("true"),
            json!("true"),
            "text is accepted",
        );
        check(
            json!({"type": "string"}),
            json!(5),
            json!("5"),
            "number to text",
        );
        check(
            json!({"type": "string"}),
            json!(5.0),
            json!("5"),
            "whole float to text",
        );
        check(
            json!({"type": "string"}),
            json!(1.5),
            json!("1.5"),
            "float to text",
        );
        check(
            json!({"type": "string"}),
            json!(true),
            json!("true"),
            "boolean to text",
        );
        check(
            json!({"type": "array"}),
            json!(" [1] "),
            json!([1]),
            "text to array",
        );
        check(
            json!({"type": "array"}),
            json!("{\"a\":1}"),
            json!("{\"a\":1}"),
            "an object is no array",
        );
        check(
            json!({"type": "object"}),
            json!("{\"a\":1}"),
            json!({"a": 1}),
            "text to object",
        );
        check(
            json!({"type": "integer"}),
            json!("5.0"),
            json!(5),
            "whole text to integer",
        );
        check(
            json!({"type": "integer"}),
            json!("5.5"),
            json!("5.5"),
            "no rounding",
        );
        check(
            json!({"type": "number"}),
            json!("-2.5"),
            json!(-2.5),
            "text to number",
        );
        check(
            json!({"type": "number"}),
            json!("1e3"),
            json!("1e3"),
            "not the plain form",
        );
        check(
            json!({"type": "array", "items": {"type": "string"}}),
            json!("a"),
            json!(["a"]),
            "one to list",
        );
        check(
            json!({"type": "array", "items": {"type": "object"}}),
            json!("a"),
            json!("a"),
            "wrong item",
        );
        check(
            json!({"type": "string", "enum": ["Aa", "b"]}),
            json!("aa"),
            json!("Aa"),
            "case of an enum",
        );
        check(
            json!({"type": "string", "enum": ["Aa", "aA"]}),
            json!("aa"),
            json!("aa"),
            "two are meant",
        );
        check(
            json!({"enum": [1]}),
            json!("1"),
            json!("1"),
            "unknown types stay",
        );
        check(json!({}), json!("1"), json!("1"), "the empty schema stays");
    }

    #[test]
    fn null_of_an_optional_property_goes() {
        let schema = json!({"type": "object", "required": ["b"],
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": ["string", "null"]}}});
        let mut args = json!({"a": null, "b": null, "c": null});
        coerce(&mut args, &schema);
        assert_eq!(args, json!({"b": null, "c": null}));
    }

    #[test]
    fn nested_referenced_and_composed_places_are_reached() {
        let schema = json!({"type": "object", "$defs": {"n": {"type": "integer"}},
            "properties": {"list": {"type": "array", "items": {"type": "object", "properties": {
                "n": {"$ref": "#/$defs/n"}}}}, "any": {"anyOf": [{"type": "object", "properties": {
                "m": {"$ref": "#/$defs/n"}}}, {"type": "null"}]}}});
        let mut args = json!({"list": "[{\"n\": \"3\"}]", "any": {"m": "4"}});
        let changes = coerce(&mut args, &schema);
        assert_eq!(args, json!({"list": [{"n": 3}], "any": {"m": 4}}));
        assert_eq!(changes.len(), 3);
    }

    #[test]
    fn a_reference_circle_ends() {
        let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}});
        let mut args = json!({"a": "1"});
        assert!(coerce(&mut args, &schema).is_empty());
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i32>().prop_map(|n| json!(n)),
            any::<f32>()
                .prop_filter("finite", |f| f.is_finite())
                .prop_map(|f| json!(f)),
            "[a-z0-9.\\-\\[\\]{}\" ]{0,8}".prop_map(Value::String),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                prop::collection::hash_map("[a-c]", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    fn any_schema() -> impl Strategy<Value = Value> {
        let kind = prop::sample::select(vec![
            "string", "integer", "number", "boolean", "array", "object", "null",
        ]);
        let leaf = prop::collection::vec(kind, 1..3).prop_map(|types| json!({ "type": types }));
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                inner
                    .clone()
                    .prop_map(|items| json!({"type": "array", "items": items})),
                prop::collection::hash_map("[a-c]", inner.clone(), 0..4)
                    .prop_map(|map| json!({"type": "object", "properties": map})),
                prop::collection::vec(inner, 1..3)
                    .prop_map(|branches| json!({ "anyOf": branches })),
            ]
        })
    }

    proptest! {
        #[test]
        fn twice_is_once(mut args in any_json(), schema in any_schema()) {
            coerce(&mut args, &schema);
            let once = args.clone();
            coerce(&mut args, &schema);
            prop_assert_eq!(args, once);
        }
    }
}
