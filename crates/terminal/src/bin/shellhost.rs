//! The smallest program that can supervise a command; tests and benches start it, and so may a program that links a
//! lot and would start slowly as its own supervisor.

fn main() -> std::process::ExitCode {
    let code = terminal::run_shellhost_if_requested().unwrap_or(terminal::SHELLHOST_MISUSED);
    std::process::ExitCode::from(u8::try_from(code).unwrap_or(1))
}
