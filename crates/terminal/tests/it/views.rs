//! Watching: live, late, slow, and after the end.

use crate::harness::{Bench, until, until_text, within};
use terminal::{ShellEvent, ShellHandle, Snapshot, TerminalFrame, TerminalSize};
use tokio::sync::mpsc::UnboundedReceiver;

/// What a terminal of the snapshot's size shows after all frames.
async fn shown(
    snapshot: &Snapshot,
    frames: &mut UnboundedReceiver<TerminalFrame>,
) -> vt100::Parser {
    let size = snapshot.size;
    let mut parser = vt100::Parser::new(
        size.rows().try_into().unwrap(),
        size.cols().try_into().unwrap(),
        1000,
    );
    parser.process(&snapshot.screen);
    let mut offset = snapshot.offset;
    while let Some(frame) = within(frames.recv()).await {
        match frame {
            TerminalFrame::Chunk { offset: at, bytes } => {
                assert_eq!(at, offset, "no byte is missing and none comes twice");
                offset += bytes.len() as u64;
                parser.process(&bytes);
            }
            TerminalFrame::Gap { from, to } => panic!("gap {from}..{to}"),
            TerminalFrame::Event(_) => {}
        }
    }
    parser
}

#[tokio::test]
async fn early_and_late_views_show_the_same() {
    let bench = Bench::new();
    let shell = bench.start("for n in $(seq 1 50); do printf '\\033[3%dmline %d\\033[0m\\n' $((n % 8)) $n; sleep 0.01; done").await;
    let (early, mut early_frames) = shell.attach(None);
    until_text(&shell, "line 25").await;
    let (late, mut late_frames) = shell.attach(None);
    assert!(late.offset > 0 && !late.screen.is_empty());
    let early = shown(&early, &mut early_frames).await;
    let late = shown(&late, &mut late_frames).await;
    assert_eq!(early.screen().contents(), late.screen().contents());
    assert_eq!(
        early.screen().cursor_position(),
        late.screen().cursor_position()
    );
    assert!(early.screen().contents().contains("line 50"));
    let (after, mut frames) = shell.attach(None);
    assert_eq!(
        shown(&after, &mut frames).await.screen().contents(),
        early.screen().contents(),
        "also after the end"
    );
}

#[tokio::test]
async fn a_view_that_comes_back_is_sent_what_it_missed() {
    let bench = Bench::new();
    let shell = bench.start("echo one; echo two; echo three").await;
    within(shell.wait()).await;
    within(shell.gone()).await;
    let (snapshot, mut frames) = shell.attach(Some(5));
    assert_eq!((snapshot.offset, snapshot.screen.as_slice()), (5, &b""[..]));
    let frame = within(frames.recv()).await;
    assert_eq!(
        frame,
        Some(TerminalFrame::Chunk {
            offset: 5,
            bytes: b"two\r\nthree\r\n".to_vec()
        })
    );
    assert_eq!(within(frames.recv()).await, None);
}

#[tokio::test]
async fn a_view_in_an_editor_sees_the_editor() {
    let bench = Bench::new();
    let shell = bench.start("printf 'before\\n\\033[?1049h\\033[2J\\033[5;7HEDITOR'; read -r; printf '\\033[?1049l'; echo after").await;
    until_text(&shell, "EDITOR").await;
    let (snapshot, frames) = shell.attach(None);
    let mut parser = vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0);
    parser.process(&snapshot.screen);
    assert!(parser.screen().alternate_screen());
    assert_eq!(parser.screen().cursor_position(), (4, 12));
    drop(frames);
    shell.own_input(protocol::shell::InputOwner::Human).unwrap();
    shell.write(b"\r", terminal::Keys::Shown).unwrap();
    let outcome = within(shell.wait()).await;
    assert_eq!(crate::harness::text(&outcome), "before\nafter");
}

#[tokio::test]
async fn a_view_that_does_not_keep_up_gets_a_gap_and_nobody_else_notices() {
    let bench = Bench::new();
    let shell = bench
        .start(
            "yes 'a line of some length for everybody to read' | head -c 8000000; echo; echo end",
        )
        .await;
    let (slow, mut slow_frames) = shell.attach(None);
    let (fast, fast_frames) = shell.attach(None);
    let fast = follow(&shell, &fast, fast_frames);
    let (received, settled) = within(fast).await;
    assert!(settled && received >= 8_000_000, "{received}");
    let mut slow_bytes = 0;
    while let Ok(frame) = slow_frames.try_recv() {
        if let TerminalFrame::Chunk { bytes, .. } = frame {
            slow_bytes += bytes.len();
        }
    }
    assert!(slow_bytes <= 1024 * 1024 + 64 * 1024, "{slow_bytes}");
    shell.acknowledge(slow.view, slow.offset);
    assert_eq!(
        crate::harness::within(shell.wait()).await.raw_bytes,
        shell.status().bytes
    );
}

/// Reads and acknowledges everything; how much it was, and whether the end was told.
async fn follow(
    shell: &ShellHandle,
    snapshot: &Snapshot,
    mut frames: UnboundedReceiver<TerminalFrame>,
) -> (u64, bool) {
    let (mut end, mut settled) = (snapshot.offset, false);
    while let Some(frame) = frames.recv().await {
        match frame {
            TerminalFrame::Chunk { offset, bytes } => {
                assert_eq!(offset, end);
                end += bytes.len() as u64;
                shell.acknowledge(snapshot.view, end);
            }
            TerminalFrame::Gap { .. } => panic!("it kept up"),
            TerminalFrame::Event(event) => settled |= event == ShellEvent::Settled,
        }
    }
    (end, settled)
}

#[tokio::test]
async fn the_size_reaches_program_and_picture() {
    let bench = Bench::new();
    let shell = bench
        .start("trap 'stty size; exit' WINCH; stty size; while :; do sleep 0.05; done")
        .await;
    until_text(&shell, "24 80").await;
    let mut events = shell.events();
    shell.resize(TerminalSize::clamped(100, 40));
    let outcome = within(shell.wait()).await;
    assert_eq!(crate::harness::text(&outcome), "24 80\n40 100");
    assert!(matches!(
        events.try_recv(),
        Ok(ShellEvent::Resized {
            cols: 100,
            rows: 40
        })
    ));
    assert_eq!(shell.attach(None).0.size, TerminalSize::clamped(100, 40));
    shell.resize(TerminalSize::clamped(30, 10));
    within(shell.gone()).await;
    assert_eq!(
        shell.attach(None).0.size,
        TerminalSize::clamped(100, 40),
        "nothing changes after the end"
    );
}

#[tokio::test]
async fn titles_and_bells_are_told() {
    let bench = Bench::new();
    let shell = bench
        .start("printf '\\033[6n\\033]0;build 1\\007\\007'; read -r -t 5 -d R; echo")
        .await;
    let (_, mut frames) = shell.attach(None);
    let mut seen = Vec::new();
    while let Some(frame) = within(frames.recv()).await {
        if let TerminalFrame::Event(event @ (ShellEvent::Title(_) | ShellEvent::Bell)) = frame {
            seen.push(event);
        }
    }
    assert!(seen.contains(&ShellEvent::Bell) || shell.status().title.is_some());
    until("the title is kept", || {
        shell.status().title.as_deref() == Some("build 1")
    })
    .await;
}
