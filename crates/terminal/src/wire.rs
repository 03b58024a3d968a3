//! What the program and a command's supervisor say to each other: one file at the start, then one JSON object a line.
//!
//! Both ends are this crate, in the same version, on the same machine; nothing here is stored. The token proves that
//! the supervisor that calls back is the one that was started. Deliberately absent: terminal bytes, which go through
//! the PTY.

use sandbox::{Backend, Touched, Walls};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The longest line either side accepts. Messages are small; a longer one is not ours.
pub(crate) const MAX_LINE_BYTES: usize = 64 * 1024;
/// Processes named in one `leftovers` message; keeps it far below [`MAX_LINE_BYTES`].
pub(crate) const MAX_LEFTOVERS: usize = 200;

/// What the supervisor reads from `host.json` and then removes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct HostConfig {
    /// 128 random bits, in hex.
    pub(crate) token: String,
    /// Where the program listens for this one supervisor.
    pub(crate) socket: PathBuf,
    /// The shell.
    pub(crate) program: PathBuf,
    /// Its arguments, the command among them.
    pub(crate) args: Vec<String>,
    /// Where it runs.
    pub(crate) cwd: PathBuf,
    /// Its whole environment.
    pub(crate) env: Vec<(String, String)>,
    /// Where to note that the program went away.
    pub(crate) status_file: PathBuf,
    /// What the command is kept in, if it is.
    pub(crate) sandbox: Option<SandboxConfig>,
}

/// The walls around a command.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SandboxConfig {
    pub(crate) backend: Backend,
    pub(crate) walls: Walls,
    /// Where the command's changes of protected files are kept.
    pub(crate) aside: PathBuf,
}

/// A process the command left behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WireProcess {
    pub(crate) pid: i32,
    pub(crate) name: String,
    /// Start time in clock ticks since boot; with the pid it names the process for good.
    pub(crate) start: u64,
}

/// Supervisor to program.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum HostMessage {
    /// First of all.
    Hello { token: String, pid: i32 },
    /// The command runs.
    Spawned { pid: i32, start: u64 },
    /// The command does not run; nothing more follows.
    Error { message: String },
    /// The command ended, by its own code or by a signal.
    Exit {
        code: Option<i32>,
        signal: Option<i32>,
    },
    /// It ended and these still run. `total` counts those not listed as well.
    Leftovers {
        list: Vec<WireProcess>,
        total: usize,
    },
    /// Protected files that the command changed. Comes before the end that it belongs to.
    Touched { list: Vec<Touched> },
    /// Nothing of it is left. The supervisor ends.
    Gone,
    /// What is left is on its own from here on. The supervisor ends.
    LetGo,
}

/// Program to supervisor.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum AppMessage {
    /// End everything: politely, and after `grace_ms` by force.
    Kill { grace_ms: u64 },
    /// The command ended: leave what it left behind alone, and go.
    LetGo,
}

/// One message as the line that travels.
pub(crate) fn encode<T: Serialize>(message: &T) -> std::io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// Cuts a byte stream into messages, wherever the reads fall.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pending: Vec<u8>,
}

impl Lines {
    /// Takes what was read and gives the messages that are complete. An overlong or foreign line is an error: the other
    /// side is not who it should be.
    pub(crate) fn push<T: for<'a> Deserialize<'a>>(
        &mut self,
        bytes: &[u8],
    ) -> std::io::Result<Vec<T>> {
        self.pending.extend_from_slice(bytes);
        let mut messages = Vec::new();
        while let Some(end) = self.pending.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.pending.drain(..=end).collect();
            messages.push(serde_json::from_slice(&line)?);
        }
        if self.pending.len() > MAX_LINE_BYTES {
            return Err(std::io::Error::from(std::io::ErrorKind::InvalidData));
        }
        Ok(messages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_any_split() {
        let mut stream = encode(&HostMessage::Exit {
            code: Some(3),
            signal: None,
        })
        .unwrap();
        stream.extend(encode(&HostMessage::Gone).unwrap());
        for split in 0..stream.len() {
            let (head, tail) = stream.split_at(split);
            let mut lines = Lines::default();
            let mut got: Vec<HostMessage> = lines.push(head).unwrap();
            got.extend(lines.push::<HostMessage>(tail).unwrap());
            assert!(
                matches!(
                    got.as_slice(),
                    [HostMessage::Exit { code: Some(3), .. }, HostMessage::Gone]
                ),
                "split at {split}: {got:?}"
            );
        }
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut lines = Lines::default();
        assert!(
            lines
                .push::<HostMessage>(&vec![b'x'; MAX_LINE_BYTES + 1])
                .is_err()
        );
    }
}
