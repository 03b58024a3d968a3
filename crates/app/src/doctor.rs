//! What the program needs from the machine, looked at one by one.

use crate::env::Environment;
use crate::paths::Paths;
use std::path::Path;

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What.
    pub what: String,
    /// What to do, where it is missing.
    pub problem: Option<String>,
}

/// Looks at everything. Changes nothing but an empty probe file that is removed at once.
#[must_use]
pub fn examine(environment: &Environment) -> Vec<Finding> {
    let mut findings = vec![shell(environment)];
    match Paths::find(environment) {
        None => findings.push(Finding {
            what: "a home folder".to_owned(),
            problem: Some("set HOME, or BENCHDOG_HOME to a folder".to_owned()),
        }),
        Some(paths) => {
            findings.push(writable("settings", &paths.config));
            findings.push(writable("data", &paths.data));
        }
    }
    findings
}

fn shell(environment: &Environment) -> Finding {
    let found = terminal::find_shell(None, environment.get("PATH").unwrap_or_default());
    let problem = match &found {
        terminal::ShellProgram::Bash(_) => None,
        terminal::ShellProgram::Sh(_) => {
            Some("install bash; without it every command must be asked about".to_owned())
        }
    };
    Finding {
        what: format!("a shell ({})", found.program().display()),
        problem,
    }
}

fn writable(what: &str, folder: &Path) -> Finding {
    let probe = folder.join(".benchdog-doctor");
    let tried = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&probe, b""))
        .and_then(|()| std::fs::remove_file(&probe));
    let problem = tried
        .err()
        .map(|error| format!("{error}; fix its rights, or set BENCHDOG_HOME to another folder"));
    Finding {
        what: format!("a {what} folder ({})", folder.display()),
        problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usable_home_is_healthy_and_left_clean() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        let env = Environment::of([("BENCHDOG_HOME".to_owned(), home.display().to_string())]);
        let findings = examine(&env);
        assert!(
            findings.iter().all(|finding| finding.problem.is_none()),
            "{findings:?}"
        );
        assert_eq!(std::fs::read_dir(&home).unwrap().count(), 0);
    }

    #[test]
    fn no_home_says_what_to_set() {
        let findings = examine(&Environment::default());
        assert!(findings.iter().any(|f| {
            f.problem
                .as_ref()
                .is_some_and(|p| p.contains("BENCHDOG_HOME"))
        }));
    }
}
