use super::*;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
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

#[test]
fn a_live_supervisor_of_ours_is_ended_and_nobody_else() {
    let check = |change: fn(&mut HostIdentity), expected: Option<i32>| {
        let mut child = sleeper("exec sleep 30");
        let mut identity = HostIdentity::of(pid_of(&child));
        change(&mut identity);
        // Collects the child when it ends, as the system does for those whose program is gone.
        let watch = identity.clone();
        let found = std::thread::spawn(move || aftermath(&watch, Path::new("/nowhere")));
        if expected.is_none() {
            let after = found.join().unwrap();
            assert_eq!(
                (after.state, after.was_alive),
                (ShellState::Lost, false),
                "{identity:?}"
            );
            assert!(child.try_wait().unwrap().is_none(), "it was left alone");
            child.kill().unwrap();
            child.wait().unwrap();
            return;
        }
        assert_eq!(child.wait().unwrap().signal(), expected);
        assert!(found.join().unwrap().was_alive);
    };
    check(|_| {}, Some(15));
    check(|identity| identity.pid_start += 1, None);
    check(|identity| identity.boot_id = "another".to_owned(), None);
    check(|identity| identity.boot_id.clear(), None);
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
        let identity = HostIdentity {
            boot_id: String::new(),
            host_pid: 1,
            pid_start: 0,
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
