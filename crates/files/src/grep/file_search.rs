//! One file, searched from its bytes.
//!
//! Small files are read whole into a buffer that is used again; large ones pass through the searcher's own buffer.
//! A NUL byte anywhere makes a file binary: nothing of it is shown.

use super::line::{self, Line, LineKind};
use super::pattern::Engine;
use super::{GrepMode, GrepParams, MatchSpan};
use crate::ContentHash;
use crate::open::READ_FLAGS;
use crate::stat::{FileFacts, FileKind, FileStat};
use crate::walk::Run;
use grep_matcher::{LineTerminator, Matcher};
use grep_searcher::{
    BinaryDetection, MmapChoice, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish,
    SinkMatch,
};
use rustix::fs::Mode;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

/// Larger files are data; one can still be named as the path of a search.
const MAX_FILE_BYTES: u64 = 50 * 1024 * 1024;
/// A match across lines needs the whole file in memory.
const MAX_MULTILINE_BYTES: u64 = 64 * 1024 * 1024;
/// What is read whole. More would keep too much memory per thread.
const MAX_SLURP_BYTES: u64 = 4 * 1024 * 1024;
/// What is read in one step. Nearly all source files are smaller.
const SMALL_FILE_BYTES: usize = 64 * 1024;
/// The unit in which file systems hand over data.
const PAGE_BYTES: usize = 4096;
/// Bytes between two looks at the cancel flag.
const READ_STEP_BYTES: usize = 64 * 1024;
/// Memory of the searcher for one file.
const SEARCHER_HEAP_BYTES: usize = 64 * 1024 * 1024;
/// Lines of one match that are shown.
const MAX_MATCH_LINES: usize = 40;
/// Files up to this size are recorded as read, as for the read tool.
const MAX_HASHED_BYTES: u64 = 10 * 1024 * 1024;

/// What came of one file.
#[derive(Debug)]
pub(super) enum Outcome {
    NoMatch,
    Hits(Hits),
    Binary,
    TooLarge,
    Unreadable(String),
}

/// The matches of one file.
#[derive(Debug, Default)]
pub(super) struct Hits {
    pub(super) stat: Option<FileStat>,
    /// All bytes, if the file is small and its lines are shown.
    pub(super) hash: Option<ContentHash>,
    /// Matching lines, or matches where they may span lines.
    pub(super) n_matches: u64,
    pub(super) lines: Vec<Line>,
    /// The file was searched to its end.
    pub(super) is_complete: bool,
}

/// How a file came to be searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chosen {
    ByWalk,
    ByName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    First,
    Count,
    Lines { max_rows: usize },
}

/// Searches files one after the other. One per thread.
#[derive(Debug)]
pub(super) struct FileSearcher<'a> {
    searcher: Searcher,
    engine: Engine,
    span: MatchSpan,
    wanted: Wanted,
    buffer: Vec<u8>,
    run: &'a Run<'a>,
}

impl<'a> FileSearcher<'a> {
    pub(super) fn new(
        params: &GrepParams,
        engine: &Engine,
        span: MatchSpan,
        run: &'a Run<'a>,
    ) -> Self {
        let mut builder = SearcherBuilder::new();
        builder
            .line_terminator(LineTerminator::crlf())
            .multi_line(span == MatchSpan::Lines)
            .binary_detection(BinaryDetection::quit(0))
            .bom_sniffing(true)
            .memory_map(MmapChoice::never())
            .heap_limit(Some(SEARCHER_HEAP_BYTES));
        let wanted = match params.mode {
            GrepMode::Files => {
                builder.line_number(false);
                Wanted::First
            }
            GrepMode::Counts => {
                builder.line_number(false);
                Wanted::Count
            }
            GrepMode::Lines { before, after, .. } => {
                builder
                    .line_number(true)
                    .before_context(before)
                    .after_context(after);
                Wanted::Lines {
                    max_rows: params.offset.saturating_add(params.head_limit),
                }
            }
        };
        Self {
            searcher: builder.build(),
            engine: engine.clone(),
            span,
            wanted,
            buffer: Vec::new(),
            run,
        }
    }

