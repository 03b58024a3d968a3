//! Processes of shells, and what a start after a crash makes of them.

use crate::support::*;
use protocol::ids::{SessionId, ShellId};
use protocol::log::LogEvent;
use protocol::message::Reminder;
use protocol::shell::ShellState;
use std::path::Path;
use std::sync::{Arc, Mutex};
use store::{EndStrays, OpenReport, ShellEnd, ShellRun, Store, StoredShell};

/// What a start was asked about.
type Asked = Arc<Mutex<Vec<ShellRun>>>;

fn state(shell_id: &str, state: ShellState) -> LogEvent {
    LogEvent::ShellState {
        shell_id: ShellId::from(shell_id),
        command: format!("run {shell_id}"),
        state: state.name().to_owned(),
        exit_code: None,
        note: None,
    }
}

fn run(session_id: &SessionId, shell_id: &str) -> ShellRun {
    ShellRun {
        session_id: session_id.clone(),
        shell_id: ShellId::from(shell_id),
        command: format!("run {shell_id}"),
        cwd: "/w/sub".to_owned(),
        foreground: false,
        started_at: START_MS - 5,
        ended_at: None,
        pid: 11,
        pid_start: 1_000,
        host_pid: 10,
        host_start: u64::from(u32::MAX) + 1,
        boot_id: "boot".to_owned(),
        spool_dir: "/d/shells/s".into(),
        signal: None,
        raw_bytes: 0,
        dropped: None,
        leftovers: 0,
        is_gone: false,
    }
}

fn note(text: &str) -> Reminder {
    Reminder {
        code: "shell_ended".to_owned(),
        text: text.to_owned(),
    }
}

/// Opens the store; strays end as `ends` says.
fn open_with(
    dir: &Path,
    ends: impl Fn(&ShellRun) -> ShellEnd + Send + Sync + 'static,
) -> (Store, OpenReport, Asked) {
    let asked = Asked::default();
    let mut options = TestClock::new().options();
    let note = asked.clone();
    options.end_strays = EndStrays::new(move |strays| {
        note.lock().unwrap().extend_from_slice(strays);
        strays.iter().map(&ends).collect()
    });
    let (store, report) = Store::open(dir, options).unwrap();
    (store, report, asked)
}

fn ended(state: ShellState) -> ShellEnd {
    ShellEnd {
        state,
        exit_code: None,
        signal: None,
        ended_at: None,
        raw_bytes: 0,
        note: None,
    }
}

fn shells(store: &Store, id: &SessionId) -> Vec<StoredShell> {
    let stored = store.read_blocking(|reader| reader.session(id, None));
    stored.unwrap().shells
}

fn save(store: &Store, run: ShellRun) {
    store.note_shell_run(run).wait().unwrap();
}

/// What the model will be told, end by end.
fn notes_of_ends(store: &Store, id: &SessionId) -> Vec<Option<Reminder>> {
    let rows = store.read_blocking(|reader| reader.events(id)).unwrap();
    let notes = rows.into_iter().filter_map(|row| match row.event {
        Some(LogEvent::ShellState { note, state, .. }) if state != "running" => Some(note),
        _ => None,
    });
    notes.collect()
}

