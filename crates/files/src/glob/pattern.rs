//! What a name pattern means.

use crate::error::Error;
use globset::{GlobBuilder, GlobMatcher};
use std::path::{Path, PathBuf};

/// How letters are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CaseRule {
    Sensitive,
    Ignored,
}

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct NamePattern {
    matcher: GlobMatcher,
    /// The pattern as a path, if it has special characters: names such as `[id].tsx` are patterns by their looks only.
    literal: Option<PathBuf>,
    literal_folders: Vec<String>,
}

/// How a path fits a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// The pattern is the very path.
    Literal,
    /// The pattern matches.
    Matched,
}

/// Whether the text is more than a plain name or path.
pub(super) fn has_special_chars(pattern: &str) -> bool {
    pattern.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

impl NamePattern {
    pub(super) fn new(pattern: &str, case: CaseRule) -> Result<Self, Error> {
        if pattern.split('/').any(|part| part == "..") {
            return Err(unusable(
                pattern,
                "`..` is not supported; give the folder as path",
            ));
        }
        if pattern.starts_with('/') {
            return Err(unusable(
                pattern,
                "give the folder as path and the rest as pattern",
            ));
        }
        let rest = pattern
            .strip_prefix("./")
            .unwrap_or(pattern)
            .trim_end_matches('/');
        if rest.is_empty() {
            return Err(unusable(pattern, "it names no file"));
        }
        let anywhere = if rest.contains('/') {
            rest.to_owned()
        } else {
            format!("**/{rest}")
        };
        let glob = GlobBuilder::new(&anywhere)
            .literal_separator(true)
            .backslash_escape(!cfg!(windows))
            .empty_alternates(true)
            .case_insensitive(case == CaseRule::Ignored)
            .build()
            .map_err(|error| unusable(pattern, &error.kind().to_string()))?;
        Ok(Self {
            matcher: glob.compile_matcher(),
            literal: has_special_chars(rest).then(|| PathBuf::from(rest)),
            literal_folders: match case {
                CaseRule::Sensitive => leading_folders(rest),
                CaseRule::Ignored => Vec::new(),
            },
        })
    }

    /// Folders every match lies in, from the search folder down.
    pub(super) fn literal_folders(&self) -> &[String] {
        &self.literal_folders
    }

    /// Whether a path below one of the folders fits.
    pub(super) fn fit(&self, path: &Path, folders: &[PathBuf]) -> Option<Fit> {
        let below = folders
            .iter()
            .find_map(|folder| path.strip_prefix(folder).ok())?;
        if self.literal.as_deref() == Some(below) {
            return Some(Fit::Literal);
        }
        self.matcher.is_match(below).then_some(Fit::Matched)
    }
}

fn unusable(pattern: &str, problem: &str) -> Error {
    Error::InvalidParams {
        problem: format!("the pattern \"{pattern}\" cannot be used: {problem}"),
    }
}

/// Splits an absolute pattern into its longest literal folder, to be checked like any path, and the rest.
///
/// `None` for a pattern that is relative to the search folder.
#[must_use]
pub fn split_absolute_pattern(pattern: &str) -> Option<(&str, &str)> {
    if !pattern.starts_with('/') {
        return None;
    }
    let literal_slashes = pattern.match_indices('/').map(|(slash, _)| slash);
    let last = literal_slashes
        .take_while(|slash| !has_special_chars(pattern.split_at(*slash).0))
        .last();
    let (folder, rest) = pattern.split_at(last.unwrap_or(0));
    let folder = if folder.is_empty() { "/" } else { folder };
    Some((folder, rest.trim_start_matches('/')))
}

fn leading_folders(pattern: &str) -> Vec<String> {
    let mut parts: Vec<&str> = pattern.split('/').collect();
    parts.pop();
    parts
        .into_iter()
        .take_while(|part| !has_special_chars(part))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{CaseRule, Fit, NamePattern, leading_folders, split_absolute_pattern};
    use std::path::{Path, PathBuf};

    #[test]
    fn patterns_match_names_or_paths() {
        let folders = [PathBuf::from("/ws")];
        let check = |pattern: &str, path: &str, expected: bool| {
            let compiled = NamePattern::new(pattern, CaseRule::Sensitive).expect(pattern);
            let fits = compiled.fit(Path::new(path), &folders).is_some();
            assert_eq!(fits, expected, "{pattern} {path}");
        };
        check("*.rs", "/ws/src/deep/a.rs", true);
        check("src/*.rs", "/ws/src/a.rs", true);
        check("src/*.rs", "/ws/src/deep/a.rs", false);
        check("src/**/*.rs", "/ws/src/a.rs", true);
        check("**/*.{ts,tsx}", "/ws/a.tsx", true);
        check("a{,b}.rs", "/ws/a.rs", true);
        check("\\[id\\].ts", "/ws/x/[id].ts", true);
        check("*", "/ws/.hidden", true);
        check("./src/a.rs", "/ws/src/a.rs", true);
        check("src/", "/ws/src", true);
        check("*.RS", "/ws/a.rs", false);
    }

    #[test]
    fn unusable_patterns_say_why() {
        for pattern in ["../x", "a/../b", "[a", "{a", "/", "/ws/*", "./"] {
            let error = NamePattern::new(pattern, CaseRule::Sensitive)
                .map(|_| ())
                .expect_err(pattern);
            assert_eq!(error.code(), "INVALID_TOOL_PARAMS", "{pattern}");
        }
    }

    #[test]
    fn literal_parts_narrow_the_walk() {
        assert_eq!(leading_folders("src/app/*.rs"), ["src", "app"]);
        assert_eq!(leading_folders("**/a.rs"), Vec::<String>::new());
        assert_eq!(leading_folders("src/*/a.rs"), ["src"]);
        assert_eq!(
            split_absolute_pattern("/ws/src/*/x.rs"),
            Some(("/ws/src", "*/x.rs"))
        );
        assert_eq!(split_absolute_pattern("/*.rs"), Some(("/", "*.rs")));
        assert_eq!(split_absolute_pattern("src/*.rs"), None);
    }

    #[test]
    fn a_name_that_looks_like_a_pattern_is_found_first() {
        let folders = [PathBuf::from("/ws")];
        let compiled = NamePattern::new("app/[id].tsx", CaseRule::Sensitive).expect("a pattern");
        assert_eq!(
            compiled.fit(Path::new("/ws/app/[id].tsx"), &folders),
            Some(Fit::Literal)
        );
        assert_eq!(
            compiled.fit(Path::new("/ws/app/i.tsx"), &folders),
            Some(Fit::Matched)
        );
    }
}
