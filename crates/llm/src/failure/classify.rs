//! Tells kinds of failure apart: by status, by the provider's names, and last by its words.
//!
//! Servers that call themselves compatible agree on little, so the order of the questions is the contract. Invariant:
//! the words of a message decide only whether the conversation is too long, where servers have no name for it.

use super::FailureKind;
use regex::RegexSet;
use std::sync::LazyLock;

/// How servers say that the conversation is too long.
const OVERFLOW_PATTERNS: [&str; 15] = [
    "(?i)prompt is too long",
    "(?i)input is too long for requested model",
    "(?i)exceeds the context window",
    "(?i)input token count.*exceeds the maximum",
    r"(?i)maximum prompt length is \d+",
    "(?i)reduce the length of the messages",
    r"(?i)maximum context length is \d+ tokens",
    r"(?i)exceeds the limit of \d+",
    "(?i)exceeds the available context size",
    "(?i)greater than the context length",
    "(?i)context window exceeds limit",
    "(?i)exceeded model token limit",
    "(?i)context[_ ]length[_ ]exceeded",
    r"(?i)context length is only \d+ tokens",
    "(?i)input length.*exceeds.*context length",
];

static OVERFLOW: LazyLock<Option<RegexSet>> =
    LazyLock::new(|| RegexSet::new(OVERFLOW_PATTERNS).ok());

/// The kind of a failure with this status, these names (the most exact first) and this message.
pub(super) fn classify(status: Option<u16>, names: &[String], message: &str) -> FailureKind {
    if let Some(kind) = status.and_then(by_decisive_status) {
        return kind;
    }
    let known: Vec<FailureKind> = names.iter().filter_map(|name| by_name(name)).collect();
    if let Some(kind) = known.iter().find(|kind| **kind != FailureKind::BadRequest) {
        return *kind;
    }
    if OVERFLOW.as_ref().is_some_and(|set| set.is_match(message)) {
        return FailureKind::ContextOverflow;
    }
    status
        .and_then(by_status)
        .or_else(|| known.first().copied())
        .unwrap_or(FailureKind::Server)
}

/// Statuses that no name in the body may overrule.
fn by_decisive_status(status: u16) -> Option<FailureKind> {
    match status {
        401 => Some(FailureKind::Auth),
        402 => Some(FailureKind::Quota),
        404 => Some(FailureKind::NotFound),
        407 => Some(FailureKind::Proxy),
        300..=399 => Some(FailureKind::Redirect),
        _ => None,
    }
}

fn by_status(status: u16) -> Option<FailureKind> {
    match status {
        403 => Some(FailureKind::Auth),
        413 => Some(FailureKind::RequestTooLarge),
        429 => Some(FailureKind::RateLimit),
        503 | 529 => Some(FailureKind::Overloaded),
        408 | 409 | 500..=599 => Some(FailureKind::Server),
        400..=499 => Some(FailureKind::BadRequest),
        _ => None,
    }
}

/// The kind that a provider's name stands for, whatever its case.
pub(crate) fn by_name(name: &str) -> Option<FailureKind> {
    match name.to_lowercase().as_str() {
        "authentication_error"
        | "invalid_api_key"
        | "permission_error"
        | "permission_denied"
        | "unauthenticated" => Some(FailureKind::Auth),
        "insufficient_quota"
        | "billing_error"
        | "arrearage"
        | "usage_not_included"
        | "usage_limit_reached"
        | "throttling.allocationquota"
        | "insufficient_balance" => Some(FailureKind::Quota),
        "rate_limit_exceeded"
        | "rate_limit_error"
        | "too_many_requests"
        | "throttling"
        | "throttling.ratequota"
        | "resource_exhausted" => Some(FailureKind::RateLimit),
        "overloaded_error"
        | "overloaded"
        | "server_is_overloaded"
        | "slow_down"
        | "service_unavailable"
        | "unavailable"
        | "insufficient_system_resource"
        | "engine_overloaded_error" => Some(FailureKind::Overloaded),
        "api_error"
        | "server_error"
        | "internal_error"
        | "internal_server_error"
        | "timeout_error"
        | "internal" => Some(FailureKind::Server),
        "context_length_exceeded"
        | "exceed_context_size_error"
        | "model_context_window_exceeded" => Some(FailureKind::ContextOverflow),
        "request_too_large" => Some(FailureKind::RequestTooLarge),
        "invalid_request_error" | "invalid_prompt" | "invalid_parameter" | "invalid_argument" => {
            Some(FailureKind::BadRequest)
        }
        "content_filter" | "data_inspection_failed" | "content_policy_violation" => {
            Some(FailureKind::ContentFilter)
        }
        "not_found_error" | "model_not_found" => Some(FailureKind::NotFound),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{FailureKind, OVERFLOW, classify};

    #[track_caller]
    fn check(status: Option<u16>, names: &[&str], message: &str, expected: FailureKind, why: &str) {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(classify(status, &names, message), expected, "{why}");
    }

    #[test]
    fn order_of_the_questions() {
        use FailureKind as Kind;
        check(
            Some(404),
            &["api_error"],
            "",
            Kind::NotFound,
            "404 is decisive",
        );
        check(
            Some(429),
            &["Insufficient_Quota"],
            "",
            Kind::Quota,
            "a name beats 429, whatever its case",
        );
        check(
            Some(400),
            &["invalid_request_error", "overloaded"],
            "",
            Kind::Overloaded,
            "bad_request names go on",
        );
        check(
            Some(400),
            &["invalid_request_error"],
            "prompt is too long",
            Kind::ContextOverflow,
            "words",
        );
        check(
            None,
            &["invalid_request_error"],
            "x",
            Kind::BadRequest,
            "a name alone",
        );
        check(None, &[], "x", Kind::Server, "nothing known");
        check(Some(418), &[], "", Kind::BadRequest, "any other 4xx");
    }

    #[test]
    fn every_overflow_pattern_compiles_and_matches() {
        assert!(OVERFLOW.is_some(), "the patterns are valid");
        for message in [
            "Input token count (9) exceeds the maximum number of tokens allowed (8)",
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
            "the request exceeds the available context size",
            "CONTEXT LENGTH EXCEEDED",
            "Input length 9 exceeds the context length of 8",
        ] {
            check(
                Some(400),
                &[],
                message,
                FailureKind::ContextOverflow,
                message,
            );
        }
    }
}
