//! What is left of a turn that was cut off.

use crate::support::*;
use protocol::event::Draft;
use protocol::ids::{CallId, SessionId, ShellId};
use protocol::log::LogEvent;
use protocol::message::{Block, StopReason};
use protocol::session::{Delivery, Queued, SessionState};
use protocol::shell::ShellState;
use protocol::tool_call::CallStatus;
use serde_json::json;
use std::path::Path;
use store::{LOST_TEXT, NOT_RUN_TEXT, OpenReport, Partial, PartialContent, Recovered, Store};

/// Writes these facts and partial blocks, ends the program in the middle, and starts again.
fn cut_off(
    dir: &Path,
    events: Vec<LogEvent>,
    partials: Vec<Partial>,
) -> (Store, OpenReport, SessionId) {
    let (store, _) = open(dir);
    let id = session(&store);
    store.append(&id, 1, events).wait().unwrap();
    store.save_partial(&id, partials).wait().unwrap();
    // Closing is no different from dying here: nothing tells the session that it ends.
    drop(store);
    let (store, report) = open(dir);
    (store, report, id)
}

fn partial(block: u32, content: PartialContent) -> Partial {
    Partial {
        request: 1,
        block,
        content,
    }
}

fn thinking(signature: Option<&str>) -> PartialContent {
    PartialContent::Block(Block::Thinking {
        text: "hm".to_owned(),
        signature: signature.map(str::to_owned),
        redacted: None,
        meta: None,
    })
}

fn facts(store: &Store, id: &SessionId) -> Vec<LogEvent> {
    let rows = store.read_blocking(|reader| reader.events(id)).unwrap();
    rows.into_iter().filter_map(|row| row.event).collect()
}

#[test]
fn half_an_answer_is_kept_as_interrupted() {
    let dir = tempfile::tempdir().unwrap();
    let whole = PartialContent::Call(tool_call("c1", "read_file", json!({"file_path": "/w/a"})));
    let open_call = PartialContent::OpenCall {
        name: "edit".to_owned(),
        args_text: "{\"file".to_owned(),
    };
    let partials = vec![
        partial(0, thinking(Some("sig"))),
        partial(1, thinking(None)),
        partial(2, PartialContent::Block(text_block("Half"))),
        partial(3, whole),
        partial(4, open_call),
    ];
    let (store, report, id) = cut_off(
        dir.path(),
        vec![started(), user("go"), request(1, 1)],
        partials,
    );
    assert_eq!(
        report.recovered,
        [Recovered {
            session_id: id.clone(),
            turn: Some(1),
            kept_text: true,
            lost_calls: Vec::new(),
            not_run_calls: vec![CallId::from("c1")],
            queued: 0,
            lost_shells: Vec::new(),
        }]
    );
    let rows = items(&store, &id);
    assert_eq!(
        words(&rows),
        [
            "user go",
            "assistant Half",
            "tool c1 not_run",
            "notice crashed",
            "notice recovered"
        ]
    );
    let (blocks, stop) = facts(&store, &id)
        .into_iter()
        .find_map(|event| match event {
            LogEvent::AssistantMessage { blocks, stop, .. } => Some((blocks, stop)),
            _ => None,
        })
        .unwrap();
    assert_eq!((blocks.len(), stop), (3, StopReason::Interrupted));
    assert_eq!(tool(&rows[2]).result_text.as_deref(), Some(NOT_RUN_TEXT));
}

#[test]
fn thinking_alone_is_no_answer() {
    let dir = tempfile::tempdir().unwrap();
    let partials = vec![
        partial(0, thinking(Some("sig"))),
        partial(1, PartialContent::Block(text_block(""))),
    ];
    let (store, report, id) = cut_off(
        dir.path(),
        vec![started(), user("go"), request(1, 1)],
        partials,
    );
    assert!(!report.recovered[0].kept_text);
    assert_eq!(
        words(&items(&store, &id)),
        ["user go", "notice crashed", "notice recovered"]
    );
    let stored = store
        .read_blocking(|reader| reader.session(&id, None))
        .unwrap();
    assert_eq!(stored.partials, []);
}

#[test]
fn a_finished_answer_replaces_its_live_text() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    store
        .append(&id, 1, vec![started(), user("go"), request(1, 1)])
        .wait()
        .unwrap();
    let half = || vec![partial(0, PartialContent::Block(text_block("answer")))];
    store.save_partial(&id, half()).wait().unwrap();
    let stored = store
        .read_blocking(|reader| reader.session(&id, None))
        .unwrap();
    assert_eq!(stored.partials, half());
    store
        .append(&id, 1, vec![says(1, "answer", &[])])
        .wait()
        .unwrap();
    drop(store);
    let (store, _) = open(dir.path());
    let rows = words(&items(&store, &id));
    assert_eq!(
        rows,
        [
            "user go",
            "assistant answer",
            "notice crashed",
            "notice recovered"
        ]
    );
}

