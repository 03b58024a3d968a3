//! Shells in a folder that goes away, and waiting for things to happen instead of for time to pass.

use protocol::ids::ShellId;
use std::collections::BTreeMap;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use terminal::{
    Excerpt, OnTimeout, Outcome, OutputText, Place, ShellHandle, ShellProgram, Shells,
    SpawnRequest, SpoolLimits, TerminalSize, Terminals,
};

/// Whatever takes longer than this does not happen.
const PATIENCE: Duration = Duration::from_secs(20);

/// Shells and their folders.
pub(crate) struct Bench {
    pub(crate) shells: Shells,
    pub(crate) folder: TempDir,
    count: AtomicU32,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with_limits(SpoolLimits::default())
    }

    pub(crate) fn with_limits(limits: SpoolLimits) -> Self {
        Self::with(limits, Terminals::Opened)
    }

    pub(crate) fn with_terminals(terminals: Terminals) -> Self {
        Self::with(SpoolLimits::default(), terminals)
    }

    fn with(limits: SpoolLimits, terminals: Terminals) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("ws")).unwrap();
        let shells = Shells::with_terminals(&folder.path().join("run"), limits, terminals).unwrap();
        Self {
            shells,
            folder,
            count: AtomicU32::new(0),
        }
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.folder.path().join("ws")
    }

    pub(crate) fn request(&self, command: &str) -> SpawnRequest {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        SpawnRequest {
            id: ShellId(format!("shell-{number}")),
            owner: "s".to_owned(),
            place: Place::Foreground,
            command: command.to_owned(),
            cwd: self.workspace(),
            env: environment(),
            size: TerminalSize::clamped(80, 24),
            timeout: None,
            spool_dir: self.folder.path().join(format!("shells/s/{number}")),
            on_timeout: OnTimeout::Kill,
            sandbox: None,
            shell: ShellProgram::Bash("/bin/bash".into()),
            host_program: host_program(),
        }
    }

    /// Names of what is in the short-lived folders.
    pub(crate) fn passing_files(&self) -> Vec<String> {
        let runs = std::fs::read_dir(self.folder.path().join("run")).unwrap();
        runs.flat_map(|run| std::fs::read_dir(run.unwrap().path()).unwrap())
            .map(|file| file.unwrap().file_name().to_string_lossy().into_owned())
            .collect()
    }

    pub(crate) async fn start(&self, command: &str) -> ShellHandle {
        self.shells.start(self.request(command)).await.unwrap()
    }

    /// Runs a command to its end.
    pub(crate) async fn run(&self, command: &str) -> Arc<Outcome> {
        let shell = self.start(command).await;
        within(shell.wait()).await
    }
}

pub(crate) fn host_program() -> PathBuf {
    env!("CARGO_BIN_EXE_shellhost").into()
}

pub(crate) fn environment() -> BTreeMap<String, String> {
    let path = std::env::var("PATH").unwrap();
    [
        ("PATH", path.as_str()),
        ("TERM", "xterm-256color"),
        ("LANG", "C.UTF-8"),
        ("HOME", "/tmp"),
        ("HISTFILE", "/dev/null"),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .collect()
}

pub(crate) async fn within<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(PATIENCE, future)
        .await
        .expect("it happens in time")
}

/// The whole text of an outcome.
pub(crate) fn text(outcome: &Outcome) -> &str {
    match &outcome.output {
        OutputText::Text(Excerpt {
            head,
            omitted: 0,
            tail,
            ..
        }) if tail.is_empty() => head,
        other => panic!("not a short text: {other:?}"),
    }
}

/// Waits until the output contains something.
pub(crate) async fn until_text(shell: &ShellHandle, wanted: &str) {
    until(&format!("{wanted:?} is printed"), || {
        shell.tail_text(10_000).contains(wanted)
    })
    .await;
}

/// Waits until something is so. Polls, because processes of others send no events.
pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting)
        .await
        .unwrap_or_else(|_| panic!("never: {what}"));
}

/// True if a process with this text on its command line lives.
pub(crate) fn lives(wanted: &str) -> bool {
    let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    entries
        .filter(|entry| {
            entry
                .file_name()
                .to_string_lossy()
                .bytes()
                .all(|byte| byte.is_ascii_digit())
        })
        .any(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let is_own = entry.file_name().to_string_lossy() == std::process::id().to_string();
            !is_own
                && String::from_utf8_lossy(&line)
                    .replace('\0', " ")
                    .contains(wanted)
        })
}

/// The most memory this process ever had.
pub(crate) fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[expect(clippy::print_stdout, reason = "a skipped test says why")]
pub(crate) fn say_skipped(why: &str) {
    println!("skipped: {why}");
}

/// A folder of cases, byte for byte.
pub(crate) fn cases(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/fixtures/cases/reports")
        .join(name)
}
