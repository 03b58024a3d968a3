//! More than one process, and processes that die.

use crate::support::*;
use protocol::ids::SessionId;
use protocol::log::LogEvent;
use protocol::session::Outcome;
use protocol::tool_call::CallStatus;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use store::{Access, Listed, Partial, PartialContent, Store};

/// Tells this very test program that it is the child, and where its store is.
const DIR_VARIABLE: &str = "STORE_TEST_CHILD_DIR";

struct Other {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Other {
    /// A second process that opens the store in `dir` and writes until it is killed.
    #[expect(
        clippy::disallowed_methods,
        reason = "this program again, as another process"
    )]
    fn start(dir: &Path) -> Self {
        let program: PathBuf = std::env::current_exe().unwrap();
        let mut child = Command::new(program)
            .args(["--exact", "processes::child", "--nocapture"])
            .env(DIR_VARIABLE, dir)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// The next thing the child says, without the test harness's own lines.
    fn next(&mut self) -> Option<u64> {
        loop {
            let line = self.lines.next()?.ok()?;
            if let Some(seq) = line.strip_prefix("durable ") {
                return seq.parse().ok();
            }
        }
    }

    /// Kills it and returns what it had said before it died.
    fn kill(mut self) -> Option<u64> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let mut last = None;
        while let Some(seq) = self.next() {
            last = Some(seq);
        }
        last
    }
}

/// Not a test of its own: what [`Other`] runs.
#[test]
fn child() {
    #[expect(
        clippy::disallowed_methods,
        reason = "a child knows its task by a variable"
    )]
    let Some(dir) = std::env::var_os(DIR_VARIABLE) else {
        return;
    };
    let (store, report) = open(Path::new(&dir));
    assert_eq!(report.access, Access::Writable);
    let say = |seq: u64| {
        let mut out = std::io::stdout().lock();
        // A newline first: the harness leaves its own line open.
        write!(out, "\ndurable {seq}\n").unwrap();
        out.flush().unwrap();
    };
    let sessions = store
        .read_blocking(|reader| reader.list_sessions(None, Listed::All))
        .unwrap();
    let id = sessions
        .first()
        .map_or_else(|| session(&store), |summary| summary.session_id.clone());
    let stored = store
        .read_blocking(|reader| reader.session(&id, None))
        .unwrap();
    let mut number = stored.last_seq;
    for turn in stored.last_turn + 1.. {
        for events in steps_of_a_turn(&mut number) {
            let request_under_way = events.iter().find_map(|event| match event {
                LogEvent::RequestStarted { request, .. } => Some(*request),
                _ => None,
            });
            let appended = store.append(&id, turn, events).wait().unwrap();
            say(appended.last_seq);
            if let Some(request) = request_under_way {
                let pending = store.save_partial(&id, vec![half_answer(request)]);
                pending.wait().unwrap();
            }
        }
    }
}

fn half_answer(request: u64) -> Partial {
    Partial {
        request,
        block: 0,
        content: PartialContent::Block(text_block("half")),
    }
}

/// The facts of a turn in the portions in which they become durable.
fn steps_of_a_turn(number: &mut u64) -> Vec<Vec<LogEvent>> {
    *number += 2;
    let (first, second) = (*number - 1, *number);
    let (c1, c2) = (format!("c{first}"), format!("c{second}"));
    vec![
        vec![started()],
        vec![user(&format!("say {first}")), request(first, 1)],
        vec![
            says(first, "working", &[&c1, &c2]),
            read_call(&c1),
            read_call(&c2),
        ],
        vec![runs(&c1)],
        vec![result(&c1, CallStatus::Ok, "one")],
        vec![asks(&c2)],
        vec![result(&c2, CallStatus::Denied, "no")],
        vec![request(second, 2)],
        vec![says(second, "done", &[])],
        vec![ended(Outcome::Completed)],
    ]
}

#[test]
fn the_second_process_reads_and_the_lock_dies_with_its_holder() {
    let dir = tempfile::tempdir().unwrap();
    let mut other = Other::start(dir.path());
    let seen = other.next().expect("the child writes");
    let (store, report) = open(dir.path());
    assert_eq!(report.access, Access::Held);
    let sessions = store
        .read_blocking(|reader| reader.list_sessions(None, Listed::All))
        .unwrap();
    assert_eq!(sessions.len(), 1);
    let id = sessions[0].session_id.clone();
    let rows = store.read_blocking(|reader| reader.events(&id)).unwrap();
    assert!(rows.len() as u64 >= seen, "what is durable is visible");
    let refused = store.append(&id, 1, vec![started()]).wait();
    assert!(matches!(refused, Err(store::Error::ReadOnly)));
    other.kill();
    drop(store);
    let (_store, report) = open(dir.path());
    assert_eq!(report.access, Access::Writable);
}

#[test]
fn nothing_acknowledged_is_lost_and_recovery_ends_what_was_cut_off() {
    let dir = tempfile::tempdir().unwrap();
    // Another number of commits before each end, so that every step of a turn is hit.
    for round in 0..20 {
        let mut other = Other::start(dir.path());
        let mut durable = 0;
        for _ in 0..3 + round * 7 % 23 {
            durable = other.next().expect("the child writes");
        }
        durable = other.kill().unwrap_or(durable);
        check_after_a_kill(dir.path(), durable, round);
    }
}

fn check_after_a_kill(dir: &Path, durable: u64, round: usize) {
    let (store, report) = open(dir);
    assert_eq!(report.set_aside, None, "round {round}");
    let id = only_session(&store);
    let facts = store.read_blocking(|reader| reader.events(&id)).unwrap();
    let seqs: Vec<u64> = facts.iter().map(|row| row.seq).collect();
    assert_eq!(
        seqs,
        (1..=seqs.len() as u64).collect::<Vec<_>>(),
        "round {round}: no gap"
    );
    assert!(
        seqs.len() as u64 >= durable,
        "round {round}: {durable} was acknowledged"
    );
    let ends = |wanted: fn(&LogEvent) -> bool| {
        facts
            .iter()
            .filter(|row| row.event.as_ref().is_some_and(wanted))
            .count()
    };
    assert_eq!(
        ends(|event| matches!(event, LogEvent::TurnStarted { .. })),
        ends(|event| matches!(event, LogEvent::TurnEnded { .. })),
        "round {round}: every turn has one end"
    );
    assert_eq!(
        ends(|event| matches!(event, LogEvent::ToolCall { .. })),
        ends(|event| matches!(event, LogEvent::ToolResult { .. })),
        "round {round}: every call has one result"
    );
    let live = store
        .read_blocking(|reader| reader.session(&id, None))
        .unwrap();
    assert_eq!(live.partials, [], "round {round}");
    assert_eq!(
        store.recover_session(&id).wait().unwrap(),
        None,
        "round {round}: twice is once"
    );
    store.rebuild(&id).wait().unwrap();
    let rebuilt = store
        .read_blocking(|reader| reader.session(&id, None))
        .unwrap();
    assert_eq!(rebuilt, live, "round {round}");
}

fn only_session(store: &Store) -> SessionId {
    let sessions = store
        .read_blocking(|reader| reader.list_sessions(None, Listed::All))
        .unwrap();
    assert_eq!(sessions.len(), 1, "resuming makes no second session");
    sessions[0].session_id.clone()
}
