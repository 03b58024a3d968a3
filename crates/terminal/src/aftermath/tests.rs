use super::*;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command};

#[expect(
    clippy::disallowed_methods,
    reason = "the test needs a process to find"
)]
fn sleeper(script: &str) -> Child {
    Command::new("sh").args(["-c", script]).spawn().unwrap()
}

fn pid_of(child: &Child) -> i32 {
    i32::try_from(child.id()).unwrap()
}

/// Nobody.
const NOBODY: ProcessIdentity = ProcessIdentity { pid: 0, start: 0 };

/// What a start makes of a process, and how that ended; `None` if it was left alone.
fn ended(identity: ShellIdentity, mut child: Child) -> (Aftermath, Option<i32>) {
    // Collects the child when it ends, as the system does for those whose program is gone.
    let found = std::thread::spawn(move || aftermath(&identity, Path::new("/nowhere")));
    let mut status = None;
    while !found.is_finished() && status.is_none() {
        status = child.try_wait().unwrap();
        std::thread::yield_now();
    }
    let after = found.join().unwrap();
    let status = status.or_else(|| child.try_wait().unwrap());
    if status.is_none() {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    (after, status.and_then(|status| status.signal()))
}

#[test]
fn live_processes_of_ours_are_ended_and_nobody_else() {
    let check = |change: fn(&mut ShellIdentity), expected: Option<i32>| {
        let child = sleeper("exec sleep 30");
        let host = ProcessIdentity::of(pid_of(&child));
        let mut identity = ShellIdentity::of(host, NOBODY);
        change(&mut identity);
        let (after, signal) = ended(identity.clone(), child);
        assert_eq!(
            (after.state, after.was_alive, signal),
            (ShellState::Lost, expected.is_some(), expected),
            "{identity:?}"
        );
    };
    check(|_| {}, Some(libc::SIGTERM));
    check(|identity| identity.host.start += 1, None);
    check(|identity| identity.boot_id = "another".to_owned(), None);
    check(|identity| identity.boot_id.clear(), None);
    let without_supervisor = |identity: &mut ShellIdentity| {
        identity.command = std::mem::replace(&mut identity.host, NOBODY);
    };
    check(without_supervisor, Some(libc::SIGKILL));
    check(
        |identity| {
            identity.command = std::mem::replace(&mut identity.host, NOBODY);
            identity.command.start += 1;
        },
        None,
    );
}

#[test]
fn what_a_file_says_becomes_a_state() {
    let check = |status: &str, state| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("status.json");
        let text = format!(
            "{{\"id\":\"s\",\"status\":\"{status}\",\"command\":\"c\",\"cwd\":\"/\",\"pid\":1,\
             \"startTime\":\"2026-01-02T03:04:05.006Z\",\"updatedAt\":\"2026-01-02T03:04:05.006Z\",\
             \"endTime\":\"2026-01-02T03:04:05.006Z\",\"exitCode\":3,\"leftovers\":0}}"
        );
        std::fs::write(&path, text).unwrap();
        let identity = ShellIdentity {
            boot_id: String::new(),
            host: NOBODY,
            command: NOBODY,
        };
        let after = aftermath(&identity, &path);
        assert_eq!((after.state, after.exit_code), (state, Some(3)), "{status}");
        assert_eq!(after.ended_at_ms, Some(1_767_323_045_006));
    };
    check("completed", ShellState::Completed);
    check("failed", ShellState::Failed);
    check("cancelled", ShellState::Cancelled);
    check("timed_out", ShellState::TimedOut);
    check("killed_app_gone", ShellState::Lost);
    check("running", ShellState::Lost);
}

#[test]
fn a_supervisor_that_does_not_listen_is_ended_with_its_tree() {
    let child = sleeper("trap '' TERM; sleep 31 & wait");
    let host = pid_of(&child);
    let tree = loop {
        let tree = process_tree::descendants(host);
        if !tree.is_empty() {
            break tree;
        }
        std::thread::yield_now();
    };
    let (after, signal) = ended(ShellIdentity::of(ProcessIdentity::of(host), NOBODY), child);
    assert_eq!((after.was_alive, signal), (true, Some(libc::SIGKILL)));
    for process in tree {
        assert!(gone_within(&process, KILL_MAX), "{process:?}");
    }
}

#[test]
fn a_supervisor_that_was_stopped_ends_politely() {
    let child = sleeper("exec sleep 30");
    let host = ProcessIdentity::of(pid_of(&child));
    signal(&host.find().unwrap(), Signal::STOP);
    let (_, signal) = ended(ShellIdentity::of(host, NOBODY), child);
    assert_eq!(signal, Some(libc::SIGTERM));
}

#[test]
fn the_end_of_the_output_begins_with_a_whole_character() {
    let folder = tempfile::tempdir().unwrap();
    let status = folder.path().join("status.json");
    assert_eq!(kept_tail(&status, 8).unwrap(), "", "there is none");
    let clean = folder.path().join("clean.txt");
    std::fs::write(&clean, "ääää").unwrap();
    assert_eq!(kept_tail(&status, 8).unwrap(), "ääää");
    assert_eq!(kept_tail(&status, 5).unwrap(), "ää");
    std::fs::remove_file(&clean).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &clean).unwrap();
    assert!(kept_tail(&status, 8).is_err(), "not through a link");
}
