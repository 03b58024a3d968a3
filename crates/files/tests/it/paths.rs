//! Which file a path means.

use crate::support::{Bench, IGNORE_NAME};
use files::{Error, Location, Presence, Roots, Variant, ignored_by, suggestions};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

fn resolved(bench: &Bench, path: &str) -> (PathBuf, Location, Presence, Option<Variant>) {
    let resolved = files::resolve(path, &bench.roots).expect(path);
    (
        resolved.path,
        resolved.location,
        resolved.presence,
        resolved.variant,
    )
}

fn code(bench: &Bench, path: &str) -> &'static str {
    files::resolve(path, &bench.roots).expect_err(path).code()
}

#[test]
fn links_and_dots_are_followed_through_the_file_system() {
    let bench = Bench::new();
    let file = bench.write("real/f.txt", "");
    symlink("real", bench.path("link")).expect("a link");
    symlink(bench.outside(), bench.path("out")).expect("a link");
    let ws = bench.ws().display().to_string();
    let inside = |path: &Path, presence| (path.to_path_buf(), Location::Inside, presence, None);
    let check = |path: String, expected| assert_eq!(resolved(&bench, &path), expected, "{path}");
    check(format!("{ws}/link/f.txt"), inside(&file, Presence::Exists));
    check(
        format!("{ws}/./real//f.txt"),
        inside(&file, Presence::Exists),
    );
    check(
        format!("{ws}/link/new.txt"),
        inside(&bench.path("real/new.txt"), Presence::Missing),
    );
    check(
        format!("{ws}/no/such/f.txt"),
        inside(&bench.path("no/such/f.txt"), Presence::Missing),
    );
    let outside = |name: &str| {
        (
            bench.outside().join(name),
            Location::Outside,
            Presence::Missing,
            None,
        )
    };
    check(format!("{ws}/../x.txt"), outside("x.txt"));
    check(format!("{ws}/out/x.txt"), outside("x.txt"));
    symlink("deeper/still", bench.path("out-link")).expect("a link");
    check(
        format!("{ws}/out-link"),
        inside(&bench.path("out-link"), Presence::DanglingLink),
    );
    // A link to a folder changes what `..` means.
    fs::create_dir_all(bench.outside().join("a/b")).expect("folders");
    symlink(bench.outside().join("a/b"), bench.path("ab")).expect("a link");
    check(format!("{ws}/ab/../x.txt"), outside("a/x.txt"));
    assert_eq!(
        code(&bench, &format!("{ws}/missing/../x.txt")),
        "INVALID_TOOL_PARAMS"
    );
}

#[test]
fn the_literal_spelling_comes_first() {
    let bench = Bench::new();
    let ws = bench.ws().display().to_string();
    let check = |path: &str, name: &str, variant| {
        let (found, _, _, used) = resolved(&bench, path);
        assert_eq!((found, used), (bench.path(name), variant), "{path}");
    };
    bench.write("a b.txt", "");
    check(
        &format!("{ws}/a\\ b.txt"),
        "a b.txt",
        Some(Variant::Unescaped),
    );
    check(
        &format!(" {ws}/a b.txt\n"),
        "a b.txt",
        Some(Variant::Trimmed),
    );
    check(
        &format!("{ws}/a\\ b.txt "),
        "a b.txt",
        Some(Variant::TrimmedUnescaped),
    );
    bench.write("a\\ b.txt", "");
    check(&format!("{ws}/a\\ b.txt"), "a\\ b.txt", None);
    bench.write("c ", "");
    bench.write("c", "");
    check(&format!("{ws}/c "), "c ", None);
    check(&format!("{ws}/new "), "new ", None);
}

#[test]
fn spellings_that_cannot_be_used_say_why() {
    let bench = Bench::new();
    let check = |path: &str, words: &str| {
        let error = files::resolve(path, &bench.roots).expect_err(path);
        assert_eq!(error.code(), "INVALID_TOOL_PARAMS", "{path}");
        assert!(error.to_string().contains(words), "{path}: {error}");
    };
    check("", "empty");
    check("src/f.rs", &bench.path("src/f.rs").display().to_string());
    check("~/f.rs", "not expanded");
    check("$HOME/f.rs", "not expanded");
    check("/a\0b", "NUL");
    check(&format!("/{}", "x".repeat(4096)), "4096");
    assert_eq!(code(&bench, "//host/share"), "PATH_FORBIDDEN");
    assert_eq!(code(&bench, "\\\\host\\share"), "PATH_FORBIDDEN");
    assert_eq!(code(&bench, "/dev/zero"), "PATH_FORBIDDEN");
    assert_eq!(code(&bench, "/proc/self/environ"), "PATH_FORBIDDEN");
    assert_eq!(code(&bench, "/proc/./self/../self/mem"), "PATH_FORBIDDEN");
    symlink("/proc/self", bench.path("self")).expect("a link");
    assert_eq!(
        code(&bench, &format!("{}/self/environ", bench.ws().display())),
        "PATH_FORBIDDEN"
    );
}

