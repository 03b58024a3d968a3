//! Situations from bug reports of programs like this one.

use crate::harness::{Bench, cases, environment, lives, text, until, until_text, within};
use protocol::shell::InputOwner;
use std::path::Path;
use std::time::Duration;
use terminal::{
    Audience, ChildContext, EndReason, Keys, Leftovers, Place, SpawnRequest, TerminalSize,
    child_env, model_text,
};

/// A bench whose workspace is the case's.
fn bench_of(case: &str) -> Bench {
    let bench = Bench::new();
    copy(&cases(case).join("input/ws"), &bench.workspace());
    bench
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// The request as the program itself would make it.
fn as_the_agent(bench: &Bench, command: &str) -> SpawnRequest {
    let request = bench.request(command);
    let context = ChildContext {
        cwd: &request.cwd,
        session_id: "session",
        shell_id: request.id.as_str(),
        audience: Audience::Absent,
        private: &[],
    };
    let env = child_env(&environment(), &context);
    SpawnRequest { env, ..request }
}

#[tokio::test]
async fn pt_01_a_log_does_not_page_even_if_the_repository_wants_it() {
    let bench = Bench::new();
    let setup = cases("PT-01").join("input/setup.sh");
    let outcome = bench
        .run(&format!(
            "HOME=$PWD sh {} && git config core.pager 'less -+F'",
            setup.display()
        ))
        .await;
    assert_eq!(outcome.exit.code, Some(0));
    let shell = within(
        bench
            .shells
            .start(as_the_agent(&bench, "git log --format=%s")),
    )
    .await
    .unwrap();
    let outcome = within(shell.wait()).await;
    let lines: Vec<String> = (1..=120)
        .rev()
        .map(|n| format!("commit number {n}"))
        .collect();
    assert_eq!(
        (outcome.exit.code, text(&outcome)),
        (Some(0), lines.join("\n").as_str())
    );
}

#[tokio::test]
async fn pt_01_a_question_ends_with_the_time_or_with_an_answer() {
    let bench = bench_of("PT-01");
    let mut request = bench.request("sh ask.sh");
    request.timeout = Some(Duration::from_millis(400));
    let shell = within(bench.shells.start(request)).await.unwrap();
    let outcome = within(shell.wait()).await;
    assert_eq!(outcome.reason, EndReason::TimedOut);
    let told = model_text("sh ask.sh", ".", &outcome);
    assert!(
        told.starts_with("Command timed out after 400 ms") && told.contains("Ok to proceed?"),
        "{told}"
    );
    assert!(!lives(&format!("{}/ask.sh", bench.workspace().display())));

    let shell = bench.start("sh ask.sh").await;
    until_text(&shell, "Ok to proceed?").await;
    shell.own_input(InputOwner::Human).unwrap();
    shell.write(b"y\r", Keys::Shown).unwrap();
    let outcome = within(shell.wait()).await;
    assert_eq!(
        (outcome.exit.code, text(&outcome)),
        (Some(0), "Ok to proceed? (y/N) y\nconfirmed")
    );
    assert_eq!(outcome.typed.shown, "y\n");
}

#[tokio::test]
async fn pt_02_what_is_left_running_is_known_and_ends_with_the_program() {
    let bench = Bench::new();
    let outcome = bench.run("sleep 4711 & echo started").await;
    assert_eq!((outcome.exit.code, text(&outcome)), (Some(0), "started"));
    assert_eq!(
        outcome
            .leftovers
            .iter()
            .map(|process| process.name.as_str())
            .collect::<Vec<_>>(),
        ["sleep"]
    );
    let outcome = bench
        .run("(sleep 4712 &) ; sh -c 'sleep 4713 &' ; echo up")
        .await;
    assert_eq!(
        (outcome.exit.code, text(&outcome), outcome.leftovers_total),
        (Some(0), "up", 2)
    );
    assert!(
        lives("sleep 4711") && lives("sleep 4712") && lives("sleep 4713"),
        "they are not ended by the command's end"
    );
    within(
        bench
            .shells
            .shut_down(Duration::from_millis(200), Leftovers::End),
    )
    .await;
    assert!(!lives("sleep 4711") && !lives("sleep 4712") && !lives("sleep 4713"));
}

#[tokio::test]
async fn pt_03_stop_and_timeout_end_the_whole_tree() {
    let bench = bench_of("PT-03");
    let check = async |token: &str, timeout: Option<Duration>| {
        let mut request = bench.request(&format!(
            "sh -c 'python3 tree.py 3 port-{token}.txt {token}'"
        ));
        request.timeout = timeout;
        let shell = within(bench.shells.start(request)).await.unwrap();
        until_text(&shell, "listening").await;
        if timeout.is_none() {
            shell.stop(Duration::from_millis(200));
        }
        let outcome = within(shell.wait()).await;
        assert!(
            !lives(token),
            "the outcome is there when the processes are gone"
        );
        assert!(text(&outcome).contains("listening"));
        let port: u16 =
            std::fs::read_to_string(bench.workspace().join(format!("port-{token}.txt")))
                .unwrap()
                .parse()
                .unwrap();
        assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err());
        outcome.reason
    };
    assert_eq!(check("tok-stop-71", None).await, EndReason::Cancelled);
    assert_eq!(
        check("tok-time-72", Some(Duration::from_secs(3))).await,
        EndReason::TimedOut
    );
    assert_eq!(text(&*bench.run("echo alive").await), "alive");
}

