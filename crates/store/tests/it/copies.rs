//! Copies of files before a change, and how much of them is kept.

use crate::support::*;
use protocol::changes::{EditMark, EditState};
use protocol::diff::DiffStat;
use protocol::ids::{CallId, SessionId};
use protocol::item::ItemBody;
use protocol::log::{FileChange, FileVersion, LogEvent};
use protocol::session::Outcome;
use protocol::tool_call::{CallStatus, Display};
use std::path::Path;
use store::{Error, Limits, OpenOptions, Store, StoredVersion, sha256_hex};

fn version(path: &str, before: Option<String>, after: &str) -> FileVersion {
    FileVersion {
        path: path.to_owned(),
        change: FileChange::Edit,
        before_hash: before,
        proposed_hash: Some(sha256_hex(after.as_bytes())),
        after_hash: Some(sha256_hex(after.as_bytes())),
        mode: Some(0o644),
        in_place: false,
        stat: DiffStat {
            model_added_lines: 1,
            ..DiffStat::default()
        },
        owners: None,
    }
}

fn blob(store: &Store, sha256: &str) -> Result<Vec<u8>, Error> {
    let sha256 = sha256.to_owned();
    store.read_blocking(move |reader| reader.blob(&sha256))
}

/// A turn whose call has these versions.
fn changes(store: &Store, id: &SessionId, turn: u32, rows: Vec<FileVersion>) {
    let call = format!("c{turn}");
    let events = vec![
        started(),
        says(u64::from(turn), "", &[&call]),
        read_call(&call),
        LogEvent::FileVersions {
            call_id: CallId::from(call.as_str()),
            rows,
            takes_back: Vec::new(),
            brings_back: Vec::new(),
        },
        result(&call, CallStatus::Ok, "done"),
        ended(Outcome::Completed),
    ];
    store.append(id, turn, events).wait().unwrap();
}

fn versions(store: &Store, id: &SessionId, path: Option<&str>) -> Vec<StoredVersion> {
    store
        .read_blocking(|reader| reader.versions(id, path))
        .unwrap()
}

#[test]
fn versions_can_be_read_back_newest_last() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    let small = store.put_file_copy(&id, b"old".to_vec()).wait().unwrap();
    let large = store.put_file_copy(&id, vec![9; 200_000]).wait().unwrap();
    assert_eq!(blob(&store, &small).unwrap(), b"old");
    assert_eq!(blob(&store, &large).unwrap(), vec![9; 200_000]);
    let file = dir.path().join("blobs").join(&large[..2]).join(&large);
    assert!(file.exists(), "large ones are files");
    let rows = vec![
        version("/w/a", Some(small), "new"),
        version("/w/b", None, "made"),
        version("/w/a", Some(large), "newer"),
    ];
    changes(&store, &id, 1, rows.clone());
    let stored = versions(&store, &id, Some("/w/a"));
    let found: Vec<_> = stored.iter().map(|stored| &stored.version).collect();
    assert_eq!(found, [&rows[0], &rows[2]]);
    assert_eq!(
        (
            stored[0].turn,
            stored[0].call_id.as_str(),
            stored[0].created_at
        ),
        (1, "c1", START_MS)
    );
    let newest = store
        .read_blocking(|reader| reader.newest_version(&id, "/w/b"))
        .unwrap();
    assert_eq!(newest.map(|stored| stored.version), Some(rows[1].clone()));
    let before = versions(&store, &id, None);
    store.rebuild(&id).wait().unwrap();
    assert_eq!(versions(&store, &id, None), before);
}

#[test]
fn a_version_without_its_old_bytes_is_kept_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    let missing = sha256_hex(b"never kept");
    let row = version("/w/a", Some(missing.clone()), "new");
    changes(&store, &id, 1, vec![row.clone()]);
    assert_eq!(versions(&store, &id, None)[0].version, row);
    assert!(matches!(blob(&store, &missing), Err(Error::BlobLost(_))));
    store
        .put_file_copy(&id, b"never kept".to_vec())
        .wait()
        .unwrap();
    assert_eq!(
        blob(&store, &missing).unwrap(),
        b"never kept",
        "kept later, it is there"
    );
}

#[test]
fn lost_and_changed_bytes_are_said_to_be_lost() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    let sha256 = store.put_file_copy(&id, vec![9; 200_000]).wait().unwrap();
    let file = dir.path().join("blobs").join(&sha256[..2]).join(&sha256);
    std::fs::write(&file, "changed").unwrap();
    assert!(matches!(blob(&store, &sha256), Err(Error::BlobLost(_))));
    std::fs::remove_file(&file).unwrap();
    assert!(matches!(blob(&store, &sha256), Err(Error::BlobLost(_))));
    store.put_file_copy(&id, vec![9; 200_000]).wait().unwrap();
    assert_eq!(
        blob(&store, &sha256).unwrap(),
        vec![9; 200_000],
        "kept again, it is back"
    );
}

fn with_limits(dir: &Path, clock: &TestClock) -> Store {
    let options = OpenOptions {
        limits: Limits {
            blob_bytes: 1000,
            file_copies_bytes: 2500,
        },
        ..clock.options()
    };
    Store::open(dir, options).unwrap().0
}

