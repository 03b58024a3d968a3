//! Commands that nobody waits for.

use crate::harness::{Bench, lives, text, until, until_text, within};
use protocol::shell::ShellState;
use std::time::Duration;
use terminal::{EndReason, Error, Leftovers, OnTimeout, Place, ShellEvent, SpawnRequest};

fn in_background(bench: &Bench, command: &str) -> SpawnRequest {
    SpawnRequest {
        place: Place::Background,
        ..bench.request(command)
    }
}

#[tokio::test]
async fn a_command_that_is_at_work_outlives_its_time() {
    let bench = Bench::new();
    let start = async |command: &str, on_timeout: OnTimeout| {
        let request = SpawnRequest {
            timeout: Some(Duration::from_millis(300)),
            on_timeout,
            ..bench.request(command)
        };
        bench.shells.start(request).await.unwrap()
    };
    let silence = Duration::from_secs(30);
    let at_work = OnTimeout::MoveIfActive { silence };
    let goes_on = [
        start("while sleep 0.02; do echo at work; done", at_work).await,
        start("sleep 985", OnTimeout::Move).await,
    ];
    for shell in goes_on {
        within(shell.moved_to_background()).await;
        assert!(shell.outlived_timeout());
        assert_eq!(shell.timeout(), None);
        assert_eq!(shell.status().state, ShellState::Running);
        shell.kill(Duration::ZERO);
        within(shell.gone()).await;
    }
    let ends = [
        start("sleep 985", at_work).await,
        start("echo up; sleep 985", at_work).await,
        start("echo at work; sleep 985", OnTimeout::Kill).await,
        start(
            "echo at work; sleep 985",
            OnTimeout::MoveIfActive {
                silence: Duration::ZERO,
            },
        )
        .await,
    ];
    for shell in ends {
        let outcome = within(shell.wait()).await;
        assert_eq!(outcome.state(), ShellState::TimedOut);
        assert!(!shell.outlived_timeout());
    }
}

#[tokio::test]
async fn a_command_that_asks_somebody_is_not_at_work() {
    let bench = Bench::new();
    let request = SpawnRequest {
        timeout: Some(Duration::from_secs(3)),
        on_timeout: OnTimeout::MoveIfActive {
            silence: Duration::from_secs(30),
        },
        ..bench.request("read -rp 'Go on? (y/N) ' answer")
    };
    let shell = bench.shells.start(request).await.unwrap();
    let outcome = within(shell.wait()).await;
    assert_eq!(outcome.state(), ShellState::TimedOut);
    assert_eq!(text(&outcome), "Go on? (y/N)");
}

#[tokio::test]
async fn a_moved_command_runs_on_past_its_time_and_keeps_its_text() {
    let bench = Bench::new();
    let request = SpawnRequest {
        timeout: Some(Duration::from_millis(400)),
        ..bench.request("echo before; read -r line; echo after")
    };
    let file = request.spool_dir.join("clean.txt");
    let shell = bench.shells.start(request).await.unwrap();
    until_text(&shell, "before").await;
    let mut events = shell.events();
    shell.move_to_background().unwrap();
    within(shell.moved_to_background()).await;
    assert_eq!(events.recv().await.unwrap(), ShellEvent::MovedToBackground);
    until("the text on disk", || {
        std::fs::read_to_string(&file).is_ok_and(|text| text == "before\n")
    })
    .await;
    until("the time it once had is over", || {
        shell.status().elapsed > Duration::from_millis(600)
    })
    .await;
    assert_eq!(shell.status().state, ShellState::Running);
    shell.own_input(protocol::shell::InputOwner::Human).unwrap();
    shell.write(b"\r", terminal::Keys::Shown).unwrap();
    let outcome = within(shell.wait()).await;
    assert_eq!(outcome.state(), ShellState::Completed);
    assert_eq!(outcome.output_file, file);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(
        text.starts_with("before\n") && text.contains("after"),
        "{text:?}"
    );
}

#[tokio::test]
async fn what_ended_or_is_being_ended_is_not_moved() {
    let bench = Bench::new();
    let ended = bench.start("true").await;
    within(ended.wait()).await;
    assert!(matches!(ended.move_to_background(), Err(Error::NotRunning)));
    let ending = bench.start("sleep 971").await;
    ending.kill(Duration::from_millis(100));
    assert!(matches!(
        ending.move_to_background(),
        Err(Error::NotRunning)
    ));
    within(ending.gone()).await;
    assert_eq!(ending.place(), Place::Foreground);
}

