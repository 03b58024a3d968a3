//! The commit: what survives, what is put back, what is cleaned up.

use crate::support::{Bench, names};
use files::{
    Armed, Base, Change, Committed, ContentHash, Error, Fault, Moment, WrittenBy, arm, run_at,
};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

pub(crate) fn replace(
    bench: &Bench,
    path: &Path,
    base: &[u8],
    bytes: &[u8],
) -> Result<Committed, Error> {
    bench.committer.commit(&Change {
        path,
        base: Base::Bytes {
            bytes: base,
            hash: ContentHash::of(base),
        },
        bytes,
        backup: bench.backup(),
    })
}

pub(crate) fn create(bench: &Bench, path: &Path, bytes: &[u8]) -> Result<Committed, Error> {
    bench.committer.commit(&Change {
        path,
        base: Base::Absent,
        bytes,
        backup: bench.backup(),
    })
}

/// Everything is settled: no temporary file, no open journal row.
pub(crate) fn assert_clean(bench: &Bench) {
    bench.committer.settle();
    assert_eq!(bench.temp_files(), Vec::<String>::new());
    assert_eq!(bench.store.rows(), []);
}

#[test]
fn a_replaced_file_holds_the_new_bytes_and_the_store_the_old_ones() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "old");
    let inode = fs::metadata(&path).expect("a file").ino();
    let committed = replace(&bench, &path, b"old", b"new").expect("a commit");
    assert_eq!(fs::read(&path).expect("a file"), b"new");
    assert_eq!(committed.written_by, WrittenBy::Exchange);
    assert_eq!(committed.hash, ContentHash::of(b"new"));
    assert_eq!(committed.stat, files::stat_of(&path).expect("a file"));
    assert_eq!(committed.before.map(|stat| stat.id.ino), Some(inode));
    assert!(bench.store.holds(b"old"));
    assert_clean(&bench);
}

#[test]
fn a_commit_does_not_wait_for_the_displaced_file() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "0");
    let started = std::time::Instant::now();
    for n in 0..10_u8 {
        replace(&bench, &path, &[b'0' + n], &[b'1' + n]).expect("a commit");
    }
    // One linger time alone is 300 ms.
    assert!(
        started.elapsed().as_millis() < 2_000,
        "ten commits took {:?}",
        started.elapsed()
    );
    assert!(
        !bench.temp_files().is_empty(),
        "displaced files are kept for late writers"
    );
    assert_clean(&bench);
}

#[test]
fn dropping_the_committer_settles_at_once() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "old");
    replace(&bench, &path, b"old", b"new").expect("a commit");
    let (folder, store) = (bench.ws(), std::sync::Arc::clone(&bench.store));
    let started = std::time::Instant::now();
    let Bench { committer, .. } = &bench;
    committer.settle();
    assert!(started.elapsed().as_millis() < 5_000);
    assert_eq!(names(&folder), ["f.txt"]);
    assert_eq!(store.rows(), []);
}

#[test]
fn a_new_file_gets_folders_and_the_mode_of_the_umask() {
    let bench = Bench::new();
    let path = bench.path("a/b/c.txt");
    let committed = create(&bench, &path, b"text").expect("a commit");
    assert_eq!(fs::read(&path).expect("a file"), b"text");
    let plain = bench.write("plain.txt", "");
    let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o7777;
    assert_eq!(mode(&path), mode(&plain), "as any program creates it");
    assert_eq!(committed.mode, mode(&path));
    assert_eq!(committed.before, None);
    assert_clean(&bench);
}

#[test]
fn folders_of_a_failed_creation_are_taken_back() {
    let bench = Bench::new();
    fs::create_dir(bench.path("kept")).expect("a folder");
    let path = bench.path("kept/a/b/c.txt");
    let fault = arm(&path, Fault::EnospcTemp);
    let error = create(&bench, &path, b"text").expect_err("no space");
    assert_eq!(error.code(), "NO_SPACE_LEFT");
    drop(fault);
    assert_eq!(names(&bench.ws()), ["kept"]);
    assert_clean(&bench);
}

#[test]
fn a_file_that_appears_is_not_overwritten() {
    for fault in [None, Some(Fault::NoExchange)] {
        let bench = Bench::new();
        let path = bench.path("f.txt");
        let _fault: Option<Armed> = fault.map(|fault| arm(&path, fault));
        let theirs = path.clone();
        run_at(&path, Moment::AtExchange, move || {
            fs::write(theirs, "theirs").expect("a write")
        });
        let error = create(&bench, &path, b"ours").expect_err("it appeared");
        assert_eq!(
            (error.code(), error.reason()),
            ("FILE_CHANGED_SINCE_READ", Some("appeared"))
        );
        assert_eq!(fs::read(&path).expect("a file"), b"theirs");
        assert_clean(&bench);
    }
}