#[test]
fn the_oldest_sessions_give_up_their_copies_first() {
    let dir = tempfile::tempdir().unwrap();
    let clock = TestClock::new();
    let store = with_limits(dir.path(), &clock);
    let keep = |id: &SessionId, byte: u8| store.put_file_copy(id, vec![byte; 800]).wait();
    let mut sessions = Vec::new();
    let mut copies = Vec::new();
    for byte in 1..=3 {
        clock.advance(1000);
        let id = session(&store);
        let copy = keep(&id, byte).unwrap();
        changes(
            &store,
            &id,
            1,
            vec![version("/w/a", Some(copy.clone()), "x")],
        );
        sessions.push(id);
        copies.push(copy);
    }
    let [first, second, third] = <[String; 3]>::try_from(copies).unwrap();
    let fourth = keep(&sessions[2], 4).unwrap();
    assert!(
        matches!(blob(&store, &first), Err(Error::BlobLost(_))),
        "the oldest went"
    );
    for kept in [&second, &third, &fourth] {
        assert!(blob(&store, kept).is_ok());
    }
    assert_eq!(
        versions(&store, &sessions[0], None).len(),
        1,
        "its row stays and names what is lost"
    );
    keep(&sessions[2], 5).unwrap();
    assert!(
        matches!(blob(&store, &second), Err(Error::BlobLost(_))),
        "then the next"
    );
    let full = keep(&sessions[2], 6);
    assert!(
        matches!(full, Err(Error::BlobStoreFull)),
        "never those of the session at work"
    );
    assert!(matches!(
        store.put_file_copy(&sessions[2], vec![0; 1001]).wait(),
        Err(Error::BlobTooLarge { size: 1001 })
    ));
}

#[test]
fn the_card_of_a_change_says_whether_it_was_taken_back() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    changes(&store, &id, 1, vec![version("/w/a", None, "new")]);
    let put_back = |call_id: &str, takes_back: &[&str], brings_back: &[&str]| {
        let ids = |ids: &[&str]| ids.iter().map(|id| CallId::from(*id)).collect();
        let fact = LogEvent::FileVersions {
            call_id: CallId::from(call_id),
            rows: vec![FileVersion {
                change: FileChange::Undo,
                ..version("/w/a", None, "old")
            }],
            takes_back: ids(takes_back),
            brings_back: ids(brings_back),
        };
        store.append(&id, 1, vec![fact]).wait().unwrap()
    };
    let mark = || {
        let page = store
            .read_blocking(|reader| reader.page(&id, u64::MAX, 50))
            .unwrap();
        page.items.into_iter().find_map(|item| match item.body {
            ItemBody::Tool { tool } => tool.edit,
            _ => None,
        })
    };
    let landed = EditMark {
        state: EditState::Landed,
        by: None,
    };
    assert_eq!(mark(), Some(landed.clone()));
    let appended = put_back("undo_1", &["c1", "gone"], &[]);
    assert_eq!(appended.changes.len(), 1, "the card is drawn anew");
    let undone = EditMark {
        state: EditState::Undone,
        by: Some(CallId::from("undo_1")),
    };
    assert_eq!(mark(), Some(undone.clone()));
    store.rebuild(&id).wait().unwrap();
    assert_eq!(mark(), Some(undone));
    put_back("undo_2", &[], &["c1"]);
    assert_eq!(mark(), Some(landed));
    let facts = store
        .read_blocking(|reader| reader.file_facts(&id))
        .unwrap();
    let calls: Vec<&str> = facts.iter().map(|fact| fact.call_id.as_str()).collect();
    assert_eq!(calls, ["c1", "undo_1", "undo_2"]);
    assert_eq!(facts[1].takes_back.len(), 2);
}

#[test]
fn a_session_counts_the_lines_that_stand() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    let display = || Display::FileDiff {
        diff: Box::new(file_diff("a", "b")),
    };
    let mut facts = vec![
        started(),
        user("go"),
        request(1, 1),
        says(1, "", &["c1", "c2"]),
    ];
    facts.extend(["c1", "c2"].map(read_call));
    for call in ["c1", "c2"] {
        facts.push(runs(call));
        facts.push(moves(call, &[], &[]));
        facts.push(result_with(call, CallStatus::Ok, "done", display()));
    }
    facts.push(ended(Outcome::Completed));
    let append = |facts| store.append(&id, 1, facts).wait().unwrap().summary;
    append(facts);
    let net = || {
        store
            .read_blocking(|reader| reader.summary(&id))
            .unwrap()
            .net
    };
    let both = net();
    assert_eq!(
        (both.ai_added, both.human_added, both.ai_removed),
        (4, 2, 2)
    );
    let told = append(vec![moves("undo_1", &["c1"], &[])]);
    let one = net();
    assert_eq!((one.ai_added, one.human_added, one.ai_removed), (2, 1, 1));
    assert_eq!(
        told.map(|summary| summary.net),
        Some(one),
        "the list hears of it"
    );
    append(vec![moves("undo_2", &["c1"], &[])]);
    assert_eq!(net(), one, "what is gone goes once");
    store.rebuild(&id).wait().unwrap();
    assert_eq!(net(), one);
    append(vec![moves("undo_3", &["c2"], &["c1"])]);
    assert_eq!(net(), one);
    append(vec![moves("undo_4", &[], &["c2"])]);
    assert_eq!(net(), both);
}

fn moves(call: &str, takes_back: &[&str], brings_back: &[&str]) -> LogEvent {
    let ids = |calls: &[&str]| calls.iter().map(|call| CallId::from(*call)).collect();
    LogEvent::FileVersions {
        call_id: call.into(),
        rows: Vec::new(),
        takes_back: ids(takes_back),
        brings_back: ids(brings_back),
    }
}
