//! The line that is being written, and what redraws it.
//!
//! Almost every line is only appended to, so it is kept as bytes. The first overwrite turns it into cells, one per
//! column, where wide characters take two; tabs are expanded then, because columns begin to matter.

use super::escape::Part;
use unicode_width::UnicodeWidthChar;

/// Columns between tab stops.
const TAB_COLUMNS: usize = 8;

/// The current line and its cursor.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// The line as long as it was only appended to.
    bytes: Vec<u8>,
    /// The cursor went back to the start of `bytes`; otherwise it is at their end.
    returned: bool,
    cells: Option<Cells>,
}

impl Line {
    /// Writes text at the cursor.
    pub(super) fn write(&mut self, text: &[u8]) {
        if self.bytes.is_empty() {
            self.returned = false;
        }
        match &mut self.cells {
            None if !self.returned => self.bytes.extend_from_slice(text),
            None | Some(_) => self.cells_mut().write(text),
        }
    }

    pub(super) fn carriage_return(&mut self) {
        match &mut self.cells {
            None => self.returned = true,
            Some(cells) => cells.column = 0,
        }
    }

    pub(super) fn backspace(&mut self) {
        if !self.is_at_start() {
            let cells = self.cells_mut();
            cells.column = cells.column.saturating_sub(1);
        }
    }

    pub(super) fn erase(&mut self, part: Part) {
        match (&self.cells, part) {
            (None, Part::ToEnd | Part::All) if self.returned => self.bytes.clear(),
            (None, Part::ToEnd) => {}
            (None | Some(_), part) => self.cells_mut().erase(part),
        }
    }

    /// True if the cursor went back to the first column.
    pub(super) fn is_returned(&self) -> bool {
        self.cells
            .as_ref()
            .map_or(self.returned, |cells| cells.column == 0)
    }

    /// True if the cursor is in the first column.
    pub(super) fn is_at_start(&self) -> bool {
        self.is_returned() || self.len() == 0
    }

    /// Size, in bytes or columns.
    pub(super) fn len(&self) -> usize {
        self.cells
            .as_ref()
            .map_or(self.bytes.len(), |cells| cells.cells.len())
    }

    /// Moves the line to `target` and begins an empty one.
    pub(super) fn take(&mut self, target: &mut Vec<u8>) {
        match self.cells.take() {
            None => target.append(&mut self.bytes),
            Some(cells) => target.extend(cells.render()),
        }
        self.returned = false;
    }

    /// Like [`Line::take`], but a character whose last bytes are still to come stays.
    pub(super) fn take_complete(&mut self, target: &mut Vec<u8>) {
        let rest = match &mut self.cells {
            None => self.bytes.split_off(complete_len(&self.bytes)),
            Some(cells) => std::mem::take(&mut cells.partial),
        };
        self.take(target);
        self.bytes = rest;
    }

    /// The line as it looks.
    pub(super) fn render(&self) -> Vec<u8> {
        self.cells
            .as_ref()
            .map_or_else(|| self.bytes.clone(), Cells::render)
    }

    /// The line as cells, converted if it was not.
    fn cells_mut(&mut self) -> &mut Cells {
        let Self {
            bytes,
            returned,
            cells,
        } = self;
        cells.get_or_insert_with(|| {
            let mut cells = Cells::default();
            cells.write(bytes);
            bytes.clear();
            if std::mem::take(returned) {
                cells.column = 0;
            }
            cells
        })
    }
}

/// One column. The right half of a wide character is empty.
#[derive(Debug, Clone, Default)]
struct Cell {
    character: Option<char>,
    /// Accents and other characters without width.
    marks: String,
}

impl Cell {
    fn blank() -> Self {
        Self {
            character: Some(' '),
            marks: String::new(),
        }
    }
}

/// A line that was redrawn.
#[derive(Debug, Default)]
struct Cells {
    cells: Vec<Cell>,
    column: usize,
    /// The first bytes of a character whose last are still to come.
    partial: Vec<u8>,
}

impl Cells {
    fn write(&mut self, text: &[u8]) {
        self.partial.extend_from_slice(text);
        let rest = self.partial.split_off(complete_len(&self.partial));
        let complete = std::mem::replace(&mut self.partial, rest);
        for character in String::from_utf8_lossy(&complete).chars() {
            self.put(character);
        }
    }

    /// Writes one character at the cursor and moves it.
    fn put(&mut self, character: char) {
        if character == '\t' {
            self.column = (self.column / TAB_COLUMNS + 1) * TAB_COLUMNS;
            self.pad(self.column);
            return;
        }
        match character.width().unwrap_or(0) {
            0 => {
                if let Some(before) = self
                    .column
                    .checked_sub(1)
                    .and_then(|column| self.cells.get_mut(column))
                {
                    before.marks.push(character);
                }
            }
            width => {
                self.pad(self.column + width);
                self.split_wide(self.column);
                self.split_wide(self.column + width);
                for (index, cell) in self
                    .cells
                    .iter_mut()
                    .skip(self.column)
                    .take(width)
                    .enumerate()
                {
                    *cell = Cell {
                        character: (index == 0).then_some(character),
                        marks: String::new(),
                    };
                }
                self.column += width;
            }
        }
    }

    fn pad(&mut self, columns: usize) {
        if self.cells.len() < columns {
            self.cells.resize_with(columns, Cell::blank);
        }
    }

    /// A wide character that is cut at this column leaves blanks on both sides.
    fn split_wide(&mut self, column: usize) {
        if self
            .cells
            .get(column)
            .is_some_and(|cell| cell.character.is_none())
        {
            self.cells
                .iter_mut()
                .skip(column.saturating_sub(1))
                .take(2)
                .for_each(|cell| *cell = Cell::blank());
        }
    }

    fn erase(&mut self, part: Part) {
        match part {
            Part::ToEnd => self.cells.truncate(self.column),
            Part::All => self.cells.clear(),
            Part::ToStart => self
                .cells
                .iter_mut()
                .take(self.column + 1)
                .for_each(|cell| *cell = Cell::blank()),
        }
    }

    fn render(&self) -> Vec<u8> {
        let characters = self
            .cells
            .iter()
            .flat_map(|cell| cell.character.into_iter().chain(cell.marks.chars()));
        let text: String = characters.collect();
        text.trim_end_matches(' ').as_bytes().to_vec()
    }
}

/// Length of the front that holds no half character at its end.
fn complete_len(bytes: &[u8]) -> usize {
    let looked_at = bytes.len().saturating_sub(3)..bytes.len();
    for index in looked_at.rev() {
        let byte = bytes.get(index).copied().unwrap_or_default();
        let needed = match byte {
            0xf0..=0xf7 => 4,
            0xe0..=0xef => 3,
            0xc0..=0xdf => 2,
            0x80..=0xbf => continue,
            _ => 1,
        };
        return if index + needed > bytes.len() {
            index
        } else {
            bytes.len()
        };
    }
    bytes.len()
}
