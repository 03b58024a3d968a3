//! Waiting for something to happen, never for time to pass.

use std::time::{Duration, Instant};

/// Whatever takes longer than this does not happen, even on a machine with much else to do.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks at something that cannot call back: a file, a process, a port.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Looks until there is something to see.
pub(crate) fn soon<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        std::thread::sleep(LOOK_AGAIN);
    }
}
