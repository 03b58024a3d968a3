//! Programs people really use: editors, pagers, monitors, prompts, menus; and text of every width.
//!
//! A program that is not installed is no fault of ours: its test says so and ends. `cargo xtask test` installs them all.

use crate::harness::{Bench, environment, say_skipped, text, until, until_text, within};
use protocol::shell::InputOwner;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use terminal::{EndReason, Keys, ShellEvent, ShellHandle, TerminalFrame, TerminalSize};
use tokio::sync::mpsc::UnboundedReceiver;

/// Whether the test can be made, and says so if not.
fn is_installed(program: &str) -> bool {
    let path = environment().remove("PATH").unwrap();
    let found = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !found {
        say_skipped(&format!("{program} is not installed"));
    }
    found
}

/// A command whose keys are taken, and a view that was there from the beginning.
async fn watched(bench: &Bench, command: &str) -> (ShellHandle, UnboundedReceiver<TerminalFrame>) {
    let shell = bench.start(command).await;
    shell.own_input(InputOwner::Human).unwrap();
    let (_, frames) = shell.attach(Some(0));
    (shell, frames)
}

fn press(shell: &ShellHandle, keys: &str) {
    shell.write(keys.as_bytes(), Keys::Shown).unwrap();
}

/// What a view that comes now sees.
fn seen(shell: &ShellHandle) -> vt100::Parser {
    let mut parser = vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0);
    parser.process(&shell.attach(None).0.screen);
    parser
}

fn screen(shell: &ShellHandle) -> String {
    seen(shell).screen().contents()
}

async fn until_screen(shell: &ShellHandle, wanted: &str) {
    until(&format!("{wanted:?} is on the screen"), || {
        screen(shell).contains(wanted)
    })
    .await;
}

/// What the view that was there from the beginning shows once the program draws no more.
async fn drawn(frames: &mut UnboundedReceiver<TerminalFrame>, until_byte: u64) -> vt100::Parser {
    let mut parser = vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0);
    let mut at = 0;
    while at < until_byte {
        if let Some(TerminalFrame::Chunk { offset, bytes }) = within(frames.recv()).await {
            at = offset + bytes.len() as u64;
            parser.process(&bytes);
        }
    }
    parser
}

#[tokio::test]
async fn vim_edits_a_file_and_every_view_shows_it() {
    if !is_installed("vim") {
        return;
    }
    let bench = Bench::new();
    let command = "echo before; vim -u NONE -N -n notes.txt; echo after";
    let (shell, mut frames) = watched(&bench, command).await;
    until_screen(&shell, "~").await;
    press(&shell, "ihello wörld 日本\r\tsecond\x1b:set number\r");
    until_screen(&shell, "2         second").await;
    let early = drawn(&mut frames, shell.status().bytes).await;
    let late = seen(&shell);
    assert!(late.screen().alternate_screen());
    assert_eq!(late.screen().contents(), early.screen().contents());
    assert_eq!(
        late.screen().cursor_position(),
        early.screen().cursor_position()
    );
    press(&shell, ":wq\r");
    let outcome = within(shell.wait()).await;
    let written = std::fs::read_to_string(bench.workspace().join("notes.txt")).unwrap();
    assert_eq!(written, "hello wörld 日本\n\tsecond\n");
    assert_eq!(outcome.exit.code, Some(0));
    let told = text(&outcome);
    assert!(
        told.starts_with("before") && told.ends_with("after") && !told.contains("second"),
        "what was around the editor: {told}"
    );
}

#[tokio::test]
async fn less_pages_searches_and_quits() {
    if !is_installed("less") {
        return;
    }
    let bench = Bench::new();
    let (shell, _frames) = watched(&bench, "seq -f 'line %g' 1 500 | less; echo after").await;
    until_screen(&shell, "line 23\n:").await;
    press(&shell, "G");
    until_screen(&shell, "line 500\n(END)").await;
    press(&shell, "?line 250\r");
    until_screen(&shell, "line 272").await;
    assert!(screen(&shell).starts_with("line 250"), "{}", screen(&shell));
    press(&shell, "q");
    let outcome = within(shell.wait()).await;
    assert_eq!((outcome.exit.code, text(&outcome)), (Some(0), "after"));
}

