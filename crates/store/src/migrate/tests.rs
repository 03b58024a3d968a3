use super::*;
use std::path::PathBuf;

const NEXT: &str =
    "ALTER TABLE session ADD COLUMN color TEXT; CREATE INDEX by_color ON session(color);";
const BROKEN: &str = "CREATE TABLE half(x); INSERT INTO nowhere VALUES(1);";

fn schema(conn: &Connection) -> Vec<String> {
    conn.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

fn version(conn: &Connection) -> u32 {
    conn.pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap()
}

/// A database of the first format with one session, and where its copy would go.
fn old_database(dir: &Path) -> (Connection, PathBuf) {
    let path = dir.join("x.db");
    create(&path, "WAL", first()).unwrap();
    let conn = Connection::open(&path).unwrap();
    conn.execute(
        "INSERT INTO session(id, workspace, created_at, updated_at, provider_id, model) VALUES('a', '/w', 1, 1, 'p', 'm')",
        [],
    )
    .unwrap();
    (conn, dir.join("backups").join("x-v1.db"))
}

fn first() -> &'static [&'static str] {
    &STEPS[..1]
}

fn with(step: &'static str) -> Vec<&'static str> {
    first().iter().copied().chain([step]).collect()
}

#[test]
fn an_upgraded_database_equals_a_new_one_and_leaves_a_copy() {
    let dir = tempfile::tempdir().unwrap();
    let (conn, backup) = old_database(dir.path());
    let old_schema = schema(&conn);
    let steps = with(NEXT);
    upgrade(&conn, 1, &steps, &backup).unwrap();
    let fresh = dir.path().join("fresh.db");
    create(&fresh, "WAL", &steps).unwrap();
    assert_eq!(schema(&conn), schema(&Connection::open(&fresh).unwrap()));
    assert_eq!(version(&conn), 2);
    let copy = Connection::open(&backup).unwrap();
    assert_eq!((schema(&copy), version(&copy)), (old_schema, 1));
    let sessions: u32 = copy
        .query_row("SELECT count(*) FROM session", [], |row| row.get(0))
        .unwrap();
    assert_eq!(sessions, 1);
}

#[test]
fn a_step_that_fails_leaves_everything_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let (conn, backup) = old_database(dir.path());
    let before = schema(&conn);
    let failed = upgrade(&conn, 1, &with(BROKEN), &backup);
    assert!(matches!(failed, Err(OpenError::Database { .. })));
    assert_eq!((schema(&conn), version(&conn)), (before, 1));
}

#[test]
fn without_a_copy_nothing_is_changed() {
    let dir = tempfile::tempdir().unwrap();
    let (conn, backup) = old_database(dir.path());
    std::fs::create_dir_all(&backup).unwrap();
    let failed = upgrade(&conn, 1, &with(NEXT), &backup);
    assert!(matches!(failed, Err(OpenError::Backup { .. })));
    assert_eq!(version(&conn), 1);
}

#[test]
fn a_file_left_half_made_is_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.db");
    std::fs::write(path.with_extension("db.new"), "half").unwrap();
    create(&path, "WAL", STEPS).unwrap();
    assert_eq!(version(&Connection::open(&path).unwrap()), newest(STEPS));
}