#[tokio::test]
async fn text_is_read_from_a_place_on() {
    let bench = Bench::new();
    let shell = bench
        .shells
        .start(in_background(
            &bench,
            "echo one; read -r x; echo twö; printf end",
        ))
        .await
        .unwrap();
    until_text(&shell, "one").await;
    let first = shell.text_since(0, 100);
    assert_eq!((first.text.as_str(), first.next), ("one\n", 4));
    assert_eq!(shell.text_since(first.next, 100).text, "");
    shell.own_input(protocol::shell::InputOwner::Human).unwrap();
    shell.write(b"\r", terminal::Keys::Shown).unwrap();
    within(shell.wait()).await;
    let rest = shell.text_since(first.next, 100);
    assert!(rest.text.ends_with("twö\nend"), "{rest:?}");
    let cut = shell.text_since(0, 3);
    assert_eq!((cut.text.as_str(), cut.next), ("end", rest.next));
    assert_eq!(cut.skipped, cut.next - 3);
    assert_eq!(shell.text_since(rest.next, 100).text, "");
}

#[tokio::test]
async fn one_owner_may_have_sixteen_and_others_their_own() {
    let bench = Bench::new();
    for _ in 0..16 {
        let request = in_background(&bench, "sleep 972");
        bench.shells.start(request).await.unwrap();
    }
    let refused = bench.shells.start(in_background(&bench, "true")).await;
    assert!(
        matches!(refused, Err(Error::TooManyInBackground { running: 16 })),
        "{refused:?}"
    );
    bench.start("true").await;
    let other = SpawnRequest {
        owner: "other".to_owned(),
        ..in_background(&bench, "true")
    };
    let other = bench.shells.start(other).await.unwrap();
    within(other.wait()).await;
    let first = bench.shells.background_of("s").remove(0);
    first.kill(Duration::from_millis(100));
    within(first.gone()).await;
    let again = bench.shells.start(in_background(&bench, "true")).await;
    within(again.unwrap().wait()).await;
    within(
        bench
            .shells
            .shut_down(Duration::from_millis(100), Leftovers::End),
    )
    .await;
    assert!(!lives("sleep 972"), "nothing is left");
}

#[tokio::test]
async fn thirty_two_ended_ones_stay_and_running_ones_always() {
    let bench = Bench::new();
    let running = bench
        .shells
        .start(in_background(&bench, "sleep 973"))
        .await
        .unwrap();
    let mut ids = Vec::new();
    for _ in 0..34 {
        let shell = bench.shells.start(in_background(&bench, "true")).await;
        let shell = shell.unwrap();
        within(shell.gone()).await;
        ids.push(shell.id().clone());
    }
    let known = bench.shells.background_of("s");
    assert_eq!(known.len(), 33);
    assert_eq!(known.first().unwrap().id(), running.id());
    assert!(bench.shells.get(&ids[1]).is_none() && bench.shells.get(&ids[2]).is_some());
    within(
        bench
            .shells
            .shut_down(Duration::from_millis(100), Leftovers::End),
    )
    .await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_command_that_is_gone_does_not_run_whatever_its_supervisor_hides() {
    let bench = Bench::new();
    let shell = bench
        .shells
        .start(in_background(&bench, "echo up; sleep 974"))
        .await
        .unwrap();
    until_text(&shell, "up").await;
    let pid = shell.status().pid;
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let host: i32 = stat
        .rsplit_once(") ")
        .unwrap()
        .1
        .split(' ')
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    let signal = |pid: i32, signal| {
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    };
    signal(host, rustix::process::Signal::STOP);
    signal(pid, rustix::process::Signal::KILL);
    let outcome = within(shell.wait()).await;
    assert_eq!(
        (outcome.reason, outcome.state()),
        (EndReason::Lost, ShellState::Failed)
    );
    within(shell.gone()).await;
}

#[tokio::test]
async fn an_end_is_told_of_once() {
    let bench = Bench::new();
    let shell = bench.start("true").await;
    assert!(shell.take_on_telling());
    assert!(!shell.clone().take_on_telling());
    within(shell.gone()).await;
}
