//! Asks the user's login shell for the environment a terminal would have; a program started from a menu has less.
//!
//! The shell's start-up files may print, read and hang: the answer stands between marks, there is nothing to read, and
//! the time is limited.

use super::Environment;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Stands before and after the answer, and nowhere else.
const MARK: &str = "benchdog-environment-6f1c3f0a";
/// An environment is a few kilobytes; who prints this much prints something else.
const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;

/// Why there is no answer. The program's own environment has to do, and the user should hear about it.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// It could not be started or read.
    #[error("the login shell could not be asked: {0}")]
    Io(#[from] io::Error),
    /// It took too long.
    #[error("the login shell did not answer within {} s", .0.as_secs())]
    TimedOut(Duration),
    /// It printed something else.
    #[error("the login shell did not print its environment")]
    NoAnswer,
}

/// Runs the login shell once, with `base` as its environment. Blocks for as long as its start-up files take, at most
/// `limit`. Variables that are no text are left out.
pub fn capture_login_environment(
    shell: &Path,
    base: &Environment,
    limit: Duration,
) -> Result<Environment, CaptureError> {
    #[expect(clippy::disallowed_methods, reason = "this crate starts the processes")]
    let mut command = Command::new(shell);
    command.args([
        "-l",
        "-i",
        "-c",
        &format!("printf {MARK}; env -0; printf {MARK}"),
    ]);
    command.env_clear().envs(base).current_dir("/");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    // SAFETY: setsid is one system call, safe between fork and exec.
    #[expect(
        unsafe_code,
        reason = "an interactive shell must not find a terminal to take over"
    )]
    unsafe {
        command.pre_exec(|| rustix::process::setsid().map(drop).map_err(io::Error::from));
    }
    let mut child = command.spawn()?;
    let answer = child
        .stdout
        .take()
        .ok_or(CaptureError::NoAnswer)
        .and_then(|stdout| read_answer(stdout, limit));
    end(&mut child);
    parse(&answer?)
}

/// Reads up to the second mark; whatever start-up files left running may hold the pipe for longer.
fn read_answer(mut stdout: ChildStdout, limit: Duration) -> Result<Vec<u8>, CaptureError> {
    let deadline = Instant::now() + limit;
    let (mut answer, mut buffer) = (Vec::new(), vec![0; 64 * 1024]);
    loop {
        let remaining = deadline.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            return Err(CaptureError::TimedOut(limit));
        }
        let timeout = Timespec::try_from(remaining).unwrap_or_default();
        let ready = poll(&mut [PollFd::new(&stdout, PollFlags::IN)], Some(&timeout))
            .map_err(io::Error::from)?;
        if ready == 0 {
            continue;
        }
        let count = stdout.read(&mut buffer)?;
        answer.extend_from_slice(buffer.get(..count).unwrap_or_default());
        if count == 0 || between_marks(&answer).is_some() || answer.len() > MAX_ANSWER_BYTES {
            return Ok(answer);
        }
    }
}

fn end(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // Gone already is what it should be.
    group.map(|group| kill_process_group(group, Signal::KILL).ok());
    if let Err(error) = child.wait() {
        tracing::debug!(%error, "the login shell was not collected");
    }
}

fn between_marks(answer: &[u8]) -> Option<&[u8]> {
    let find = |bytes: &[u8]| {
        bytes
            .windows(MARK.len())
            .position(|window| window == MARK.as_bytes())
    };
    let start = find(answer)? + MARK.len();
    let rest = answer.get(start..)?;
    rest.get(..find(rest)?)
}

fn parse(answer: &[u8]) -> Result<Environment, CaptureError> {
    let entries = between_marks(answer)
        .ok_or(CaptureError::NoAnswer)?
        .split(|byte| *byte == 0);
    let texts = entries.filter_map(|entry| std::str::from_utf8(entry).ok()?.split_once('='));
    Ok(texts
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// A login shell made of a script.
    fn shell(folder: &tempfile::TempDir, script: &str) -> std::path::PathBuf {
        let path = folder.path().join("shell");
        std::fs::write(&path, format!("#!/bin/bash\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn base() -> Environment {
        [("PATH".to_owned(), "/usr/bin:/bin".to_owned())].into()
    }

    #[test]
    fn the_answer_is_found_between_whatever_else_is_printed() {
        let folder = tempfile::tempdir().unwrap();
        let script = "echo Welcome; export GREETING='a=b\nc' BAD=$'\\xff'; eval \"$4\"; echo Bye";
        let env =
            capture_login_environment(&shell(&folder, script), &base(), Duration::from_secs(10))
                .unwrap();
        assert_eq!(env.get("GREETING").map(String::as_str), Some("a=b\nc"));
        assert_eq!(
            (env.get("PATH").map(String::as_str), env.get("BAD")),
            (Some("/usr/bin:/bin"), None)
        );
    }

    #[test]
    fn a_shell_that_hangs_or_says_nothing_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = shell(&folder, "sleep 600 & sleep 600");
        let hung = capture_login_environment(&path, &base(), Duration::from_millis(100));
        assert!(matches!(hung, Err(CaptureError::TimedOut(_))), "{hung:?}");
        let silent =
            capture_login_environment(&shell(&folder, "exit 1"), &base(), Duration::from_secs(10));
        assert!(matches!(silent, Err(CaptureError::NoAnswer)), "{silent:?}");
        let missing =
            capture_login_environment(Path::new("/nowhere/sh"), &base(), Duration::from_secs(1));
        assert!(matches!(missing, Err(CaptureError::Io(_))), "{missing:?}");
    }

    #[test]
    fn a_real_bash_answers() {
        let env =
            capture_login_environment(Path::new("/bin/bash"), &base(), Duration::from_secs(10))
                .unwrap();
        assert!(env.contains_key("PATH"));
    }
}
