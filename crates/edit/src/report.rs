//! What the model is told after a change was written.
//!
//! When a person changed the proposal, the model must learn the final text, or it would work from its own. Else it
//! gets the changed place as it is now. Deliberately absent: refusals, and the wording of warnings of the disk, which
//! the caller passes in.

#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::diff::{Labels, unified_diff};
use crate::line_diff::LineDiff;
use crate::locate::Layer;
use crate::snippet::{ShowLimits, Shown, Snippet, changed_range, places, show_places, snippet};

/// The first line of a result when a person changed the proposal. The model is taught this sentence elsewhere too.
pub const USER_CHANGED_PROPOSAL: &str = "The user changed the proposal before allowing it.";

/// Longest part of the difference between proposal and final text.
const MAX_HUMAN_DIFF_LINES: usize = 200;

/// See above.
const MAX_HUMAN_DIFF_CHARS: usize = 8_000;

/// Most of the final text that is shown after a person's change.
const MAX_FINAL_LINES: usize = 400;

/// See above.
const MAX_FINAL_CHARS: usize = 16_000;

/// What was done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The file is new, or was empty.
    Created,
    /// So many places were replaced.
    Edited {
        /// Number of places.
        replaced: usize,
    },
    /// So many places were replaced that are not quite the text that was looked for.
    EditedTolerantly {
        /// Number of places.
        replaced: usize,
        /// The layer that found them.
        layer: Layer,
    },
    /// The whole text was written.
    Rewritten,
    /// A `sed` was worked out.
    EditedBySed,
}

/// A change that was written. All texts have LF breaks.
#[derive(Debug, Clone, Copy)]
pub struct Success<'a> {
    /// The path as the model knows it.
    pub path: &'a str,
    /// What was done.
    pub action: Action,
    /// The text before.
    pub base: &'a str,
    /// The text the model proposed.
    pub proposed: &'a str,
    /// The text that was written.
    pub final_text: &'a str,
    /// What the model should know, one sentence or more each.
    pub warnings: &'a [String],
    /// A longer line is cut where numbered lines are shown.
    pub max_line_chars: usize,
}

/// The result text of a change, and the lines of the file that it shows.
pub fn success_text(success: &Success<'_>) -> Shown {
    let is_modified = success.proposed != success.final_text;
    let mut out = Shown::default();
    if is_modified {
        push_line(&mut out, USER_CHANGED_PROPOSAL);
    }
    push_line(&mut out, &headline(success, is_modified));
    if is_modified {
        push_modification(&mut out, success);
    }
    for warning in success.warnings {
        push_line(&mut out, &format!("Warning: {warning}"));
    }
    match success.action {
        Action::Edited { .. } | Action::EditedTolerantly { .. } | Action::EditedBySed
            if !is_modified =>
        {
            push_snippet(&mut out, success)
        }
        Action::Edited { .. }
        | Action::EditedTolerantly { .. }
        | Action::EditedBySed
        | Action::Created
        | Action::Rewritten => {}
    }
    out
}

fn push_line(out: &mut Shown, line: &str) {
    out.text.push_str(line);
    out.text.push('\n');
}

fn headline(success: &Success<'_>, is_modified: bool) -> String {
    let path = success.path;
    let places = |replaced: usize| match replaced != 1 && !is_modified {
        true => format!(": {replaced} occurrences replaced"),
        false => String::new(),
    };
    match success.action {
        Action::Created => format!("Created {path}."),
        Action::Rewritten => format!("Updated {path}."),
        Action::EditedBySed => format!("sed edit applied to {path}."),
        Action::Edited { replaced } => format!("Updated {path}{}.", places(replaced)),
        Action::EditedTolerantly { replaced, layer } => format!(
            "Updated {path}{} (matched {}; what did not change keeps the file's characters).",
            places(replaced),
            layer.words().unwrap_or("there")
        ),
    }
}

/// The changed place as it is now.
fn push_snippet(out: &mut Shown, success: &Success<'_>) {
    match snippet(success.base, success.final_text, success.max_line_chars) {
        Snippet::Lines(shown) if shown.text.is_empty() => push_line(out, "The file is empty now."),
        Snippet::Lines(shown) => {
            push_shown(out, "The changed text with the lines around it:", &shown)
        }
        Snippet::TooLong(range) => {
            push_line(
                out,
                &format!(
                    "The change is too long to show; it is in {}.",
                    line_range(&range)
                ),
            );
        }
    }
}

fn push_shown(out: &mut Shown, title: &str, shown: &Shown) {
    push_line(out, title);
    out.text.push_str(&shown.text);
    out.lines.extend(&shown.lines);
}

/// What a person made of the proposal: the difference, and the final text of all that changed.
fn push_modification(out: &mut Shown, success: &Success<'_>) {
    let labels = Labels {
        old: "your proposal",
        new: "written",
    };
    let diff = unified_diff(success.proposed, success.final_text, labels);
    push_line(out, "What the user changed in your proposal:");
    let shown_diff = start_of(&diff, MAX_HUMAN_DIFF_LINES, MAX_HUMAN_DIFF_CHARS);
    out.text.push_str(shown_diff);
    if shown_diff.len() < diff.len() {
        let hunks = LineDiff::of_pieces(success.proposed, success.final_text).hunks();
        let range = line_range(&changed_range(&hunks));
        push_line(out, &format!("… (all changes are in {range})"));
    }
    push_final_text(out, success);
    push_line(out, "Work from this text; do not restore your version.");
}

fn push_final_text(out: &mut Shown, success: &Success<'_>) {
    let diff = LineDiff::of_pieces(success.base, success.final_text);
    let limits = ShowLimits {
        max_lines: MAX_FINAL_LINES,
        max_chars: MAX_FINAL_CHARS,
        max_line_chars: success.max_line_chars,
    };
    let (shown, left_out) = show_places(&diff, &places(&diff), limits);
    if success.final_text.is_empty() {
        push_line(out, "The file is empty now.");
    } else if !shown.text.is_empty() {
        push_shown(out, "The text as written, where it changed:", &shown);
    }
    if !left_out.is_empty() {
        let ranges: Vec<String> = left_out
            .iter()
            .map(|place| line_range(&(place.start + 1..place.end + 1)))
            .collect();
        push_line(
            out,
            &format!("Too long to show; read {}.", ranges.join(", ")),
        );
    }
}

/// 1-based lines in words.
fn line_range(lines: &Range<usize>) -> String {
    match lines.len() {
        0 | 1 => format!("line {}", lines.start),
        _ => format!("lines {}-{}", lines.start, lines.end - 1),
    }
}

/// The whole lines at the start of a text that fit.
fn start_of(text: &str, max_lines: usize, max_chars: usize) -> &str {
    let mut end = 0;
    let mut n_chars = 0;
    for line in text.split_inclusive('\n').take(max_lines) {
        n_chars += line.chars().count();
        if n_chars > max_chars {
            break;
        }
        end += line.len();
    }
    text.get(..end).unwrap_or_default()
}