#[tokio::test]
async fn monitors_draw_again_and_again_and_quit() {
    for (program, heading) in [("top", "PID USER"), ("htop", "PID")] {
        if !is_installed(program) {
            continue;
        }
        let bench = Bench::new();
        let (shell, _frames) = watched(&bench, &format!("{program} -d 1; echo after")).await;
        until_screen(&shell, heading).await;
        shell.resize(TerminalSize::clamped(70, 20));
        let before = shell.status().bytes;
        until("it draws again", || shell.status().bytes > before + 500).await;
        press(&shell, "q");
        let outcome = within(shell.wait()).await;
        assert_eq!(outcome.exit.code, Some(0), "{program}");
        let told = text(&outcome);
        assert!(told.trim_end().ends_with("after"), "{program}: {told}");
        assert!(
            told.lines().count() <= 60,
            "{program}: one picture, not all of them: {told}"
        );
    }
}

#[tokio::test]
async fn git_pages_where_a_person_wants_it() {
    if !is_installed("git") || !is_installed("less") {
        return;
    }
    let bench = Bench::new();
    let setup = "git init -q . && for n in $(seq 60); do \
        git -c user.name=a -c user.email=a@b commit -q --allow-empty -m \"commit number $n\"; done";
    assert_eq!(bench.run(setup).await.exit.code, Some(0));
    let paged = "git -c core.pager='less -R' log --color --format='%C(red)%s'; echo after";
    let (shell, _frames) = watched(&bench, paged).await;
    until_screen(&shell, "commit number 38\n:").await;
    let late = seen(&shell);
    let color = late.screen().cell(0, 0).unwrap().fgcolor();
    assert_eq!(color, vt100::Color::Idx(1), "in colour");
    press(&shell, "q");
    let outcome = within(shell.wait()).await;
    assert!(text(&outcome).ends_with("after"));
}

#[tokio::test]
async fn a_passphrase_is_typed_twice_and_kept_nowhere() {
    if !is_installed("ssh-keygen") {
        return;
    }
    let bench = Bench::new();
    let (shell, _frames) = watched(&bench, "ssh-keygen -t ed25519 -C c -f key").await;
    let mut events = shell.events();
    for prompt in ["Enter passphrase", "Enter same passphrase again:"] {
        until_text(&shell, prompt).await;
        until("nothing is echoed", || shell.status().echo_off).await;
        shell.write(b"open sesame 7\r", Keys::Hidden).unwrap();
    }
    let outcome = within(shell.wait()).await;
    assert_eq!(outcome.exit.code, Some(0), "{}", text(&outcome));
    assert!(!text(&outcome).contains("sesame"));
    assert_eq!(
        (outcome.typed.shown.as_str(), outcome.typed.hidden_bytes),
        ("", 28)
    );
    let mut said = 0;
    while let Ok(event) = events.try_recv() {
        said += usize::from(matches!(event, ShellEvent::Echo { on: false }));
    }
    assert!(said > 0, "whoever watches is told");
    for file in std::fs::read_dir(shell.spool_dir()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("sesame"));
    }
    let opens = |passphrase: &str| {
        let key = bench.workspace().join("key");
        let opened = Command::new("ssh-keygen")
            .args(["-y", "-P", passphrase, "-f"])
            .arg(key)
            .output();
        opened.unwrap().status.success()
    };
    assert!(opens("open sesame 7") && !opens(""));
}

/// A menu as project generators draw it: raw keys, no cursor, every move draws the list again.
const MENU: &str = r#"
import os, sys, termios, tty
choices = ["vanilla", "react ⚛", "svelte", "日本語"]
at, saved = 0, termios.tcgetattr(0)
def draw(first):
    if not first:
        sys.stdout.write("\x1b[%dA" % len(choices))
    for n, choice in enumerate(choices):
        mark = "\x1b[36m❯ %s\x1b[39m" if n == at else "  %s"
        sys.stdout.write("\x1b[2K" + mark % choice + "\n")
    sys.stdout.flush()
print("? Select a framework: › - Use arrow-keys. Return to submit.")
sys.stdout.write("\x1b[?25l")
tty.setcbreak(0)
draw(True)
while True:
    key = os.read(0, 8)
    if key in (b"\x1b[B", b"\x1bOB"):
        at = (at + 1) % len(choices)
    elif key in (b"\x1b[A", b"\x1bOA"):
        at = (at - 1) % len(choices)
    elif key in (b"\r", b"\n"):
        break
    draw(False)
termios.tcsetattr(0, termios.TCSADRAIN, saved)
sys.stdout.write("\x1b[?25h")
print("Scaffolding " + choices[at])
"#;

