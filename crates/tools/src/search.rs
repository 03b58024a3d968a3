//! What the three search tools share: where they look, how they are cancelled, and how a failure reads.

use files::{Control, ReadCache, Roots, SearchTarget, WalkRules, search_target};
use protocol::tool_call::{Display, ToolFailure};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tool_api::{Permission, StopCause, ToolResult};

/// A search ends with what it has after this time.
const MAX_SEARCH_TIME: Duration = Duration::from_secs(20);

/// Nanoseconds since 1970; passed in, so that tests have their own.
pub type NowNs = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Where and how the tools of one session look.
#[derive(Clone)]
pub struct SearchDeps {
    /// The folders of the session.
    pub roots: Arc<Roots>,
    /// What every walk leaves out.
    pub rules: Arc<WalkRules>,
    /// What the model was shown.
    pub cache: Arc<ReadCache>,
    /// The clock.
    pub now_ns: NowNs,
}

impl SearchDeps {
    /// Resolves the `path` argument.
    pub(crate) fn target(&self, path: Option<&str>) -> Result<SearchTarget, ToolFailure> {
        search_target(path, &self.roots, &self.rules.ignore_name).map_err(|error| failure(&error))
    }
}

/// A failure of the `files` crate as the model reads it.
pub(crate) fn failure(error: &files::Error) -> ToolFailure {
    ToolFailure {
        code: error.code().to_owned(),
        reason: error.reason().map(str::to_owned),
        message: error.to_string(),
    }
}

/// What happens without a rule: inside the workspace it runs, elsewhere the person is asked.
pub(crate) fn permission(location: files::Location) -> Permission {
    match location {
        files::Location::Inside => Permission::Allow,
        files::Location::Outside => Permission::Ask,
    }
}

/// Runs work that blocks, with a flag that is set when the call is cancelled.
pub(crate) async fn blocking<T: Send + 'static>(
    cancel: CancellationToken,
    work: impl FnOnce(&AtomicBool) -> T + Send + 'static,
) -> Result<T, ToolFailure> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = flag.clone();
    let mut task = tokio::task::spawn_blocking(move || work(&seen));
    let joined = tokio::select! {
        biased;
        joined = &mut task => joined,
        () = cancel.cancelled() => {
            flag.store(true, Ordering::Release);
            task.await
        }
    };
    joined.map_err(|error| ToolFailure {
        code: "UNHANDLED_EXCEPTION".to_owned(),
        reason: None,
        message: format!("The tool failed inside: {error}"),
    })
}

/// How a search is stopped.
pub(crate) fn control(cancel: &AtomicBool) -> Control<'_> {
    Control {
        cancel,
        progress: &|_| {},
        max_time: MAX_SEARCH_TIME,
    }
}

/// A failure as the result of a call; a cancelled search is no failure of its own.
pub(crate) fn failed(error: &files::Error) -> ToolResult {
    let mut result = ToolResult::failed(failure(error));
    if matches!(error, files::Error::Cancelled) {
        result = ToolResult {
            failure: None,
            stopped: Some(StopCause::Cancelled),
            ..ToolResult::text("", Display::None)
        };
    }
    result
}

/// The header line of a result text, for the window.
pub(crate) fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
