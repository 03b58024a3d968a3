//! What the tool layer and the person of a scenario answer.

use super::{CALL_MS, World};
use agent::machine::{
    CheckVerdict, ContextLimits, Decided, DecidedAction, Input, LoopConfig, PlanRule, ToolFacts,
    ToolOutcome,
};
use agent::permission::{self, Facts};
use protocol::confirmation::{Ask, AskState, Preview, Resolution, Scope, Verdict};
use protocol::ids::CallId;
use protocol::message::{Part, ViewEntry};
use protocol::session::Mode;
use protocol::tool_call::{CallStatus, Display, ToolFailure, ToolKind};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use tool_api::Permission;

impl World<'_> {
    fn name_of(&self, call_id: &CallId) -> String {
        let found = self
            .state
            .view()
            .iter()
            .rev()
            .find_map(|entry| match &**entry {
                ViewEntry::Assistant { calls, .. } => {
                    calls.iter().find(|call| call.call_id == *call_id)
                }
                _ => None,
            });
        found.unwrap().name.clone()
    }

    pub(super) fn verdict(&self, call_id: &CallId) -> CheckVerdict {
        let name = self.name_of(call_id);
        let Some(facts) = self.state.config.tools.get(&name) else {
            return CheckVerdict::UnknownTool {
                nearest: None,
                hidden: false,
            };
        };
        if let Some(message) = self.scenario["tools"][call_id.as_str()]["schema"].as_str() {
            return CheckVerdict::Invalid {
                message: message.to_owned(),
            };
        }
        let mut rules: BTreeSet<String> = self.state.rules().clone();
        rules.extend(
            self.scenario["config"]["rules"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|rule| rule.as_str().unwrap().to_owned()),
        );
        let asks = matches!(
            facts.kind,
            ToolKind::Edit | ToolKind::Execute | ToolKind::Fetch
        );
        let decision = permission::decide(&Facts {
            mode: self.state.mode(),
            kind: facts.kind,
            default: if asks {
                Permission::Ask
            } else {
                Permission::Allow
            },
            rule: Some(&name),
            rules: &rules,
            needs_user: matches!(self.kinds[&name].as_str(), Some("ask" | "plan")),
            confirm_required: false,
        });
        match decision {
            permission::Decision::Allow { because } => CheckVerdict::Ready {
                kind: facts.kind,
                rule: because,
                shell_id: None,
            },
            permission::Decision::Ask => CheckVerdict::Ask {
                kind: facts.kind,
                ask: Box::new(ask(call_id, &name)),
                shell_id: None,
            },
        }
    }

    pub(super) fn decide(&mut self, ask: &Ask) {
        let answer = &self.scenario["approvals"][ask.call_id.as_str()];
        let mut decided = Decided {
            action: DecidedAction::Run,
            resolution: Resolution {
                verdict: Verdict::Allowed,
                scope: Some(Scope::Once),
                rules: Vec::new(),
                words: None,
            },
            stat: None,
            final_args: None,
        };
        if answer == "allow_always" {
            decided.resolution.scope = Some(Scope::Session);
            decided.resolution.rules = vec![ask.tool.clone()];
        } else if answer == "deny" || answer.get("deny").is_some() {
            decided.action = DecidedAction::Deny;
            decided.resolution.verdict = Verdict::Denied;
            decided.resolution.words = answer["deny"].as_str().map(str::to_owned);
        } else if let Some(args) = answer.get("edit") {
            decided.resolution.verdict = Verdict::Edited;
            decided.final_args = Some(args.clone());
        } else if let Some(text) = answer["answer"].as_str() {
            decided.resolution.verdict = Verdict::Answered;
            let content = vec![Part::Text {
                text: text.to_owned(),
            }];
            decided.action = DecidedAction::Answer {
                content,
                display: Display::None,
            };
        }
        let call_id = ask.call_id.clone();
        self.inbox.push_back(Input::Decision {
            call_id,
            decided: Box::new(decided),
        });
    }

    pub(super) fn outcome(&self, call_id: &CallId) -> ToolOutcome {
        let tool = &self.scenario["tools"][call_id.as_str()];
        let name = self.name_of(call_id);
        if let Some(text) = tool["err"].as_str() {
            let failure = ToolFailure {
                code: "FAILED".to_owned(),
                reason: None,
                message: text.to_owned(),
            };
            let outcome = ToolOutcome::text(text, CALL_MS);
            return ToolOutcome {
                status: CallStatus::Error,
                failure: Some(failure),
                ..outcome
            };
        }
        if let Some(message) = tool["panic"].as_str() {
            return ToolOutcome::panicked(message, CALL_MS);
        }
        if let Some(ms) = tool["timeout"].as_u64() {
            let tail = tool["tail"].as_str().unwrap_or_default();
            return ToolOutcome {
                status: CallStatus::Timeout,
                ..ToolOutcome::stopped(tail, ms)
            };
        }
        let mut outcome = ToolOutcome::text(tool["ok"].as_str().unwrap_or("done"), CALL_MS);
        outcome.mode = (name == "exit_plan_mode").then_some(Mode::Default);
        if name == "tool_search" {
            outcome.revealed = vec!["web_fetch".to_owned()];
        }
        outcome
    }
}

pub(crate) fn ask(call_id: &CallId, tool: &str) -> Ask {
    Ask {
        call_id: call_id.clone(),
        proposal_id: format!("p-{call_id}").into(),
        tool: tool.to_owned(),
        preview: Preview::Info {
            title: tool.to_owned(),
            body: String::new(),
        },
        scopes: Vec::new(),
        warnings: Vec::new(),
        confirm_reasons: Vec::new(),
        modifiable: true,
        state: AskState::Open,
    }
}

pub(super) fn config(kinds: &Value, given: &Value) -> LoopConfig {
    let kinds: BTreeMap<String, String> = serde_json::from_value(kinds.clone()).unwrap();
    let tools = kinds.into_iter().map(|(name, kind)| {
        let kind = match kind.as_str() {
            "ask" | "plan" => ToolKind::Think,
            kind => serde_json::from_value(json!(kind)).unwrap(),
        };
        let in_plan_mode = if name == "tool_search" {
            PlanRule::Allowed
        } else {
            PlanRule::ByKind
        };
        (
            name,
            ToolFacts {
                in_plan_mode,
                ..ToolFacts::of_kind(kind)
            },
        )
    });
    let number = |name: &str| given[name].as_u64();
    let defaults = LoopConfig::default();
    LoopConfig {
        max_steps: number("max_steps")
            .map_or(defaults.max_steps, |steps| u32::try_from(steps).unwrap()),
        context: ContextLimits {
            auto_at: number("auto_at"),
            hard_at: number("hard_at"),
            tail_tokens: number("tail_tokens").unwrap_or(2_000),
            summary_tokens: 1_000,
        },
        tools: tools.collect(),
        ..defaults
    }
}

pub(crate) fn mode(value: &Value) -> Option<Mode> {
    value
        .as_str()
        .map(|mode| serde_json::from_value(json!(mode)).unwrap())
}
