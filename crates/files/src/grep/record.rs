//! Lines that a search showed count as seen.

use super::{FileLines, GrepFound, GrepRows, LineKind};
use crate::read_cache::{ReadCache, ReadRecord, ShownAs};

/// More files on one page are no reading any more.
const MAX_RECORDED_FILES: usize = 200;

/// Notes the lines of a page in the read records of the session.
pub fn note_grep(found: &GrepFound, cache: &ReadCache, now_ns: i64) {
    match &found.rows {
        GrepRows::Lines(files) => {
            for file in files.iter().take(MAX_RECORDED_FILES) {
                note_file(file, cache, now_ns);
            }
        }
        GrepRows::Files(_) | GrepRows::Counts(_) => {}
    }
}

fn note_file(file: &FileLines, cache: &ReadCache, now_ns: i64) {
    let Some(source) = file.source else { return };
    let whole = file
        .lines
        .iter()
        .filter(|line| line.is_whole && line.kind != LineKind::Omitted);
    cache.note_read(ReadRecord {
        path: file.path.clone(),
        stat: source.stat,
        hash: Some(source.hash),
        shown_as: ShownAs::Text,
        seen: whole.map(|line| line.number..line.number + 1).collect(),
        full: false,
        resident: true,
        hashed_at_ns: now_ns,
        last_read_at_ns: now_ns,
        last_write_at_ns: None,
    });
}
