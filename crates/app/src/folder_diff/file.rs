//! The change of one file, line by line, and what taking it back would write.

use super::{Columns, FolderDiff, Side, count_changes};
use crate::authorship::owners_of_change;
use crate::put_back::Content;
use edit::{
    CONTEXT_LINES, FinalText, Labels, LineDiff, TextFile, pieces, plan_final, unified_diff,
};
use files::PlanSettings;
use protocol::changes::{
    CutKind, CutNote, DiffScope, LineCounts, WorkspaceDiffState, WorkspaceFileDiff,
};
use protocol::diff::{DiffStat, Eol, FileDiff, NetStat};
use protocol::error::{ApiError, ErrorCode};
use std::path::{Component, Path};

/// A change above this size is not shown.
const MAX_DIFF_BYTES: usize = 1_000_000;
/// Lines of a change that are shown.
const MAX_DIFF_LINES: usize = 400;

/// Both contents of a file.
pub(crate) struct Parts {
    pub(crate) old: Side,
    pub(crate) new: Side,
}

impl FolderDiff {
    /// The change of one file.
    pub(crate) fn file(&self, path: &str) -> Result<WorkspaceFileDiff, ApiError> {
        let parts = self.parts(path)?;
        let display_path = self.display_path(Path::new(path));
        let texts = parts.old.text.as_deref().zip(parts.new.text.as_deref());
        let unified = texts.map(|(old, new)| unified(old, new, &display_path));
        let binary = parts.old.binary || parts.new.binary;
        let too_large = !binary
            && unified
                .as_ref()
                .is_none_or(|unified| unified.len() > MAX_DIFF_BYTES);
        let shown = texts.filter(|_| !too_large);
        let owned = self.owned(path, &parts.new);
        let total = shown.map_or_else(LineCounts::default, |(old, new)| count_changes(old, new));
        let (unified, cut) = cut_lines(unified.filter(|_| !too_large).unwrap_or_default());
        let facts = facts(&parts);
        Ok(WorkspaceFileDiff {
            diff: FileDiff {
                file_path: path.to_owned(),
                display_path,
                is_new: parts.old.bytes.is_none(),
                unified_diff: unified,
                base_text: shown.map(|(old, _)| old.to_owned()),
                new_text: shown.map(|(_, new)| new.to_owned()),
                stat: stat(Columns::of(total, &owned.clone().unwrap_or_default())),
                ..facts
            },
            is_deleted: parts.new.bytes.is_none(),
            binary,
            too_large,
            owners: shown
                .map(|(old, new)| owners_of_change(owned.as_ref(), old, new))
                .unwrap_or_default(),
            current_hash: parts.new.hash(),
            cut: cut.into_iter().collect(),
        })
    }

    /// What a file holds once its change, or one part of it, is taken back.
    pub(crate) fn reverted(
        &self,
        path: &str,
        parts: &Parts,
        hunk: Option<u32>,
    ) -> Result<Content, ApiError> {
        let texts = parts.old.text.as_deref().zip(parts.new.text.as_deref());
        let Some(hunk) = hunk else {
            return Ok(match (&parts.old.bytes, &parts.new.bytes, texts) {
                (None, _, _) => Content::Nothing,
                // The repository keeps other line ends than the folder: those of the folder stay.
                (Some(old), Some(new), Some((old_text, _)))
                    if self.scope == DiffScope::Head && !has_cr(old) && has_cr(new) =>
                {
                    spliced(new, old_text, path)?
                }
                (Some(old), _, _) => Content::Bytes(old.clone()),
            });
        };
        let (Some((old, new)), Some(bytes)) = (texts, &parts.new.bytes) else {
            let words = "only a text that is there has parts; put the whole file back";
            return Err(ApiError::new(ErrorCode::BadRequest, words));
        };
        let text = revert_hunk(old, new, hunk as usize).ok_or_else(|| {
            let words = "the file has no such part any more; look at it again";
            ApiError::new(ErrorCode::FileChanged, words)
        })?;
        if text.is_empty() && parts.old.bytes.is_none() {
            return Ok(Content::Nothing);
        }
        spliced(bytes, &text, path)
    }

