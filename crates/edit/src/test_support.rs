//! What the unit tests share.

use std::path::Path;

use serde_json::Value;

/// A file of `tests/fixtures/cases`.
pub(crate) fn case_file(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/cases");
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}
