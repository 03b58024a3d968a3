//! `benchdog doctor`: one line per thing the program needs, and what to do where it is missing.

use app::doctor::{Finding, examine};
use app::env::Environment;
use std::io::Write;
use std::process::ExitCode;

/// Examines and prints. Exit code 1 if something is missing.
pub(crate) async fn run(environment: Environment) -> ExitCode {
    let findings = examine(&environment);
    let mut healthy = true;
    for Finding { what, problem } in findings {
        let line = match &problem {
            None => format!("ok       {what}"),
            Some(remedy) => format!("missing  {what}: {remedy}"),
        };
        healthy &= problem.is_none();
        if writeln!(std::io::stdout(), "{line}").is_err() {
            return ExitCode::FAILURE;
        }
    }
    if healthy {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
