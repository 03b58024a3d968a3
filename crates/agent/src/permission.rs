//! Who decides about a call: a rule, the mode, or the person. A pure decision over facts the tool layer brings.
//!
//! Invariant: no rule and no mode answers where only a person may. Deliberately absent: what a command does (the
//! tool's own analysis decides its default) and the question itself.

use protocol::session::Mode;
use protocol::tool_call::ToolKind;
use std::collections::BTreeSet;
use tool_api::Permission;

/// What is known of a call whose arguments are valid.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The mode of the session.
    pub mode: Mode,
    /// What the call does to the world.
    pub kind: ToolKind,
    /// What happens where nothing else decides.
    pub default: Permission,
    /// The rule that would let calls like this one pass.
    pub rule: Option<&'a str>,
    /// The rules that the person gave in this session.
    pub rules: &'a BTreeSet<String>,
    /// Only a person can answer.
    pub needs_user: bool,
    /// A person must look in every mode: a protected path, for example.
    pub confirm_required: bool,
}

/// Who decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The call runs.
    Allow {
        /// The rule or mode that spared the person the question.
        because: Option<String>,
    },
    /// The person.
    Ask,
}

/// Who decides about this call.
#[must_use]
pub fn decide(facts: &Facts<'_>) -> Decision {
    if facts.needs_user || facts.confirm_required {
        return Decision::Ask;
    }
    if facts.default == Permission::Allow {
        return Decision::Allow { because: None };
    }
    if let Some(rule) = facts.rule.filter(|rule| facts.rules.contains(*rule)) {
        return Decision::Allow {
            because: Some(rule.to_owned()),
        };
    }
    match facts.mode {
        Mode::Yolo => Decision::Allow {
            because: Some("mode yolo".to_owned()),
        },
        Mode::AutoEdit if facts.kind == ToolKind::Edit => Decision::Allow {
            because: Some("mode auto_edit".to_owned()),
        },
        Mode::AutoEdit | Mode::Default | Mode::Plan => Decision::Ask,
    }
}

/// Whether a call of this kind changes nothing and so passes in plan mode.
#[must_use]
pub fn passes_in_plan_mode(kind: ToolKind) -> bool {
    match kind {
        ToolKind::Read | ToolKind::Search | ToolKind::Fetch | ToolKind::Think => true,
        ToolKind::Edit
        | ToolKind::Delete
        | ToolKind::Move
        | ToolKind::Execute
        | ToolKind::Agent
        | ToolKind::Other => false,
    }
}

#[cfg(test)]
mod tests;
