//! How commands end, and what is known about it.

use crate::harness::{Bench, text, until, within};
use protocol::shell::ShellState;
use terminal::{EndReason, Error, Exit, Leftovers};

#[tokio::test]
async fn exit_codes_and_signals_are_told_as_they_were() {
    let bench = Bench::new();
    let check = async |command: &str,
                       code: Option<i32>,
                       signal: Option<i32>,
                       state: ShellState,
                       output: &str| {
        let outcome = bench.run(command).await;
        assert_eq!(outcome.exit, Exit { code, signal }, "{command}");
        assert_eq!(
            (outcome.reason, outcome.state()),
            (EndReason::Natural, state),
            "{command}"
        );
        assert_eq!(text(&outcome), output, "{command}");
    };
    check("echo hi", Some(0), None, ShellState::Completed, "hi").await;
    check("true", Some(0), None, ShellState::Completed, "").await;
    check("exit 3", Some(3), None, ShellState::Failed, "").await;
    check(
        "no-such-program-here 2>/dev/null",
        Some(127),
        None,
        ShellState::Failed,
        "",
    )
    .await;
    check("kill -9 $$", None, Some(9), ShellState::Failed, "").await;
    check(
        "sh -c 'kill -TERM $$'; exit $?",
        Some(143),
        None,
        ShellState::Failed,
        "Terminated",
    )
    .await;
    check(
        "pwd; test -t 0 && test -t 1 && test -t 2 && echo tty",
        Some(0),
        None,
        ShellState::Completed,
        &format!("{}\ntty", bench.workspace().display()),
    )
    .await;
}

#[tokio::test]
async fn a_folder_that_is_gone_is_an_error_and_not_another_folder() {
    let bench = Bench::new();
    let mut request = bench.request("pwd");
    request.cwd = bench.folder.path().join("gone");
    let spool = request.spool_dir.clone();
    let error = within(bench.shells.start(request)).await.unwrap_err();
    assert!(
        matches!(&error, Error::SpawnFailed { reason } if reason.contains("gone: No such file")),
        "{error}"
    );
    assert!(!spool.exists(), "nothing is left behind");
    until("the socket is gone", || bench.passing_files().is_empty()).await;
}

#[tokio::test]
async fn a_missing_supervisor_or_shell_is_an_error() {
    let bench = Bench::new();
    let mut request = bench.request("true");
    request.host_program = "/nowhere/host".into();
    let spool = request.spool_dir.clone();
    assert!(matches!(
        within(bench.shells.start(request)).await,
        Err(Error::SpawnFailed { .. })
    ));
    assert!(!spool.exists(), "nothing is left behind");
    assert_eq!(bench.passing_files(), [""; 0]);
    let mut request = bench.request("true");
    request.host_program = "/bin/true".into();
    assert!(matches!(
        within(bench.shells.start(request)).await,
        Err(Error::SpawnFailed { .. })
    ));
    let mut request = bench.request("true");
    request.shell = terminal::ShellProgram::Bash("/nowhere/bash".into());
    let error = within(bench.shells.start(request)).await.unwrap_err();
    assert!(
        error.to_string().contains("/nowhere/bash: No such file"),
        "{error}"
    );
    assert!(bench.shells.list().is_empty());
}

#[tokio::test]
async fn an_id_is_used_once() {
    let bench = Bench::new();
    let request = bench.request("true");
    within(bench.shells.start(request.clone())).await.unwrap();
    assert!(matches!(
        within(bench.shells.start(request)).await,
        Err(Error::DuplicateId { .. })
    ));
}

#[tokio::test]
async fn a_command_too_long_for_an_argument_runs_from_a_file() {
    let bench = Bench::new();
    let command = format!(
        ": {}\nuntil test -e go; do sleep 0.01; done; echo end",
        "x".repeat(200_000)
    );
    let request = bench.request(&command);
    let shell = within(bench.shells.start(request)).await.unwrap();
    let files = bench.passing_files();
    assert!(files.iter().any(|name| name.ends_with(".sh")), "{files:?}");
    std::fs::write(bench.workspace().join("go"), "").unwrap();
    assert_eq!(text(&*within(shell.wait()).await), "end");
    within(shell.gone()).await;
    assert_eq!(bench.passing_files(), Vec::<String>::new());
}

#[tokio::test]
async fn the_end_of_the_program_leaves_no_sockets_and_no_folder() {
    let bench = Bench::new();
    let root = bench.folder.path().join("run");
    let shell = bench.start("exec -a last-one sleep 600").await;
    assert_eq!(std::fs::read_dir(&root).unwrap().count(), 1);
    within(
        bench
            .shells
            .shut_down(std::time::Duration::from_millis(200), Leftovers::End),
    )
    .await;
    assert!(shell.outcome().is_some());
    assert!(!root.exists());
    let request = bench.request("true");
    assert!(
        matches!(
            within(bench.shells.start(request)).await,
            Err(Error::SpawnFailed { .. })
        ),
        "after the end nothing starts"
    );
}
