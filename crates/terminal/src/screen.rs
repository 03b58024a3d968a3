//! The terminal's picture: what a late view is shown, what full-screen programs leave as text, and the answers to
//! questions programs ask their terminal.
//!
//! Drawing is slower than a terminal delivers, so nobody waits for this: the picture is brought up to date when it is
//! needed and there is time, and when it is too far behind it starts again near the end. Nothing a program prints may
//! harm more than this picture. Deliberately absent: windows' own answers; this side is the only one that answers.

mod rows;

use crate::ring::Ring;
use rows::Rows;
use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};
use vt100::capture::{
    BasicFormattedCaptureRange, BasicFormattedCaptureState, RowContents, basic_formatted_to_plain,
};

/// Bytes drawn again when the picture starts anew; 2,000 rows of 120 columns.
const RESTART_BYTES: u64 = 256 * 1024;
/// Longest title that is passed on, in characters.
const MAX_TITLE_CHARS: usize = 200;
/// What programs are told about the colours of the window; they only decide between light and dark.
const FOREGROUND_ANSWER: &str = "rgb:d0d0/d0d0/d0d0";
const BACKGROUND_ANSWER: &str = "rgb:1c1c/1c1c/1c1c";

/// Columns and rows of a terminal, within what programs can stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalSize {
    cols: NonZeroU16,
    rows: NonZeroU16,
}

/// Smallest and largest sizes; below, programs misbehave, above, a picture costs megabytes.
const COLS_RANGE: (u16, u16) = (20, 500);
const ROWS_RANGE: (u16, u16) = (5, 200);

impl TerminalSize {
    /// The nearest size within the limits.
    #[must_use]
    pub fn clamped(cols: u16, rows: u16) -> Self {
        let clamp = |value: u16, (low, high): (u16, u16)| {
            NonZeroU16::new(value.clamp(low, high)).unwrap_or(NonZeroU16::MIN)
        };
        Self {
            cols: clamp(cols, COLS_RANGE),
            rows: clamp(rows, ROWS_RANGE),
        }
    }

    /// Columns.
    #[must_use]
    pub fn cols(self) -> u16 {
        self.cols.get()
    }

    /// Rows.
    #[must_use]
    pub fn rows(self) -> u16 {
        self.rows.get()
    }
}

impl Default for TerminalSize {
    fn default() -> Self {
        Self::clamped(120, 30)
    }
}

/// What the picture brought besides itself.
#[derive(Debug, Default)]
pub(crate) struct Drawn {
    /// Rows that left the top, as plain text, if the text is taken from the picture.
    pub(crate) text: String,
    /// Answers to the program's questions, in order.
    pub(crate) answers: Vec<u8>,
    /// The title, if it changed.
    pub(crate) title: Option<String>,
    /// It rang.
    pub(crate) bell: bool,
}

/// Whether rows that scroll away are needed as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum TextSource {
    /// The lines are; the picture is only a picture.
    #[default]
    Lines,
    /// The picture is.
    Picture,
}

/// The picture and how far it is.
pub(crate) struct Screen {
    parser: vt100::Parser<Callbacks>,
    size: TerminalSize,
    offset: u64,
}

impl Screen {
    pub(crate) fn new(size: TerminalSize) -> Self {
        Self {
            parser: new_parser(size, Callbacks::default()),
            size,
            offset: 0,
        }
    }

    pub(crate) fn size(&self) -> TerminalSize {
        self.size
    }

    /// Bytes of the stream that are drawn.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// From here on rows that leave the top are text, too.
    pub(crate) fn set_text_source(&mut self, source: TextSource) {
        self.parser.callbacks_mut().text_source = source;
    }

    /// Draws at most `max` further bytes of the stream. `alternate` says which screen is shown at the stream's end, in
    /// case the bytes that said so are gone.
    pub(crate) fn advance(&mut self, stream: &Ring, max: usize, alternate: bool) {
        if self.offset < stream.start() {
            self.restart(stream, alternate);
        }
        if let Some(bytes) = stream.read(self.offset, max) {
            self.offset += bytes.len() as u64;
            self.draw(&bytes);
        }
    }

    /// Too much was missed: keep what is shown as text, and begin again near the end.
    fn restart(&mut self, stream: &Ring, alternate: bool) {
        let target = stream
            .end()
            .saturating_sub(RESTART_BYTES)
            .max(stream.start());
        let visible = self.visible_text();
        let mut callbacks = std::mem::take(self.parser.callbacks_mut());
        if callbacks.text_source == TextSource::Picture {
            let missed = target - self.offset;
            callbacks.drawn.text.push_str(visible.trim_end());
            callbacks
                .drawn
                .text
                .push_str(&format!("\n[{missed} bytes were too fast to be drawn]\n"));
            callbacks.text_state = BasicFormattedCaptureState::new();
        }
        callbacks.rows.forget_position();
        self.parser = new_parser(self.size, callbacks);
        self.offset = target;
        if alternate {
            self.draw(b"\x1b[?1049h");
        }
    }

