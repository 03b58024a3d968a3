//! How a notebook is written: indents, breaks, blanks after colons, escapes.
//!
//! Learned from the text itself, nearest neighbour first, since programs that write notebooks differ and people care
//! about their diffs.

use super::json::{self, Field};
use super::{Cell, Notebook};
use std::ops::Range;

/// What Jupyter indents by, where a file shows nothing else.
const DEFAULT_UNIT: &str = " ";

/// How objects of one depth are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ObjectStyle {
    /// Between the brace and the first name.
    pub(super) open: String,
    /// Between a comma and the next name.
    pub(super) comma: String,
    /// Between a name and its value, colon included.
    pub(super) colon: String,
    /// Between the last value and the brace.
    pub(super) close: String,
    /// What one more level is indented by.
    pub(super) unit: String,
}

impl ObjectStyle {
    /// The style of an object with at least one field.
    pub(super) fn of(text: &str, object: &Range<usize>, fields: &[Field]) -> Option<Self> {
        let (first, last) = (fields.first()?, fields.last()?);
        let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
        let open = part(object.start + 1, first.key.start).to_owned();
        let comma = match fields {
            [one, two, ..] => {
                let between = part(one.value.end, two.key.start);
                between
                    .trim_start_matches([' ', '\t', '\r', '\n'])
                    .trim_start_matches(',')
                    .to_owned()
            }
            _ => open.clone(),
        };
        let close = part(last.value.end, object.end - 1).to_owned();
        let unit = indent(&open)
            .and_then(|inner| inner.strip_prefix(indent(&close)?))
            .filter(|unit| !unit.is_empty())
            .unwrap_or(DEFAULT_UNIT)
            .to_owned();
        Some(Self {
            colon: part(first.key.end, first.value.start).to_owned(),
            open,
            comma,
            close,
            unit,
        })
    }

    /// The style of a cell: that of the cell nearest to `near`, else what the notebook as a whole suggests.
    pub(super) fn of_cell(notebook: &Notebook<'_>, near: usize) -> Self {
        let cell = notebook.cells.get(near).or(notebook.cells.first());
        cell.and_then(|cell| Self::of(notebook.text, &cell.range, &cell.fields))
            .unwrap_or_else(|| Self::below_whole(notebook))
    }

    /// Two levels below the whole.
    fn below_whole(notebook: &Notebook<'_>) -> Self {
        let start = notebook.text.find('{').unwrap_or(0);
        let whole = json::value_at(notebook.text, start);
        let mut style = Self::of(notebook.text, &whole, &notebook.fields).unwrap_or(Self {
            open: String::new(),
            comma: String::new(),
            colon: ":".to_owned(),
            close: String::new(),
            unit: DEFAULT_UNIT.to_owned(),
        });
        if style.is_spread() {
            let deeper = style.unit.repeat(2);
            style.open.push_str(&deeper);
            style.comma.push_str(&deeper);
            style.close.push_str(&deeper);
        }
        style
    }

    /// Whether each field has a line of its own.
    pub(super) fn is_spread(&self) -> bool {
        self.open.contains('\n')
    }

    /// Arrays in objects of this style.
    pub(super) fn array(&self) -> ArrayStyle {
        if self.is_spread() {
            let item = format!("{}{}", self.open, self.unit);
            ArrayStyle {
                open: item.clone(),
                comma: item,
                close: self.open.clone(),
            }
        } else {
            ArrayStyle {
                open: String::new(),
                comma: self.comma.clone(),
                close: String::new(),
            }
        }
    }
}

/// How arrays are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArrayStyle {
    /// Between the bracket and the first element.
    pub(super) open: String,
    /// Between a comma and the next element.
    pub(super) comma: String,
    /// Between the last element and the bracket.
    pub(super) close: String,
}

