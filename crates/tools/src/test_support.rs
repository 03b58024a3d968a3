//! What the tests of single tools share.

use protocol::message::Part;
use tokio_util::sync::CancellationToken;
use tool_api::{ExecContext, ToolResult};

pub(crate) fn context() -> ExecContext {
    ExecContext {
        session_id: "s".into(),
        call_id: "c".into(),
        cancel: CancellationToken::new(),
    }
}

pub(crate) fn text_of(result: &ToolResult) -> &str {
    match result.content.as_slice() {
        [Part::Text { text }] => text,
        other => panic!("one text expected, got {other:?}"),
    }
}
