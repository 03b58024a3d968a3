//! What a shell printed, by lines.
//!
//! An output may have a million lines, so only the places of some are kept, and they are found while the files are
//! read for the first time; of a command that runs, only what is new is read again. Blocks. Deliberately absent: what
//! escape sequences mean, apart from the colours that lines begin with.

use memchr::{memchr, memchr2};
use protocol::ids::ShellId;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The place of every line whose number is a multiple of this is kept.
const MARK_LINES: u64 = 500;
/// Logs whose places are kept.
const MAX_LOGS: usize = 4;
/// Bytes of one answer; a page of long lines is cut.
const MAX_PAGE_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of one line that are shown.
const MAX_LINE_BYTES: usize = 64 * 1024;
/// Colours that are remembered at once; programs set a few and reset them.
const MAX_STYLE_BYTES: usize = 256;
const READ_BYTES: usize = 256 * 1024;
const ESC: u8 = 0x1b;

/// The logs that were read last.
#[derive(Default)]
pub(crate) struct ShellLogs {
    newest_last: Mutex<VecDeque<(ShellId, Arc<Mutex<Log>>)>>,
}

impl ShellLogs {
    /// The log of a shell.
    pub(crate) fn of(&self, shell_id: &ShellId, folder: PathBuf) -> Arc<Mutex<Log>> {
        let mut logs = locked(&self.newest_last);
        let known = logs.iter().position(|(id, _)| id == shell_id);
        let log = known
            .and_then(|at| logs.remove(at))
            .map_or_else(|| Arc::new(Mutex::new(Log::new(folder))), |(_, log)| log);
        logs.push_back((shell_id.clone(), log.clone()));
        if logs.len() > MAX_LOGS {
            logs.pop_front();
        }
        log
    }
}

/// Every change under these locks is small, so a panic leaves nothing half done.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One output and the places of its lines.
pub(crate) struct Log {
    folder: PathBuf,
    /// The files that were there; others mean other places.
    files: Vec<PathBuf>,
    marks: Vec<Mark>,
    /// Where reading goes on.
    read: Place,
}

/// A place in an output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Place {
    offset: u64,
    /// Whole lines before it.
    line: u64,
    /// Colours that hold there.
    style: Vec<u8>,
}

/// The beginning of a line.
type Mark = Place;

/// Lines that were asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) text: String,
    pub(crate) total_lines: u64,
}

impl Log {
    fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            files: Vec::new(),
            marks: vec![Mark::default()],
            read: Place::default(),
        }
    }

    /// Lines from `from` on, with the colours that hold there before them.
    pub(crate) fn page(&mut self, from: u64, lines: u64) -> io::Result<Page> {
        let total_lines = self.catch_up()?;
        let mark = usize::try_from(from / MARK_LINES).unwrap_or(usize::MAX);
        let Some(mark) = self.marks.get(mark.min(self.marks.len() - 1)) else {
            return Ok(Page {
                text: String::new(),
                total_lines,
            });
        };
        let mut at = mark.clone();
        let mut reader = self.reader(at.offset)?;
        let mut text = Vec::new();
        let mut line = Vec::new();
        while at.line < from.saturating_add(lines) && text.len() < MAX_PAGE_BYTES {
            line.clear();
            if reader.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            if at.line >= from {
                if text.is_empty() {
                    text.extend_from_slice(&at.style);
                }
                push_line(&mut text, &line);
            }
            follow_style(&mut at.style, &line);
            at.line += 1;
        }
        Ok(Page {
            text: String::from_utf8_lossy(&text).into_owned(),
            total_lines,
        })
    }

    /// Reads what is new, and says how many lines there are.
    fn catch_up(&mut self) -> io::Result<u64> {
        let files = files(&self.folder)?;
        if !files.starts_with(&self.files) {
            // Something in between was given up: every line after it has another number.
            self.marks = vec![Mark::default()];
            self.read = Place::default();
        }
        self.files = files;
        let mut reader = self.reader(self.read.offset)?;
        let mut line = Vec::new();
        loop {
            line.clear();
            let n = reader.read_until(b'\n', &mut line)?;
            if !line.ends_with(b"\n") {
                // The line that is being printed counts, and is read again.
                return Ok(self.read.line + u64::from(n > 0));
            }
            self.read.offset += n as u64;
            self.read.line += 1;
            follow_style(&mut self.read.style, &line);
            if self.read.line.is_multiple_of(MARK_LINES) {
                self.marks.push(self.read.clone());
            }
        }
    }

    fn reader(&self, offset: u64) -> io::Result<BufReader<Chain>> {
        Ok(BufReader::with_capacity(
            READ_BYTES,
            Chain::open(&self.files, offset)?,
        ))
    }
}

/// The files of an output, in order.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with("raw.") && name.ends_with(".bin"))
        })
        .collect();
    // `raw.bin` comes first, then the numbered ones, whose numbers may grow beyond three digits.
    files.sort_by_key(|path| {
        let name = path.as_os_str().len();
        (name, path.clone())
    });
    Ok(files)
}

