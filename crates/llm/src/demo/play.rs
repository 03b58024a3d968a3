//! Finds where a script stands in a conversation, and what comes next.
//!
//! Pure but for the files that a text may name. The turns used so far and the steps of the newest turn are counted in
//! the view, so the same conversation always gives the same answer.

mod results;

use super::script::{
    Action, ActionKind, Arguments, Condition, Expectation, Fill, Script, Template, Turn,
};
use super::stream::{Answer, Beat, Ending};
use crate::failure::{Failure, FailureKind};
use crate::provider::{ModelRequest, Purpose};
use protocol::message::{Usage, ViewEntry};
use results::{Given, results_by_step};
use serde_json::{Map, Value};
use std::path::{Component, Path};

/// A quick reader's speed; slow enough to see that text streams.
const WORDS_PER_SECOND: u32 = 40;

/// How much of a result a text may repeat.
const MAX_RESULT_CHARS: usize = 200;

/// How much of a file a text may repeat.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// What a token is taken to be, where the script names no counts.
const CHARS_PER_TOKEN: u64 = 4;

/// Said where a script has nothing left and no default.
const NOTHING_LEFT: &str = "The script of this demo has nothing more to say.";

/// The answer to a request.
pub(super) fn answer(script: &Script, request: &ModelRequest<'_>) -> Answer {
    let mut player = Player::new(script, request);
    match request.purpose {
        Purpose::Title => player.say_plain(script.title.as_deref().unwrap_or("Demo")),
        Purpose::Summary => {
            player.say_plain("The person is trying out the demo; its script goes on by itself.")
        }
        Purpose::Turn => player.turn(),
    }
    player.finish()
}

struct Player<'a> {
    script: &'a Script,
    request: &'a ModelRequest<'a>,
    /// What the person said at the beginning of the turn.
    said: &'a str,
    /// Results of the turn, step by step.
    steps: Vec<Vec<Given<'a>>>,
    answer: Answer,
    usage: Option<(u64, u64)>,
    stop: Option<&'static str>,
    /// Failures of this step so far; each is met once, by the try of its number.
    failures: u32,
}

impl<'a> Player<'a> {
    fn new(script: &'a Script, request: &'a ModelRequest<'a>) -> Self {
        Self {
            script,
            request,
            said: "",
            steps: Vec::new(),
            answer: Answer::new(
                &request.model.name,
                script.words_per_second.unwrap_or(WORDS_PER_SECOND),
            ),
            usage: None,
            stop: None,
            failures: 0,
        }
    }

    fn turn(&mut self) {
        let (turn, said, since) = newest_turn(self.script, self.request);
        self.said = said;
        let mut steps = turn
            .map(|turn| turn.steps.as_slice())
            .unwrap_or_default()
            .iter();
        // A step that had nothing to say made no message, so it is passed over here as it was then.
        for results in results_by_step(since) {
            let _played = steps.find(|step| self.has_words(step));
            self.steps.push(results);
        }
        let next = steps.find(|step| self.has_words(step));
        match next {
            Some(step) => self.play(step),
            None if self.script.fallback.is_empty() => self.say_plain(NOTHING_LEFT),
            None => self.play(&self.script.fallback),
        }
    }

    /// Whether a step would give a message at all.
    fn has_words(&self, step: &[Action]) -> bool {
        step.iter().any(|action| match &action.kind {
            ActionKind::Think(_) | ActionKind::Expect(_) | ActionKind::Usage { .. } => false,
            ActionKind::Stop(_) | ActionKind::Speed(_) => false,
            ActionKind::Say(_) | ActionKind::Call { .. } | ActionKind::Fail { .. } => true,
            ActionKind::When { condition, actions } => {
                self.holds(condition) && self.has_words(actions)
            }
        })
    }

    fn play(&mut self, actions: &'a [Action]) {
        for action in actions {
            if self.answer.is_ended() {
                return;
            }
            if let Err(failure) = self.act(action) {
                self.answer.ending = Ending::Failed {
                    failure,
                    after_chars: None,
                };
            }
        }
    }

