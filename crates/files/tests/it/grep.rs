//! Finding text.

use crate::support::{Bench, HIDDEN, control, now_ns, rules};
use files::{
    CaseMatch, Error, GitIgnored, GrepFound, GrepMode, GrepParams, GrepRows, LineNumbers,
    MatchSpan, PatternSyntax, WordMatch, grep, note_grep, search_target,
};
use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub(crate) const LINES: GrepMode = around(0, 0);

const fn around(before: usize, after: usize) -> GrepMode {
    GrepMode::Lines {
        before,
        after,
        numbers: LineNumbers::Shown,
    }
}

pub(crate) fn params(pattern: &str, mode: GrepMode) -> GrepParams {
    GrepParams {
        pattern: pattern.to_owned(),
        syntax: PatternSyntax::Regex,
        case: CaseMatch::Sensitive,
        words: WordMatch::Anywhere,
        span: MatchSpan::Line,
        mode,
        globs: Vec::new(),
        types: Vec::new(),
        head_limit: 250,
        offset: 0,
        max_chars: 18_000,
        git_ignored: HIDDEN,
    }
}

pub(crate) fn search(bench: &Bench, params: &GrepParams) -> Result<GrepFound, Error> {
    grep(params, &bench.target(), &rules(), control())
}

/// The body of the text: rows and notes.
fn body(bench: &Bench, params: &GrepParams) -> String {
    let text = search(bench, params).expect("a result").text();
    text.split_once('\n')
        .expect("a header")
        .1
        .trim_start_matches('\n')
        .to_owned()
}

fn small_tree() -> Bench {
    let bench = Bench::new();
    bench.write("src/a.rs", "fn one() {}\nfn two() {}\n// three\n");
    bench.write("src/b.txt", "one\nONE\none two one\n");
    bench.write("a.md", "nothing\n");
    bench
}

#[test]
fn lines_come_by_path_with_numbers() {
    let bench = small_tree();
    let found = search(&bench, &params("one", LINES)).expect("a result");
    assert_eq!(
        found.text(),
        "Found 3 matches in 2 files for /one/ in the workspace\n\n\
         src/a.rs\n1:fn one() {}\n\nsrc/b.txt\n1:one\n3:one two one\n"
    );
    let GrepRows::Lines(files) = found.rows else {
        panic!("lines")
    };
    assert_eq!(files[1].lines[1].ranges, [0..3, 8..11]);
}

#[test]
fn modes_list_files_counts_and_lines() {
    let bench = small_tree();
    let then = fs::metadata(bench.path("src/b.txt"))
        .and_then(|meta| meta.modified())
        .expect("a time");
    let newer = fs::File::options()
        .write(true)
        .open(bench.path("src/a.rs"))
        .expect("a file");
    newer
        .set_modified(then + Duration::from_secs(5))
        .expect("a time");
    assert_eq!(
        body(&bench, &params("one", GrepMode::Files)),
        "src/a.rs\nsrc/b.txt\n"
    );
    assert_eq!(
        body(&bench, &params("one|two", GrepMode::Counts)),
        "src/a.rs:2\nsrc/b.txt:2\ntotal 4 in 2 files\n"
    );
    let none = search(&bench, &params("absent", GrepMode::Files)).expect("a result");
    assert_eq!(none.text(), "No matches for /absent/ in the workspace\n");
}

#[test]
fn context_is_grouped() {
    let bench = Bench::new();
    bench.write("f", "1\n2\nhit\n4\n5\n6\n7\nhit\n9\n");
    assert_eq!(
        body(&bench, &params("hit", around(1, 1))),
        "f\n2-2\n3:hit\n4-4\n--\n7-7\n8:hit\n9-9\n"
    );
    let hidden = GrepMode::Lines {
        before: 0,
        after: 1,
        numbers: LineNumbers::Hidden,
    };
    assert_eq!(
        body(&bench, &params("hit", hidden)),
        "f\n:hit\n-4\n--\n:hit\n-9\n"
    );
}

