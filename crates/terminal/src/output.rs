//! Everything a command printed, as far as it is held in memory: bytes, readable text, picture.
//!
//! Bytes are the truth; text and picture follow from them. Text is kept up with every byte, because it is cheap; the
//! picture only where something depends on it: the text of a program that draws, or the answer to its question.
//! Pure: no clock, no file. Deliberately absent: who watches, and the disk.

use crate::line_text::LineText;
use crate::ring::Ring;
use crate::screen::{Drawn, Screen, TerminalSize, TextSource};
use crate::text::{self, Excerpt, TextLimits, TextSince, TextStore};

/// Raw bytes a view can catch up from, and the picture can be drawn from.
pub(crate) const RING_BYTES: usize = 1024 * 1024;
/// Readable text in memory: generous for what a model may ask for, flat whatever a command prints.
const TEXT_LIMITS: TextLimits = TextLimits {
    head_bytes: 2 * 1024 * 1024,
    tail_bytes: 8 * 1024 * 1024,
};
/// Where a NUL makes the whole output binary.
const SNIFFED_BYTES: u64 = 4096;

/// The output so far.
pub(crate) struct Output {
    ring: Ring,
    lines: LineText,
    text: TextStore,
    screen: Screen,
    source: TextSource,
    binary: bool,
    text_ended: bool,
    /// Questions before this offset were answered; the picture may be drawn over them again.
    answered_to: u64,
    /// Rows that scroll away after this offset are text.
    picture_from: Option<u64>,
    scratch: Vec<u8>,
}

impl Output {
    pub(crate) fn new(size: TerminalSize) -> Self {
        Self {
            ring: Ring::new(RING_BYTES),
            lines: LineText::default(),
            text: TextStore::new(TEXT_LIMITS),
            screen: Screen::new(size),
            source: TextSource::Lines,
            binary: false,
            text_ended: false,
            answered_to: 0,
            picture_from: None,
            scratch: Vec::new(),
        }
    }

    /// Takes what was read; new readable text is added to `fresh`, too.
    pub(crate) fn feed(&mut self, bytes: &[u8], fresh: &mut String) {
        let sniffed =
            usize::try_from(SNIFFED_BYTES.saturating_sub(self.ring.end())).unwrap_or_default();
        self.binary |= bytes.iter().take(sniffed).any(|byte| *byte == 0);
        self.ring.push(bytes);
        if self.binary || self.text_ended {
            return;
        }
        self.lines.feed(bytes);
        if self.source == TextSource::Lines {
            self.scratch.clear();
            self.lines.take_committed(&mut self.scratch);
            let text = text::clean(&self.scratch);
            self.text.push(&text);
            fresh.push_str(&text);
            if self.lines.screen_mode() {
                self.read_from_picture(self.ring.end() - bytes.len() as u64);
            }
        }
    }

    /// From now on the text is what the picture leaves behind. While all bytes are still there the text starts again
    /// with the first of them; otherwise the lines so far stay, and what is visible now may come twice.
    fn read_from_picture(&mut self, now_at: u64) {
        self.source = TextSource::Picture;
        if self.ring.start() == 0 {
            self.answered_to = self.screen.offset();
            self.picture_from = Some(0);
            self.screen = Screen::new(self.screen.size());
            self.text.clear();
        } else {
            self.picture_from = Some(now_at);
            let line = self.current_line();
            self.text.push(&line);
            self.text.push("\n");
        }
    }

    /// Bytes printed so far.
    pub(crate) fn end(&self) -> u64 {
        self.ring.end()
    }

    pub(crate) fn ring(&self) -> &Ring {
        &self.ring
    }

    pub(crate) fn is_binary(&self) -> bool {
        self.binary
    }

    pub(crate) fn source(&self) -> TextSource {
        self.source
    }

    /// True if something waits for the picture and it is behind.
    pub(crate) fn wants_drawing(&self) -> bool {
        let needed = self.source == TextSource::Picture || self.lines.modes().asked;
        needed && !self.binary && self.screen.offset() < self.ring.end()
    }

