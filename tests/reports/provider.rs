//! The scripted model server as a process, and what it recorded.

use crate::case;
use crate::wait::soon;
use serde_json::Value;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Another program may take a free port before the server does.
const TRIES: usize = 5;

/// A server. It ends when it is dropped.
pub(crate) struct Provider {
    process: Child,
    port: u16,
    record: PathBuf,
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

impl Provider {
    /// Starts a server with its files in `folder`. Entry n answers request n; the last one repeats.
    pub(crate) fn start(folder: &Path, entries: &[Value]) -> Self {
        fs::create_dir_all(folder).unwrap();
        let script = folder.join("script.json");
        fs::write(&script, serde_json::to_vec(entries).unwrap()).unwrap();
        let record = folder.join("requests");
        let started = (0..TRIES).find_map(|_| try_start(&script, &record));
        let (process, port) = started.expect("the scripted provider starts; it needs python3");
        Self {
            process,
            port,
            record,
        }
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    fn files(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(&self.record) else {
            return Vec::new();
        };
        let paths = entries.map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = paths
            .filter(|path| {
                path.extension()
                    .is_some_and(|extension| extension == "json")
            })
            .collect();
        files.sort();
        files
    }

    /// The requests so far, in order.
    pub(crate) fn requests(&self) -> Vec<Request> {
        let read =
            |path: &PathBuf| Request(serde_json::from_slice(&fs::read(path).unwrap()).unwrap());
        self.files().iter().map(read).collect()
    }

    /// The newest request.
    pub(crate) fn last(&self) -> Request {
        self.requests().pop().expect("there was a request")
    }

    /// No request holds what a provider would refuse.
    pub(crate) fn check_requests(&self) {
        let files = self.files();
        assert!(!files.is_empty(), "nothing was asked");
        let checked = Command::new("python3")
            .arg(case::all().join("_lib/check_request.py"))
            .arg("openai")
            .args(files)
            .output()
            .expect("python3 runs");
        let findings =
            String::from_utf8_lossy(&checked.stdout) + String::from_utf8_lossy(&checked.stderr);
        assert!(checked.status.success(), "{findings}");
    }
}

fn try_start(script: &Path, record: &Path) -> Option<(Child, u16)> {
    let port = TcpListener::bind(("127.0.0.1", 0))
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let mut process = Command::new("python3")
        .arg(case::all().join("_lib/scripted_provider.py"))
        .arg(port.to_string())
        .arg(script)
        .arg(record)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("python3 runs");
    let accepts = soon("the scripted provider", || {
        if process.try_wait().unwrap().is_some() {
            return Some(false);
        }
        TcpStream::connect(("127.0.0.1", port)).ok().map(|_| true)
    });
    accepts.then_some((process, port))
}

/// The body of one request.
pub(crate) struct Request(Value);

impl Request {
    pub(crate) fn messages(&self) -> &[Value] {
        self.0["messages"].as_array().unwrap()
    }

    /// The messages of a role.
    pub(crate) fn of(&self, role: &str) -> Vec<&Value> {
        self.messages()
            .iter()
            .filter(|message| message["role"] == role)
            .collect()
    }

    /// The texts of the tool results, in order.
    pub(crate) fn results(&self) -> Vec<String> {
        self.of("tool").into_iter().map(text).collect()
    }

    /// The text of the result of a call.
    pub(crate) fn result_of(&self, id: &str) -> String {
        let results: Vec<_> = self
            .of("tool")
            .into_iter()
            .filter(|m| m["tool_call_id"] == id)
            .collect();
        assert_eq!(results.len(), 1, "one result for {id}");
        text(results[0])
    }

    /// The names of the tools that are declared.
    pub(crate) fn tools(&self) -> Vec<String> {
        let tools = self.0["tools"].as_array().unwrap();
        let name = |tool: &Value| tool["function"]["name"].as_str().unwrap().to_owned();
        tools.iter().map(name).collect()
    }

    /// How often the conversation holds a text.
    pub(crate) fn count(&self, needle: &str) -> usize {
        let said = self
            .messages()
            .iter()
            .filter(|message| message["role"] != "system");
        said.map(|message| text(message).matches(needle).count())
            .sum()
    }
}

/// The text of a message, whichever form it has.
pub(crate) fn text(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect(),
        _ => String::new(),
    }
}
