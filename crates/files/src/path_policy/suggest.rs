//! Names a model may have meant when a path leads nowhere.

use crate::path_policy::{Location, Roots, ignored_by};
use std::cmp::Ordering;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use unicode_normalization::UnicodeNormalization;

/// More than three names are noise.
const MAX_SUGGESTIONS: usize = 3;
/// A larger folder is not looked through.
const MAX_ENTRIES: usize = 10_000;
/// A slow disk must not make an error message slow.
const MAX_SEARCH_TIME: Duration = Duration::from_millis(50);

/// Up to three existing paths that resemble the missing `path`.
///
/// Nothing outside the boundary and nothing below a folder that the ignore file `ignore_name` hides is named.
#[must_use]
pub fn suggestions(path: &Path, roots: &Roots, ignore_name: &str) -> Vec<PathBuf> {
    let is_shown = |candidate: &Path| {
        roots.locate(candidate) == Location::Inside
            && ignored_by(candidate, roots, ignore_name).is_none()
    };
    let mut found: Vec<PathBuf> = Vec::new();
    if let (Some(folder), Some(name)) = (
        path.parent(),
        path.file_name().and_then(|name| name.to_str()),
    ) && roots.locate(folder) == Location::Inside
    {
        let similar = similar_names(folder, name);
        let paths = similar.into_iter().map(|name| folder.join(name));
        found.extend(
            paths
                .filter(|candidate| is_shown(candidate))
                .take(MAX_SUGGESTIONS),
        );
    }
    for root in roots.as_slice() {
        let below = root.join(path.strip_prefix("/").unwrap_or(path));
        if found.len() < MAX_SUGGESTIONS
            && !found.contains(&below)
            && below.exists()
            && is_shown(&below)
        {
            found.push(below);
        }
    }
    found
}

/// Names in `folder` that resemble `name`, the best first.
pub(crate) fn similar_names(folder: &Path, name: &str) -> Vec<OsString> {
    let started = Instant::now();
    let Ok(entries) = folder.read_dir() else {
        return Vec::new();
    };
    let wanted = Wanted::new(name);
    let mut ranked: Vec<(u8, OsString)> = Vec::new();
    for (n_seen, entry) in entries.take(MAX_ENTRIES).enumerate() {
        // The clock is looked at now and then only; reading it costs as much as an entry.
        if n_seen % 64 == 63 && started.elapsed() > MAX_SEARCH_TIME {
            break;
        }
        let Ok(entry) = entry else { continue };
        let file_name = entry.file_name();
        if let Some(rank) = file_name.to_str().and_then(|found| wanted.rank(found)) {
            ranked.push((rank, file_name));
        }
    }
    ranked.sort_by(|a, b| match a.0.cmp(&b.0) {
        Ordering::Equal => a.1.cmp(&b.1),
        other => other,
    });
    ranked.into_iter().map(|(_, name)| name).collect()
}

struct Wanted<'a> {
    name: &'a str,
    lower: String,
    composed: String,
    stem: &'a str,
}

impl<'a> Wanted<'a> {
    fn new(name: &'a str) -> Self {
        Self {
            name,
            lower: name.to_lowercase(),
            composed: name.nfc().collect(),
            stem: stem(name),
        }
    }

    /// How good `found` is, 0 the best.
    fn rank(&self, found: &str) -> Option<u8> {
        let lower = found.to_lowercase();
        if lower == self.lower {
            return Some(0);
        }
        if found.nfc().eq(self.composed.chars()) {
            return Some(1);
        }
        if !self.stem.is_empty() && stem(found) == self.stem {
            return Some(2);
        }
        let max_distance = (self.name.chars().count() / 4).max(1);
        if distance_within(&self.lower, &lower, max_distance) {
            return Some(3);
        }
        (lower.contains(&self.lower) || self.lower.contains(&lower)).then_some(4)
    }
}

fn stem(name: &str) -> &str {
    Path::new(name)
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or(name)
}

/// Whether at most `limit` insertions, deletions and replacements turn `a` into `b`.
fn distance_within(a: &str, b: &str, limit: usize) -> bool {
    let b: Vec<char> = b.chars().collect();
    if a.chars().count().abs_diff(b.len()) > limit {
        return false;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()] <= limit
}

#[cfg(test)]
mod tests {
    use super::{Wanted, distance_within};

    #[test]
    fn nearer_names_rank_first() {
        let check = |wanted: &str, found: &str, expected: Option<u8>| {
            assert_eq!(
                Wanted::new(wanted).rank(found),
                expected,
                "{wanted} {found}"
            );
        };
        check("Main.rs", "main.rs", Some(0));
        check("caf\u{e9}.md", "cafe\u{301}.md", Some(1));
        check("main.ts", "main.tsx", Some(2));
        check("mian.rs", "main.rs", None);
        check("component.rs", "componnet.rs", Some(3));
        check("user.rs", "test_user.rs", Some(4));
        check("main.rs", "zebra.md", None);
    }

    #[test]
    fn distance_counts_edits() {
        assert!(distance_within("kitten", "sitting", 3));
        assert!(!distance_within("kitten", "sitting", 2));
        assert!(distance_within("", "a", 1));
        assert!(distance_within("same", "same", 0));
    }
}