#[test]
fn options_change_what_matches() {
    let bench = Bench::new();
    bench.write("f", "a.b\naXb\nA.B\nxa.b\nword wordy\n");
    let check = |params: GrepParams, expected: &str| {
        assert_eq!(
            body(&bench, &params),
            format!("f\n{expected}"),
            "{params:?}"
        );
    };
    let base = |pattern| params(pattern, LINES);
    check(base("^a.b$"), "1:a.b\n2:aXb\n");
    check(
        GrepParams {
            syntax: PatternSyntax::Literal,
            ..base("a.b")
        },
        "1:a.b\n4:xa.b\n",
    );
    check(
        GrepParams {
            case: CaseMatch::Ignored,
            ..base("^a\\.b")
        },
        "1:a.b\n3:A.B\n",
    );
    check(
        GrepParams {
            words: WordMatch::Whole,
            ..base("a\\.b")
        },
        "1:a.b\n",
    );
    check(base("wordy?$"), "5:word wordy\n");
}

#[test]
fn patterns_fall_back_as_declared() {
    let bench = Bench::new();
    bench.write(
        "f.go",
        "var x interface{}\nfoo{bar\nbeta two\nabab\nfoo(\naab\n",
    );
    let check = |pattern: &str, expected: &str, note: &str| {
        let text = body(&bench, &params(pattern, LINES));
        assert!(
            text.starts_with(&format!("f.go\n{expected}")),
            "{pattern}: {text}"
        );
        assert_eq!(
            text.contains('('),
            expected.contains('(') || !note.is_empty(),
            "{pattern}: {text}"
        );
        assert!(text.contains(note), "{pattern}: {text}");
    };
    check("interface{}", "1:var x interface{}\n", "look-around");
    check("foo{bar", "2:foo{bar\n", "look-around");
    check("beta(?= two)", "3:beta two\n", "look-around");
    check("(ab)\\1", "4:abab\n", "look-around");
    check("foo(", "5:foo(\n", "not a valid regular expression");
    check("a++b", "4:abab\n6:aab\n", "");
    check("abab\\nfoo", "4:abab\n5:foo(\n", "line break");
}

#[test]
fn words_and_case_hold_in_the_second_engine() {
    let bench = Bench::new();
    bench.write("f", "cat\ncats\nCAT dog\n");
    let base = params("cat(?! dog)", LINES);
    let check = |params: GrepParams, expected: &str| {
        let text = body(&bench, &params);
        assert!(
            text.starts_with(&format!("f\n{expected}(searched")),
            "{text}"
        );
    };
    check(base.clone(), "1:cat\n2:cats\n");
    check(
        GrepParams {
            words: WordMatch::Whole,
            ..base.clone()
        },
        "1:cat\n",
    );
    check(
        GrepParams {
            case: CaseMatch::Ignored,
            words: WordMatch::Whole,
            ..base
        },
        "1:cat\n",
    );
}

#[test]
fn a_pattern_that_never_ends_spoils_one_file_only() {
    let bench = Bench::new();
    bench.write("bad", format!("{}!\n", "a".repeat(60)));
    bench.write("good", "aaaab\n");
    let text = body(&bench, &params("^(a|aa)+(\\1)b", LINES));
    assert!(text.contains("good\n1:aaaab\n"), "{text}");
    assert!(
        text.contains("(1 entries could not be read: bad: backtrack limit)"),
        "{text}"
    );
}

#[test]
fn a_huge_pattern_is_refused() {
    let bench = Bench::new();
    let error = search(&bench, &params("(\\w{1000}){1000}", LINES)).expect_err("too large");
    assert_eq!(error.code(), "GREP_PATTERN_TOO_LARGE");
}

#[test]
fn matches_may_span_lines() {
    let bench = Bench::new();
    bench.write("f", "start\nmiddle\nend\nstart end\n");
    let multi = |pattern, mode| GrepParams {
        span: MatchSpan::Lines,
        ..params(pattern, mode)
    };
    assert_eq!(
        body(&bench, &multi("start.*?end", LINES)),
        "f\n1:start\n2:middle\n3:end\n4:start end\n"
    );
    assert_eq!(
        body(&bench, &multi("start.*?end", GrepMode::Counts)),
        "f:2\ntotal 2 in 1 files\n"
    );
    bench.write("f", format!("start\n{}end\n", "x\n".repeat(60)));
    let text = body(&bench, &multi("start.*end", LINES));
    assert!(text.ends_with("40:x\n… 22 more lines\n"), "{text}");
}

#[test]
fn line_ends_of_windows_are_no_text() {
    let bench = Bench::new();
    bench.write("f", "one\r\ntwo\r\n");
    let found = search(&bench, &params("one$", LINES)).expect("a result");
    assert_eq!(body(&bench, &params("one$", LINES)), "f\n1:one\n");
    assert_eq!(found.total.n, 1);
    let multi = GrepParams {
        span: MatchSpan::Lines,
        ..params("one$", LINES)
    };
    assert_eq!(body(&bench, &multi), "f\n1:one\n");
    assert_eq!(
        body(&bench, &params("o(?=ne$)", LINES)).lines().nth(1),
        Some("1:one")
    );
}

