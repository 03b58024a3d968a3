//! More output than anybody reads.

use crate::harness::{Bench, resident_kib, within};
use terminal::{Excerpt, OutputText, SpoolLimits, model_text};

/// Several times what is held of it.
const FLOOD_BYTES: u64 = 40_000_000;
/// Most that a flood of any length may add to this process: text, bytes and buffers, all bounded.
const MAX_GROWTH_KIB: u64 = 48 * 1024;

#[tokio::test]
async fn a_flood_is_read_whole_and_kept_small() {
    let limits = SpoolLimits {
        max_bytes: 12 * 1024 * 1024,
        segment_bytes: 4 * 1024 * 1024,
    };
    let bench = Bench::with_limits(limits);
    let before = resident_kib();
    let command = format!(
        "echo begin; yes 'the quick brown fox jumps over the lazy dog' | head -c {FLOOD_BYTES}; echo; echo end"
    );
    let shell = bench.start(&command).await;
    let (_snapshot, _hidden_view) = shell.attach(None);
    let outcome = tokio::time::timeout(std::time::Duration::from_secs(120), shell.wait())
        .await
        .unwrap();
    within(shell.gone()).await;
    let grown = resident_kib() - before;
    assert!(grown < MAX_GROWTH_KIB, "{grown} KiB");
    // Each newline comes as two bytes; the flood ends within a line.
    let newlines = FLOOD_BYTES / 44 + 3;
    assert_eq!(
        outcome.raw_bytes,
        "begin".len() as u64 + FLOOD_BYTES - FLOOD_BYTES / 44 + 2 * newlines + 3,
        "every byte was read"
    );
    let OutputText::Text(Excerpt {
        head,
        omitted,
        tail,
        ..
    }) = &outcome.output
    else {
        panic!("text")
    };
    assert!(head.starts_with("begin\nthe quick") && tail.ends_with("\nend"));
    assert!(*omitted > FLOOD_BYTES - 61_000, "{omitted}");
    let told = model_text("yes", ".", &outcome);
    assert!(told.chars().count() <= 30_000);
    let dropped = outcome.dropped.clone().unwrap();
    assert!(told.contains(&format!(
        "Note: bytes {}-{} of the output",
        dropped.start,
        dropped.end - 1
    )));
    let on_disk: u64 = std::fs::read_dir(bench.folder.path().join("shells/s/0"))
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum();
    assert!(on_disk <= 2 * limits.max_bytes + 100, "{on_disk}");
}

#[tokio::test]
async fn the_last_line_of_a_fast_command_always_arrives() {
    let bench = Bench::new();
    for round in 0..40 {
        let outcome = bench.run("seq 1 20000; echo END").await;
        let OutputText::Text(excerpt) = &outcome.output else {
            panic!("text")
        };
        let end = if excerpt.tail.is_empty() {
            &excerpt.head
        } else {
            &excerpt.tail
        };
        assert!(end.ends_with("20000\nEND"), "round {round}");
        assert_eq!(outcome.raw_bytes, 128_894 + 5, "round {round}");
    }
}

#[tokio::test]
async fn binary_output_is_kept_and_not_shown() {
    let bench = Bench::new();
    let outcome = bench.run("head -c 100000 /dev/zero; cat /bin/true").await;
    assert_eq!(outcome.output, OutputText::Binary);
    assert!(
        std::fs::metadata(&outcome.output_file).unwrap().len() == outcome.raw_bytes
            && outcome.raw_bytes > 100_000
    );
}

#[tokio::test]
async fn long_output_of_a_program_that_draws_is_readable_text() {
    let bench = Bench::new();
    let outcome = bench
        .run("printf '\\033[H'; for n in $(seq 1 4000); do echo \"row $n of many rows\"; done")
        .await;
    let file = std::fs::read_to_string(&outcome.output_file).unwrap();
    let rows: Vec<String> = (1..=4000)
        .map(|n| format!("row {n} of many rows"))
        .collect();
    assert_eq!(file, rows.join("\n"));
}
