//! Proposals: the order of checks, what the model may change, what it knows afterwards.

use crate::support::Bench;
use files::{
    Applied, ChangeRequest, Decided, Error, LineRanges, Occurrences, PriorReadRule, Proposal,
    ProposalBase, ReadRange, ShownAs, apply, plan,
};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const ALL: ReadRange = ReadRange {
    offset: None,
    limit: None,
};

fn edit<'a>(old: &'a str, new: &'a str) -> ChangeRequest<'a> {
    ChangeRequest::Edit {
        old,
        new,
        occurrences: Occurrences::One,
    }
}

fn propose(bench: &Bench, path: &Path, request: &ChangeRequest<'_>) -> Result<Proposal, Error> {
    plan(&bench.resolve(path)?, request, &bench.plan_context())
}

fn change(bench: &Bench, path: &Path, request: &ChangeRequest<'_>) -> Applied {
    let proposal = propose(bench, path, request).expect("a proposal");
    apply(&proposal, Decided::AsProposed, &bench.apply_context()).expect("a write")
}

fn seen(bench: &Bench, path: &Path) -> LineRanges {
    bench
        .cache
        .lookup(path, None)
        .expect("a record")
        .record()
        .seen
        .clone()
}

#[test]
fn nothing_is_told_about_a_file_that_was_not_read() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "secret\n");
    for request in [
        edit("secret", "x"),
        edit("guess", "x"),
        ChangeRequest::Write {
            content: "secret\n",
        },
    ] {
        let error = propose(&bench, &path, &request).expect_err("unread");
        assert_eq!(error.code(), "EDIT_REQUIRES_PRIOR_READ");
        assert!(!error.to_string().contains("secret\n"));
    }
    let whole = propose(&bench, &path, &ChangeRequest::Write { content: "x" })
        .expect_err("unread")
        .to_string();
    assert!(
        whole.contains("whole file") && whole.contains("lost"),
        "{whole}"
    );
}

#[test]
fn the_setting_lifts_the_first_two_checks_only() {
    let mut bench = Bench::new();
    bench.settings.prior_read = PriorReadRule::NotRequired;
    let path = bench.write("f.txt", "old\n");
    let proposal = propose(&bench, &path, &edit("old", "new")).expect("a proposal");
    fs::write(&path, "other\n").expect("someone else");
    let error = apply(&proposal, Decided::AsProposed, &bench.apply_context()).expect_err("changed");
    assert_eq!(error.code(), "FILE_CHANGED_SINCE_READ");
    change(&bench, &path, &edit("other", "new"));
    assert_eq!(fs::read(&path).expect("a file"), b"new\n");
}

#[test]
fn a_new_file_over_an_inode_that_was_read_is_unread() {
    let bench = Bench::new();
    let old = bench.write("old.txt", "text\n");
    bench.page("old.txt", ALL);
    // The same inode under another name with other bytes is what a reused number looks like.
    let new = bench.path("new.txt");
    fs::rename(&old, &new).expect("a rename");
    fs::write(&new, "other\n").expect("a write");
    assert_eq!(
        propose(&bench, &new, &edit("other", "x"))
            .expect_err("unread")
            .code(),
        "EDIT_REQUIRES_PRIOR_READ"
    );
}

#[test]
fn an_editor_that_saves_by_renaming_makes_the_read_stale_not_void() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "text\n");
    bench.page("f.txt", ALL);
    bench.write("beside", "other\n");
    fs::rename(bench.path("beside"), &path).expect("a rename");
    assert_eq!(
        propose(&bench, &path, &edit("text", "x"))
            .expect_err("stale")
            .code(),
        "FILE_CHANGED_SINCE_READ"
    );
    bench.write("beside", "text\n");
    fs::rename(bench.path("beside"), &path).expect("a rename");
    propose(&bench, &path, &edit("text", "x")).expect("the same bytes are fresh");
}

#[test]
fn a_second_name_needs_no_second_read() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "text\n");
    let other = bench.path("other.txt");
    fs::hard_link(&path, &other).expect("a second name");
    bench.page("f.txt", ALL);
    change(&bench, &other, &edit("text", "new"));
    change(&bench, &path, &edit("new", "newer"));
    assert_eq!(fs::read(&other).expect("a file"), b"newer\n");
}

#[test]
fn an_edit_moves_what_was_seen() {
    let bench = Bench::new();
    let text: String = (1..=40).map(|n| format!("line {n}\n")).collect();
    let path = bench.write("f.txt", text);
    bench.page(
        "f.txt",
        ReadRange {
            offset: Some(1),
            limit: Some(12),
        },
    );
    bench.page(
        "f.txt",
        ReadRange {
            offset: Some(30),
            limit: Some(2),
        },
    );
    let applied = change(&bench, &path, &edit("line 10\nline 11\n", "a\nb\nc\nd\n"));
    // Lines 10 and 11 became four; the snippet shows four lines around them.
    assert_eq!(applied.hunks.len(), 1);
    assert_eq!(seen(&bench, &path).ranges(), [1..18, 32..34]);
}

#[test]
fn a_write_of_the_whole_file_is_seen_whole() {
    let bench = Bench::new();
    let path = bench.path("new.txt");
    change(&bench, &path, &ChangeRequest::Write { content: "a\nb\n" });
    assert_eq!(seen(&bench, &path), LineRanges::all(2));
    change(&bench, &path, &edit("b", "c"));
    assert_eq!(fs::read(&path).expect("a file"), b"a\nc\n");
    assert!(
        matches!(bench.read("new.txt", ALL), Ok(files::ReadOutcome::Page(_))),
        "no placeholder after a write"
    );
}

