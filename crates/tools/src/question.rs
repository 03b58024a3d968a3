//! The question of a call that has no form of its own: its arguments, whole.

use protocol::confirmation::Preview;
use serde_json::Value;
use tool_api::QuestionBody;

/// Shows the arguments as they are.
pub(crate) fn info(tool: &str, args: &Value) -> QuestionBody {
    let body = serde_json::to_string_pretty(args).unwrap_or_else(|_| args.to_string());
    QuestionBody {
        proposal_id: tool.into(),
        preview: Preview::Info {
            title: tool.to_owned(),
            body,
        },
        warnings: Vec::new(),
        confirm_reasons: Vec::new(),
        modifiable: false,
    }
}