    /// Draws at most `max` bytes more, and gives what that brought besides text.
    pub(crate) fn draw(&mut self, max: usize) -> Drawn {
        let at = self.screen.offset();
        if self.picture_from.is_some_and(|from| from <= at) {
            self.picture_from = None;
            self.screen.set_text_source(TextSource::Picture);
        }
        let again = at < self.answered_to;
        let border = [Some(self.answered_to), self.picture_from]
            .into_iter()
            .flatten()
            .filter(|border| *border > at)
            .min();
        let left = border.and_then(|border| usize::try_from(border - at).ok());
        self.screen.advance(
            &self.ring,
            left.map_or(max, |left| left.min(max)),
            self.lines.modes().alternate_screen,
        );
        let mut drawn = self.screen.take_drawn();
        let text = std::mem::take(&mut drawn.text);
        self.text.push(&text::clean(text.as_bytes()));
        if again { Drawn::default() } else { drawn }
    }

    /// Draws all there is; at most the ring's size, so some hundredths of a second.
    pub(crate) fn draw_all(&mut self) -> Drawn {
        let mut all = Drawn::default();
        while self.screen.offset() < self.ring.end() {
            let drawn = self.draw(usize::MAX);
            all.answers.extend(drawn.answers);
            all.title = drawn.title.or(all.title);
            all.bell |= drawn.bell;
        }
        all
    }

    /// Changes the size of the picture at the end of the stream so far; draw everything first.
    pub(crate) fn resize(&mut self, size: TerminalSize) {
        self.screen.resize(size);
    }

    pub(crate) fn size(&self) -> TerminalSize {
        self.screen.size()
    }

    /// What a fresh terminal must be fed to show all this; draw everything first.
    pub(crate) fn snapshot(&self) -> Vec<u8> {
        self.screen.snapshot()
    }

    /// The text's two ends. In picture mode draw everything first.
    pub(crate) fn excerpt(&self, max_chars: usize) -> Excerpt {
        self.text.excerpt(&self.unfinished(), max_chars)
    }

    /// The last characters of the text. In picture mode draw everything first.
    pub(crate) fn tail(&self, max_chars: usize) -> String {
        self.text.tail_with(&self.unfinished(), max_chars)
    }

    /// The text from a place on, its end at least. A place behind the end is one of a text that began anew since, so
    /// all of it is given. In picture mode draw everything first.
    pub(crate) fn since(&self, from: u64, max_chars: usize) -> TextSince {
        let unfinished = self.unfinished();
        let settled = self.text.chars();
        let end = settled + unfinished.chars().count() as u64;
        let wanted = if from > end { end } else { end - from };
        let room = usize::try_from(wanted).unwrap_or(usize::MAX).min(max_chars);
        let text = self.text.tail_with(&unfinished, room);
        TextSince {
            skipped: wanted - text.chars().count() as u64,
            text,
            next: settled,
        }
    }

    /// All text that is held, in pieces.
    pub(crate) fn text_pieces(&self) -> impl Iterator<Item = String> {
        self.text
            .pieces()
            .map(str::to_owned)
            .chain(std::iter::once_with(|| self.unfinished()))
    }

    /// Text that may still change: the line that is being written, or all that is visible.
    pub(crate) fn unfinished(&self) -> String {
        match self.source {
            TextSource::Lines => self.current_line(),
            TextSource::Picture => {
                text::clean(self.screen.visible_text().trim_end().as_bytes()).into_owned()
            }
        }
    }

    fn current_line(&self) -> String {
        text::clean(&self.lines.current_line()).into_owned()
    }

    /// The line the cursor stands in, if it does not stand at its beginning: what a prompt looks like.
    pub(crate) fn prompt_line(&self) -> Option<String> {
        match self.source {
            TextSource::Lines => self.lines.is_mid_line().then(|| self.current_line()),
            TextSource::Picture => self.screen.is_mid_line().then(|| self.screen.cursor_line()),
        }
    }

    /// Ends the text: what a finished command needs of it was taken, and what others print later is only bytes.
    pub(crate) fn end_text(&mut self) {
        self.text.clear();
        self.text_ended = true;
    }
}

#[cfg(test)]
mod tests;
