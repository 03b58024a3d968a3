//! The results of each step of a turn, as a script asks for them.

use crate::demo::script::Status;
use protocol::ids::CallId;
use protocol::message::{Part, ViewEntry};
use protocol::tool_call::{CallStatus, ToolCall};
use std::sync::Arc;

/// What one call gave.
#[derive(Debug)]
pub(super) struct Given<'a> {
    pub(super) tool: &'a str,
    call_id: &'a CallId,
    status: CallStatus,
    edited: bool,
    content: &'a [Part],
}

impl<'a> Given<'a> {
    /// A call whose result has not come.
    fn open(call: &'a ToolCall) -> Self {
        Self {
            tool: &call.name,
            call_id: &call.call_id,
            status: CallStatus::NotRun,
            edited: false,
            content: &[],
        }
    }

    pub(super) fn status(&self) -> Status {
        Status::of(self.status, self.edited)
    }

    pub(super) fn text(&self) -> String {
        parts_text(self.content)
    }
}

/// One list per message of the model, in the order of its calls.
pub(super) fn results_by_step(entries: &[Arc<ViewEntry>]) -> Vec<Vec<Given<'_>>> {
    let mut steps: Vec<Vec<Given<'_>>> = Vec::new();
    for entry in entries {
        match &**entry {
            ViewEntry::Assistant { calls, .. } => {
                steps.push(calls.iter().map(Given::open).collect());
            }
            ViewEntry::Result {
                call_id,
                status,
                content,
                edited,
                ..
            } => {
                let given = steps.last_mut().map(|step| step.iter_mut());
                if let Some(given) = given
                    .into_iter()
                    .flatten()
                    .find(|given| given.call_id == call_id)
                {
                    given.status = *status;
                    given.edited = *edited;
                    given.content = content;
                }
            }
            ViewEntry::User { .. } | ViewEntry::Summary { .. } => {}
        }
    }
    steps
}

pub(super) fn parts_text(parts: &[Part]) -> String {
    let texts: Vec<&str> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            Part::Image { .. } => None,
        })
        .collect();
    texts.join("\n")
}
