//! Every sentence the machine says to the model or the person. English, fixed, part of the contract with the model.

use protocol::ids::{CallId, ShellId};
use protocol::log::{FileChange, FileVersion, LogEvent};
use protocol::message::{Part, Reminder};
use protocol::tool_call::{ArgsError, CallArgs};
use std::collections::BTreeSet;

/// Code of the notice that a summary could not be made.
pub(crate) const COMPACTION_FAILED: &str = "compaction_failed";
/// Code of the notice that what another program wrote to a replaced file is kept.
const LATE_WRITE_SAVED: &str = "late_write_saved";
/// Code of the reminder that the task list was not updated for long.
pub(crate) const TODO_STALE: &str = "todo_stale";
/// Code of the reminder that the person put files back.
pub(crate) const FILES_PUT_BACK: &str = "files_put_back";

/// Code of the reminder that shells ran when the program ended.
pub(crate) const SHELLS_LOST: &str = "shells_lost";

/// The declined call was followed by this one.
pub(crate) const SKIPPED_AFTER_DENIAL: &str =
    "Not run: an earlier action of the same message was declined.";
/// The call, or another of the same message, was repeated too often.
pub(crate) const SKIPPED_REPEATED: &str = "Not run: the same call was repeated too often.";
/// Plan mode allows reading only.
pub(crate) const BLOCKED: &str =
    "Not run: plan mode allows reading only. Present the plan with exit_plan_mode.";
/// The turn was stopped before the call started.
pub(crate) const CANCELLED: &str = "Not run: the user stopped the turn.";

/// Paths that are named in a reminder; of more the number is said.
const NAMED_PATHS: usize = 50;
/// Characters of raw arguments that are quoted back.
const RAW_CHARACTERS: usize = 200;
/// Characters of the last output that are quoted.
const TAIL_CHARACTERS: usize = 2_000;

/// The notices of versions that another program wrote to a file after that had been replaced. Their last argument is
/// the call by which such a version is put into the file.
#[must_use]
pub fn late_write_notices(call_id: &CallId, rows: &[FileVersion]) -> Vec<LogEvent> {
    let late = rows
        .iter()
        .filter(|row| row.change == FileChange::LateWrite);
    late.map(|row| {
        let version = row.before_hash.clone().unwrap_or_default();
        LogEvent::Warning {
            code: LATE_WRITE_SAVED.to_owned(),
            text: format!(
                "Another program wrote to {} after it had been replaced. What it wrote is not in the file, but it is \
                 kept (version {version}).",
                row.path
            ),
            args: vec![row.path.clone(), version, call_id.to_string()],
        }
    })
    .collect()
}

/// The user stopped the turn before.
pub(crate) fn interrupted() -> Reminder {
    reminder(
        "interrupted",
        "The user stopped the previous turn before it was complete. Work that was under way may be half done: \
         check before you build on it.",
    )
}

/// Plan mode is on.
pub(crate) fn plan_mode() -> Reminder {
    reminder(
        "plan_mode",
        "Plan mode is on: read and search only, change nothing, run nothing. When the plan is ready, present it \
         with exit_plan_mode.",
    )
}

/// The answer was cut off.
pub(crate) fn continue_after_limit() -> Reminder {
    reminder(
        "continue_after_limit",
        "Your last message was cut off. Continue directly where it ended, without a recap and without an apology. \
         Put what remains into smaller pieces.",
    )
}

/// The task list was not updated for long.
pub(crate) fn todo_stale() -> Reminder {
    reminder(
        TODO_STALE,
        "The task list has open items and was not updated for a while. Update it with todo_write if it no longer \
         says what is going on. Do not mention this note to the user.",
    )
}

/// The person put files back.
pub(crate) fn files_put_back(paths: &BTreeSet<String>) -> Option<Reminder> {
    if paths.is_empty() {
        return None;
    }
    let named: Vec<String> = paths
        .iter()
        .take(NAMED_PATHS)
        .map(|path| format!("- {path}"))
        .collect();
    let more = match paths.len() - named.len() {
        0 => String::new(),
        n => format!("\n- and {n} more"),
    };
    let text = format!(
        "The user put these files back to another version. Their content changed by the user; read again before you \
         rely on them or change them, and do not restore your version unasked:\n{}{more}",
        named.join("\n")
    );
    Some(reminder(FILES_PUT_BACK, &text))
}