#[test]
fn encodings_and_binary_files() {
    let bench = Bench::new();
    bench.write("latin", b"caf\xe9 needle\n");
    let utf16: Vec<u8> = "\u{feff}a needle\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    bench.write("utf16", utf16);
    bench.write("binary", b"needle\n\0");
    let late = [b"needle\n".repeat(20_000), b"\0".to_vec()].concat();
    bench.write("late", late);
    assert_eq!(
        body(&bench, &params("needle", LINES)),
        "latin\n1:caf\u{fffd} needle\n\nutf16\n1:a needle\n"
    );
    assert_eq!(
        body(&bench, &params("needle", GrepMode::Counts)),
        "latin:1\nutf16:1\ntotal 2 in 2 files\n"
    );
    let large = [vec![b'x'; 5 << 20], b"\nneedle\n\0".to_vec()].concat();
    bench.write("large", large);
    assert!(!body(&bench, &params("needle", GrepMode::Counts)).contains("large"));
}

#[test]
fn large_files_are_searched_in_pieces_and_very_large_ones_by_name_only() {
    let bench = Bench::new();
    let mut large = vec![b'x'; 5 << 20];
    large.extend(b"\nneedle\n");
    bench.write("large", &large);
    assert_eq!(body(&bench, &params("needle", LINES)), "large\n2:needle\n");
    let path = bench.path("huge");
    let file = fs::File::create(&path).expect("a file");
    std::io::Write::write_all(
        &mut &file,
        &[large.repeat(11), b"\nneedle\n".to_vec()].concat(),
    )
    .expect("a write");
    let text = body(&bench, &params("needle", GrepMode::Files));
    assert!(
        text.contains("large\n") && !text.contains("huge\n"),
        "{text}"
    );
    assert!(
        text.contains("(1 file over the size limit skipped)"),
        "{text}"
    );
    let target = search_target(path.to_str(), &bench.roots, ".agentignore").expect("a file");
    let found = grep(
        &params("needle", GrepMode::Counts),
        &target,
        &rules(),
        control(),
    )
    .expect("a result");
    assert_eq!(found.n_matches.map(|n| n.n), Some(12));
}

#[test]
fn what_is_not_searched() {
    let bench = Bench::new();
    bench.write(".gitignore", "*.log\n");
    bench.write(".agentignore", "secret\n");
    for name in [
        "a.log",
        "secret",
        ".git/x",
        ".hidden/x",
        "b.txt",
        ".~bd-0123456789abcdef.tmp",
    ] {
        bench.write(name, "needle\n");
    }
    symlink("b.txt", bench.path("link")).expect("a link");
    rustix::fs::mkfifoat(rustix::fs::CWD, bench.path("pipe"), 0o644.into()).expect("a FIFO");
    let files = |params: &GrepParams| {
        let GrepRows::Counts(rows) = search(&bench, params).expect("a result").rows else {
            panic!("counts")
        };
        rows.into_iter().map(|row| row.display).collect::<Vec<_>>()
    };
    let base = params("needle", GrepMode::Counts);
    assert_eq!(files(&base), [".hidden/x", "b.txt"]);
    let all = GrepParams {
        git_ignored: GitIgnored::Shown,
        ..base.clone()
    };
    assert_eq!(files(&all), [".hidden/x", "a.log", "b.txt"]);
    let by_glob = GrepParams {
        globs: vec!["*.log".to_owned(), "secret".to_owned()],
        ..base
    };
    assert_eq!(
        files(&by_glob),
        Vec::<String>::new(),
        "a filter never brings back what is hidden"
    );
    let target =
        search_target(bench.path("a.log").to_str(), &bench.roots, ".agentignore").expect("a file");
    let found = grep(&params("needle", LINES), &target, &rules(), control()).expect("a result");
    assert_eq!(found.total.n, 1, "a file that is named is searched");
}

