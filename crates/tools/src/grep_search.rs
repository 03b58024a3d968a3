//! `grep_search`: text in files, in this process and in parallel.

use crate::args::parse;
use crate::search::{SearchDeps, blocking, control, failed, first_line, permission};
use async_trait::async_trait;
use files::{
    CaseMatch, FileLines, GitIgnored, GrepFound, GrepMode, GrepParams, GrepRows, LineKind,
    LineNumbers, MatchSpan, PatternSyntax, SearchTarget, WordMatch, grep, note_grep,
};
use protocol::tool_call::{Display, MatchLine, ToolFailure, ToolKind};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::LazyLock;
use tool_api::{
    ExecContext, Invocation, PathField, PathFields, PathRole, Permission, QuestionBody, Schema,
    Tool, ToolResult,
};

/// Rows of one answer unless the model asks for another number.
const DEFAULT_HEAD_LIMIT: u64 = 250;
/// The page ends before this, so that the general cut is never reached.
const MAX_PAGE_CHARS: usize = 18_000;
/// Hits the window gets.
const MAX_SHOWN_HITS: usize = 200;

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let one_or_many = |max: u64, words: &str| json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "maxItems": max}], "description": words});
    Schema::new(json!({
        "type": "object", "additionalProperties": false, "required": ["pattern"],
        "properties": {
            "pattern": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "A regular expression in the syntax of ripgrep."},
            "path": {"type": "string", "description": "File or folder to search; the workspace if absent."},
            "glob": one_or_many(20, "Which files; a leading ! excludes."),
            "type": one_or_many(10, "File types by ripgrep's names, such as rust, ts, py."),
            "output_mode": {"type": "string", "enum": ["files_with_matches", "content", "count"], "default": "files_with_matches"},
            "before": {"type": "integer", "minimum": 0, "maximum": 50, "description": "Lines before a match, in content mode."},
            "after": {"type": "integer", "minimum": 0, "maximum": 50, "description": "Lines after a match, in content mode."},
            "context": {"type": "integer", "minimum": 0, "maximum": 50, "description": "Both, where not set."},
            "line_numbers": {"type": "boolean", "default": true},
            "ignore_case": {"type": "boolean", "default": false},
            "literal": {"type": "boolean", "default": false, "description": "The pattern is plain text."},
            "word": {"type": "boolean", "default": false, "description": "Whole words only."},
            "multiline": {"type": "boolean", "default": false, "description": "A match may span lines, and . matches a line feed."},
            "head_limit": {"type": "integer", "minimum": 1, "maximum": 5000, "default": DEFAULT_HEAD_LIMIT, "description": "Rows of the answer."},
            "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "Rows to skip."},
            "no_ignore": {"type": "boolean", "default": false, "description": "Search files that git ignores too."}}
    }))
});

/// The tool.
pub struct GrepSearch {
    deps: SearchDeps,
}

