//! Whether a failure looks like the work of the walls. A guess: programs say it in their own words.

/// What programs print when the system refuses them something.
const WORDS: &[&str] = &[
    "operation not permitted",
    "permission denied",
    "read-only file system",
    "sandbox",
    "landlock",
    "seccomp",
    "network is unreachable",
    "could not resolve host",
    "temporary failure in name resolution",
];
/// Misuse, "cannot be run", "not found": a shell's own words for what has nothing to do with walls.
const OTHER_REASONS: &[i32] = &[0, 2, 126, 127];
const SIGSYS: i32 = 31;

/// Whether a command that ran behind walls seems to have failed because of them.
#[must_use]
pub fn looks_denied(code: Option<i32>, signal: Option<i32>, output: &str) -> bool {
    if signal == Some(SIGSYS) || code == Some(128 + SIGSYS) {
        return true;
    }
    let failed = code.is_some_and(|code| !OTHER_REASONS.contains(&code));
    failed && {
        let output = output.to_ascii_lowercase();
        WORDS.iter().any(|word| output.contains(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_only_after_a_failure() {
        let denied = "touch: cannot touch '/etc/x': Read-only file system";
        assert!(looks_denied(Some(1), None, denied));
        for code in OTHER_REASONS {
            assert!(!looks_denied(Some(*code), None, denied), "{code}");
        }
        assert!(!looks_denied(Some(1), None, "assertion failed"));
        assert!(!looks_denied(None, Some(9), denied), "a kill is no refusal");
        assert!(looks_denied(None, Some(SIGSYS), ""));
        assert!(looks_denied(Some(159), None, ""), "as a shell reports it");
    }
}
