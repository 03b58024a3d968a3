//! Ending commands and all they started, whatever they do about it.

use crate::harness::{Bench, host_program, lives, text, until, until_text, within};
use protocol::shell::ShellState;
use std::time::{Duration, Instant};
use terminal::{EndReason, Leftovers, ShellEvent};

const GRACE: Duration = Duration::from_millis(200);

/// Three processes that ignore every polite signal, one of them in a session of its own.
const STUBBORN: &str = "trap '' TERM HUP INT; \
    (trap '' TERM HUP INT; exec -a TOKEN-child sleep 600) & \
    setsid nohup bash -c \"trap '' TERM HUP INT; exec -a TOKEN-daemon sleep 600\" >/dev/null 2>&1 & \
    sleep 0.1; echo up; exec -a TOKEN-front sleep 600";

fn stubborn(token: &str) -> String {
    STUBBORN.replace("TOKEN", token)
}

#[tokio::test]
async fn processes_that_ignore_signals_in_sessions_of_their_own_are_ended() {
    let bench = Bench::new();
    let shell = bench.start(&stubborn("stubborn-a")).await;
    until_text(&shell, "up").await;
    until("the daemon is up", || lives("stubborn-a-daemon")).await;
    let asked = Instant::now();
    shell.kill(GRACE);
    let outcome = within(shell.wait()).await;
    assert!(
        asked.elapsed() < Duration::from_secs(2),
        "{:?}",
        asked.elapsed()
    );
    assert_eq!(
        (outcome.reason, outcome.state()),
        (EndReason::Cancelled, ShellState::Cancelled)
    );
    assert_eq!(outcome.exit.signal, Some(9));
    assert!(!lives("stubborn-a"));
}

#[tokio::test]
async fn polite_programs_get_their_grace() {
    let bench = Bench::new();
    let shell = bench
        .start("trap 'sleep 0.3; echo saved; exit 0' TERM; echo up; while :; do sleep 0.05; done")
        .await;
    until_text(&shell, "up").await;
    shell.kill(Duration::from_secs(10));
    let outcome = within(shell.wait()).await;
    assert!(text(&outcome).ends_with("saved"), "{}", text(&outcome));
    assert_eq!(
        (outcome.exit.code, outcome.reason),
        (Some(0), EndReason::Cancelled)
    );
}

#[tokio::test]
async fn many_processes_are_ended_as_well() {
    let bench = Bench::new();
    let many = "for n in $(seq 200); do (exec -a crowd-f sleep 600) & done; echo up; wait";
    let shell = bench.start(many).await;
    until_text(&shell, "up").await;
    shell.kill(GRACE);
    let outcome = within(shell.wait()).await;
    assert_eq!(
        (outcome.reason, outcome.leftovers_total),
        (EndReason::Cancelled, 0)
    );
    assert!(!lives("crowd-f"));
}

#[tokio::test]
async fn a_stopped_program_is_ended_too() {
    let bench = Bench::new();
    let shell = bench.start("echo up; kill -STOP $$").await;
    until_text(&shell, "up").await;
    shell.kill(Duration::from_secs(10));
    let outcome = within(shell.wait()).await;
    assert_eq!(
        outcome.exit.signal,
        Some(15),
        "it was woken to hear the signal"
    );
}

#[tokio::test]
async fn a_flood_is_stopped_at_once() {
    let bench = Bench::new();
    let shell = bench.start("yes").await;
    let (_, _never_acknowledged) = shell.attach(None);
    until("it floods", || shell.status().bytes > 5_000_000).await;
    let asked = Instant::now();
    shell.stop(GRACE);
    let outcome = within(shell.wait()).await;
    assert!(
        asked.elapsed() < Duration::from_secs(1),
        "{:?}",
        asked.elapsed()
    );
    assert_eq!(outcome.reason, EndReason::Cancelled);
}

#[tokio::test]
async fn the_time_limit_ends_the_tree_and_warns_before() {
    let bench = Bench::new();
    let mut request = bench.request(&stubborn("stubborn-b"));
    request.timeout = Some(Duration::from_millis(700));
    let shell = within(bench.shells.start(request)).await.unwrap();
    let mut events = shell.events();
    let outcome = within(shell.wait()).await;
    assert_eq!(
        (outcome.reason, outcome.state()),
        (EndReason::TimedOut, ShellState::TimedOut)
    );
    assert!(!lives("stubborn-b"));
    let mut warned = false;
    while let Ok(event) = events.try_recv() {
        warned |= matches!(event, ShellEvent::TimeoutWarning { remaining } if remaining <= Duration::from_millis(700));
    }
    assert!(warned);
}

