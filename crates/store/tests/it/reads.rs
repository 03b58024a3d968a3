//! What was shown of files is kept with the results that showed it.

use crate::support::*;
use protocol::ids::SessionId;
use protocol::session::Outcome;
use protocol::tool_call::CallStatus;
use store::{Store, StoredRead, StoredView, UNDO_DELETE_MS};

fn read(path: &str, hash: &str) -> StoredRead {
    StoredRead {
        path: path.to_owned(),
        file: (-1, i64::MAX),
        size: 7,
        changed_ns: (1, 2),
        hash: Some(hash.to_owned()),
        shown_as: StoredView::Text,
        seen: "1-3 9-9".to_owned(),
        is_full: false,
        hashed_at_ns: 3,
        read_at_ns: 4,
        written_at_ns: None,
    }
}

fn kept(store: &Store, id: &SessionId) -> Vec<StoredRead> {
    store.read_blocking(|reader| reader.reads(id)).unwrap()
}

/// A call that runs.
fn begin(store: &Store, id: &SessionId, call: &str) {
    let facts = vec![
        started(),
        user("go"),
        request(1, 1),
        says(1, "", &[call]),
        read_call(call),
        runs(call),
    ];
    store.append(id, 1, facts).wait().unwrap();
}

#[test]
fn notes_are_written_with_the_result_and_are_there_afterwards() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let (id, other) = (session(&store), session(&store));
    store.note_read(&id, "/w/a", Some(read("/w/a", "old")));
    store.note_read(&id, "/w/a", Some(read("/w/a", "new")));
    store.note_read(&id, "/w/b", Some(read("/w/b", "b")));
    store.note_read(&id, "/w/b", None);
    store.note_read(&other, "/w/c", Some(read("/w/c", "c")));
    begin(&store, &id, "c1");
    assert_eq!(kept(&store, &id), [], "the result is not there yet");
    let end = vec![
        result("c1", CallStatus::Ok, "1\ta"),
        ended(Outcome::Completed),
    ];
    store.append(&id, 1, end).wait().unwrap();
    drop(store);
    let (store, _) = open(dir.path());
    assert_eq!(kept(&store, &id), [read("/w/a", "new")]);
    assert_eq!(kept(&store, &other), []);

    store.note_read(&id, "/w/a", None);
    let turn = [&small_turn(2)[..]].concat();
    store.append(&id, 2, turn).wait().unwrap();
    assert_eq!(kept(&store, &id), [], "what no longer counts goes");
}

#[test]
fn what_a_lost_call_was_shown_does_not_count() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    store.append(&id, 1, small_turn(1)).wait().unwrap();
    let facts = vec![
        started(),
        user("go"),
        request(2, 1),
        says(2, "", &["c1", "c2"]),
        read_call("c1"),
        read_call("c2"),
        runs("c1"),
        runs("c2"),
    ];
    store.append(&id, 2, facts).wait().unwrap();
    // Both calls have read; only one of the results is written before the end.
    store.note_read(&id, "/w/a", Some(read("/w/a", "a")));
    store.note_read(&id, "/w/b", Some(read("/w/b", "b")));
    let one = vec![result("c1", CallStatus::Ok, "1\ta")];
    store.append(&id, 2, one).wait().unwrap();
    assert_eq!(kept(&store, &id).len(), 2);
    store.recover_session(&id).wait().unwrap();
    assert_eq!(kept(&store, &id), []);
}

#[test]
fn they_go_with_their_session() {
    let dir = tempfile::tempdir().unwrap();
    let clock = TestClock::new();
    let (store, _) = Store::open(dir.path(), clock.options()).unwrap();
    let id = session(&store);
    store.note_read(&id, "/w/a", Some(read("/w/a", "a")));
    store.append(&id, 1, small_turn(1)).wait().unwrap();
    assert_eq!(kept(&store, &id).len(), 1);
    store.delete_session(&id).wait().unwrap();
    clock.advance(UNDO_DELETE_MS + 1);
    store.tidy().unwrap();
    assert_eq!(kept(&store, &id), []);
}
