//! Pages of text, and what is recorded about them.

use crate::support::Bench;
use files::{Error, Fault, LineRanges, ReadLimits, ReadOutcome, ReadRange, ShownAs, arm};
use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

const ALL: ReadRange = ReadRange {
    offset: None,
    limit: None,
};

fn range(offset: usize, limit: usize) -> ReadRange {
    ReadRange {
        offset: Some(offset),
        limit: Some(limit),
    }
}

fn shown(bytes: impl AsRef<[u8]>) -> String {
    let bench = Bench::new();
    bench.write("f.rs", bytes);
    bench.page("f.rs", ALL).text
}

#[test]
fn ordinary_text_has_numbers_and_no_header() {
    let check = |bytes: &[u8], expected: &str| assert_eq!(shown(bytes), expected, "{bytes:?}");
    check(b"a\n", "1\ta\n");
    check(b"a\n\nb  \n", "1\ta\n2\t\n3\tb  \n");
    check("gr\u{fc}n\n".as_bytes(), "1\tgr\u{fc}n\n");
}

#[test]
fn the_header_says_what_the_lines_do_not_show() {
    let check = |bytes: &[u8], expected: &str| assert_eq!(shown(bytes), expected, "{bytes:?}");
    check(b"", "[file is empty: 0 bytes]\n");
    check(
        b"\xef\xbb\xbf",
        "[file is empty: 3 bytes, byte order mark only]\n",
    );
    check(b"a", "[no newline at end of file]\n1\ta\n");
    check(b"a\r\nb\r\n", "[CRLF line ends]\n1\ta\n2\tb\n");
    check(b"a\r\nb\n", "[mixed line ends: 1 LF, 1 CRLF]\n1\ta\n2\tb\n");
    check(b"a\rb\n", "[1 CR without LF]\n1\ta\rb\n");
    check(b"\xef\xbb\xbfa\n", "[encoding utf-8 with BOM]\n1\ta\n");
    check(b"\xff\xfea\0\n\0", "[encoding utf-16le with BOM]\n1\ta\n");
    let broken = "\u{e9}\u{e9}\n".repeat(20).into_bytes();
    let broken = [&broken[..], b"x\xff\n"].concat();
    assert!(
        shown(&broken).starts_with("[1 undecodable bytes at 21:2]\n"),
        "{}",
        shown(&broken)
    );
    check(
        "a\u{a0}b\n\u{201c}c\u{201d}\n".as_bytes(),
        "[suspicious characters at 1:2 U+00A0, 2:1 U+201C, 2:3 U+201D]\n1\ta\u{a0}b\n2\t\u{201c}c\u{201d}\n",
    );
    let many = shown("\u{200b}\n".repeat(12));
    assert!(
        many.lines()
            .next()
            .is_some_and(|header| header.ends_with("10:1 U+200B, …]")),
        "{many}"
    );
}

#[test]
fn prose_may_have_curly_quotes() {
    let bench = Bench::new();
    bench.write("f.md", "\u{201c}c\u{201d}\n");
    assert_eq!(bench.page("f.md", ALL).text, "1\t\u{201c}c\u{201d}\n");
}

#[test]
fn a_guessed_encoding_is_named() {
    let (text, _, _) = (
        b"# \xc5\xe4\xd6\xc3\xce\xc4\xbc\xfe\xa3\xba\xb7\xfe\xce\xf1\xc6\xf7\n",
        (),
        (),
    );
    let page = shown(text);
    assert!(
        page.starts_with("[encoding gb") && page.contains("(guessed)"),
        "{page}"
    );
}

#[test]
fn pages_follow_each_other() {
    let bench = Bench::new();
    let text: String = (1..=5).map(|n| format!("line {n}\n")).collect();
    let path = bench.write("f.txt", text);
    let first = bench.page("f.txt", range(0, 2));
    assert_eq!(
        first.text,
        "[lines 1-2 of 5]\n1\tline 1\n2\tline 2\n[more lines follow: use offset=3]\n"
    );
    assert_eq!((first.next_offset, first.total.n), (Some(3), 5));
    let last = bench.page("f.txt", range(4, 9));
    assert_eq!(last.text, "[lines 4-5 of 5]\n4\tline 4\n5\tline 5\n");
    assert_eq!(last.next_offset, None);
    let record = bench
        .cache
        .lookup(&path, None)
        .expect("a record")
        .record()
        .clone();
    assert_eq!(record.seen.ranges(), [1..3, 4..6]);
    assert!(!record.full);
    let error = bench.read("f.txt", range(6, 1)).expect_err("after the end");
    assert_eq!(error.code(), "OFFSET_OUT_OF_RANGE");
    assert!(error.to_string().contains("5 lines"), "{error}");
    bench.write("empty", "");
    assert_eq!(
        bench
            .read("empty", range(2, 1))
            .expect_err("after the end")
            .code(),
        "OFFSET_OUT_OF_RANGE"
    );
}

