//! Listing folders.

use crate::support::{Bench, HIDDEN, control, rules};
use files::{EntryKind, GitIgnored, ListFound, ListParams, list, search_target};
use std::fs;
use std::os::unix::fs::symlink;

fn params() -> ListParams {
    ListParams {
        ignore: Vec::new(),
        depth: 1,
        limit: 100,
        offset: 0,
        git_ignored: HIDDEN,
    }
}

fn listed(bench: &Bench, params: &ListParams) -> ListFound {
    list(params, &bench.target(), &rules(), control()).expect("a list")
}

fn tree() -> Bench {
    let bench = Bench::new();
    bench.write("b.txt", "x".repeat(3_400));
    bench.write("A.txt", "1");
    bench.write("src/deep/x.rs", "");
    bench.write("src/main.rs", "12");
    bench.write(".gitignore", "*.log\n");
    bench.write("debug.log", "");
    bench.write(".git/config", "");
    bench.write(".~bd-0123456789abcdef.tmp", "");
    symlink("b.txt", bench.path("link")).expect("a link");
    symlink("nowhere", bench.path("dangling")).expect("a link");
    bench
}

#[test]
fn folders_come_first_then_names() {
    let bench = tree();
    let found = listed(&bench, &params());
    let expected = "6 entries in {ws} (3 ignored)\n\n\
                    src/\n.gitignore  6 B\nA.txt  1 B\nb.txt  3.4 KB\ndangling@! -> nowhere\nlink@ -> b.txt\n";
    assert_eq!(
        found.text(),
        expected.replace("{ws}", &bench.ws().display().to_string())
    );
}

#[test]
fn deeper_levels_are_indented() {
    let bench = tree();
    let deep = ListParams {
        depth: 3,
        ..params()
    };
    let text = listed(&bench, &deep).text();
    assert!(
        text.contains("src/\n  deep/\n    x.rs  0 B\n  main.rs  2 B\n.gitignore"),
        "{text}"
    );
    let two = ListParams {
        depth: 2,
        ..params()
    };
    assert!(!listed(&bench, &two).text().contains("x.rs"));
}

#[test]
fn ignored_files_can_be_shown_and_names_left_out() {
    let bench = tree();
    let all = ListParams {
        git_ignored: GitIgnored::Shown,
        ..params()
    };
    assert!(listed(&bench, &all).text().contains("debug.log"));
    let fewer = ListParams {
        ignore: vec!["*.txt".to_owned(), "src/".to_owned()],
        ..params()
    };
    let found = listed(&bench, &fewer);
    assert_eq!(found.total.n, 3);
    assert_eq!(found.n_ignored, 6);
    let bad = ListParams {
        ignore: vec!["[".to_owned()],
        ..params()
    };
    let error = list(&bad, &bench.target(), &rules(), control()).expect_err("a bad pattern");
    assert_eq!(error.code(), "INVALID_TOOL_PARAMS");
}

#[test]
fn pages_count_all_entries() {
    let bench = tree();
    let page = listed(
        &bench,
        &ListParams {
            limit: 2,
            offset: 1,
            ..params()
        },
    );
    assert_eq!(
        page.rows
            .iter()
            .map(|row| row.name.as_str())
            .collect::<Vec<_>>(),
        [".gitignore", "A.txt"]
    );
    assert_eq!(page.next_offset, Some(3));
    assert!(
        page.text()
            .ends_with("(rows 2–3 of 6; use offset=3 for more)\n"),
        "{}",
        page.text()
    );
    let after = listed(
        &bench,
        &ListParams {
            offset: 9,
            ..params()
        },
    );
    assert!(
        after
            .text()
            .ends_with("No rows at offset 9; there are 6.\n"),
        "{}",
        after.text()
    );
}

#[test]
fn special_and_empty_folders() {
    let bench = Bench::new();
    assert!(listed(&bench, &params()).text().ends_with(" is empty.\n"));
    rustix::fs::mkfifoat(rustix::fs::CWD, bench.path("pipe"), 0o644.into()).expect("a FIFO");
    let found = listed(&bench, &params());
    assert!(matches!(found.rows[0].kind, EntryKind::Special { .. }));
    let file = bench.write("f.txt", "");
    let target = search_target(file.to_str(), &bench.roots, ".agentignore").expect("a file");
    let error = list(&params(), &target, &rules(), control()).expect_err("a file");
    assert_eq!(error.code(), "PATH_IS_NOT_A_DIRECTORY");
    assert!(error.to_string().contains("read_file"), "{error}");
}

#[test]
fn hidden_places_stay_hidden() {
    let bench = Bench::new();
    bench.write(".agentignore", "secret\n");
    bench.write("secret/key", "");
    bench.write("data/x", "");
    fs::create_dir(bench.path("plain")).expect("a folder");
    let mut rules = rules();
    rules.hidden_folders.push(bench.path("data"));
    let all = ListParams {
        git_ignored: GitIgnored::Shown,
        ..params()
    };
    let found = list(&all, &bench.target(), &rules, control()).expect("a list");
    let names: Vec<&str> = found.rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["plain", ".agentignore"]);
}
