//! The list of files that changed.

use super::{Columns, FolderDiff, MAX_COMPARED_BYTES, Side, count_changes, looks_binary};
use crate::git::GitChange;
use protocol::changes::{
    ChangedFile, ChangedStatus, CutKind, CutNote, DiffScope, LineCounts, WorkspaceDiff,
    WorkspaceDiffState,
};
use std::path::Path;

/// Files in the list.
const MAX_LISTED: usize = 50;
/// With more files than this nobody reads a list: totals only.
const MAX_FILES: usize = 500;
/// Untracked files whose lines are counted.
const MAX_COUNTED_UNTRACKED: usize = 50;

impl FolderDiff {
    /// The list, or why there is none.
    pub(crate) fn list(&self) -> WorkspaceDiff {
        let (files, cut) = match self.scope {
            DiffScope::Head => match self.of_repository() {
                Ok(found) => found,
                Err(state) => return empty(state),
            },
            DiffScope::Session | DiffScope::Turn => (self.of_session(), Vec::new()),
        };
        finish(files, cut)
    }

    fn of_session(&self) -> Vec<ChangedFile> {
        self.versions
            .iter()
            .filter_map(|(path, versions)| {
                let before = versions.first()?.before_hash.as_ref();
                let now = self.now(Path::new(path));
                if before == now.hash().as_ref() {
                    return None;
                }
                let old = match before {
                    None => Side::of(None),
                    // A content that is no longer kept cannot be compared: shown like one that is no text.
                    Some(hash) => self
                        .blob(hash)
                        .map_or_else(Side::unreadable, |bytes| Side::of(Some(bytes))),
                };
                let status = match (before, &now.bytes) {
                    (None, _) => ChangedStatus::Added,
                    (Some(_), None) => ChangedStatus::Deleted,
                    (Some(_), Some(_)) => ChangedStatus::Modified,
                };
                let total = match (&old.text, &now.text) {
                    (Some(old), Some(new)) => count_changes(old, new),
                    _ => LineCounts::default(),
                };
                let owned = self.owned(path, &now).unwrap_or_default();
                let columns = Columns::of(total, &owned);
                Some(ChangedFile {
                    path: path.clone(),
                    display_path: self.display_path(Path::new(path)),
                    old_path: None,
                    status,
                    binary: old.binary || now.binary,
                    too_large: !(old.binary || now.binary)
                        && (old.text.is_none() || now.text.is_none()),
                    ai: columns.ai,
                    you: columns.you,
                    other: columns.other,
                })
            })
            .collect()
    }

