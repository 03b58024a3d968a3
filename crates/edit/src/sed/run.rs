//! A script run over the lines of a file.
//!
//! A line ends with LF; what else it has is its own. A file without a last break has none afterwards, either, unless a
//! text is added behind it.

use super::SedRefusal;
use super::matcher::{Budget, Matcher};
use super::script::{Action, Address, Command, Extent, Lines, Piece, Script, Substitution};

/// A larger file is not made.
const MAX_RESULT_BYTES: usize = 20 * 1024 * 1024;

pub(super) fn run(script: &Script, before: &[u8]) -> Result<Vec<u8>, SedRefusal> {
    if before.contains(&0) {
        return Err(SedRefusal::because("file:binary"));
    }
    let text = std::str::from_utf8(before).map_err(|_| SedRefusal::because("file:not_utf8"))?;
    if script.needs_ascii && !text.is_ascii() {
        let reason = "class or case folding on non-ascii content";
        return Err(SedRefusal::script(reason));
    }
    let n_commands = script.commands.len();
    let mut run = Run {
        out: String::with_capacity(text.len()),
        ranges: vec![RangeState::Idle; n_commands],
        budget: Budget::new(),
    };
    let mut lines = text.split_inclusive('\n').peekable();
    let mut number = 0;
    while let Some(line) = lines.next() {
        number += 1;
        let place = Place {
            number,
            is_last: lines.peek().is_none(),
        };
        run.line(&script.commands, line, place)?;
    }
    Ok(run.out.into_bytes())
}

#[derive(Clone, Copy)]
struct Place {
    number: u64,
    is_last: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RangeState {
    Idle,
    Active,
}

struct Run {
    out: String,
    /// One per command.
    ranges: Vec<RangeState>,
    budget: Budget,
}

impl Run {
    fn line(&mut self, commands: &[Command], line: &str, place: Place) -> Result<(), SedRefusal> {
        let (body, end) = match line.strip_suffix('\n') {
            Some(body) => (body, "\n"),
            None => (line, ""),
        };
        let mut space = body.to_owned();
        let mut appended = String::new();
        let mut is_kept = true;
        for (command, at) in commands.iter().zip(0..) {
            if self.selects(command, at, &space, place)? == command.is_negated {
                continue;
            }
            match &command.action {
                Action::Substitute(substitution) => {
                    if let Some(new) = self.substituted(substitution, &space)? {
                        space = new;
                    }
                }
                Action::Append(text) => push_line(&mut appended, text),
                Action::Insert(text) => push_line(&mut self.out, text),
                Action::Change(text) => {
                    push_line(&mut self.out, text);
                    is_kept = false;
                }
                Action::Delete => is_kept = false,
            }
            if !is_kept {
                break;
            }
        }
        if is_kept {
            self.out.push_str(&space);
            let ends = end.is_empty() && !appended.is_empty();
            self.out.push_str(if ends { "\n" } else { end });
        }
        self.out.push_str(&appended);
        match self.out.len() > MAX_RESULT_BYTES {
            true => Err(SedRefusal::because("file:too_large")),
            false => Ok(()),
        }
    }

    fn selects(
        &mut self,
        command: &Command,
        at: usize,
        space: &str,
        place: Place,
    ) -> Result<bool, SedRefusal> {
        let (first, last) = match &command.lines {
            Lines::All => return Ok(true),
            Lines::One(address) => return self.is_at(address, space, place),
            Lines::Range(first, last) => (first, last),
        };
        let (selects, state) = match self.ranges.get(at) {
            Some(RangeState::Active) => match last {
                Address::Line(end) if place.number >= *end => {
                    (place.number == *end, RangeState::Idle)
                }
                Address::Line(_) => (true, RangeState::Active),
                Address::Last | Address::Matching(_) => {
                    (true, self.state_after(last, space, place)?)
                }
            },
            Some(RangeState::Idle) | None => match self.is_at(first, space, place)? {
                false => (false, RangeState::Idle),
                true => match last {
                    Address::Line(end) if *end <= place.number => (true, RangeState::Idle),
                    Address::Line(_) | Address::Last | Address::Matching(_) => {
                        (true, RangeState::Active)
                    }
                },
            },
        };
        if let Some(kept) = self.ranges.get_mut(at) {
            *kept = state;
        }
        Ok(selects)
    }

    fn state_after(
        &mut self,
        last: &Address,
        space: &str,
        place: Place,
    ) -> Result<RangeState, SedRefusal> {
        Ok(match self.is_at(last, space, place)? {
            true => RangeState::Idle,
            false => RangeState::Active,
        })
    }

    fn is_at(&mut self, address: &Address, space: &str, place: Place) -> Result<bool, SedRefusal> {
        match address {
            Address::Line(number) => Ok(*number == place.number),
            Address::Last => Ok(place.is_last),
            Address::Matching(matcher) => matcher.is_match(space, &mut self.budget),
        }
    }

    /// The line with its matches replaced, if any was.
    fn substituted(
        &mut self,
        substitution: &Substitution,
        line: &str,
    ) -> Result<Option<String>, SedRefusal> {
        let matcher: &Matcher = &substitution.matcher;
        let mut starts = matcher.starts(line, &mut self.budget)?;
        let mut new = String::new();
        let (mut copied, mut from, mut count) = (0, 0, 0);
        let mut last_end = None;
        while let Some(start) = starts.pop() {
            if start < from {
                continue;
            }
            let end = matcher.longest(line, start, &mut self.budget)?;
            // An empty match right after another one is none, and the search goes on behind the next character.
            from = end.max(start + 1);
            if end == start && last_end == Some(start) {
                continue;
            }
            last_end = Some(end);
            count += 1;
            if count < substitution.from {
                continue;
            }
            new.push_str(line.get(copied..start).unwrap_or_default());
            let caught = matcher.caught(line, &(start..end), &mut self.budget)?;
            for piece in &substitution.replacement {
                new.push_str(match piece {
                    Piece::Text(text) => text,
                    Piece::WholeMatch => line.get(start..end).unwrap_or_default(),
                    Piece::Group(number) => caught
                        .get(*number)
                        .and_then(|range| line.get(range.clone()))
                        .unwrap_or_default(),
                });
            }
            copied = end;
            if new.len() > MAX_RESULT_BYTES {
                return Err(SedRefusal::because("file:too_large"));
            }
            if substitution.extent == Extent::One {
                break;
            }
        }
        if count < substitution.from {
            return Ok(None);
        }
        new.push_str(line.get(copied..).unwrap_or_default());
        Ok(Some(new))
    }
}

fn push_line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}
