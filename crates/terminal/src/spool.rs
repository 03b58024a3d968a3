//! The output on disk: every byte from the first on, and its readable text once that is too long to be shown.
//!
//! Files are private and created, never opened: nobody can have put a link there. The raw bytes fill segments; when
//! they are too many, segments after the first are given up, oldest first, and what was given up is known. A full disk
//! ends the spool and not the command. Deliberately absent: deletion of whole spools, which their owner decides.

use crate::status::Flushed;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes gathered before a write, so that a flood of small reads is not a flood of small writes.
const WRITE_BYTES: usize = 64 * 1024;
/// Readable text shorter than this is shown whole, and needs no file.
const CLEAN_FILE_MIN_BYTES: usize = 30_000;

/// How much of a command's output is kept on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpoolLimits {
    /// Raw bytes of one command in all; the readable text has the same limit.
    pub max_bytes: u64,
    /// Size of the beginning, which is always kept, and of each segment after it.
    pub segment_bytes: u64,
}

impl Default for SpoolLimits {
    fn default() -> Self {
        Self {
            max_bytes: 256 * 1024 * 1024,
            segment_bytes: 16 * 1024 * 1024,
        }
    }
}

/// Both files of one command.
#[derive(Debug)]
pub(crate) struct Spool {
    directory: PathBuf,
    limits: SpoolLimits,
    raw: Option<File>,
    raw_pending: Vec<u8>,
    /// Bytes in the segment that is being written.
    segment_len: u64,
    /// Number of the segment that is being written, and of the oldest after the beginning.
    segment: u64,
    oldest: u64,
    clean: Clean,
    /// Readable text up to this long is not written to a file.
    clean_min: usize,
    failed: bool,
}

#[derive(Debug)]
enum Clean {
    /// Short so far.
    Memory(String),
    File {
        file: File,
        pending: String,
        written: u64,
    },
    /// Written by [`Spool::rewrite_clean`] at the end, or not at all.
    Off,
}

/// Creates a folder only its owner can look into, parents included.
pub(crate) fn create_private_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// The same for one folder that does not exist yet.
pub(crate) fn create_new_private_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Creates a file only its owner can read; an error if anything is there already.
pub(crate) fn create_private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW)
        .open(path)
}

impl Spool {
    /// Begins both files in an existing folder.
    pub(crate) fn create(directory: &Path, limits: SpoolLimits) -> io::Result<Self> {
        Ok(Self {
            directory: directory.to_owned(),
            limits,
            raw: Some(create_private_file(&directory.join("raw.bin"))?),
            raw_pending: Vec::new(),
            segment_len: 0,
            segment: 0,
            oldest: 1,
            clean: Clean::Memory(String::new()),
            clean_min: CLEAN_FILE_MIN_BYTES,
            failed: false,
        })
    }

    /// The raw bytes' first file.
    pub(crate) fn raw_path(&self) -> PathBuf {
        self.directory.join("raw.bin")
    }

    /// The readable text, if it is a file.
    pub(crate) fn clean_path(&self) -> Option<PathBuf> {
        matches!(self.clean, Clean::File { .. }).then(|| self.directory.join("clean.txt"))
    }

    /// True once the disk refused.
    pub(crate) fn failed(&self) -> bool {
        self.failed
    }

    /// Offsets of the raw bytes that were given up.
    pub(crate) fn dropped(&self) -> Option<Range<u64>> {
        (self.oldest > 1)
            .then(|| self.limits.segment_bytes..self.oldest * self.limits.segment_bytes)
    }

    /// Adds raw bytes.
    pub(crate) fn push_raw(&mut self, bytes: &[u8]) {
        self.raw_pending.extend_from_slice(bytes);
        if self.raw_pending.len() >= WRITE_BYTES {
            self.guarded(Self::write_raw);
        }
    }

    /// Adds readable text.
    pub(crate) fn push_clean(&mut self, text: &str) {
        match &mut self.clean {
            Clean::Memory(pending) => {
                pending.push_str(text);
                if pending.len() > self.clean_min {
                    self.guarded(Self::begin_clean_file);
                }
            }
            Clean::File { pending, .. } => {
                pending.push_str(text);
                if pending.len() >= WRITE_BYTES {
                    self.guarded(Self::write_clean);
                }
            }
            Clean::Off => {}
        }
    }

    /// From now on there is a file of readable text, however short it is.
    pub(crate) fn keep_clean(&mut self) {
        self.clean_min = 0;
        self.guarded(Self::begin_clean_file);
        self.flush();
    }

    /// Brings everything to the files.
    pub(crate) fn flush(&mut self) {
        self.guarded(Self::write_raw);
        self.guarded(Self::write_clean);
    }

