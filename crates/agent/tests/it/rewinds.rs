//! Another past: what a rewind and files that were put back mean for what comes next.

use crate::session::{Session, last_user};
use agent::machine::{Effect, Input, LoopConfig, LoopState, ToolOutcome};
use protocol::diff::DiffStat;
use protocol::log::{FileChange, FileVersion, LogEvent};
use protocol::message::ViewEntry;
use protocol::tool_call::ToolKind;
use serde_json::json;

fn put_back(path: &str, change: FileChange) -> Input {
    let row = FileVersion {
        path: path.to_owned(),
        change,
        before_hash: None,
        proposed_hash: None,
        after_hash: None,
        mode: None,
        in_place: false,
        stat: DiffStat::default(),
        owners: None,
    };
    Input::FilesPutBack {
        call_id: "undo_1".into(),
        rows: vec![row],
        takes_back: vec!["c1".into()],
        brings_back: Vec::new(),
    }
}

/// The hidden notes of the newest message.
fn notes(session: &Session) -> String {
    let newest = session
        .state
        .view()
        .iter()
        .rev()
        .find_map(|entry| match &**entry {
            ViewEntry::User { reminders, .. } => Some(reminders.clone()),
            _ => None,
        });
    newest
        .unwrap_or_default()
        .into_iter()
        .map(|note| note.text)
        .collect()
}

#[test]
fn files_that_were_put_back_are_told_once_with_the_next_message_or_request() {
    let mut session = Session::new(LoopConfig::default());
    session.say("go");
    session.answer(&json!([{"say": "ok"}]));
    session.feed(put_back("/w/a", FileChange::Undo));
    session.feed(put_back("/w/b", FileChange::Redo));
    session.feed(put_back("/w/c", FileChange::External));
    let restored = LoopState::restore(session.state.config.clone(), &session.rows);
    assert_eq!(restored.view(), session.state.view());

    session.say("more");
    assert_eq!(last_user(&session), ("more", vec!["files_put_back"]));
    let told = notes(&session);
    assert!(
        told.contains("- /w/a\n- /w/b") && !told.contains("/w/c"),
        "{told}"
    );
    session.answer(&json!([{"call": ["c1", "read", {}]}]));
    session.feed(put_back("/w/d", FileChange::Undo));
    session.run("c1", ToolKind::Read, ToolOutcome::text("text", 5));
    assert_eq!(
        last_user(&session),
        ("", vec!["files_put_back"]),
        "while a turn runs at its next step"
    );
    assert!(!notes(&session).contains("/w/a"), "once");
    session.answer(&json!([{"say": "ok"}]));
    session.say("again");
    assert_eq!(last_user(&session), ("again", vec![]));
}

#[test]
fn a_note_outlives_a_restart() {
    let mut session = Session::new(LoopConfig::default());
    session.say("go");
    session.answer(&json!([{"say": "ok"}]));
    session.feed(put_back("/w/a", FileChange::Undo));
    session.state = LoopState::restore(session.state.config.clone(), &session.rows);
    session.say("more");
    assert_eq!(last_user(&session), ("more", vec!["files_put_back"]));
}

fn message_seqs(session: &Session) -> Vec<u64> {
    let said = session
        .rows
        .iter()
        .filter(|row| matches!(&row.event, Some(LogEvent::UserMessage { .. })));
    said.map(|row| row.seq).collect()
}

#[test]
fn a_rewind_leads_to_another_past_and_its_undo_back() {
    let mut session = Session::new(LoopConfig::default());
    for text in ["first", "second"] {
        session.say(text);
        session.answer(&json!([{"say": "ok"}]));
    }
    let (whole, seqs) = (session.state.view().to_vec(), message_seqs(&session));
    assert_eq!(
        session.feed(Input::RewindTo { seq: seqs[1] }),
        [Effect::Reload]
    );
    session.state = session.state.reloaded(&session.rows);
    assert_eq!(session.state.view().len(), 2, "a question and its answer");
    let rewound = session.rows.last().map(|row| row.seq).unwrap_or_default();
    assert_eq!(
        session.feed(Input::UndoRewind { seq: rewound }),
        [Effect::Reload]
    );
    session.state = session.state.reloaded(&session.rows);
    assert_eq!(session.state.view(), whole);

    session.say("third");
    let before = session.rows.len();
    assert_eq!(
        session.feed(Input::RewindTo { seq: seqs[0] }),
        [],
        "not while a turn runs"
    );
    assert_eq!(session.feed(Input::UndoRewind { seq: rewound }), []);
    assert_eq!(session.rows.len(), before);
}
