//! The lines of a script that hold a directive, with their texts of several lines.

use super::ScriptError;
use std::borrow::Cow;

/// A directive and what follows it.
#[derive(Debug)]
pub(super) struct Line<'a> {
    /// Counted from 1.
    pub(super) number: usize,
    /// The line without indent, and where it begins in the source line.
    source: &'a str,
    indent_chars: usize,
    /// The text between `<<<` and `>>>`, and the line where it begins.
    block: Option<(usize, String)>,
}

/// Finds the directives and their blocks.
pub(super) fn lines(text: &str) -> Result<Vec<Line<'_>>, ScriptError> {
    let mut found: Vec<Line<'_>> = Vec::new();
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut numbered = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    while let Some((number, line)) = numbered.next() {
        let source = line.trim();
        if source.is_empty() || source.starts_with('#') {
            continue;
        }
        let indent_chars = line.chars().take_while(|c| c.is_whitespace()).count();
        if source != "<<<" {
            found.push(Line {
                number,
                source,
                indent_chars,
                block: None,
            });
            continue;
        }
        let error = |message: &str| ScriptError {
            line: number,
            column: indent_chars + 1,
            message: message.to_owned(),
        };
        let body = block(&mut numbered, indent_chars).ok_or_else(|| error("<<< without >>>"))?;
        match found.last_mut() {
            Some(line) if line.block.is_none() => line.block = Some((number + 1, body)),
            Some(_) | None => return Err(error("<<< follows no directive that takes a text")),
        }
    }
    Ok(found)
}

/// The lines up to `>>>`, without the indent that `<<<` has.
fn block<'a>(
    lines: &mut impl Iterator<Item = (usize, &'a str)>,
    indent_chars: usize,
) -> Option<String> {
    let mut body: Vec<String> = Vec::new();
    for (_, line) in lines {
        if line.trim() == ">>>" {
            return Some(body.join("\n"));
        }
        let blanks = line.chars().take_while(|c| c.is_whitespace()).count();
        body.push(line.chars().skip(blanks.min(indent_chars)).collect());
    }
    None
}

impl Line<'_> {
    /// The directive.
    pub(super) fn word(&self) -> &str {
        self.source.split_whitespace().next().unwrap_or_default()
    }

    /// What follows it on its line.
    pub(super) fn rest(&self) -> &str {
        self.source
            .strip_prefix(self.word())
            .unwrap_or_default()
            .trim()
    }

    /// What follows it, on its line or in a block.
    pub(super) fn text(&self) -> Result<Cow<'_, str>, ScriptError> {
        match (&self.block, self.rest()) {
            (None, "") => Err(self.error(&format!("{} needs a text", self.word()))),
            (None, rest) => Ok(Cow::Borrowed(rest)),
            (Some((_, body)), "") => Ok(Cow::Borrowed(body)),
            (Some((_, body)), rest) => Ok(Cow::Owned(format!("{rest}\n{body}"))),
        }
    }

    pub(super) fn nothing_follows(&self) -> Result<(), ScriptError> {
        match self.rest() {
            "" if self.block.is_none() => Ok(()),
            rest => Err(self.error_at(rest, &format!("nothing may follow {}", self.word()))),
        }
    }

    /// A mistake of the whole directive.
    pub(super) fn error(&self, message: &str) -> ScriptError {
        ScriptError {
            line: self.number,
            column: self.indent_chars + 1,
            message: message.to_owned(),
        }
    }

    /// A mistake at a piece of this line or its block.
    pub(super) fn error_at(&self, piece: &str, message: &str) -> ScriptError {
        let (line, column) = self.place(piece, 0);
        ScriptError {
            line,
            column,
            message: message.to_owned(),
        }
    }

    /// A mistake in JSON that stands on this line or in its block.
    pub(super) fn json_error(&self, json: &str, problem: &serde_json::Error) -> ScriptError {
        let bytes_before: usize = json
            .split_inclusive('\n')
            .take(problem.line().saturating_sub(1))
            .map(str::len)
            .sum();
        let (line, column) = self.place(json, bytes_before + problem.column().saturating_sub(1));
        let place = format!(" at line {} column {}", problem.line(), problem.column());
        let words = problem.to_string().replace(&place, "");
        ScriptError {
            line,
            column,
            message: format!("not JSON: {words}"),
        }
    }

    /// Line and column of a byte of `piece`, which is found by its text.
    fn place(&self, piece: &str, offset: usize) -> (usize, usize) {
        let inside = |text: &str| text.find(piece).map(|start| start + offset);
        if let Some(at) = inside(self.source) {
            return (
                self.number,
                self.indent_chars + chars_before(self.source, at) + 1,
            );
        }
        let Some((first, body)) = &self.block else {
            return (self.number, self.indent_chars + 1);
        };
        let at = inside(body).unwrap_or_default();
        let before = body.get(..at).unwrap_or(body);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = chars_before(body, at) - chars_before(body, line_start) + 1;
        (first + before.matches('\n').count(), column)
    }
}

fn chars_before(text: &str, byte: usize) -> usize {
    text.char_indices().take_while(|(at, _)| *at < byte).count()
}
