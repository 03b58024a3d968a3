//! What a command finds when it starts.

use crate::harness::{Bench, text, until_text, within};
use protocol::shell::InputOwner;
use terminal::{Keys, ShellProgram};

#[tokio::test]
async fn a_command_starts_with_a_clean_slate() {
    let bench = Bench::new();
    let check = async |command: &str, expected: &str| {
        assert_eq!(text(&*bench.run(command).await), expected, "{command}");
    };
    check("ls /proc/self/fd | tr '\\n' ' '", "0 1 2 3").await;
    check("tty | tr -d 0-9; : </dev/tty && echo own", "/dev/pts/\nown").await;
    check("stty size; stty -a | grep -o ' iutf8'", "24 80\n iutf8").await;
}

#[tokio::test]
async fn no_signal_is_ignored_or_blocked() {
    let bench = Bench::new();
    let outcome = bench.run("grep -E 'Sig(Blk|Ign)' /proc/self/status").await;
    for line in text(&outcome).lines() {
        let signals =
            u64::from_str_radix(line.split_ascii_whitespace().last().unwrap(), 16).unwrap();
        // This process ignores broken pipes, for one. Real-time signals are whoever's started it.
        assert_eq!(signals & 0x7fff_ffff, 0, "{line}");
    }
}

#[tokio::test]
async fn a_command_leads_its_own_group_in_front_of_the_terminal() {
    let bench = Bench::new();
    let outcome = bench
        .run("set -- $(cut -d' ' -f1,5,6,8 /proc/$$/stat); echo $1 $2 $3 $4")
        .await;
    let ids: Vec<i32> = text(&outcome)
        .split(' ')
        .map(|id| id.parse().unwrap())
        .collect();
    let [pid, group, session, front] = ids.try_into().unwrap();
    assert_eq!(
        (group, front),
        (pid, pid),
        "own group, and that group is in front"
    );
    assert_ne!(
        session, pid,
        "the supervisor leads the session, so what is left running is not hung up"
    );
}

#[tokio::test]
async fn the_environment_is_the_one_that_was_asked_for() {
    let bench = Bench::new();
    let mut request = bench.request("env | sort");
    request.env = [
        ("A", "1"),
        ("MULTI", "x\ny"),
        ("PATH", "/usr/bin:/bin"),
        ("UMLAUT", "ä"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    let shell = within(bench.shells.start(request)).await.unwrap();
    let outcome = within(shell.wait()).await;
    let pwd = format!("PWD={}", bench.workspace().display());
    let expected = [
        "A=1",
        "MULTI=x",
        "PATH=/usr/bin:/bin",
        &pwd,
        "SHLVL=1",
        "UMLAUT=ä",
        "_=/usr/bin/env",
        "y",
    ];
    assert_eq!(
        text(&outcome).lines().collect::<Vec<_>>(),
        expected,
        "the rest is bash's own"
    );
}

#[tokio::test]
async fn start_up_files_are_not_read() {
    let bench = Bench::new();
    std::fs::write(bench.workspace().join(".bashrc"), "echo from bashrc").unwrap();
    let mut request = bench.request("echo done");
    request
        .env
        .insert("HOME".to_owned(), bench.workspace().display().to_string());
    let shell = within(bench.shells.start(request)).await.unwrap();
    assert_eq!(text(&*within(shell.wait()).await), "done");
}

#[tokio::test]
async fn tabs_and_long_lines_are_not_what_the_terminal_makes_of_them() {
    let bench = Bench::new();
    let long = "0123456789".repeat(50);
    std::fs::write(
        bench.workspace().join("Makefile"),
        format!("all:\n\tcc a.c\n# {long}\n"),
    )
    .unwrap();
    assert_eq!(
        text(&*bench.run("cat Makefile").await),
        format!("all:\n\tcc a.c\n# {long}")
    );
}

#[tokio::test]
async fn a_program_that_reads_at_once_is_not_left_behind_the_terminal() {
    let bench = Bench::new();
    for round in 0..30 {
        let mut request = bench.request("read -r word; echo got $word");
        request.shell = ShellProgram::Sh("/bin/sh".into());
        let shell = within(bench.shells.start(request)).await.unwrap();
        shell.own_input(InputOwner::Human).unwrap();
        shell.write(b"it\r", Keys::Shown).unwrap();
        until_text(&shell, "got it").await;
        assert_eq!(
            within(shell.wait()).await.exit.code,
            Some(0),
            "round {round}"
        );
    }
}
