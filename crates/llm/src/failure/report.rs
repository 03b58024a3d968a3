//! Reads error objects in their many shapes, inside a stream and as the body of an HTTP answer.
//!
//! Invariant: what a person gets to see is text, never markup, and never longer than a paragraph.

use super::classify::classify;
use super::delay::{header, requested_delay};
use super::{Failure, FailureKind};
use serde_json::Value;

/// More than a paragraph helps nobody and fills the store.
const MAX_MESSAGE_CHARS: usize = 2_000;

/// Enough of an unreadable answer to recognise a sign-in page.
const MAX_EXCERPT_BYTES: usize = 512;

/// An error object as far as we read it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ErrorReport {
    message: Option<String>,
    /// The provider's own name, as it wrote it.
    code: Option<String>,
    /// All names, the most exact first.
    names: Vec<String>,
    /// An HTTP status told in the body.
    status: Option<u16>,
}

/// The error in a value, if the value is one: `{"error":…}`, `[{"error":…}]`, `{"object":"error",…}`,
/// `{"type":"error",…}`, or `{"code","message"}` without choices.
pub(crate) fn find_error(value: &Value) -> Option<ErrorReport> {
    let value = match value {
        Value::Array(items) => items.first()?,
        other => other,
    };
    match value.get("error") {
        Some(Value::Null) | None => {}
        Some(Value::String(text)) => return Some(from_text(text)),
        Some(error) => return Some(from_object(error)),
    }
    let says = |name: &str, word: &str| value.get(name).and_then(Value::as_str) == Some(word);
    let has = |name: &str| value.get(name).is_some_and(|field| !field.is_null());
    let bare = has("code") && has("message") && !has("choices");
    (says("object", "error") || says("type", "error") || bare).then(|| from_object(value))
}

/// An error of which only a sentence is known.
pub(crate) fn from_text(text: &str) -> ErrorReport {
    ErrorReport {
        message: Some(text.to_owned()),
        ..ErrorReport::default()
    }
}

/// A finish reason that is the name of an error.
pub(crate) fn from_finish_reason(reason: &str) -> ErrorReport {
    ErrorReport {
        message: Some(format!("provider stopped: {reason}")),
        code: Some(reason.to_owned()),
        names: vec![reason.to_owned()],
        status: None,
    }
}

