//! What a model is told about a command that ended: a fixed frame, the output within a budget, and notes.
//!
//! Everything the model needs to go on is in the text, whatever the length of the output: how it ended, what still
//! runs, where the rest is. Pure. Deliberately absent: what people see.

use crate::outcome::{EndReason, Medium, Outcome, OutputText, signal_name};
use crate::text::Excerpt;
use sandbox::{Fate, FileAccess, Network, Touched};
use std::time::Duration;

/// Longest text of one command, in characters. It is never cut again.
pub const MODEL_TEXT_MAX_CHARS: usize = 30_000;

/// One part of this many of the output is its beginning, the rest its end; errors stand at the end.
const HEAD_SHARE: usize = 5;
/// A cut moves to a line's end that is this near.
const LINE_CUT_CHARS: usize = 200;
/// A command longer than this is not repeated whole; the model wrote it itself.
const COMMAND_MAX_CHARS: usize = MODEL_TEXT_MAX_CHARS / 4;
/// Notes never take more than this from the output.
const NOTES_MAX_CHARS: usize = MODEL_TEXT_MAX_CHARS / 4;
/// Processes that are named.
const NAMED_LEFTOVERS: usize = 20;
/// A command that ran for less is never called long.
const LONG_MIN: Duration = Duration::from_secs(1);
/// Exit codes above this tell of a signal, as shells have it.
const SIGNAL_CODES_START: i32 = 128;
const SIGNAL_MAX: i32 = 64;

/// The text. `directory` is what the model calls the folder: relative to the workspace, `.` for its root.
#[must_use]
pub fn model_text(command: &str, directory: &str, outcome: &Outcome) -> String {
    let first = first_line(outcome).map_or_else(String::new, |line| format!("{line}\n"));
    let before = format!(
        "{first}Command: {}\nDirectory: {directory}\nOutput: ",
        shortened(command)
    );
    let after = format!("\n{}{}", end_lines(outcome), notes_text(outcome));
    let frame = before.chars().count() + after.chars().count();
    let output = output_text(outcome, MODEL_TEXT_MAX_CHARS.saturating_sub(frame));
    format!("{before}{output}{after}")
}

fn first_line(outcome: &Outcome) -> Option<String> {
    let timeout = outcome.timeout.unwrap_or(outcome.duration);
    match outcome.reason {
        EndReason::TimedOut => Some(format!(
            "Command timed out after {} ms and was stopped. Output before that:",
            timeout.as_millis()
        )),
        EndReason::Cancelled => {
            Some("Command was cancelled by the user. Output before that:".to_owned())
        }
        EndReason::Natural | EndReason::Lost => None,
    }
}

fn shortened(command: &str) -> String {
    let chars = command.chars().count();
    if chars <= COMMAND_MAX_CHARS {
        return command.to_owned();
    }
    let head: String = command.chars().take(COMMAND_MAX_CHARS).collect();
    format!("{head}… [{} more characters]", chars - COMMAND_MAX_CHARS)
}

fn end_lines(outcome: &Outcome) -> String {
    let none = || "(none)".to_owned();
    let code = outcome.exit.code.map_or_else(none, |code| code.to_string());
    let signal = outcome
        .exit
        .signal
        .map_or_else(none, |signal| format!("{} ({signal})", signal_name(signal)));
    let mut lines = format!("Exit Code: {code}\nSignal: {signal}");
    if outcome.leftovers_total > 0 {
        let named = outcome.leftovers.iter().take(NAMED_LEFTOVERS);
        let named: Vec<String> = named
            .map(|process| format!("{} ({})", process.pid, process.name))
            .collect();
        lines.push_str(&format!("\nStill running: {}", named.join(", ")));
        let more = outcome.leftovers_total - named.len();
        if more > 0 {
            lines.push_str(&format!(" and {more} more"));
        }
    }
    lines
}

fn notes_text(outcome: &Outcome) -> String {
    let text: String = notes(outcome)
        .into_iter()
        .map(|note| format!("\nNote: {note}"))
        .collect();
    text.chars().take(NOTES_MAX_CHARS).collect()
}

fn notes(outcome: &Outcome) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(code) = outcome.exit.code
        && (1..=SIGNAL_MAX).contains(&(code - SIGNAL_CODES_START))
    {
        let name = signal_name(code - SIGNAL_CODES_START);
        notes.push(format!(
            "exit code {code} means a process was killed by {name}"
        ));
    }
    if outcome.reason == EndReason::Lost {
        notes.push("the command's supervisor died, so the command was ended and its exit code is not known".to_owned());
    }
    match outcome.medium {
        Medium::Terminal => {}
        Medium::Pipe => notes.push(
            "the system had no terminal left, so the command ran without one and could not be typed into"
                .to_owned(),
        ),
    }
    notes.extend(sandbox_notes(outcome));
    if let Some(dropped) = &outcome.dropped {
        notes.push(format!(
            "bytes {}-{} of the output were not kept",
            dropped.start,
            dropped.end - 1
        ));
    }
    if outcome.spool_failed {
        notes.push("the disk did not take all of the output; the file is incomplete".to_owned());
    }
    if is_long(outcome) {
        let seconds = outcome.duration.as_secs();
        notes.push(format!(
            "this command ran for {seconds} s. It is finished; do not run it again to see its result"
        ));
    }
    notes
}

