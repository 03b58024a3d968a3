//! The one place that looks at the clock of the machine.

/// Milliseconds since 1970, UTC.
#[must_use]
pub fn now_ms() -> u64 {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is where the clock enters; everyone else is handed the time"
    )]
    let now = std::time::SystemTime::now();
    now.duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |elapsed| {
            u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
        })
}

/// The same as facts and events have it.
pub(crate) fn timestamp() -> i64 {
    i64::try_from(now_ms()).unwrap_or(i64::MAX)
}

/// Today, as `YYYY-MM-DD`, where the machine is.
#[must_use]
pub fn today() -> String {
    jiff::ZonedDateTime::now().date().to_string()
}

/// Nanoseconds since 1970, UTC.
#[must_use]
pub fn now_ns() -> u128 {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is where the clock enters; everyone else is handed the time"
    )]
    let now = std::time::SystemTime::now();
    now.duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_nanos())
}