    fn of_repository(&self) -> Result<(Vec<ChangedFile>, Vec<CutNote>), WorkspaceDiffState> {
        let repository = self.repository()?;
        let mut files: Vec<ChangedFile> = repository
            .changes()?
            .into_iter()
            .map(|change| {
                let old_path = change
                    .old_path
                    .as_ref()
                    .map(|path| self.display_path(&repository.full_path(path)));
                self.of_change(&repository.full_path(&change.path), change, old_path)
            })
            .collect();
        let untracked: Vec<String> = repository
            .untracked()?
            .into_iter()
            // A repository of its own inside this one, or what a commit of ours has not yet removed.
            .filter(|path| !path.ends_with('/') && !is_ours(path))
            .collect();
        let n_untracked = untracked.len();
        for (index, path) in untracked.into_iter().enumerate() {
            let full = repository.full_path(&path);
            let counted = match index < MAX_COUNTED_UNTRACKED {
                true => count_untracked(&full),
                false => Untracked::default(),
            };
            let change = GitChange {
                path,
                old_path: None,
                status: ChangedStatus::Untracked,
                lines: counted.lines.map(|lines| (lines, 0)),
            };
            let mut file = self.of_change(&full, change, None);
            (file.binary, file.too_large) = (counted.binary, counted.too_large);
            files.push(file);
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let cut = note(
            CutKind::UntrackedUncounted,
            MAX_COUNTED_UNTRACKED,
            n_untracked,
        );
        let skipped = note(CutKind::FiltersSkipped, 0, repository.n_filters());
        Ok((files, cut.into_iter().chain(skipped).collect()))
    }

    fn of_change(&self, full: &Path, change: GitChange, old_path: Option<String>) -> ChangedFile {
        let path = full.display().to_string();
        let total = change
            .lines
            .map(|(added, removed)| LineCounts { added, removed })
            .unwrap_or_default();
        let owned = match self.versions.contains_key(&path) {
            true => self.owned(&path, &self.now(full)).unwrap_or_default(),
            false => crate::authorship::Owned::default(),
        };
        let columns = Columns::of(total, &owned);
        ChangedFile {
            display_path: self.display_path(full),
            path,
            old_path,
            status: change.status,
            binary: change.lines.is_none(),
            too_large: false,
            ai: columns.ai,
            you: columns.you,
            other: columns.other,
        }
    }
}

fn is_ours(path: &str) -> bool {
    Path::new(path).file_name().is_some_and(files::is_temp_name)
}

#[derive(Default)]
struct Untracked {
    lines: Option<u64>,
    binary: bool,
    too_large: bool,
}

fn count_untracked(path: &Path) -> Untracked {
    let size = std::fs::symlink_metadata(path)
        .ok()
        .filter(std::fs::Metadata::is_file);
    let Some(size) = size.map(|meta| meta.len()) else {
        return Untracked {
            binary: true,
            ..Untracked::default()
        };
    };
    if size > MAX_COMPARED_BYTES as u64 {
        return Untracked {
            too_large: true,
            ..Untracked::default()
        };
    }
    match std::fs::read(path) {
        Ok(bytes) if !looks_binary(&bytes) => Untracked {
            lines: Some(count_lines_in(&bytes)),
            ..Untracked::default()
        },
        Ok(_) | Err(_) => Untracked {
            binary: true,
            ..Untracked::default()
        },
    }
}

/// Lines of a file, as the repository would count them.
fn count_lines_in(bytes: &[u8]) -> u64 {
    let breaks = bytes.iter().filter(|byte| **byte == b'\n').count();
    let unended = !bytes.is_empty() && !bytes.ends_with(b"\n");
    (breaks + usize::from(unended)) as u64
}

fn note(kind: CutKind, limit: usize, actual: usize) -> Option<CutNote> {
    (actual > limit).then_some(CutNote {
        kind,
        limit: limit as u64,
        actual: actual as u64,
    })
}

fn empty(state: WorkspaceDiffState) -> WorkspaceDiff {
    WorkspaceDiff {
        state,
        files: Vec::new(),
        total_files: 0,
        listed_files: 0,
        ai: LineCounts::default(),
        you: LineCounts::default(),
        other: LineCounts::default(),
        cut: Vec::new(),
    }
}

fn finish(mut files: Vec<ChangedFile>, mut cut: Vec<CutNote>) -> WorkspaceDiff {
    let total = files.len();
    let n_large = files.iter().filter(|file| file.too_large).count();
    if n_large > 0 {
        cut.push(CutNote {
            kind: CutKind::FilesTooLarge,
            limit: MAX_COMPARED_BYTES as u64,
            actual: n_large as u64,
        });
    }
    let mut diff = empty(WorkspaceDiffState::Ok);
    for file in &files {
        add(&mut diff.ai, file.ai);
        add(&mut diff.you, file.you);
        add(&mut diff.other, file.other);
    }
    let listed = match total > MAX_FILES {
        true => {
            cut.extend(note(CutKind::TotalsOnly, MAX_FILES, total));
            0
        }
        false => {
            cut.extend(note(CutKind::FilesListed, MAX_LISTED, total));
            MAX_LISTED
        }
    };
    files.truncate(listed);
    diff.total_files = total as u64;
    diff.listed_files = files.len() as u64;
    diff.files = files;
    diff.cut = cut;
    diff
}

fn add(sum: &mut LineCounts, lines: LineCounts) {
    sum.added += lines.added;
    sum.removed += lines.removed;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(n: usize) -> ChangedFile {
        let one = LineCounts {
            added: 1,
            removed: 0,
        };
        ChangedFile {
            path: format!("/w/{n:04}"),
            display_path: format!("{n:04}"),
            old_path: None,
            status: ChangedStatus::Modified,
            binary: false,
            too_large: n == 7,
            ai: one,
            you: LineCounts::default(),
            other: one,
        }
    }

    #[track_caller]
    fn check(n_files: usize, listed: u64, cut: &[(CutKind, u64, u64)]) {
        let diff = finish((0..n_files).map(file).collect(), Vec::new());
        assert_eq!(
            (diff.total_files, diff.listed_files),
            (n_files as u64, listed)
        );
        assert_eq!(diff.ai.added, n_files as u64, "totals cover everything");
        let notes: Vec<_> = diff
            .cut
            .iter()
            .map(|note| (note.kind, note.limit, note.actual))
            .collect();
        assert_eq!(notes, cut);
    }

    #[test]
    fn what_is_left_out_is_said_with_numbers() {
        let large = (CutKind::FilesTooLarge, 1_000_000, 1);
        check(3, 3, &[]);
        check(50, 50, &[large]);
        check(51, 50, &[large, (CutKind::FilesListed, 50, 51)]);
        check(500, 50, &[large, (CutKind::FilesListed, 50, 500)]);
        check(501, 0, &[large, (CutKind::TotalsOnly, 500, 501)]);
    }
}
