//! Finding names.

use crate::support::{Bench, HIDDEN, control, now_ns, rules};
use files::{Folders, GitIgnored, GlobFound, GlobParams, glob, search_target};
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn params(pattern: &str) -> GlobParams {
    GlobParams {
        pattern: pattern.to_owned(),
        limit: 100,
        offset: 0,
        folders: Folders::LeftOut,
        git_ignored: HIDDEN,
        now_ns: now_ns(),
    }
}

fn found(bench: &Bench, params: &GlobParams) -> GlobFound {
    glob(params, &bench.target(), &rules(), control()).expect("a result")
}

fn names(bench: &Bench, pattern: &str) -> Vec<String> {
    found(bench, &params(pattern))
        .rows
        .into_iter()
        .map(|row| row.display)
        .collect()
}

/// Sets the last change to so long ago.
fn age(path: &Path, age: Duration) {
    let file = fs::File::options().write(true).open(path).expect("a file");
    let then = fs::metadata(path)
        .and_then(|meta| meta.modified())
        .expect("a time")
        .checked_sub(age);
    file.set_modified(then.expect("a time"))
        .expect("a new time");
}

fn hours(n: u64) -> Duration {
    Duration::from_secs(n * 3_600)
}

#[test]
fn recent_files_come_first_then_paths() {
    let bench = Bench::new();
    for (name, hours_ago) in [
        ("z.rs", 1),
        ("a.rs", 3),
        ("sub/m.rs", 2),
        ("old/b.rs", 30),
        ("old.rs", 50),
    ] {
        age(&bench.write(name, ""), hours(hours_ago));
    }
    assert_eq!(
        names(&bench, "*.rs"),
        ["z.rs", "sub/m.rs", "a.rs", "old.rs", "old/b.rs"]
    );
}

#[test]
fn patterns_with_a_slash_start_at_the_search_folder() {
    let bench = Bench::new();
    for name in ["src/a.rs", "src/x/b.rs", "lib/src/c.rs", ".github/ci.yml"] {
        age(&bench.write(name, ""), hours(48));
    }
    let check = |pattern: &str, expected: &[&str]| {
        assert_eq!(names(&bench, pattern), expected, "{pattern}")
    };
    check("src/*.rs", &["src/a.rs"]);
    check("src/**/*.rs", &["src/a.rs", "src/x/b.rs"]);
    check("**/src/*.rs", &["lib/src/c.rs", "src/a.rs"]);
    check(
        "*.{rs,yml}",
        &[".github/ci.yml", "lib/src/c.rs", "src/a.rs", "src/x/b.rs"],
    );
    let target = search_target(Some("lib"), &bench.roots, ".agentignore").expect("a folder");
    let found = glob(&params("src/*.rs"), &target, &rules(), control()).expect("a result");
    assert_eq!(
        found.text(),
        "Found 1 file matching \"src/*.rs\" in lib\n\nlib/src/c.rs\n"
    );
}

#[test]
fn names_that_look_like_patterns_are_found() {
    let bench = Bench::new();
    bench.write("app/[id]/page.tsx", "");
    bench.write("app/i/page.tsx", "");
    bench.write("app/(group)/x.tsx", "");
    assert_eq!(
        names(&bench, "app/[id]/page.tsx"),
        ["app/[id]/page.tsx", "app/i/page.tsx"]
    );
    assert_eq!(names(&bench, "app/(group)/x.tsx"), ["app/(group)/x.tsx"]);
}

#[test]
fn case_counts_unless_nothing_is_found() {
    let bench = Bench::new();
    bench.write("README.md", "");
    bench.write("Makefile", "");
    let found = found(&bench, &params("readme.MD"));
    assert_eq!(found.rows[0].display, "README.md");
    assert_eq!(found.notes, ["(matched ignoring case)"]);
    assert_eq!(names(&bench, "Makefile"), ["Makefile"]);
}

#[test]
fn ignored_and_hidden_places_stay_out() {
    let bench = Bench::new();
    bench.write(".gitignore", "*.log\n");
    bench.write(".agentignore", "secret/\n");
    for name in [
        "a.log",
        "secret/b.log",
        ".git/c.log",
        "data/d.log",
        "kept.txt",
        ".~bd-0123456789abcdef.tmp",
    ] {
        bench.write(name, "");
    }
    let mut rules = rules();
    rules.hidden_folders.push(bench.path("data"));
    let search = |pattern: &str, git_ignored| {
        let params = GlobParams {
            git_ignored,
            ..params(pattern)
        };
        let found = glob(&params, &bench.target(), &rules, control()).expect("a result");
        found
            .rows
            .into_iter()
            .map(|row| row.display)
            .collect::<Vec<_>>()
    };
    assert_eq!(search("*.log", HIDDEN), Vec::<String>::new());
    assert_eq!(
        search("*.log", GitIgnored::Shown),
        ["a.log"],
        "the product's own rules are not lifted"
    );
    assert_eq!(search("*.tmp", GitIgnored::Shown), Vec::<String>::new());
}

#[test]
fn folders_can_be_found() {
    let bench = Bench::new();
    bench.write("src/deep/a.rs", "");
    assert_eq!(names(&bench, "deep"), Vec::<String>::new());
    let all = GlobParams {
        folders: Folders::Included,
        ..params("deep")
    };
    assert_eq!(found(&bench, &all).rows[0].display, "src/deep");
}

#[test]
fn pages_and_empty_results_are_explained() {
    let bench = Bench::new();
    for n in 0..5 {
        age(&bench.write(&format!("f{n}.txt"), ""), hours(48));
    }
    let page = found(
        &bench,
        &GlobParams {
            limit: 2,
            offset: 1,
            ..params("*.txt")
        },
    );
    assert_eq!(
        page.text(),
        "Found 5 files matching \"*.txt\" in the workspace\n\nf1.txt\nf2.txt\n(rows 2–3 of 5; use offset=3 for more)\n"
    );
    let after = found(
        &bench,
        &GlobParams {
            offset: 9,
            ..params("*.txt")
        },
    );
    assert_eq!(after.notes, ["No rows at offset 9; there are 5."]);
    let none = found(&bench, &params("f9.txt"));
    assert_eq!(
        none.text(),
        "No files match \"f9.txt\" in the workspace\n(similar names: f0.txt, f1.txt, f2.txt)\n"
    );
}

#[test]
fn a_cancelled_search_ends() {
    let bench = Bench::new();
    bench.write("a.txt", "");
    let cancel = AtomicBool::new(true);
    let mut control = control();
    control.cancel = &cancel;
    let error = glob(&params("*"), &bench.target(), &rules(), control).expect_err("cancelled");
    assert_eq!(error.code(), "CANCELLED");
}
