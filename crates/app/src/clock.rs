//! The one place that looks at the clock of the machine.

use std::time::SystemTime;

/// The time, as files have it.
pub(crate) fn system_now() -> SystemTime {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is where the clock enters; everyone else is handed the time"
    )]
    SystemTime::now()
}

/// Milliseconds since 1970, UTC.
#[must_use]
pub fn now_ms() -> u64 {
    system_now()
        .duration_since(SystemTime::UNIX_EPOCH)
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
    system_now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_nanos())
}
