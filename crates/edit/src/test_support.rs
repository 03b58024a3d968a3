//! What the unit tests share.

use std::path::Path;

use serde_json::Value;

use crate::error::EditError;
use crate::replace::TextChange;
use crate::seen::LineRanges;

/// More than any test writes.
pub(crate) const MAX_TEST_BYTES: usize = 1 << 20;

/// A file of `tests/fixtures/cases`.
pub(crate) fn case_file(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/cases");
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Bytes of a case: text, or `{"b64": …}`; none for a file that does not exist.
pub(crate) fn case_bytes(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone().into_bytes()),
        other => Some(from_base64(other["b64"].as_str().unwrap())),
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut n_bits) = (0_u32, 0);
    for byte in text.bytes().filter(|&byte| byte != b'=') {
        let digit = ALPHABET.iter().position(|&known| known == byte).unwrap();
        bits = bits << 6 | digit as u32;
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            bytes.push((bits >> n_bits) as u8);
        }
    }
    bytes
}

/// The lines a case says the model has seen; all when it says nothing.
pub(crate) fn case_seen(setup: &Value) -> LineRanges {
    let Some(ranges) = setup["seen"].as_array() else {
        return LineRanges::all(1 << 20);
    };
    let line = |value: &Value| value.as_u64().unwrap() as usize;
    let ranges = ranges.iter().map(|pair| line(&pair[0])..line(&pair[1]) + 1);
    ranges.collect()
}

/// What a case expects, or what came, in comparable form.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Written {
        bytes: Vec<u8>,
        layer: Option<String>,
        warnings: Vec<String>,
        confirm: bool,
    },
    Refused {
        code: String,
        reason: Option<String>,
    },
}

impl Outcome {
    /// What the `expect` of a case says.
    pub(crate) fn expected(expect: &Value) -> Self {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        if let Some(code) = text(&expect["error"]) {
            let reason = text(&expect["reason"]);
            return Self::Refused { code, reason };
        }
        let mut warnings: Vec<String> = expect["warnings"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(text)
            .collect();
        warnings.sort();
        Self::Written {
            bytes: case_bytes(&expect["after"]).unwrap(),
            layer: text(&expect["layer"]),
            warnings,
            confirm: expect["confirm"].as_bool().unwrap_or(false),
        }
    }

    /// What a plan says.
    pub(crate) fn of(result: Result<(TextChange, Option<&'static str>), EditError>) -> Self {
        match result {
            Ok((change, layer)) => {
                let mut warnings: Vec<String> = change
                    .warnings
                    .iter()
                    .map(|warning| warning.code().to_owned())
                    .collect();
                warnings.sort();
                Self::Written {
                    bytes: change.bytes,
                    layer: layer.map(str::to_owned),
                    warnings,
                    confirm: !change.confirm_reasons.is_empty(),
                }
            }
            Err(error) => Self::Refused {
                code: error.code().to_owned(),
                reason: error.reason().map(str::to_owned),
            },
        }
    }
}
