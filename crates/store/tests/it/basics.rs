//! What a session looks like after its facts.

use crate::support::*;
use protocol::confirmation::Verdict;
use protocol::event::{Draft, StoreState};
use protocol::ids::{CallId, SessionId};
use protocol::item::ToolState;
use protocol::log::LogEvent;
use protocol::session::{Mode, Outcome, SessionState, TitleSource};
use protocol::todo::{Todo, TodoStatus};
use protocol::tool_call::{CallStatus, Display, ToolKind};
use serde_json::json;
use store::{Access, Error, ItemChange, Listed};

#[test]
fn a_new_store_is_empty_and_writable() {
    let dir = tempfile::tempdir().unwrap();
    let (store, report) = open(dir.path());
    assert_eq!(report.access, Access::Writable);
    assert_eq!(report.set_aside, None);
    assert_eq!(*store.state().borrow(), StoreState::Ok);
    let sessions = store.read_blocking(|reader| reader.list_sessions(None, Listed::All));
    assert_eq!(sessions.unwrap(), []);
}

#[test]
fn facts_become_rows_and_stay() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    let appended = store.append(&id, 1, small_turn(1)).wait().unwrap();
    assert_eq!((appended.first_seq, appended.last_seq), (2, 6));
    assert!(matches!(
        &appended.changes[..],
        [ItemChange::Added(_), ItemChange::Added(_)]
    ));
    let summary = appended.summary.expect("title and state changed");
    assert_eq!(
        (summary.title.as_str(), summary.state),
        ("say 1", SessionState::Idle)
    );
    assert_eq!(summary.last_outcome.as_deref(), Some("completed"));

    let before = items(&store, &id);
    drop(store);
    let (store, report) = open(dir.path());
    assert_eq!(report.recovered, []);
    assert_eq!(items(&store, &id), before, "reopened, nothing is different");
    assert_eq!(words(&before), ["user say 1", "assistant answer 1"]);
}

#[test]
fn a_call_is_one_row_from_proposal_to_result() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    let args = json!({"file_path": "/w/src/a.rs", "old_string": "old", "new_string": "new"});
    let step = |events: Vec<LogEvent>| {
        store.append(&id, 1, events).wait().unwrap();
        tool(items(&store, &id).last().unwrap()).clone()
    };
    let row = step(vec![
        started(),
        user("change it"),
        request(1, 1),
        says(1, "", &["c1"]),
        call("c1", "edit", args),
    ]);
    assert_eq!(
        (row.state, row.subject.as_str()),
        (ToolState::Proposed, "src/a.rs")
    );
    let row = step(vec![asks("c1")]);
    assert_eq!(
        (row.state, row.tool_kind),
        (ToolState::Asking, Some(ToolKind::Edit))
    );
    let summary = store.read_blocking(|reader| reader.summary(&id)).unwrap();
    assert_eq!(summary.state, SessionState::Waiting);
    assert_eq!(
        step(vec![resolved("c1", Verdict::Allowed)]).state,
        ToolState::Decided
    );
    assert_eq!(step(vec![runs("c1")]).state, ToolState::Running);
    let display = Display::FileDiff {
        diff: Box::new(file_diff("old\n", "new\n")),
    };
    let row = step(vec![result_with(
        "c1",
        CallStatus::Ok,
        "Edited.",
        display.clone(),
    )]);
    assert_eq!(
        (row.state, row.status, row.ms),
        (ToolState::Done, Some(CallStatus::Ok), Some(12))
    );
    assert_eq!(row.display, Some(display));
    assert_eq!(
        (row.result_text.as_deref(), row.result_chars),
        (Some("Edited."), 7)
    );
    let summary = store.read_blocking(|reader| reader.summary(&id)).unwrap();
    assert_eq!(
        (
            summary.net.ai_added,
            summary.net.human_added,
            summary.net.ai_removed
        ),
        (2, 1, 1)
    );
    assert_eq!(summary.state, SessionState::Running);
}