#[test]
fn long_lines_and_pages_are_cut() {
    let mut bench = Bench::new();
    bench.limits = ReadLimits {
        max_lines: 3,
        max_chars: 40,
        max_line_chars: 10,
        ..ReadLimits::default()
    };
    let path = bench.write("f.txt", format!("{}\nb\nc\nd\n", "\u{e9}".repeat(12)));
    let page = bench.page("f.txt", ALL);
    let cut = format!(
        "1\t{} …[line truncated: 10 of 12 chars]\n",
        "\u{e9}".repeat(10)
    );
    assert_eq!(
        page.text,
        format!("[lines 1-1 of 4]\n{cut}[more lines follow: use offset=2]\n"),
        "the first line alone fills the page"
    );
    let record = bench
        .cache
        .lookup(&path, None)
        .expect("a record")
        .record()
        .clone();
    assert_eq!(
        record.seen,
        LineRanges::new(),
        "a line that was cut was not seen"
    );
    assert_eq!(
        bench
            .page(
                "f.txt",
                ReadRange {
                    offset: Some(2),
                    limit: None
                }
            )
            .n_lines,
        3
    );
    bench.limits.max_chars = 8;
    assert_eq!(
        bench.page("f.txt", range(2, 3)).n_lines,
        2,
        "cut between lines"
    );
}

#[test]
fn an_unchanged_file_is_not_shown_twice() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "a\nb\n");
    let is_unchanged = |range| matches!(bench.read("f.txt", range), Ok(ReadOutcome::Unchanged));
    assert!(!is_unchanged(range(1, 1)), "a part");
    assert!(!is_unchanged(ALL), "only a part was shown");
    assert!(is_unchanged(ALL));
    assert!(
        !is_unchanged(range(1, 2)),
        "an explicit range is always shown"
    );
    assert!(is_unchanged(ALL));
    bench.cache.drop_residence();
    assert!(!is_unchanged(ALL), "it is not in the context any more");
    assert!(is_unchanged(ALL));
    bench.cache.drop_residence();
    assert!(!is_unchanged(range(1, 1)));
    assert!(!is_unchanged(ALL), "a part does not bring back the rest");
    fs::write(&path, "a\nc\n").expect("a write");
    assert!(!is_unchanged(ALL), "other bytes");
}

#[test]
fn other_bytes_replace_what_was_seen() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "a\nb\nc\n");
    bench.page("f.txt", range(1, 2));
    fs::write(&path, "A\nb\nc\n").expect("a write");
    bench.page("f.txt", range(3, 1));
    let record = bench
        .cache
        .lookup(&path, None)
        .expect("a record")
        .record()
        .clone();
    assert_eq!(record.seen, LineRanges::from_iter(std::iter::once(3..4)));
}

#[test]
fn what_is_no_text_is_refused() {
    let bench = Bench::new();
    let check = |name: &str, code: &str, words: &str| {
        let error = bench.read(name, ALL).expect_err(name);
        assert_eq!(error.code(), code, "{name}");
        assert!(error.to_string().contains(words), "{name}: {error}");
    };
    fs::create_dir(bench.path("folder")).expect("a folder");
    check("folder", "TARGET_IS_DIRECTORY", "list_directory");
    rustix::fs::mkfifoat(rustix::fs::CWD, bench.path("pipe"), 0o644.into()).expect("a FIFO");
    check("pipe", "TARGET_NOT_REGULAR_FILE", "FIFO");
    let _socket = std::os::unix::net::UnixListener::bind(bench.path("socket")).expect("a socket");
    check("socket", "TARGET_NOT_REGULAR_FILE", "socket");
    symlink("nowhere", bench.path("dangling")).expect("a link");
    check("dangling", "TARGET_NOT_REGULAR_FILE", "dangling link");
    symlink("loop", bench.path("loop")).expect("a link");
    check("loop", "PRIOR_READ_VERIFICATION_FAILED", "loop");
    bench.write("picture", b"\x89PNG\r\n\x1a\nrest");
    check("picture", "READ_CONTENT_FAILURE", "decode the picture");
    bench.write("photo.txt", b"\xff\xd8\xff\xe0rest");
    check("photo.txt", "READ_CONTENT_FAILURE", "decode the picture");
    bench.write("icon.png", b"\0\0\x01\0\x01\0\x10\x10");
    check("icon.png", "BINARY_FILE", "binary");
    bench.write("program", b"\x7fELF\0\0\0\x01");
    check("program", "BINARY_FILE", "binary");
    symlink("/dev/zero", bench.path("zero")).expect("a link");
    check("zero", "PATH_FORBIDDEN", "device");
}

