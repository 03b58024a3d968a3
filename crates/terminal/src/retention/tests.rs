use super::*;
use crate::status::StatusFile;

const HOUR: Duration = Duration::from_secs(3600);

/// A folder of shells, with the output of commands that ended so many hours ago.
fn shells(ended: &[(&str, u64, usize)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, hours, bytes) in ended {
        let path = folder.path().join(name);
        std::fs::create_dir_all(&path).unwrap();
        let raw = path.join("raw.bin");
        std::fs::write(&raw, vec![b'x'; *bytes]).unwrap();
        age(&raw, *hours);
        age(&path, *hours);
    }
    folder
}

#[expect(
    clippy::disallowed_methods,
    reason = "the files of a test are as old as it says"
)]
fn now() -> SystemTime {
    SystemTime::now()
}

fn age(path: &Path, hours: u64) {
    let file = std::fs::File::open(path).unwrap();
    file.set_modified(now() - HOUR * u32::try_from(hours).unwrap())
        .unwrap();
}

fn left(folder: &tempfile::TempDir) -> Vec<String> {
    let mut names = Vec::new();
    for session in std::fs::read_dir(folder.path()).unwrap() {
        let session = session.unwrap();
        for shell in std::fs::read_dir(session.path()).unwrap() {
            names.push(format!(
                "{}/{}",
                session.file_name().to_string_lossy(),
                shell.unwrap().file_name().to_string_lossy()
            ));
        }
    }
    names.sort();
    names
}

fn limits(max_bytes: u64, hours: u32) -> RetentionLimits {
    RetentionLimits {
        max_bytes,
        max_age: HOUR * hours,
    }
}

#[test]
fn what_is_too_old_or_too_much_goes_oldest_first() {
    let ended = [
        ("a/1", 9, 100),
        ("a/2", 3, 100),
        ("b/1", 2, 100),
        ("b/2", 1, 100),
    ];
    let check = |limits, expected: &[&str], freed| {
        let folder = shells(&ended);
        let swept = sweep(folder.path(), &[], limits, now()).unwrap();
        assert_eq!(left(&folder), expected, "{limits:?}");
        assert_eq!((swept.freed_bytes, swept.kept_bytes), (freed, 400 - freed));
    };
    check(limits(1000, 10), &["a/1", "a/2", "b/1", "b/2"], 0);
    check(limits(1000, 5), &["a/2", "b/1", "b/2"], 100);
    check(limits(250, 10), &["b/1", "b/2"], 200);
    check(limits(0, 10), &[], 400);
}

#[test]
fn an_emptied_session_goes_as_well() {
    let folder = shells(&[("a/1", 9, 100), ("b/1", 1, 100)]);
    sweep(folder.path(), &[], limits(1000, 5), now()).unwrap();
    assert!(!folder.path().join("a").exists());
    assert!(folder.path().join("b").exists());
}

#[test]
fn what_runs_stays_whoever_runs_it() {
    let folder = shells(&[("a/1", 9, 100), ("a/2", 8, 100), ("a/3", 7, 100)]);
    let path = |name: &str| folder.path().join(name);
    let running = |name: &str| {
        let mut status =
            StatusFile::create(path(name).join("status.json"), "s", "c", Path::new("/")).unwrap();
        status.running(1, None);
    };
    running("a/2");
    running("a/3");
    age(&path("a/3/status.json"), 1);
    sweep(folder.path(), &[path("a/1")], limits(0, 0), now()).unwrap();
    assert_eq!(left(&folder), ["a/1", "a/2"], "a stale word is nobody's");
}

#[test]
fn a_folder_that_is_not_there_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let none = folder.path().join("shells");
    assert_eq!(
        sweep(&none, &[], RetentionLimits::default(), now()).unwrap(),
        Swept::default()
    );
}

#[test]
fn a_session_goes_whole_and_nothing_else_does() {
    let folder = shells(&[("a/1", 1, 10), ("a/2", 1, 10), ("b/1", 1, 10)]);
    for name in ["..", ".", "", "/", "a/1", "/etc", "a/.."] {
        assert!(
            remove_session_output(folder.path(), name).is_err(),
            "{name:?}"
        );
    }
    remove_session_output(folder.path(), "a").unwrap();
    remove_session_output(folder.path(), "a").unwrap();
    assert_eq!(left(&folder), ["b/1"]);
}
