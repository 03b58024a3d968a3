//! What a command leaves on disk, while it runs and after its end, and what the next start makes of it.

use crate::harness::{Bench, until, until_text, within};
use protocol::shell::ShellState;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use terminal::{Place, RetentionLimits, ShellHandle, aftermath, sweep};

const GRACE: Duration = Duration::from_millis(200);

fn status_of(shell: &ShellHandle) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(shell.files().status).unwrap()).unwrap()
}

#[tokio::test]
async fn the_status_on_disk_follows_the_command() {
    let bench = Bench::new();
    let mut request =
        bench.request("echo up; until test -e go; do sleep 0.01; done; (sleep 0.5) & exit 7");
    request.place = Place::Background;
    let shell = within(bench.shells.start(request)).await.unwrap();
    until("it is noted that it runs", || {
        status_of(&shell)["status"] == "running"
    })
    .await;
    assert_eq!(status_of(&shell)["pid"], shell.status().pid);
    let cwd = bench.workspace();
    assert_eq!(status_of(&shell)["cwd"], cwd.to_str().unwrap());
    until_text(&shell, "up").await;
    std::fs::write(bench.workspace().join("go"), "").unwrap();
    within(shell.wait()).await;
    let ended = status_of(&shell);
    assert_eq!(ended["status"], "failed");
    assert_eq!(
        (&ended["exitCode"], &ended["leftovers"]),
        (&7.into(), &1.into())
    );
    assert!(ended["endTime"].as_str() >= ended["startTime"].as_str());
    within(shell.gone()).await;
    assert_eq!(status_of(&shell)["leftovers"], 0);
    let files = shell.files();
    assert_eq!(
        std::fs::read_to_string(&files.clean).unwrap().trim_end(),
        "up"
    );
    for file in [&files.raw, &files.clean, &files.status] {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let folder = files.raw.parent().unwrap();
    assert_eq!(
        folder.metadata().unwrap().permissions().mode() & 0o777,
        0o700
    );
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 3);
}

#[tokio::test]
async fn a_stopped_command_says_so_on_disk_before_it_is_told() {
    let bench = Bench::new();
    let shell = bench.start("exec sleep 600").await;
    shell.kill(GRACE);
    within(shell.wait()).await;
    let status = status_of(&shell);
    assert_eq!(status["status"], "cancelled");
    assert_eq!(status["signal"], "SIGTERM");
}

#[tokio::test]
async fn a_supervisor_that_died_is_told_on_disk() {
    let bench = Bench::new();
    let shell = bench.start("exec sleep 600").await;
    std::process::Command::new("kill")
        .args(["-KILL", &shell.identity().host.pid.to_string()])
        .status()
        .unwrap();
    within(shell.wait()).await;
    let status = status_of(&shell);
    assert_eq!(status["status"], "failed");
    assert_eq!(status["error"], "supervisor died");
}

async fn after(shell: &ShellHandle) -> terminal::Aftermath {
    let (identity, status) = (shell.identity().clone(), shell.files().status);
    let found = tokio::task::spawn_blocking(move || aftermath(&identity, &status));
    within(found).await.unwrap()
}

#[tokio::test]
async fn the_next_start_ends_what_still_runs_and_knows_the_rest() {
    let bench = Bench::new();
    let shell = bench.start("echo up; exec sleep 600").await;
    until_text(&shell, "up").await;
    let identity = shell.identity();
    assert!(!identity.boot_id.is_empty() && identity.host.start > 0 && identity.command.start > 0);
    assert!(after(&shell).await.was_alive);
    let outcome = within(shell.wait()).await;
    assert_eq!(
        outcome.state(),
        ShellState::Failed,
        "its supervisor was taken away"
    );
    let done = bench.start("exit 3").await;
    within(done.gone()).await;
    let after = after(&done).await;
    assert_eq!(
        (after.state, after.exit_code),
        (ShellState::Failed, Some(3))
    );
    assert!(!after.was_alive && after.ended_at_ms.is_some());
}

#[tokio::test]
async fn output_of_running_commands_is_not_swept() {
    let bench = Bench::new();
    let ended = bench.start("echo gone").await;
    within(ended.gone()).await;
    let running = bench.start("echo up; exec sleep 600").await;
    until_text(&running, "up").await;
    let nothing = RetentionLimits {
        max_bytes: 0,
        max_age: Duration::ZERO,
    };
    let now = std::time::SystemTime::now();
    let keep = bench.shells.in_use();
    let spools = bench.folder.path().join("shells");
    let swept = sweep(&spools, &keep, nothing, now).unwrap();
    assert_eq!(swept.removed, 1);
    assert!(!ended.files().raw.exists());
    assert!(running.files().raw.exists());
}
