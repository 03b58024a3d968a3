//! Which rows of a search are on a page, and in which order.

use crate::grep::{LINES, params, search};
use crate::support::Bench;
use files::{GrepFound, GrepMode, GrepParams, GrepRows, MatchSpan};
use std::fs;
use std::time::Duration;

/// A page of lines that hold `needle`.
fn page(bench: &Bench, head_limit: usize, offset: usize) -> GrepFound {
    let params = GrepParams {
        head_limit,
        offset,
        max_chars: usize::MAX,
        ..params("needle", LINES)
    };
    search(bench, &params).expect("a page")
}

fn lines(found: &GrepFound) -> Vec<String> {
    let GrepRows::Lines(files) = &found.rows else {
        panic!("lines")
    };
    let lines = files.iter().flat_map(|file| &file.lines);
    lines.map(|line| line.text.clone()).collect()
}

/// 40 files with 9 matching lines each.
fn tree() -> Bench {
    let bench = Bench::new();
    for file in 0..40 {
        let text: String = (0..9)
            .map(|n| format!("needle {file} {n}\nother\n"))
            .collect();
        bench.write(&format!("d{file:02}/f"), text);
    }
    bench
}

#[test]
fn pages_join_without_gaps() {
    let bench = tree();
    let whole = page(&bench, 5_000, 0);
    assert_eq!(
        (whole.total.n, whole.total.is_exact, whole.next_offset),
        (360, true, None)
    );
    let mut joined = Vec::new();
    let mut offset = Some(0);
    while let Some(at) = offset {
        let page = page(&bench, 7, at);
        joined.extend(lines(&page));
        offset = page.next_offset;
    }
    assert_eq!(joined, lines(&whole));
}

#[test]
fn a_full_page_ends_the_search() {
    let bench = tree();
    let early = page(&bench, 7, 0);
    assert!(!early.total.is_exact);
    let text = early.text();
    assert!(text.starts_with("Found at least "), "{text}");
    let text = page(&bench, 250, 1_000).text();
    assert!(
        text.ends_with("No rows at offset 1000; there are 360.\n"),
        "{text}"
    );
}

#[test]
fn a_page_ends_before_its_characters_run_out() {
    let bench = Bench::new();
    bench.write("f", "needle and some more text\n".repeat(100));
    let params = GrepParams {
        max_chars: 500,
        ..params("needle", LINES)
    };
    let page = search(&bench, &params).expect("a page");
    let text = page.text();
    assert!(text.chars().count() < 700, "{text}");
    let next = page.next_offset.expect("more");
    let note = format!("(rows 1–{next} of 100; use offset={next} for more)\n");
    assert!(text.ends_with(&note), "{text}");
}

#[test]
fn a_match_of_several_lines_is_never_split() {
    let bench = Bench::new();
    bench.write("f", "start\nmiddle\nend\n".repeat(3));
    let page = |offset| {
        let params = GrepParams {
            span: MatchSpan::Lines,
            head_limit: 1,
            offset,
            ..params("start.*?end", LINES)
        };
        search(&bench, &params).expect("a page")
    };
    let numbers = |found: &GrepFound| -> Vec<usize> {
        let GrepRows::Lines(files) = &found.rows else {
            panic!("lines")
        };
        let lines = files.iter().flat_map(|file| &file.lines);
        lines.map(|line| line.number).collect()
    };
    let first = page(0);
    assert_eq!(numbers(&first), [1, 2, 3]);
    assert_eq!(first.next_offset, Some(3));
    assert_eq!(numbers(&page(3)), [4, 5, 6]);
}

#[test]
fn a_common_pattern_gives_the_newest_files_all_the_same() {
    let bench = Bench::new();
    let mut expected = Vec::new();
    let n_files: u64 = 1_200;
    for n in 0..n_files {
        let name = format!("d{}/f{n:04}", n % 7);
        let text = if n % 3 == 0 { "nothing\n" } else { "needle\n" };
        let path = bench.write(&name, text);
        let file = fs::File::options().write(true).open(&path).expect("a file");
        let now = fs::metadata(&path)
            .and_then(|meta| meta.modified())
            .expect("a time");
        // Newer and older files are spread over the tree.
        let age = Duration::from_secs((n * 7_919) % n_files + 1);
        file.set_modified(now.checked_sub(age * 60).expect("a time"))
            .expect("a new time");
        if n % 3 != 0 {
            expected.push((age, name));
        }
    }
    expected.sort();
    let names = |offset: usize, head_limit: usize| -> (Vec<String>, bool) {
        let params = GrepParams {
            offset,
            head_limit,
            ..params("needle", GrepMode::Files)
        };
        let found = search(&bench, &params).expect("a page");
        let GrepRows::Files(rows) = found.rows else {
            panic!("files")
        };
        (
            rows.into_iter().map(|row| row.display).collect(),
            found.total.is_exact,
        )
    };
    let newest = |range: std::ops::Range<usize>| -> Vec<String> {
        expected[range]
            .iter()
            .map(|(_, name)| name.clone())
            .collect()
    };
    let (page, is_exact) = names(0, 100);
    assert_eq!(page, newest(0..100));
    assert!(!is_exact, "older files were not searched");
    assert_eq!(names(100, 100).0, newest(100..200));
    assert_eq!(names(700, 500), (newest(700..800), true));
}