#[test]
fn filters_by_glob_and_type() {
    let bench = Bench::new();
    for name in ["src/a.rs", "src/b.py", "tests/c.rs", "d.rs"] {
        bench.write(name, "needle\n");
    }
    let check = |globs: &[&str], types: &[&str], expected: &[&str]| {
        let params = GrepParams {
            globs: globs.iter().map(|glob| (*glob).to_owned()).collect(),
            types: types.iter().map(|name| (*name).to_owned()).collect(),
            ..params("needle", GrepMode::Counts)
        };
        let GrepRows::Counts(rows) = search(&bench, &params).expect("a result").rows else {
            panic!("counts")
        };
        let found: Vec<_> = rows.iter().map(|row| row.display.as_str()).collect();
        assert_eq!(found, expected, "{globs:?} {types:?}");
    };
    check(&["*.rs"], &[], &["d.rs", "src/a.rs", "tests/c.rs"]);
    check(&["src/*.rs"], &[], &["src/a.rs"]);
    check(&["*.rs", "!tests/**"], &[], &["d.rs", "src/a.rs"]);
    check(&["!src/"], &[], &["d.rs", "tests/c.rs"]);
    check(&[], &["rust"], &["d.rs", "src/a.rs", "tests/c.rs"]);
    check(
        &[],
        &["py", "rust"],
        &["d.rs", "src/a.rs", "src/b.py", "tests/c.rs"],
    );
    check(&["src/**"], &["py"], &["src/b.py"]);
    let unknown = GrepParams {
        types: vec!["rus".to_owned()],
        ..params("x", LINES)
    };
    let error = search(&bench, &unknown).expect_err("unknown");
    assert_eq!(error.code(), "INVALID_TOOL_PARAMS");
    assert!(error.to_string().contains("rust"), "{error}");
}

#[test]
fn paths_are_in_the_order_of_their_bytes() {
    let bench = Bench::new();
    for name in ["a/x", "a.txt", "a-b/y", "a0", "b", "Z"] {
        bench.write(name, "needle\n");
    }
    let GrepRows::Lines(files) = search(&bench, &params("needle", LINES))
        .expect("a result")
        .rows
    else {
        panic!("lines")
    };
    let found: Vec<_> = files.iter().map(|file| file.display.as_str()).collect();
    assert_eq!(found, ["Z", "a-b/y", "a.txt", "a/x", "a0", "b"]);
}

#[test]
fn lines_on_the_page_count_as_seen() {
    let bench = Bench::new();
    let path = bench.write(
        "f.txt",
        format!("1\n2\nneedle\n4\n5\n6 needle {}\n", "x".repeat(600)),
    );
    bench.write("n.ipynb", "needle\n");
    let found = search(&bench, &params("needle", around(1, 1))).expect("a result");
    note_grep(&found, &bench.cache, now_ns());
    let records = bench.cache.records();
    assert_eq!(records.len(), 1, "no notebook");
    assert_eq!(records[0].path, path);
    assert_eq!(
        records[0].seen,
        files::LineRanges::from_iter(std::iter::once(2..6)),
        "a line that was cut was not seen"
    );
    assert!(!records[0].full);
    let request = files::ChangeRequest::Edit {
        old: "4",
        new: "four",
        occurrences: files::Occurrences::One,
    };
    files::plan(
        &bench.resolve(&path).expect("a path"),
        &request,
        &bench.plan_context(),
    )
    .expect("it was read");
}

#[test]
fn a_search_can_be_cancelled_and_has_a_limit() {
    let bench = Bench::new();
    for n in 0..300 {
        bench.write(&format!("f{n}"), "needle\n");
    }
    let cancel = AtomicBool::new(false);
    let seen = std::sync::atomic::AtomicU64::new(0);
    let progress = |progress: files::Progress| {
        seen.store(progress.n_files, Ordering::Relaxed);
        cancel.store(true, Ordering::Relaxed);
    };
    let mut stopped = control();
    stopped.cancel = &cancel;
    stopped.progress = &progress;
    let error = grep(
        &params("needle", GrepMode::Files),
        &bench.target(),
        &rules(),
        stopped,
    )
    .expect_err("cancelled");
    assert_eq!(error.code(), "CANCELLED");
    assert!(seen.load(Ordering::Relaxed) >= 64);
    let mut late = control();
    late.max_time = Duration::ZERO;
    let found = grep(
        &params("needle", GrepMode::Files),
        &bench.target(),
        &rules(),
        late,
    )
    .expect("a part");
    assert!(!found.total.is_exact && found.total.n < 300);
    assert!(
        found.text().contains("(incomplete: stopped after 0 s"),
        "{}",
        found.text()
    );
}