    /// Searches the file at an absolute path.
    pub(super) fn search(&mut self, path: &Path, chosen: Chosen) -> Outcome {
        match self.try_search(path, chosen) {
            Ok(outcome) => outcome,
            Err(error) => Outcome::Unreadable(error.to_string()),
        }
    }

    fn try_search(&mut self, path: &Path, chosen: Chosen) -> io::Result<Outcome> {
        let file = File::from(rustix::fs::open(path, READ_FLAGS, Mode::empty())?);
        // Most files are small and have no match: these cost one read and nothing else.
        let is_small = match chosen {
            Chosen::ByWalk => self.read_small(&file)?,
            Chosen::ByName => false,
        };
        if is_small {
            return match self.search_buffer()? {
                Outcome::Hits(hits) => self.complete(hits, &file, path),
                other => Ok(other),
            };
        }
        let facts = FileFacts::of_open(&file)?;
        if facts.kind != FileKind::Regular {
            return Ok(Outcome::NoMatch);
        }
        let size = facts.stat.size;
        if self.is_too_large(size, chosen) {
            return Ok(Outcome::TooLarge);
        }
        io::Seek::rewind(&mut &file)?;
        let outcome = if size > MAX_SLURP_BYTES {
            self.search_stream(&file)?
        } else {
            self.fill_buffer(&file, size)?;
            self.search_buffer()?
        };
        match outcome {
            Outcome::Hits(hits) => self.complete(hits, &file, path),
            other => Ok(other),
        }
    }

    fn is_too_large(&self, size: u64, chosen: Chosen) -> bool {
        match (chosen, self.span) {
            (Chosen::ByWalk, _) => size > MAX_FILE_BYTES,
            (Chosen::ByName, MatchSpan::Lines) => size > MAX_MULTILINE_BYTES,
            (Chosen::ByName, MatchSpan::Line) => false,
        }
    }

    /// Reads a whole file in one step; `false` if it does not fit.
    fn read_small(&mut self, file: &File) -> io::Result<bool> {
        self.buffer.resize(SMALL_FILE_BYTES, 0);
        let n_read = (&mut &*file).read(&mut self.buffer)?;
        // The kernel gives less than is asked for only at the end of a file, but some file systems hand over what
        // they have in whole pages.
        let is_end = n_read < SMALL_FILE_BYTES && (n_read % PAGE_BYTES != 0 || n_read == 0);
        if is_end {
            self.buffer.truncate(n_read);
        }
        Ok(is_end)
    }

    /// Adds what is known of the file to its matches.
    fn complete(&self, mut hits: Hits, file: &File, path: &Path) -> io::Result<Outcome> {
        let facts = FileFacts::of_open(file)?;
        if facts.kind != FileKind::Regular {
            return Ok(Outcome::NoMatch);
        }
        hits.stat = Some(facts.stat);
        hits.hash = self.hash(file, facts.stat.size, path)?;
        Ok(Outcome::Hits(hits))
    }

