//! Commands where the system has no terminal left.

use crate::harness::{Bench, lives, text, until, until_text, within};
use protocol::shell::InputOwner;
use std::time::Duration;
use terminal::{EndReason, Error, Keys, Medium, TerminalSize, Terminals, model_text};

const GRACE: Duration = Duration::from_millis(200);

fn bench() -> Bench {
    Bench::with_terminals(Terminals::Refused)
}

#[tokio::test]
async fn a_command_runs_without_a_terminal_and_the_model_is_told() {
    let bench = bench();
    let outcome = bench
        .run("test -t 0 || echo none; cat; echo out; echo err >&2; printf 'a\\tb'; exit 3")
        .await;
    assert_eq!(text(&outcome), "none\nout\nerr\na\tb");
    assert_eq!((outcome.exit.code, outcome.medium), (Some(3), Medium::Pipe));
    let told = model_text("x", ".", &outcome);
    assert_eq!(told.matches("no terminal left").count(), 1, "{told}");
    let raw = std::fs::read(bench.folder.path().join("shells/s/0/raw.bin")).unwrap();
    assert_eq!(raw, b"none\nout\nerr\na\tb", "bytes are kept as they came");
}

#[tokio::test]
async fn with_a_terminal_nothing_is_said() {
    let outcome = Bench::new().run("true").await;
    assert_eq!(outcome.medium, Medium::Terminal);
    assert!(!model_text("x", ".", &outcome).contains("terminal"));
}

#[tokio::test]
async fn views_see_lines_below_each_other() {
    let bench = bench();
    let shell = bench.start("echo one; echo two; exec sleep 600").await;
    until_text(&shell, "two").await;
    shell.resize(TerminalSize::clamped(100, 30));
    let screen = shell.attach(None).0.screen;
    let mut parser = vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0);
    parser.process(&screen);
    assert_eq!(parser.screen().contents().trim_end(), "one\ntwo");
    shell.kill(GRACE);
    within(shell.gone()).await;
}

#[tokio::test]
async fn nobody_can_type_but_everybody_can_stop() {
    let bench = bench();
    let shell = bench.start("exec -a piped-a sleep 600").await;
    until("it runs", || lives("piped-a")).await;
    shell.own_input(InputOwner::Human).unwrap();
    assert!(matches!(
        shell.write(b"x", Keys::Shown),
        Err(Error::NoTerminal)
    ));
    shell.interrupt().unwrap();
    let outcome = within(shell.wait()).await;
    assert_eq!(
        (outcome.exit.signal, outcome.reason),
        (Some(2), EndReason::Natural)
    );
    let stubborn = "trap '' TERM INT; setsid -f bash -c \"exec -a piped-b sleep 600\" & echo up; exec sleep 600";
    let shell = bench.start(stubborn).await;
    until_text(&shell, "up").await;
    until("the daemon runs", || lives("piped-b")).await;
    shell.stop(GRACE);
    let outcome = within(shell.wait()).await;
    assert_eq!(outcome.reason, EndReason::Cancelled);
    assert!(!lives("piped-b"));
}

#[tokio::test]
async fn a_silent_command_does_not_seem_to_ask() {
    let bench = bench();
    let shell = bench.start("printf 'Password: '; exec sleep 600").await;
    until_text(&shell, "Password").await;
    until("it is silent for long", || {
        shell.silence() > Duration::from_millis(2000)
    })
    .await;
    assert!(!shell.status().waiting && !shell.status().echo_off);
    shell.kill(GRACE);
    within(shell.gone()).await;
}