/// Files one after the other.
struct Chain {
    files: VecDeque<PathBuf>,
    current: Option<File>,
}

impl Chain {
    fn open(files: &[PathBuf], offset: u64) -> io::Result<Self> {
        let mut chain = Self {
            files: files.iter().cloned().collect(),
            current: None,
        };
        let mut skip = offset;
        while let Some(path) = chain.files.pop_front() {
            let mut file = File::open(path)?;
            let len = file.metadata()?.len();
            if skip < len || chain.files.is_empty() {
                file.seek(SeekFrom::Start(skip))?;
                chain.current = Some(file);
                break;
            }
            skip -= len;
        }
        Ok(chain)
    }
}

impl Read for Chain {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(file) = &mut self.current {
            let n = file.read(buffer)?;
            if n > 0 || buffer.is_empty() {
                return Ok(n);
            }
            self.current = match self.files.pop_front() {
                Some(path) => Some(File::open(path)?),
                None => None,
            };
        }
        Ok(0)
    }
}

fn push_line(text: &mut Vec<u8>, line: &[u8]) {
    let (ended, content) = match line.strip_suffix(b"\n") {
        Some(content) => (true, content),
        None => (false, line),
    };
    match content.get(..MAX_LINE_BYTES) {
        Some(head) => {
            text.extend_from_slice(head);
            text.extend_from_slice("…".as_bytes());
        }
        None => text.extend_from_slice(content),
    }
    if ended {
        text.push(b'\n');
    }
}

/// What holds of colours after a line.
fn follow_style(style: &mut Vec<u8>, line: &[u8]) {
    let mut rest = line;
    while let Some(at) = memchr(ESC, rest) {
        rest = rest.get(at + 1..).unwrap_or_default();
        let Some(sequence) = rest.strip_prefix(b"[") else {
            continue;
        };
        let n = sequence
            .iter()
            .take_while(|byte| byte.is_ascii_digit() || matches!(byte, b';' | b':'))
            .count();
        if sequence.get(n) != Some(&b'm') {
            continue;
        }
        let params = sequence.get(..n).unwrap_or_default();
        if params.is_empty() || params == b"0" || params.starts_with(b"0;") || params == b"00" {
            style.clear();
        }
        let resets = params.is_empty() || params.iter().all(|byte| *byte == b'0');
        if !resets && style.len() + n + 3 <= MAX_STYLE_BYTES {
            style.extend_from_slice(b"\x1b[");
            style.extend_from_slice(params);
            style.push(b'm');
        }
    }
}

/// The lines that contain a text, and how many do.
pub(crate) fn find(folder: &Path, query: &str, max: u64) -> io::Result<(Vec<u64>, u64)> {
    let query = query.to_lowercase();
    let (mut found, mut total) = (Vec::new(), 0);
    if query.is_empty() {
        return Ok((found, total));
    }
    let mut reader = BufReader::with_capacity(READ_BYTES, Chain::open(&files(folder)?, 0)?);
    let (mut bytes, mut number) = (Vec::new(), 0_u64);
    let mut readable = Vec::new();
    loop {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes)? == 0 {
            return Ok((found, total));
        }
        make_readable(&mut readable, &bytes);
        let text = String::from_utf8_lossy(&readable);
        if text.to_lowercase().contains(&query) {
            total += 1;
            if total <= max {
                found.push(number);
            }
        }
        number += 1;
    }
}

/// The characters of a line without what only moves or colours; of a line that was written over, what was written last.
fn make_readable(out: &mut Vec<u8>, line: &[u8]) {
    out.clear();
    let line = line.trim_ascii_end();
    let mut rest = match line.iter().rposition(|byte| *byte == b'\r') {
        Some(at) => line.get(at + 1..).unwrap_or_default(),
        None => line,
    };
    while let Some(at) = memchr2(ESC, 0x07, rest) {
        out.extend_from_slice(rest.get(..at).unwrap_or_default());
        rest = after_escape(rest.get(at..).unwrap_or_default());
    }
    out.extend_from_slice(rest);
}

/// What follows the control sequence that a text begins with.
fn after_escape(text: &[u8]) -> &[u8] {
    let end = match text.get(1) {
        Some(b'[') => {
            let parameters = text.iter().skip(2);
            2 + parameters
                .take_while(|byte| !(0x40..=0x7e).contains(*byte))
                .count()
                + 1
        }
        Some(b']') => {
            let string = text.get(2..).unwrap_or_default();
            match memchr2(0x07, ESC, string) {
                Some(at) if string.get(at) == Some(&ESC) => 2 + at + 2,
                Some(at) => 2 + at + 1,
                None => text.len(),
            }
        }
        Some(_) if text.first() == Some(&ESC) => 2,
        _ => 1,
    };
    text.get(end..).unwrap_or_default()
}

#[cfg(test)]
mod tests;