    /// The hash of a file whose lines are shown.
    fn hash(&self, file: &File, size: u64, path: &Path) -> io::Result<Option<ContentHash>> {
        let is_shown = match self.wanted {
            Wanted::Lines { .. } => true,
            Wanted::First | Wanted::Count => false,
        };
        let is_notebook = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("ipynb"));
        if !is_shown || is_notebook || size > MAX_HASHED_BYTES {
            return Ok(None);
        }
        if size <= MAX_SLURP_BYTES {
            // The lines came from these bytes, even if the file has changed since.
            return Ok(Some(ContentHash::of(&self.buffer)));
        }
        let mut file = file;
        io::Seek::rewind(&mut file)?;
        let bytes = crate::open::read_to_end(file, size, MAX_HASHED_BYTES)?;
        Ok((bytes.len() as u64 == size).then(|| ContentHash::of(&bytes)))
    }

    fn search_buffer(&mut self) -> io::Result<Outcome> {
        let buffer = std::mem::take(&mut self.buffer);
        let is_utf16 = buffer.starts_with(&[0xFF, 0xFE]) || buffer.starts_with(&[0xFE, 0xFF]);
        let outcome = if !is_utf16 && memchr::memchr(0, &buffer).is_some() {
            Ok(Outcome::Binary)
        } else {
            self.search_with(|searcher, engine, sink| match engine {
                Engine::Linear(matcher) => {
                    let mut sink = sink.over(matcher);
                    searcher.search_slice(matcher, &buffer, &mut sink)?;
                    Ok(sink.outcome())
                }
                Engine::Backtracking(matcher) => {
                    let mut sink = sink.over(matcher);
                    searcher.search_slice(matcher, &buffer, &mut sink)?;
                    Ok(sink.outcome())
                }
            })
        };
        self.buffer = buffer;
        outcome
    }

    fn search_stream(&mut self, file: &File) -> io::Result<Outcome> {
        let run = self.run;
        self.search_with(|searcher, engine, sink| {
            let reader = Watched { file, run };
            match engine {
                Engine::Linear(matcher) => {
                    let mut sink = sink.over(matcher);
                    searcher.search_reader(matcher, reader, &mut sink)?;
                    Ok(sink.outcome())
                }
                Engine::Backtracking(matcher) => {
                    let mut sink = sink.over(matcher);
                    searcher.search_reader(matcher, reader, &mut sink)?;
                    Ok(sink.outcome())
                }
            }
        })
    }

    fn search_with(
        &mut self,
        search: impl FnOnce(&mut Searcher, &Engine, SinkSettings) -> io::Result<Outcome>,
    ) -> io::Result<Outcome> {
        let settings = SinkSettings {
            wanted: self.wanted,
            span: self.span,
        };
        search(&mut self.searcher, &self.engine, settings)
    }

    /// Reads the file into the buffer, whose room is kept for the next file.
    fn fill_buffer(&mut self, file: &File, size: u64) -> io::Result<()> {
        // One byte more, so that the end shows without another round.
        let room = usize::try_from(size).unwrap_or(0).saturating_add(1);
        let mut n_read = 0;
        loop {
            let wanted =
                n_read + READ_STEP_BYTES.max(room.saturating_sub(n_read).min(READ_STEP_BYTES * 4));
            if self.buffer.len() < wanted {
                self.buffer.resize(wanted, 0);
            }
            let target = self.buffer.get_mut(n_read..).unwrap_or_default();
            let n = match (&*file).read(target) {
                Ok(n) => n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            n_read += n;
            // A short read of a regular file at its known size is its end; the next read would only say so.
            if n == 0 || (n_read as u64 == size && size > 0) || !self.run.goes_on() {
                self.buffer.truncate(n_read);
                return Ok(());
            }
        }
    }
}

/// A reader that ends when the search is cancelled.
struct Watched<'a> {
    file: &'a File,
    run: &'a Run<'a>,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.run.goes_on() {
            let n = buffer.len().min(READ_STEP_BYTES);
            self.file.read(buffer.get_mut(..n).unwrap_or_default())
        } else {
            Ok(0)
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct SinkSettings {
    wanted: Wanted,
    span: MatchSpan,
}

impl SinkSettings {
    fn over<M: Matcher>(self, matcher: &M) -> HitSink<'_, M> {
        HitSink {
            matcher,
            settings: self,
            hits: Hits {
                is_complete: true,
                ..Hits::default()
            },
            is_binary: false,
        }
    }
}

/// Collects what the searcher finds in one file.
struct HitSink<'m, M> {
    matcher: &'m M,
    settings: SinkSettings,
    hits: Hits,
    is_binary: bool,
}