#[test]
fn facts_out_of_order_are_refused_whole() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    let check = |turn, events: Vec<LogEvent>, why: &str| {
        let before = store.read_blocking(|reader| reader.events(&id)).unwrap();
        let refused = store.append(&id, turn, events).wait();
        assert!(
            matches!(refused, Err(Error::Order(_) | Error::CallNotFound(_))),
            "{why}: {refused:?}"
        );
        assert_eq!(
            store.read_blocking(|reader| reader.events(&id)).unwrap(),
            before,
            "{why}"
        );
    };
    check(1, vec![user("hi")], "nothing is said outside a turn");
    check(1, vec![started(), started()], "turns do not nest");
    check(
        1,
        vec![started(), result("c9", CallStatus::Ok, "")],
        "a result needs its call",
    );
    let turn = vec![
        started(),
        says(1, "", &["c1"]),
        read_call("c1"),
        result("c1", CallStatus::Ok, "x"),
    ];
    store.append(&id, 1, turn).wait().unwrap();
    check(
        1,
        vec![result("c1", CallStatus::Ok, "y")],
        "a call has one result",
    );
    store
        .append(&id, 1, vec![says(2, "", &["c2"]), read_call("c2")])
        .wait()
        .unwrap();
    check(
        1,
        vec![ended(Outcome::Completed)],
        "every call has its result before the end",
    );
    let missing = store.append(&"nobody".into(), 1, vec![started()]).wait();
    assert!(matches!(missing, Err(Error::SessionNotFound(_))));
}

#[test]
fn a_snapshot_has_everything_that_is_stored() {
    let dir = tempfile::tempdir().unwrap();
    let clock = TestClock::new();
    let (store, _) = store::Store::open(dir.path(), clock.options()).unwrap();
    let id = session(&store);
    let todos = vec![Todo {
        id: "1".to_owned(),
        content: "test".to_owned(),
        status: TodoStatus::InProgress,
    }];
    let mut events = small_turn(1);
    events.insert(
        2,
        LogEvent::TodoChanged {
            todos: todos.clone(),
        },
    );
    clock.advance(5);
    store.append(&id, 1, events).wait().unwrap();
    let mode = LogEvent::ModeChanged {
        old: Mode::Default,
        new: Mode::Plan,
    };
    store.append(&id, 1, vec![mode]).wait().unwrap();
    let stored = store
        .read_blocking(|reader| reader.session(&id, None))
        .unwrap();
    assert_eq!(stored.todos, todos);
    assert_eq!(stored.todos_updated_at, Some(START_MS + 5));
    assert_eq!(stored.summary.mode, Mode::Plan);
    assert_eq!(
        words(&stored.page.items),
        ["user say 1", "assistant answer 1", "notice mode_changed"]
    );
    assert_eq!(stored.summary.item_count, 3);
    assert_eq!(
        (
            stored.meters.tok_in,
            stored.meters.tok_out,
            stored.meters.cost_micros
        ),
        (100, 10, Some(7))
    );
    assert_eq!(stored.meters.context_used, 110);
    assert_eq!((stored.last_seq, stored.last_turn), (8, 1));
}

#[test]
fn drafts_stay_until_they_are_emptied() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    let save = |id: &SessionId, key: &str, value: &str| {
        let draft = Draft {
            key: key.to_owned(),
            value: value.to_owned(),
        };
        store.save_draft(id, draft).wait()
    };
    for (key, value) in [
        ("composer", "half a thought"),
        ("ask:p1", "words"),
        ("ask:p2", "gone"),
        ("ask:p2", ""),
    ] {
        save(&id, key, value).unwrap();
    }
    let stored = store
        .read_blocking(|reader| reader.session(&id, None))
        .unwrap();
    let drafts: Vec<_> = stored
        .drafts
        .iter()
        .map(|draft| (draft.key.as_str(), draft.value.as_str()))
        .collect();
    assert_eq!(
        drafts,
        [("composer", "half a thought"), ("ask:p1", "words")]
    );
    let missing = save(&"nobody".into(), "composer", "x");
    assert!(matches!(missing, Err(Error::SessionNotFound(_))));
}