#[test]
fn a_name_with_a_dollar_is_a_name() {
    let bench = Bench::new();
    bench.write("routes/$id.tsx", "");
    let path = bench.path("routes/$id.tsx").display().to_string();
    assert_eq!(resolved(&bench, &path).2, Presence::Exists);
}

#[test]
fn suggestions_come_in_order_and_never_from_hidden_places() {
    let bench = Bench::new();
    for name in [
        "README.md",
        "readme.txt",
        "old_readme.md.bak",
        "zebra",
        "secret/readme.md",
    ] {
        bench.write(name, "");
    }
    let names = |path: PathBuf| -> Vec<PathBuf> { suggestions(&path, &bench.roots, IGNORE_NAME) };
    assert_eq!(
        names(bench.path("readme.md")),
        [
            bench.path("README.md"),
            bench.path("readme.txt"),
            bench.path("old_readme.md.bak")
        ]
    );
    assert_eq!(
        names(bench.path("secret/Readme.md")),
        [bench.path("secret/readme.md")]
    );
    bench.write(IGNORE_NAME, "secret/\n");
    assert_eq!(names(bench.path("secret/Readme.md")), Vec::<PathBuf>::new());
    assert_eq!(
        names(PathBuf::from("/zebra")),
        [bench.path("zebra")],
        "a path as under the root"
    );
    assert_eq!(
        names(bench.outside().join("Ws")),
        Vec::<PathBuf>::new(),
        "nothing outside is named"
    );
}

#[test]
fn the_products_ignore_file_hides() {
    let bench = Bench::new();
    bench.write(IGNORE_NAME, "*.key\nprivate/\n!public.key\n");
    bench.write("sub/.agentignore", "!extra.key\n");
    let check = |name: &str, expected: Option<&str>| {
        let found = ignored_by(&bench.path(name), &bench.roots, IGNORE_NAME);
        assert_eq!(found.as_deref(), expected, "{name}");
    };
    fs::create_dir(bench.path("private")).expect("a folder");
    check("a.key", Some("*.key"));
    check("deep/down/a.key", Some("*.key"));
    check("private/x/y", Some("private/"));
    check("public.key", None);
    check("sub/extra.key", None);
    check("a.txt", None);
    assert_eq!(
        ignored_by(Path::new("/a.key"), &bench.roots, IGNORE_NAME),
        None
    );
}

#[test]
fn roots_inside_each_other_are_searched_once() {
    let bench = Bench::new();
    bench.write("inner/f", "");
    let roots = Roots::new([bench.path("inner"), bench.ws(), bench.ws()]).expect("folders");
    assert_eq!(roots.outermost(), [bench.ws()]);
    assert_eq!(roots.first(), Some(bench.path("inner").as_path()));
}

#[test]
fn a_search_path_is_resolved_like_any_other() {
    let bench = Bench::new();
    bench.write("src/f.rs", "");
    bench.write(IGNORE_NAME, "hidden/\n");
    bench.write("hidden/f.rs", "");
    let target = |path: &str| files::search_target(Some(path), &bench.roots, IGNORE_NAME);
    for absent in ["", "undefined", "null", " "] {
        let found = target(absent).expect(absent);
        assert_eq!(found.place, files::SearchPlace::Folders(vec![bench.ws()]));
    }
    assert_eq!(
        target("src").expect("a folder").place,
        files::SearchPlace::Folders(vec![bench.path("src")])
    );
    assert_eq!(
        target("src/f.rs").expect("a file").place,
        files::SearchPlace::File(bench.path("src/f.rs"))
    );
    let error = target("sr").expect_err("missing");
    assert_eq!(error.code(), "SEARCH_PATH_NOT_FOUND");
    assert!(
        matches!(error, Error::SearchPathNotFound { suggestions, .. } if suggestions == [bench.path("src")])
    );
    assert_eq!(target("hidden").expect_err("hidden").code(), "PATH_IGNORED");
    assert_eq!(target("..").expect("a folder").location, Location::Outside);
}
