//! The database itself: what it refuses, and how its format changes.

use crate::support::*;
use rusqlite::Connection;
use store::{DATABASE_FILE, Listed};

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
    assert_eq!(value("user_version"), 3);
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

fn schema(conn: &Connection) -> Vec<String> {
    conn.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

/// One database of each format that was ever used, as it was left then. A new format adds one and changes none.
#[test]
fn a_database_of_every_earlier_format_becomes_one_of_this() {
    let (_fresh_dir, fresh, _) = database_with_a_session();
    for version in 1..2 {
        let name = format!("tests/fixtures/v{version}.db");
        let kept = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        let dir = tempfile::tempdir().unwrap();
        std::fs::copy(&kept, dir.path().join(DATABASE_FILE)).unwrap();
        let (store, report) = open(dir.path());
        assert_eq!(report.set_aside, None);
        let listed = store.read_blocking(|reader| reader.list_sessions(None, Listed::All));
        let id = listed.unwrap().remove(0).session_id;
        let told = words(&items(&store, &id));
        let last_turn = ["user edit it", "assistant ", "tool c1 ok", "tool c2 ok"];
        assert_eq!(told[..2], ["user say 1", "assistant answer 1"]);
        assert_eq!(told[2..], last_turn);
        let net = || {
            store
                .read_blocking(|reader| reader.summary(&id))
                .unwrap()
                .net
        };
        let standing = net();
        assert_eq!(
            (standing.ai_added, standing.human_added),
            (2, 1),
            "one edit was undone"
        );
        store.rebuild(&id).wait().unwrap();
        assert_eq!(words(&items(&store, &id)), told);
        assert_eq!(net(), standing);
        let versions = store.read_blocking(|reader| reader.versions(&id, None));
        assert_eq!(versions.unwrap().len(), 3);
        store.append(&id, 3, small_turn(3)).wait().unwrap();
        drop(store);
        let conn = Connection::open(dir.path().join(DATABASE_FILE)).unwrap();
        assert_eq!(schema(&conn), schema(&fresh), "from format {version}");
        let copies = std::fs::read_dir(dir.path().join("backups")).unwrap();
        let copy = Connection::open(copies.last().unwrap().unwrap().path()).unwrap();
        let old: u32 = copy
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .unwrap();
        assert_eq!(old, version);
    }
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