#[tokio::test]
async fn leftovers_are_followed_until_they_are_gone() {
    let bench = Bench::new();
    let shell = bench.start("(sleep 0.4; echo late) & echo early").await;
    let mut events = shell.events();
    let outcome = within(shell.wait()).await;
    assert_eq!(text(&outcome), "early");
    assert!(outcome.leftovers_total > 0);
    within(shell.gone()).await;
    let mut left = Vec::new();
    while let Ok(event) = events.try_recv() {
        if let ShellEvent::Leftovers(list) = event {
            left.push(list.len());
        }
    }
    assert_eq!(left.last(), Some(&0));
    assert!(shell.status().leftovers.is_empty());
    let raw = std::fs::read_to_string(bench.folder.path().join("shells/s/0/raw.bin")).unwrap();
    assert_eq!(
        raw, "early\r\nlate\r\n",
        "what they print later is kept as well"
    );
}

#[tokio::test]
async fn killing_a_settled_shell_ends_its_leftovers_and_not_its_outcome() {
    let bench = Bench::new();
    let shell = bench.start("(exec -a leftover-c sleep 600) & exit 4").await;
    let outcome = within(shell.wait()).await;
    assert_eq!((outcome.exit.code, outcome.leftovers_total), (Some(4), 1));
    shell.kill(GRACE);
    within(shell.gone()).await;
    assert!(!lives("leftover-c"));
    assert_eq!(shell.outcome(), Some(outcome), "the first end stays");
}

#[tokio::test]
async fn output_of_a_grandchild_after_the_end_is_drained_for_a_second_at_most() {
    let bench = Bench::new();
    let began = Instant::now();
    let outcome = bench
        .run("(for n in $(seq 1 60); do echo $n; sleep 0.05; done) & exit 0")
        .await;
    assert!(
        began.elapsed() < Duration::from_secs(2),
        "{:?}",
        began.elapsed()
    );
    assert!(text(&outcome).contains("5\n"), "{}", text(&outcome));
    assert!(outcome.leftovers_total > 0);
    within(bench.shells.shut_down(GRACE, Leftovers::End)).await;
}

#[tokio::test]
async fn a_supervisor_that_dies_takes_the_command_with_it() {
    let bench = Bench::new();
    let shell = bench.start("exec -a orphan-d sleep 600").await;
    until("it runs", || lives("orphan-d")).await;
    let host = parent_of(shell.status().pid);
    std::process::Command::new("kill")
        .args(["-KILL", &host.to_string()])
        .status()
        .unwrap();
    let outcome = within(shell.wait()).await;
    assert_eq!(
        (outcome.reason, outcome.state()),
        (EndReason::Lost, ShellState::Failed)
    );
    until("the command is gone", || !lives("orphan-d")).await;
}

#[tokio::test]
async fn nothing_survives_the_program_that_started_it() {
    let bench = Bench::new();
    let ready = bench.folder.path().join("ready");
    // This test binary again, as the program that will be killed.
    let mut program = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "stops::the_program_that_will_be_killed",
            "--exact",
            "--nocapture",
        ])
        .env("BENCHDOG_TEST_FOLDER", bench.folder.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    until("its command runs", || {
        ready.exists() && lives("stubborn-e-daemon")
    })
    .await;
    program.kill().unwrap();
    program.wait().unwrap();
    let killed = Instant::now();
    until("nothing is left", || !lives("stubborn-e")).await;
    assert!(
        killed.elapsed() < Duration::from_secs(1),
        "{:?}",
        killed.elapsed()
    );
    let status = bench.folder.path().join("helper/status.json");
    until("it is noted", || {
        let text = std::fs::read_to_string(&status).unwrap();
        let status: serde_json::Value = serde_json::from_str(&text).unwrap();
        status["status"] == "killed_app_gone"
            && status["signal"] == "SIGKILL"
            && status["leftovers"] == 0
    })
    .await;
}

/// Does nothing unless the test above runs it.
#[tokio::test]
async fn the_program_that_will_be_killed() {
    let Ok(folder) = std::env::var("BENCHDOG_TEST_FOLDER") else {
        return;
    };
    let folder = std::path::PathBuf::from(folder);
    let bench = Bench::new();
    let mut request = bench.request(&stubborn("stubborn-e"));
    request.spool_dir = folder.join("helper");
    request.host_program = host_program();
    let shell = within(bench.shells.start(request)).await.unwrap();
    until_text(&shell, "up").await;
    std::fs::write(folder.join("ready"), "").unwrap();
    std::future::pending::<()>().await;
}

fn parent_of(pid: i32) -> i32 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(") ")
        .unwrap()
        .1
        .split(' ')
        .nth(1)
        .unwrap()
        .parse()
        .unwrap()
}
