//! What the model of a session was shown of which file, kept with the session.
//!
//! A record from an earlier run counts only as long as the file still holds what was shown, which every use checks.
//! Whether the text is still before the model is not kept: a file that is read again after a restart is shown again.

use edit::LineRanges;
use files::{ContentHash, FileId, FileStat, Noted, ReadCache, ReadRecord, ShownAs};
use protocol::ids::SessionId;
use std::path::Path;
use store::{Store, StoredRead, StoredView};

/// The records of a session: those that were kept, and each that comes is kept too.
pub(crate) fn read_cache(store: &Store, id: &SessionId, kept: Vec<StoredRead>) -> ReadCache {
    let (store, id) = (store.clone(), id.clone());
    let keep = move |noted: Noted<'_>| match noted {
        Noted::Record(record) => {
            // A name that is no text would come back as another name.
            if let Some(path) = record.path.to_str() {
                store.note_read(&id, path, Some(to_stored(path, record)));
            }
        }
        Noted::Forgotten(path) => store.note_read(&id, &path.to_string_lossy(), None),
    };
    let records = kept.iter().filter_map(from_stored);
    ReadCache::restore(records, Box::new(keep))
}

fn to_stored(path: &str, record: &ReadRecord) -> StoredRead {
    let stat = record.stat;
    StoredRead {
        path: path.to_owned(),
        file: (stat.id.dev.cast_signed(), stat.id.ino.cast_signed()),
        size: stat.size.cast_signed(),
        changed_ns: (stat.mtime_ns, stat.ctime_ns),
        hash: record.hash.map(|hash| hash.to_hex()),
        shown_as: match record.shown_as {
            ShownAs::Text => StoredView::Text,
            ShownAs::NonText => StoredView::NonText,
        },
        seen: to_words(&record.seen),
        is_full: record.full,
        hashed_at_ns: record.hashed_at_ns,
        read_at_ns: record.last_read_at_ns,
        written_at_ns: record.last_write_at_ns,
    }
}

/// `None` for a row that is none of ours: it is as if the file had not been shown.
fn from_stored(stored: &StoredRead) -> Option<ReadRecord> {
    let hash = match &stored.hash {
        None => None,
        Some(hex) => Some(ContentHash::from_hex(hex)?),
    };
    Some(ReadRecord {
        path: Path::new(&stored.path).to_owned(),
        stat: FileStat {
            id: FileId {
                dev: stored.file.0.cast_unsigned(),
                ino: stored.file.1.cast_unsigned(),
            },
            size: stored.size.cast_unsigned(),
            mtime_ns: stored.changed_ns.0,
            ctime_ns: stored.changed_ns.1,
        },
        hash,
        shown_as: match stored.shown_as {
            StoredView::Text => ShownAs::Text,
            StoredView::NonText => ShownAs::NonText,
        },
        seen: from_words(&stored.seen)?,
        full: stored.is_full,
        resident: false,
        hashed_at_ns: stored.hashed_at_ns,
        last_read_at_ns: stored.read_at_ns,
        last_write_at_ns: stored.written_at_ns,
    })
}

/// Runs of lines, such as `1-40 52-52`.
fn to_words(lines: &LineRanges) -> String {
    let runs = lines.ranges().iter();
    let words: Vec<String> = runs
        .map(|run| format!("{}-{}", run.start, run.end.saturating_sub(1)))
        .collect();
    words.join(" ")
}

fn from_words(words: &str) -> Option<LineRanges> {
    let run = |word: &str| {
        let (first, last) = word.split_once('-')?;
        let last: usize = last.parse().ok()?;
        Some(first.parse().ok()?..last.checked_add(1)?)
    };
    words.split_whitespace().map(run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_comes_back_as_it_was() {
        let record = ReadRecord {
            path: "/w/ä b".into(),
            stat: FileStat {
                id: FileId {
                    dev: u64::MAX,
                    ino: 1 << 63,
                },
                size: 9,
                mtime_ns: -1,
                ctime_ns: i64::MAX,
            },
            hash: Some(ContentHash::of(b"x")),
            shown_as: ShownAs::NonText,
            seen: [1..4, 9..10].into_iter().collect(),
            full: true,
            resident: false,
            hashed_at_ns: 1,
            last_read_at_ns: 2,
            last_write_at_ns: Some(3),
        };
        let stored = to_stored("/w/ä b", &record);
        assert_eq!(stored.seen, "1-3 9-9");
        assert_eq!(from_stored(&stored), Some(record.clone()));
        let nothing_seen = ReadRecord {
            hash: None,
            seen: LineRanges::new(),
            ..record
        };
        let stored = to_stored("/w/ä b", &nothing_seen);
        assert_eq!(from_stored(&stored), Some(nothing_seen));
    }

    #[test]
    fn a_row_that_is_none_of_ours_is_no_record() {
        assert_eq!(from_words("1-2 x"), None);
        assert_eq!(from_words("3"), None);
        assert_eq!(from_words("1-18446744073709551615"), None);
    }
}
