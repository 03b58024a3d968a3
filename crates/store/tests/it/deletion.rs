//! Deleting, and that nothing is left.

use crate::support::*;
use protocol::ids::CallId;
use protocol::tool_call::CallStatus;
use std::fs;
use std::path::Path;
use store::{Error, Listed, NewSession, Store, UNDO_DELETE_MS};

const MARKER: &str = "xylophone-marker-4711";

fn open_at(dir: &Path, clock: &TestClock) -> Store {
    Store::open(dir, clock.options()).unwrap().0
}

/// Files below `dir` that contain the marker.
fn traces(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(traces(&path));
        } else if contains(&fs::read(&path).unwrap()) {
            found.push(path.display().to_string());
        }
    }
    found
}

fn contains(bytes: &[u8]) -> bool {
    bytes
        .windows(MARKER.len())
        .any(|window| window == MARKER.as_bytes())
}

fn marked_turn(turn: u64) -> Vec<protocol::log::LogEvent> {
    let call = format!("c{turn}");
    vec![
        started(),
        user(&format!("say {MARKER} {turn}")),
        request(turn, 1),
        says(turn, MARKER, &[&call]),
        read_call(&call),
        runs(&call),
        result(&call, CallStatus::Ok, &MARKER.repeat(5000)),
        ended(protocol::session::Outcome::Completed),
    ]
}

#[test]
fn a_deletion_leaves_no_trace() {
    let dir = tempfile::tempdir().unwrap();
    let clock = TestClock::new();
    let store = open_at(dir.path(), &clock);
    let kept = session(&store);
    let id = session(&store);
    for turn in 1..=300 {
        store
            .append(&id, turn, marked_turn(u64::from(turn)))
            .wait()
            .unwrap();
        store
            .append(&kept, turn, small_turn(u64::from(turn)))
            .wait()
            .unwrap();
    }
    store
        .put_file_copy(&id, MARKER.repeat(10_000).into_bytes())
        .wait()
        .unwrap();
    store.rename_session(&id, MARKER).wait().unwrap();
    assert!(
        !traces(dir.path()).is_empty(),
        "the marker is there to be found"
    );
    store.delete_session(&id).wait().unwrap();
    assert_eq!(store.tidy().unwrap().len(), 0, "it can still be taken back");
    clock.advance(UNDO_DELETE_MS);
    assert_eq!(store.tidy().unwrap().len(), 1);
    assert_eq!(traces(dir.path()), Vec::<String>::new());
    let sessions = store
        .read_blocking(|reader| reader.list_sessions(None, Listed::All))
        .unwrap();
    assert_eq!(sessions.len(), 1);
    assert_eq!(items(&store, &kept).len(), 200);
}

#[test]
fn a_deletion_can_be_taken_back_for_a_while() {
    let dir = tempfile::tempdir().unwrap();
    let clock = TestClock::new();
    let store = open_at(dir.path(), &clock);
    let id = session(&store);
    store.append(&id, 1, small_turn(1)).wait().unwrap();
    let before = items(&store, &id);
    store.delete_session(&id).wait().unwrap();
    let hidden = store.read_blocking(|reader| reader.session(&id, None));
    assert!(matches!(hidden, Err(Error::SessionNotFound(_))));
    assert!(matches!(
        store.delete_session(&id).wait(),
        Err(Error::SessionNotFound(_))
    ));
    store.undo_delete(&id).wait().unwrap();
    assert_eq!(items(&store, &id), before);
    store.delete_session(&id).wait().unwrap();
    clock.advance(UNDO_DELETE_MS);
    store.tidy().unwrap();
    assert!(matches!(
        store.undo_delete(&id).wait(),
        Err(Error::SessionNotFound(_))
    ));
}

#[test]
fn an_interrupted_deletion_goes_on_after_the_next_start() {
    let dir = tempfile::tempdir().unwrap();
    let clock = TestClock::new();
    let store = open_at(dir.path(), &clock);
    let id = session(&store);
    store
        .append(&id, 1, vec![started(), user("cut off")])
        .wait()
        .unwrap();
    store.delete_session(&id).wait().unwrap();
    drop(store);
    clock.advance(UNDO_DELETE_MS);
    let (store, report) = Store::open(dir.path(), clock.options()).unwrap();
    assert_eq!(report.recovered, [], "what is deleted is not put right");
    assert_eq!(store.tidy().unwrap().len(), 1);
}

#[test]
fn children_go_with_their_parent() {
    let dir = tempfile::tempdir().unwrap();
    let clock = TestClock::new();
    let store = open_at(dir.path(), &clock);
    let parent = session(&store);
    let new = NewSession {
        parent: Some((parent.clone(), CallId::from("c1"))),
        ..new_session("/w")
    };
    let child = store.create_session(new).wait().unwrap().session_id;
    let listed = store
        .read_blocking(|reader| reader.list_sessions(None, Listed::All))
        .unwrap();
    assert_eq!(listed.len(), 1, "a child is not listed");
    store.delete_session(&parent).wait().unwrap();
    clock.advance(UNDO_DELETE_MS);
    assert_eq!(store.tidy().unwrap().len(), 2);
    let gone = store.read_blocking(|reader| reader.summary(&child));
    assert!(matches!(gone, Err(Error::SessionNotFound(_))));
}

#[test]
fn sessions_are_kept_apart_by_the_whole_path() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let folders = [
        "/p/my_app",
        "/p/my-app",
        "/p/my.app",
        "/p/my app",
        "/p/MY-APP",
        "/p/my-app/sub",
        "/p/my-åpp",
    ];
    for folder in folders {
        store.create_session(new_session(folder)).wait().unwrap();
    }
    for folder in folders {
        let own = store
            .read_blocking(|reader| reader.list_sessions(Some(folder), Listed::All))
            .unwrap();
        let workspaces: Vec<&str> = own
            .iter()
            .map(|summary| summary.workspace.as_str())
            .collect();
        assert_eq!(workspaces, [folder]);
    }
}

#[test]
fn a_session_put_away_is_listed_on_request() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    let listed = |which| {
        store
            .read_blocking(|reader| reader.list_sessions(None, which))
            .unwrap()
            .len()
    };
    assert!(store.archive_session(&id).wait().unwrap().archived);
    assert_eq!((listed(Listed::Current), listed(Listed::All)), (0, 1));
    assert!(!store.unarchive_session(&id).wait().unwrap().archived);
    assert_eq!((listed(Listed::Current), listed(Listed::All)), (1, 1));
}

#[test]
fn a_copy_is_made_once_a_day_and_three_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let clock = TestClock::new();
    let store = open_at(dir.path(), &clock);
    assert_eq!(
        store.back_up_daily().unwrap(),
        None,
        "of nothing no copy is made"
    );
    let id = session(&store);
    store.append(&id, 1, small_turn(1)).wait().unwrap();
    let mut made = Vec::new();
    for _ in 0..8 {
        made.extend(store.back_up_daily().unwrap());
        clock.advance(13 * 60 * 60 * 1000);
    }
    assert_eq!(made.len(), 4, "every second time it was due");
    let there: Vec<bool> = made.iter().map(|copy| copy.exists()).collect();
    assert_eq!(there, [false, true, true, true]);
    let other = tempfile::tempdir().unwrap();
    fs::copy(&made[3], other.path().join(store::DATABASE_FILE)).unwrap();
    let copy = open_at(other.path(), &clock);
    assert_eq!(items(&copy, &id), items(&store, &id));
}
