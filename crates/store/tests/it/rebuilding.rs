//! Whatever happened in a session: made anew from its facts it is the same.

use crate::support::*;
use proptest::prelude::*;
use protocol::confirmation::Verdict;
use protocol::ids::{CallId, SessionId, ShellId};
use protocol::item::ItemBody;
use protocol::log::{FileChange, FileVersion, LogEvent, StepCall, StepSummary};
use protocol::message::{Block, Origin, StopReason};
use protocol::session::{Mode, Outcome, Queued, TitleSource};
use protocol::todo::{Todo, TodoStatus};
use protocol::tool_call::{CallStatus, Display, ToolKind};
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};
use serde_json::json;
use store::{DATABASE_FILE, Store};

/// A writer of sessions that are valid whatever the choices are.
struct Author {
    choices: std::vec::IntoIter<u8>,
    turn: u32,
    number: u64,
    portions: Vec<(u32, Vec<LogEvent>)>,
    user_seqs: Vec<u64>,
    result_seqs: Vec<u64>,
    rewinds: Vec<u64>,
    seq: u64,
}

impl Author {
    fn write(choices: Vec<u8>) -> Vec<(u32, Vec<LogEvent>)> {
        let mut author = Self {
            choices: choices.into_iter(),
            turn: 0,
            number: 0,
            portions: Vec::new(),
            user_seqs: Vec::new(),
            result_seqs: Vec::new(),
            rewinds: Vec::new(),
            seq: 1,
        };
        while author.choices.len() > 0 {
            author.turn();
            author.between();
        }
        author.portions
    }

    fn choose(&mut self, of: u8) -> u8 {
        self.choices.next().unwrap_or(0) % of
    }

    fn push(&mut self, event: LogEvent) {
        self.seq += 1;
        match &event {
            LogEvent::UserMessage { .. } => self.user_seqs.push(self.seq),
            LogEvent::ToolResult { .. } => self.result_seqs.push(self.seq),
            LogEvent::Rewound { .. } => self.rewinds.push(self.seq),
            _ => {}
        }
        // Now and then several facts are one portion.
        if self.choose(3) == 0
            && let Some((turn, last)) = self.portions.last_mut()
            && *turn == self.turn
        {
            last.push(event);
            return;
        }
        self.portions.push((self.turn, vec![event]));
    }

    fn turn(&mut self) {
        self.turn += 1;
        self.push(started());
        let text = ["fix the bug", "", "größer", "日本語のテスト"][usize::from(self.choose(4))];
        self.push(user(text));
        for _ in 0..=self.choose(3) {
            self.step();
        }
        if self.choose(4) == 0 {
            self.number += 1;
            self.push(refusal(self.number));
            self.push(ended(Outcome::Refusal));
        } else {
            let outcome = [
                Outcome::Completed,
                Outcome::Cancelled,
                Outcome::Error("timeout".to_owned()),
            ];
            let outcome = outcome[usize::from(self.choose(3))].clone();
            self.push(ended(outcome));
        }
    }

    fn step(&mut self) {
        self.number += 1;
        let number = self.number;
        self.push(request(number, 1));
        if self.choose(5) == 0 {
            self.push(LogEvent::AttemptDiscarded {
                request: number,
                error_kind: "network".to_owned(),
                delay_ms: 1,
                text: "half".to_owned(),
            });
            return;
        }
        let calls: Vec<String> = (0..self.choose(4))
            .map(|n| format!("c{number}-{n}"))
            .collect();
        let ids: Vec<&str> = calls.iter().map(String::as_str).collect();
        self.push(says(number, "some words", &ids));
        for id in &calls {
            self.push(call(
                id,
                "edit",
                json!({"file_path": format!("/w/{id}"), "n": number}),
            ));
        }
        for id in &calls {
            self.call(id);
        }
        self.push(LogEvent::StepFinished {
            summary: StepSummary {
                step: 1,
                request: number,
                stop: StopReason::ToolUse,
                usage: None,
                cost_micros: None,
                calls: calls.iter().map(|id| step_call(id)).collect(),
                retries: 0,
            },
        });
        self.aside();
    }

