//! The `benchdog` program as a process: what it prints, and what is said to it.

use crate::wait::{PATIENCE, soon};
use protocol::confirmation::{Ask, Decision};
use protocol::event::{Envelope, SessionEvent};
use protocol::item::{Item, ItemBody, ToolItem};
use protocol::message::Block;
use protocol::session::Outcome;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Instant;

/// A run that goes on. It is killed when it is dropped.
pub(crate) struct Program {
    process: Child,
    stdin: ChildStdin,
    events: Receiver<Envelope>,
    seen: Vec<Envelope>,
    stderr: Option<JoinHandle<String>>,
}

impl Drop for Program {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

impl Program {
    /// Starts a run that prints JSON lines.
    pub(crate) fn start(mut command: Command) -> Self {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let stdout = process.stdout.take().unwrap();
        let (sender, events) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                // A killed program may leave half a line.
                let Ok(envelope) = serde_json::from_str(&line.unwrap()) else {
                    return;
                };
                if sender.send(envelope).is_err() {
                    return;
                }
            }
        });
        let mut stderr = process.stderr.take().unwrap();
        let stderr = std::thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).unwrap();
            text
        });
        Self {
            stdin: process.stdin.take().unwrap(),
            process,
            events,
            seen: Vec::new(),
            stderr: Some(stderr),
        }
    }

    /// The next event that `pick` takes.
    pub(crate) fn until<T>(&mut self, what: &str, pick: impl Fn(&SessionEvent) -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self
                .events
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(envelope) => {
                    let found = pick(&envelope.event);
                    self.seen.push(envelope);
                    if let Some(found) = found {
                        return found;
                    }
                }
                Err(RecvTimeoutError::Timeout) => panic!("waited in vain for {what}"),
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("the program ended before {what}: {}", self.words())
                }
            }
        }
    }

    /// The next question.
    pub(crate) fn question(&mut self) -> Ask {
        self.until("a question", |event| match event {
            SessionEvent::AskOpened { ask } => Some((**ask).clone()),
            _ => None,
        })
    }

    /// Answers a question.
    pub(crate) fn answer(&mut self, ask: &Ask, decision: &Decision) {
        let line =
            json!({"call_id": ask.call_id, "proposal_id": ask.proposal_id, "decision": decision});
        writeln!(self.stdin, "{line}").unwrap();
    }

    /// Presses Ctrl+C.
    pub(crate) fn interrupt(&self) {
        let pid = Pid::from_child(&self.process);
        kill_process(pid, Signal::INT).unwrap();
    }

    /// Ends it without a word.
    pub(crate) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Waits for the end. Its input stays open, so a question that nobody answers would show.
    pub(crate) fn end(mut self) -> Ended {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self
                .events
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(envelope) => self.seen.push(envelope),
                Err(RecvTimeoutError::Timeout) => panic!("the run does not end"),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let status = soon("the end of the program", || {
            self.process.try_wait().unwrap()
        });
        Ended {
            code: status.code(),
            events: std::mem::take(&mut self.seen)
                .into_iter()
                .map(|envelope| envelope.event)
                .collect(),
            stderr: self.words(),
        }
    }

    fn words(&mut self) -> String {
        self.stderr
            .take()
            .map(|reader| reader.join().unwrap())
            .unwrap_or_default()
    }
}

/// A run that ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) events: Vec<SessionEvent>,
    pub(crate) stderr: String,
}

impl Ended {
    /// Fails unless the turn completed.
    #[track_caller]
    pub(crate) fn completed(self) -> Self {
        assert_eq!(self.outcomes(), [Outcome::Completed], "{}", self.stderr);
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    /// How the turns ended.
    pub(crate) fn outcomes(&self) -> Vec<Outcome> {
        let outcome = |event: &SessionEvent| match event {
            SessionEvent::TurnEnded { outcome, .. } => Some(outcome.clone()),
            _ => None,
        };
        self.events.iter().filter_map(outcome).collect()
    }

    /// The rows as they were at the end.
    pub(crate) fn rows(&self) -> Vec<Item> {
        let mut rows = BTreeMap::new();
        for event in &self.events {
            if let SessionEvent::ItemAdded { item } | SessionEvent::ItemChanged { item } = event {
                rows.insert(item.seq, (**item).clone());
            }
        }
        rows.into_values().collect()
    }

    /// The calls in the order the model made them.
    pub(crate) fn calls(&self) -> Vec<ToolItem> {
        calls(&self.rows())
    }

    /// The questions in the order they opened.
    pub(crate) fn asks(&self) -> Vec<Ask> {
        let ask = |event: &SessionEvent| match event {
            SessionEvent::AskOpened { ask } => Some((**ask).clone()),
            _ => None,
        };
        self.events.iter().filter_map(ask).collect()
    }
}

/// The calls among rows.
pub(crate) fn calls(rows: &[Item]) -> Vec<ToolItem> {
    let call = |row: &Item| match &row.body {
        ItemBody::Tool { tool } => Some((**tool).clone()),
        ItemBody::User { .. }
        | ItemBody::Assistant { .. }
        | ItemBody::Summary { .. }
        | ItemBody::Notice { .. } => None,
    };
    rows.iter().filter_map(call).collect()
}

/// What was said, in order: by the person and by the model, without reasoning.
pub(crate) fn said(rows: &[Item]) -> Vec<String> {
    let words = |row: &Item| match &row.body {
        ItemBody::User { text, .. } => Some(text.clone()),
        ItemBody::Assistant { blocks, .. } => {
            let text: String = blocks.iter().filter_map(answer).collect();
            (!text.is_empty()).then_some(text)
        }
        ItemBody::Tool { .. } | ItemBody::Summary { .. } | ItemBody::Notice { .. } => None,
    };
    rows.iter().filter_map(words).collect()
}

fn answer(block: &Block) -> Option<&str> {
    match block {
        Block::Text { text, .. } => Some(text),
        Block::Thinking { .. }
        | Block::Call { .. }
        | Block::ServerToolCall { .. }
        | Block::ServerToolResult { .. }
        | Block::Opaque { .. } => None,
    }
}
