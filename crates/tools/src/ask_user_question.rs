//! `ask_user_question`: up to four questions with options. Only a person answers.

use crate::args::parse;
use async_trait::async_trait;
use protocol::confirmation::{Answer, Preview, Question, QuestionOption};
use protocol::tool_call::{Display, ToolFailure, ToolKind};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::LazyLock;
use tool_api::{
    ExecContext, Invocation, PathFields, Permission, QuestionBody, Schema, Tool, ToolResult,
};

/// What the model reads when the person answers nothing at all.
const DECLINED: &str =
    "The user declined to answer. Continue with your own judgement or ask in plain text.";

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    Schema::new(json!({
        "type": "object", "additionalProperties": false, "required": ["questions"],
        "properties": {"questions": {"type": "array", "minItems": 1, "maxItems": 4,
            "items": {"type": "object", "additionalProperties": false, "required": ["question", "header", "options"],
                "properties": {
                    "question": {"type": "string", "minLength": 1, "maxLength": 1000},
                    "header": {"type": "string", "minLength": 1, "maxLength": 60, "description": "A label of one or two words."},
                    "options": {"type": "array", "minItems": 2, "maxItems": 4,
                        "items": {"type": "object", "additionalProperties": false, "required": ["label", "description"],
                            "properties": {
                                "label": {"type": "string", "minLength": 1, "maxLength": 100},
                                "description": {"type": "string", "minLength": 1, "maxLength": 500}}}},
                    "multi_select": {"type": "boolean", "default": false, "description": "More than one option may be chosen."}}}}}
    }))
});

/// The tool.
pub struct AskUserQuestion;

#[derive(Deserialize)]
struct Args {
    questions: Vec<AskedQuestion>,
}

#[derive(Deserialize)]
struct AskedQuestion {
    question: String,
    header: String,
    options: Vec<AskedOption>,
    #[serde(default)]
    multi_select: bool,
}

#[derive(Deserialize)]
struct AskedOption {
    label: String,
    description: String,
}

impl Tool for AskUserQuestion {
    fn name(&self) -> &'static str {
        "ask_user_question"
    }
    fn description(&self) -> &'static str {
        include_str!("ask_user_question/description.md")
    }
    fn kind(&self) -> ToolKind {
        ToolKind::Think
    }
    fn schema(&self) -> &Schema {
        &SCHEMA
    }
    fn path_fields(&self) -> PathFields {
        PathFields::None("questions hold words, not paths")
    }
    fn build(&self, args: Value) -> Result<Box<dyn Invocation>, ToolFailure> {
        let Args { questions } = parse(&args)?;
        unique(questions.iter().map(|q| q.question.as_str()), "question")?;
        for question in &questions {
            unique(question.options.iter().map(|o| o.label.as_str()), "label")?;
        }
        let questions = questions
            .into_iter()
            .map(|q| Question {
                question: q.question,
                header: q.header,
                multi_select: q.multi_select,
                options: q
                    .options
                    .into_iter()
                    .map(|o| QuestionOption {
                        label: o.label,
                        description: o.description,
                    })
                    .collect(),
            })
            .collect();
        Ok(Box::new(Call { args, questions }))
    }
}

fn unique<'a>(texts: impl Iterator<Item = &'a str>, what: &str) -> Result<(), ToolFailure> {
    let mut seen = BTreeSet::new();
    for text in texts {
        if !seen.insert(text) {
            return Err(ToolFailure {
                code: "INVALID_TOOL_PARAMS".to_owned(),
                reason: None,
                message: format!(
                    "the {what} {text:?} occurs twice; the user could not tell them apart"
                ),
            });
        }
    }
    Ok(())
}

struct Call {
    args: Value,
    questions: Vec<Question>,
}

#[async_trait]
impl Invocation for Call {
    fn args(&self) -> &Value {
        &self.args
    }
    fn subject(&self) -> String {
        self.questions
            .iter()
            .map(|q| q.header.clone())
            .collect::<Vec<_>>()
            .join(", ")
    }
    fn default_permission(&self) -> Permission {
        Permission::Ask
    }
    fn needs_user(&self) -> bool {
        true
    }
    fn question(&self) -> QuestionBody {
        QuestionBody {
            proposal_id: "questions".into(),
            preview: Preview::Questions {
                questions: self.questions.clone(),
            },
            warnings: Vec::new(),
            confirm_reasons: Vec::new(),
            modifiable: false,
        }
    }
    fn answer(&self, answers: &[Answer]) -> Option<ToolResult> {
        let given = |index: usize| answers.get(index).filter(|answer| has_content(answer));
        if (0..self.questions.len()).all(|index| given(index).is_none()) {
            return Some(ToolResult::text(
                DECLINED,
                Display::Answers { lines: Vec::new() },
            ));
        }
        let lines: Vec<String> = self
            .questions
            .iter()
            .enumerate()
            .map(|(i, q)| line(q, given(i)))
            .collect();
        Some(ToolResult::text(
            lines.join("\n"),
            Display::Answers { lines },
        ))
    }
    async fn execute(self: Box<Self>, _ctx: ExecContext) -> ToolResult {
        ToolResult::text(DECLINED, Display::Answers { lines: Vec::new() })
    }
}

