//! What the system can do to a command. Every row of the failure matrix has a test:
//!
//! | fault | test |
//! | --- | --- |
//! | no terminal to be had | `pipe` |
//! | the supervisor's program is missing | `ends::a_missing_supervisor_or_shell_is_an_error` |
//! | the folder went before the start | `ends::a_folder_that_is_gone_is_an_error_and_not_another_folder` |
//! | a gigabyte of output | [`more_than_is_kept_stays_small_everywhere`] |
//! | a flood behind a closed window | [`a_flood_behind_a_closed_window_costs_nothing_and_stops_at_once`] |
//! | processes that multiply while they are ended | [`a_tree_that_grows_while_it_is_ended_is_ended`] |
//! | a child that ignores TERM | `stops::processes_that_ignore_signals_in_sessions_of_their_own_are_ended` |
//! | output of a grandchild after the end | `stops::output_of_a_grandchild_after_the_end_is_drained_for_a_second_at_most` |
//! | characters split over reads | `cases::pt_05_characters_split_across_reads_stay_whole` |
//! | binary output | [`binary_output_is_told_once_and_kept`] |
//! | a line too long for the terminal | `input::a_line_too_long_for_the_terminal_is_refused` |
//! | a storm of resizes | [`ten_thousand_resizes_become_few_and_the_last_one_stays`] |
//! | two windows, one of them hidden | `views::a_view_that_does_not_keep_up_gets_a_gap_and_nobody_else_notices` |
//! | a window that comes to an editor | `views::a_view_in_an_editor_sees_the_editor` |
//! | the program is killed, a daemon is there | `stops::nothing_survives_the_program_that_started_it` |
//! | killed before the shell was written down | the same, and `store`'s `shell_runs` for a shell without a row |
//! | the clock of the machine jumps | nothing here asks it: `clippy.toml` forbids that, and durations are `Instant`s |
//! | the disk is full | [`a_full_disk_ends_what_is_kept_and_not_the_command`] |

use crate::harness::{Bench, lives, resident_kib, say_skipped, text, until, until_text, within};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use terminal::{EndReason, Excerpt, OutputText, ShellEvent, SpoolLimits, TerminalSize, model_text};

const GRACE: Duration = Duration::from_millis(200);
/// What a command may cost, however much it prints.
const MAX_GROWTH_KIB: u64 = 64 * 1024;
/// More than is kept of it on disk. A gigabyte is no different, and takes a minute.
const FLOOD_BYTES: u64 = 300 << 20;

#[tokio::test]
async fn more_than_is_kept_stays_small_everywhere() {
    let bench = Bench::new();
    let before = resident_kib();
    let command =
        format!("yes 'a line that is printed again and again' | head -c {FLOOD_BYTES}; echo END");
    let shell = bench.start(&command).await;
    let outcome = tokio::time::timeout(Duration::from_secs(600), shell.wait())
        .await
        .unwrap();
    let grown = resident_kib() - before;
    assert!(grown < MAX_GROWTH_KIB, "{grown} KiB");
    assert!(outcome.raw_bytes > FLOOD_BYTES);
    let OutputText::Text(Excerpt { tail, .. }) = &outcome.output else {
        panic!("text")
    };
    assert!(tail.ends_with("END"));
    assert!(model_text("yes", ".", &outcome).chars().count() <= 30_000);
    let kept = bytes_below(&shell.spool_dir());
    let limit = SpoolLimits::default().max_bytes;
    assert!(kept <= 2 * limit, "{kept} bytes of {limit} for each kind");
    assert!(outcome.dropped.is_some());
}

fn bytes_below(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).unwrap();
    files
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum()
}

#[tokio::test]
async fn a_flood_behind_a_closed_window_costs_nothing_and_stops_at_once() {
    let bench = Bench::new();
    let shell = bench
        .start("yes 'what nobody looks at, again and again'")
        .await;
    let (_, frames) = shell.attach(None);
    until("it floods", || shell.status().bytes > 20_000_000).await;
    drop(frames);
    let before = resident_kib();
    until("it floods on", || shell.status().bytes > 60_000_000).await;
    let grown = resident_kib() - before;
    assert!(grown < 4 * 1024, "{grown} KiB, though all rings are full");
    let asked = Instant::now();
    shell.stop(GRACE);
    let outcome = within(shell.wait()).await;
    assert!(asked.elapsed() < Duration::from_secs(1));
    assert_eq!(outcome.reason, EndReason::Cancelled);
}