    /// Both contents of a file.
    pub(crate) fn parts(&self, path: &str) -> Result<Parts, ApiError> {
        let full = Path::new(path);
        let inside = full.starts_with(&self.workspace)
            && !full.components().any(|part| part == Component::ParentDir);
        if !inside && !self.versions.contains_key(path) {
            return Err(ApiError::new(
                ErrorCode::BadRequest,
                format!("{path} is not in this folder"),
            ));
        }
        let old = match self.scope {
            DiffScope::Head => self.committed(full)?,
            DiffScope::Session | DiffScope::Turn => self.before_session(path)?,
        };
        Ok(Parts {
            old,
            new: self.now(full),
        })
    }

    fn before_session(&self, path: &str) -> Result<Side, ApiError> {
        let first = self
            .versions
            .get(path)
            .and_then(|versions| versions.first());
        let Some(first) = first else {
            return Err(ApiError::new(
                ErrorCode::NotFound,
                format!("{path} was not changed in this time"),
            ));
        };
        let Some(hash) = &first.before_hash else {
            return Ok(Side::of(None));
        };
        let bytes = self.blob(hash).ok_or_else(|| {
            let words = format!("what {path} held before is no longer kept");
            ApiError::new(ErrorCode::BackupMissing, words)
        })?;
        Ok(Side::of(Some(bytes)))
    }

    fn committed(&self, full: &Path) -> Result<Side, ApiError> {
        let repository = self.repository().map_err(no_repository)?;
        let Some(relative) = repository.relative(full) else {
            return Err(no_repository(WorkspaceDiffState::NoRepository));
        };
        let mut bytes = repository.committed(&relative).map_err(no_repository)?;
        if bytes.is_none() {
            // Perhaps it had another name.
            let changes = repository.changes().map_err(no_repository)?;
            let change = changes.into_iter().find(|change| change.path == relative);
            if let Some(old_path) = change.and_then(|change| change.old_path) {
                bytes = repository.committed(&old_path).map_err(no_repository)?;
            }
        }
        Ok(Side::of(bytes))
    }
}

fn no_repository(state: WorkspaceDiffState) -> ApiError {
    ApiError::new(
        ErrorCode::NotFound,
        format!("the repository cannot be asked now ({state:?}); look at the list of changes"),
    )
}

fn has_cr(bytes: &[u8]) -> bool {
    bytes.contains(&b'\r')
}

/// Another text in the bytes of a file: lines that stay keep theirs.
fn spliced(bytes: &[u8], text: &str, path: &str) -> Result<Content, ApiError> {
    let refused = |error: edit::EditError| ApiError::new(ErrorCode::Encoding, error.message(path));
    let file = TextFile::decode(bytes).map_err(refused)?;
    let limit = PlanSettings::default().max_result_bytes;
    match plan_final(&file, file.text(), text, limit).map_err(refused)? {
        FinalText::Changed { bytes, .. } => Ok(Content::Bytes(bytes)),
        FinalText::KeptOriginal | FinalText::AsProposed => {
            Ok(Content::Bytes(file.bytes().to_vec()))
        }
    }
}

/// The new text with one `@@` part of the unified diff taken back, counted from 0.
fn revert_hunk(old: &str, new: &str, index: usize) -> Option<String> {
    let hunks = LineDiff::of_pieces(old, new).hunks();
    let mut groups =
        hunks.chunk_by(|before, after| after.old.start - before.old.end <= 2 * CONTEXT_LINES);
    let group = groups.nth(index)?;
    let (old, new) = (pieces(old), pieces(new));
    let mut text = String::new();
    let mut next = 0;
    for hunk in group {
        new.get(next..hunk.new.start)?
            .iter()
            .for_each(|line| text.push_str(line));
        old.get(hunk.old.clone())?
            .iter()
            .for_each(|line| text.push_str(line));
        next = hunk.new.end;
    }
    new.get(next..)?.iter().for_each(|line| text.push_str(line));
    Some(text)
}