#[test]
fn creation_works_without_the_exclusive_rename() {
    let bench = Bench::new();
    let path = bench.path("f.txt");
    let _fault = arm(&path, Fault::NoExchange);
    create(&bench, &path, b"text").expect("a commit");
    assert_eq!(fs::read(&path).expect("a file"), b"text");
    assert_eq!(fs::metadata(&path).expect("a file").nlink(), 1);
    assert_clean(&bench);
}

#[test]
fn without_exchange_the_file_is_renamed_over() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "old");
    let _fault = arm(&path, Fault::NoExchange);
    let committed = replace(&bench, &path, b"old", b"new").expect("a commit");
    assert_eq!(fs::read(&path).expect("a file"), b"new");
    assert_eq!(committed.warnings, []);
    assert!(bench.store.holds(b"old"));
    assert_clean(&bench);
}

#[test]
fn every_failure_leaves_the_old_file() {
    let table = [
        (Fault::EnospcTemp, "NO_SPACE_LEFT"),
        (Fault::EioWrite, "FILE_WRITE_FAILURE"),
    ];
    for (fault, code) in table {
        let bench = Bench::new();
        let path = bench.write("f.txt", "old");
        let fault = arm(&path, fault);
        let error = replace(&bench, &path, b"old", b"new").expect_err("a fault");
        assert_eq!(error.code(), code);
        drop(fault);
        assert_eq!(fs::read(&path).expect("a file"), b"old");
        assert_clean(&bench);
    }
}

#[test]
fn a_version_that_slips_in_is_put_back() {
    let replace_it = |path: &Path| {
        let beside = path.with_extension("theirs");
        fs::write(&beside, "theirs").expect("a write");
        fs::rename(&beside, path).expect("a rename");
    };
    let rewrite_it = |path: &Path| fs::write(path, "theirs").expect("a write");
    type Act = fn(&Path);
    for (name, act) in [
        ("rename", replace_it as Act),
        ("rewrite", rewrite_it as Act),
    ] {
        let bench = Bench::new();
        let path = bench.write("f.txt", "old");
        let target = path.clone();
        run_at(&path, Moment::AtExchange, move || act(&target));
        let error = replace(&bench, &path, b"old", b"new").expect_err(name);
        assert_eq!(
            (error.code(), error.reason()),
            ("WRITE_CONFLICT", Some("restored")),
            "{name}"
        );
        assert_eq!(fs::read(&path).expect("a file"), b"theirs", "{name}");
        assert_clean(&bench);
    }
}

#[test]
fn a_file_with_the_same_bytes_but_another_inode_counts_as_someone_elses() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "old");
    let target = path.clone();
    run_at(&path, Moment::AtExchange, move || {
        fs::write(target.with_extension("x"), "old").expect("a write");
        fs::rename(target.with_extension("x"), &target).expect("a rename");
    });
    let error = replace(&bench, &path, b"old", b"new").expect_err("another file");
    assert_eq!(error.reason(), Some("restored"));
    assert_eq!(fs::read(&path).expect("a file"), b"old");
    assert_clean(&bench);
}

#[test]
fn a_third_version_is_kept_as_well() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "old");
    let (first, second) = (path.clone(), path.clone());
    run_at(&path, Moment::AtExchange, move || {
        fs::write(first, "second").expect("a write")
    });
    run_at(&path, Moment::AfterExchange, move || {
        fs::write(second.with_extension("x"), "third").expect("a write");
        fs::rename(second.with_extension("x"), &second).expect("a rename");
    });
    let error = replace(&bench, &path, b"old", b"new").expect_err("a conflict");
    assert_eq!(
        (error.code(), error.reason()),
        ("WRITE_CONFLICT", Some("kept_both"))
    );
    assert_eq!(
        fs::read(&path).expect("a file"),
        b"third",
        "the newest stays in place"
    );
    assert!(bench.store.holds(b"second"), "the one before it is stored");
    assert!(bench.store.holds(b"new"), "ours is stored");
    assert_clean(&bench);
}

#[test]
fn what_a_late_writer_writes_is_stored() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "old");
    let mut writer = fs::File::options()
        .write(true)
        .open(&path)
        .expect("an open file");
    replace(&bench, &path, b"old", b"new").expect("a commit");
    writer
        .write_all(b"late")
        .expect("a write to the displaced file");
    bench.committer.settle();
    assert_eq!(fs::read(&path).expect("a file"), b"new");
    assert!(bench.store.holds(b"late"));
    assert_eq!(
        *bench.store.late_writes.lock().expect("no panic"),
        [(path, ContentHash::of(b"late"))]
    );
    assert_clean(&bench);
}

#[test]
fn a_changed_or_missing_file_is_refused() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "other");
    let check = |reason: &str| {
        let error = replace(&bench, &path, b"old", b"new").expect_err(reason);
        assert_eq!(
            (error.code(), error.reason()),
            ("FILE_CHANGED_SINCE_READ", Some(reason))
        );
    };
    check("changed");
    fs::remove_file(&path).expect("it was there");
    check("deleted");
    std::os::unix::fs::symlink("elsewhere", &path).expect("a link");
    check("changed");
    let gone = bench.path("no/such/folder/f.txt");
    let error = replace(&bench, &gone, b"old", b"new").expect_err("no folder");
    assert_eq!(error.reason(), Some("deleted"));
    assert_clean(&bench);
}

