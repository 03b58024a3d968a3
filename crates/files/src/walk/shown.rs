//! Paths as the model sees them.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// A path in a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Relative to the first root if inside it, else absolute; `/` on all systems.
    pub(crate) path: String,
}

impl Shown {
    /// How `path` is written.
    pub(crate) fn new(path: &Path, base: &Path) -> Self {
        let inside = path
            .strip_prefix(base)
            .ok()
            .filter(|rest| !rest.as_os_str().is_empty());
        let shown = inside.unwrap_or(path);
        let text = match shown.to_str() {
            Some(text) => escape_controls(text).into_owned(),
            None => {
                let lossy = shown.to_string_lossy();
                format!("{} (name not UTF-8)", escape_controls(&lossy))
            }
        };
        let path = if cfg!(windows) {
            text.replace('\\', "/")
        } else {
            text
        };
        Self { path }
    }
}

/// Control characters as `\xNN`, so that a name or a line cannot forge another one.
pub(crate) fn escape_controls(text: &str) -> Cow<'_, str> {
    escape(text, |c| c.is_control())
}

/// The same for a line, in which a TAB is ordinary.
pub(crate) fn escape_line(text: &str) -> Cow<'_, str> {
    escape(text, |c| c.is_control() && c != '\t')
}

fn escape(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_escaped(c) {
            // Writing to a string cannot fail.
            write!(escaped, "\\x{:02x}", u32::from(c)).unwrap_or(());
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::{Shown, escape_line};
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    #[test]
    fn paths_are_short_and_harmless() {
        let check = |path: &[u8], expected: &str| {
            let path = Path::new(OsStr::from_bytes(path));
            assert_eq!(Shown::new(path, Path::new("/ws")).path, expected);
        };
        check(b"/ws/src/a.rs", "src/a.rs");
        check(b"/ws", "/ws");
        check(b"/wsx/a", "/wsx/a");
        check(b"/ws/a\nb\x1b[0m", "a\\x0ab\\x1b[0m");
        check(b"/ws/\xff.txt", "\u{fffd}.txt (name not UTF-8)");
        assert_eq!(escape_line("a\tb\u{7}"), "a\tb\\x07");
    }
}
