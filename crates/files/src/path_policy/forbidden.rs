//! Spellings and places that are refused whatever the rules of the workspace say.
//!
//! The checks look at text alone. Opening a network path sends credentials, opening a device may block or act.

use crate::error::Error;
use std::path::Path;

/// Why a path is refused for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForbiddenClass {
    /// A network share or a raw device path of Windows.
    Unc,
    /// A device of the system.
    Device,
    /// A device name of Windows, such as `CON`.
    ReservedName,
    /// An alternate data stream.
    Stream,
    /// A name that Windows stores as another one.
    TrailingDotOrSpace,
    /// Memory, environment or descriptors of a process.
    ProcessMemory,
}

impl ForbiddenClass {
    /// The words for a message.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unc => "network or raw device path (UNC)",
            Self::Device => "device",
            Self::ReservedName => "reserved device name",
            Self::Stream => "alternate data stream",
            Self::TrailingDotOrSpace => "name ending with a dot or a blank",
            Self::ProcessMemory => "process memory",
        }
    }
}

/// Whose rules names follow. `aux.c` and `a:b` are ordinary names on one system and traps on the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathStyle {
    /// Linux, macOS.
    Posix,
    /// Windows.
    Windows,
}

impl PathStyle {
    pub(super) fn of_this_system() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else {
            Self::Posix
        }
    }
}

const RESERVED_NAMES: [&str; 4] = ["con", "prn", "aux", "nul"];
const NUMBERED_RESERVED_NAMES: [&str; 2] = ["com", "lpt"];

pub(super) fn check_spelling(requested: &str, style: PathStyle) -> Result<(), Error> {
    match spelling_class(requested, style) {
        Some(class) => Err(Error::Forbidden {
            path: requested.into(),
            class,
        }),
        None => Ok(()),
    }
}

fn spelling_class(requested: &str, style: PathStyle) -> Option<ForbiddenClass> {
    let start = requested.trim_start();
    let is_separator = |c: char| c == '/' || c == '\\';
    let mut chars = start.chars();
    if chars.next().is_some_and(is_separator) && chars.next().is_some_and(is_separator) {
        return Some(ForbiddenClass::Unc);
    }
    match style {
        PathStyle::Posix => None,
        PathStyle::Windows => {
            let after_drive = match start.split_at_checked(2) {
                Some((drive, rest)) if drive.ends_with(':') => rest,
                _ => start,
            };
            after_drive.split(is_separator).find_map(windows_name_class)
        }
    }
}

fn windows_name_class(name: &str) -> Option<ForbiddenClass> {
    if name.is_empty() || name == "." || name == ".." {
        return None;
    }
    if name.contains(':') {
        return Some(ForbiddenClass::Stream);
    }
    if name.ends_with(['.', ' ']) {
        return Some(ForbiddenClass::TrailingDotOrSpace);
    }
    let stem = name
        .split('.')
        .next()
        .unwrap_or(name)
        .trim_end()
        .to_ascii_lowercase();
    let is_numbered = NUMBERED_RESERVED_NAMES.iter().any(|prefix| {
        stem.strip_prefix(prefix)
            .is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']))
    });
    (is_numbered || RESERVED_NAMES.contains(&stem.as_str())).then_some(ForbiddenClass::ReservedName)
}

/// Refuses places whose reading acts on the system or shows another process.
pub(super) fn check_place(path: &Path) -> Result<(), Error> {
    match place_class(path) {
        Some(class) => Err(Error::Forbidden {
            path: path.to_path_buf(),
            class,
        }),
        None => Ok(()),
    }
}

fn place_class(path: &Path) -> Option<ForbiddenClass> {
    let parts: Vec<&str> = path
        .iter()
        .skip(1)
        .map(|part| part.to_str().unwrap_or(""))
        .collect();
    match parts.as_slice() {
        ["dev", _, ..] | ["sys", "kernel", "debug", ..] => Some(ForbiddenClass::Device),
        ["proc", "kcore" | "kmsg"] => Some(ForbiddenClass::ProcessMemory),
        ["proc", _, rest @ ..] => process_class(rest),
        _ => None,
    }
}

fn process_class(below_process: &[&str]) -> Option<ForbiddenClass> {
    match below_process {
        ["task", _, rest @ ..] => process_class(rest),
        ["mem" | "environ"] | ["fd", _, ..] => Some(ForbiddenClass::ProcessMemory),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{ForbiddenClass, PathStyle, place_class, spelling_class};
    use std::path::Path;

    #[test]
    fn spellings_are_judged_without_the_file_system() {
        let check = |path: &str, posix: Option<ForbiddenClass>, windows: Option<ForbiddenClass>| {
            assert_eq!(spelling_class(path, PathStyle::Posix), posix, "{path}");
            assert_eq!(spelling_class(path, PathStyle::Windows), windows, "{path}");
        };
        let unc = Some(ForbiddenClass::Unc);
        let reserved = Some(ForbiddenClass::ReservedName);
        check("\\\\host\\share\\f.txt", unc, unc);
        check("//host/share", unc, unc);
        check(" //host/share", unc, unc);
        check("\\\\?\\C:\\x", unc, unc);
        check("\\\\.\\COM1", unc, unc);
        check("\\/host/share", unc, unc);
        check("/ws/file.txt", None, None);
        check("C:\\ws\\file.txt", None, None);
        check("/ws/aux.c", None, reserved);
        check("/ws/Con", None, reserved);
        check("/ws/lpt9.tar.gz", None, reserved);
        check("/ws/com0", None, None);
        check("/ws/console", None, None);
        check("/ws/nul /x", None, Some(ForbiddenClass::TrailingDotOrSpace));
        check("C:\\f.txt:stream", None, Some(ForbiddenClass::Stream));
        check("/ws/name.", None, Some(ForbiddenClass::TrailingDotOrSpace));
        check("/ws/../x", None, None);
    }

    #[test]
    fn places_that_act_or_leak_are_refused() {
        let check = |path: &str, expected: Option<ForbiddenClass>| {
            assert_eq!(place_class(Path::new(path)), expected, "{path}");
        };
        check("/dev/zero", Some(ForbiddenClass::Device));
        check("/dev/shm/x", Some(ForbiddenClass::Device));
        check("/dev", None);
        check("/device/x", None);
        check("/proc/kcore", Some(ForbiddenClass::ProcessMemory));
        check("/proc/self/mem", Some(ForbiddenClass::ProcessMemory));
        check("/proc/12/environ", Some(ForbiddenClass::ProcessMemory));
        check("/proc/12/fd/3", Some(ForbiddenClass::ProcessMemory));
        check("/proc/12/task/13/fd/3", Some(ForbiddenClass::ProcessMemory));
        check("/proc/cpuinfo", None);
        check("/proc/12/status", None);
        check("/sys/kernel/debug/x", Some(ForbiddenClass::Device));
        check("/home/dev/zero", None);
    }
}
