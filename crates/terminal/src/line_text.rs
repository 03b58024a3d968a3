//! Readable text straight from the byte stream, as long as a program only writes lines.
//!
//! A terminal turns tabs into blanks and wraps what is long; a model that reads a file needs neither. So while the
//! stream holds text, line ends, carriage returns, backspaces, colours and line erasure, this machine keeps the text as
//! written and applies only what redraws a line: a progress bar ends up as its last state. The first sequence that
//! moves about the screen ends that: `screen_mode` is set for good, and the screen model is asked instead.
//! The result does not depend on how the stream is cut. Deliberately absent: colours, and memory of committed lines.

mod escape;
mod line;

use escape::{Effect, Escapes};
use line::Line;

/// A line longer than this is given away in parts and can no longer be redrawn; nobody redraws such lines, and one
/// endless line must not become memory.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// What the stream asked for besides text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Modes {
    /// The alternate screen is shown.
    pub(crate) alternate_screen: bool,
    /// The program asked the terminal something and may wait for the answer.
    pub(crate) asked: bool,
}

/// The machine. Feed it everything; take the committed text after each feed.
#[derive(Debug, Default)]
pub(crate) struct LineText {
    escapes: Escapes,
    line: Line,
    /// Lines that ended, as bytes, control characters removed.
    committed: Vec<u8>,
    /// The current line's beginning was already committed.
    line_started: bool,
    screen_mode: bool,
    modes: Modes,
}

impl LineText {
    /// Takes the next bytes of the stream.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.escapes.in_text() {
                let (run, after) = rest.split_at(text_len(rest));
                self.text(run);
                rest = after;
            }
            let Some((byte, after)) = rest.split_first() else {
                break;
            };
            self.control(*byte);
            rest = after;
        }
    }

    fn text(&mut self, run: &[u8]) {
        if run.is_empty() || self.screen_mode {
            return;
        }
        if self.line_started && self.line.is_returned() {
            // The beginning is gone, so a redraw of this line becomes a line of its own.
            self.commit_line();
        }
        self.line.write(run);
        if self.line.len() > MAX_LINE_BYTES {
            self.line.take_complete(&mut self.committed);
            self.line_started = true;
        }
    }

    fn control(&mut self, byte: u8) {
        match self.escapes.step(byte) {
            Effect::None => {}
            Effect::Control(b'\n') if !self.screen_mode => self.commit_line(),
            Effect::Control(b'\r') => self.line.carriage_return(),
            Effect::Control(b'\t') if !self.screen_mode => self.text(b"\t"),
            Effect::Control(0x08) => self.line.backspace(),
            Effect::Control(_) => {}
            Effect::EraseLine(part) => self.line.erase(part),
            Effect::AlternateScreen(on) => {
                self.modes.alternate_screen = on;
                self.screen_mode = true;
            }
            Effect::Query => self.modes.asked = true,
            Effect::Screen => self.screen_mode = true,
        }
    }

    fn commit_line(&mut self) {
        self.line.take(&mut self.committed);
        self.committed.push(b'\n');
        self.line_started = false;
    }

    /// The lines that ended since the last call, as raw text bytes.
    pub(crate) fn take_committed(&mut self, target: &mut Vec<u8>) {
        target.append(&mut self.committed);
    }

    /// The line that is being written, as raw text bytes.
    pub(crate) fn current_line(&self) -> Vec<u8> {
        self.line.render()
    }

    /// True if the cursor is not at the beginning of a line, as after a prompt.
    pub(crate) fn is_mid_line(&self) -> bool {
        self.line_started || !self.line.is_at_start()
    }

    /// True once a program drew on the screen; the text is no longer kept here.
    pub(crate) fn screen_mode(&self) -> bool {
        self.screen_mode
    }

    pub(crate) fn modes(&self) -> Modes {
        self.modes
    }
}

/// Length of the run of text at the front: everything but C0 and DEL. Eight bytes at a time; terminals bring 80 MB/s.
fn text_len(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    let mut chunks = bytes.chunks_exact(8);
    let mut len = 0;
    for chunk in &mut chunks {
        let word = u64::from_le_bytes(<[u8; 8]>::try_from(chunk).unwrap_or_default());
        let below_space = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        let delete = word ^ (ONES * 0x7f);
        let is_delete = delete.wrapping_sub(ONES) & !delete & HIGH;
        let hits = below_space | is_delete;
        if hits != 0 {
            // Borrows only run upwards, so the lowest hit is a true one.
            return len + hits.trailing_zeros() as usize / 8;
        }
        len += 8;
    }
    len + chunks
        .remainder()
        .iter()
        .take_while(|byte| **byte >= 0x20 && **byte != 0x7f)
        .count()
}

#[cfg(test)]
mod tests;
