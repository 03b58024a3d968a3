//! Answers of another program, one JSON object per line of standard input.
//!
//! A line names the call and the very proposal of an `ask_opened` event, like the command of the window:
//! `{"call_id": "…", "proposal_id": "…", "decision": {"kind": "allow", "scope": "once"}}`. A line that cannot be read is
//! told and left out; the question stays open. Invariant: once the input has ended, no question waits any more.

use protocol::confirmation::{Ask, Decision};
use protocol::ids::{CallId, ProposalId};
use serde::Deserialize;
use std::io::{BufRead, Write};
use tokio::sync::mpsc;

/// Lines that may wait to be taken.
const BACKLOG: usize = 16;

/// An answer to one question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reply {
    /// The call that waits.
    pub(crate) call_id: CallId,
    /// The proposal that was looked at.
    pub(crate) proposal_id: ProposalId,
    /// The answer.
    pub(crate) decision: Decision,
}

/// Where answers come from, and who waits for one.
#[derive(Debug)]
pub(crate) struct Replies {
    /// `None` once the input has ended.
    lines: Option<mpsc::Receiver<String>>,
    waiting: Vec<Reply>,
}

impl Replies {
    /// Begins to read. The reading thread ends with the input, or with the program: nothing can interrupt a read.
    pub(crate) fn from_stdin() -> Result<Self, String> {
        let (sender, lines) = mpsc::channel(BACKLOG);
        let read = move || {
            for line in std::io::stdin().lock().lines() {
                match line.map(|line| sender.blocking_send(line)) {
                    Ok(Ok(())) => {}
                    Ok(Err(_nobody_asks)) => return,
                    Err(error) => return tell(&format!("cannot read the answers: {error}")),
                }
            }
        };
        std::thread::Builder::new()
            .name("replies".to_owned())
            .spawn(read)
            .map_err(|error| format!("cannot read the answers: {error}"))?;
        Ok(Self::new(lines))
    }

    fn new(lines: mpsc::Receiver<String>) -> Self {
        Self {
            lines: Some(lines),
            waiting: Vec::new(),
        }
    }

    /// A question opened. It is declined at once if no answer can come any more.
    pub(crate) fn opened(&mut self, ask: &Ask) -> Option<Decision> {
        let declined = Decision::Deny { words: None };
        if self.lines.is_none() {
            return Some(declined);
        }
        self.waiting.push(Reply {
            call_id: ask.call_id.clone(),
            proposal_id: ask.proposal_id.clone(),
            decision: declined,
        });
        None
    }

    /// A question closed.
    pub(crate) fn closed(&mut self, call_id: &CallId) {
        self.waiting.retain(|waits| waits.call_id != *call_id);
    }

    /// The next answer; at the end of the input, a refusal for each question that waits.
    pub(crate) async fn next(&mut self) -> Vec<Reply> {
        loop {
            let Some(lines) = &mut self.lines else {
                return std::future::pending().await;
            };
            let Some(line) = lines.recv().await else {
                self.lines = None;
                return std::mem::take(&mut self.waiting);
            };
            if line.trim().is_empty() {
                continue;
            }
            match serde_json::from_str(&line) {
                Ok(reply) => return vec![reply],
                Err(error) => tell(&format!("not an answer: {error}")),
            }
        }
    }
}

fn tell(message: &str) {
    // Nobody can be told that the error output is gone.
    writeln!(std::io::stderr(), "benchdog: {message}").ok();
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::confirmation::{AskState, Preview, Scope};

    fn ask(call_id: &str) -> Ask {
        Ask {
            call_id: call_id.into(),
            proposal_id: "p".into(),
            tool: "edit".to_owned(),
            preview: Preview::Info {
                title: String::new(),
                body: String::new(),
            },
            scopes: Vec::new(),
            warnings: Vec::new(),
            confirm_reasons: Vec::new(),
            modifiable: false,
            state: AskState::Open,
        }
    }

    fn reply(call_id: &str, decision: Decision) -> Reply {
        Reply {
            call_id: call_id.into(),
            proposal_id: "p".into(),
            decision,
        }
    }

    #[tokio::test]
    async fn a_line_answers_and_what_is_no_answer_is_left_out() {
        let (sender, lines) = mpsc::channel(BACKLOG);
        let mut replies = Replies::new(lines);
        assert_eq!(replies.opened(&ask("c1")), None);
        for line in [
            "",
            "yes",
            r#"{"call_id":"c1","decision":{"kind":"allow","scope":"once"}}"#,
            r#"{"call_id":"c1","proposal_id":"p","decision":{"kind":"allow","scope":"once"}}"#,
        ] {
            sender.send(line.to_owned()).await.unwrap();
        }
        let allowed = reply("c1", Decision::Allow { scope: Scope::Once });
        assert_eq!(replies.next().await, [allowed]);
    }

    #[tokio::test]
    async fn the_end_of_the_input_declines_what_waits_and_what_comes() {
        let (sender, lines) = mpsc::channel(BACKLOG);
        let mut replies = Replies::new(lines);
        for call_id in ["c1", "c2", "c3"] {
            assert_eq!(replies.opened(&ask(call_id)), None);
        }
        replies.closed(&"c2".into());
        drop(sender);
        let declined = Decision::Deny { words: None };
        assert_eq!(
            replies.next().await,
            [reply("c1", declined.clone()), reply("c3", declined.clone())]
        );
        assert_eq!(replies.opened(&ask("c4")), Some(declined));
    }
}
