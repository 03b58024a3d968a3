//! What a new file takes over from the one it replaces.

use crate::commit::replace;
use crate::support::{Bench, tool};
use files::CommitWarning;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

#[test]
fn mode_and_attributes_are_kept() {
    for mode in [0o644, 0o755, 0o600, 0o1664] {
        let bench = Bench::new();
        let path = bench.write("f.txt", "old");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a mode");
        xattr::set(&path, "user.note", b"keep").expect("attributes");
        let committed = replace(&bench, &path, b"old", b"new").expect("a commit");
        let metadata = fs::metadata(&path).expect("a file");
        assert_eq!(metadata.permissions().mode() & 0o7777, mode);
        assert_eq!(
            xattr::get(&path, "user.note")
                .expect("attributes")
                .as_deref(),
            Some(&b"keep"[..])
        );
        assert_eq!(committed.warnings, []);
    }
}

#[test]
fn set_id_bits_are_cleared_with_a_warning() {
    for mode in [0o4755, 0o2755] {
        let bench = Bench::new();
        let path = bench.write("f.txt", "old");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a mode");
        let committed = replace(&bench, &path, b"old", b"new").expect("a commit");
        assert_eq!(
            fs::metadata(&path).expect("a file").permissions().mode() & 0o7777,
            0o755
        );
        assert_eq!(committed.warnings, [CommitWarning::ModeBitsCleared]);
    }
}

#[test]
fn access_lists_are_kept() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "old");
    if !tool(
        "setfacl",
        &["-m", "u:1234:rw", path.to_str().expect("UTF-8")],
    ) {
        println!("skipped: no setfacl here");
        return;
    }
    let list = |path: &Path| xattr::get(path, "system.posix_acl_access").expect("attributes");
    let before = list(&path);
    assert!(before.is_some());
    replace(&bench, &path, b"old", b"new").expect("a commit");
    assert_eq!(list(&path), before);
}

#[test]
fn a_default_access_list_of_the_folder_does_not_widen_a_file() {
    let bench = Bench::new();
    let path = bench.write("sub/f.txt", "old");
    let folder = bench.path("sub");
    if !tool(
        "setfacl",
        &["-d", "-m", "u:1234:rwx", folder.to_str().expect("UTF-8")],
    ) {
        println!("skipped: no setfacl here");
        return;
    }
    replace(&bench, &path, b"old", b"new").expect("a commit");
    assert_eq!(
        xattr::get(&path, "system.posix_acl_access").expect("attributes"),
        None
    );
}

#[test]
fn capabilities_are_dropped_with_a_warning() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "old");
    if !tool("setcap", &["cap_net_raw+ep", path.to_str().expect("UTF-8")]) {
        println!("skipped: no setcap here");
        return;
    }
    let committed = replace(&bench, &path, b"old", b"new").expect("a commit");
    assert_eq!(committed.warnings, [CommitWarning::MetadataNotKept]);
    assert_eq!(
        xattr::get(&path, "security.capability").expect("attributes"),
        None
    );
}

#[test]
fn the_owner_is_kept_where_that_is_possible() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "old");
    if std::os::unix::fs::chown(&path, Some(1234), Some(1234)).is_err() {
        println!("skipped: only the superuser can give files away");
        return;
    }
    replace(&bench, &path, b"old", b"new").expect("a commit");
    let metadata = fs::metadata(&path).expect("a file");
    assert_eq!((metadata.uid(), metadata.gid()), (1234, 1234));
}

#[test]
fn writing_back_restores_bytes_mode_and_attributes() {
    let bench = Bench::new();
    let path = bench.write("f.txt", "old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("a mode");
    xattr::set(&path, "user.note", b"keep").expect("attributes");
    replace(&bench, &path, b"old", b"new").expect("a commit");
    replace(&bench, &path, b"new", b"old").expect("an undo");
    assert_eq!(fs::read(&path).expect("a file"), b"old");
    let mode = fs::metadata(&path).expect("a file").permissions().mode();
    assert_eq!(mode & 0o7777, 0o640);
    let note = xattr::get(&path, "user.note").expect("attributes");
    assert_eq!(note.as_deref(), Some(&b"keep"[..]));
}
