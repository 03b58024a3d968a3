//! How long a provider asks us to wait, from headers or from its words.
//!
//! Unreadable means none; the loop then has its own delay. A date counts only next to the server's own `date`, so that
//! no clock is needed here and a wrong one does no harm.

use regex::Regex;
use std::sync::LazyLock;

static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:try again|retry)(?: after| in) (\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|sec|secs|seconds?|m|min|mins|minutes?)\b").ok()
});

const MS_PER_SECOND: f64 = 1000.0;
const MS_PER_MINUTE: f64 = 60_000.0;

/// The wait in milliseconds.
pub(super) fn requested_delay(headers: &[(String, String)], message: &str) -> Option<u64> {
    header(headers, "retry-after-ms")
        .and_then(|text| millis(text, 1.0))
        .or_else(|| header(headers, "retry-after").and_then(|text| seconds_or_date(text, headers)))
        .or_else(|| in_words(message))
}

/// The first header of a name; names are in lower case.
pub(crate) fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers
        .iter()
        .find(|(key, _)| key.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.trim())
}

fn seconds_or_date(text: &str, headers: &[(String, String)]) -> Option<u64> {
    millis(text, MS_PER_SECOND).or_else(|| {
        let until = httpdate::parse_http_date(text).ok()?;
        let now = httpdate::parse_http_date(header(headers, "date")?).ok()?;
        let wait = until.duration_since(now).unwrap_or_default();
        u64::try_from(wait.as_millis()).ok()
    })
}

fn in_words(message: &str) -> Option<u64> {
    let found = WORDS.as_ref()?.captures(message)?;
    let unit = found.get(2)?.as_str().to_lowercase();
    let factor = match unit.as_str() {
        unit if unit.starts_with("ms") || unit.starts_with("mil") => 1.0,
        unit if unit.starts_with('m') => MS_PER_MINUTE,
        _ => MS_PER_SECOND,
    };
    millis(found.get(1)?.as_str(), factor)
}

/// A number times a factor; negative, endless and unreadable ones are none.
fn millis(text: &str, factor: f64) -> Option<u64> {
    let value = text.parse::<f64>().ok()? * factor;
    let fits = value.is_finite() && (0.0..=u64::MAX as f64 / 2.0).contains(&value);
    fits.then(|| value.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::{WORDS, requested_delay};

    #[track_caller]
    fn check(headers: &[(&str, &str)], message: &str, expected: Option<u64>) {
        let headers: Vec<(String, String)> = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        assert_eq!(
            requested_delay(&headers, message),
            expected,
            "{headers:?} {message:?}"
        );
    }

    #[test]
    fn headers_and_words() {
        assert!(WORDS.is_some(), "the pattern is valid");
        check(&[("retry-after", "2.5")], "", Some(2500));
        check(
            &[("retry-after-ms", "350"), ("retry-after", "9")],
            "",
            Some(350),
        );
        check(&[("retry-after", "-3")], "", None);
        check(&[("retry-after", "inf")], "", None);
        check(
            &[("retry-after", "Mon, 30 Nov 2026 12:00:10 GMT")],
            "",
            None,
        );
        let date = ("date", "Mon, 30 Nov 2026 12:00:20 GMT");
        check(
            &[("retry-after", "Mon, 30 Nov 2026 12:00:30 GMT"), date],
            "",
            Some(10_000),
        );
        check(
            &[("retry-after", "Mon, 30 Nov 2026 12:00:10 GMT"), date],
            "",
            Some(0),
        );
        check(
            &[("retry-after", "garbage")],
            "Please try again in 11.054s.",
            Some(11_054),
        );
        check(&[], "retry in 20 ms", Some(20));
        check(&[], "Try again in 2 minutes", Some(120_000));
        check(&[], "retry later", None);
    }
}
