//! Who answers when no window is there: a word, a file of answers, or another program on standard input.
//!
//! The file is a JSON array; each question takes the first unused entry whose `tool` is its own or absent. A question
//! without an entry is declined. Answers on standard input are in `replies`; such a question waits for its answer.

use crate::replies::{Replies, Reply};
use protocol::confirmation::{Answer, Ask, Decision, Preview, Scope};
use protocol::ids::CallId;
use serde::Deserialize;
use std::path::Path;

/// One answer of the file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(default)]
    tool: Option<String>,
    decision: Decision,
}

/// Who answers.
#[derive(Debug)]
pub(crate) enum Approvals {
    /// Everything is allowed that nobody must look at; questions to a person are left unanswered.
    All,
    /// Everything is declined.
    None,
    /// The entries that are left.
    File(Vec<Listed>),
    /// Whoever reads the events, on standard input.
    Replies(Replies),
}

/// An entry that is left.
#[derive(Debug, PartialEq)]
pub(crate) struct Listed(Entry);

impl Approvals {
    /// Reads the argument.
    pub(crate) fn parse(argument: &str) -> Result<Self, String> {
        match argument {
            "all" => Ok(Self::All),
            "none" => Ok(Self::None),
            "ask" => Replies::from_stdin().map(Self::Replies),
            path => Self::read(Path::new(path)),
        }
    }

    fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("cannot read the answers in {}: {error}", path.display()))?;
        let entries: Vec<Entry> = serde_json::from_str(&text)
            .map_err(|error| format!("{} is not a list of answers: {error}", path.display()))?;
        Ok(Self::File(entries.into_iter().map(Listed).collect()))
    }

    /// Whether a question to a person can get an answer.
    pub(crate) fn answer_questions(&self) -> bool {
        match self {
            Self::All | Self::None => false,
            Self::File(entries) => entries
                .iter()
                .any(|Listed(entry)| matches!(entry.decision, Decision::Answer { .. })),
            Self::Replies(_) => true,
        }
    }

    /// Whether somebody looks at a change, or did when the answers were written.
    pub(crate) fn review_changes(&self) -> bool {
        match self {
            Self::All | Self::None => false,
            Self::File(_) | Self::Replies(_) => true,
        }
    }

    /// The answer to a question, if it is known at once.
    pub(crate) fn decide(&mut self, ask: &Ask) -> Option<Decision> {
        let declined = Decision::Deny { words: None };
        Some(match self {
            Self::None => declined,
            Self::All => match &ask.preview {
                Preview::Questions { questions } => Decision::Answer {
                    answers: vec![
                        Answer {
                            skipped: true,
                            ..Answer::default()
                        };
                        questions.len()
                    ],
                },
                Preview::Edit { .. }
                | Preview::Write { .. }
                | Preview::Exec { .. }
                | Preview::Info { .. } => Decision::Allow { scope: Scope::Once },
            },
            Self::File(entries) => {
                let fits = |Listed(entry): &Listed| {
                    entry.tool.as_ref().is_none_or(|tool| *tool == ask.tool)
                };
                match entries.iter().position(fits) {
                    Some(index) => entries.remove(index).0.decision,
                    None => declined,
                }
            }
            Self::Replies(replies) => return replies.opened(ask),
        })
    }

    /// A question closed.
    pub(crate) fn closed(&mut self, call_id: &CallId) {
        match self {
            Self::All | Self::None | Self::File(_) => {}
            Self::Replies(replies) => replies.closed(call_id),
        }
    }

    /// The next answers that come later. Never returns where all are known at once.
    pub(crate) async fn later(&mut self) -> Vec<Reply> {
        match self {
            Self::All | Self::None | Self::File(_) => std::future::pending().await,
            Self::Replies(replies) => replies.next().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::confirmation::AskState;

    fn ask(tool: &str) -> Ask {
        Ask {
            call_id: "c".into(),
            proposal_id: "p".into(),
            tool: tool.to_owned(),
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

    fn file(text: &str) -> Result<Approvals, String> {
        let path =
            std::env::temp_dir().join(format!("benchdog-approvals-{}.json", uuid::Uuid::now_v7()));
        std::fs::write(&path, text).unwrap();
        let approvals = Approvals::parse(path.to_str().unwrap());
        std::fs::remove_file(path).unwrap();
        approvals
    }

    #[test]
    fn a_word_is_no_look() {
        assert!(!Approvals::All.review_changes());
        assert!(!Approvals::None.review_changes());
        assert!(file("[]").unwrap().review_changes());
    }

    #[test]
    fn entries_are_used_once_and_by_tool() {
        let mut approvals = file(
            r#"[{"tool":"edit","decision":{"kind":"modify","final_text":"x"}},{"decision":{"kind":"allow","scope":"once"}}]"#,
        )
        .unwrap();
        assert_eq!(
            approvals.decide(&ask("run_shell_command")),
            Some(Decision::Allow { scope: Scope::Once })
        );
        assert_eq!(
            approvals.decide(&ask("edit")),
            Some(Decision::Modify {
                final_text: "x".to_owned()
            })
        );
        assert_eq!(
            approvals.decide(&ask("edit")),
            Some(Decision::Deny { words: None }),
            "nothing is left"
        );
    }

    #[test]
    fn a_file_that_is_no_list_of_answers_says_where() {
        assert!(file("{").unwrap_err().contains("line 1"));
        assert!(
            file(r#"[{"decision":{"kind":"allow","scope":"forever"}}]"#)
                .unwrap_err()
                .contains("forever")
        );
        assert!(
            Approvals::parse("/no/such/file")
                .unwrap_err()
                .contains("/no/such/file")
        );
    }
}
