//! Files that are written over because their inode must stay.

use crate::commit::{assert_clean, replace};
use crate::support::{Bench, tool};
use files::{CommitWarning, ContentHash, Fault, InPlace, WrittenBy, arm};
use std::fs;

/// A file that another one is mounted over; taken down on drop.
struct Mounted(std::path::PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        tool("umount", &[self.0.to_str().expect("UTF-8")]);
    }
}

#[test]
fn a_mounted_file_is_written_in_place() {
    let bench = Bench::new();
    let source = bench.outside().join("source");
    fs::write(&source, "old").expect("a file");
    let path = bench.write("f.txt", "below");
    let names = [
        source.to_str().expect("UTF-8"),
        path.to_str().expect("UTF-8"),
    ];
    if !tool("mount", &["--bind", names[0], names[1]]) {
        println!("skipped: only the superuser can mount files");
        return;
    }
    let _mounted = Mounted(path.clone());
    let committed = replace(&bench, &path, b"old", b"new").expect("a commit");
    assert_eq!(committed.written_by, WrittenBy::InPlace);
    assert_eq!(fs::read(&source).expect("a file"), b"new");
    assert_clean(&bench);
}

#[test]
fn a_busy_file_is_written_in_place_also_where_nothing_can_be_exchanged() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "old");
    let _faults = [
        arm(&path, Fault::NoExchange),
        arm(&path, Fault::EbusyRename),
    ];
    let committed = replace(&bench, &path, b"old", b"new").expect("a commit");
    assert_eq!(committed.written_by, WrittenBy::InPlace);
    assert_eq!(fs::read(&path).expect("a file"), b"new");
    assert_clean(&bench);
}

#[test]
fn a_file_with_two_names_is_written_in_place() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "a longer old text");
    fs::hard_link(&path, bench.path("other")).expect("a second name");
    let committed = replace(&bench, &path, b"a longer old text", b"new").expect("a commit");
    assert_eq!(committed.written_by, WrittenBy::InPlace);
    assert_eq!(committed.warnings, [CommitWarning::InPlaceWrite]);
    assert_eq!(fs::read(bench.path("other")).expect("a file"), b"new");
    assert!(bench.store.holds(b"a longer old text"));
    assert_clean(&bench);
}

#[test]
fn a_write_in_place_that_stops_is_undone() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "the old text");
    fs::hard_link(&path, bench.path("other")).expect("a second name");
    let stops = arm(&path, Fault::EioInPlace);
    let error = replace(&bench, &path, b"the old text", b"something new").expect_err("a fault");
    assert_eq!((error.code(), error.reason()), ("FILE_WRITE_FAILURE", None));
    assert_eq!(fs::read(&path).expect("a file"), b"the old text");
    let no_way_back = arm(&path, Fault::EioWrite);
    let error = replace(&bench, &path, b"the old text", b"something new").expect_err("a fault");
    assert_eq!(
        (error.code(), error.reason()),
        ("FILE_WRITE_FAILURE", Some("partial_write"))
    );
    let backup = ContentHash::of(b"the old text").to_hex();
    assert!(
        error.to_string().contains(&backup),
        "the message names the backup: {error}"
    );
    drop((stops, no_way_back));
    assert_clean(&bench);
}

#[test]
fn in_place_can_be_forbidden() {
    let bench = Bench::with(InPlace::Refused);
    let path = bench.write("f.txt", "old");
    fs::hard_link(&path, bench.path("other")).expect("a second name");
    let error = replace(&bench, &path, b"old", b"new").expect_err("forbidden");
    assert_eq!(
        (error.code(), error.reason()),
        ("FILE_WRITE_FAILURE", Some("in_place_not_allowed"))
    );
    assert_eq!(fs::read(&path).expect("a file"), b"old");
    assert_clean(&bench);
}
