//! Typing into running programs.

use crate::harness::{Bench, text, until, until_text, within};
use protocol::shell::InputOwner;
use std::time::Duration;
use terminal::{EndReason, Error, Keys, ShellEvent, ShellHandle};

/// From the polite signal to force.
const GRACE: Duration = Duration::from_millis(200);

/// A shell whose keys are taken.
async fn taken(bench: &Bench, command: &str) -> ShellHandle {
    let shell = bench.start(command).await;
    shell.own_input(InputOwner::Human).unwrap();
    shell
}

#[tokio::test]
async fn a_program_reads_what_is_typed_and_ends_with_its_input() {
    let bench = Bench::new();
    let shell = taken(&bench, "cat -A").await;
    shell.write("zwölf 界\r".as_bytes(), Keys::Shown).unwrap();
    until_text(&shell, "$").await;
    shell.write(b"\x04", Keys::Shown).unwrap();
    let outcome = within(shell.wait()).await;
    assert_eq!(
        (outcome.exit.code, text(&outcome)),
        (Some(0), "zwölf 界\nzwM-CM-6lf M-gM-^UM-^L$")
    );
    assert!(matches!(
        shell.write(b"x", Keys::Shown),
        Err(Error::NotRunning)
    ));
    assert!(matches!(
        shell.own_input(InputOwner::Human),
        Err(Error::NotRunning)
    ));
}

#[tokio::test]
async fn keys_go_nowhere_before_they_are_taken_and_after_they_are_given_back() {
    let bench = Bench::new();
    let shell = bench.start("read -r line; echo got $line").await;
    assert!(matches!(
        shell.write(b"a\r", Keys::Shown),
        Err(Error::InputNotTaken)
    ));
    shell.own_input(InputOwner::Human).unwrap();
    assert_eq!(shell.status().input_owner, InputOwner::Human);
    shell.own_input(InputOwner::None).unwrap();
    assert!(matches!(
        shell.write(b"b\r", Keys::Shown),
        Err(Error::InputNotTaken)
    ));
    shell.own_input(InputOwner::Human).unwrap();
    shell.write(b"c\r", Keys::Shown).unwrap();
    assert_eq!(text(&*within(shell.wait()).await), "c\ngot c");
}

#[tokio::test]
async fn whoever_watches_hears_who_has_the_keys() {
    let bench = Bench::new();
    let shell = bench.start("cat").await;
    let mut events = shell.events();
    shell.write_as_agent(b"a\r").unwrap();
    shell.write_as_agent(b"b\r").unwrap();
    shell.own_input(InputOwner::Human).unwrap();
    assert!(matches!(
        shell.write_as_agent(b"c\r"),
        Err(Error::InputTaken)
    ));
    shell.own_input(InputOwner::Human).unwrap();
    shell.own_input(InputOwner::None).unwrap();
    let mut owners = Vec::new();
    while owners.len() < 3 {
        if let ShellEvent::Owner(owner) = within(events.recv()).await.unwrap() {
            owners.push(owner);
        }
    }
    assert_eq!(
        owners,
        [InputOwner::Agent, InputOwner::Human, InputOwner::None],
        "each change once"
    );
    shell.kill(GRACE);
    within(shell.gone()).await;
}

#[tokio::test]
async fn an_interactive_python_answers() {
    let bench = Bench::new();
    let shell = taken(&bench, "python3 -q").await;
    until_text(&shell, ">>>").await;
    shell.write(b"6 * 7\r", Keys::Shown).unwrap();
    until_text(&shell, "42").await;
    shell.write(b"exit()\r", Keys::Shown).unwrap();
    let outcome = within(shell.wait()).await;
    assert_eq!(outcome.exit.code, Some(0));
    assert!(text(&outcome).contains("42\n"), "{}", text(&outcome));
}

#[tokio::test]
async fn a_password_is_noticed_and_not_kept() {
    let bench = Bench::new();
    let shell = taken(
        &bench,
        "read -r -s -p 'Password: ' word; echo; echo ${#word}",
    )
    .await;
    let mut events = shell.events();
    let echo_off =
        async { while !matches!(events.recv().await, Ok(ShellEvent::Echo { on: false })) {} };
    within(echo_off).await;
    assert!(shell.status().echo_off);
    let waiting = async {
        loop {
            if let Ok(ShellEvent::Waiting {
                waiting: true,
                line,
            }) = events.recv().await
            {
                return line;
            }
        }
    };
    assert_eq!(within(waiting).await.trim_end(), "Password:");
    shell.write(b"hunter2\r", Keys::Shown).unwrap();
    let outcome = within(shell.wait()).await;
    assert_eq!(text(&outcome), "Password:\n7".replace(":\n", ": \n"));
    assert_eq!(
        (outcome.typed.shown.as_str(), outcome.typed.hidden_bytes),
        ("", 8)
    );
}

#[tokio::test]
async fn a_line_editor_and_a_busy_program_do_not_look_like_a_password() {
    let bench = Bench::new();
    let shell = bench.start("python3 -q").await;
    until_text(&shell, ">>>").await;
    until("it waits", || shell.status().waiting).await;
    assert!(
        !shell.status().echo_off,
        "a line editor shows the keys itself"
    );
    shell.kill(std::time::Duration::ZERO);
    within(shell.wait()).await;
    let shell = bench.start("printf 'Continue? '; sleep 3").await;
    until_text(&shell, "Continue?").await;
    let outcome = within(async {
        let mut events = shell.events();
        loop {
            match events.recv().await {
                Ok(ShellEvent::Waiting { .. }) => panic!("nobody reads the terminal"),
                Ok(ShellEvent::Settled) => return shell.wait().await,
                Ok(_) => {}
                Err(error) => panic!("{error}"),
            }
        }
    })
    .await;
    assert_eq!(outcome.reason, EndReason::Natural);
}

#[tokio::test]
async fn a_line_too_long_for_the_terminal_is_refused() {
    let bench = Bench::new();
    let shell = taken(&bench, "cat").await;
    let refused = shell.write(&[b'x'; 5000], Keys::Shown);
    assert!(
        matches!(
            refused,
            Err(Error::LineTooLong {
                len: 5000,
                max: 4095
            })
        ),
        "{refused:?}"
    );
    shell.kill(std::time::Duration::ZERO);
    within(shell.wait()).await;
}

#[tokio::test]
async fn ctrl_c_reaches_the_program_in_front() {
    let bench = Bench::new();
    let shell = bench
        .start("trap 'echo interrupted; exit 5' INT; echo ready; while :; do sleep 0.1; done")
        .await;
    until_text(&shell, "ready").await;
    shell.interrupt().unwrap();
    let outcome = within(shell.wait()).await;
    assert_eq!(
        (outcome.exit.code, outcome.reason),
        (Some(5), EndReason::Natural)
    );
    assert!(text(&outcome).contains("interrupted"));
}