#[tokio::test]
async fn pt_04_resizing_while_wide_text_is_on_screen_loses_nothing() {
    let bench = bench_of("PT-04");
    let shell = bench.start("python3 wide.py 2").await;
    until_text(&shell, "0003").await;
    let mut events = shell.events();
    let sizes = [
        (24, 80),
        (24, 79),
        (24, 41),
        (24, 3),
        (24, 2),
        (24, 1),
        (1, 80),
        (1, 1),
        (24, 120),
        (50, 200),
        (0, 0),
    ];
    for (rows, cols) in sizes {
        shell.resize(TerminalSize::clamped(cols, rows));
        // The next size comes when this one was taken.
        within(async {
            while !matches!(
                events.recv().await,
                Ok(terminal::ShellEvent::Resized { .. })
            ) {}
        })
        .await;
        shell.attach(None);
    }
    let outcome = within(shell.wait()).await;
    assert_eq!(outcome.exit.code, Some(0));
    assert!(
        text(&outcome).ends_with("END-OF-WIDE"),
        "{}",
        text(&outcome)
    );
    let (snapshot, _) = shell.attach(None);
    assert!(
        String::from_utf8(snapshot.screen)
            .unwrap()
            .contains("END-OF-WIDE")
    );
}

#[tokio::test]
async fn pt_05_characters_split_across_reads_stay_whole() {
    let bench = bench_of("PT-05");
    let outcome = bench.run("python3 dribble.py short.txt slow").await;
    let short = std::fs::read_to_string(cases("PT-05").join("input/ws/short.txt")).unwrap();
    assert_eq!(text(&outcome), short.trim_end());
    let outcome = bench.run("python3 dribble.py long.txt").await;
    let long = std::fs::read_to_string(cases("PT-05").join("input/ws/long.txt")).unwrap();
    assert_eq!(text(&outcome), long.trim_end());
    let (told, kept) = in_background(&bench, "python3 dribble.py long.txt").await;
    assert_eq!(
        (told.trim_end(), kept.trim_end()),
        (long.trim_end(), long.trim_end())
    );
}

/// What the model reads of a command in the background once it ended, and what is in its file.
async fn in_background(bench: &Bench, command: &str) -> (String, String) {
    let request = SpawnRequest {
        place: Place::Background,
        ..bench.request(command)
    };
    let shell = within(bench.shells.start(request)).await.unwrap();
    within(shell.wait()).await;
    let told = shell.text_since(0, 30_000).text;
    (told, std::fs::read_to_string(shell.files().clean).unwrap())
}

#[tokio::test]
async fn pt_06_progress_reaches_the_model_once() {
    let bench = bench_of("PT-06");
    let shell = bench.start("python3 progress.py").await;
    let (snapshot, mut frames) = shell.attach(Some(0));
    let outcome = within(shell.wait()).await;
    assert_eq!(
        text(&outcome),
        "Downloading pack: 100% (100/100)\nBuilding 100%\nfinished"
    );
    let told = model_text("python3 progress.py", ".", &outcome);
    assert!(
        told.chars().count() < 400 && !told.contains(['\x1b', '\r']) && !told.contains("50%"),
        "{told}"
    );
    let lines = text(&outcome);
    let (told, kept) = in_background(&bench, "python3 progress.py").await;
    assert_eq!((told.trim_end(), kept.trim_end()), (lines, lines));
    let mut live = snapshot.screen;
    while let Some(frame) = within(frames.recv()).await {
        if let terminal::TerminalFrame::Chunk { bytes, .. } = frame {
            live.extend(bytes);
        }
    }
    let live = String::from_utf8(live).unwrap();
    assert!(
        live.contains("\x1b[32mBuilding") && live.contains("\r"),
        "the live view keeps colours and movement"
    );
}

#[tokio::test]
async fn pt_07_the_last_output_before_the_end_is_not_lost() {
    let bench = Bench::new();
    let outcome = bench
        .run("sh -c 'echo first; sleep 0.2; echo last; exit 3'")
        .await;
    assert_eq!(
        (outcome.exit.code, text(&outcome)),
        (Some(3), "first\nlast")
    );
}

#[tokio::test]
async fn pt_08_a_question_to_the_terminal_is_answered_once() {
    let bench = bench_of("PT-08");
    let outcome = bench.run("python3 where.py; echo next").await;
    assert_eq!(
        (outcome.exit.code, text(&outcome)),
        (Some(0), "cursor reported\nnext")
    );
    let mut request = bench.request("cat");
    request.timeout = Some(Duration::from_millis(300));
    let shell = within(bench.shells.start(request)).await.unwrap();
    let outcome = within(shell.wait()).await;
    assert_eq!((outcome.reason, text(&outcome)), (EndReason::TimedOut, ""));
    until("the terminal is let go", || !lives("where.py")).await;
}