/// The object inside an error field.
pub(crate) fn from_object(error: &Value) -> ErrorReport {
    let text = |name: &str| {
        let found = error.get(name).and_then(Value::as_str);
        found.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let number = error.get("code").and_then(Value::as_u64);
    let status = number
        .and_then(|code| u16::try_from(code).ok())
        .filter(|code| (400..=599).contains(code));
    // "error" and "invalid" alone say what the object is, not what went wrong.
    let kind = text("type").filter(|name| name != "error");
    let status_name = text("status");
    let number_as_code = number
        .filter(|_| status_name.is_none() && kind.is_none())
        .map(|code| code.to_string());
    let names: Vec<String> = [text("code"), kind, status_name]
        .into_iter()
        .flatten()
        .collect();
    ErrorReport {
        message: text("message").or_else(|| text("detail")),
        code: names.first().cloned().or(number_as_code),
        names,
        status,
    }
}

/// The failure that an error inside a stream stands for.
pub(crate) fn stream_failure(report: ErrorReport) -> Failure {
    let message = report
        .message
        .unwrap_or_else(|| "the provider reported an error".to_owned());
    let kind = classify(report.status, &report.names, &message);
    Failure {
        code: report.code,
        retry_after_ms: requested_delay(&[], &message),
        ..Failure::new(kind, shorten(&message))
    }
}

/// The failure that an HTTP answer with a bad status stands for.
pub(crate) fn http_failure(status: u16, headers: &[(String, String)], body: &[u8]) -> Failure {
    let text = String::from_utf8_lossy(body);
    let parsed = serde_json::from_str::<Value>(&text).ok();
    let report = parsed
        .as_ref()
        .map(|value| find_error(value).unwrap_or_else(|| from_object(value)))
        .unwrap_or_default();
    let message = match report.message {
        Some(message) => message,
        None => describe(status, headers, &text),
    };
    let kind = classify(Some(status), &report.names, &message);
    let retryable = match header(headers, "x-should-retry") {
        Some("true") => true,
        Some("false") => false,
        _ => kind.is_retryable(),
    };
    Failure {
        retryable,
        status: Some(status),
        code: report.code,
        retry_after_ms: requested_delay(headers, &message),
        ..Failure::new(kind, shorten(&message))
    }
}

/// The failure of an answer that is neither an event stream nor JSON.
pub(crate) fn not_a_stream(content_type: &str, body: &[u8]) -> Failure {
    let end = body.len().min(MAX_EXCERPT_BYTES);
    let excerpt = String::from_utf8_lossy(body.get(..end).unwrap_or_default());
    let detail = without_tags(&excerpt);
    Failure {
        detail: (!detail.is_empty()).then_some(detail),
        ..Failure::new(
            FailureKind::NonSseResponse,
            format!("expected an event stream, got {content_type}"),
        )
    }
}

/// What to say of a body without an error object.
fn describe(status: u16, headers: &[(String, String)], body: &str) -> String {
    if (300..=399).contains(&status) {
        let target = header(headers, "location").unwrap_or("another address");
        let host = reqwest::Url::parse(target)
            .ok()
            .and_then(|url| url.host_str().map(str::to_owned));
        let target = host.as_deref().unwrap_or(target);
        return format!("HTTP {status}: the server points to {target}; redirects are not followed");
    }
    let body = body.trim();
    let is_markup = body.starts_with('<')
        || header(headers, "content-type").is_some_and(|kind| kind.contains("html"));
    let words = if is_markup {
        title(body)
    } else if serde_json::from_str::<Value>(body).is_ok() {
        String::new()
    } else {
        body.to_owned()
    };
    if words.is_empty() {
        format!("HTTP {status}")
    } else {
        format!("HTTP {status}: {words}")
    }
}

/// The title of an HTML page.
fn title(page: &str) -> String {
    let lower = page.to_ascii_lowercase();
    let inner = lower.find("<title").and_then(|open| {
        let start = open + lower.get(open..)?.find('>')? + 1;
        let end = start + lower.get(start..)?.find("</title")?;
        page.get(start..end)
    });
    without_tags(inner.unwrap_or_default())
}

/// The text between the tags, with single blanks.
fn without_tags(markup: &str) -> String {
    let mut text = String::new();
    let mut in_tag = false;
    for c in markup.chars() {
        match c {
            '<' => {
                in_tag = true;
                text.push(' ');
            }
            '>' => in_tag = false,
            _ if in_tag => {}
            _ => text.push(c),
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shorten(message: &str) -> String {
    let message = message.trim();
    match message.char_indices().nth(MAX_MESSAGE_CHARS) {
        Some((at, _)) => format!("{}…", message.get(..at).unwrap_or_default()),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{ErrorReport, find_error, http_failure, not_a_stream};
    use crate::failure::FailureKind;
    use serde_json::json;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn shapes_of_errors() {
        let report = |message: &str, code: Option<&str>, all: &[&str], status| ErrorReport {
            message: Some(message.to_owned()),
            code: code.map(str::to_owned),
            names: names(all),
            status,
        };
        for (value, expected) in [
            (json!({"error": "m"}), Some(report("m", None, &[], None))),
            (json!({"error": null, "choices": []}), None),
            (
                json!([{"error": {"message": "m"}}]),
                Some(report("m", None, &[], None)),
            ),
            (
                json!({"object": "error", "message": "m", "code": 400}),
                Some(report("m", Some("400"), &[], Some(400))),
            ),
            (
                json!({"type": "error", "message": "m"}),
                Some(report("m", None, &[], None)),
            ),
            (
                json!({"code": "A", "message": "m"}),
                Some(report("m", Some("A"), &["A"], None)),
            ),
            (json!({"code": "A", "message": "m", "choices": []}), None),
            (
                json!({"error": {"code": 429, "message": "m", "status": "RESOURCE_EXHAUSTED"}}),
                Some(report(
                    "m",
                    Some("RESOURCE_EXHAUSTED"),
                    &["RESOURCE_EXHAUSTED"],
                    Some(429),
                )),
            ),
            (json!({"id": "x"}), None),
        ] {
            assert_eq!(find_error(&value), expected, "{value}");
        }
    }

    #[test]
    fn pages_are_told_by_their_title() {
        let page = b"<html><head><TITLE>Bad\n <b>gateway</b></TITLE></head><body>long text</body>";
        assert_eq!(
            http_failure(502, &[], page).message,
            "HTTP 502: Bad gateway"
        );
        let failure = not_a_stream("text/html", b"<h1>Sign in</h1> to <b>Wi-Fi</b>");
        assert_eq!(failure.detail.as_deref(), Some("Sign in to Wi-Fi"));
        assert_eq!(failure.kind, FailureKind::NonSseResponse);
    }
}