#[tokio::test]
async fn a_tree_that_grows_while_it_is_ended_is_ended() {
    let bench = Bench::new();
    let breeder = "trap '' TERM; while :; do (exec -a bred-a sleep 600) & sleep 0.005; done";
    let many = format!("for n in 1 2 3 4 5 6; do bash -c \"{breeder}\" & done; echo up; wait");
    let shell = bench.start(&many).await;
    until_text(&shell, "up").await;
    until("they multiply", || shell.n_children() > 60).await;
    let asked = Instant::now();
    shell.kill(GRACE);
    let outcome = within(shell.wait()).await;
    within(shell.gone()).await;
    assert!(
        asked.elapsed() < Duration::from_secs(5),
        "{:?}",
        asked.elapsed()
    );
    assert_eq!(outcome.leftovers_total, 0);
    assert!(!lives("bred-a"));
}

#[tokio::test]
async fn binary_output_is_told_once_and_kept() {
    let bench = Bench::new();
    let shell = bench
        .start("read -r go; head -c 200000 /dev/zero; echo; echo text; read -r go")
        .await;
    let mut events = shell.events();
    shell.write_as_agent(b"\r").unwrap();
    until("it prints", || shell.status().bytes > 200_000).await;
    shell.write_as_agent(b"\r").unwrap();
    let outcome = within(shell.wait()).await;
    let mut told = 0;
    while let Ok(event) = events.try_recv() {
        told += usize::from(event == ShellEvent::Binary);
    }
    assert_eq!((told, &outcome.output), (1, &OutputText::Binary));
    let kept = std::fs::read(shell.files().raw).unwrap();
    assert_eq!(kept.len() as u64, outcome.raw_bytes);
    assert_eq!(kept.iter().filter(|byte| **byte == 0).count(), 200_000);
}

#[tokio::test]
async fn ten_thousand_resizes_become_few_and_the_last_one_stays() {
    let bench = Bench::new();
    let command = "trap 'changes=$((changes+1))' WINCH; changes=0; echo ready; \
        until [ -e enough ]; do sleep 0.02; done; echo \"$changes $(stty size)\"";
    let shell = bench.start(command).await;
    until_text(&shell, "ready").await;
    let begun = Instant::now();
    for n in 0..10_000_u16 {
        shell.resize(TerminalSize::clamped(20 + n % 480, 5 + n % 195));
        if n.is_multiple_of(100) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    shell.resize(TerminalSize::clamped(91, 27));
    let storm = begun.elapsed();
    until("the last one is taken", || {
        shell.attach(None).0.size == TerminalSize::clamped(91, 27)
    })
    .await;
    std::fs::write(bench.workspace().join("enough"), "").unwrap();
    let outcome = within(shell.wait()).await;
    let last = text(&outcome).lines().last().unwrap();
    let (changes, size) = last.split_once(' ').unwrap();
    assert_eq!(size, "27 91");
    let changes: u128 = changes.parse().unwrap();
    let most = storm.as_millis() / 50 + 3;
    assert!((1..=most).contains(&changes), "{changes} of {most}");
}

/// A file system with little room; gone with this value.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: &Path) -> Option<Self> {
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"])
            .arg(at)
            .output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self(at.to_owned())),
            other => {
                say_skipped(&format!("a small disk cannot be mounted here: {other:?}"));
                None
            }
        }
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily, as a test that failed may have files open.
        Command::new("umount").arg("-l").arg(&self.0).status().ok();
    }
}

#[tokio::test]
async fn a_full_disk_ends_what_is_kept_and_not_the_command() {
    let bench = Bench::new();
    let disk = bench.folder.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let Some(_disk) = SmallDisk::mount(&disk) else {
        return;
    };
    let mut request = bench.request("seq 1 400000; until [ -e go ]; do sleep 0.02; done; echo END");
    request.spool_dir = disk.join("shells/s/0");
    let shell = within(bench.shells.start(request)).await.unwrap();
    until_text(&shell, "400000").await;
    let mut rest = std::fs::File::create(disk.join("rest")).unwrap();
    while rest.write(&[1; 512]).is_ok() {}
    std::fs::write(bench.workspace().join("go"), "").unwrap();
    let outcome = within(shell.wait()).await;
    assert_eq!((outcome.exit.code, outcome.spool_failed), (Some(0), true));
    let OutputText::Text(Excerpt { head, tail, .. }) = &outcome.output else {
        panic!("text")
    };
    assert!(head.starts_with("1\n2\n") && tail.ends_with("400000\nEND"));
    let told = model_text("seq", ".", &outcome);
    assert!(told.contains("did not take all of the output"), "{told}");
}
