use super::*;
use std::os::unix::fs::PermissionsExt;

fn spool(folder: &tempfile::TempDir, max_bytes: u64, segment_bytes: u64) -> Spool {
    Spool::create(
        folder.path(),
        SpoolLimits {
            max_bytes,
            segment_bytes,
        },
    )
    .unwrap()
}

/// Name and content of every file, by name.
fn files(folder: &tempfile::TempDir) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (
                entry.file_name().into_string().unwrap(),
                std::fs::read_to_string(entry.path()).unwrap(),
            )
        })
        .collect();
    files.sort();
    files
}

#[test]
fn the_beginning_and_the_end_are_kept_and_the_gap_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let mut spool = spool(&folder, 12, 4);
    spool.push_raw(b"aaaabbbbccc");
    spool.flush();
    assert_eq!(spool.dropped(), None);
    spool.push_raw(b"cddddee");
    spool.flush();
    let expected = [
        ("raw.003.bin", "dddd"),
        ("raw.004.bin", "ee"),
        ("raw.bin", "aaaa"),
    ];
    let names: Vec<(String, String)> = expected
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .into();
    assert_eq!(files(&folder), names);
    assert_eq!(spool.dropped(), Some(4..12));
}

#[test]
fn files_are_private_and_never_followed() {
    let folder = tempfile::tempdir().unwrap();
    spool(&folder, 100, 10);
    let mode = std::fs::metadata(folder.path().join("raw.bin"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let other = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(
        folder.path().join("elsewhere"),
        other.path().join("raw.bin"),
    )
    .unwrap();
    assert!(Spool::create(other.path(), SpoolLimits::default()).is_err());
    assert!(!folder.path().join("elsewhere").exists());
    create_private_dir(&folder.path().join("a/b")).unwrap();
    let mode = std::fs::metadata(folder.path().join("a"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn readable_text_becomes_a_file_only_when_it_is_long() {
    let folder = tempfile::tempdir().unwrap();
    let mut spool = spool(&folder, 1_000_000, 1_000_000);
    spool.push_clean("short");
    spool.flush();
    assert_eq!(spool.clean_path(), None);
    spool.push_clean(&"é".repeat(CLEAN_FILE_MIN_BYTES));
    spool.push_clean("end");
    spool.flush();
    let text = std::fs::read_to_string(spool.clean_path().unwrap()).unwrap();
    assert_eq!(
        text,
        format!("short{}end", "é".repeat(CLEAN_FILE_MIN_BYTES))
    );
    spool.discard_clean();
    assert_eq!(
        (spool.clean_path(), folder.path().join("clean.txt").exists()),
        (None, false)
    );
    spool.push_clean("ignored");
    let line = "x".repeat(20_000);
    spool.rewrite_clean([line.as_str(), "y", line.as_str()].into_iter());
    assert_eq!(
        std::fs::read_to_string(spool.clean_path().unwrap()).unwrap(),
        format!("{line}y{line}")
    );
}

#[test]
fn readable_text_has_a_limit_too() {
    let folder = tempfile::tempdir().unwrap();
    let mut spool = spool(&folder, 40_001, 100_000);
    for _ in 0..3 {
        spool.push_clean(&"é".repeat(20_000));
        spool.flush();
    }
    let text = std::fs::read_to_string(spool.clean_path().unwrap()).unwrap();
    assert_eq!(
        text,
        format!(
            "{}\n[the rest is in raw.bin and its segments]\n",
            "é".repeat(20_000)
        )
    );
}

#[test]
fn a_disk_that_refuses_ends_the_spool_only() {
    let folder = tempfile::tempdir().unwrap();
    let mut spool = spool(&folder, 100, 4);
    std::fs::remove_dir_all(folder.path()).unwrap();
    spool.push_raw(b"more than one segment");
    spool.flush();
    assert!(spool.failed());
    spool.push_raw(&vec![b'x'; 10 * WRITE_BYTES]);
    assert!(spool.raw_pending.len() < WRITE_BYTES, "nothing piles up");
}
