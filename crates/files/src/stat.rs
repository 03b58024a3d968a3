//! What the kernel says about a file, reduced to what the rules use.
//!
//! [`FileStat`] is the tuple that proves "nothing happened" when every part of it is equal. Deliberately absent:
//! decisions; a changed tuple only means that the bytes must be compared.

use crate::fault::{self, Fault};
use rustix::fs::{AtFlags, FileType, Stat};
use std::fs::File;
use std::io;
use std::path::Path;

/// Which file it is, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId {
    /// Device number.
    pub dev: u64,
    /// Inode number.
    pub ino: u64,
}

/// What kind of thing a name leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A regular file.
    Regular,
    /// A directory.
    Directory,
    /// A symbolic link (only where links are not followed).
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
}

impl FileKind {
    /// The word for a message.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Regular => "regular file",
            Self::Directory => "directory",
            Self::Symlink => "symbolic link",
            Self::Fifo => "FIFO",
            Self::Socket => "socket",
            Self::Device => "device",
        }
    }
}

/// The parts of a file's state that can prove that it was not touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileStat {
    /// Which file.
    pub id: FileId,
    /// Size in bytes.
    pub size: u64,
    /// Last change of the content, nanoseconds since the epoch.
    pub mtime_ns: i64,
    /// Last change of the inode, nanoseconds since the epoch.
    pub ctime_ns: i64,
}

/// State of the file that `path` leads to.
pub fn stat_of(path: &Path) -> io::Result<FileStat> {
    FileFacts::follow(path).map(|facts| facts.stat)
}

/// A [`FileStat`] and what a writer must keep.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileFacts {
    pub(crate) stat: FileStat,
    pub(crate) kind: FileKind,
    /// Permission bits, 07777.
    pub(crate) mode: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) n_links: u64,
}

impl FileFacts {
    /// Facts of the file that `path` leads to, links followed.
    pub(crate) fn follow(path: &Path) -> io::Result<Self> {
        fault::check(path, Fault::EaccesStat)?;
        Ok(Self::from_stat(&rustix::fs::stat(path)?))
    }

    /// Facts of the name itself.
    pub(crate) fn of_name(path: &Path) -> io::Result<Self> {
        Ok(Self::from_stat(&rustix::fs::lstat(path)?))
    }

    /// Facts of `name` below an open directory, without following a link.
    pub(crate) fn at(dir: &File, name: &std::ffi::OsStr) -> io::Result<Self> {
        let stat = rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(Self::from_stat(&stat))
    }

    /// Facts of an open file.
    pub(crate) fn of_open(file: &File) -> io::Result<Self> {
        Ok(Self::from_stat(&rustix::fs::fstat(file)?))
    }

    #[expect(
        clippy::unnecessary_cast,
        reason = "the widths of stat fields differ between systems"
    )]
    fn from_stat(stat: &Stat) -> Self {
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => FileKind::Regular,
            FileType::Directory => FileKind::Directory,
            FileType::Symlink => FileKind::Symlink,
            FileType::Fifo => FileKind::Fifo,
            FileType::Socket => FileKind::Socket,
            FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => {
                FileKind::Device
            }
        };
        Self {
            stat: FileStat {
                id: FileId {
                    dev: stat.st_dev as u64,
                    ino: stat.st_ino as u64,
                },
                size: u64::try_from(stat.st_size).unwrap_or(0),
                mtime_ns: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
                ctime_ns: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            },
            kind,
            mode: (stat.st_mode as u32) & 0o7777,
            uid: stat.st_uid,
            gid: stat.st_gid,
            n_links: stat.st_nlink as u64,
        }
    }
}

fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}