#[test]
fn a_folder_that_became_a_link_is_not_followed() {
    let bench = Bench::new();
    let path = bench.write("sub/f.txt", "old");
    let outside = bench.outside().join("elsewhere");
    fs::rename(bench.path("sub"), &outside).expect("a move");
    std::os::unix::fs::symlink(&outside, bench.path("sub")).expect("a link");
    let error = replace(&bench, &path, b"old", b"new").expect_err("a link");
    assert_eq!(error.code(), "PATH_NOT_IN_WORKSPACE");
    assert_eq!(fs::read(outside.join("f.txt")).expect("a file"), b"old");
    let error = create(&bench, &bench.path("sub/new.txt"), b"new").expect_err("a link");
    assert_eq!(error.code(), "PATH_NOT_IN_WORKSPACE");
}

#[test]
fn odd_names_and_sparse_files_are_written() {
    let bench = Bench::new();
    for name in ["-rf", "a b ", "new\nline", "\u{1F600}"] {
        let path = bench.write(name, "old");
        replace(&bench, &path, b"old", b"new").expect(name);
        assert_eq!(fs::read(&path).expect("a file"), b"new");
    }
    let path = bench.path("sparse");
    let file = fs::File::create(&path).expect("a file");
    file.set_len(1 << 20).expect("a hole");
    replace(&bench, &path, &vec![0; 1 << 20], b"new").expect("a commit");
    assert_eq!(fs::read(&path).expect("a file"), b"new");
    assert_clean(&bench);
}

#[test]
fn a_deleted_creation_is_backed_up() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "text");
    let base = |bytes: &'static [u8]| Base::Bytes {
        bytes,
        hash: ContentHash::of(bytes),
    };
    let error = bench
        .committer
        .delete(&path, base(b"other"), bench.backup())
        .expect_err("changed");
    assert_eq!(error.reason(), Some("changed"));
    bench
        .committer
        .delete(&path, base(b"text"), bench.backup())
        .expect("a deletion");
    assert!(!path.exists());
    assert!(bench.store.holds(b"text"));
    assert_clean(&bench);
}

#[test]
fn many_commits_at_once_do_not_run_out_of_descriptors() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "0");
    for n in 0..400_u32 {
        let (old, new) = (n.to_string(), (n + 1).to_string());
        replace(&bench, &path, old.as_bytes(), new.as_bytes()).expect("a commit");
    }
    let n_waiting = bench.temp_files().len();
    assert!(n_waiting <= 200, "{n_waiting} displaced files wait");
    assert_clean(&bench);
}

/// Renaming is forbidden until so many tries were made; then `then` happens.
fn forbid_renaming(path: &Path, n_tries: usize, then: impl FnOnce() + Send + 'static) {
    let armed = arm(path, Fault::EaccesRename);
    for _ in 0..n_tries {
        run_at(path, Moment::AtExchange, || ());
    }
    run_at(path, Moment::AtExchange, move || {
        drop(armed);
        then();
    });
}

#[test]
fn a_rename_that_is_forbidden_for_a_moment_is_tried_again() {
    for n_tries in [1, 3] {
        let bench = Bench::new();
        let path = bench.write("f.txt", "old");
        forbid_renaming(&path, n_tries, || ());
        let committed = replace(&bench, &path, b"old", b"new").expect("a commit");
        assert_eq!(committed.written_by, WrittenBy::Exchange);
        assert_eq!(fs::read(&path).expect("a file"), b"new");
        assert_clean(&bench);
    }
}

#[test]
fn a_rename_that_stays_forbidden_leaves_the_file() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "old");
    let _armed = arm(&path, Fault::EaccesRename);
    let started = std::time::Instant::now();
    let error = replace(&bench, &path, b"old", b"new").expect_err("forbidden");
    assert_eq!(error.code(), "PERMISSION_DENIED");
    assert!(started.elapsed().as_millis() >= 350, "all three waits");
    assert_eq!(fs::read(&path).expect("a file"), b"old");
    assert_clean(&bench);
}

#[test]
fn what_another_program_writes_between_two_tries_is_not_lost() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "old");
    let theirs = path.clone();
    let _armed = arm(&path, Fault::EaccesRename);
    run_at(&path, Moment::AtExchange, move || {
        fs::write(theirs, "by someone else").expect("a write");
    });
    let error = replace(&bench, &path, b"old", b"new").expect_err("changed");
    assert_eq!(error.code(), "FILE_CHANGED_SINCE_READ");
    assert_eq!(fs::read(&path).expect("a file"), b"by someone else");
    assert_clean(&bench);
}
