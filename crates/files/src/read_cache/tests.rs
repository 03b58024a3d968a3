use super::{Found, Noted, ReadCache, ReadRecord, ShownAs};
use crate::ContentHash;
use crate::stat::{FileId, FileStat};
use edit::LineRanges;
use std::path::Path;
use std::sync::{Arc, Mutex};

const SECOND_NS: i64 = 1_000_000_000;

fn stat(ino: u64, mtime_ns: i64) -> FileStat {
    FileStat {
        id: FileId { dev: 1, ino },
        size: 3,
        mtime_ns,
        ctime_ns: mtime_ns,
    }
}

fn record(path: &str, ino: u64, bytes: &[u8], seen: std::ops::Range<usize>) -> ReadRecord {
    ReadRecord {
        path: path.into(),
        stat: stat(ino, 0),
        hash: Some(ContentHash::of(bytes)),
        shown_as: ShownAs::Text,
        seen: std::iter::once(seen).collect(),
        full: false,
        resident: true,
        hashed_at_ns: 100 * SECOND_NS,
        last_read_at_ns: 100 * SECOND_NS,
        last_write_at_ns: None,
    }
}

fn seen(cache: &ReadCache, path: &str) -> LineRanges {
    let found = cache.lookup(Path::new(path), None).expect("a record");
    found.record().seen.clone()
}

#[test]
fn an_old_and_equal_state_proves_freshness() {
    let mut known = record("/f", 1, b"abc", 1..2);
    let check = |known: &ReadRecord, now: FileStat, expected: bool| {
        assert_eq!(known.is_fresh_by_stat(&now), expected, "{now:?}");
    };
    check(&known, stat(1, 0), true);
    check(&known, stat(2, 0), false);
    check(
        &known,
        FileStat {
            size: 4,
            ..stat(1, 0)
        },
        false,
    );
    check(
        &known,
        FileStat {
            ctime_ns: 1,
            ..stat(1, 0)
        },
        false,
    );
    // Hashed within two seconds of the last write: the clock of the file system may not have ticked since.
    known.stat = stat(1, 98 * SECOND_NS);
    check(&known, known.stat, false);
    known.stat = stat(1, 98 * SECOND_NS - 1);
    check(&known, known.stat, true);
}

#[test]
fn reads_of_the_same_bytes_add_up() {
    let cache = ReadCache::default();
    cache.note_read(record("/f", 1, b"abc", 1..3));
    cache.note_read(record("/f", 1, b"abc", 5..7));
    assert_eq!(seen(&cache, "/f").ranges(), [1..3, 5..7]);
    cache.note_read(ReadRecord {
        full: true,
        ..record("/f", 1, b"abc", 1..9)
    });
    cache.note_read(record("/f", 1, b"abc", 2..3));
    assert!(
        cache
            .lookup(Path::new("/f"), None)
            .expect("a record")
            .record()
            .full
    );
    cache.note_read(record("/f", 1, b"other", 2..3));
    assert_eq!(seen(&cache, "/f"), std::iter::once(2..3).collect());
}

#[test]
fn one_record_per_file_whatever_its_name() {
    let cache = ReadCache::default();
    cache.note_read(record("/a", 1, b"abc", 1..3));
    cache.note_read(record("/b", 1, b"abc", 5..7));
    assert_eq!(cache.records().len(), 1);
    assert_eq!(seen(&cache, "/b").ranges(), [1..3, 5..7]);
    let id = FileId { dev: 1, ino: 1 };
    assert!(matches!(
        cache.lookup(Path::new("/a"), Some(id)),
        Some(Found::OtherName(_))
    ));
    assert!(matches!(
        cache.lookup(Path::new("/b"), Some(id)),
        Some(Found::SamePath(_))
    ));
    let renamed = FileId { dev: 1, ino: 9 };
    assert!(matches!(
        cache.lookup(Path::new("/b"), Some(renamed)),
        Some(Found::SamePath(_))
    ));
    assert_eq!(cache.lookup(Path::new("/c"), Some(renamed)), None);
}

#[test]
fn a_write_voids_what_was_known_of_the_file_before() {
    let cache = ReadCache::default();
    cache.note_read(record("/a", 1, b"abc", 1..3));
    cache.note_write(
        record("/b", 2, b"new", 1..2),
        Some(FileId { dev: 1, ino: 1 }),
    );
    assert!(!cache.knows_path(Path::new("/a")));
    assert!(cache.knows_path(Path::new("/b")));
    cache.forget(Path::new("/b"));
    assert_eq!(cache.records(), []);
}

#[test]
fn compaction_drops_the_text_and_keeps_the_right() {
    let cache = ReadCache::default();
    cache.note_read(ReadRecord {
        full: true,
        ..record("/a", 1, b"abc", 1..3)
    });
    cache.drop_residence();
    let is_resident = || {
        cache
            .lookup(Path::new("/a"), None)
            .expect("a record")
            .record()
            .resident
    };
    assert!(!is_resident());
    cache.note_read(record("/a", 1, b"abc", 1..2));
    assert!(!is_resident(), "a part does not bring back the rest");
    cache.note_read(ReadRecord {
        full: true,
        ..record("/a", 1, b"abc", 1..3)
    });
    assert!(is_resident());
}

#[test]
fn the_stat_is_refreshed_for_the_same_bytes_only() {
    let cache = ReadCache::default();
    cache.note_read(record("/a", 1, b"abc", 1..3));
    let path = Path::new("/a");
    cache.refresh_stat(path, ContentHash::of(b"other"), stat(1, 7), SECOND_NS);
    let now = || cache.lookup(path, None).expect("a record").record().stat;
    assert_eq!(now(), stat(1, 0));
    cache.refresh_stat(path, ContentHash::of(b"abc"), stat(1, 7), SECOND_NS);
    assert_eq!(now(), stat(1, 7));
}

#[test]
fn every_change_is_told_to_whoever_keeps_the_records() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let hears = told.clone();
    let keep = move |noted: Noted<'_>| {
        hears.lock().unwrap().push(match noted {
            Noted::Record(record) => {
                format!("{} {:?}", record.path.display(), record.seen.ranges())
            }
            Noted::Forgotten(path) => format!("{} gone", path.display()),
        });
    };
    let cache = ReadCache::restore([record("/old", 9, b"o", 1..2)], Box::new(keep));
    let said = || std::mem::take(&mut *told.lock().unwrap());
    assert_eq!(said(), [""; 0], "what was kept is not news");
    cache.note_read(record("/f", 1, b"abc", 1..3));
    cache.note_read(record("/f", 1, b"abc", 5..6));
    assert_eq!(said(), ["/f [1..3]", "/f [1..3, 5..6]"]);
    cache.note_read(record("/other-name", 1, b"abc", 8..9));
    assert_eq!(said(), ["/f gone", "/other-name [1..3, 5..6, 8..9]"]);
    cache.note_write(
        record("/old", 10, b"new", 1..2),
        Some(FileId { dev: 1, ino: 9 }),
    );
    assert_eq!(said(), ["/old gone", "/old [1..2]"]);
    cache.forget(Path::new("/old"));
    cache.forget(Path::new("/old"));
    assert_eq!(said(), ["/old gone"]);
}
