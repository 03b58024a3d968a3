//! Going back to before a message: the conversation, the files, or both; and taking that back.
//!
//! Files go in two phases: all are looked at before the first is written. What cannot go back stays and is named.

use crate::error::of_store;
use crate::folder_diff::text_of;
use crate::history::{Earlier, History, OwnChange};
use crate::hub::{gone, tell};
use crate::put_back::{PutBack, Wanted, display_path, read_now};
use crate::three_way::ThreeWay;
use crate::workbench::Workbench;
use crate::workbench::changes::blocking;
use crate::workbench::undo::{Plan, taken_back};
use agent::{Command, Past};
use edit::LineDiff;
use files::ContentHash;
use protocol::changes::{
    FileFailure, FilesPutBack, Rewind, RewindAction, RewindChoice, RewindFile, RewindOffer,
    RewindOut, RewindPlan, RewindPlanQuery, RewindWhat, SessionQuery,
};
use protocol::command::SessionOp;
use protocol::error::{ApiError, ErrorCode};
use protocol::ids::{CallId, SessionId};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use store::{RewindFact, RewindTail, Store};
use tokio::sync::oneshot;

/// A file of the plan, with what it takes to carry it out.
struct Planned {
    shown: RewindFile,
    wanted: Wanted,
}

impl Workbench {
    /// What going back to before a message would do.
    ///
    /// # Errors
    /// `NOT_FOUND` unless it is a message of the person that is in the conversation.
    pub async fn rewind_plan(
        self: &Arc<Self>,
        request: RewindPlanQuery,
    ) -> Result<RewindPlan, ApiError> {
        let RewindPlanQuery { session_id, seq } = request;
        let tail = self.tail(&session_id, seq).await?;
        let history = self.history(&session_id).await?;
        let files = self.planned(&session_id, &history, seq).await?;
        Ok(RewindPlan {
            messages: tail.messages,
            turns: tail.turns,
            files: files.into_iter().map(|file| file.shown).collect(),
        })
    }

    /// Goes back to before a message.
    ///
    /// # Errors
    /// `BUSY` while a turn runs; `NOT_FOUND` as for the plan. A file that stays as it is, is no error.
    pub async fn rewind(self: &Arc<Self>, request: Rewind) -> Result<RewindOut, ApiError> {
        let Rewind {
            session_id,
            seq,
            what,
            files: chosen_files,
            ..
        } = request;
        let tail = self.tail(&session_id, seq).await?;
        let history = self.history(&session_id).await?;
        let (with_words, own) = match what {
            RewindWhat::Conversation => (true, None),
            RewindWhat::Files => (false, Some(OwnChange::RewindFiles)),
            RewindWhat::Both => (true, Some(OwnChange::RewindBoth)),
        };
        let files = match own {
            None => Vec::new(),
            Some(_) => self.planned(&session_id, &history, seq).await?,
        };
        let chosen = self.chosen(&session_id, (files, chosen_files)).await?;
        let past = match with_words {
            true => Past::Rewind(seq),
            false => Past::Nothing,
        };
        self.ask_driver(&session_id, past).await?;
        let put_back = match own {
            None => nothing(),
            Some(own) => {
                let plan = plan_of(&history, seq, own, chosen.files);
                let (_, mut done) = self.put_files_back(&session_id, &history, plan).await?;
                done.failures.extend(chosen.failures);
                done
            }
        };
        let RewindTail { text, images, .. } = tail;
        Ok(RewindOut {
            put_back,
            text: with_words.then_some(text),
            images: if with_words { images } else { Vec::new() },
        })
    }

    /// Takes the newest rewind back.
    ///
    /// # Errors
    /// `NOT_FOUND` once something was said since, `BUSY` while a turn runs.
    pub async fn undo_rewind(self: &Arc<Self>, request: SessionOp) -> Result<RewindOut, ApiError> {
        let session_id = request.session_id;
        let (newest, _) = self.newest_rewind(&session_id).await?;
        let newest = newest.ok_or_else(|| {
            let words = "a rewind can be undone until the next message; there is none";
            ApiError::new(ErrorCode::NotFound, words)
        })?;
        let past = newest.conversation.map_or(Past::Nothing, Past::UndoRewind);
        self.ask_driver(&session_id, past).await?;
        let history = self.history(&session_id).await?;
        let put_back = match newest.files.and_then(|call_id| history.of_call(&call_id)) {
            None => nothing(),
            Some(fact) => {
                let plan = Plan {
                    call_id: OwnChange::RewindUndo.new_id(),
                    files: fact.rows.iter().map(taken_back).collect(),
                    takes_back: fact.brings_back.clone(),
                    brings_back: fact.takes_back.clone(),
                };
                self.put_files_back(&session_id, &history, plan).await?.1
            }
        };
        Ok(RewindOut {
            put_back,
            text: None,
            images: Vec::new(),
        })
    }

