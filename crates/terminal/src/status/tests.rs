use super::*;
use std::os::unix::fs::PermissionsExt;

fn created(folder: &tempfile::TempDir) -> StatusFile {
    let path = folder.path().join("status.json");
    StatusFile::create(path, "shell-1", "make", Path::new("/ws")).unwrap()
}

fn json(status: &StatusFile) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(&status.path).unwrap()).unwrap()
}

#[test]
fn the_file_has_the_promised_fields_and_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let mut status = created(&folder);
    let starting = json(&status);
    assert_eq!(starting["status"], "starting");
    assert_eq!(starting["pid"], serde_json::Value::Null);
    status.running(42, None);
    let running = json(&status);
    let fields: Vec<&str> = running
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let mut expected = [
        "id",
        "status",
        "command",
        "cwd",
        "pid",
        "startTime",
        "updatedAt",
        "leftovers",
    ];
    expected.sort_unstable();
    let mut fields = fields;
    fields.sort_unstable();
    assert_eq!(fields, expected);
    assert_eq!(
        (&running["status"], &running["pid"]),
        (&"running".into(), &42.into())
    );
    let time = running["startTime"].as_str().unwrap();
    assert!(time.ends_with('Z') && time.contains('T'), "{time}");
    let mode = std::fs::metadata(&status.path)
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

fn exit(code: Option<i32>, signal: Option<i32>) -> Exit {
    Exit { code, signal }
}

#[test]
fn a_supervisor_notes_the_end_it_made_and_none_that_was_there() {
    let check = |before: fn(&mut StatusFile), orphaned: Orphaned, expected: &str| {
        let folder = tempfile::tempdir().unwrap();
        let mut file = created(&folder);
        before(&mut file);
        note_orphaned(&file.path, &orphaned).unwrap();
        let record = read(&file.path).unwrap();
        let (status, code, signal) = (record.status, record.exit_code, &record.signal);
        assert_eq!(format!("{status:?} {code:?} {signal:?}"), expected);
        assert_eq!(record.leftovers, orphaned.leftovers);
        assert!(record.end_time.is_some());
    };
    let (killed, done) = (exit(None, Some(9)), exit(Some(0), None));
    let orphaned = |own_end, exit| Orphaned {
        own_end,
        exit,
        leftovers: 2,
    };
    let running = |file: &mut StatusFile| file.running(1, None);
    let settled = |file: &mut StatusFile| {
        file.record.end(Standing::Cancelled, &exit(Some(3), None));
        file.write();
    };
    let by_force = orphaned(None, Some(&killed));
    check(running, orphaned(None, None), "KilledAppGone None None");
    check(running, by_force, "KilledAppGone None Some(\"SIGKILL\")");
    let by_itself = orphaned(Some(&done), Some(&done));
    check(running, by_itself, "Completed Some(0) None");
    let by_force = orphaned(None, Some(&killed));
    check(settled, by_force, "Cancelled Some(3) None");
}

#[test]
fn what_was_left_by_a_torn_write_is_no_obstacle() {
    let folder = tempfile::tempdir().unwrap();
    let mut status = created(&folder);
    std::fs::write(folder.path().join("status.json.new"), "{").unwrap();
    status.running(7, Some(SPOOL_FULL));
    let record = read(&status.path).unwrap();
    assert_eq!(
        (record.pid, record.error.as_deref()),
        (Some(7), Some("spool_full"))
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn links_and_torn_files_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let status = created(&folder);
    let link = folder.path().join("link.json");
    std::os::unix::fs::symlink(&status.path, &link).unwrap();
    assert!(read(&link).is_err());
    std::fs::write(&status.path, "{\"id\":").unwrap();
    assert!(read(&status.path).is_err());
}