    fn act(&mut self, action: &'a Action) -> Result<(), Failure> {
        match &action.kind {
            ActionKind::Think(text) => {
                let text = self.fill(text, action.line)?;
                self.answer.beats.push(Beat::Think(text));
            }
            ActionKind::Say(text) => {
                let text = self.fill(text, action.line)?;
                self.answer.beats.push(Beat::Say(text));
            }
            ActionKind::Call { tool, arguments } => {
                let arguments = self.arguments(arguments, action.line)?;
                let id = format!("demo_{}", self.next_call());
                let name = tool.clone();
                self.answer.beats.push(Beat::Call {
                    id,
                    name,
                    arguments: arguments.to_string(),
                });
            }
            ActionKind::When { condition, actions } => {
                if self.holds(condition) {
                    self.play(actions);
                }
            }
            ActionKind::Expect(expected) => self.expect(expected, action.line)?,
            ActionKind::Usage { input, output } => self.usage = Some((*input, *output)),
            ActionKind::Stop(word) => self.stop = Some(word),
            ActionKind::Speed(words) => self.answer.words_per_second = *words,
            ActionKind::Fail { kind, after_chars } => {
                self.failures += 1;
                if self.failures == self.request.attempt {
                    let words =
                        format!("the demo script provokes this failure ({})", kind.as_str());
                    let failure = Failure::new(*kind, words);
                    self.answer.ending = Ending::Failed {
                        failure,
                        after_chars: *after_chars,
                    };
                }
            }
        }
        Ok(())
    }

    fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Tool(name) => self.request.tools.iter().any(|tool| tool.name == *name),
            Condition::Status {
                tool,
                statuses,
                nth,
            } => {
                let results: Vec<&Given<'_>> = match tool {
                    Some(tool) => self.results_of(tool).collect(),
                    None => self.last_results().iter().collect(),
                };
                let fits = |given: &&&Given<'_>| statuses.contains(&given.status());
                match nth {
                    None => results.iter().any(|given| fits(&given)),
                    Some(nth) => results.get(nth - 1).is_some_and(|given| fits(&given)),
                }
            }
        }
    }

    /// Results of the step before.
    fn last_results(&self) -> &[Given<'a>] {
        self.steps.last().map(Vec::as_slice).unwrap_or_default()
    }

    /// Results of a tool in the whole turn.
    fn results_of(&self, tool: &str) -> impl DoubleEndedIterator<Item = &Given<'a>> {
        self.steps
            .iter()
            .flatten()
            .filter(move |given| given.tool == tool)
    }

    fn expect(&self, expected: &Expectation, line: usize) -> Result<(), Failure> {
        let wanted: Vec<&str> = expected
            .statuses
            .iter()
            .map(|status| status.as_str())
            .collect();
        let wanted = wanted.join("|");
        let tool = &expected.tool;
        let Some(given) = self.results_of(tool).next_back() else {
            return Err(unmet(
                line,
                &format!("expected {tool} {wanted}, but it did not run"),
            ));
        };
        let text = given.text();
        if !expected.statuses.contains(&given.status()) {
            let words = format!(
                "expected {tool} {wanted}, got {}: {}",
                given.status().as_str(),
                start(&text)
            );
            return Err(unmet(line, &words));
        }
        match &expected.contains {
            Some(words) if !text.contains(words.as_str()) => {
                let words = format!("expected {tool} to give {words:?}, got: {}", start(&text));
                Err(unmet(line, &words))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn fill(&self, template: &Template, line: usize) -> Result<String, Failure> {
        let mut text = String::new();
        for fill in &template.0 {
            match fill {
                Fill::Text(words) => text.push_str(words),
                Fill::Workspace => text.push_str(&self.request.workspace.display().to_string()),
                Fill::User => text.push_str(self.said),
                Fill::Result(nth) => {
                    let given = self
                        .last_results()
                        .get(nth - 1)
                        .map(Given::text)
                        .unwrap_or_default();
                    text.push_str(start(&given));
                }
                Fill::File(path) => text.push_str(&read(self.request.workspace, path, line)?),
            }
        }
        Ok(text)
    }

    fn arguments(&self, arguments: &Arguments, line: usize) -> Result<Value, Failure> {
        Ok(match arguments {
            Arguments::Text(text) => Value::String(self.fill(text, line)?),
            Arguments::Plain(value) => value.clone(),
            Arguments::List(items) => {
                let items = items.iter().map(|item| self.arguments(item, line));
                Value::Array(items.collect::<Result<_, _>>()?)
            }
            Arguments::Object(fields) => {
                let fields = fields
                    .iter()
                    .map(|(name, value)| Ok((name.clone(), self.arguments(value, line)?)));
                Value::Object(fields.collect::<Result<Map<_, _>, Failure>>()?)
            }
        })
    }

    /// Number of the next call of the conversation, from 1.
    fn next_call(&self) -> usize {
        let before: usize = self.request.view.iter().map(|entry| calls_of(entry)).sum();
        let here = self
            .answer
            .beats
            .iter()
            .filter(|beat| matches!(beat, Beat::Call { .. }));
        before + here.count() + 1
    }

    fn say_plain(&mut self, text: &str) {
        self.answer.beats.push(Beat::Say(text.to_owned()));
    }

    fn finish(mut self) -> Answer {
        let calls = self
            .answer
            .beats
            .iter()
            .any(|beat| matches!(beat, Beat::Call { .. }));
        if let Ending::Finished { word, usage } = &mut self.answer.ending {
            *word = self
                .stop
                .unwrap_or(if calls { "tool_calls" } else { "stop" })
                .to_owned();
            let (input, output) = self.usage.unwrap_or_else(|| {
                let asked = self
                    .request
                    .view
                    .iter()
                    .map(|entry| chars_of(entry))
                    .sum::<u64>();
                let fixed = self
                    .request
                    .system
                    .iter()
                    .map(|part| part.text.len() as u64)
                    .sum::<u64>();
                let said = self.answer.beats.iter().map(Beat::chars).sum::<u64>();
                (
                    (asked + fixed).div_ceil(CHARS_PER_TOKEN),
                    said.div_ceil(CHARS_PER_TOKEN),
                )
            });
            *usage = Usage {
                input,
                output,
                ..Usage::default()
            };
        }
        self.answer
    }
}

/// The newest turn of the conversation, the message that began it, and the entries after that message.
fn newest_turn<'a>(
    script: &'a Script,
    request: &'a ModelRequest<'a>,
) -> (Option<&'a Turn>, &'a str, &'a [std::sync::Arc<ViewEntry>]) {
    let mut unused: Vec<&Turn> = script.turns.iter().collect();
    let mut newest = (None, "", request.view);
    for (at, entry) in request.view.iter().enumerate() {
        let ViewEntry::User {
            text, steer: false, ..
        } = &**entry
        else {
            continue;
        };
        if text.trim().is_empty() {
            continue;
        }
        let found = unused.iter().position(|turn| turn.matcher.fits(text));
        let turn = found.map(|found| unused.remove(found));
        newest = (turn, text, request.view.get(at + 1..).unwrap_or_default());
    }
    newest
}

fn unmet(line: usize, words: &str) -> Failure {
    Failure::new(
        FailureKind::DemoExpectation,
        format!("line {line} of the demo script: {words}"),
    )
}

fn start(text: &str) -> &str {
    match text.char_indices().nth(MAX_RESULT_CHARS) {
        Some((at, _)) => text.get(..at).unwrap_or(text),
        None => text,
    }
}

/// A small text file of the workspace. A script comes from elsewhere, so its paths stay inside.
fn read(workspace: &Path, path: &str, line: usize) -> Result<String, Failure> {
    let relative = Path::new(path);
    let stays_inside = relative
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !stays_inside {
        return Err(unmet(line, &format!("{path} is not inside the workspace")));
    }
    let file = workspace.join(relative);
    let size = std::fs::metadata(&file).map(|data| data.len());
    match size.and_then(|size| {
        if size > MAX_FILE_BYTES {
            Ok(None)
        } else {
            std::fs::read(&file).map(Some)
        }
    }) {
        Ok(Some(bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Ok(None) => Err(unmet(line, &format!("{path} is too large"))),
        Err(problem) => Err(unmet(line, &format!("{path} cannot be read: {problem}"))),
    }
}

fn calls_of(entry: &ViewEntry) -> usize {
    match entry {
        ViewEntry::Assistant { calls, .. } => calls.len(),
        ViewEntry::User { .. } | ViewEntry::Result { .. } | ViewEntry::Summary { .. } => 0,
    }
}

fn chars_of(entry: &ViewEntry) -> u64 {
    let text = |text: &str| text.len() as u64;
    match entry {
        ViewEntry::User { text: words, .. } | ViewEntry::Summary { text: words } => text(words),
        ViewEntry::Assistant { blocks, calls, .. } => {
            let said = blocks.iter().map(|block| match block {
                protocol::message::Block::Text { text: words, .. } => text(words),
                _ => 0,
            });
            said.sum::<u64>() + calls.iter().map(|call| text(&call.name) + 40).sum::<u64>()
        }
        ViewEntry::Result { content, .. } => results::parts_text(content).len() as u64,
    }
}
