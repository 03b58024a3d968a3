//! Reads a script. A mistake is shown with line and column before anything of it runs.
//!
//! One directive per line; `#` begins a comment; indents are free. A text of several lines stands between `<<<` and
//! `>>>` on lines of their own.

mod line;

use super::script::{
    Action, ActionKind, Arguments, Condition, Expectation, Fill, Matcher, Script, Status, Template,
    Turn,
};
use crate::failure::FailureKind;
use line::{Line, lines};
use regex::Regex;
use serde::Deserialize;
use serde::de::value::{Error as ValueError, StrDeserializer};
use serde_json::Value;

/// Faster than anybody reads; slower could look like a hang.
const SPEEDS: std::ops::RangeInclusive<u32> = 0..=10_000;

/// A mistake in a script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ScriptError {
    /// Line, from 1.
    pub line: usize,
    /// Character of the line, from 1.
    pub column: usize,
    /// What is wrong and what would be right.
    pub message: String,
}

type Parsed<T> = Result<T, ScriptError>;

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// The first mistake in it.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let lines = lines(text)?;
        let mut script = Self::default();
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            at += 1;
            match line.word() {
                "title" => script.title = Some(line.text()?.into_owned()),
                "speed" => script.words_per_second = Some(speed(line)?),
                "turn" => {
                    let matcher = matcher(line)?;
                    let steps = steps(&lines, &mut at)?;
                    script.turns.push(Turn { matcher, steps });
                }
                "default" => {
                    line.nothing_follows()?;
                    script.fallback = block(&lines, &mut at, line)?;
                }
                _ => return Err(line.error("expected title, speed, turn or default")),
            }
        }
        if script.turns.is_empty() && script.fallback.is_empty() {
            return Err(ScriptError {
                line: text.lines().count().max(1),
                column: 1,
                message: "the script has neither a turn nor a default".to_owned(),
            });
        }
        Ok(script)
    }
}

