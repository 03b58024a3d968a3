//! Runs the `git` program, within limits.

use crate::env::Environment;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// An answer takes this long at the most.
const TIME_LIMIT: Duration = Duration::from_secs(5);
/// An answer is this long at the most.
const MAX_OUTPUT_BYTES: u64 = 64 * 1024 * 1024;
/// Characters of its own words that are kept for the log.
const MAX_WORDS_BYTES: u64 = 2_000;

/// Before the command: no locks, paths as they are, and nothing of the repository's configuration that runs programs.
/// Filters have names that nobody can know before: see [`Git::without_filters`].
const SWITCHES: [&str; 11] = [
    "--no-optional-locks",
    "--literal-pathspecs",
    "-c",
    "core.quotepath=false",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=",
    "-c",
    "diff.external=",
    "--no-pager",
];

/// The commits of a submodule are compared, but `git` does not go in: its configuration runs programs too.
pub(super) const SUBMODULES: &str = "--ignore-submodules=dirty";

/// No password is asked for, and an object that is missing is not fetched: fetching runs what the remote is set to.
const ENVIRONMENT: [(&str, &str); 4] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("LC_ALL", "C"),
];

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// There is no such program.
    #[error("there is no git program")]
    Missing,
    /// It took too long.
    #[error("git took more than {} s", TIME_LIMIT.as_secs())]
    TooSlow,
    /// It said too much.
    #[error("git said more than {MAX_OUTPUT_BYTES} bytes")]
    TooMuch,
    /// It said no.
    #[error("git refused: {words}")]
    Refused { words: String },
    /// It could not be run or heard.
    #[error("git could not be run")]
    Io {
        #[from]
        source: std::io::Error,
    },
}

/// The program, in one folder.
#[derive(Debug)]
pub(super) struct Git {
    folder: PathBuf,
    environment: Vec<(String, String)>,
    /// More switches: filters that are not run.
    switches: Vec<String>,
    time_limit: Duration,
}

impl Git {
    pub(super) fn new(folder: &Path, environment: &Environment) -> Self {
        // A variable of its own would make it look at another repository or run a program.
        let inherited = environment
            .iter()
            .filter(|(name, _)| !name.starts_with("GIT_"))
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let ours = ENVIRONMENT.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self {
            folder: folder.to_path_buf(),
            environment: inherited.chain(ours).collect(),
            switches: Vec::new(),
            time_limit: TIME_LIMIT,
        }
    }

    /// The same without these filters. With an empty process a filter runs nothing, whatever else it is set to.
    pub(super) fn without_filters(mut self, names: &[String]) -> Self {
        let off = ["process=", "clean=", "smudge=", "required=false"];
        for (name, setting) in names
            .iter()
            .flat_map(|name| off.map(|setting| (name, setting)))
        {
            self.switches.push("-c".to_owned());
            self.switches.push(format!("filter.{name}.{setting}"));
        }
        self
    }

    /// What it answers.
    pub(super) fn ask(&self, arguments: &[&str]) -> Result<Vec<u8>, Failure> {
        let mut child = self.start(arguments)?;
        let (out, heard) = mpsc::channel();
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(Failure::Io {
                source: std::io::Error::other("no pipe"),
            });
        };
        let listeners = [
            listen(stdout, MAX_OUTPUT_BYTES + 1, Stream::Answer, out.clone()),
            listen(stderr, MAX_WORDS_BYTES, Stream::Words, out),
        ];
        let heard = self.hear(&heard);
        if heard.is_err()
            && let Err(error) = child.kill()
        {
            tracing::debug!(%error, "git had ended");
        }
        let status = child.wait()?;
        // Only now: what git started may hold the pipes open for longer than anybody waits.
        let (answer, words) = heard?;
        for listener in listeners {
            if listener.join().is_err() {
                tracing::error!("a thread that reads from git panicked");
            }
        }
        if status.success() {
            return Ok(answer);
        }
        Err(Failure::Refused {
            words: String::from_utf8_lossy(&words).trim().to_owned(),
        })
    }

    fn start(&self, arguments: &[&str]) -> Result<Child, Failure> {
        #[expect(
            clippy::disallowed_methods,
            reason = "a short question, no command of anybody: nothing for a terminal"
        )]
        let mut command = Command::new("git");
        command
            .args(SWITCHES)
            .args(&self.switches)
            .args(arguments)
            .current_dir(&self.folder)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.spawn().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound if self.folder.is_dir() => Failure::Missing,
            _ => Failure::Io { source: error },
        })
    }

    /// Both streams to their end.
    fn hear(&self, heard: &mpsc::Receiver<Heard>) -> Result<(Vec<u8>, Vec<u8>), Failure> {
        let (mut answer, mut words) = (Vec::new(), Vec::new());
        let started = std::time::Instant::now();
        for _ in 0..2 {
            let left = self.time_limit.saturating_sub(started.elapsed());
            let (stream, bytes) = heard.recv_timeout(left).map_err(|_| Failure::TooSlow)?;
            match stream {
                Stream::Answer => answer = bytes?,
                Stream::Words => words = bytes?,
            }
        }
        if answer.len() as u64 > MAX_OUTPUT_BYTES {
            return Err(Failure::TooMuch);
        }
        Ok((answer, words))
    }
}

#[derive(Clone, Copy)]
enum Stream {
    Answer,
    Words,
}

type Heard = (Stream, std::io::Result<Vec<u8>>);

fn listen(
    from: impl Read + Send + 'static,
    limit: u64,
    stream: Stream,
    to: mpsc::Sender<Heard>,
) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = from.take(limit).read_to_end(&mut bytes).map(|_| bytes);
        if to.send((stream, read)).is_err() {
            tracing::debug!("nobody waits for git any more");
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::time::Instant;

    /// Says something, leaves a child behind that keeps the pipes until somebody opens the FIFO, and ends.
    const GIT: &str = "#!/bin/sh\nmkfifo \"$0.fifo\"\necho answer\ncat \"$0.fifo\" &\nexit 0\n";

    #[test]
    fn what_git_leaves_behind_is_not_waited_for() {
        let home = tempfile::tempdir().unwrap();
        let program = home.path().join("git");
        std::fs::write(&program, GIT).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:/usr/bin:/bin", home.path().display());
        let git = Git {
            time_limit: Duration::from_millis(300),
            ..Git::new(home.path(), &Environment::of([("PATH".to_owned(), path)]))
        };
        let started = Instant::now();
        let answer = git.ask(&["status"]);
        assert!(matches!(answer, Err(Failure::TooSlow)), "{answer:?}");
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "{:?}",
            started.elapsed()
        );
        // The child is still there: it takes the other end, and then ends.
        std::fs::write(home.path().join("git.fifo"), "").unwrap();
    }
}
