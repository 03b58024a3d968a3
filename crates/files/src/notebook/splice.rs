//! Changes of one cell as bytes: all that is not the cell, or the comma beside it, is copied.

use super::json;
use super::style::{ArrayStyle, Escapes, ObjectStyle, SourceForm};
use super::{CellKind, Notebook};

/// A cell that is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NewCell<'a> {
    pub(super) kind: CellKind,
    /// Where cells have ids.
    pub(super) id: Option<&'a str>,
    pub(super) source: &'a str,
}

/// The notebook with another source in a cell, and perhaps of another kind.
pub(super) fn replaced(
    notebook: &Notebook<'_>,
    index: usize,
    source: &str,
    kind: Option<CellKind>,
) -> Option<String> {
    let cell = notebook.cells.get(index)?;
    let form = SourceForm::of(notebook.text, cell).unwrap_or_else(|| SourceForm::of_most(notebook));
    let style = ObjectStyle::of_cell(notebook, index);
    let array = json::field(&cell.fields, "source")
        .filter(|field| json::is_array(notebook.text, &field.value))
        .and_then(|field| ArrayStyle::of(notebook.text, &field.value, &style))
        .unwrap_or_else(|| style.array());
    let mut object = Object {
        text: notebook.text.get(cell.range.clone())?.to_owned(),
        style,
    };
    let source = form.write(source, Escapes::of(notebook.text), &array);
    object.set("source", &source);
    let becomes = cell.kind_after(kind);
    if becomes != cell.kind {
        object.set("cell_type", &Escapes::Few.write(becomes));
    }
    if becomes == CellKind::Code.name() {
        object.set("execution_count", "null");
        object.set("outputs", "[]");
    } else if becomes != cell.kind {
        object.remove("execution_count");
        object.remove("outputs");
    }
    Some(with(
        notebook.text,
        cell.range.start,
        cell.range.end,
        &object.text,
    ))
}

/// The notebook with one more cell, at this 0-based place.
pub(super) fn inserted(notebook: &Notebook<'_>, at: usize, new: NewCell<'_>) -> Option<String> {
    let style = ObjectStyle::of_cell(notebook, at.saturating_sub(1));
    let between = ArrayStyle::of_cells(notebook, &style);
    let cell = written(notebook, new, &style);
    let text = notebook.text;
    if notebook.cells.is_empty() {
        let array = between.write(&[cell]);
        return Some(with(text, notebook.array.start, notebook.array.end, &array));
    }
    match at.checked_sub(1) {
        None => {
            let start = notebook.cells.first()?.range.start;
            let piece = format!("{cell},{}", between.comma);
            Some(with(text, start, start, &piece))
        }
        Some(before) => {
            let end = notebook.cells.get(before)?.range.end;
            let piece = format!(",{}{cell}", between.comma);
            Some(with(text, end, end, &piece))
        }
    }
}

/// The notebook without a cell.
pub(super) fn deleted(notebook: &Notebook<'_>, index: usize) -> Option<String> {
    let cell = &notebook.cells.get(index)?.range;
    let before = index.checked_sub(1).and_then(|at| notebook.cells.get(at));
    let (start, end) = match (before, notebook.cells.get(index + 1)) {
        (_, Some(next)) => (cell.start, next.range.start),
        (Some(before), None) => (before.range.end, cell.end),
        (None, None) => (notebook.array.start + 1, notebook.array.end - 1),
    };
    Some(with(notebook.text, start, end, ""))
}

/// A cell with its fields in the order that Jupyter gives them.
fn written(notebook: &Notebook<'_>, new: NewCell<'_>, style: &ObjectStyle) -> String {
    let source =
        SourceForm::of_most(notebook).write(new.source, Escapes::of(notebook.text), &style.array());
    let mut fields = vec![("cell_type", Escapes::Few.write(new.kind.name()))];
    if new.kind == CellKind::Code {
        fields.push(("execution_count", "null".to_owned()));
    }
    fields.extend(new.id.map(|id| ("id", Escapes::Few.write(id))));
    fields.push(("metadata", "{}".to_owned()));
    if new.kind == CellKind::Code {
        fields.push(("outputs", "[]".to_owned()));
    }
    fields.push(("source", source));
    let fields: Vec<String> = fields
        .into_iter()
        .map(|(name, value)| format!("\"{name}\"{}{value}", style.colon))
        .collect();
    let between = format!(",{}", style.comma);
    format!("{{{}{}{}}}", style.open, fields.join(&between), style.close)
}

/// A text with another piece between two places.
fn with(text: &str, start: usize, end: usize, piece: &str) -> String {
    let (head, tail) = (text.get(..start), text.get(end..));
    format!(
        "{}{piece}{}",
        head.unwrap_or_default(),
        tail.unwrap_or_default()
    )
}

/// The text of one cell while its fields change.
struct Object {
    text: String,
    style: ObjectStyle,
}

impl Object {
    fn fields(&self) -> Vec<json::Field> {
        json::fields(&self.text, &(0..self.text.len()))
    }

    /// Gives a field this value. A new one comes where Jupyter's order of names puts it.
    fn set(&mut self, name: &str, value: &str) {
        let fields = self.fields();
        if let Some(field) = json::field(&fields, name) {
            self.text = with(&self.text, field.value.start, field.value.end, value);
            return;
        }
        let written = format!("\"{name}\"{}{value}", self.style.colon);
        let (at, piece) = match (
            fields.iter().find(|field| field.name.as_str() > name),
            fields.last(),
        ) {
            (Some(next), _) => (next.key.start, format!("{written},{}", self.style.comma)),
            (None, Some(last)) => (last.value.end, format!(",{}{written}", self.style.comma)),
            (None, None) => (
                1,
                format!("{}{written}{}", self.style.open, self.style.close),
            ),
        };
        self.text = with(&self.text, at, at, &piece);
    }

    fn remove(&mut self, name: &str) {
        let fields = self.fields();
        let Some(index) = fields.iter().rposition(|field| field.name == name) else {
            return;
        };
        let before = index.checked_sub(1).and_then(|at| fields.get(at));
        let Some(field) = fields.get(index) else {
            return;
        };
        let (start, end) = match (before, fields.get(index + 1)) {
            (_, Some(next)) => (field.key.start, next.key.start),
            (Some(before), None) => (before.value.end, field.value.end),
            (None, None) => (field.key.start, field.value.end),
        };
        self.text = with(&self.text, start, end, "");
    }
}
