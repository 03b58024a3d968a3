//! What the machine must know beforehand: limits, and what the tools are like.

use protocol::tool_call::ToolKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Steps of a turn; a person can raise it.
const DEFAULT_MAX_STEPS: u32 = 50;
/// Retries of failed requests in one step, all kinds together.
const DEFAULT_MAX_RETRIES: u32 = 5;
/// Retries after something was already shown: each throws visible text away.
const DEFAULT_CONTENT_RETRIES: u32 = 2;
/// Times an empty answer is asked for again in one step.
const DEFAULT_EMPTY_RETRIES: u32 = 2;
/// Times a text cut by the output limit is continued in one turn.
const DEFAULT_MAX_CONTINUE: u32 = 3;
/// Times the provider may pause in one turn.
const DEFAULT_MAX_PAUSES: u32 = 10;
/// Calls that run at the same time: enough to hide latency, few enough for a small machine.
const DEFAULT_MAX_PARALLEL: usize = 10;
/// Calls of one turn; no sensible turn comes near.
const DEFAULT_MAX_CALLS: u32 = 1_000;
/// Equal calls with equal results in a row until the model is told.
const DEFAULT_LOOP_HINT: u32 = 3;
/// Equal calls in a row until the turn is halted.
const DEFAULT_LOOP_SAME: u32 = 5;
/// Tokens kept for the summary itself in a large window.
const SUMMARY_TOKENS: u64 = 20_000;
/// Room between the automatic limit and the end of a large window, for one more answer.
const BUFFER_TOKENS: u64 = 13_000;
/// The hard limit is at least this far above the automatic one.
const HARD_GAP_TOKENS: u64 = 3_000;
/// Bounds of what stays word for word when the conversation is made smaller.
const TAIL_TOKENS: (u64, u64) = (2_000, 15_000);

/// Limits and tool facts of one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopConfig {
    /// Steps of a turn.
    pub max_steps: u32,
    /// Retries of failed requests in one step.
    pub max_retries: u32,
    /// Retries in one step after something was already shown.
    pub content_retries: u32,
    /// Times an empty answer is asked for again in one step.
    pub empty_retries: u32,
    /// Times a cut text is continued in one turn.
    pub max_continue: u32,
    /// Times the provider may pause in one turn.
    pub max_pauses: u32,
    /// Calls that run at the same time.
    pub max_parallel: usize,
    /// Calls of one turn.
    pub max_calls: u32,
    /// Equal calls with equal results in a row until the model is told.
    pub loop_hint: u32,
    /// Equal calls in a row until the turn is halted.
    pub loop_same: u32,
    /// What the model's window allows.
    pub context: ContextLimits,
    /// Estimate of the system prompt and the declarations, in tokens.
    pub overhead_tokens: u64,
    /// The model is asked for a title after the first completed turn.
    pub title_requests: bool,
    /// The declared tools by name.
    pub tools: BTreeMap<String, ToolFacts>,
}

impl Default for LoopConfig {
    fn default() -> Self {
        Self {
            max_steps: DEFAULT_MAX_STEPS,
            max_retries: DEFAULT_MAX_RETRIES,
            content_retries: DEFAULT_CONTENT_RETRIES,
            empty_retries: DEFAULT_EMPTY_RETRIES,
            max_continue: DEFAULT_MAX_CONTINUE,
            max_pauses: DEFAULT_MAX_PAUSES,
            max_parallel: DEFAULT_MAX_PARALLEL,
            max_calls: DEFAULT_MAX_CALLS,
            loop_hint: DEFAULT_LOOP_HINT,
            loop_same: DEFAULT_LOOP_SAME,
            context: ContextLimits::unknown(),
            overhead_tokens: 0,
            title_requests: false,
            tools: BTreeMap::new(),
        }
    }
}

/// What a model's window allows. All in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextLimits {
    /// From here on the conversation is made smaller by itself.
    pub auto_at: Option<u64>,
    /// From here on nothing is sent any more.
    pub hard_at: Option<u64>,
    /// What stays word for word at the end.
    pub tail_tokens: u64,
    /// Output limit of a summary.
    pub summary_tokens: u64,
}

impl ContextLimits {
    /// A window nobody knows: nothing happens by itself, the provider's own refusal is the limit.
    #[must_use]
    pub fn unknown() -> Self {
        Self {
            auto_at: None,
            hard_at: None,
            tail_tokens: TAIL_TOKENS.0,
            summary_tokens: SUMMARY_TOKENS,
        }
    }

    /// The limits for a window.
    #[must_use]
    pub fn for_window(window: u64) -> Self {
        let reserve = SUMMARY_TOKENS + BUFFER_TOKENS;
        let (auto, hard, summary_tokens) = if window > reserve {
            let auto = (window / 100 * 85 + window % 100 * 85 / 100).min(window - reserve);
            let hard = window.saturating_sub(SUMMARY_TOKENS + HARD_GAP_TOKENS);
            (
                auto,
                hard.max(auto + HARD_GAP_TOKENS).min(window),
                SUMMARY_TOKENS,
            )
        } else {
            (window * 7 / 10, window * 9 / 10, window / 4)
        };
        Self {
            auto_at: Some(auto),
            hard_at: Some(hard),
            tail_tokens: (auto / 4).clamp(TAIL_TOKENS.0, TAIL_TOKENS.1),
            summary_tokens,
        }
    }
}

/// What the machine knows of a tool before a call of it was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFacts {
    /// What it does to the world; decides batches.
    pub kind: ToolKind,
    /// How repeated calls of it are counted.
    pub repeats: Repeats,
    /// Whether it passes in plan mode.
    pub in_plan_mode: PlanRule,
}

impl ToolFacts {
    /// An ordinary tool of this kind.
    #[must_use]
    pub fn of_kind(kind: ToolKind) -> Self {
        Self {
            kind,
            repeats: Repeats::Calls,
            in_plan_mode: PlanRule::ByKind,
        }
    }
}

/// How repeated calls are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeats {
    /// Equal arguments make equal calls.
    Calls,
    /// It is called again and again on purpose, to see whether something changed: only equal results count.
    Polling,
}

/// Whether a tool passes in plan mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanRule {
    /// If its kind changes nothing.
    ByKind,
    /// Always: it is of kind `other` and changes nothing all the same.
    Allowed,
}