impl<M: Matcher> HitSink<'_, M> {
    fn outcome(self) -> Outcome {
        if self.is_binary {
            Outcome::Binary
        } else if self.hits.n_matches == 0 {
            Outcome::NoMatch
        } else {
            Outcome::Hits(self.hits)
        }
    }

    /// Goes on unless there are more lines than any page needs.
    fn has_room(&mut self, max_rows: usize) -> bool {
        let has_room = self.hits.lines.len() <= max_rows;
        if !has_room {
            self.hits.is_complete = false;
        }
        has_room
    }

    /// Byte ranges of the matches in the bytes of a match, which may be one line or several.
    fn ranges(&self, found: &SinkMatch<'_>) -> io::Result<Vec<Range<usize>>> {
        let mut ranges = Vec::new();
        let failed = |error: M::Error| io::Error::other(error.to_string());
        match self.settings.span {
            MatchSpan::Line => {
                let line = without_line_end(found.bytes());
                let each = |found: grep_matcher::Match| {
                    ranges.push(found.start()..found.end());
                    true
                };
                self.matcher.find_iter(line, each).map_err(failed)?;
            }
            MatchSpan::Lines => {
                let own = found.bytes_range_in_buffer();
                let each = |found: grep_matcher::Match| {
                    if found.start() < own.end {
                        ranges
                            .push(found.start() - own.start..found.end().min(own.end) - own.start);
                    }
                    found.end() < own.end
                };
                self.matcher
                    .find_iter_at(found.buffer(), own.start, each)
                    .map_err(failed)?;
            }
        }
        Ok(ranges)
    }

    fn push_match(&mut self, found: &SinkMatch<'_>, ranges: &[Range<usize>]) {
        let first_number = line_number(found.line_number());
        let mut start = 0;
        let n_lines = found.lines().count();
        for (index, bytes) in found.lines().enumerate() {
            if index == MAX_MATCH_LINES {
                let number = first_number + index;
                self.hits.lines.push(line::omitted(number, n_lines - index));
                return;
            }
            let end = start + bytes.len();
            let own: Vec<Range<usize>> = ranges
                .iter()
                .filter(|range| range.start < end && range.end > start)
                .map(|range| range.start.max(start) - start..range.end.min(end) - start)
                .collect();
            let starts_match = ranges
                .iter()
                .any(|range| (start..end).contains(&range.start));
            let kind = if index == 0 || starts_match {
                LineKind::Match
            } else {
                LineKind::MatchContinued
            };
            self.hits
                .lines
                .push(line::show(kind, first_number + index, bytes, &own));
            start = end;
        }
    }
}

impl<M: Matcher> Sink for HitSink<'_, M> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        match (self.settings.wanted, self.settings.span) {
            (Wanted::First, _) => {
                self.hits.n_matches = 1;
                Ok(false)
            }
            (Wanted::Count, MatchSpan::Line) => {
                self.hits.n_matches += 1;
                Ok(true)
            }
            (Wanted::Count, MatchSpan::Lines) => {
                self.hits.n_matches += self.ranges(found)?.len().max(1) as u64;
                Ok(true)
            }
            (Wanted::Lines { max_rows }, span) => {
                let ranges = self.ranges(found)?;
                self.hits.n_matches += match span {
                    MatchSpan::Line => 1,
                    MatchSpan::Lines => ranges.len().max(1) as u64,
                };
                self.push_match(found, &ranges);
                Ok(self.has_room(max_rows))
            }
        }
    }

    fn context(&mut self, _searcher: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        match self.settings.wanted {
            Wanted::First | Wanted::Count => Ok(true),
            Wanted::Lines { max_rows } => {
                let number = line_number(context.line_number());
                self.hits
                    .lines
                    .push(line::show(LineKind::Context, number, context.bytes(), &[]));
                Ok(self.has_room(max_rows))
            }
        }
    }

    fn binary_data(&mut self, _searcher: &Searcher, _offset: u64) -> io::Result<bool> {
        self.is_binary = true;
        Ok(false)
    }

    fn finish(&mut self, _searcher: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.is_binary |= finish.binary_byte_offset().is_some();
        Ok(())
    }
}

fn without_line_end(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    bytes.strip_suffix(b"\r").unwrap_or(bytes)
}

fn line_number(number: Option<u64>) -> usize {
    number
        .and_then(|number| usize::try_from(number).ok())
        .unwrap_or(1)
}
