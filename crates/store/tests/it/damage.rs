//! Files that are not what they should be: each start works, and nothing is lost that was there.

use crate::support::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use store::{Access, DATABASE_FILE, Error, Finding, Listed, OpenError, Store};

/// Two sessions, closed.
fn history(dir: &Path) -> Vec<u8> {
    let (store, _) = open(dir);
    for n in 1..=2 {
        let id = session(&store);
        for turn in 1..=20 {
            store
                .append(&id, turn, small_turn(u64::from(turn) * n))
                .wait()
                .unwrap();
        }
    }
    drop(store);
    fs::read(dir.join(DATABASE_FILE)).unwrap()
}

fn count(store: &Store) -> usize {
    store
        .read_blocking(|reader| reader.list_sessions(None, Listed::All))
        .unwrap()
        .len()
}

/// Starts on these bytes and holds a session. What was set aside has the same bytes.
#[track_caller]
fn starts_anew(dir: &Path, bytes: &[u8], finding: Finding, why: &str) {
    let database = dir.join(DATABASE_FILE);
    fs::write(&database, bytes).unwrap();
    let (store, report) = open(dir);
    assert_eq!(report.access, Access::Writable, "{why}");
    let aside = report
        .set_aside
        .unwrap_or_else(|| panic!("{why}: it is said once"));
    assert_eq!(aside.finding, finding, "{why}");
    assert_eq!(
        fs::read(&aside.path).unwrap(),
        bytes,
        "{why}: the damaged bytes are kept"
    );
    let id = session(&store);
    store.append(&id, 1, small_turn(1)).wait().unwrap();
    drop(store);
    let (store, report) = open(dir);
    assert_eq!(report.set_aside, None, "{why}: it is said only once");
    assert_eq!(
        words(&items(&store, &id)),
        ["user say 1", "assistant answer 1"],
        "{why}"
    );
}

#[test]
fn every_kind_of_damage_starts_anew_and_the_good_file_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let good = history(dir.path());
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/fixtures/cases/reports/HI-01/input/damage.py");
    let database = dir.path().join(DATABASE_FILE);
    for (kind, finding) in [
        ("garbage", Finding::NotADatabase),
        ("half", Finding::Damaged),
        ("zero", Finding::Empty),
        ("header", Finding::NotADatabase),
        ("page", Finding::Damaged),
    ] {
        fs::write(&database, &good).unwrap();
        #[expect(
            clippy::disallowed_methods,
            reason = "the case's own script makes the damage"
        )]
        let made = Command::new("python3")
            .arg(&script)
            .arg(&database)
            .arg(kind)
            .status();
        assert!(made.is_ok_and(|status| status.success()), "{kind}");
        let bytes = fs::read(&database).unwrap();
        starts_anew(dir.path(), &bytes, finding, kind);
        fs::write(&database, &good).unwrap();
        let (store, report) = open(dir.path());
        assert_eq!(
            (count(&store), report.set_aside),
            (2, None),
            "{kind}: the good file is good again"
        );
    }
}

#[test]
fn files_of_others_are_set_aside_whole() {
    let dir = tempfile::tempdir().unwrap();
    starts_anew(
        dir.path(),
        b"dear diary",
        Finding::NotADatabase,
        "a text file",
    );
    let other = dir.path().join("other.db");
    let conn = rusqlite::Connection::open(&other).unwrap();
    conn.execute_batch("CREATE TABLE recipes(name TEXT); PRAGMA application_id=7")
        .unwrap();
    drop(conn);
    starts_anew(
        dir.path(),
        &fs::read(&other).unwrap(),
        Finding::Foreign,
        "another program's",
    );
}

#[test]
fn a_log_without_its_database_is_set_aside() {
    let dir = tempfile::tempdir().unwrap();
    history(dir.path());
    let database = dir.path().join(DATABASE_FILE);
    fs::remove_file(&database).unwrap();
    fs::write(dir.path().join("benchdog.db-wal"), "left over").unwrap();
    let (store, report) = open(dir.path());
    assert_eq!(count(&store), 0);
    let aside = report.set_aside.unwrap();
    assert_eq!(aside.finding, Finding::Missing);
    let log = PathBuf::from(format!("{}-wal", aside.path.display()));
    assert_eq!(fs::read_to_string(log).unwrap(), "left over");
}

/// Changes the format number, as a newer version would.
fn made_by_version(dir: &Path, version: u32, min_reader: &str) -> Vec<u8> {
    history(dir);
    let path = dir.join(DATABASE_FILE);
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.pragma_update(None, "user_version", version).unwrap();
    conn.execute(
        "UPDATE meta SET value=?1 WHERE key='min_reader'",
        [min_reader],
    )
    .unwrap();
    drop(conn);
    fs::read(path).unwrap()
}

#[test]
fn a_newer_format_is_only_read_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = made_by_version(dir.path(), 999, "1");
    let (store, report) = open(dir.path());
    assert_eq!((report.access, report.set_aside), (Access::Newer, None));
    assert_eq!(count(&store), 2);
    let refused = store.create_session(new_session("/w")).wait();
    assert!(matches!(refused, Err(store::Error::ReadOnly)));
    drop(store);
    assert_eq!(fs::read(dir.path().join(DATABASE_FILE)).unwrap(), bytes);
    assert!(
        !dir.path().join("benchdog.db-wal").exists(),
        "not even beside it"
    );
    assert!(
        !dir.path().join("benchdog.db-shm").exists(),
        "not even beside it"
    );
}

#[test]
fn a_format_that_cannot_be_read_is_an_error_that_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = made_by_version(dir.path(), 999, "998");
    let refused = Store::open(dir.path(), TestClock::new().options());
    assert!(matches!(
        refused,
        Err(OpenError::Newer { version: 999, .. })
    ));
    assert_eq!(fs::read(dir.path().join(DATABASE_FILE)).unwrap(), bytes);
}