    /// Waits until the disk has what was brought to the files, but not longer than `at_most`.
    pub(crate) fn sync(&self, at_most: Duration) -> Flushed {
        let clean = match &self.clean {
            Clean::File { file, .. } => Some(file),
            Clean::Memory(_) | Clean::Off => None,
        };
        let raw = self.raw.as_ref().filter(|_| self.segment_len > 0);
        let files: Vec<File> = [raw, clean]
            .into_iter()
            .flatten()
            .filter_map(|file| file.try_clone().ok())
            .collect();
        if files.is_empty() {
            return Flushed::InTime;
        }
        let (done, synced) = std::sync::mpsc::channel();
        let sync = move || {
            let failed = files.iter().find_map(|file| file.sync_data().err());
            // Nobody may be waiting any more.
            done.send(failed).ok();
        };
        let thread = std::thread::Builder::new().name("flush".to_owned());
        if let Err(error) = thread.spawn(sync) {
            tracing::warn!(%error, "the output was not flushed");
            return Flushed::Late;
        }
        match synced.recv_timeout(at_most) {
            Ok(None) => Flushed::InTime,
            Ok(Some(error)) => {
                tracing::warn!(%error, directory = %self.directory.display(), "the output was not flushed");
                Flushed::InTime
            }
            Err(_) => Flushed::Late,
        }
    }

    /// The text so far was not the text after all: a program draws on the screen.
    pub(crate) fn discard_clean(&mut self) {
        if let Clean::File { .. } = self.clean {
            self.guarded(|spool| std::fs::remove_file(spool.directory.join("clean.txt")));
        }
        self.clean = Clean::Off;
    }

    /// Writes the readable text as a whole, if it is long enough to need a file.
    pub(crate) fn rewrite_clean<'a>(&mut self, pieces: impl Iterator<Item = &'a str>) {
        self.discard_clean();
        self.clean = Clean::Memory(String::new());
        for piece in pieces {
            self.push_clean(piece);
        }
        self.guarded(Self::write_clean);
    }

    /// A disk that refuses once is not asked again.
    fn guarded(&mut self, write: impl FnOnce(&mut Self) -> io::Result<()>) {
        if self.failed {
            self.raw_pending.clear();
            return;
        }
        if let Err(error) = write(self) {
            tracing::warn!(%error, directory = %self.directory.display(), "output is no longer kept on disk");
            self.failed = true;
            self.raw_pending.clear();
            self.clean = Clean::Off;
        }
    }

    fn write_raw(&mut self) -> io::Result<()> {
        let pending = std::mem::take(&mut self.raw_pending);
        let mut rest = pending.as_slice();
        while !rest.is_empty() {
            if self.segment_len == self.limits.segment_bytes {
                self.next_segment()?;
            }
            let room =
                usize::try_from(self.limits.segment_bytes - self.segment_len).unwrap_or(usize::MAX);
            let (now, later) = rest.split_at(room.min(rest.len()));
            if let Some(file) = &mut self.raw {
                file.write_all(now)?;
            }
            self.segment_len += now.len() as u64;
            rest = later;
        }
        self.raw_pending = pending;
        self.raw_pending.clear();
        Ok(())
    }

    fn next_segment(&mut self) -> io::Result<()> {
        self.segment += 1;
        self.segment_len = 0;
        let kept = self.segment - self.oldest + 2;
        if kept * self.limits.segment_bytes > self.limits.max_bytes && self.segment > self.oldest {
            std::fs::remove_file(self.segment_path(self.oldest))?;
            self.oldest += 1;
        }
        self.raw = Some(create_private_file(&self.segment_path(self.segment))?);
        Ok(())
    }

    fn segment_path(&self, number: u64) -> PathBuf {
        self.directory.join(format!("raw.{number:03}.bin"))
    }

    fn begin_clean_file(&mut self) -> io::Result<()> {
        let Clean::Memory(pending) = &mut self.clean else {
            return Ok(());
        };
        let pending = std::mem::take(pending);
        let file = create_private_file(&self.directory.join("clean.txt"))?;
        self.clean = Clean::File {
            file,
            pending,
            written: 0,
        };
        Ok(())
    }

    fn write_clean(&mut self) -> io::Result<()> {
        let Clean::File {
            file,
            pending,
            written,
        } = &mut self.clean
        else {
            return Ok(());
        };
        let room =
            usize::try_from(self.limits.max_bytes.saturating_sub(*written)).unwrap_or(usize::MAX);
        if room == 0 {
            pending.clear();
        }
        let cut = pending.floor_char_boundary(room);
        let (now, later) = pending.split_at(cut);
        file.write_all(now.as_bytes())?;
        *written += now.len() as u64;
        if !later.is_empty() {
            file.write_all(b"\n[the rest is in raw.bin and its segments]\n")?;
            *written = self.limits.max_bytes;
        }
        pending.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