/// The smallest GIF there is.
const PIXEL: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

#[test]
fn a_picture_is_told_by_its_bytes() {
    let bench = Bench::new();
    let path = bench.write("pixel.txt", PIXEL);
    let outcome = bench.read("pixel.txt", ALL).expect("a picture");
    let ReadOutcome::Picture(picture) = outcome else {
        panic!("expected a picture, got {outcome:?}");
    };
    assert_eq!(
        (picture.mime, picture.width, picture.height),
        ("image/gif", 1, 1)
    );
    assert_eq!(picture.bytes, PIXEL);
    let record = bench
        .cache
        .lookup(&path, None)
        .expect("a record")
        .record()
        .clone();
    assert_eq!(record.shown_as, ShownAs::NonText);
    bench.write("page.png", "<!doctype html>\n");
    assert_eq!(bench.page("page.png", ALL).text, "1\t<!doctype html>\n");
}

#[test]
fn a_document_is_left_to_the_caller_and_no_base_for_an_edit() {
    let bench = Bench::new();
    let path = bench.write("paper", b"%PDF-1.7\n");
    let outcome = bench.read("paper", ALL).expect("a document");
    assert_eq!(outcome, ReadOutcome::Pdf(files::PdfFile { size: 9 }));
    let record = bench
        .cache
        .lookup(&path, None)
        .expect("a record")
        .record()
        .clone();
    assert_eq!(record.shown_as, ShownAs::NonText);
    bench.write("f.txt", "a\n");
    let error = bench.read_pages("f.txt", "1-2").expect_err("no document");
    assert_eq!(error.code(), "INVALID_TOOL_PARAMS");
    assert!(
        bench.cache.lookup(&bench.path("f.txt"), None).is_none(),
        "nothing was shown"
    );
}

#[test]
fn a_file_beyond_the_limit_of_streaming_is_refused_at_once() {
    let bench = Bench::new();
    let path = bench.write("huge.log", "a\n");
    let file = fs::OpenOptions::new()
        .write(true)
        .open(path)
        .expect("the file");
    file.set_len(2 * 1024 * 1024 * 1024 + 1)
        .expect("a sparse file");
    let error = bench.read("huge.log", range(1, 1)).expect_err("too large");
    assert_eq!(error.code(), "FILE_TOO_LARGE");
    assert!(error.to_string().contains("shell command"), "{error}");
}

#[test]
fn a_line_whose_end_is_not_found_in_time_is_no_end_of_the_file() {
    let mut bench = Bench::new();
    let line = "x".repeat(11 * 1024 * 1024);
    bench.write("one-line.json", format!("{line}\nlast\n"));
    bench.limits.max_stream_time = Duration::ZERO;
    for offset in [1, 2] {
        let error = bench
            .read("one-line.json", range(offset, 1))
            .expect_err("no time");
        assert_eq!(error.code(), "FILE_TOO_LARGE", "{error}");
    }
    let short = "y\n".repeat(6 * 1024 * 1024);
    bench.write("short-lines.log", short);
    let error = bench
        .read("short-lines.log", range(5_000_000, 1))
        .expect_err("no time");
    assert_eq!(
        error.code(),
        "FILE_TOO_LARGE",
        "short lines take time too: {error}"
    );
    let page = bench.page("short-lines.log", range(1, 2));
    assert!(
        page.text.contains("[lines 1-2 of at least 2;"),
        "{}",
        page.text
    );
}