#[test]
fn lines_of_a_person_are_seen_only_where_they_are_shown() {
    let bench = Bench::new();
    let path = bench.path("new.txt");
    let proposal =
        propose(&bench, &path, &ChangeRequest::Write { content: "a\n" }).expect("a proposal");
    let human: String = (1..=500).map(|n| format!("human {n}\n")).collect();
    let applied = apply(&proposal, Decided::Text(&human), &bench.apply_context()).expect("a write");
    assert!(applied.changed_by_user);
    assert_eq!(seen(&bench, &path), LineRanges::new(), "too much to show");
    let path = bench.path("short.txt");
    let proposal =
        propose(&bench, &path, &ChangeRequest::Write { content: "a\n" }).expect("a proposal");
    apply(&proposal, Decided::Text("a\nb\n"), &bench.apply_context()).expect("a write");
    assert_eq!(seen(&bench, &path), LineRanges::all(2));
}

#[test]
fn a_person_can_empty_keep_or_accept() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "a\n");
    bench.page("f.txt", ALL);
    let proposal = propose(&bench, &path, &edit("a", "b")).expect("a proposal");
    let decide = |text| apply(&proposal, Decided::Text(text), &bench.apply_context());
    assert_eq!(
        decide("a\n").expect_err("kept").code(),
        "USER_KEPT_ORIGINAL"
    );
    assert!(!decide("b\n").expect("as proposed").changed_by_user);
    let proposal = propose(&bench, &path, &edit("b", "c")).expect("a proposal");
    let emptied = apply(&proposal, Decided::Text(""), &bench.apply_context()).expect("emptied");
    assert!(emptied.changed_by_user && fs::read(&path).expect("a file").is_empty());
}

#[test]
fn an_emptied_new_file_is_created_empty() {
    let bench = Bench::new();
    let path = bench.path("new.txt");
    let proposal = propose(&bench, &path, &edit("", "text\n")).expect("a proposal");
    apply(&proposal, Decided::Text(""), &bench.apply_context()).expect("a write");
    assert_eq!(fs::read(&path).expect("a file"), b"");
}

#[test]
fn a_file_that_was_read_and_is_gone_is_no_new_file() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "a\n");
    bench.page("f.txt", ALL);
    fs::remove_file(&path).expect("it was there");
    let error = propose(&bench, &path, &edit("a", "b")).expect_err("gone");
    assert_eq!(
        (error.code(), error.reason()),
        ("FILE_CHANGED_SINCE_READ", Some("deleted"))
    );
    let proposal =
        propose(&bench, &path, &ChangeRequest::Write { content: "b\n" }).expect("a new file");
    assert_eq!(proposal.base, ProposalBase::Absent { was_deleted: true });
}

#[test]
fn checks_come_in_their_order() {
    let bench = Bench::new();
    let check = |path: &Path, request: ChangeRequest<'_>, code: &str, reason: Option<&str>| {
        let error = propose(&bench, path, &request).expect_err(code);
        assert_eq!(
            (error.code(), error.reason()),
            (code, reason),
            "{}",
            path.display()
        );
    };
    let notebook = bench.write("n.ipynb", "{}");
    check(
        &notebook,
        edit("same", "same"),
        "EDIT_WRONG_TOOL",
        Some("notebook"),
    );
    check(
        &bench.path("missing"),
        edit("same", "same"),
        "EDIT_NO_CHANGE",
        None,
    );
    check(
        &bench.path("missing"),
        edit("a", "b"),
        "FILE_NOT_FOUND",
        None,
    );
    let file = bench.write("file", "text");
    check(
        &file.join("below"),
        edit("", "b"),
        "TARGET_NOT_REGULAR_FILE",
        Some("parent_not_directory"),
    );
    check(&bench.ws(), edit("a", "b"), "TARGET_IS_DIRECTORY", None);
    check(
        &file,
        edit("", "b"),
        "ATTEMPT_TO_CREATE_EXISTING_FILE",
        None,
    );
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).expect("a mode");
    check(&file, edit("a", "b"), "FILE_READ_ONLY", None);
    check(
        &bench.path("x.ipynb"),
        ChangeRequest::Write { content: "text" },
        "INVALID_TOOL_PARAMS",
        None,
    );
    let content = "{\"nbformat\": 4, \"nbformat_minor\": 5, \"metadata\": {}, \"cells\": []}\n";
    propose(
        &bench,
        &bench.path("x.ipynb"),
        &ChangeRequest::Write { content },
    )
    .expect("a notebook");
}

#[test]
fn something_shown_as_a_picture_is_no_base() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "a\n");
    bench.note_read(&path, LineRanges::new(), ShownAs::NonText);
    let error = propose(&bench, &path, &edit("a", "b")).expect_err("no text");
    assert_eq!(error.reason(), Some("non_text"));
    assert!(error.to_string().contains("will not help"), "{error}");
}

#[test]
fn records_outlive_the_process() {
    let mut bench = Bench::new();
    let path = bench.write("f.txt", "a\nb\n");
    bench.page("f.txt", ALL);
    let kept = bench.cache.records();
    bench.cache = files::ReadCache::restore(kept.clone(), Box::new(|_| ()));
    assert_eq!(bench.cache.records(), kept);
    change(&bench, &path, &edit("a", "c"));
}