    fn call(&mut self, id: &str) {
        if self.choose(2) == 0 {
            self.push(asks(id));
            let verdict = [Verdict::Allowed, Verdict::Denied][usize::from(self.choose(2))];
            self.push(resolved(id, verdict));
        }
        if self.choose(3) > 0 {
            self.push(runs(id));
        }
        let status = [
            CallStatus::Ok,
            CallStatus::Invalid,
            CallStatus::Denied,
            CallStatus::Timeout,
        ][usize::from(self.choose(4))];
        let display = match self.choose(3) {
            0 => Display::None,
            1 => Display::FileDiff {
                diff: Box::new(file_diff("a\n", "b\n")),
            },
            _ => Display::FileDiff {
                diff: Box::new(file_diff(&"long line\n".repeat(9000), "b\n")),
            },
        };
        self.push(result_with(id, status, "result text", display));
        match self.choose(3) {
            0 => self.versions(id, Vec::new(), Vec::new()),
            1 => {
                self.versions(id, Vec::new(), Vec::new());
                self.versions(&format!("undo_{id}"), vec![id.into()], Vec::new());
            }
            _ => {}
        }
    }

    fn versions(&mut self, id: &str, takes_back: Vec<CallId>, brings_back: Vec<CallId>) {
        self.push(LogEvent::FileVersions {
            call_id: id.into(),
            rows: vec![FileVersion {
                path: format!("/w/{id}"),
                change: FileChange::Edit,
                before_hash: None,
                proposed_hash: None,
                after_hash: Some("0".repeat(64)),
                mode: None,
                in_place: false,
                stat: protocol::diff::DiffStat::default(),
                owners: Some("a1".to_owned()),
            }],
            takes_back,
            brings_back,
        });
    }

    /// Facts that may come at any time of a turn.
    fn aside(&mut self) {
        let todo = Todo {
            id: "1".to_owned(),
            content: "x".to_owned(),
            status: TodoStatus::Pending,
        };
        match self.choose(6) {
            0 => self.push(LogEvent::TodoChanged { todos: vec![todo] }),
            1 => self.push(LogEvent::Warning {
                code: "w".to_owned(),
                text: "careful".to_owned(),
                args: vec!["x".to_owned()],
            }),
            2 => self.push(LogEvent::Prune {
                seqs: self.result_seqs.clone(),
            }),
            3 => self.push(LogEvent::ShellState {
                shell_id: ShellId(format!("s{}", self.number / 3)),
                command: "make".to_owned(),
                state: ["running", "completed"][usize::from(self.choices.len().is_multiple_of(2))]
                    .to_owned(),
                exit_code: None,
                note: None,
            }),
            _ => {}
        }
    }

    /// Facts between two turns.
    fn between(&mut self) {
        match self.choose(8) {
            0 => self.push(LogEvent::TitleChanged {
                title: format!("Title {}", self.number),
                source: [TitleSource::Auto, TitleSource::User]
                    [usize::from(self.number.is_multiple_of(5))],
            }),
            1 => self.push(LogEvent::ModeChanged {
                old: Mode::Default,
                new: Mode::Plan,
            }),
            2 => self.push(LogEvent::ModelChanged {
                old: origin(),
                new: Origin::default(),
            }),
            3 => self.push(LogEvent::QueueChanged {
                queue: vec![Queued {
                    id: 1,
                    text: "later".to_owned(),
                    images: Vec::new(),
                    delivery: protocol::session::Delivery::After,
                }],
            }),
            4 => {
                let at = usize::from(self.choose(250)) % self.user_seqs.len();
                let to_seq = self.user_seqs[at];
                self.push(LogEvent::Rewound { to_seq });
            }
            5 => {
                if let Some(rewind_seq) = self.rewinds.pop() {
                    self.push(LogEvent::RewindUndone { rewind_seq });
                }
            }
            _ => {}
        }
    }
}

fn refusal(request: u64) -> LogEvent {
    LogEvent::AssistantMessage {
        request,
        step: 1,
        blocks: vec![text_block("I cannot")],
        stop: StopReason::Refusal,
        raw_stop: None,
        usage: None,
        cost_micros: None,
        origin: origin(),
    }
}

fn step_call(id: &str) -> StepCall {
    StepCall {
        call_id: id.into(),
        name: "edit".to_owned(),
        kind: Some(ToolKind::Edit),
        status: CallStatus::Ok,
        ms: 1,
    }
}

