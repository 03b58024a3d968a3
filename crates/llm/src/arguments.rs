//! Turns the argument text of a finished call into one JSON object, or says why it is none.
//!
//! Repairs are lexical and lose nothing. Invariant: nothing is ever completed or guessed; an open string stays open and
//! the call is refused, because half a file must not be written. Deliberately absent: schemas.

use crate::event::WarningCode;
use protocol::tool_call::{ArgsError, CallArgs};
use serde_json::{Map, Value};

/// Whether the text can have lost its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The provider said the call is whole.
    Whole,
    /// The output limit was reached, or nobody said how it ended.
    Cut,
}

/// The arguments in `raw`, and what was put right on the way.
pub(crate) fn parse_arguments(raw: &str, ending: Ending) -> (CallArgs, Option<WarningCode>) {
    if raw.trim().is_empty() {
        return (usable(Map::new()), None);
    }
    let problem = match serde_json::from_str::<Value>(raw) {
        Ok(value) => return from_value(raw, value),
        Err(problem) => problem,
    };
    let unusable = |error| CallArgs::Unusable {
        error,
        raw: raw.to_owned(),
        detail: Some(describe(raw, &problem)),
    };
    if ending == Ending::Cut {
        return (unusable(ArgsError::Truncated), None);
    }
    match serde_json::from_str::<Value>(&repair(raw)) {
        Ok(Value::Object(map)) => (usable(map), Some(WarningCode::ArgsRepaired)),
        Ok(_) | Err(_) => (unusable(ArgsError::InvalidJson), None),
    }
}

fn usable(map: Map<String, Value>) -> CallArgs {
    CallArgs::Usable {
        value: Value::Object(map),
    }
}

/// The arguments in a value that was JSON to begin with.
pub(crate) fn from_value(raw: &str, value: Value) -> (CallArgs, Option<WarningCode>) {
    let inner = match &value {
        Value::String(text) => serde_json::from_str::<Value>(text).ok(),
        _ => None,
    };
    match (value, inner) {
        (Value::Object(map), _) => (usable(map), None),
        (Value::Null, _) => (usable(Map::new()), None),
        (_, Some(Value::Object(map))) => (usable(map), Some(WarningCode::ArgsDoubleEncoded)),
        _ => {
            let args = CallArgs::Unusable {
                error: ArgsError::NotObject,
                raw: raw.to_owned(),
                detail: None,
            };
            (args, None)
        }
    }
}

/// The parser's words with the place as a byte, which is what a model can count.
fn describe(raw: &str, problem: &serde_json::Error) -> String {
    let line_start: usize = raw
        .split_inclusive('\n')
        .take(problem.line().saturating_sub(1))
        .map(str::len)
        .sum();
    let place = format!(" at line {} column {}", problem.line(), problem.column());
    let words = problem.to_string().replace(&place, "");
    format!("{words} at byte {}", line_start + problem.column())
}

/// Without a code fence around it, with control characters in strings escaped, without commas before a closing bracket,
/// and without closing brackets after the value.
fn repair(raw: &str) -> String {
    let text = without_fence(raw.trim());
    let mut out = String::with_capacity(text.len());
    let mut lexer = Lexer::default();
    // Where a comma was written that only blanks have followed.
    let mut comma: Option<usize> = None;
    for c in text.chars() {
        if lexer.in_string {
            push_in_string(&mut out, c);
            lexer.take(c);
            continue;
        }
        if matches!(c, '}' | ']') {
            if lexer.depth == 0 && !out.is_empty() {
                continue;
            }
            if let Some(at) = comma {
                out.remove(at);
            }
        }
        if c == ',' {
            comma = Some(out.len());
        } else if !c.is_ascii_whitespace() {
            comma = None;
        }
        lexer.take(c);
        out.push(c);
    }
    out
}

fn push_in_string(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if u32::from(c) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
        c => out.push(c),
    }
}

fn without_fence(text: &str) -> &str {
    let inner = text
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"))
        .and_then(|rest| rest.split_once('\n'))
        .filter(|(language, _)| language.trim().chars().all(char::is_alphanumeric));
    inner.map_or(text, |(_, body)| body.trim())
}

/// Follows strings and brackets through a JSON text that arrives in pieces.
#[derive(Debug, Default)]
pub(crate) struct Lexer {
    in_string: bool,
    escaped: bool,
    depth: usize,
    started: bool,
}

