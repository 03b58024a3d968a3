//! Speaks an answer of a script as a server would: an event stream, word by word.

use crate::failure::{Failure, FailureKind};
use crate::provider::{Chunk, EndKind, WireRequest};
use bytes::Bytes;
use protocol::message::Usage;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Pieces that may wait for the decoder.
const MAX_WAITING_CHUNKS: usize = 16;

/// Where the scripts without blanks begin.
const FIRST_CJK: u32 = 0x2E80;

/// Between two sayings, which would otherwise run together.
const PARAGRAPH: &str = "\n\n";

/// What a request of the demo carries: its own answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Answer {
    model: String,
    /// 0 for all at once.
    pub(super) words_per_second: u32,
    pub(super) beats: Vec<Beat>,
    pub(super) ending: Ending,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Beat {
    Think(String),
    Say(String),
    Call {
        id: String,
        name: String,
        arguments: String,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ending {
    Finished {
        word: String,
        usage: Usage,
    },
    /// After so many characters of the text, or after all of it.
    Failed {
        failure: Failure,
        after_chars: Option<usize>,
    },
}

impl Answer {
    pub(super) fn new(model: &str, words_per_second: u32) -> Self {
        Self {
            model: model.to_owned(),
            words_per_second,
            beats: Vec::new(),
            ending: Ending::Finished {
                word: String::new(),
                usage: Usage::default(),
            },
        }
    }

    /// Whether nothing more is said.
    pub(super) fn is_ended(&self) -> bool {
        matches!(
            self.ending,
            Ending::Failed {
                after_chars: None,
                ..
            }
        )
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// The frames of the event stream, and how it ends.
    fn frames(&self) -> (Vec<String>, EndKind) {
        let mut room = match &self.ending {
            Ending::Failed {
                after_chars: Some(chars),
                ..
            } => *chars,
            Ending::Failed {
                after_chars: None, ..
            }
            | Ending::Finished { .. } => usize::MAX,
        };
        let mut frames = Vec::new();
        let mut before: Option<&Beat> = None;
        for (index, beat) in self.beats.iter().enumerate() {
            match beat {
                Beat::Think(text) => self.words("reasoning_content", text, &mut room, &mut frames),
                Beat::Say(text) => {
                    if matches!(before, Some(Beat::Say(_))) {
                        self.words("content", PARAGRAPH, &mut room, &mut frames);
                    }
                    self.words("content", text, &mut room, &mut frames);
                }
                Beat::Call {
                    id,
                    name,
                    arguments,
                } if room == usize::MAX => {
                    let function = json!({"name": name, "arguments": arguments});
                    let call =
                        json!({"index": index, "id": id, "type": "function", "function": function});
                    frames.push(self.frame(json!({"tool_calls": [call]}), None));
                }
                // A cut comes before the calls: what was begun must not look whole.
                Beat::Call { .. } => {}
            }
            before = Some(beat);
        }
        let end = match &self.ending {
            Ending::Failed { failure, .. } => EndKind::Failed(failure.clone()),
            Ending::Finished { word, usage } => {
                frames.push(self.frame(json!({}), Some(word)));
                let usage =
                    json!({"prompt_tokens": usage.input, "completion_tokens": usage.output});
                frames.push(data(&json!({"choices": [], "usage": usage})));
                frames.push("data: [DONE]\n\n".to_owned());
                EndKind::Eof
            }
        };
        (frames, end)
    }

    fn words(&self, field: &str, text: &str, room: &mut usize, frames: &mut Vec<String>) {
        for word in text.split_inclusive(ends_word) {
            let word: String = word.chars().take(*room).collect();
            if word.is_empty() {
                return;
            }
            if *room != usize::MAX {
                *room -= word.chars().count();
            }
            frames.push(self.frame(json!({ field: word }), None));
        }
    }

    fn frame(&self, delta: Value, finish: Option<&str>) -> String {
        data(&json!({
            "id": "demo",
            "model": self.model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }))
    }
}

impl Beat {
    pub(super) fn chars(&self) -> u64 {
        match self {
            Self::Think(text) | Self::Say(text) => text.len() as u64,
            Self::Call {
                name, arguments, ..
            } => (name.len() + arguments.len()) as u64,
        }
    }
}

/// Words end at a blank; Chinese and Japanese, which have none, end at every character.
fn ends_word(c: char) -> bool {
    c.is_whitespace() || u32::from(c) >= FIRST_CJK
}

fn data(frame: &Value) -> String {
    format!("data: {frame}\n\n")
}

/// Speaks the answer that a request carries, from a task of its own.
pub(super) fn open(request: WireRequest, cancel: CancellationToken) -> mpsc::Receiver<Chunk> {
    let (tx, rx) = mpsc::channel(MAX_WAITING_CHUNKS);
    tokio::spawn(async move {
        let end = tokio::select! {
            biased;
            () = cancel.cancelled() => EndKind::Cancelled,
            () = tx.closed() => EndKind::Cancelled,
            end = speak(&request, &tx) => end,
        };
        // Nobody is left to tell if the receiver is gone.
        tx.send(Chunk::End(end)).await.ok();
    });
    rx
}

async fn speak(request: &WireRequest, tx: &mpsc::Sender<Chunk>) -> EndKind {
    let Ok(answer) = serde_json::from_slice::<Answer>(&request.body) else {
        let words = "this is no request of the demo";
        return EndKind::Failed(Failure::new(FailureKind::Config, words));
    };
    let (frames, end) = answer.frames();
    let head = Chunk::Head {
        status: 200,
        headers: vec![("content-type".to_owned(), "text/event-stream".to_owned())],
    };
    let pause = match answer.words_per_second {
        0 => None,
        words => Some(Duration::from_secs(1) / words),
    };
    let mut sent = tx.send(head).await;
    match pause {
        None => {
            if sent.is_ok() {
                sent = tx.send(Chunk::Bytes(Bytes::from(frames.concat()))).await;
            }
        }
        Some(pause) => {
            for frame in frames {
                if sent.is_err() {
                    break;
                }
                tokio::time::sleep(pause).await;
                sent = tx.send(Chunk::Bytes(Bytes::from(frame))).await;
            }
        }
    }
    if sent.is_err() {
        EndKind::Cancelled
    } else {
        end
    }
}
