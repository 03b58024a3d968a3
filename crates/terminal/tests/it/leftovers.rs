//! What commands leave running behind them: named, ended with the program, or left to themselves.

use crate::harness::{Bench, lives, until, within};
use protocol::shell::ShellState;
use std::time::Duration;
use terminal::Leftovers;

const GRACE: Duration = Duration::from_millis(200);

#[tokio::test]
async fn what_a_command_left_is_named_until_it_ends() {
    let bench = Bench::new();
    let shell = bench.start("(sleep 9811) & exit 4").await;
    let outcome = within(shell.wait()).await;
    assert_eq!(outcome.state(), ShellState::Failed);
    until("it is named", || {
        let left = shell.status().leftovers;
        left.iter().any(|process| process.name == "sleep")
    })
    .await;
    shell.kill(GRACE);
    within(shell.gone()).await;
    assert!(shell.status().leftovers.is_empty() && !lives("sleep 9811"));
    assert_eq!(shell.status().state, ShellState::Failed, "its end stays");
}

#[tokio::test]
async fn quitting_ends_what_is_left() {
    let bench = Bench::new();
    let shell = bench
        .start("(trap '' TERM HUP; exec setsid sleep 9812) & :")
        .await;
    within(shell.wait()).await;
    until("it runs", || lives("sleep 9812")).await;
    within(bench.shells.shut_down(GRACE, Leftovers::End)).await;
    assert!(!lives("sleep 9812"));
}

#[tokio::test]
async fn quitting_can_leave_it_but_never_a_command_that_runs() {
    let bench = Bench::new();
    // In the same process group, so in front of the terminal until the end.
    let left = bench.start("(sleep 9813) & :").await;
    let running = bench.start("(sleep 9814) & exec sleep 9815").await;
    within(left.wait()).await;
    until("all run", || {
        lives("sleep 9813") && lives("sleep 9814") && lives("sleep 9815")
    })
    .await;
    within(bench.shells.shut_down(GRACE, Leftovers::Leave)).await;
    assert!(!lives("sleep 9814") && !lives("sleep 9815"));
    let status: serde_json::Value =
        serde_json::from_slice(&std::fs::read(left.files().status).unwrap()).unwrap();
    assert_eq!(
        (&status["status"], &status["leftovers"]),
        (&"completed".into(), &1.into())
    );
    drop((left, running, bench));
    // The terminal is closed by now, and its hang-up would have come with that.
    let found = lives("sleep 9813");
    end("sleep 9813");
    assert!(found, "it was left to itself");
}

#[expect(clippy::disallowed_methods, reason = "the test tidies up after itself")]
fn end(command: &str) {
    std::process::Command::new("pkill")
        .args(["-KILL", "-x", "-f", command])
        .status()
        .unwrap();
}