#[test]
fn a_start_finds_out_how_each_shell_ended() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    let mut events = small_turn(1);
    for shell in ["known", "unknown", "stuck", "no-row"] {
        events.push(state(shell, ShellState::Running));
    }
    store.append(&id, 1, events).wait().unwrap();
    let runs = ["known", "unknown", "stuck"].map(|shell| run(&id, shell));
    runs.iter().for_each(|run| save(&store, run.clone()));
    drop(store);
    let ends = |stray: &ShellRun| match stray.shell_id.as_str() {
        "known" => ShellEnd {
            exit_code: Some(3),
            signal: Some("SIGTERM".to_owned()),
            ended_at: Some(START_MS + 7),
            raw_bytes: 77,
            note: Some(note("it failed")),
            ..ended(ShellState::Failed)
        },
        "stuck" => ended(ShellState::Running),
        _ => ended(ShellState::Lost),
    };
    let (store, report, asked) = open_with(dir.path(), ends);
    assert_eq!(*asked.lock().unwrap(), {
        let mut sorted = runs.to_vec();
        sorted.sort_by(|a, b| a.shell_id.as_str().cmp(b.shell_id.as_str()));
        sorted
    });
    assert_eq!(
        report.recovered[0].lost_shells,
        ["no-row", "stuck", "unknown"].map(ShellId::from),
        "whatever is said of it, nothing of an earlier run is running"
    );
    let known = shells(&store, &id)
        .into_iter()
        .find(|shell| shell.shell_id.as_str() == "known");
    let expected = StoredShell {
        shell_id: ShellId::from("known"),
        command: "run known".to_owned(),
        state: ShellState::Failed,
        exit_code: Some(3),
        signal: Some("SIGTERM".to_owned()),
        cwd: "/w/sub".to_owned(),
        pid: Some(11),
        raw_bytes: 77,
        started_at: START_MS - 5,
        ended_at: Some(START_MS + 7),
    };
    assert_eq!(known, Some(expected));
    assert_eq!(
        notes_of_ends(&store, &id),
        [Some(note("it failed")), None, None, None]
    );
    drop(store);
    let (_, report, asked) = open_with(dir.path(), |_| ended(ShellState::Completed));
    assert_eq!(
        (report.recovered.len(), asked.lock().unwrap().len()),
        (0, 0)
    );
}

#[test]
fn processes_left_by_a_shell_that_ended_are_looked_at_and_its_end_stays() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(dir.path());
    let id = session(&store);
    let mut events = small_turn(1);
    events.push(state("left", ShellState::Running));
    events.push(state("left", ShellState::Completed));
    store.append(&id, 1, events).wait().unwrap();
    let left = ShellRun {
        ended_at: Some(START_MS),
        leftovers: 2,
        raw_bytes: 9,
        dropped: Some(3..5),
        ..run(&id, "left")
    };
    save(&store, left.clone());
    drop(store);
    let (store, report, asked) = open_with(dir.path(), |_| ended(ShellState::Lost));
    assert_eq!(*asked.lock().unwrap(), [left]);
    assert_eq!(report.recovered, []);
    let shells = shells(&store, &id);
    assert_eq!(
        (shells[0].state, shells[0].ended_at, shells[0].raw_bytes),
        (ShellState::Completed, Some(START_MS), 9)
    );
    drop(store);
    let (_, _, asked) = open_with(dir.path(), |_| ended(ShellState::Lost));
    assert_eq!(*asked.lock().unwrap(), []);
}

#[test]
fn rows_go_with_the_last_process_the_list_or_the_session() {
    let dir = tempfile::tempdir().unwrap();
    let clock = TestClock::new();
    let (store, _) = Store::open(dir.path(), clock.options()).unwrap();
    let (id, other) = (session(&store), session(&store));
    let in_front = |is_gone| ShellRun {
        foreground: true,
        is_gone,
        ..run(&id, "front")
    };
    save(&store, in_front(false));
    assert_eq!(rows(dir.path()), ["front"]);
    save(&store, in_front(true));
    assert_eq!(rows(dir.path()), [""; 0], "nobody asks about it any more");
    let events = vec![state("listed", ShellState::Completed)];
    store.append(&id, 1, events).wait().unwrap();
    save(&store, run(&id, "listed"));
    save(&store, run(&other, "other"));
    store.forget_shells(&id, Vec::new()).wait().unwrap();
    assert_eq!(rows(dir.path()), ["other"]);
    store.delete_session(&other).wait().unwrap();
    clock.advance(store::UNDO_DELETE_MS);
    assert_eq!(store.tidy().unwrap(), std::slice::from_ref(&other));
    assert_eq!(rows(dir.path()), [""; 0]);
    save(&store, run(&other, "late"));
    assert_eq!(rows(dir.path()), [""; 0], "its session is gone");
}

fn rows(dir: &Path) -> Vec<String> {
    let conn = rusqlite::Connection::open(dir.join(store::DATABASE_FILE)).unwrap();
    let mut statement = conn
        .prepare("SELECT shell_id FROM shell_run ORDER BY 1")
        .unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}