    /// A picture that cannot be drawn is drawn anew; what the program printed is safe elsewhere.
    fn draw(&mut self, bytes: &[u8]) {
        let parser = &mut self.parser;
        if catch_unwind(AssertUnwindSafe(|| parser.process(bytes))).is_err() {
            tracing::warn!("the screen model failed and was reset");
            self.parser = new_parser(self.size, Callbacks::default());
        }
    }

    /// Changes the size at this point of the stream.
    pub(crate) fn resize(&mut self, size: TerminalSize) {
        self.size = size;
        let parser = &mut self.parser;
        if catch_unwind(AssertUnwindSafe(|| parser.set_size(size.rows, size.cols))).is_err() {
            tracing::warn!("the screen model failed to resize and was reset");
            self.parser = new_parser(size, Callbacks::default());
        }
    }

    /// What drawing brought since the last call.
    pub(crate) fn take_drawn(&mut self) -> Drawn {
        std::mem::take(&mut self.parser.callbacks_mut().drawn)
    }

    /// True if the cursor is not in the first column, as after a prompt.
    pub(crate) fn is_mid_line(&self) -> bool {
        self.parser.screen().cursor_position().1 > 0
    }

    /// The line the cursor is in.
    pub(crate) fn cursor_line(&self) -> String {
        let screen = self.parser.screen();
        let (row, _) = screen.cursor_position();
        screen
            .rows(0, self.size.cols())
            .nth(usize::from(row))
            .unwrap_or_default()
    }

    /// What is visible, as plain text. Wrapped rows are one line.
    pub(crate) fn visible_text(&self) -> String {
        let mut formatted = String::new();
        let mut state = self.parser.callbacks().text_state.clone();
        let range = BasicFormattedCaptureRange::Full(&mut state);
        match self
            .parser
            .screen()
            .write_contents_formatted_basic(&mut formatted, range)
        {
            Ok(()) => basic_formatted_to_plain(&formatted).collect(),
            Err(std::fmt::Error) => String::new(),
        }
    }

    /// Sequences that bring a fresh terminal of the same size to this picture, scrolled-off rows included.
    pub(crate) fn snapshot(&self) -> Vec<u8> {
        let screen = self.parser.screen();
        let mut out = String::new();
        if self.parser.callbacks().rows.write_to(&mut out) {
            // The rows must leave the screen before it is drawn, or they would be drawn over.
            out.push_str(&"\r\n".repeat(usize::from(self.size.rows()).saturating_sub(1)));
        }
        if screen.alternate_screen() {
            out.push_str("\x1b[?1049h");
        }
        out.push_str(&screen.state_formatted());
        out.into_bytes()
    }
}

fn new_parser(size: TerminalSize, callbacks: Callbacks) -> vt100::Parser<Callbacks> {
    vt100::Parser::new_with_callbacks(size.rows, size.cols, 0, callbacks)
}

#[derive(Default)]
struct Callbacks {
    rows: Rows,
    text_source: TextSource,
    text_state: BasicFormattedCaptureState,
    drawn: Drawn,
}

impl Callbacks {
    fn answer(&mut self, text: &str) {
        self.drawn.answers.extend_from_slice(text.as_bytes());
    }
}

impl vt100::Callbacks for Callbacks {
    fn audible_bell(&mut self, _: &mut vt100::Screen) {
        self.drawn.bell = true;
    }

    fn set_window_title(&mut self, _: &mut vt100::Screen, title: &[u8]) {
        let title = crate::text::clean(title)
            .chars()
            .filter(|c| *c != '\n')
            .take(MAX_TITLE_CHARS)
            .collect();
        self.drawn.title = Some(title);
    }

    fn unhandled_csi(
        &mut self,
        screen: &mut vt100::Screen,
        i1: Option<u8>,
        _: Option<u8>,
        params: &[&[u16]],
        c: char,
    ) {
        let first = params
            .first()
            .and_then(|values| values.first())
            .copied()
            .unwrap_or(0);
        match (i1, c, first) {
            (None, 'n', 5) => self.answer("\x1b[0n"),
            (None, 'n', 6) => {
                let (row, col) = screen.cursor_position();
                self.answer(&format!("\x1b[{};{}R", row + 1, col + 1));
            }
            (None, 'c', 0) => self.answer("\x1b[?62;22c"),
            (Some(b'>'), 'c', 0) => self.answer("\x1b[>0;276;0c"),
            _ => {}
        }
    }

    fn unhandled_osc(&mut self, _: &mut vt100::Screen, params: &[&[u8]]) {
        match params {
            [b"10", b"?"] => self.answer(&format!("\x1b]10;{FOREGROUND_ANSWER}\x1b\\")),
            [b"11", b"?"] => self.answer(&format!("\x1b]11;{BACKGROUND_ANSWER}\x1b\\")),
            _ => {}
        }
    }

    fn on_scroll(&mut self, row: RowContents<'_>, alternate_screen: bool) {
        if alternate_screen {
            return;
        }
        self.rows.push(&row);
        if self.text_source == TextSource::Picture {
            let mut formatted = String::new();
            if row
                .write_formatted_basic(&mut formatted, &mut self.text_state)
                .is_ok()
            {
                self.drawn.text.extend(basic_formatted_to_plain(&formatted));
            }
        }
    }
}

#[cfg(test)]
mod tests;
