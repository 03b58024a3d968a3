//! Supervises the commands of the journeys; does nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(
        app::run_shellhost_if_requested()
            .and_then(|code| u8::try_from(code).ok())
            .unwrap_or(1),
    )
}