impl Lexer {
    /// Takes the next piece.
    pub(crate) fn push(&mut self, piece: &str) {
        piece.chars().for_each(|c| self.take(c));
    }

    /// Whether an object or array has been opened and every bracket is closed again: the text can be whole.
    pub(crate) fn is_balanced(&self) -> bool {
        self.started && self.depth == 0 && !self.in_string
    }

    fn take(&mut self, c: char) {
        if self.escaped {
            self.escaped = false;
            return;
        }
        match c {
            '\\' if self.in_string => self.escaped = true,
            '"' => self.in_string = !self.in_string,
            '{' | '[' if !self.in_string => {
                self.depth += 1;
                self.started = true;
            }
            '}' | ']' if !self.in_string => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Ending, parse_arguments};
    use crate::event::WarningCode;
    use proptest::prelude::*;
    use protocol::tool_call::{ArgsError, CallArgs};
    use serde_json::{Value, json};

    #[track_caller]
    fn check(raw: &str, expected: Result<Value, ArgsError>, warning: Option<WarningCode>) {
        let (args, got) = parse_arguments(raw, Ending::Whole);
        let args = match args {
            CallArgs::Usable { value } => Ok(value),
            CallArgs::Unusable { error, .. } => Err(error),
        };
        assert_eq!((args, got), (expected, warning), "{raw:?}");
    }

    #[test]
    fn usable_as_they_are() {
        check("", Ok(json!({})), None);
        check(" \n", Ok(json!({})), None);
        check("null", Ok(json!({})), None);
        check(
            r#"{"a":9007199254740993}"#,
            Ok(json!({"a": 9_007_199_254_740_993_u64})),
            None,
        );
        check(r#"{"a":1,"a":2}"#, Ok(json!({"a": 2})), None);
        check(
            r#""{\"a\":1}""#,
            Ok(json!({"a": 1})),
            Some(WarningCode::ArgsDoubleEncoded),
        );
    }

    #[test]
    fn repairs_lose_nothing() {
        let repaired = Some(WarningCode::ArgsRepaired);
        check(
            "{\"a\":\"x\n\t\u{1}\"}",
            Ok(json!({"a": "x\n\t\u{1}"})),
            repaired,
        );
        check("{\"a\":[1,2 , ],\n}", Ok(json!({"a": [1, 2]})), repaired);
        check(
            "```json\n{\"a\":\"```\"}\n```",
            Ok(json!({"a": "```"})),
            repaired,
        );
        check("{\"a\":1}]}", Ok(json!({"a": 1})), repaired);
        check("{\"a\":\",}\",}", Ok(json!({"a": ",}"})), repaired);
    }

    #[test]
    fn nothing_is_guessed() {
        let invalid = Err(ArgsError::InvalidJson);
        check("{\"a\":\"half", invalid.clone(), None);
        check("{\"a\":1", invalid.clone(), None);
        check("{'a':1}", invalid.clone(), None);
        check("{a:1}", invalid.clone(), None);
        check("{\"a\":1}{\"b\":2}", invalid.clone(), None);
        check("}", invalid.clone(), None);
        check("{,}", Ok(json!({})), Some(WarningCode::ArgsRepaired));
        check("{\"a\":,}", invalid, None);
        check("[1]", Err(ArgsError::NotObject), None);
        check("3", Err(ArgsError::NotObject), None);
        check("\"text\"", Err(ArgsError::NotObject), None);
    }

    #[test]
    fn a_cut_text_is_not_repaired_and_says_where() {
        let (args, warning) = parse_arguments("{\"a\":1,\n}", Ending::Cut);
        let CallArgs::Unusable { error, raw, detail } = args else {
            panic!("a cut text is refused");
        };
        assert_eq!(
            (error, raw.as_str(), warning),
            (ArgsError::Truncated, "{\"a\":1,\n}", None)
        );
        assert_eq!(detail.as_deref(), Some("trailing comma at byte 9"));
    }

    proptest! {
        #[test]
        fn no_panic_and_no_invention(raw in "[\\[\\]{},:\"\\\\a1`\n \t]{0,40}") {
            let (args, warning) = parse_arguments(&raw, Ending::Whole);
            if let CallArgs::Usable { value } = args {
                prop_assert!(value.is_object());
                let strict = serde_json::from_str::<Value>(&raw).is_ok() || raw.trim().is_empty();
                prop_assert!(strict || warning == Some(WarningCode::ArgsRepaired));
            }
        }
    }
}