    /// The files that the person chose, as they were shown.
    async fn chosen(
        self: &Arc<Self>,
        session_id: &SessionId,
        (files, choices): (Vec<Planned>, Vec<RewindChoice>),
    ) -> Result<Chosen, ApiError> {
        let putting = self.putting_back(session_id).await?;
        blocking(move || {
            let mut chosen = Chosen::default();
            for Planned { wanted, .. } in files {
                let choice = choices.iter().find(|one| one.path == wanted.path);
                match choice.map(|choice| as_shown(&putting, wanted, choice)) {
                    None => {}
                    Some(Ok(wanted)) => chosen.files.push(wanted),
                    Some(Err(failure)) => chosen.failures.push(failure),
                }
            }
            Ok(chosen)
        })
        .await
    }

    /// Whether the newest rewind can be taken back.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub async fn rewind_offer(
        self: &Arc<Self>,
        request: SessionQuery,
    ) -> Result<RewindOffer, ApiError> {
        let session_id = request.session_id;
        let (newest, seq) = self.newest_rewind(&session_id).await?;
        let history = self.history(&session_id).await?;
        let files = newest.as_ref().and_then(|newest| newest.files.as_ref());
        let fact = files.and_then(|call_id| history.of_call(call_id));
        Ok(RewindOffer {
            can_undo: newest.is_some(),
            files: fact.map_or(0, |fact| fact.rows.len() as u64),
            seq,
        })
    }

    /// The newest rewind that can be undone, and the number of the newest fact.
    async fn newest_rewind(
        &self,
        session_id: &SessionId,
    ) -> Result<(Option<NewestRewind>, u64), ApiError> {
        let id = session_id.clone();
        let read = self.store.read(move |reader| {
            reader.summary(&id)?;
            Ok((reader.rewind_facts(&id)?, reader.last_seq(&id)?))
        });
        let (facts, seq) = read.await.map_err(of_store)?;
        Ok((newest_rewind(&facts), seq))
    }

    pub(crate) async fn tail(
        &self,
        session_id: &SessionId,
        seq: u64,
    ) -> Result<RewindTail, ApiError> {
        let id = session_id.clone();
        let read = self.store.read(move |reader| {
            reader.summary(&id)?;
            reader.rewind_tail(&id, seq)
        });
        read.await.map_err(|error| match error {
            store::Error::ItemNotFound(_) => {
                let words = "this message is not in the conversation; choose another";
                ApiError::new(ErrorCode::NotFound, words)
            }
            other => of_store(other),
        })
    }

    /// Something that only a session can do in which nothing runs.
    async fn ask_driver(
        self: &Arc<Self>,
        session_id: &SessionId,
        past: Past,
    ) -> Result<(), ApiError> {
        let commands = self.driver(session_id).await?;
        let (reply, answer) = oneshot::channel();
        tell(&commands, Command::Past(past, reply)).await?;
        answer.await.map_err(|_| gone())?
    }

    /// The files that changed since a message, each looked at.
    async fn planned(
        self: &Arc<Self>,
        session_id: &SessionId,
        history: &History,
        seq: u64,
    ) -> Result<Vec<Planned>, ApiError> {
        let workspace = self.putting_back(session_id).await?.workspace;
        let (store, history) = (self.store.clone(), history.clone());
        let planned = move || {
            let files = history.since(seq);
            files
                .into_values()
                .filter_map(|earlier| plan_file(&store, &workspace, &earlier))
                .collect()
        };
        blocking(move || Ok(planned())).await
    }
}

/// What becomes of one file; `None` where it is as it was then.
fn plan_file(store: &Store, workspace: &str, earlier: &Earlier<'_>) -> Option<Planned> {
    let path = earlier.first.path.clone();
    let then = earlier.first.before_hash.clone();
    let now = read_now(Path::new(&path));
    let hash = |bytes: &Option<Vec<u8>>| {
        bytes
            .as_deref()
            .map(|bytes| ContentHash::of(bytes).to_hex())
    };
    let expected = now.as_ref().ok().and_then(hash);
    if now.is_ok() && expected == then {
        return None;
    }
    let kept = then
        .as_ref()
        .map(|hash| store.read_blocking(|reader| reader.blob(hash)));
    let action = match (&now, &kept) {
        (Err(_), _) | (_, Some(Err(_))) => RewindAction::Cannot,
        _ if expected != earlier.newest.after_hash => RewindAction::Conflict,
        (_, None) => RewindAction::Delete,
        (_, Some(Ok(_))) => RewindAction::Restore,
    };
    let text = |bytes: Option<&Vec<u8>>| match bytes {
        None => Some(String::new()),
        Some(bytes) => text_of(bytes),
    };
    let old = text(now.as_ref().ok().and_then(Option::as_ref));
    let new = text(kept.as_ref().and_then(|kept| kept.as_ref().ok()));
    let hunks = match (old, new) {
        (Some(old), Some(new)) => LineDiff::of_lines(&old, &new).hunks(),
        _ => Vec::new(),
    };
    Some(Planned {
        shown: RewindFile {
            display_path: display_path(&path, workspace),
            path: path.clone(),
            added: hunks.iter().map(|hunk| hunk.new.len() as u64).sum(),
            removed: hunks.iter().map(|hunk| hunk.old.len() as u64).sum(),
            action,
            current_hash: expected.clone(),
        },
        wanted: Wanted::since(earlier),
    })
}