#[test]
fn a_drawing_is_text_and_a_long_one_comes_in_parts() {
    let bench = Bench::new();
    bench.write("small.svg", "<svg/>\n");
    assert_eq!(bench.page("small.svg", ALL).text, "1\t<svg/>\n");
    bench.write("large.svg", "<path/>\n".repeat(130_000));
    let error = bench.read("large.svg", ALL).expect_err("too large");
    assert_eq!(error.code(), "FILE_TOO_LARGE");
    assert_eq!(bench.page("large.svg", range(5, 2)).n_lines, 2);
}

#[test]
fn a_missing_file_names_its_neighbours() {
    let bench = Bench::new();
    bench.write("src/Main.rs", "");
    bench.write("src/main.ts", "");
    let error = bench.read("src/main.rs", ALL).expect_err("missing");
    assert_eq!(error.code(), "FILE_NOT_FOUND");
    let Error::NotFound { suggestions, .. } = error else {
        panic!("{error}")
    };
    assert_eq!(
        suggestions,
        [bench.path("src/Main.rs"), bench.path("src/main.ts")]
    );
}

#[test]
fn failures_of_the_system_are_told_apart() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "a\n");
    let check = |fault, code: &str| {
        let _armed = arm(&path, fault);
        assert_eq!(bench.read("f.txt", ALL).expect_err(code).code(), code);
    };
    check(Fault::EaccesOpen, "PERMISSION_DENIED");
    check(Fault::EioRead, "READ_CONTENT_FAILURE");
    check(Fault::EaccesStat, "PRIOR_READ_VERIFICATION_FAILED");
}

#[test]
fn a_link_and_its_target_share_a_record() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "a\n");
    symlink("f.txt", bench.path("link")).expect("a link");
    bench.page("link", ALL);
    assert!(bench.cache.lookup(&path, None).is_some());
    fs::hard_link(&path, bench.path("other")).expect("a second name");
    assert!(matches!(
        bench.read("other", ALL),
        Ok(ReadOutcome::Unchanged)
    ));
}

#[test]
fn a_broken_notebook_is_shown_as_text_but_is_no_base_for_an_edit() {
    let bench = Bench::new();
    let path = bench.write("n.ipynb", "{}\n");
    assert_eq!(bench.page("n.ipynb", ALL).text, "1\t{}\n");
    let record = bench
        .cache
        .lookup(&path, None)
        .expect("a record")
        .record()
        .clone();
    assert_eq!(record.shown_as, ShownAs::NonText);
}

#[test]
fn files_the_kernel_makes_up_are_shown() {
    let bench = Bench::new();
    let resolved = files::resolve("/proc/self/status", &bench.roots);
    if resolved.is_err() {
        println!("skipped: no /proc here");
        return;
    }
    symlink("/proc/self/status", bench.path("status")).expect("a link");
    assert!(bench.page("status", ALL).text.contains("Name:"));
}

#[test]
fn a_part_of_a_large_file_is_read_without_loading_it() {
    let bench = Bench::new();
    let mut text = String::new();
    for n in 1..=400_000 {
        text.push_str(&format!("line {n} of a large file\n"));
    }
    text.push_str(&"x".repeat(5_000));
    let path = bench.write("large.txt", &text);
    assert!(text.len() as u64 > files::MAX_WHOLE_BYTES);
    let error = bench.read("large.txt", ALL).expect_err("too large");
    assert_eq!(error.code(), "FILE_TOO_LARGE");
    assert!(error.to_string().contains("offset and limit"), "{error}");
    let page = bench.page("large.txt", range(399_999, 2));
    assert_eq!(
        page.text,
        "[lines 399999-400000 of at least 400000; encoding utf-8; file too large to edit]\n\
         399999\tline 399999 of a large file\n400000\tline 400000 of a large file\n\
         [more lines follow: use offset=400001]\n"
    );
    let last = bench.page("large.txt", range(400_001, 5));
    assert!(last.text.ends_with(&format!(
        "{} …[line truncated: 2000 of 5000 chars]\n",
        "x".repeat(2_000)
    )));
    assert!(last.total.is_exact);
    assert_eq!(
        bench
            .read("large.txt", range(400_002, 5))
            .expect_err("the end")
            .code(),
        "OFFSET_OUT_OF_RANGE"
    );
    let record = bench
        .cache
        .lookup(&path, None)
        .expect("a record")
        .record()
        .clone();
    assert_eq!(record.hash, None);
}