/// The steps of a turn, up to what does not belong to it.
fn steps(lines: &[Line<'_>], at: &mut usize) -> Parsed<Vec<Vec<Action>>> {
    let mut steps = vec![Vec::new()];
    while let Some(line) = lines.get(*at) {
        match line.word() {
            "turn" | "default" | "title" => break,
            "step" => {
                line.nothing_follows()?;
                steps.push(Vec::new());
                *at += 1;
            }
            _ => {
                let action = action(lines, at)?;
                if let Some(step) = steps.last_mut() {
                    step.push(action);
                }
            }
        }
    }
    Ok(steps)
}

/// The actions up to `end`.
fn block(lines: &[Line<'_>], at: &mut usize, opening: &Line<'_>) -> Parsed<Vec<Action>> {
    let mut actions = Vec::new();
    while let Some(line) = lines.get(*at) {
        match line.word() {
            "end" => {
                line.nothing_follows()?;
                *at += 1;
                return Ok(actions);
            }
            "turn" | "step" | "default" => break,
            _ => actions.push(action(lines, at)?),
        }
    }
    Err(opening.error(&format!("{} has no end", opening.word())))
}

fn action(lines: &[Line<'_>], at: &mut usize) -> Parsed<Action> {
    let Some(line) = lines.get(*at) else {
        return Err(ScriptError {
            line: 1,
            column: 1,
            message: "nothing to read".to_owned(),
        });
    };
    *at += 1;
    let kind = match line.word() {
        "think" => ActionKind::Think(template(line, &line.text()?)?),
        "say" => ActionKind::Say(template(line, &line.text()?)?),
        "call" => call(line)?,
        "when" => ActionKind::When {
            condition: condition(line)?,
            actions: block(lines, at, line)?,
        },
        "expect" => ActionKind::Expect(expectation(line)?),
        "usage" => usage(line)?,
        "stop" => ActionKind::Stop(finish_word(line)?),
        "fail" => failure(line)?,
        "speed" => ActionKind::Speed(speed(line)?),
        "end" => return Err(line.error("end without a when or default before it")),
        other => return Err(line.error(&format!("unknown directive {other:?}"))),
    };
    Ok(Action {
        line: line.number,
        kind,
    })
}

fn matcher(line: &Line<'_>) -> Parsed<Matcher> {
    let rest = line.rest();
    if rest.is_empty() {
        return Ok(Matcher::All);
    }
    let Some(pattern) = rest.strip_prefix("match ").map(str::trim) else {
        return Err(line.error_at(rest, "expected match \"words\" or match /pattern/"));
    };
    if let Some(words) = quoted(pattern, '"') {
        return Ok(Matcher::Words(words.to_owned()));
    }
    match quoted(pattern, '/').map(Regex::new) {
        Some(Ok(pattern)) => Ok(Matcher::Pattern(pattern)),
        Some(Err(problem)) => Err(line.error_at(pattern, &format!("not a pattern: {problem}"))),
        None => Err(line.error_at(pattern, "expected \"words\" or /pattern/")),
    }
}

fn quoted(text: &str, mark: char) -> Option<&str> {
    text.strip_prefix(mark)?.strip_suffix(mark)
}

fn call(line: &Line<'_>) -> Parsed<ActionKind> {
    let text = line.text()?;
    let (tool, json) = text.split_once(char::is_whitespace).unwrap_or((&text, ""));
    let json = json.trim();
    if json.is_empty() {
        return Err(line.error("expected a tool and its arguments as JSON"));
    }
    let value: Value =
        serde_json::from_str(json).map_err(|problem| line.json_error(json, &problem))?;
    if !value.is_object() {
        return Err(line.error_at(json, "the arguments are not an object"));
    }
    Ok(ActionKind::Call {
        tool: tool.to_owned(),
        arguments: arguments(line, &value)?,
    })
}

fn arguments(line: &Line<'_>, value: &Value) -> Parsed<Arguments> {
    Ok(match value {
        Value::String(text) => Arguments::Text(template(line, text)?),
        Value::Array(items) => Arguments::List(
            items
                .iter()
                .map(|item| arguments(line, item))
                .collect::<Parsed<_>>()?,
        ),
        Value::Object(fields) => Arguments::Object(
            fields
                .iter()
                .map(|(name, value)| Ok((name.clone(), arguments(line, value)?)))
                .collect::<Parsed<_>>()?,
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) => Arguments::Plain(value.clone()),
    })
}

/// A text with its places found. A place that does not exist is a mistake, not text.
fn template(line: &Line<'_>, text: &str) -> Parsed<Template> {
    let mut fills = Vec::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once("${") {
        let Some((name, after)) = inside.split_once('}') else {
            return Err(line.error_at(inside, "${ without }"));
        };
        if !before.is_empty() {
            fills.push(Fill::Text(before.to_owned()));
        }
        fills.push(match name.split_once(['.', ':']) {
            None if name == "workspace" => Fill::Workspace,
            None if name == "user" => Fill::User,
            Some(("file", path)) if !path.trim().is_empty() => Fill::File(path.trim().to_owned()),
            Some(("result", nth)) => match nth.parse() {
                Ok(nth) if nth > 0 => Fill::Result(nth),
                Ok(_) | Err(_) => return Err(line.error_at(name, "results are counted from 1")),
            },
            Some(_) | None => {
                let known = "${workspace}, ${user}, ${result.1} or ${file:PATH}";
                return Err(line.error_at(name, &format!("expected {known}")));
            }
        });
        rest = after;
    }
    if !rest.is_empty() {
        fills.push(Fill::Text(rest.to_owned()));
    }
    Ok(Template(fills))
}

fn condition(line: &Line<'_>) -> Parsed<Condition> {
    let words: Vec<&str> = line.rest().split_whitespace().collect();
    let (tool, word, nth) = match words.as_slice() {
        ["tool", tool] => return Ok(Condition::Tool((*tool).to_owned())),
        [word] => (None, word, None),
        [word, nth] if nth.parse::<usize>().is_ok() => (None, word, Some(nth)),
        [tool, word] => (Some(tool), word, None),
        [tool, word, nth] => (Some(tool), word, Some(nth)),
        _ => {
            return Err(
                line.error("expected STATUS, TOOL STATUS, or tool NAME, and a number if you like")
            );
        }
    };
    let nth = match nth.map(|nth| (nth, nth.parse())) {
        None => None,
        Some((_, Ok(count))) if count > 0 => Some(count),
        Some((word, _)) => return Err(line.error_at(word, "results are counted from 1")),
    };
    Ok(Condition::Status {
        tool: tool.map(|tool| (*tool).to_owned()),
        statuses: statuses(line, word)?,
        nth,
    })
}

fn statuses(line: &Line<'_>, words: &str) -> Parsed<Vec<Status>> {
    words.split('|').map(|word| status(line, word)).collect()
}

fn status(line: &Line<'_>, word: &str) -> Parsed<Status> {
    Status::ALL
        .into_iter()
        .find(|status| status.as_str() == word)
        .ok_or_else(|| line.error_at(word, "expected ok, edited, denied or error"))
}

fn expectation(line: &Line<'_>) -> Parsed<Expectation> {
    let usage = "expected TOOL STATUS, and contains \"words\" after it if you like";
    let mut parts = line.rest().splitn(3, char::is_whitespace);
    let (Some(tool), Some(words)) = (parts.next(), parts.next()) else {
        return Err(line.error(usage));
    };
    let contains = match parts.next().map(str::trim).filter(|rest| !rest.is_empty()) {
        None => None,
        Some(rest) => {
            let found = rest.strip_prefix("contains").map(str::trim);
            let found = found.and_then(|found| quoted(found, '"'));
            Some(found.ok_or_else(|| line.error_at(rest, usage))?.to_owned())
        }
    };
    Ok(Expectation {
        tool: tool.to_owned(),
        statuses: statuses(line, words)?,
        contains,
    })
}

fn usage(line: &Line<'_>) -> Parsed<ActionKind> {
    let counts: Vec<u64> = line
        .rest()
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    match counts.as_slice() {
        [input, output] => Ok(ActionKind::Usage {
            input: *input,
            output: *output,
        }),
        _ => Err(line.error("expected two numbers: tokens in and out")),
    }
}

fn finish_word(line: &Line<'_>) -> Parsed<&'static str> {
    match line.rest() {
        "end_turn" => Ok("stop"),
        "tool_use" => Ok("tool_calls"),
        "max_tokens" => Ok("length"),
        "refusal" => Ok("content_filter"),
        "stop_sequence" => Ok("stop_sequence"),
        other => {
            let known = "expected end_turn, tool_use, max_tokens, refusal or stop_sequence";
            Err(line.error_at(other, known))
        }
    }
}

fn failure(line: &Line<'_>) -> Parsed<ActionKind> {
    let words: Vec<&str> = line.rest().split_whitespace().collect();
    let (word, after) = match words.as_slice() {
        [kind] => (*kind, None),
        [kind, "after", chars] => (*kind, Some(*chars)),
        _ => return Err(line.error("expected a kind of failure, and after N if you like")),
    };
    let kind = FailureKind::deserialize(StrDeserializer::<ValueError>::new(word))
        .map_err(|problem| line.error_at(word, &problem.to_string()))?;
    let after_chars = match after.map(str::parse) {
        None => None,
        Some(Ok(chars)) => Some(chars),
        Some(Err(_)) => return Err(line.error("expected a number of characters")),
    };
    Ok(ActionKind::Fail { kind, after_chars })
}

fn speed(line: &Line<'_>) -> Parsed<u32> {
    let parsed = line
        .rest()
        .parse()
        .ok()
        .filter(|speed| SPEEDS.contains(speed));
    parsed.ok_or_else(|| line.error("expected words per second, or 0 for at once"))
}

#[cfg(test)]
mod tests;
