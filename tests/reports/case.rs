//! One case: its files, and the calls its `case.json` makes the model send.

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of a case.
pub(crate) struct Case {
    folder: PathBuf,
}

/// The folder of all cases.
pub(crate) fn all() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/cases/reports")
}

impl Case {
    pub(crate) fn open(id: &str) -> Self {
        let folder = all().join(id);
        assert!(folder.is_dir(), "there is no case {id}");
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    /// The calls of each assistant message, as entries of a script.
    pub(crate) fn turns(&self, workspace: &Path) -> Vec<Value> {
        let case: Value = serde_json::from_slice(&self.bytes("case.json")).unwrap();
        let mut turns = Vec::new();
        for step in case["steps"].as_array().unwrap() {
            if let Some(turn) = step.get("turn") {
                turns.push(turn);
            }
            turns.extend(
                step.get("turns")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten(),
            );
        }
        assert!(!turns.is_empty(), "the case has no calls");
        let calls = |turn: &Value| json!({ "calls": self.filled(turn, workspace) });
        turns.into_iter().map(calls).collect()
    }

    /// With the workspace and the contents of files in their places.
    fn filled(&self, value: &Value, workspace: &Path) -> Value {
        match value {
            Value::String(text) => json!(text.replace("{ws}", workspace.to_str().unwrap())),
            Value::Array(items) => items
                .iter()
                .map(|item| self.filled(item, workspace))
                .collect(),
            Value::Object(fields) => match fields.get("$file") {
                Some(name) => json!(self.text(name.as_str().unwrap())),
                None => {
                    let filled = |(key, value): (&String, &Value)| {
                        (key.clone(), self.filled(value, workspace))
                    };
                    Value::Object(fields.iter().map(filled).collect())
                }
            },
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
}
