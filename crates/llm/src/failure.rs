//! How an answer fails, in one form for all providers.

mod classify;
mod delay;
mod report;

pub(crate) use classify::by_name;
pub(crate) use delay::header;
pub(crate) use report::{
    ErrorReport, find_error, from_finish_reason, from_object, from_text, http_failure,
    not_a_stream, stream_failure,
};

use crate::secret::{Secret, mask_key_words};
use serde::{Deserialize, Serialize};

/// A failed answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// The same request may succeed later.
    pub retryable: bool,
    /// For the person; never markup, never a key.
    pub message: String,
    /// HTTP status, if the failure came as one.
    #[serde(default)]
    pub status: Option<u16>,
    /// The provider's own name for it.
    #[serde(default)]
    pub code: Option<String>,
    /// How long the provider asks us to wait.
    #[serde(default)]
    pub retry_after_ms: Option<u64>,
    /// The beginning of an answer that could not be read, without markup.
    #[serde(default)]
    pub detail: Option<String>,
}

impl Failure {
    /// A failure of a kind, retryable as that kind is.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            retryable: kind.is_retryable(),
            message: message.into(),
            status: None,
            code: None,
            retry_after_ms: None,
            detail: None,
        }
    }

    /// Takes keys out of the texts: the known ones, and words that look like one.
    pub(crate) fn redact(&mut self, secrets: &[Secret]) {
        self.message = without_keys(&self.message, secrets);
        self.detail = self
            .detail
            .as_deref()
            .map(|text| without_keys(text, secrets));
        self.code = self.code.as_deref().map(|text| without_keys(text, secrets));
    }
}

fn without_keys(text: &str, secrets: &[Secret]) -> String {
    let known = secrets
        .iter()
        .fold(text.to_owned(), |text, secret| secret.redact(&text));
    mask_key_words(&known)
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The key is missing, wrong or not allowed.
    Auth,
    /// No credit, or a limit that waiting does not lift.
    Quota,
    /// Too many requests for now.
    RateLimit,
    /// The provider is busy.
    Overloaded,
    /// The provider failed.
    Server,
    /// The conversation is too long for the model.
    ContextOverflow,
    /// The request has too many bytes.
    RequestTooLarge,
    /// The provider does not accept the request.
    BadRequest,
    /// A filter refused.
    ContentFilter,
    /// No such model or address.
    NotFound,
    /// The connection failed.
    Network,
    /// The connection is not trusted.
    Tls,
    /// The proxy refused.
    Proxy,
    /// The server points elsewhere.
    Redirect,
    /// The settings do not fit.
    Config,
    /// We ended it.
    Cancelled,
    /// No connection in time.
    TimeoutConnect,
    /// No answer in time.
    TimeoutFirstByte,
    /// The answer fell silent.
    TimeoutIdle,
    /// The answer took too long as a whole.
    TimeoutTotal,
    /// The answer ended in the middle.
    StreamTruncated,
    /// The answer ended before it began.
    EmptyStream,
    /// The answer is not an event stream.
    NonSseResponse,
    /// The answer has a part that is too large.
    FrameTooLarge,
    /// A recorded session went another way.
    ReplayMismatch,
    /// An expectation of the demo script did not hold.
    DemoExpectation,
}

impl FailureKind {
    /// Whether the same request may succeed later.
    #[must_use]
    pub fn is_retryable(self) -> bool {
        match self {
            Self::RateLimit
            | Self::Overloaded
            | Self::Server
            | Self::Network
            | Self::TimeoutConnect
            | Self::TimeoutFirstByte
            | Self::TimeoutIdle
            | Self::TimeoutTotal
            | Self::StreamTruncated
            | Self::EmptyStream => true,
            Self::Auth
            | Self::Quota
            | Self::ContextOverflow
            | Self::RequestTooLarge
            | Self::BadRequest
            | Self::ContentFilter
            | Self::NotFound
            | Self::Tls
            | Self::Proxy
            | Self::Redirect
            | Self::Config
            | Self::Cancelled
            | Self::NonSseResponse
            | Self::FrameTooLarge
            | Self::ReplayMismatch
            | Self::DemoExpectation => false,
        }
    }

    /// The wire name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::Quota => "quota",
            Self::RateLimit => "rate_limit",
            Self::Overloaded => "overloaded",
            Self::Server => "server",
            Self::ContextOverflow => "context_overflow",
            Self::RequestTooLarge => "request_too_large",
            Self::BadRequest => "bad_request",
            Self::ContentFilter => "content_filter",
            Self::NotFound => "not_found",
            Self::Network => "network",
            Self::Tls => "tls",
            Self::Proxy => "proxy",
            Self::Redirect => "redirect",
            Self::Config => "config",
            Self::Cancelled => "cancelled",
            Self::TimeoutConnect => "timeout_connect",
            Self::TimeoutFirstByte => "timeout_first_byte",
            Self::TimeoutIdle => "timeout_idle",
            Self::TimeoutTotal => "timeout_total",
            Self::StreamTruncated => "stream_truncated",
            Self::EmptyStream => "empty_stream",
            Self::NonSseResponse => "non_sse_response",
            Self::FrameTooLarge => "frame_too_large",
            Self::ReplayMismatch => "replay_mismatch",
            Self::DemoExpectation => "demo_expectation",
        }
    }
}
