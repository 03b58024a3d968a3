//! The walk sees what `rg --files` sees.

use crate::support::{Bench, HIDDEN, control, now_ns, rules};
use files::{Folders, GlobParams, glob};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const NAMES: [&str; 8] = [
    "a", "b.log", "c.rs", ".hidden", "build", "d e", "keep.log", "x",
];
const RULES: [&str; 10] = [
    "*.log",
    "!keep.log",
    "build/",
    "/a",
    "x/**",
    ".hidden",
    "**/c.rs",
    "!a",
    "# note",
    "b*",
];

/// What `rg --files` lists, or `None` where it is not installed.
#[expect(
    clippy::disallowed_methods,
    reason = "the comparison needs the other program"
)]
fn rg_files(folder: &Path) -> Option<BTreeSet<String>> {
    let output = Command::new("rg")
        .args([
            "--files",
            "--hidden",
            "--no-require-git",
            "--no-config",
            "--no-messages",
        ])
        .args(["--glob", "!.git", "--sort", "path"])
        .current_dir(folder)
        .output()
        .ok()?;
    Some(
        String::from_utf8(output.stdout)
            .expect("UTF-8")
            .lines()
            .map(str::to_owned)
            .collect(),
    )
}

fn our_files(bench: &Bench) -> BTreeSet<String> {
    let params = GlobParams {
        pattern: "**/*".to_owned(),
        limit: usize::MAX,
        offset: 0,
        folders: Folders::LeftOut,
        git_ignored: HIDDEN,
        now_ns: now_ns(),
    };
    let found = glob(&params, &bench.target(), &rules(), control()).expect("a result");
    found.rows.into_iter().map(|row| row.display).collect()
}

/// Indexes of names.
type Parts = Vec<usize>;
/// A folder, whether the file is git's, and indexes of its rules.
type IgnoreFile = (Parts, bool, Vec<usize>);

/// Paths of up to three parts, and ignore files by folder.
fn tree() -> impl Strategy<Value = (Vec<Parts>, Vec<IgnoreFile>)> {
    let path = prop::collection::vec(0..NAMES.len(), 1..4);
    let ignore = (
        prop::collection::vec(0..NAMES.len(), 0..2),
        any::<bool>(),
        prop::collection::vec(0..RULES.len(), 1..4),
    );
    (
        prop::collection::vec(path, 1..25),
        prop::collection::vec(ignore, 0..4),
    )
}

fn join(parts: &[usize]) -> String {
    parts
        .iter()
        .map(|part| NAMES[*part])
        .collect::<Vec<_>>()
        .join("/")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]
    #[test]
    fn both_list_the_same_files((paths, ignores) in tree()) {
        let bench = Bench::new();
        for path in &paths {
            let path = bench.path(&join(path));
            // A name that is a file already cannot be a folder, and the other way round.
            if std::fs::create_dir_all(path.parent().expect("a folder")).is_ok() && !path.exists() {
                std::fs::write(&path, "text").expect("a file");
            }
        }
        for (folder, is_git, lines) in &ignores {
            let folder = bench.path(&join(folder));
            if folder.is_dir() {
                let name = if *is_git { ".gitignore" } else { ".ignore" };
                let text: String = lines.iter().map(|line| format!("{}\n", RULES[*line])).collect();
                std::fs::write(folder.join(name), text).expect("an ignore file");
            }
        }
        match rg_files(&bench.ws()) {
            Some(theirs) => prop_assert_eq!(our_files(&bench), theirs),
            None => println!("skipped: rg is not installed"),
        }
    }
}
