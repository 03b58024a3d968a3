//! What a call gives back.

use protocol::log::FileVersion;
use protocol::message::Part;
use protocol::todo::Todo;
use protocol::tool_call::{Display, ToolFailure};

/// What a call gives back.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// For the model: facts, no words about the window.
    pub content: Vec<Part>,
    /// For the person.
    pub display: Display,
    /// Present if it failed.
    pub failure: Option<ToolFailure>,
    /// Present if it was ended before it was done.
    pub stopped: Option<StopCause>,
    /// Files it changed.
    pub files: Vec<FileVersion>,
    /// The task list, if it changed.
    pub todos: Option<Vec<Todo>>,
    /// The person changed the proposal before allowing it.
    pub edited: bool,
}

/// Why a call was ended before it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopCause {
    /// Its cancel token fired.
    Cancelled,
    /// Its own time ran out.
    Timeout,
}

impl ToolResult {
    /// A success with this text.
    #[must_use]
    pub fn text(text: impl Into<String>, display: Display) -> Self {
        Self {
            content: vec![Part::Text { text: text.into() }],
            display,
            failure: None,
            stopped: None,
            files: Vec::new(),
            todos: None,
            edited: false,
        }
    }

    /// A failure; the model reads its message.
    #[must_use]
    pub fn failed(failure: ToolFailure) -> Self {
        Self {
            failure: Some(failure.clone()),
            ..Self::text(failure.message, Display::None)
        }
    }

    /// All text for the model, parts joined by line feeds.
    #[must_use]
    pub fn joined_text(&self) -> String {
        let texts: Vec<&str> = self
            .content
            .iter()
            .filter_map(|part| match part {
                Part::Text { text } => Some(text.as_str()),
                Part::Image { .. } => None,
            })
            .collect();
        texts.join("\n")
    }
}
