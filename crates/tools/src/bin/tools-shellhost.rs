//! Supervises the commands of this crate's tests; does nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    let code = terminal::run_shellhost_if_requested().unwrap_or(terminal::SHELLHOST_MISUSED);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
