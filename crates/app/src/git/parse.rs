//! Reads what `git` writes with `-z`: fields ended by NUL, paths as they are.

use protocol::changes::ChangedStatus;
use std::collections::{BTreeMap, BTreeSet};

/// Lines of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NumStat {
    pub(super) path: String,
    pub(super) old_path: Option<String>,
    /// Added and removed; `None` for a binary file.
    pub(super) lines: Option<(u64, u64)>,
}

/// `added TAB removed TAB path NUL`; for a renamed file the path is empty and two more fields follow, old and new.
pub(super) fn numstat(answer: &[u8]) -> Vec<NumStat> {
    let mut fields = fields(answer);
    let mut stats = Vec::new();
    while let Some(field) = fields.next() {
        let mut parts = field.splitn(3, '\t');
        let (Some(added), Some(removed), Some(path)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        let lines = added.parse().ok().zip(removed.parse().ok());
        let (old_path, path) = match path {
            "" => (fields.next(), fields.next().unwrap_or_default()),
            path => (None, path.to_owned()),
        };
        stats.push(NumStat {
            path,
            old_path,
            lines,
        });
    }
    stats
}

/// `letter NUL path NUL`; for a renamed or copied file there are two paths, old and new.
pub(super) fn statuses(answer: &[u8]) -> BTreeMap<String, ChangedStatus> {
    let mut fields = fields(answer);
    let mut statuses = BTreeMap::new();
    while let Some(letter) = fields.next() {
        let (status, n_paths) = match letter.chars().next() {
            Some('A') => (ChangedStatus::Added, 1),
            Some('D') => (ChangedStatus::Deleted, 1),
            Some('R') => (ChangedStatus::Renamed, 2),
            Some('C') => (ChangedStatus::Added, 2),
            _ => (ChangedStatus::Modified, 1),
        };
        if n_paths == 2 {
            fields.next();
        }
        if let Some(path) = fields.next() {
            statuses.insert(path, status);
        }
    }
    statuses
}

/// `scope NUL filter.name.setting NUL`: the names of filters that neither the person nor the system set up.
pub(super) fn filters(answer: &[u8]) -> Vec<String> {
    let mut fields = fields(answer);
    let mut names = BTreeSet::new();
    while let (Some(scope), Some(key)) = (fields.next(), fields.next()) {
        let name = key
            .split_once('.')
            .and_then(|(_, rest)| rest.rsplit_once('.'));
        if let Some((name, _)) = name
            && !matches!(scope.as_str(), "global" | "system")
        {
            names.insert(name.to_owned());
        }
    }
    names.into_iter().collect()
}

/// Paths alone.
pub(super) fn names(answer: &[u8]) -> Vec<String> {
    fields(answer).collect()
}

fn fields(answer: &[u8]) -> impl Iterator<Item = String> {
    let answer = answer.strip_suffix(b"\0").unwrap_or(answer);
    let is_empty = answer.is_empty();
    answer
        .split(|byte| *byte == 0)
        .filter(move |_| !is_empty)
        .map(|field| String::from_utf8_lossy(field).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(path: &str, old_path: Option<&str>, lines: Option<(u64, u64)>) -> NumStat {
        NumStat {
            path: path.to_owned(),
            old_path: old_path.map(str::to_owned),
            lines,
        }
    }

    #[test]
    fn numbers_paths_with_tabs_renames_and_binary_files() {
        let answer =
            b"3\t1\ta\tb.txt\x00-\t-\timg.png\x000\t2\t\x00old.rs\x00new.rs\x001\t0\tz\n\x00";
        let expected = [
            stat("a\tb.txt", None, Some((3, 1))),
            stat("img.png", None, None),
            stat("new.rs", Some("old.rs"), Some((0, 2))),
            stat("z\n", None, Some((1, 0))),
        ];
        assert_eq!(numstat(answer), expected);
        assert_eq!(numstat(b""), []);
    }

    #[test]
    fn filters_of_the_repository_alone() {
        let answer = b"global\x00filter.lfs.clean\x00local\x00filter.a.b c.process\x00worktree\x00filter.w.clean\x00local\x00filter.w.smudge\x00local\x00filter.x\x00";
        assert_eq!(filters(answer), ["a.b c", "w"]);
        assert_eq!(filters(b""), Vec::<String>::new());
    }

    #[test]
    fn letters_and_their_paths() {
        let answer = b"M\x00a\x00R087\x00old\x00new\x00D\x00gone\x00A\x00made\x00T\x00link\x00";
        let found = statuses(answer);
        assert_eq!(found.len(), 5);
        assert_eq!(found["a"], ChangedStatus::Modified);
        assert_eq!(found["new"], ChangedStatus::Renamed);
        assert_eq!(found["gone"], ChangedStatus::Deleted);
        assert_eq!(found["made"], ChangedStatus::Added);
        assert_eq!(found["link"], ChangedStatus::Modified);
    }
}
