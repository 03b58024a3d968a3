use super::*;
use crate::outcome::{Exit, LeftProcess, TypedInput};

fn ended(text: &str) -> Outcome {
    let head = text.to_owned();
    Outcome {
        exit: Exit {
            code: Some(0),
            signal: None,
        },
        reason: EndReason::Natural,
        medium: crate::outcome::Medium::Terminal,
        sandbox: None,
        touched: Vec::new(),
        output: OutputText::Text(Excerpt {
            head,
            ..Excerpt::default()
        }),
        raw_bytes: text.len() as u64,
        dropped: None,
        output_file: "/spool/clean.txt".into(),
        spool_failed: false,
        leftovers: Vec::new(),
        leftovers_total: 0,
        duration: Duration::from_millis(40),
        timeout: Some(Duration::from_secs(120)),
        typed: TypedInput::default(),
    }
}

fn check(outcome: &Outcome, expected: &str) {
    assert_eq!(model_text("make", ".", outcome), expected);
}

#[test]
fn a_short_command_is_told_whole() {
    check(
        &ended("ok"),
        "Command: make\nDirectory: .\nOutput: ok\nExit Code: 0\nSignal: (none)",
    );
    check(
        &ended(""),
        "Command: make\nDirectory: .\nOutput: (empty)\nExit Code: 0\nSignal: (none)",
    );
}

#[test]
fn every_kind_of_end_is_told() {
    let timed_out = Outcome {
        reason: EndReason::TimedOut,
        exit: Exit {
            code: None,
            signal: Some(15),
        },
        duration: Duration::from_secs(121),
        ..ended("so far")
    };
    let rest =
        "Command: make\nDirectory: .\nOutput: so far\nExit Code: (none)\nSignal: SIGTERM (15)";
    check(
        &timed_out,
        &format!("Command timed out after 120000 ms and was stopped. Output before that:\n{rest}"),
    );
    let cancelled = Outcome {
        reason: EndReason::Cancelled,
        ..timed_out
    };
    check(
        &cancelled,
        &format!("Command was cancelled by the user. Output before that:\n{rest}"),
    );
    let lost = Outcome {
        reason: EndReason::Lost,
        exit: Exit::default(),
        ..ended("x")
    };
    assert!(model_text("make", ".", &lost).contains("\nNote: the command's supervisor died"));
    let killed = Outcome {
        exit: Exit {
            code: Some(137),
            signal: None,
        },
        ..ended("x")
    };
    assert!(
        model_text("make", ".", &killed)
            .ends_with("\nNote: exit code 137 means a process was killed by SIGKILL")
    );
    let binary = Outcome {
        output: OutputText::Binary,
        output_file: "/spool/raw.bin".into(),
        ..ended("12345")
    };
    assert!(
        model_text("make", ".", &binary)
            .contains("Output: [binary output, 5 bytes, saved to /spool/raw.bin]\n")
    );
}

#[test]
fn what_still_runs_is_named_up_to_twenty() {
    let leftovers = |total: usize| Outcome {
        leftovers: (0..total)
            .map(|n| LeftProcess {
                pid: 100 + i32::try_from(n).unwrap(),
                name: "sleep".into(),
            })
            .collect(),
        leftovers_total: total,
        ..ended("x")
    };
    assert!(
        model_text("make", ".", &leftovers(2))
            .ends_with("\nStill running: 100 (sleep), 101 (sleep)")
    );
    assert!(model_text("make", ".", &leftovers(23)).ends_with("119 (sleep) and 3 more"));
}

#[test]
fn missing_bytes_and_long_runs_are_noted() {
    let dropped = Outcome {
        dropped: Some(16..48),
        spool_failed: true,
        ..ended("x")
    };
    let text = model_text("make", ".", &dropped);
    assert!(
        text.contains(
            "\nNote: bytes 16-47 of the output were not kept\nNote: the disk did not take"
        ),
        "{text}"
    );
    let advised = |seconds, reason| {
        let outcome = Outcome {
            duration: Duration::from_secs(seconds),
            reason,
            ..ended("x")
        };
        model_text("make", ".", &outcome).contains("do not run it again")
    };
    assert!(!advised(59, EndReason::Natural) && advised(60, EndReason::Natural));
    assert!(!advised(60, EndReason::Cancelled));
}

#[test]
fn a_long_output_keeps_both_ends_within_the_budget() {
    let lines: String = (0..20_000).map(|n| format!("line {n:06}\n")).collect();
    let text = lines.trim_end();
    let (head, tail) = (
        text.get(..30_000).unwrap().to_owned(),
        text.get(text.len() - 30_000..).unwrap().to_owned(),
    );
    let omitted = (text.len() - 60_000) as u64;
    let outcome = Outcome {
        output: OutputText::Text(Excerpt {
            head,
            omitted,
            tail,
            lines: 20_000,
        }),
        ..ended("")
    };
    let told = model_text("make", ".", &outcome);
    let chars = told.chars().count();
    assert!((29_500..=MODEL_TEXT_MAX_CHARS).contains(&chars), "{chars}");
    assert!(told.contains("Output: line 000000\n") && told.contains("\nline 019999\nExit Code: 0"));
    let (before, after) = told.split_once("\n… [").unwrap();
    let (mark, after) = after.split_once("] …\n").unwrap();
    assert!(
        before.lines().last().unwrap().starts_with("line 0") && after.starts_with("line 0"),
        "whole lines"
    );
    let (count, file) = mark
        .split_once(" characters omitted; full output: ")
        .unwrap();
    assert_eq!(file, "/spool/clean.txt");
    let shown = before.split_once("Output: ").unwrap().1.len()
        + after.split_once("\nExit Code").unwrap().0.len();
    assert_eq!(
        count.parse::<usize>().unwrap() + shown,
        text.len(),
        "every character is shown or counted"
    );
}

#[test]
fn a_cut_that_would_save_nothing_is_not_made() {
    let frame = model_text("make", ".", &ended("")).chars().count() - "(empty)".len();
    let exact = "é".repeat(MODEL_TEXT_MAX_CHARS - frame);
    assert_eq!(
        model_text("make", ".", &ended(&exact)).chars().count(),
        MODEL_TEXT_MAX_CHARS
    );
    let longer = "é".repeat(MODEL_TEXT_MAX_CHARS - frame + 1);
    let told = model_text("make", ".", &ended(&longer));
    assert!(told.chars().count() <= MODEL_TEXT_MAX_CHARS && told.contains(" characters omitted; "));
    let line = "x".repeat(40_000);
    assert!(
        model_text("make", ".", &ended(&line)).chars().count() <= MODEL_TEXT_MAX_CHARS,
        "no line ends near"
    );
}

#[test]
fn a_huge_command_leaves_room_for_its_output() {
    let command = "x".repeat(100_000);
    let told = model_text(&command, ".", &ended(&"y".repeat(20_000)));
    assert!(told.contains("… [92500 more characters]\nDirectory: .\n"));
    assert!(told.contains(&"y".repeat(20_000)));
}