/// Shells ran when the program ended.
pub(crate) fn shells_lost(shells: &BTreeSet<ShellId>) -> Option<Reminder> {
    let lines: Vec<String> = shells
        .iter()
        .map(|id| {
            let id = id.as_str();
            format!("Background shell {id} was running when the app stopped; it was terminated.")
        })
        .collect();
    (!lines.is_empty()).then(|| reminder(SHELLS_LOST, &lines.join("\n")))
}

fn reminder(code: &str, text: &str) -> Reminder {
    Reminder {
        code: code.to_owned(),
        text: text.to_owned(),
    }
}

/// The arguments of a call cannot be used.
pub(crate) fn unusable_arguments(args: &CallArgs) -> Option<String> {
    let CallArgs::Unusable { error, raw, detail } = args else {
        return None;
    };
    let received: String = raw.chars().take(RAW_CHARACTERS).collect();
    Some(match error {
        ArgsError::InvalidJson => {
            let detail = detail
                .as_deref()
                .map(|detail| format!(" ({detail})"))
                .unwrap_or_default();
            format!(
                "Nothing was run: the arguments are not valid JSON{detail}. Send the call again. Received: {received}"
            )
        }
        ArgsError::Truncated => {
            "Nothing was run: the arguments were cut off at the output limit. Send the \
                                 content in smaller pieces."
                .to_owned()
        }
        ArgsError::NotObject => format!(
            "Nothing was run: the arguments are not a JSON object. Send the call again. Received: {received}"
        ),
    })
}

/// The arguments do not fit the schema; the message begins with the place.
pub(crate) fn broken_schema(message: &str) -> String {
    format!("Nothing was run: {}.", message.trim_end_matches('.'))
}

/// No tool has this name.
pub(crate) fn unknown_tool(name: &str, nearest: Option<&str>, hidden: Hidden) -> String {
    let nearest = nearest
        .map(|nearest| format!(" Did you mean \"{nearest}\"?"))
        .unwrap_or_default();
    let hidden = match hidden {
        Hidden::Revealable => " It is available after tool_search.",
        Hidden::No => "",
    };
    format!("There is no tool named \"{name}\".{nearest}{hidden}")
}

/// Whether a tool that is not declared exists.
#[derive(Clone, Copy)]
pub(crate) enum Hidden {
    /// It does, and a search would reveal it.
    Revealable,
    /// It does not.
    No,
}

/// The person said no.
pub(crate) fn denied(words: Option<&str>) -> String {
    let words = words.map(str::trim).filter(|words| !words.is_empty());
    let words = words
        .map(|words| format!(" They said: {words}"))
        .unwrap_or_default();
    format!("The user declined this action.{words}")
}

/// The turn was stopped while the call ran.
pub(crate) fn cancelled_running(ms: u64, tail: Option<&str>) -> String {
    format!(
        "Stopped by the user after {} s. It may have had partial effects.{}",
        seconds(ms),
        last_output(tail)
    )
}

/// The person ended this one call.
pub(crate) fn killed(ms: u64, tail: Option<&str>) -> String {
    format!(
        "The user ended this command after {} s.{}",
        seconds(ms),
        last_output(tail)
    )
}

/// The time of the call ran out.
pub(crate) fn timed_out(ms: u64, tail: Option<&str>) -> String {
    format!(
        "Stopped after {} s (time limit).{}",
        seconds(ms),
        last_output(tail)
    )
}

/// The tool itself broke.
pub(crate) fn panicked(message: &str) -> String {
    format!("The tool failed inside: {}.", message.trim_end_matches('.'))
}

/// The same call brought the same result again.
pub(crate) fn repeated(times: u32) -> String {
    format!("This call has been made {times} times with the same result.")
}

/// A part with a text.
pub(crate) fn part(text: impl Into<String>) -> Part {
    Part::Text { text: text.into() }
}

fn seconds(ms: u64) -> u64 {
    ms.saturating_add(500) / 1_000
}

fn last_output(tail: Option<&str>) -> String {
    let tail = tail.map(str::trim_end).unwrap_or_default();
    if tail.is_empty() {
        return String::new();
    }
    let skipped = tail.chars().count().saturating_sub(TAIL_CHARACTERS);
    let end: String = tail.chars().skip(skipped).collect();
    format!(" Last output: {end}")
}
