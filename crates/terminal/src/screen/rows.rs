//! The rows that left the top of the screen, with their colours, for views that come late.

use std::collections::VecDeque;
use std::fmt;
use vt100::capture::{BasicFormattedCaptureState, RowContents};

/// What a view that comes late can scroll back to.
const MAX_LINES: usize = 2_000;
/// The same for long lines.
const MAX_BYTES: usize = 1024 * 1024;

/// Lines, each complete in itself; rows that were wrapped are one line.
#[derive(Default)]
pub(super) struct Rows {
    lines: VecDeque<String>,
    bytes: usize,
    state: BasicFormattedCaptureState,
}

impl Rows {
    pub(super) fn push(&mut self, row: &RowContents<'_>) {
        if self.lines.is_empty() || self.is_new_line(row) {
            self.lines.push_back(String::new());
            self.state = BasicFormattedCaptureState::new();
        }
        if let Some(line) = self.lines.back_mut() {
            let before = line.len();
            // Writing to a string cannot fail.
            row.write_formatted_basic(line, &mut self.state).ok();
            self.bytes += line.len() - before;
        }
        while self.lines.len() > MAX_LINES || self.bytes > MAX_BYTES && self.lines.len() > 1 {
            self.bytes -= self.lines.pop_front().map_or(0, |line| line.len());
        }
    }

    /// The next row does not continue the last one.
    pub(super) fn forget_position(&mut self) {
        if !self.lines.is_empty() {
            self.lines.push_back(String::new());
            self.state = BasicFormattedCaptureState::new();
        }
    }

    /// The first thing a row writes is the newline it owes, if it owes one.
    fn is_new_line(&self, row: &RowContents<'_>) -> bool {
        let mut probe = NewlineProbe { seen: false };
        row.write_formatted_basic(&mut probe, &mut self.state.clone())
            .ok();
        probe.seen
    }

    /// Writes the lines as a terminal needs them; false if there are none.
    pub(super) fn write_to(&self, out: &mut String) -> bool {
        for line in &self.lines {
            out.push_str(line);
            out.push_str("\x1b[m\r\n");
        }
        !self.lines.is_empty()
    }
}

/// Stops at the first write, and tells what it was.
struct NewlineProbe {
    seen: bool,
}

impl fmt::Write for NewlineProbe {
    fn write_char(&mut self, character: char) -> fmt::Result {
        self.seen = character == '\n';
        Err(fmt::Error)
    }

    fn write_str(&mut self, _: &str) -> fmt::Result {
        Err(fmt::Error)
    }
}
