//! The program is killed while commands run, and starts again.
//!
//! Each test runs one of the functions at the end in a process of its own, which is then killed.

#![expect(
    clippy::disallowed_methods,
    reason = "the program that is killed is this test in a process of its own, told so by a variable"
)]

use protocol::command::SessionOp;
use protocol::event::SessionEvent;
use protocol::ids::SessionId;
use protocol::session::Outcome;
use protocol::shell::{ShellInfo, ShellState};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tests::stage::{op, soon};
use tests::{Answer, Stage};

/// Says to a process that it is one that will be killed, and where.
const FOLDER: &str = "BENCHDOG_TEST_FOLDER";

/// What a program that is gone should have left alive at the most.
const NOTHING_LIVES_AFTER: Duration = Duration::from_secs(5);

fn lives(wanted: &str) -> bool {
    pid_of(wanted).is_some()
}

/// A process whose command line begins so.
fn pid_of(wanted: &str) -> Option<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let found = entries.into_iter().find(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let text = String::from_utf8_lossy(&line).replace('\0', " ");
        text.starts_with(wanted)
    });
    found?.file_name().to_str()?.parse().ok()
}

async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    soon(what, async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

fn background(command: &str) -> (&'static str, Value) {
    let args = json!({"command": command, "is_background": true});
    ("run_shell_command", args)
}

/// A program that runs until it is killed.
struct Doomed {
    home: tempfile::TempDir,
    process: Process,
}

/// A process that a failed test does not leave behind.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // Killed before, usually.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

impl Doomed {
    /// Runs a function of this file in a process of its own until it is ready.
    async fn run(function: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let process = Command::new(std::env::current_exe().unwrap())
            .args([&format!("crashes::{function}"), "--exact", "--nocapture"])
            .env(FOLDER, home.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let ready = home.path().join("ready");
        let doomed = Self {
            home,
            process: Process(process),
        };
        until("the other program is ready", || ready.exists()).await;
        doomed
    }

    fn kill(&mut self) {
        self.process.0.kill().unwrap();
        self.process.0.wait().unwrap();
    }

    async fn start_again(self) -> Stage {
        let session_id = std::fs::read_to_string(self.home.path().join("ready")).unwrap();
        Stage::after_a_crash(self.home, SessionId(session_id)).await
    }

    fn status_of(&self, stage_shell: &str) -> Option<Value> {
        let sessions = std::fs::read_dir(self.home.path().join("home/shells"));
        let folder = sessions.ok()?.find_map(Result::ok)?.path();
        let text = std::fs::read(folder.join(stage_shell).join("status.json")).ok()?;
        serde_json::from_slice(&text).ok()
    }
}

/// What the model is told when the person says something.
async fn told(stage: &mut Stage, words: &str) -> String {
    stage.model.play(vec![Answer::Text("I see.")]);
    stage.say(words).await.unwrap();
    assert_eq!(stage.outcome().await, Outcome::Completed);
    stage.model.requests().pop().unwrap()["messages"].to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_three_shells_lives_five_seconds_after_the_program_was_killed() {
    let mut doomed = Doomed::run("with_three_shells").await;
    let commands = ["crash-a plain", "crash-a forked", "crash-a stubborn"];
    for command in commands {
        assert!(lives(command), "{command}");
    }
    doomed.kill();
    let killed = Instant::now();
    until("nothing lives", || !lives("crash-a")).await;
    assert!(
        killed.elapsed() < NOTHING_LIVES_AFTER,
        "{:?}",
        killed.elapsed()
    );
    let mut stage = doomed.start_again().await;
    let shells = stage.snapshot().await.shells;
    let states: Vec<ShellState> = shells.iter().map(|shell| shell.state).collect();
    assert_eq!(states, [ShellState::Lost; 3]);
    for shell in &shells {
        let ended = shell.ended_at.unwrap() - shell.started_at;
        assert!((0..10_000).contains(&ended), "{shell:?}");
        assert!(shell.pid.is_some() && shell.cwd == stage.folder.display().to_string());
    }
    let running = stage.workbench.running_shells(protocol::command::Empty {});
    assert_eq!(running.await.unwrap().shells, []);
    let words = told(&mut stage, "go on").await;
    let sentence = "was running when the app stopped; it was terminated.";
    assert_eq!(words.matches(sentence).count(), 3, "{words}");
    let mut stage = stage.restart().await;
    let words = told(&mut stage, "and on").await;
    assert_eq!(words.matches(sentence).count(), 3, "told once: {words}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_outlived_program_and_supervisor_is_ended_at_the_next_start() {
    let mut doomed = Doomed::run("with_a_command_that_stays").await;
    let command = pid_of("crash-b").unwrap();
    // The program must not see what happens to its supervisor.
    send("-STOP", doomed.process.0.id());
    send("-KILL", parent_of(command));
    doomed.kill();
    assert!(lives("crash-b"), "nobody is there to end it");
    let stage = doomed.start_again().await;
    assert!(!lives("crash-b"), "ended before anybody could see it");
    let shells = stage.snapshot().await.shells;
    let states: Vec<ShellState> = shells.iter().map(|shell| shell.state).collect();
    assert_eq!(states, [ShellState::Lost]);
}

fn send(signal: &str, pid: u32) {
    let pid = pid.to_string();
    let sent = Command::new("kill").args([signal, &pid]).status();
    assert!(sent.unwrap().success());
}

fn parent_of(pid: u32) -> u32 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields = stat.rsplit_once(") ").unwrap().1;
    fields.split(' ').nth(1).unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_end_that_only_the_disk_knows_is_found_and_told_once() {
    let mut doomed = Doomed::run("with_an_end_that_nobody_hears_of").await;
    let shell_id = std::fs::read_to_string(doomed.home.path().join("shell")).unwrap();
    std::fs::write(doomed.home.path().join("ws/go"), "").unwrap();
    let mut status = Value::Null;
    until("the end is on disk", || {
        status = doomed.status_of(&shell_id).unwrap_or_default();
        status["status"] == "failed"
    })
    .await;
    let killed_at = i64::try_from(app::clock::now_ms()).unwrap();
    doomed.kill();
    let mut stage = doomed.start_again().await;
    let [shell]: [ShellInfo; 1] = stage.snapshot().await.shells.try_into().unwrap();
    assert_eq!(
        (shell.state, shell.exit_code, shell.bytes),
        (ShellState::Failed, Some(3), 7)
    );
    assert!(
        shell.ended_at.unwrap() <= killed_at,
        "not when it was found"
    );
    for words in ["go on", "and on"] {
        let words = told(&mut stage, words).await;
        assert_eq!(words.matches("<task-notification>").count(), 1, "{words}");
        assert!(words.contains("<exit-code>3</exit-code>"), "{words}");
        assert!(
            words.contains("<output-tail>built</output-tail>"),
            "{words}"
        );
        stage = stage.restart().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_note_that_waited_for_words_survives_a_restart() {
    let waiting = "until [ -e go ]; do sleep 0.02; done; echo built";
    let answers = vec![
        Answer::Calls(vec![background(waiting)]),
        Answer::Text("Started."),
    ];
    let mut stage = Stage::new(answers).await;
    start(&mut stage, 1).await;
    std::fs::write(stage.folder.join("go"), "").unwrap();
    stage
        .until("its end", |envelope| match &envelope.event {
            SessionEvent::Shell { shell } => (shell.state == ShellState::Completed).then_some(()),
            _ => None,
        })
        .await;
    for words in ["what now?", "and now?"] {
        stage = stage.restart().await;
        let words = told(&mut stage, words).await;
        assert_eq!(words.matches("<task-notification>").count(), 1, "{words}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_commands_printed_goes_with_their_session() {
    let answers = vec![
        Answer::Calls(vec![background("echo printed; exec -a crash-d sleep 600")]),
        Answer::Text("Started."),
    ];
    let mut stage = Stage::new(answers).await;
    start(&mut stage, 1).await;
    let shells = stage.data().join("shells");
    let output = shells.join(stage.session_id.as_str());
    until("it runs", || lives("crash-d")).await;
    assert!(output.is_dir());
    let request = SessionOp {
        op: op(),
        session_id: stage.session_id.clone(),
    };
    stage.workbench.delete_session(request).await.unwrap();
    until("it is stopped at once", || !lives("crash-d")).await;
    assert!(output.is_dir(), "the deletion can be taken back");
    until("its output is gone", || !output.exists()).await;
    assert!(shells.is_dir());
}

/// Lets so many background commands start, and waits until the store knows them.
async fn start(stage: &mut Stage, n_shells: usize) {
    stage.say("go").await.unwrap();
    for _ in 0..n_shells {
        let ask = stage.question().await;
        stage.allow(&ask).await;
    }
    assert_eq!(stage.outcome().await, Outcome::Completed);
    while stage.stored_snapshot().await.shells.len() < n_shells {
        tokio::task::yield_now().await;
    }
}

/// The folder of a program that will be killed; nothing where this is an ordinary run of the tests.
fn own_folder() -> Option<PathBuf> {
    std::env::var_os(FOLDER).map(PathBuf::from)
}

fn ready(folder: &Path, stage: &Stage) {
    let file = folder.join("ready.new");
    std::fs::write(&file, stage.session_id.as_str()).unwrap();
    std::fs::rename(file, folder.join("ready")).unwrap();
}

async fn doomed_stage(folder: &Path, commands: &[&str]) -> Stage {
    let calls = commands.iter().copied().map(background).collect();
    let answers = vec![Answer::Calls(calls), Answer::Text("Started.")];
    let mut stage = Stage::in_folder(folder, answers).await;
    start(&mut stage, commands.len()).await;
    stage
}

#[tokio::test(flavor = "multi_thread")]
async fn with_three_shells() {
    let Some(folder) = own_folder() else { return };
    let forked = "(setsid bash -c 'trap \"\" TERM HUP; exec -a \"crash-a forked\" sleep 600' &) ; \
        exec -a 'crash-a parent' sleep 600";
    let stubborn = "trap '' TERM HUP INT; (exec -a 'crash-a stubborn' sleep 600) & wait";
    let commands = ["exec -a 'crash-a plain' sleep 600", forked, stubborn];
    let stage = doomed_stage(&folder, &commands).await;
    until("all run", || {
        ["plain", "forked", "stubborn"]
            .iter()
            .all(|name| lives(&format!("crash-a {name}")))
    })
    .await;
    ready(&folder, &stage);
    std::future::pending::<()>().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_command_that_stays() {
    let Some(folder) = own_folder() else { return };
    let stage = doomed_stage(&folder, &["trap '' HUP; exec -a crash-b sleep 600"]).await;
    until("it runs", || lives("crash-b")).await;
    ready(&folder, &stage);
    std::future::pending::<()>().await;
}

/// One thread runs everything but the terminals and the store, and then it does not.
#[tokio::test]
async fn with_an_end_that_nobody_hears_of() {
    let Some(folder) = own_folder() else { return };
    let waiting = "until [ -e go ]; do sleep 0.02; done; echo built; exit 3";
    let stage = doomed_stage(&folder, &[waiting]).await;
    let shells = stage.snapshot().await.shells;
    std::fs::write(folder.join("shell"), shells[0].shell_id.as_str()).unwrap();
    ready(&folder, &stage);
    loop {
        std::thread::park();
    }
}