/// Every derived row, as it lies in the tables.
fn derived(dir: &std::path::Path) -> Vec<Vec<Value>> {
    let conn =
        Connection::open_with_flags(dir.join(DATABASE_FILE), OpenFlags::SQLITE_OPEN_READ_ONLY)
            .unwrap();
    let mut all = Vec::new();
    for table in ["session", "item", "shell"] {
        let mut statement = conn
            .prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2"))
            .unwrap();
        let columns = statement.column_count();
        let rows = statement
            .query_map([], |row| {
                (0..columns).map(|column| row.get(column)).collect()
            })
            .unwrap();
        all.extend(rows.map(Result::unwrap));
    }
    all
}

/// What the rows of the transcript say that is still part of the conversation.
fn said_by_rows(store: &Store, id: &SessionId) -> Vec<String> {
    let mut rows = Vec::new();
    let mut before = u64::MAX;
    loop {
        let page = store
            .read_blocking(|reader| reader.page(id, before, 200))
            .unwrap();
        before = page.items.first().map_or(0, |item| item.seq);
        rows.splice(0..0, page.items);
        if !page.has_older {
            break;
        }
    }
    rows.iter()
        .filter(|item| !item.excluded)
        .filter_map(|item| match &item.body {
            ItemBody::User { text, .. } => Some(format!("user {text}")),
            ItemBody::Assistant { blocks, .. } => Some(format!("assistant {}", said(blocks))),
            ItemBody::Tool { .. } | ItemBody::Summary { .. } | ItemBody::Notice { .. } => None,
        })
        .collect()
}

/// The same, counted from the facts alone: not what was taken back, not a refused answer, and nothing of a refused
/// turn in which no tool ran.
fn said_by_facts(store: &Store, id: &SessionId) -> Vec<String> {
    let facts = store.read_blocking(|reader| reader.events(id)).unwrap();
    let undone = |seq: u64| {
        facts.iter().any(|row| {
            matches!(&row.event, Some(LogEvent::RewindUndone { rewind_seq }) if *rewind_seq == seq)
        })
    };
    let hidden = |seq: u64| {
        facts.iter().any(|row| {
            matches!(&row.event, Some(LogEvent::Rewound { to_seq }) if (*to_seq..row.seq).contains(&seq))
                && !undone(row.seq)
        })
    };
    let turn_has = |turn: u32, wanted: fn(&LogEvent) -> bool| {
        let mut of_turn = facts
            .iter()
            .filter(|row| row.turn == turn && !hidden(row.seq));
        of_turn.any(|row| row.event.as_ref().is_some_and(wanted))
    };
    let left_out = |turn: u32, is_refusal: bool| {
        let refused = turn_has(turn, |event| {
            matches!(
                event,
                LogEvent::TurnEnded {
                    outcome: Outcome::Refusal,
                    ..
                }
            )
        });
        let ran = turn_has(turn, |event| {
            matches!(
                event,
                LogEvent::ToolResult {
                    status: CallStatus::Ok | CallStatus::Timeout,
                    ..
                }
            )
        });
        refused && (is_refusal || !ran)
    };
    facts
        .iter()
        .filter(|row| !hidden(row.seq))
        .filter_map(|row| match row.event.as_ref()? {
            LogEvent::UserMessage { text, .. } if !left_out(row.turn, false) => {
                Some(format!("user {text}"))
            }
            LogEvent::AssistantMessage { blocks, stop, .. }
                if !left_out(row.turn, *stop == StopReason::Refusal) =>
            {
                Some(format!("assistant {}", said(blocks)))
            }
            _ => None,
        })
        .collect()
}

fn said(blocks: &[Block]) -> String {
    blocks
        .iter()
        .filter_map(|block| match block {
            Block::Text { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_session_made_anew_is_the_same(choices in proptest::collection::vec(any::<u8>(), 1..400)) {
        let dir = tempfile::tempdir().unwrap();
        let (store, _) = open(dir.path());
        let id = session(&store);
        for (turn, events) in Author::write(choices) {
            store.append(&id, turn, events).wait().unwrap();
        }
        prop_assert_eq!(said_by_rows(&store, &id), said_by_facts(&store, &id), "rows and facts agree");
        let live = derived(dir.path());
        store.rebuild(&id).wait().unwrap();
        prop_assert_eq!(derived(dir.path()), live);
        store.close();
        let conn = Connection::open(dir.path().join(DATABASE_FILE)).unwrap();
        conn.execute_batch("INSERT INTO item_fts(item_fts, rank) VALUES('integrity-check', 0)").unwrap();
    }
}
