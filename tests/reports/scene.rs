//! Folders of one test: a home, a workspace, and what runs in them.

use crate::case::Case;
use crate::program::{Ended, Program};
use crate::provider::Provider;
use crate::wait::soon;
use protocol::event::Snapshot;
use protocol::ids::SessionId;
use protocol::session::SessionSummary;
use serde_json::{Value, json};
use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The folders.
pub(crate) struct Scene {
    pub(crate) case: Case,
    /// Everything is under it.
    pub(crate) folder: TempDir,
    /// The folder to work in, by its real path.
    pub(crate) workspace: PathBuf,
    providers: Cell<u32>,
}

/// What a run needs to know.
pub(crate) struct Run<'a> {
    scene: &'a Scene,
    provider: &'a Provider,
    approve: &'a str,
    workspace: PathBuf,
    more: Vec<&'a str>,
}

/// What a command printed.
pub(crate) struct Printed {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Scene {
    /// A scene on a copy of the case's workspace, empty if it has none.
    pub(crate) fn of(id: &str) -> Self {
        let case = Case::open(id);
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().canonicalize().unwrap().join("ws");
        for name in ["home", "tmp", "ws"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let input = case.path("input/ws");
        if input.exists() {
            copy_tree(&input, &workspace);
        }
        Self {
            case,
            folder,
            workspace,
            providers: Cell::new(0),
        }
    }

    /// Folder of the program's data.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.workspace.join(name)
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.file(name)).unwrap()
    }

    /// Runs a script of the case in the workspace.
    pub(crate) fn run_script(&self, name: &str) {
        let mut script = Command::new("sh");
        let ran = script
            .arg(self.case.path(name))
            .current_dir(&self.workspace);
        assert!(ran.status().unwrap().success(), "{name}");
    }

    /// A model that gives these answers.
    pub(crate) fn model(&self, entries: &[Value]) -> Provider {
        let number = self.providers.replace(self.providers.get() + 1);
        Provider::start(
            &self.folder.path().join(format!("provider-{number}")),
            entries,
        )
    }

    /// An answer that is one of the case's streams.
    pub(crate) fn stream(&self, name: &str) -> Value {
        json!({"stream": self.case.path(name), "subst": {"{ws}": self.workspace}})
    }

    /// A run that is about to start: a new session in the workspace, everything declined.
    pub(crate) fn run<'a>(&'a self, provider: &'a Provider) -> Run<'a> {
        Run {
            scene: self,
            provider,
            approve: "none",
            workspace: self.workspace.clone(),
            more: Vec::new(),
        }
    }

    /// Plays the calls of the case in one turn, everything allowed.
    pub(crate) fn play(&self) -> (Ended, Provider) {
        let mut entries = self.case.turns(&self.workspace);
        entries.push(json!({"text": "Done."}));
        let provider = self.model(&entries);
        let ended = self
            .run(&provider)
            .approve("all")
            .say("go")
            .end()
            .completed();
        provider.check_requests();
        assert_eq!(
            provider.requests().len(),
            entries.len(),
            "one request per assistant message"
        );
        (ended, provider)
    }

    /// All sessions, newest first.
    pub(crate) fn sessions(&self) -> Vec<SessionSummary> {
        self.print(&["sessions", "list", "--json"]).json()
    }

    /// The only session there is.
    pub(crate) fn session(&self) -> SessionSummary {
        let mut sessions = self.sessions();
        assert_eq!(sessions.len(), 1, "one session");
        sessions.remove(0)
    }

    /// The sessions of a folder.
    pub(crate) fn sessions_of(&self, workspace: &Path) -> Vec<SessionSummary> {
        let workspace = workspace.to_str().unwrap();
        self.print(&["sessions", "list", "--json", "--workspace", workspace])
            .json()
    }

    /// A session as it is stored.
    pub(crate) fn stored(&self, id: &SessionId) -> Snapshot {
        self.print(&["sessions", "show", &id.0]).json()
    }

    /// Runs a command that is not a run to its end.
    pub(crate) fn print(&self, args: &[&str]) -> Printed {
        let output = self
            .command()
            .args(args)
            .output()
            .expect("the program starts");
        Printed {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Waits until a process of the workspace has this command line, and says which.
    pub(crate) fn wait_for_process(&self, command: &[&str]) -> u32 {
        soon("a process", || self.process(command))
    }

    /// Waits until no process of the workspace has this command line.
    pub(crate) fn wait_for_no_process(&self, command: &[&str]) {
        soon("the end of a process", || {
            self.process(command).is_none().then_some(())
        });
    }

    fn process(&self, command: &[&str]) -> Option<u32> {
        let line: String = command.iter().map(|word| format!("{word}\0")).collect();
        fs::read_dir("/proc").unwrap().find_map(|entry| {
            let entry = entry.ok()?;
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let is_ours = fs::read_link(entry.path().join("cwd")).ok()? == self.workspace;
            let is_it = fs::read(entry.path().join("cmdline")).ok()? == line.as_bytes();
            (is_ours && is_it).then_some(pid)
        })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_benchdog"));
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("TMPDIR", self.folder.path().join("tmp"))
            .env("BENCHDOG_HOME", self.home())
            .env("LANG", "C.UTF-8")
            .current_dir(self.folder.path());
        command
    }
}

impl<'a> Run<'a> {
    /// Who answers questions.
    pub(crate) fn approve(mut self, who: &'a str) -> Self {
        self.approve = who;
        self
    }

    /// Goes on with the newest session of the workspace.
    pub(crate) fn go_on(mut self) -> Self {
        self.more.push("--continue");
        self
    }

    /// With more arguments.
    pub(crate) fn with(mut self, arguments: &[&'a str]) -> Self {
        self.more.extend(arguments);
        self
    }

    /// Works in another folder.
    pub(crate) fn at(mut self, workspace: impl Into<PathBuf>) -> Self {
        self.workspace = workspace.into();
        self
    }

    /// Says it.
    pub(crate) fn say(self, prompt: &str) -> Program {
        let mut command = self.scene.command();
        command
            .args([
                "run",
                "--provider",
                "openai",
                "--model",
                "scripted",
                "--json",
            ])
            .args([
                "--base-url",
                &self.provider.base_url(),
                "--approve",
                self.approve,
            ])
            .arg("--workspace")
            .arg(self.workspace)
            .args(self.more)
            .arg(prompt);
        Program::start(command)
    }
}

impl Printed {
    fn json<T: serde::de::DeserializeOwned>(&self) -> T {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        serde_json::from_str(&self.stdout).unwrap()
    }
}

/// Copies what is in a folder into another one.
pub(crate) fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy_tree(&source, &target);
        } else {
            fs::copy(&source, &target).unwrap();
        }
    }
}
