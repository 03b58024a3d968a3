//! The temporary file beside a target.
//!
//! Its name carries no extension of the source, so that watchers and patterns pass it by. It is removed when the
//! guard is dropped, unless its name was handed on.

use crate::fault::{self, Fault};
use rustix::fs::{AtFlags, Mode, OFlags};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

const PREFIX: &str = ".~bd-";
const SUFFIX: &str = ".tmp";
const N_RANDOM_DIGITS: usize = 16;
/// Two equal 64-bit names in one folder are no accident; a few tries are plenty.
const MAX_NAME_TRIES: usize = 4;

/// Whether a name is one of ours, so that listings and searches leave it out.
#[must_use]
pub fn is_temp_name(name: &OsStr) -> bool {
    let digits = name
        .to_str()
        .and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX));
    digits.is_some_and(|digits| {
        digits.len() == N_RANDOM_DIGITS && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}

/// A new name.
pub(crate) fn temp_name() -> String {
    format!("{PREFIX}{:016x}{SUFFIX}", fastrand::u64(..))
}

/// A temporary name in a folder; removed on drop.
#[derive(Debug)]
pub(crate) struct TempName {
    pub(crate) folder: Arc<File>,
    pub(crate) name: String,
    is_owned: bool,
}

impl TempName {
    /// Takes over a name that exists.
    pub(crate) fn adopt(folder: Arc<File>, name: String) -> Self {
        Self {
            folder,
            name,
            is_owned: true,
        }
    }

    /// Leaves the file where it is.
    pub(crate) fn keep(mut self) {
        self.is_owned = false;
    }

    /// Removes the file now and says whether that worked.
    pub(crate) fn remove(mut self) -> io::Result<()> {
        self.is_owned = false;
        Ok(rustix::fs::unlinkat(
            &self.folder,
            &self.name,
            AtFlags::empty(),
        )?)
    }
}

impl Drop for TempName {
    fn drop(&mut self) {
        if !self.is_owned {
            return;
        }
        match rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::empty()) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => {}
            Err(error) => tracing::warn!(name = %self.name, %error, "a temporary file is left"),
        }
    }
}

/// A temporary file that is open for writing.
#[derive(Debug)]
pub(crate) struct TempFile {
    pub(crate) file: File,
    pub(crate) name: TempName,
}

/// Creates an empty file with a new name. Whoever may read the result decides `mode`.
pub(crate) fn create(
    folder: &Arc<File>,
    name: &str,
    mode: Mode,
    target: &Path,
) -> io::Result<TempFile> {
    fault::check(target, Fault::EaccesTemp)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::openat(folder, name, flags, mode)?;
    Ok(TempFile {
        file: File::from(file),
        name: TempName::adopt(Arc::clone(folder), name.to_owned()),
    })
}

/// A name that is free in the folder at this moment.
pub(crate) fn free_name(folder: &File) -> String {
    let mut name = temp_name();
    for _ in 0..MAX_NAME_TRIES {
        if rustix::fs::statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW).is_err() {
            break;
        }
        name = temp_name();
    }
    name
}

/// Writes everything.
pub(crate) fn fill(temp: &TempFile, bytes: &[u8], target: &Path) -> io::Result<()> {
    fault::check(target, Fault::EnospcTemp)?;
    fault::check(target, Fault::EioWrite)?;
    (&temp.file).write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::{is_temp_name, temp_name};
    use std::ffi::OsStr;

    #[test]
    fn only_our_own_names_are_ours() {
        let check = |name: &str, expected: bool| {
            assert_eq!(is_temp_name(OsStr::new(name)), expected, "{name}");
        };
        check(&temp_name(), true);
        check(".~bd-0123456789abcdef.tmp", true);
        check(".~bd-0123456789abcde.tmp", false);
        check(".~bd-0123456789abcdeg.tmp", false);
        check("~bd-0123456789abcdef.tmp", false);
        check(".~bd-0123456789abcdef", false);
    }
}