#[test]
fn pages_go_back_without_gaps() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    for n in 1..=30 {
        store
            .append(&id, u32::try_from(n).unwrap(), small_turn(n))
            .wait()
            .unwrap();
    }
    let (mut before, mut pages, mut all) = (u64::MAX, 0, Vec::new());
    loop {
        let page = store
            .read_blocking(|reader| reader.page(&id, before, 25))
            .unwrap();
        pages += 1;
        before = page.items[0].seq;
        all.splice(0..0, page.items);
        if !page.has_older {
            break;
        }
    }
    assert_eq!((pages, all.len()), (3, 60));
    assert!(all.is_sorted_by_key(|item| item.seq));
    let place = all[10].seq;
    let around = store
        .read_blocking(|reader| reader.around(&id, place))
        .unwrap();
    assert_eq!(around.items, all[..60], "fewer than fifty on one side");
    assert!(!around.has_older);
}

#[test]
fn a_title_of_the_person_stays() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    store.append(&id, 1, small_turn(1)).wait().unwrap();
    let auto = |title: &str| LogEvent::TitleChanged {
        title: title.to_owned(),
        source: TitleSource::Auto,
    };
    let title = || {
        store
            .read_blocking(|reader| reader.summary(&id))
            .unwrap()
            .title
    };
    store
        .append(&id, 1, vec![auto("Saying one")])
        .wait()
        .unwrap();
    assert_eq!(title(), "Saying one");
    store.rename_session(&id, "Mine").wait().unwrap();
    store.append(&id, 1, vec![auto("Not this")]).wait().unwrap();
    assert_eq!(title(), "Mine");
}

#[test]
fn whole_texts_can_be_loaded() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    let long = "0123456789".repeat(20_000);
    let diff = Display::FileDiff {
        diff: Box::new(file_diff(&long, &format!("{long}!"))),
    };
    let events = vec![
        started(),
        user(&long),
        says(1, &long, &["c1"]),
        read_call("c1"),
        runs("c1"),
        result_with("c1", CallStatus::Ok, &long, diff.clone()),
    ];
    store.append(&id, 1, events).wait().unwrap();
    let rows = items(&store, &id);
    for row in &rows {
        assert!(
            serde_json::to_string(row).unwrap().len() < 70_000,
            "a row stays small"
        );
        let loaded = store
            .read_blocking(|reader| reader.load_result(&id, row.seq))
            .unwrap();
        assert_eq!(loaded.text, long);
    }
    let loaded = store
        .read_blocking(|reader| reader.load_result(&id, rows[2].seq))
        .unwrap();
    assert_eq!(loaded.display, Some(diff));
    let missing = store.read_blocking(|reader| reader.load_result(&id, 999));
    assert!(matches!(missing, Err(Error::ItemNotFound(999))));
    assert!(tool(&rows[2]).call_id == CallId::from("c1"));
}

#[tokio::test]
async fn async_callers_get_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = store
        .create_session(new_session("/w"))
        .await
        .unwrap()
        .session_id;
    let waiting: Vec<_> = (1..=2000)
        .map(|n| {
            (
                n,
                store.save_draft(
                    &id,
                    Draft {
                        key: "composer".to_owned(),
                        value: n.to_string(),
                    },
                ),
            )
        })
        .collect();
    for (_, pending) in waiting {
        pending.await.unwrap();
    }
    store.append(&id, 1, small_turn(1)).await.unwrap();
    let inner = id.clone();
    let page = store
        .read(move |reader| reader.page(&inner, u64::MAX, 10))
        .await
        .unwrap();
    assert_eq!(words(&page.items), ["user say 1", "assistant answer 1"]);
    store.close();
    assert!(matches!(
        store.append(&id, 2, small_turn(2)).await,
        Err(Error::Closed)
    ));
    assert!(matches!(
        store
            .read(|reader| reader.list_sessions(None, Listed::All))
            .await,
        Err(Error::Closed)
    ));
}
