//! The database itself: what it refuses, and how its format changes.

use crate::support::*;
use rusqlite::Connection;
use store::DATABASE_FILE;

fn database_with_a_session() -> (tempfile::TempDir, Connection, String) {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    store.append(&id, 1, small_turn(1)).wait().unwrap();
    drop(store);
    let conn = Connection::open(dir.path().join(DATABASE_FILE)).unwrap();
    (dir, conn, id.0)
}

#[test]
fn facts_cannot_be_changed_doubled_or_garbled() {
    let (_dir, conn, id) = database_with_a_session();
    let check = |sql: &str, expected: &str| {
        let refused = conn.execute(sql, [&id]).expect_err(sql).to_string();
        assert!(refused.contains(expected), "{sql}: {refused}");
    };
    check(
        "UPDATE event SET payload='{}' WHERE session_id=?1",
        "append-only",
    );
    let insert = |seq: u32, payload: &str| {
        format!(
            "INSERT INTO event(session_id, seq, ts, turn, kind, payload) VALUES(?1, {seq}, 0, 1, 'warning', '{payload}')"
        )
    };
    check(&insert(2, "{}"), "UNIQUE");
    check(&insert(99, "not json"), "CHECK");
    check(&insert(0, "{}"), "CHECK");
}

#[test]
fn the_header_says_whose_it_is() {
    let (_dir, conn, _) = database_with_a_session();
    let value = |name: &str| {
        conn.pragma_query_value::<i64, _>(None, name, |row| row.get(0))
            .unwrap()
    };
    assert_eq!(value("application_id"), 1_111_772_999);
    assert_eq!(value("user_version"), 1);
    assert_eq!(value("auto_vacuum"), 2);
    let mode: String = conn
        .pragma_query_value(None, "journal_mode", |row| row.get(0))
        .unwrap();
    assert_eq!(mode, "wal");
    let check: String = conn
        .pragma_query_value(None, "integrity_check", |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
}

/// The engines before 3.51.3 could damage a database with several connections.
#[test]
fn the_engine_is_a_sound_one() {
    assert!(
        rusqlite::version_number() >= 3_051_003,
        "{}",
        rusqlite::version()
    );
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_look_inside() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("data");
    let (store, _) = open(&dir);
    let id = session(&store);
    store.put_file_copy(&id, vec![7; 100_000]).wait().unwrap();
    let mode =
        |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&dir), 0o700);
    for name in [
        DATABASE_FILE,
        "benchdog.db-wal",
        "benchdog.db-shm",
        "benchdog.lock",
    ] {
        assert_eq!(mode(&dir.join(name)), 0o600, "{name}");
    }
    assert_eq!(mode(&dir.join("blobs")), 0o700);
}