/// The first lines of a diff, and a note if there are more.
fn cut_lines(unified: String) -> (String, Option<CutNote>) {
    let n_lines = unified.lines().count();
    if n_lines <= MAX_DIFF_LINES {
        return (unified, None);
    }
    let shown: String = unified.split_inclusive('\n').take(MAX_DIFF_LINES).collect();
    let note = CutNote {
        kind: CutKind::LinesShown,
        limit: MAX_DIFF_LINES as u64,
        actual: n_lines as u64,
    };
    (shown, Some(note))
}

fn stat(columns: Columns) -> DiffStat {
    let Columns { ai, you, .. } = columns;
    DiffStat {
        model_added_lines: ai.added,
        model_removed_lines: ai.removed,
        user_added_lines: you.added,
        user_removed_lines: you.removed,
        net: NetStat {
            ai_added: ai.added,
            ai_removed: ai.removed,
            human_added: you.added,
            human_removed: you.removed,
            ..NetStat::default()
        },
        ..DiffStat::default()
    }
}

/// The change between two contents, without whose it is; `None` where one is no text or too large.
pub(crate) fn diff_of(path: &str, display_path: &str, parts: &Parts) -> Option<FileDiff> {
    let (old, new) = (parts.old.text.as_deref()?, parts.new.text.as_deref()?);
    Some(FileDiff {
        file_path: path.to_owned(),
        display_path: display_path.to_owned(),
        is_new: parts.old.bytes.is_none(),
        unified_diff: unified(old, new, display_path),
        base_text: Some(old.to_owned()),
        new_text: Some(new.to_owned()),
        ..facts(parts)
    })
}

fn unified(old: &str, new: &str, display_path: &str) -> String {
    let (a, b) = (format!("a/{display_path}"), format!("b/{display_path}"));
    unified_diff(old, new, Labels { old: &a, new: &b })
}

/// What is known of the bytes; the rest is filled in.
fn facts(parts: &Parts) -> FileDiff {
    let bytes = parts.new.bytes.as_deref().or(parts.old.bytes.as_deref());
    let file = bytes
        .filter(|_| !parts.new.binary)
        .and_then(|bytes| TextFile::decode(bytes).ok());
    FileDiff {
        file_path: String::new(),
        display_path: String::new(),
        is_new: false,
        unified_diff: String::new(),
        base_text: None,
        new_text: None,
        stat: DiffStat::default(),
        layer: String::new(),
        encoding: file
            .as_ref()
            .map(|file| file.encoding().label().into_owned())
            .unwrap_or_default(),
        encoding_guessed: file.as_ref().is_some_and(TextFile::is_encoding_guessed),
        bom: file.as_ref().is_some_and(TextFile::has_bom),
        eol: file.as_ref().map_or(Eol::None, |file| file.breaks().eol()),
        warnings: Vec::new(),
        changed_by_user: false,
        notebook: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use edit::unified_hunks;
    use proptest::prelude::*;

    #[test]
    fn one_part_goes_back_and_the_others_stay() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
        let new = "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n";
        let first = revert_hunk(old, new, 0).unwrap();
        assert_eq!(first, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n");
        let second = revert_hunk(old, new, 1).unwrap();
        assert_eq!(second, "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
        assert_eq!(revert_hunk(old, new, 2), None);
    }

    fn some_text() -> impl Strategy<Value = String> {
        let line = prop::sample::select(vec!["a", "b", "c", "d", "e", "f", "g"]);
        (prop::collection::vec(line, 0..40), any::<bool>()).prop_map(|(lines, ended)| {
            let mut text = lines.join("\n");
            if ended && !text.is_empty() {
                text.push('\n');
            }
            text
        })
    }

    proptest! {
        /// Each part of the diff that is shown can go back, and once all have, nothing is left.
        #[test]
        fn all_parts_one_by_one_are_the_whole((old, new) in (some_text(), some_text())) {
            let n_parts = unified_hunks(&old, &new).len();
            prop_assert_eq!(revert_hunk(&old, &new, n_parts), None);
            let mut text = new;
            let mut n_steps = 0;
            while !unified_hunks(&old, &text).is_empty() {
                text = revert_hunk(&old, &text, 0).unwrap();
                n_steps += 1;
                prop_assert!(n_steps <= 100, "it comes to an end");
            }
            prop_assert_eq!(text, old);
        }
    }
}
