//! The three contents of a file that is not as the change left it which is to be taken back, and their merge.
//!
//! The merge is worked out anew from kept bytes whenever it is needed; it is written only while its hash is the one that
//! was shown. Blocks. Deliberately absent: which files, and writing.

use crate::folder_diff::Side;
use crate::folder_diff::file::{Parts, diff_of};
use crate::put_back::{Content, Wanted, read_now};
use edit::{EditError, MergeRefusal, TextFile, Versions, merge_back};
use files::{ContentHash, PlanSettings};
use protocol::changes::{
    ConflictSide, ConflictSideState, FileConflict, FileMerge, MergeProblem, RewindChoice,
};
use std::path::Path;
use store::Store;

/// A merge above this size is not shown, and so not offered.
const MAX_DIFF_BYTES: usize = 1_000_000;

/// A file in conflict.
pub(crate) struct ThreeWay {
    path: String,
    before: Kept,
    after: Kept,
    current: Kept,
}

/// One of the contents.
enum Kept {
    /// These bytes, or no file.
    Known(Option<Vec<u8>>),
    /// They are no longer kept, or cannot be read.
    Lost(ConflictSideState),
}

impl Kept {
    fn of(store: &Store, hash: Option<&str>) -> Self {
        let Some(hash) = hash else {
            return Self::Known(None);
        };
        match store.read_blocking(|reader| reader.blob(hash)) {
            Ok(bytes) => Self::Known(Some(bytes)),
            Err(error) => {
                tracing::debug!(%error, hash, "a version is shown without its content");
                Self::Lost(ConflictSideState::NotKept)
            }
        }
    }

    fn now(path: &str) -> Self {
        read_now(Path::new(path)).map_or_else(
            |error| {
                tracing::debug!(%error, path, "a file is shown without its content");
                Self::Lost(ConflictSideState::NotText)
            },
            Self::Known,
        )
    }

    fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Known(bytes) => bytes.as_deref(),
            Self::Lost(_) => None,
        }
    }

    fn shown(&self) -> ConflictSide {
        let nothing = |state| ConflictSide {
            state,
            text: String::new(),
        };
        let bytes = match self {
            Self::Lost(state) => return nothing(*state),
            Self::Known(None) => return nothing(ConflictSideState::Absent),
            Self::Known(Some(bytes)) => bytes,
        };
        let side = Side::of(Some(bytes.clone()));
        match side.text {
            Some(text) => ConflictSide {
                state: ConflictSideState::Text,
                text,
            },
            None if side.binary => nothing(ConflictSideState::NotText),
            None => nothing(ConflictSideState::TooLarge),
        }
    }
}

impl ThreeWay {
    /// Looks at a file: `after` and `before` are hashes of what the change left and found.
    pub(crate) fn of(
        store: &Store,
        path: &str,
        (before, after): (Option<&str>, Option<&str>),
    ) -> Self {
        Self {
            path: path.to_owned(),
            before: Kept::of(store, before),
            after: Kept::of(store, after),
            current: Kept::now(path),
        }
    }

    /// Looks at a file that was to be put back from what a change left, which is what the plan expects.
    pub(crate) fn of_wanted(store: &Store, wanted: &Wanted) -> Self {
        let before = wanted.content.hash();
        Self::of(store, &wanted.path, (before, wanted.expected.as_deref()))
    }

    fn current_hash(&self) -> Option<String> {
        self.current
            .bytes()
            .map(|bytes| ContentHash::of(bytes).to_hex())
    }

    fn merged(&self) -> Result<Vec<u8>, MergeProblem> {
        let bytes = |kept: &Kept| Some(kept.bytes()?.to_vec());
        let (Some(before), Some(after), Some(current)) = (
            bytes(&self.before),
            bytes(&self.after),
            bytes(&self.current),
        ) else {
            return Err(MergeProblem::NotText);
        };
        let decode = |error: EditError| match error {
            EditError::TextTooLarge { .. } => MergeProblem::TooLarge,
            _ => MergeProblem::NotText,
        };
        let versions = Versions {
            before: &TextFile::decode(&before).map_err(decode)?,
            after: &TextFile::decode(&after).map_err(decode)?,
            current: &TextFile::decode(&current).map_err(decode)?,
        };
        let limit = PlanSettings::default().max_result_bytes;
        merge_back(&versions, limit).map_err(|refusal| match refusal {
            MergeRefusal::Touching => MergeProblem::Touching,
            MergeRefusal::NotLines => MergeProblem::NotLines,
            MergeRefusal::Nothing => MergeProblem::Nothing,
            MergeRefusal::Edit(EditError::ResultTooLarge { .. }) => MergeProblem::TooLarge,
            MergeRefusal::Edit(_) => MergeProblem::Encoding,
        })
    }

    /// The file as the person sees it.
    pub(crate) fn shown(&self, display_path: &str) -> FileConflict {
        let merge = self.merged().and_then(|merged| {
            let hash = ContentHash::of(&merged).to_hex();
            let parts = Parts {
                old: Side::of(self.current.bytes().map(<[u8]>::to_vec)),
                new: Side::of(Some(merged)),
            };
            let diff = diff_of(&self.path, display_path, &parts)
                .filter(|diff| diff.unified_diff.len() <= MAX_DIFF_BYTES)
                .ok_or(MergeProblem::TooLarge)?;
            Ok(FileMerge { diff, hash })
        });
        let problem = merge.as_ref().err().copied();
        FileConflict {
            path: self.path.clone(),
            display_path: display_path.to_owned(),
            before: self.before.shown(),
            after: self.after.shown(),
            current: self.current.shown(),
            current_hash: self.current_hash(),
            merge: merge.ok(),
            problem,
        }
    }

    /// What is to be written if the merge is still the one that was shown.
    pub(crate) fn chosen(&self, choice: &RewindChoice, wanted: Wanted) -> Option<Wanted> {
        let merged = self.merged().ok()?;
        let as_shown = self.current_hash() == choice.current_hash
            && choice.merged_hash == Some(ContentHash::of(&merged).to_hex());
        as_shown.then(|| Wanted {
            expected: choice.current_hash.clone(),
            content: Content::Merged {
                bytes: merged,
                of: wanted.content.hash().map(str::to_owned),
            },
            ..wanted
        })
    }
}
