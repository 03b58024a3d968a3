//! Copies of files before a change, and how much of them is kept.

use crate::support::*;
use protocol::diff::DiffStat;
use protocol::ids::{CallId, SessionId};
use protocol::log::{FileChange, FileVersion};
use std::path::Path;
use store::{Error, Limits, OpenOptions, Store, sha256_hex};

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
    }
}

fn blob(store: &Store, sha256: &str) -> Result<Vec<u8>, Error> {
    let sha256 = sha256.to_owned();
    store.read_blocking(move |reader| reader.blob(&sha256))
}

#[test]
fn versions_can_be_read_back_newest_last() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    let small = store.put_file_copy(&id, b"old".to_vec()).wait().unwrap();
    let large = store.put_file_copy(&id, vec![9; 200_000]).wait().unwrap();
    assert_eq!(
        (blob(&store, &small).unwrap(), blob(&store, &large).unwrap()),
        (b"old".to_vec(), vec![9; 200_000])
    );
    assert!(
        dir.path()
            .join("blobs")
            .join(&large[..2])
            .join(&large)
            .exists(),
        "large ones are files"
    );
    let versions = vec![
        version("/w/a", Some(small.clone()), "new"),
        version("/w/b", None, "made"),
        version("/w/a", Some(large.clone()), "newer"),
    ];
    let call = Some(CallId::from("c1"));
    let ids = store
        .record_versions(&id, 3, call.clone(), versions.clone())
        .wait()
        .unwrap();
    let stored = store
        .read_blocking(|reader| reader.versions(&id, Some("/w/a")))
        .unwrap();
    let found: Vec<_> = stored.iter().map(|stored| &stored.version).collect();
    assert_eq!(found, [&versions[0], &versions[2]]);
    assert_eq!(
        (stored[0].turn, &stored[0].call_id, stored[0].created_at),
        (3, &call, START_MS)
    );
    store.forget_versions(&id, vec![ids[2]]).wait().unwrap();
    let newest = store
        .read_blocking(|reader| reader.newest_version(&id, "/w/a"))
        .unwrap();
    assert_eq!(
        newest.map(|stored| stored.version),
        Some(versions[0].clone())
    );
}

#[test]
fn a_version_needs_its_old_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    let missing = sha256_hex(b"never kept");
    let refused = store
        .record_versions(
            &id,
            1,
            None,
            vec![version("/w/a", Some(missing.clone()), "new")],
        )
        .wait();
    assert!(matches!(refused, Err(Error::BlobLost(sha256)) if sha256 == missing));
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
    let sessions: Vec<SessionId> = (0..3)
        .map(|_| {
            clock.advance(1000);
            session(&store)
        })
        .collect();
    let keep = |id: &SessionId, byte: u8| store.put_file_copy(id, vec![byte; 800]).wait();
    let first = keep(&sessions[0], 1).unwrap();
    let second = keep(&sessions[1], 2).unwrap();
    let third = keep(&sessions[2], 3).unwrap();
    store
        .record_versions(
            &sessions[0],
            1,
            None,
            vec![version("/w/a", Some(first.clone()), "x")],
        )
        .wait()
        .unwrap();
    let fourth = keep(&sessions[2], 4).unwrap();
    assert!(
        matches!(blob(&store, &first), Err(Error::BlobLost(_))),
        "the oldest went"
    );
    for kept in [&second, &third, &fourth] {
        assert!(blob(&store, kept).is_ok());
    }
    assert_eq!(
        store
            .read_blocking(|reader| reader.versions(&sessions[0], None))
            .unwrap()
            .len(),
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
