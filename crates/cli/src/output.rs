//! What a run prints: JSON lines, or the answer on standard output and progress on standard error.

use protocol::event::{Envelope, SessionEvent};
use protocol::item::{ItemBody, ToolState};
use protocol::message::Block;
use std::io::{self, Write};

/// Prints a run.
pub(crate) enum Output {
    /// One event per line.
    Json,
    /// For people.
    Plain(Plain),
}

/// What the plain form remembers.
#[derive(Default)]
pub(crate) struct Plain {
    answer: String,
}

impl Output {
    /// Prints what belongs to an event.
    pub(crate) fn event(&mut self, envelope: &Envelope) -> io::Result<()> {
        match self {
            Self::Json => {
                let mut out = io::stdout().lock();
                serde_json::to_writer(&mut out, envelope)?;
                out.write_all(b"\n")
            }
            Self::Plain(plain) => plain.event(&envelope.event),
        }
    }

    /// Prints what is left to print.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        match self {
            Self::Json => io::stdout().flush(),
            Self::Plain(plain) => {
                let answer = plain.answer.trim_end();
                if answer.is_empty() {
                    return Ok(());
                }
                writeln!(io::stdout(), "{answer}")
            }
        }
    }
}

impl Plain {
    fn event(&mut self, event: &SessionEvent) -> io::Result<()> {
        match event {
            SessionEvent::ItemAdded { item } | SessionEvent::ItemChanged { item } => match &item
                .body
            {
                ItemBody::Assistant { blocks, .. } => {
                    self.answer = blocks
                        .iter()
                        .filter_map(text)
                        .collect::<Vec<_>>()
                        .join("\n");
                    Ok(())
                }
                ItemBody::Tool { tool } if tool.state == ToolState::Done => {
                    let status = tool.status.map_or("", |status| status.as_str());
                    writeln!(io::stderr(), "{} {} — {status}", tool.name, tool.subject)
                }
                ItemBody::Notice { text, .. } => writeln!(io::stderr(), "{text}"),
                ItemBody::User { .. } | ItemBody::Tool { .. } | ItemBody::Summary { .. } => Ok(()),
            },
            SessionEvent::RetryWait {
                message,
                attempt,
                of,
                ..
            } => {
                writeln!(io::stderr(), "{message} — trying again ({attempt} of {of})")
            }
            _ => Ok(()),
        }
    }
}

fn text(block: &Block) -> Option<&str> {
    match block {
        Block::Text { text, .. } => Some(text),
        Block::Thinking { .. }
        | Block::Call { .. }
        | Block::ServerToolCall { .. }
        | Block::ServerToolResult { .. }
        | Block::Opaque { .. } => None,
    }
}