#[test]
fn calls_are_lost_or_not_run() {
    let dir = tempfile::tempdir().unwrap();
    let events = vec![
        started(),
        user("go"),
        request(1, 1),
        says(1, "", &["c1", "c2", "c3"]),
        read_call("c1"),
        read_call("c2"),
        read_call("c3"),
        runs("c1"),
        result("c1", CallStatus::Ok, "done"),
        runs("c2"),
        asks("c3"),
    ];
    let (store, report, id) = cut_off(dir.path(), events, Vec::new());
    assert_eq!(report.recovered[0].lost_calls, [CallId::from("c2")]);
    assert_eq!(report.recovered[0].not_run_calls, [CallId::from("c3")]);
    let rows = items(&store, &id);
    assert_eq!(
        words(&rows)[2..5],
        ["tool c1 ok", "tool c2 lost", "tool c3 not_run"]
    );
    assert_eq!(tool(&rows[3]).result_text.as_deref(), Some(LOST_TEXT));
    let facts = store.read_blocking(|reader| reader.events(&id)).unwrap();
    let summary = store.read_blocking(|reader| reader.summary(&id)).unwrap();
    assert_eq!(summary.state, SessionState::Error);
    assert_eq!(summary.last_outcome.as_deref(), Some("crashed"));
    let again = store.recover_session(&id).wait().unwrap();
    assert_eq!(again, None);
    assert_eq!(
        store.read_blocking(|reader| reader.events(&id)).unwrap(),
        facts,
        "twice is once"
    );
}

#[test]
fn waiting_messages_go_back_to_the_composer() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    let queued = |id, text: &str| Queued {
        id,
        text: text.to_owned(),
        images: Vec::new(),
        delivery: Delivery::After,
    };
    let queue = LogEvent::QueueChanged {
        queue: vec![queued(1, "first"), queued(2, "second")],
    };
    store
        .append(&id, 1, vec![started(), user("go"), queue])
        .wait()
        .unwrap();
    let draft = Draft {
        key: store::COMPOSER.to_owned(),
        value: "being written".to_owned(),
    };
    store.save_draft(&id, draft).wait().unwrap();
    drop(store);
    let (store, report) = open(dir.path());
    assert_eq!(report.recovered[0].queued, 2);
    let stored = store
        .read_blocking(|reader| reader.session(&id, None))
        .unwrap();
    assert_eq!(stored.queue, []);
    assert_eq!(stored.drafts[0].value, "first\n\nsecond\n\nbeing written");
}

#[test]
fn shells_are_lost_even_where_no_turn_ran() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    let shell = |shell_id: &str, state: &str, exit_code| LogEvent::ShellState {
        shell_id: ShellId::from(shell_id),
        command: "npm start".to_owned(),
        state: state.to_owned(),
        exit_code,
        note: None,
    };
    let mut events = small_turn(1);
    events.insert(4, shell("s1", "running", None));
    events.insert(5, shell("s2", "running", None));
    events.push(shell("s2", "completed", Some(0)));
    store.append(&id, 1, events).wait().unwrap();
    drop(store);
    let (store, report) = open(dir.path());
    assert_eq!(report.recovered[0].turn, None);
    assert_eq!(report.recovered[0].lost_shells, [ShellId::from("s1")]);
    let stored = store
        .read_blocking(|reader| reader.session(&id, None))
        .unwrap();
    let shells: Vec<_> = stored
        .shells
        .iter()
        .map(|shell| (shell.shell_id.as_str(), shell.state, shell.exit_code))
        .collect();
    assert_eq!(
        shells,
        [
            ("s1", ShellState::Lost, None),
            ("s2", ShellState::Completed, Some(0))
        ]
    );
    assert_eq!(stored.summary.last_outcome.as_deref(), Some("completed"));
    assert_eq!(
        words(&stored.page.items),
        ["user say 1", "assistant answer 1"],
        "no banner for a shell"
    );
    drop(store);
    assert_eq!(open(dir.path()).1.recovered, []);
}

#[test]
fn a_turn_of_a_dead_driver_can_be_ended_while_the_program_runs() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    store
        .append(&id, 1, vec![started(), user("go")])
        .wait()
        .unwrap();
    let done = store
        .recover_session(&id)
        .wait()
        .unwrap()
        .expect("a turn was running");
    assert_eq!(done.turn, Some(1));
    store.append(&id, 2, small_turn(2)).wait().unwrap();
    assert_eq!(
        words(&items(&store, &id))[3..],
        ["user say 2", "assistant answer 2"]
    );
}
