//! A Chat Completions server on loopback. Answer n goes to request n; the last one repeats.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What the server does with one request.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Words, then the end.
    Text(&'static str),
    /// Words, then the connection stays open without an end.
    Hanging(&'static str),
    /// Calls: tool and arguments.
    Calls(Vec<(&'static str, Value)>),
    /// An error status with a JSON body.
    Status(u16, Value),
    /// Bytes of an event stream, sent in pieces of so many bytes.
    Raw {
        /// The bytes.
        bytes: Vec<u8>,
        /// Size of a piece; 0 sends all at once.
        cut: usize,
    },
    /// The connection closes without a byte.
    Close,
}

/// What is played, and how far.
#[derive(Default)]
struct Script {
    answers: Vec<Answer>,
    given: usize,
}

impl Script {
    fn next(&mut self) -> Answer {
        let answer = self
            .answers
            .get(self.given)
            .or(self.answers.last())
            .cloned();
        self.given += 1;
        answer.unwrap_or(Answer::Close)
    }
}

/// The server. It ends when it is dropped.
pub struct ModelServer {
    /// Base URL for a provider entry.
    pub base_url: String,
    script: Arc<Mutex<Script>>,
    requests: Arc<Mutex<Vec<Value>>>,
    count: watch::Receiver<usize>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl ModelServer {
    /// Starts a server.
    ///
    /// # Panics
    /// Loopback cannot be used.
    pub async fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("a port on loopback");
        let port = listener.local_addr().expect("a bound port").port();
        let requests: Arc<Mutex<Vec<Value>>> = Arc::default();
        let (counted, count) = watch::channel(0);
        let script = Arc::new(Mutex::new(Script { answers, given: 0 }));
        let (seen, played) = (requests.clone(), script.clone());
        let task = tokio::spawn(async move {
            let counted = Arc::new(counted);
            while let Ok((stream, _)) = listener.accept().await {
                let (played, seen, counted) = (played.clone(), seen.clone(), counted.clone());
                tokio::spawn(async move {
                    // A client that goes away in the middle is what some journeys are about.
                    serve(stream, &played, &seen, &counted).await.ok();
                });
            }
        });
        Self {
            base_url: format!("http://127.0.0.1:{port}/v1"),
            script,
            requests,
            count,
            task,
        }
    }

    /// Plays other answers, from the next request on.
    pub fn play(&self, answers: Vec<Answer>) {
        *self.script.lock().unwrap_or_else(PoisonError::into_inner) = Script { answers, given: 0 };
    }

    /// The bodies of all requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Value> {
        self.requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Waits until so many requests have come.
    pub async fn wait_for(&self, n: usize) {
        let mut count = self.count.clone();
        assert!(
            count.wait_for(|seen| *seen >= n).await.is_ok(),
            "the server ended"
        );
    }
}

async fn serve(
    mut stream: TcpStream,
    script: &Mutex<Script>,
    seen: &Mutex<Vec<Value>>,
    counted: &watch::Sender<usize>,
) -> std::io::Result<()> {
    let body = read_request(&mut stream).await?;
    let body: Value = serde_json::from_slice(&body)?;
    let n = {
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.push(body.clone());
        seen.len()
    };
    counted.send_replace(n);
    if let Err(defect) = check_pairs(&body) {
        let words = json!({"error": {"message": defect, "type": "invalid_request_error"}});
        return send_status(&mut stream, 400, &words).await;
    }
    let answer = script.lock().unwrap_or_else(PoisonError::into_inner).next();
    match answer {
        Answer::Close => Ok(()),
        Answer::Status(status, body) => send_status(&mut stream, status, &body).await,
        Answer::Text(text) => {
            let frames = [
                frame(n, &json!({"content": text}), None),
                frame(n, &json!({}), Some("stop")),
                done(),
            ];
            send_stream(&mut stream, frames.concat().as_bytes(), 0).await
        }
        Answer::Hanging(text) => {
            send_stream(
                &mut stream,
                frame(n, &json!({"content": text}), None).as_bytes(),
                0,
            )
            .await?;
            // Until the client closes the connection.
            stream.read(&mut [0; 1]).await.map(|_| ())
        }
        Answer::Calls(calls) => {
            let mut out = String::new();
            for (index, (tool, args)) in calls.iter().enumerate() {
                let call = json!({"tool_calls": [{"index": index, "id": format!("call_{n}_{index}"), "type": "function",
                    "function": {"name": tool, "arguments": args.to_string()}}]});
                out.push_str(&frame(n, &call, None));
            }
            out.push_str(&frame(n, &json!({}), Some("tool_calls")));
            out.push_str(&done());
            send_stream(&mut stream, out.as_bytes(), 0).await
        }
        Answer::Raw { bytes, cut } => send_stream(&mut stream, &bytes, cut).await,
    }
}

async fn read_request(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut buffer = Vec::new();
    loop {
        let mut piece = [0; 16 * 1024];
        let n = stream.read(&mut piece).await?;
        if n == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        buffer.extend_from_slice(&piece[..n]);
        let Some(end) = buffer.windows(4).position(|w| w == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8_lossy(&buffer[..end]).to_ascii_lowercase();
        let length: usize = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length:"))
            .and_then(|value| value.trim().parse().ok())
            .unwrap_or(0);
        if buffer.len() >= end + 4 + length {
            return Ok(buffer[end + 4..end + 4 + length].to_vec());
        }
    }
}

async fn send_status(stream: &mut TcpStream, status: u16, body: &Value) -> std::io::Result<()> {
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await
}

async fn send_stream(stream: &mut TcpStream, bytes: &[u8], cut: usize) -> std::io::Result<()> {
    stream
        .write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
        )
        .await?;
    let size = if cut == 0 { bytes.len().max(1) } else { cut };
    for piece in bytes.chunks(size) {
        stream.write_all(piece).await?;
        stream.flush().await?;
    }
    Ok(())
}

fn frame(n: usize, delta: &Value, finish: Option<&str>) -> String {
    let chunk = json!({"id": format!("c{n}"), "object": "chat.completion.chunk", "created": 1, "model": "scripted",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    format!("data: {chunk}\n\n")
}

fn done() -> String {
    "data: [DONE]\n\n".to_owned()
}

/// Each call has exactly one result, directly after its message; nothing is blank.
fn check_pairs(body: &Value) -> Result<(), String> {
    let empty = Vec::new();
    let messages = body["messages"].as_array().unwrap_or(&empty);
    let mut open: BTreeSet<String> = BTreeSet::new();
    for (index, message) in messages.iter().enumerate() {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            if !open.remove(id) {
                return Err(format!("message {index}: a result without a call: {id:?}"));
            }
        } else if !open.is_empty() {
            return Err(format!("message {index}: calls without results: {open:?}"));
        }
        for call in message["tool_calls"].as_array().unwrap_or(&empty) {
            let id = call["id"].as_str().unwrap_or_default();
            if id.is_empty() || !open.insert(id.to_owned()) {
                return Err(format!(
                    "message {index}: a call id that is empty or twice: {id:?}"
                ));
            }
        }
        if message["content"]
            .as_str()
            .is_some_and(|text| text.trim().is_empty())
        {
            return Err(format!("message {index}: blank content"));
        }
    }
    if open.is_empty() {
        Ok(())
    } else {
        Err(format!("calls without results at the end: {open:?}"))
    }
}
