//! Token counts in their many places.

use protocol::message::Usage;
use serde_json::Value;

/// Counts in the usual form; nothing if there is no count in it.
pub(super) fn from_report(report: &Value) -> Option<Usage> {
    let count = |name: &str| report.get(name).and_then(Value::as_u64);
    let inner = |group: &str, name: &str| report.get(group)?.get(name)?.as_u64();
    let (input, output) = (count("prompt_tokens"), count("completion_tokens"));
    if input.is_none() && output.is_none() {
        return None;
    }
    Some(Usage {
        input: input.unwrap_or_default(),
        output: output.unwrap_or_default(),
        cache_read: inner("prompt_tokens_details", "cached_tokens")
            .or_else(|| count("prompt_cache_hit_tokens")),
        cache_write: None,
        reasoning: inner("completion_tokens_details", "reasoning_tokens"),
        web_search_requests: None,
    })
}

/// Counts of llama.cpp, which reports what it read anew and what it had in its cache apart.
pub(super) fn from_timings(timings: &Value) -> Option<Usage> {
    let count = |name: &str| timings.get(name).and_then(Value::as_u64);
    let cached = count("cache_n");
    Some(Usage {
        input: count("prompt_n")? + cached.unwrap_or_default(),
        output: count("predicted_n").unwrap_or_default(),
        cache_read: cached,
        ..Usage::default()
    })
}