/// What the person chose, and what of it cannot be done any more.
#[derive(Default)]
struct Chosen {
    files: Vec<Wanted>,
    failures: Vec<FileFailure>,
}

/// What was on screen is what is overwritten, or merged: nothing that came between the dialog and the answer.
fn as_shown(
    putting: &PutBack,
    wanted: Wanted,
    choice: &RewindChoice,
) -> Result<Wanted, FileFailure> {
    if choice.merged_hash.is_none() {
        return Ok(Wanted {
            expected: choice.current_hash.clone(),
            ..wanted
        });
    }
    let path = wanted.path.clone();
    ThreeWay::of_wanted(&putting.store, &wanted)
        .chosen(choice, wanted)
        .ok_or_else(|| putting.conflict(&path))
}

/// The plan for the files that the person chose.
fn plan_of(history: &History, seq: u64, own: OwnChange, files: Vec<Wanted>) -> Plan {
    let chosen: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    Plan {
        call_id: own.new_id(),
        takes_back: history.calls_within(seq, &chosen),
        brings_back: Vec::new(),
        files,
    }
}

fn nothing() -> FilesPutBack {
    FilesPutBack {
        paths: Vec::new(),
        failures: Vec::new(),
        undo: None,
    }
}

/// A rewind that can be undone.
#[derive(Debug, Default, PartialEq, Eq)]
struct NewestRewind {
    /// Number of the fact that took the conversation back.
    conversation: Option<u64>,
    /// What its files are taken back by.
    files: Option<CallId>,
}

/// The newest rewind, unless something was said or it was undone since. `facts` come newest first.
fn newest_rewind(facts: &[RewindFact]) -> Option<NewestRewind> {
    let mut found = NewestRewind::default();
    for fact in facts {
        match fact {
            RewindFact::Said | RewindFact::Undone => break,
            RewindFact::Rewound { seq } => {
                found.conversation = Some(*seq);
                break;
            }
            RewindFact::Files { call_id } => match OwnChange::of(call_id) {
                Some(OwnChange::RewindUndo) => break,
                Some(OwnChange::RewindFiles) if found.files.is_none() => {
                    found.files = Some(call_id.clone());
                    break;
                }
                Some(OwnChange::RewindBoth) => {
                    found.files.get_or_insert_with(|| call_id.clone());
                }
                Some(
                    OwnChange::RewindFiles
                    | OwnChange::Undo
                    | OwnChange::Revert
                    | OwnChange::LateWrite
                    | OwnChange::Recovered,
                )
                | None => {}
            },
        }
    }
    (found != NewestRewind::default()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(own: OwnChange) -> RewindFact {
        RewindFact::Files {
            call_id: own.new_id(),
        }
    }

    #[track_caller]
    fn check(facts: &[RewindFact], conversation: Option<u64>, with_files: bool) {
        let found = newest_rewind(facts).unwrap_or_default();
        assert_eq!(found.conversation, conversation);
        assert_eq!(found.files.is_some(), with_files);
    }

    #[test]
    fn a_rewind_can_be_undone_until_something_is_said() {
        let rewound = RewindFact::Rewound { seq: 9 };
        let said = RewindFact::Said;
        check(&[rewound.clone(), said.clone()], Some(9), false);
        check(&[said.clone(), rewound.clone()], None, false);
        check(
            &[files(OwnChange::RewindBoth), rewound.clone()],
            Some(9),
            true,
        );
        check(
            &[
                files(OwnChange::Undo),
                files(OwnChange::RewindBoth),
                rewound.clone(),
            ],
            Some(9),
            true,
        );
        check(
            &[files(OwnChange::RewindFiles), rewound.clone()],
            None,
            true,
        );
        check(
            &[files(OwnChange::RewindUndo), files(OwnChange::RewindFiles)],
            None,
            false,
        );
        check(&[RewindFact::Undone, rewound], None, false);
        check(&[], None, false);
    }
}