#[tokio::test]
async fn a_menu_is_walked_with_arrows_by_a_person_and_by_the_model() {
    if !is_installed("python3") {
        return;
    }
    let bench = Bench::new();
    std::fs::write(bench.workspace().join("menu.py"), MENU).unwrap();
    let (shell, _frames) = watched(&bench, "python3 menu.py").await;
    until_screen(&shell, "❯ vanilla").await;
    assert!(seen(&shell).screen().hide_cursor());
    press(&shell, "\x1b[B");
    until_screen(&shell, "❯ react").await;
    press(&shell, "\x1b[A");
    until_screen(&shell, "❯ vanilla").await;
    press(&shell, "\x1b[A");
    until_screen(&shell, "❯ 日本語").await;
    press(&shell, "\r");
    let outcome = within(shell.wait()).await;
    let told = text(&outcome);
    assert!(told.ends_with("Scaffolding 日本語"), "{told}");
    assert_eq!(told.matches("vanilla").count(), 1, "drawn once: {told}");

    let shell = bench.start("python3 menu.py").await;
    until_screen(&shell, "❯ vanilla").await;
    shell.write_as_agent(b"\x1b[B").unwrap();
    until_screen(&shell, "❯ react").await;
    shell.write_as_agent(b"\r").unwrap();
    let outcome = within(shell.wait()).await;
    assert!(text(&outcome).ends_with("Scaffolding react ⚛"));
}

/// Wide, combining, joined, right to left, and characters at the edge of a row.
const TEXTS: [&str; 7] = [
    "日本語テキスト 한국어 中文",
    "cafe\u{301} n\u{303} a\u{30a}\u{323}",
    "🦀 🎉 👍🏽",
    "👩\u{200d}👩\u{200d}👧 🇩🇪 ❤\u{fe0f}",
    "שלום مرحبا",
    "ｆｕｌｌ ﾊﾝｶｸ",
    "\u{1f9d1}\u{200d}\u{1f52c} end",
];

#[tokio::test]
async fn text_of_every_width_stays_whole() {
    let bench = Bench::new();
    let all = TEXTS.join("\n");
    std::fs::write(bench.workspace().join("texts"), &all).unwrap();
    let outcome = bench.run("cat texts").await;
    // Joiners are not seen, so they could hide words from a person.
    let visible = all.replace('\u{200d}', "");
    assert_eq!(text(&outcome), visible, "line by line, nothing is drawn");
    let (shell, mut frames) =
        watched(&bench, "cat texts; read -r; printf '\\033[H'; cat texts").await;
    until_text(&shell, "end").await;
    let late = seen(&shell);
    let early = drawn(&mut frames, shell.status().bytes).await;
    assert_eq!(late.screen().contents(), early.screen().contents());
    for wide in ["日本語テキスト 한국어 中文", "cafe\u{301}", "🦀 🎉"] {
        assert!(late.screen().contents().contains(wide), "{wide}");
    }
    press(&shell, "\r");
    within(shell.wait()).await;
    assert_eq!(
        seen(&shell).screen().contents().lines().next(),
        Some(TEXTS[0]),
        "written over itself it is the same"
    );
}

#[tokio::test]
async fn resizing_ten_thousand_times_harms_no_wide_text() {
    if !is_installed("python3") {
        return;
    }
    let bench = Bench::new();
    let script = "for n in range(4000): print('%04d 日本語 e\u{301} 🦀 ' % n * 3)\nprint('END')";
    std::fs::write(bench.workspace().join("wide.py"), script).unwrap();
    let shell = bench
        .start("printf '\\033[H'; python3 wide.py; until [ -e go ]; do sleep 0.02; done")
        .await;
    for n in 0..10_000_u16 {
        shell.resize(TerminalSize::clamped(20 + n % 100, 5 + n % 40));
        if n.is_multiple_of(50) {
            shell.attach(None);
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    shell.resize(TerminalSize::clamped(80, 24));
    until("all is drawn at the last size", || {
        shell.attach(None).0.size == TerminalSize::clamped(80, 24) && screen(&shell).contains("END")
    })
    .await;
    std::fs::write(bench.workspace().join("go"), "").unwrap();
    let outcome = within(shell.wait()).await;
    assert_eq!(
        (outcome.exit.code, outcome.reason),
        (Some(0), EndReason::Natural)
    );
    let all = std::fs::read_to_string(&outcome.output_file).unwrap();
    assert!(!all.contains('\u{fffd}') && all.trim_end().ends_with("END"));
    assert!(Path::new(&outcome.output_file).ends_with("clean.txt"));
}