impl ArrayStyle {
    /// The style of an array that has elements.
    pub(super) fn of(text: &str, array: &Range<usize>, within: &ObjectStyle) -> Option<Self> {
        let items = json::items(text, array);
        let (first, last) = (items.first()?, items.last()?);
        let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
        let open = part(array.start + 1, first.start).to_owned();
        let comma = match items.as_slice() {
            [one, two, ..] => {
                let between = part(one.end, two.start);
                between
                    .split_once(',')
                    .map_or("", |(_, after)| after)
                    .to_owned()
            }
            _ if open.contains('\n') => open.clone(),
            _ if within.is_spread() => " ".to_owned(),
            _ => within.comma.clone(),
        };
        Some(Self {
            close: part(last.end, array.end - 1).to_owned(),
            open,
            comma,
        })
    }

    /// Between cells.
    pub(super) fn of_cells(notebook: &Notebook<'_>, cell: &ObjectStyle) -> Self {
        let found = Self::of(notebook.text, &notebook.array, cell);
        found.unwrap_or_else(|| {
            if !cell.is_spread() {
                return Self {
                    open: String::new(),
                    comma: cell.comma.clone(),
                    close: String::new(),
                };
            }
            let outer = cell.close.strip_suffix(cell.unit.as_str()).unwrap_or("\n");
            Self {
                open: cell.close.clone(),
                comma: cell.close.clone(),
                close: outer.to_owned(),
            }
        })
    }

    /// An array of these values, which are JSON already.
    pub(super) fn write(&self, values: &[String]) -> String {
        if values.is_empty() {
            return "[]".to_owned();
        }
        let between = format!(",{}", self.comma);
        format!("[{}{}{}]", self.open, values.join(&between), self.close)
    }
}

/// Which characters are written as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escapes {
    /// All but those that JSON forbids.
    Few,
    /// ASCII alone.
    NonAscii,
}

impl Escapes {
    pub(super) fn of(text: &str) -> Self {
        if text.is_ascii() && has_escaped_letter(text) {
            Self::NonAscii
        } else {
            Self::Few
        }
    }

    /// A text as a JSON string.
    pub(super) fn write(self, text: &str) -> String {
        let json = serde_json::Value::String(text.to_owned()).to_string();
        match self {
            Self::Few => json,
            Self::NonAscii => {
                let mut ascii = String::with_capacity(json.len());
                for c in json.chars() {
                    if c.is_ascii() {
                        ascii.push(c);
                        continue;
                    }
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        ascii.push_str(&format!("\\u{unit:04x}"));
                    }
                }
                ascii
            }
        }
    }
}

/// Whether a `\u` escape stands for a character beyond ASCII. Controls are escaped by everybody.
fn has_escaped_letter(text: &str) -> bool {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('\\') {
        let is_letter = after
            .strip_prefix('u')
            .and_then(|hex| u32::from_str_radix(hex.get(..4)?, 16).ok())
            .is_some_and(|code| code >= 0x80);
        if is_letter {
            return true;
        }
        // The character after a backslash is no backslash of its own.
        rest = after.get(1..).unwrap_or_default();
    }
    false
}

/// How a text is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceForm {
    /// One string.
    Whole,
    /// An array with a string per line.
    Lines,
}

impl SourceForm {
    /// The form of one cell.
    pub(super) fn of(text: &str, cell: &Cell) -> Option<Self> {
        let value = &json::field(&cell.fields, "source")?.value;
        Some(if json::is_array(text, value) {
            Self::Lines
        } else {
            Self::Whole
        })
    }

    /// The form of most cells.
    pub(super) fn of_most(notebook: &Notebook<'_>) -> Self {
        let forms = notebook
            .cells
            .iter()
            .filter_map(|cell| Self::of(notebook.text, cell));
        let (whole, lines): (Vec<Self>, Vec<Self>) = forms.partition(|form| *form == Self::Whole);
        if whole.len() > lines.len() {
            Self::Whole
        } else {
            Self::Lines
        }
    }

    /// A text in this form.
    pub(super) fn write(self, source: &str, escapes: Escapes, array: &ArrayStyle) -> String {
        match self {
            Self::Whole => escapes.write(source),
            Self::Lines => {
                let lines = source.split_inclusive('\n');
                let lines: Vec<String> = lines.map(|line| escapes.write(line)).collect();
                array.write(&lines)
            }
        }
    }
}

/// What follows the last break.
fn indent(blanks: &str) -> Option<&str> {
    blanks.rsplit_once('\n').map(|(_, indent)| indent)
}