/// Opens on damaged bytes. Whatever it finds, it starts, keeps the bytes, and never panics on a session.
fn survives(damaged: &[u8], why: &str) {
    let dir = tempfile::tempdir().unwrap();
    let database = dir.path().join(DATABASE_FILE);
    fs::write(&database, damaged).unwrap();
    let opened = Store::open(dir.path(), TestClock::new().options());
    let (store, report) = match opened {
        Ok(opened) => opened,
        // Only a changed format number may refuse to start.
        Err(OpenError::Newer { .. }) => return,
        Err(error) => panic!("{why}: {error:?}"),
    };
    if let Some(aside) = report.set_aside {
        assert_eq!(
            fs::read(&aside.path).unwrap(),
            damaged,
            "{why}: kept as it was"
        );
        assert_eq!(count(&store), 0, "{why}");
    } else if let Ok(sessions) =
        store.read_blocking(|reader| reader.list_sessions(None, Listed::All))
    {
        for summary in sessions {
            // An error is an answer; a crash is not.
            let read = store.read_blocking(|reader| {
                reader.session(&summary.session_id, None)?;
                reader.events(&summary.session_id)
            });
            if let Err(error) = read {
                assert!(
                    matches!(error, Error::Damaged(_) | Error::Database(_)),
                    "{why}: {error:?}"
                );
            }
        }
    }
}

#[test]
fn a_file_cut_at_any_page_starts() {
    let dir = tempfile::tempdir().unwrap();
    let good = history(dir.path());
    let pages = good.len() / 4096;
    assert!(pages > 30, "{pages} pages are too few to prove anything");
    for page in 0..=pages {
        survives(&good[..page * 4096], &format!("cut after page {page}"));
    }
    survives(&good[..good.len() - 1], "cut inside the last page");
}

#[test]
fn a_file_with_one_changed_byte_starts() {
    let dir = tempfile::tempdir().unwrap();
    let good = history(dir.path());
    // Fixed steps of a generator, so that a failure can be repeated.
    let mut state: u64 = 0x5EED;
    for _ in 0..200 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let at = (state >> 33) as usize % good.len();
        let bit = 1u8 << ((state >> 20) & 7);
        let mut damaged = good.clone();
        damaged[at] ^= bit;
        survives(&damaged, &format!("byte {at}, bit {bit}"));
    }
}

#[test]
fn damage_is_found_although_the_last_end_was_clean() {
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = history(dir.path());
    let (store, report) = open(dir.path());
    assert_eq!((count(&store), report.set_aside), (2, None));
    drop(store);
    bytes[4096..8192].fill(0xa5);
    starts_anew(
        dir.path(),
        &bytes,
        Finding::Damaged,
        "changed after a clean end",
    );
}

/// Rows of each session, by its id.
fn transcripts(store: &Store) -> Vec<(String, Vec<String>)> {
    let sessions = store
        .read_blocking(|reader| reader.list_sessions(None, Listed::All))
        .unwrap();
    let mut all: Vec<_> = sessions
        .iter()
        .map(|summary| {
            (
                summary.session_id.0.clone(),
                words(&items(store, &summary.session_id)),
            )
        })
        .collect();
    all.sort();
    all
}

#[test]
fn what_can_be_read_of_a_damaged_file_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    for n in 1..=6 {
        let id = session(&store);
        let long = format!("{n} {}", "long text ".repeat(9000));
        store
            .append(&id, 1, vec![started(), user(&long)])
            .wait()
            .unwrap();
        store
            .append(&id, 1, vec![ended(protocol::session::Outcome::Completed)])
            .wait()
            .unwrap();
        for turn in 2..=40 {
            store
                .append(&id, turn, small_turn(u64::from(turn) * n))
                .wait()
                .unwrap();
        }
    }
    let before = transcripts(&store);
    drop(store);
    let database = dir.path().join(DATABASE_FILE);
    let mut bytes = fs::read(&database).unwrap();
    let middle = bytes.len() / 4096 / 2 * 4096;
    bytes[middle..middle + 4096].fill(0xa5);
    fs::write(&database, &bytes).unwrap();
    let (store, report) = open(dir.path());
    let aside = report.set_aside.unwrap();
    let salvaged = store.salvage(&aside.path).unwrap();
    assert!(salvaged.sessions >= 5, "{salvaged:?}");
    let after = transcripts(&store);
    assert_eq!(after.len(), salvaged.sessions);
    let whole = after.iter().filter(|one| before.contains(one)).count();
    assert!(
        whole + salvaged.with_gaps >= salvaged.sessions,
        "what is not whole says so: {salvaged:?}"
    );
    assert!(whole >= 4, "{whole} whole ones of {salvaged:?}");
    assert_eq!(
        store.salvage(&aside.path).unwrap().sessions,
        0,
        "twice is once"
    );
    assert_eq!(
        fs::read(&aside.path).unwrap(),
        bytes,
        "the damaged bytes are kept"
    );
    assert!(!dir.path().join("benchdog.salvage").exists());
}

#[test]
fn a_file_without_a_readable_page_gives_nothing_back() {
    let dir = tempfile::tempdir().unwrap();
    let damaged = dir.path().join("damaged.db");
    fs::write(&damaged, vec![0xa5; 50_000]).unwrap();
    let (store, _) = open(&dir.path().join("data"));
    let salvaged = store.salvage(&damaged).unwrap();
    assert_eq!(salvaged, store::Salvaged::default());
    let missing = store.salvage(&dir.path().join("nowhere"));
    assert!(matches!(missing, Err(Error::Io { .. })));
}
