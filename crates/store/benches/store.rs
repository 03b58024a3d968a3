//! The store against its budgets: append 2 ms, page 5 ms, list 5 ms, search 50 ms, opening a long session 100 ms.

#![expect(
    clippy::unwrap_used,
    reason = "a bench that cannot prepare its data has nothing to measure"
)]

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use protocol::ids::{CallId, SessionId};
use protocol::log::LogEvent;
use protocol::message::{Block, Origin, Part, StopReason};
use protocol::session::{Mode, Outcome, TurnCause};
use protocol::tool_call::{CallArgs, CallStatus, Display, ToolCall};
use serde_json::json;
use std::path::Path;
use store::{Clock, Listed, NewSession, OpenOptions, Query, Store};

fn open(dir: &Path) -> Store {
    Store::open(dir, OpenOptions::new(Clock::new(|| 1_790_000_000_000)))
        .unwrap()
        .0
}

fn origin() -> Origin {
    Origin {
        provider: "demo".to_owned(),
        model: "demo-1".to_owned(),
    }
}

fn new_session(store: &Store) -> SessionId {
    let new = NewSession {
        workspace: "/w".to_owned(),
        origin: origin(),
        mode: Mode::Default,
        app_version: "0.1.0".to_owned(),
        parent: None,
    };
    store.create_session(new).wait().unwrap().session_id
}

/// About a kilobyte of words that differ from row to row.
fn words(number: u64) -> String {
    (0..120)
        .map(|n| format!("word{} ", (number * 31 + n * 17) % 5000))
        .collect()
}

fn says(request: u64, blocks: Vec<Block>) -> LogEvent {
    LogEvent::AssistantMessage {
        request,
        step: 1,
        blocks,
        stop: StopReason::EndTurn,
        raw_stop: None,
        usage: None,
        cost_micros: None,
        origin: origin(),
    }
}

fn text(number: u64) -> Block {
    Block::Text {
        text: words(number),
        meta: None,
    }
}

/// A turn that makes four rows: question, answer with a call, the call, answer.
fn turn(number: u64) -> Vec<LogEvent> {
    let call_id = CallId(format!("c{number}"));
    let call = ToolCall {
        call_id: call_id.clone(),
        name: "read_file".to_owned(),
        args: CallArgs::Usable {
            value: json!({"file_path": format!("/w/src/file{number}.rs")}),
        },
        meta: None,
    };
    let calls = Block::Call {
        call_id: call_id.clone(),
    };
    vec![
        LogEvent::TurnStarted {
            cause: TurnCause::User,
        },
        LogEvent::UserMessage {
            text: format!("question {number}"),
            images: Vec::new(),
            reminders: Vec::new(),
            steer: false,
        },
        says(number * 2, vec![text(number), calls]),
        LogEvent::ToolCall { call },
        LogEvent::ToolStarted {
            call_id: call_id.clone(),
            shell_id: None,
        },
        LogEvent::ToolResult {
            call_id,
            status: CallStatus::Ok,
            content: vec![Part::Text {
                text: words(number + 7),
            }],
            is_error: false,
            ms: 1,
            failure: None,
            display: Display::None,
            edited: false,
            hint: None,
        },
        says(number * 2 + 1, vec![text(number + 3)]),
        LogEvent::TurnEnded {
            outcome: Outcome::Completed,
            message: None,
            steps: 2,
        },
    ]
}

fn fill(store: &Store, id: &SessionId, rows: u64) {
    for number in 0..rows / 4 {
        let events = turn(number);
        store
            .append(id, u32::try_from(number + 1).unwrap(), events)
            .wait()
            .unwrap();
    }
}

/// A store with a turn under way.
fn turn_under_way() -> (tempfile::TempDir, Store, SessionId) {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let id = new_session(&store);
    let start = vec![LogEvent::TurnStarted {
        cause: TurnCause::User,
    }];
    store.append(&id, 1, start).wait().unwrap();
    (dir, store, id)
}

fn writing(c: &mut Criterion) {
    c.bench_function(
        "append 500 messages of 1 KB, one commit each (budget 1 s)",
        |b| {
            b.iter_batched(
                turn_under_way,
                |(dir, store, id)| {
                    for number in 0..500 {
                        let message = vec![says(number, vec![text(number)])];
                        store.append(&id, 1, message).wait().unwrap();
                    }
                    (dir, store)
                },
                BatchSize::PerIteration,
            );
        },
    );
    let (_dir, store, id) = turn_under_way();
    c.bench_function("append one small fact without a row", |b| {
        b.iter(|| {
            let fact = vec![LogEvent::RuleAdded {
                rule: "read".to_owned(),
            }];
            store.append(&id, 1, fact).wait().unwrap()
        });
    });
}

/// 50,000 rows in 41 sessions, one of them with 10,000.
fn long_history(dir: &Path) -> (Store, SessionId) {
    let store = open(dir);
    let long = new_session(&store);
    fill(&store, &long, 10_000);
    for _ in 0..40 {
        let id = new_session(&store);
        fill(&store, &id, 1_000);
    }
    (store, long)
}

fn reading(c: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let (store, long) = long_history(dir.path());
    c.bench_function("page of 100 in 10,000 rows (budget 5 ms)", |b| {
        b.iter(|| {
            store
                .read_blocking(|reader| reader.page(&long, 9_000, 100))
                .unwrap()
        });
    });
    c.bench_function("list of sessions (budget 5 ms)", |b| {
        b.iter(|| {
            store
                .read_blocking(|reader| reader.list_sessions(None, Listed::Current))
                .unwrap()
        });
    });
    c.bench_function("snapshot of 10,000 rows (budget 100 ms)", |b| {
        b.iter(|| {
            store
                .read_blocking(|reader| reader.session(&long, None))
                .unwrap()
        });
    });
    c.bench_function("facts of 10,000 rows (budget 100 ms)", |b| {
        b.iter(|| store.read_blocking(|reader| reader.events(&long)).unwrap());
    });
    searching(c, &store);
    drop(store);
    c.bench_function("open and close, clean, 50,000 rows (budget 5 ms)", |b| {
        b.iter(|| open(dir.path()));
    });
    c.bench_function("open, not clean, 50,000 rows (budget 1 s)", |b| {
        b.iter(|| {
            std::fs::write(dir.path().join("benchdog.lock"), "").unwrap();
            open(dir.path())
        });
    });
}

fn searching(c: &mut Criterion, store: &Store) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    for (name, text) in [
        ("common word", "word42"),
        ("rare word", "question 2499"),
        ("short miss", "zq"),
        ("miss", "nowhere"),
    ] {
        let query = Query {
            text: text.to_owned(),
            workspace: None,
            session_id: None,
            limit: 50,
        };
        c.bench_function(
            &format!("search in 50,000 rows, {name} (budget 50 ms)"),
            |b| {
                b.iter(|| runtime.block_on(store.search(query.clone())).unwrap());
            },
        );
    }
}

fn starting(c: &mut Criterion) {
    c.bench_function("open and close, new", |b| {
        b.iter_batched(
            || tempfile::tempdir().unwrap(),
            |dir| open(dir.path()),
            BatchSize::SmallInput,
        );
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = starting, writing, reading
}
criterion_main!(benches);