fn has_content(answer: &Answer) -> bool {
    !answer.skipped
        && (!answer.options.is_empty()
            || answer.other.as_ref().is_some_and(|t| !t.trim().is_empty()))
}

fn line(question: &Question, answer: Option<&Answer>) -> String {
    let head = format!("{}: {:?} → ", question.header, question.question);
    let Some(answer) = answer else {
        return format!("{head}no answer");
    };
    // Only labels that were offered count; anything else is not an answer to this question.
    let mut parts: Vec<String> = question
        .options
        .iter()
        .filter(|option| answer.options.contains(&option.label))
        .map(|option| option.label.clone())
        .collect();
    if let Some(other) = answer.other.as_ref().filter(|text| !text.trim().is_empty()) {
        parts.push(format!("other: {:?}", neutral(other)));
    }
    if parts.is_empty() {
        parts.push("no answer".to_owned());
    }
    format!("{head}{}", parts.join(", "))
}

/// A person's words must not look like one of our frames.
fn neutral(text: &str) -> String {
    const TAGS: [&str; 5] = [
        "system-reminder",
        "persisted-output",
        "untrusted",
        "functions",
        "function",
    ];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let name = after
            .trim_start_matches('<')
            .trim_start_matches('/')
            .to_ascii_lowercase();
        out.push_str(if TAGS.iter().any(|tag| name.starts_with(tag)) {
            "&lt;"
        } else {
            "<"
        });
        rest = after.get(1..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::text_of;

    fn call(multi: bool) -> Box<dyn Invocation> {
        AskUserQuestion
            .build(json!({"questions": [
                {"question": "A or B?", "header": "Pick", "multi_select": multi,
                 "options": [{"label": "A", "description": "a"}, {"label": "B", "description": "b"}]},
                {"question": "Why?", "header": "Why",
                 "options": [{"label": "x", "description": "x"}, {"label": "y", "description": "y"}]}]}))
            .unwrap()
    }

    fn answer(options: &[&str], other: Option<&str>) -> Answer {
        Answer {
            options: options.iter().map(|o| (*o).to_owned()).collect(),
            other: other.map(str::to_owned),
            skipped: false,
        }
    }

    #[track_caller]
    fn check(answers: &[Answer], expected: &str) {
        assert_eq!(text_of(&call(true).answer(answers).unwrap()), expected);
    }

    #[test]
    fn typed_text_is_always_part_of_the_answer() {
        check(
            &[answer(&["B"], Some("but only today")), answer(&[], None)],
            "Pick: \"A or B?\" → B, other: \"but only today\"\nWhy: \"Why?\" → no answer",
        );
    }

    #[test]
    fn several_options_keep_the_order_of_the_question() {
        check(
            &[answer(&["B", "A"], None), answer(&["x"], None)],
            "Pick: \"A or B?\" → A, B\nWhy: \"Why?\" → x",
        );
    }

    #[test]
    fn nothing_answered_is_a_decline() {
        check(&[], DECLINED);
        check(
            &[Answer {
                skipped: true,
                ..answer(&["A"], None)
            }],
            DECLINED,
        );
    }

    #[test]
    fn words_that_look_like_our_frames_are_neutralised() {
        check(
            &[answer(&[], Some("</system-reminder> a < b <Functions>"))],
            "Pick: \"A or B?\" → other: \"&lt;/system-reminder> a < b &lt;Functions>\"\nWhy: \"Why?\" → no answer",
        );
    }

    #[test]
    fn labels_that_were_not_offered_are_ignored() {
        check(
            &[answer(&["C"], None)],
            "Pick: \"A or B?\" → no answer\nWhy: \"Why?\" → no answer",
        );
    }

    #[test]
    fn equal_labels_are_refused() {
        let twice = json!({"questions": [{"question": "?", "header": "h",
            "options": [{"label": "A", "description": "a"}, {"label": "A", "description": "b"}]}]});
        assert!(AskUserQuestion.build(twice).is_err());
    }
}
