//! Files that are in the way of taking something back: shown in three contents, and merged where the person says so.
//!
//! Invariant: only a merge that was shown is written, from the bytes that it was shown for.

use crate::put_back::{PutBack, Wanted};
use crate::three_way::ThreeWay;
use crate::workbench::Workbench;
use crate::workbench::changes::blocking;
use crate::workbench::undo::{Plan, redoing, undoing};
use protocol::changes::{
    ConflictQuery, Conflicts, FilesPutBack, PutBackWhat, RewindChoice, UndoMerged,
};
use protocol::error::{ApiError, ErrorCode};
use std::sync::Arc;

impl Workbench {
    /// Shows files that are in the way of taking something back, and what merging would write.
    ///
    /// # Errors
    /// `NOT_FOUND` as for the command that takes it back.
    pub async fn undo_conflict(
        self: &Arc<Self>,
        request: ConflictQuery,
    ) -> Result<Conflicts, ApiError> {
        let ConflictQuery {
            session_id,
            what,
            path,
        } = request;
        let history = self.history(&session_id).await?;
        let plan = match &what {
            PutBackWhat::Undo { call_id } => undoing(&history, call_id)?.files,
            PutBackWhat::Redo { call_id } => redoing(&history, call_id)?.files,
            PutBackWhat::Rewind { seq } => {
                self.tail(&session_id, *seq).await?;
                history.since(*seq).values().map(Wanted::since).collect()
            }
        };
        let putting = self.putting_back(&session_id).await?;
        let asked_for =
            move |wanted: &Wanted| path.as_ref().is_none_or(|path| wanted.path == *path);
        let look = move || {
            let files = plan.into_iter().filter(asked_for);
            let in_conflict = files.filter(|wanted| putting.check(wanted).is_err());
            let shown = in_conflict.map(|wanted| {
                let shown = putting.display_path(&wanted.path);
                ThreeWay::of_wanted(&putting.store, &wanted).shown(&shown)
            });
            Ok(shown.collect())
        };
        let files = blocking(look).await?;
        Ok(Conflicts { files })
    }

    /// Takes back, or brings back, what a call did, with merges as they were shown.
    ///
    /// # Errors
    /// `FILE_CHANGED` if a merge is no longer the one that was shown, and then nothing is written; else as
    /// [`undo_edit`](Self::undo_edit).
    pub async fn undo_merged(
        self: &Arc<Self>,
        request: UndoMerged,
    ) -> Result<FilesPutBack, ApiError> {
        let UndoMerged {
            session_id,
            what,
            files,
            ..
        } = request;
        let history = self.history(&session_id).await?;
        let plan = match &what {
            PutBackWhat::Undo { call_id } => undoing(&history, call_id)?,
            PutBackWhat::Redo { call_id } => redoing(&history, call_id)?,
            PutBackWhat::Rewind { .. } => {
                let words = "a rewind has its own command; name the files there";
                return Err(ApiError::new(ErrorCode::BadRequest, words));
            }
        };
        let putting = self.putting_back(&session_id).await?;
        let merge = move || {
            let wanted = plan.files.into_iter();
            let files = wanted.map(|wanted| merged(&putting, wanted, &files));
            Ok(Plan {
                files: files.collect::<Result<_, _>>()?,
                ..plan
            })
        };
        let plan = blocking(merge).await?;
        self.carry_out(&session_id, &history, plan).await
    }
}

/// What is to be written to a file: the merge that was shown, if it is one of those.
fn merged(putting: &PutBack, wanted: Wanted, choices: &[RewindChoice]) -> Result<Wanted, ApiError> {
    let Some(choice) = choices.iter().find(|choice| choice.path == wanted.path) else {
        return Ok(wanted);
    };
    let shown = putting.display_path(&wanted.path);
    let three_way = ThreeWay::of_wanted(&putting.store, &wanted);
    three_way.chosen(choice, wanted).ok_or_else(|| ApiError {
        args: vec![shown.clone()],
        ..ApiError::new(
            ErrorCode::FileChanged,
            format!("{shown} changed since it was shown; look at it again"),
        )
    })
}
