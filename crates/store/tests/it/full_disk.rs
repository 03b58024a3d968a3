//! A disk without room: nothing is lost, and work goes on when there is room again.

use crate::support::*;
use protocol::event::StoreState;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use store::{Access, Store};

/// A small file system of its own; gone with this value.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: &Path) -> Option<Self> {
        #[expect(
            clippy::disallowed_methods,
            reason = "only the system can make a small disk"
        )]
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=24m", "tmpfs"])
            .arg(at)
            .output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self(at.to_owned())),
            other => {
                say_skipped(&format!("a small disk cannot be mounted here: {other:?}"));
                None
            }
        }
    }

    /// Fills it to the last byte.
    fn fill(&self) -> PathBuf {
        let ballast = self.0.join("ballast");
        let mut size = 1 << 20;
        let mut file = fs::File::create(&ballast).unwrap();
        while size > 0 {
            match std::io::Write::write(&mut file, &vec![1; size]) {
                Ok(_) => {}
                Err(_) => size /= 2,
            }
        }
        ballast
    }
}

#[expect(clippy::print_stdout, reason = "a skipped test says why")]
fn say_skipped(why: &str) {
    println!("skipped: {why}");
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        #[expect(
            clippy::disallowed_methods,
            reason = "only the system can take it away again"
        )]
        let unmounted = Command::new("umount").arg(&self.0).status();
        assert!(
            unmounted.is_ok_and(|status| status.success()),
            "the small disk is busy"
        );
    }
}

#[tokio::test]
async fn writing_waits_for_room_and_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(dir.path()) else {
        return;
    };
    let (store, _) = open(dir.path());
    let id = store
        .create_session(new_session("/w"))
        .await
        .unwrap()
        .session_id;
    store.append(&id, 1, vec![started()]).await.unwrap();
    let ballast = disk.fill();
    let mut state = store.state();
    let texts: Vec<String> = (0..200)
        .map(|n| format!("{n} {}", "x".repeat(2000)))
        .collect();
    let mut pending = Vec::new();
    for text in &texts {
        pending.push(store.append(&id, 1, vec![user(text)]));
    }
    // A group that does not fit waits; the portions of one caller stay in order behind it.
    let copy = store.put_file_copy(&id, vec![3; 300_000]);
    state
        .wait_for(|state| *state == StoreState::Full)
        .await
        .unwrap();
    let shown = store
        .read(|reader| reader.list_sessions(None, store::Listed::All))
        .await
        .unwrap();
    assert_eq!(shown.len(), 1, "reading goes on");
    fs::remove_file(ballast).unwrap();
    for one in pending {
        one.await.unwrap();
    }
    copy.await.unwrap();
    state
        .wait_for(|state| *state == StoreState::Ok)
        .await
        .unwrap();
    store.close();
    check_all_there(dir.path(), &id, &texts);
    drop(disk);
}

fn check_all_there(dir: &Path, id: &protocol::ids::SessionId, texts: &[String]) {
    let (store, _) = open(dir);
    let rows = words(&items(&store, id));
    let expected: Vec<String> = texts.iter().map(|text| format!("user {text}")).collect();
    assert_eq!(
        rows[..rows.len() - 2],
        expected[expected.len() - (rows.len() - 2)..]
    );
}

/// Ends a turn in the middle on a disk that then has `room` bytes left.
fn cut_off_with_room(disk: &SmallDisk, room: u64) -> (protocol::ids::SessionId, PathBuf) {
    let (store, _) = open(&disk.0);
    let id = session(&store);
    store
        .append(&id, 1, vec![started(), user("cut off")])
        .wait()
        .unwrap();
    drop(store);
    let ballast = disk.fill();
    let file = fs::OpenOptions::new().write(true).open(&ballast).unwrap();
    file.set_len(file.metadata().unwrap().len() - room).unwrap();
    (id, ballast)
}

#[test]
fn a_start_with_hardly_any_room_works_and_puts_sessions_right_later() {
    let dir = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(dir.path()) else {
        return;
    };
    let (id, ballast) = cut_off_with_room(&disk, 40 * 1024);
    let (store, report) = Store::open(dir.path(), TestClock::new().options()).unwrap();
    assert_eq!(
        (report.access, report.recovered, report.set_aside),
        (Access::Writable, Vec::new(), None)
    );
    assert_eq!(words(&items(&store, &id)), ["user cut off"]);
    fs::remove_file(ballast).unwrap();
    store.rename_session(&id, "after").wait().unwrap();
    assert_eq!(
        words(&items(&store, &id)),
        ["user cut off", "notice crashed", "notice recovered"]
    );
    drop(store);
    drop(disk);
}

#[test]
fn a_start_without_any_room_reads() {
    let dir = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(dir.path()) else {
        return;
    };
    let (id, _) = cut_off_with_room(&disk, 0);
    let (store, report) = Store::open(dir.path(), TestClock::new().options()).unwrap();
    assert_eq!((report.access, report.set_aside), (Access::NoRoom, None));
    assert_eq!(words(&items(&store, &id)), ["user cut off"]);
    drop(store);
    drop(disk);
}