impl GrepSearch {
    /// Searches with these.
    #[must_use]
    pub fn new(deps: SearchDeps) -> Self {
        Self { deps }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    fn into_vec(this: Option<Self>) -> Vec<String> {
        match this {
            None => Vec::new(),
            Some(Self::One(one)) => vec![one],
            Some(Self::Many(many)) => many,
        }
    }
}

#[derive(Deserialize)]
struct Args {
    pattern: String,
    path: Option<String>,
    glob: Option<OneOrMany>,
    #[serde(rename = "type")]
    types: Option<OneOrMany>,
    output_mode: String,
    before: Option<usize>,
    after: Option<usize>,
    context: Option<usize>,
    line_numbers: bool,
    ignore_case: bool,
    literal: bool,
    word: bool,
    multiline: bool,
    head_limit: usize,
    offset: usize,
    no_ignore: bool,
}

impl Args {
    fn params(self) -> GrepParams {
        let around = self.context.unwrap_or_default();
        let mode = match self.output_mode.as_str() {
            "content" => GrepMode::Lines {
                before: self.before.unwrap_or(around),
                after: self.after.unwrap_or(around),
                numbers: if self.line_numbers {
                    LineNumbers::Shown
                } else {
                    LineNumbers::Hidden
                },
            },
            "count" => GrepMode::Counts,
            _ => GrepMode::Files,
        };
        GrepParams {
            pattern: self.pattern,
            syntax: if self.literal {
                PatternSyntax::Literal
            } else {
                PatternSyntax::Regex
            },
            case: if self.ignore_case {
                CaseMatch::Ignored
            } else {
                CaseMatch::Sensitive
            },
            words: if self.word {
                WordMatch::Whole
            } else {
                WordMatch::Anywhere
            },
            span: if self.multiline {
                MatchSpan::Lines
            } else {
                MatchSpan::Line
            },
            mode,
            globs: OneOrMany::into_vec(self.glob),
            types: OneOrMany::into_vec(self.types),
            head_limit: self.head_limit,
            offset: self.offset,
            max_chars: MAX_PAGE_CHARS,
            git_ignored: if self.no_ignore {
                GitIgnored::Shown
            } else {
                GitIgnored::Hidden
            },
        }
    }
}

impl Tool for GrepSearch {
    fn name(&self) -> &'static str {
        "grep_search"
    }
    fn description(&self) -> &'static str {
        include_str!("grep_search/description.md")
    }
    fn kind(&self) -> ToolKind {
        ToolKind::Search
    }
    fn schema(&self) -> &Schema {
        &SCHEMA
    }
    fn aliases(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("-A", "after"),
            ("-B", "before"),
            ("-C", "context"),
            ("-n", "line_numbers"),
            ("-i", "ignore_case"),
            ("limit", "head_limit"),
            ("include", "glob"),
            ("case_insensitive", "ignore_case"),
            ("regex", "pattern"),
        ]
    }
    fn path_fields(&self) -> PathFields {
        PathFields::Fields(&[
            PathField {
                property: "path",
                role: PathRole::SearchRoot,
            },
            PathField {
                property: "glob",
                role: PathRole::Glob,
            },
        ])
    }
    fn build(&self, args: Value) -> Result<Box<dyn Invocation>, ToolFailure> {
        let parsed: Args = parse(&args)?;
        let target = self.deps.target(parsed.path.as_deref())?;
        Ok(Box::new(Call {
            args,
            params: parsed.params(),
            target,
            deps: self.deps.clone(),
        }))
    }
}

struct Call {
    args: Value,
    params: GrepParams,
    target: SearchTarget,
    deps: SearchDeps,
}

#[async_trait]
impl Invocation for Call {
    fn args(&self) -> &Value {
        &self.args
    }
    fn subject(&self) -> String {
        let mut subject = self.params.pattern.clone();
        if let Some(path) = self.args.get("path").and_then(Value::as_str) {
            subject.push_str(" in ");
            subject.push_str(path);
        }
        subject
    }
    fn default_permission(&self) -> Permission {
        permission(self.target.location)
    }
    fn question(&self) -> QuestionBody {
        crate::question::info("grep_search", &self.args)
    }
    async fn execute(self: Box<Self>, ctx: ExecContext) -> ToolResult {
        let Self {
            params,
            target,
            deps,
            ..
        } = *self;
        let found = blocking(ctx.cancel.clone(), move |cancel| {
            let found = grep(&params, &target, &deps.rules, control(cancel))?;
            note_grep(&found, &deps.cache, (deps.now_ns)());
            Ok(found)
        })
        .await;
        match found {
            Ok(Ok(found)) => result(&found),
            Ok(Err(error)) => failed(&error),
            Err(failure) => ToolResult::failed(failure),
        }
    }
}

fn result(found: &GrepFound) -> ToolResult {
    let text = found.text();
    let display = Display::Matches {
        summary: first_line(&text),
        hits: hits(&found.rows),
        incomplete: !found.total.is_exact,
    };
    ToolResult::text(text, display)
}

fn hits(rows: &GrepRows) -> Vec<MatchLine> {
    let whole_file = |path: &str, text: String| MatchLine {
        path: path.to_owned(),
        line: 0,
        text,
    };
    match rows {
        GrepRows::Files(files) => files
            .iter()
            .take(MAX_SHOWN_HITS)
            .map(|row| whole_file(&row.display, String::new()))
            .collect(),
        GrepRows::Counts(counts) => counts
            .iter()
            .take(MAX_SHOWN_HITS)
            .map(|row| whole_file(&row.display, row.n.to_string()))
            .collect(),
        GrepRows::Lines(files) => files.iter().flat_map(lines).take(MAX_SHOWN_HITS).collect(),
    }
}

fn lines(file: &FileLines) -> impl Iterator<Item = MatchLine> + '_ {
    file.lines
        .iter()
        .filter(|line| line.kind == LineKind::Match)
        .map(|line| MatchLine {
            path: file.display.clone(),
            line: line.number as u64,
            text: line.text.clone(),
        })
}