fn sandbox_notes(outcome: &Outcome) -> Vec<String> {
    let Some(policy) = &outcome.sandbox else {
        return Vec::new();
    };
    let mut notes: Vec<String> = outcome.touched.iter().map(touched_note).collect();
    if outcome.is_denied() {
        let files = match policy.files {
            FileAccess::ReadOnly => "nothing may be written",
            FileAccess::WorkspaceWrite => "only the workspace may be written",
        };
        let network = match policy.network {
            Network::Off => "no network",
            Network::On => "with network",
        };
        notes.push(format!(
            "SANDBOX_DENIED: the command ran in a sandbox ({files}, {network}), which seems to have stopped it; part of it may have taken effect"
        ));
    }
    notes
}

fn touched_note(touched: &Touched) -> String {
    let path = touched.path.display();
    match &touched.fate {
        Fate::PutBack { kept: Some(kept) } => format!(
            "{path} is protected: the command's change of it was undone and is kept in {}",
            kept.display()
        ),
        Fate::PutBack { kept: None } => {
            format!("{path} is protected: the command removed it, and it was put back")
        }
        Fate::Left { why } => {
            format!(
                "{path} is protected, and the command changed it; it could not be put back: {why}"
            )
        }
    }
}

fn is_long(outcome: &Outcome) -> bool {
    let ended_itself = match outcome.reason {
        EndReason::Natural => true,
        EndReason::Cancelled | EndReason::TimedOut | EndReason::Lost => false,
    };
    let limit = outcome.timeout.map(|timeout| (timeout / 2).max(LONG_MIN));
    ended_itself && limit.is_some_and(|limit| outcome.duration >= limit)
}

fn output_text(outcome: &Outcome, max_chars: usize) -> String {
    let file = outcome.output_file.display();
    match &outcome.output {
        OutputText::Binary => format!(
            "[binary output, {} bytes, saved to {file}]",
            outcome.raw_bytes
        ),
        OutputText::Text(excerpt) if excerpt.is_empty() => "(empty)".to_owned(),
        OutputText::Text(excerpt) => cut(excerpt, max_chars, &file.to_string()),
    }
}

/// The text within the budget, its middle replaced by a mark if it is too long.
fn cut(excerpt: &Excerpt, max_chars: usize, file: &str) -> String {
    let mark =
        |omitted: u64| format!("\n… [{omitted} characters omitted; full output: {file}] …\n");
    let (head_chars, tail_chars) = (excerpt.head.chars().count(), excerpt.tail.chars().count());
    let total = (head_chars + tail_chars) as u64 + excerpt.omitted;
    if excerpt.omitted == 0 && total <= max_chars as u64 {
        return format!("{}{}", excerpt.head, excerpt.tail);
    }
    let room = max_chars.saturating_sub(mark(total).chars().count());
    let head = beginning(&excerpt.head, room / HEAD_SHARE);
    let tail_room = room - room / HEAD_SHARE;
    // What was held back as an end may be shorter than the room for it; the rest is the beginning's.
    let tail = if excerpt.omitted == 0 {
        let joined = format!("{}{}", excerpt.head, excerpt.tail);
        ending(&joined, tail_room).to_owned()
    } else {
        ending(&excerpt.tail, tail_room).to_owned()
    };
    let omitted = total - (head.chars().count() + tail.chars().count()) as u64;
    let mark = mark(omitted);
    if excerpt.omitted == 0 && mark.chars().count() as u64 >= omitted {
        return format!("{}{}", excerpt.head, excerpt.tail);
    }
    format!("{head}{mark}{tail}")
}

/// At most `max_chars` from the front, up to a line's end if one is near.
fn beginning(text: &str, max_chars: usize) -> &str {
    let part = text
        .char_indices()
        .nth(max_chars)
        .map_or(text, |(end, _)| text.split_at(end).0);
    let near = part
        .char_indices()
        .rev()
        .nth(LINE_CUT_CHARS)
        .map_or(0, |(index, _)| index);
    let (before, last) = part.split_at(near);
    last.rfind('\n')
        .map_or(part, |newline| part.split_at(before.len() + newline).0)
}

/// At most `max_chars` from the back, from a line's start if one is near.
fn ending(text: &str, max_chars: usize) -> &str {
    let chars = text.chars().count();
    let skipped = chars.saturating_sub(max_chars);
    let part = text
        .char_indices()
        .nth(skipped)
        .map_or("", |(start, _)| text.split_at(start).1);
    if skipped == 0 {
        return part;
    }
    let near = part
        .char_indices()
        .nth(LINE_CUT_CHARS)
        .map_or(part.len(), |(index, _)| index);
    part.split_at(near)
        .0
        .find('\n')
        .map_or(part, |newline| part.split_at(newline + 1).1)
}

#[cfg(test)]
mod tests;
