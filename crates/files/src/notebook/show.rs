//! What a model is shown of a notebook: sources whole, outputs as far as they are text and short.

use super::{Cell, Notebook, json};
use edit::LineRanges;
use serde_json::Value;

/// Characters of the outputs of one cell.
const MAX_CELL_OUTPUT_CHARS: usize = 10_000;
/// Characters of a page.
const MAX_PAGE_CHARS: usize = 100_000;
/// Longest name of a media type that is repeated; a longer one is no name.
const MAX_MIME_CHARS: usize = 100;

/// A page of cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CellPage {
    pub(crate) text: String,
    pub(crate) n_shown: usize,
    pub(crate) n_cells: usize,
    /// Cells whose source is shown to its end, counted from 1.
    pub(crate) whole: LineRanges,
    /// The next cell, counted from 1, if there are more.
    pub(crate) next: Option<usize>,
}

/// Shows cells from `first`, counted from 1.
pub(crate) fn show_cells(notebook: &Notebook<'_>, first: usize, max_cells: usize) -> CellPage {
    let n_cells = notebook.cells.len();
    let mut page = CellPage {
        text: String::new(),
        n_shown: 0,
        n_cells,
        whole: LineRanges::new(),
        next: None,
    };
    let mut chars_left = MAX_PAGE_CHARS;
    let cells = notebook.cells.iter().enumerate().skip(first - 1);
    for (index, cell) in cells.take(max_cells) {
        let shown = Shown::of(notebook, index, cell);
        let n_chars = shown.text.chars().count();
        // A page holds at least one cell, or paging would never get past a long one.
        if page.n_shown > 0 && n_chars > chars_left {
            break;
        }
        chars_left = chars_left.saturating_sub(n_chars);
        page.text.push_str(&shown.text);
        page.n_shown += 1;
        if shown.is_whole {
            page.whole.insert(index + 1..index + 2);
        }
    }
    let next = first + page.n_shown;
    page.next = (next <= n_cells).then_some(next);
    let header = header(notebook, first, &page);
    page.text.insert_str(0, &header);
    if let Some(next) = page.next {
        page.text
            .push_str(&format!("[more cells follow: use offset={next}]\n"));
    }
    page
}

fn header(notebook: &Notebook<'_>, first: usize, page: &CellPage) -> String {
    let language = notebook.language.as_deref().unwrap_or("unknown");
    let shown = if page.n_shown < page.n_cells {
        format!(
            "; cells {first}-{} of {}",
            first + page.n_shown - 1,
            page.n_cells
        )
    } else {
        String::new()
    };
    format!(
        "[notebook; language {language}; {} cells{shown}]\n",
        page.n_cells
    )
}

/// One cell as it is shown.
struct Shown {
    text: String,
    is_whole: bool,
}

impl Shown {
    fn of(notebook: &Notebook<'_>, index: usize, cell: &Cell) -> Self {
        let mut text = head(notebook, index, cell);
        let source = beginning(&cell.source, MAX_PAGE_CHARS);
        push_lines(&mut text, source);
        let is_whole = source.len() == cell.source.len();
        if !is_whole {
            text.push_str(&format!(
                "[source cut after {MAX_PAGE_CHARS} characters; this cell cannot be edited]\n"
            ));
        }
        let outputs = outputs(notebook, cell);
        if !outputs.is_empty() {
            text.push_str(&format!("[output of cell {}]\n", index + 1));
            let shown = beginning(&outputs, MAX_CELL_OUTPUT_CHARS);
            push_lines(&mut text, shown);
            if shown.len() < outputs.len() {
                text.push_str(&format!(
                    "[output cut: {MAX_CELL_OUTPUT_CHARS} of {} characters]\n",
                    outputs.chars().count()
                ));
            }
        }
        Self { text, is_whole }
    }
}

fn head(notebook: &Notebook<'_>, index: usize, cell: &Cell) -> String {
    let id = match &cell.id {
        Some(id) => format!("id {id}, cell-{index}"),
        None => format!("cell-{index}"),
    };
    let ran = json::field(&cell.fields, "execution_count")
        .and_then(|field| notebook.text.get(field.value.clone()))
        .filter(|count| *count != "null")
        .map(|count| format!("; execution {count}"))
        .unwrap_or_default();
    format!("[cell {}; {}; {id}{ran}]\n", index + 1, cell.kind)
}

fn outputs(notebook: &Notebook<'_>, cell: &Cell) -> String {
    let value = json::field(&cell.fields, "outputs")
        .and_then(|field| notebook.text.get(field.value.clone()))
        .map(serde_json::from_str::<Value>);
    let outputs = match value {
        None => return String::new(),
        Some(Err(_)) => return "[outputs that cannot be shown]".to_owned(),
        Some(Ok(outputs)) => outputs,
    };
    let mut text = String::new();
    for output in outputs.as_array().into_iter().flatten() {
        push_lines(&mut text, &without_ansi(&output_text(output)));
    }
    text
}

fn output_text(output: &Value) -> String {
    let kind = output
        .get("output_type")
        .and_then(Value::as_str)
        .unwrap_or("");
    match kind {
        "stream" => joined(output.get("text")),
        "error" => {
            let part = |name: &str| {
                output
                    .get(name)
                    .and_then(Value::as_str)
                    .unwrap_or("")
                    .to_owned()
            };
            let trace = output.get("traceback").and_then(Value::as_array);
            let trace: Vec<&str> = trace
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            format!(
                "{}: {}\n{}",
                part("ename"),
                part("evalue"),
                trace.join("\n")
            )
        }
        _ => data_text(output.get("data")),
    }
}

/// Plain text, and the names of everything else.
fn data_text(data: Option<&Value>) -> String {
    let Some(data) = data.and_then(Value::as_object) else {
        return String::new();
    };
    let mut text = joined(data.get("text/plain"));
    let others: Vec<&str> = data
        .keys()
        .map(String::as_str)
        .filter(|mime| *mime != "text/plain" && is_mime(mime))
        .collect();
    if !others.is_empty() {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&format!("[not shown: {}]", others.join(", ")));
    }
    text
}

/// A string, or an array of strings without anything between.
fn joined(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

/// Whether a name is one of a media type: what a notebook says is not repeated unseen.
fn is_mime(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "!#$&^_.+-".contains(c))
    };
    name.len() <= MAX_MIME_CHARS
        && name
            .split_once('/')
            .is_some_and(|(kind, rest)| is_word(kind) && is_word(rest))
}

fn push_lines(out: &mut String, text: &str) {
    out.push_str(text);
    if !text.is_empty() && !text.ends_with('\n') {
        out.push('\n');
    }
}

fn beginning(text: &str, max_chars: usize) -> &str {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => text.split_at(end).0,
        None => text,
    }
}

/// Without colours and other sequences for terminals.
fn without_ansi(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            plain.push(c);
            continue;
        }
        match chars.next() {
            // Control sequence: parameters, then one letter.
            Some('[') => {
                chars.by_ref().find(|c| ('@'..='~').contains(c));
            }
            // Command for the system: up to BEL or the string terminator.
            Some(']') => {
                let end = chars.by_ref().find(|c| matches!(c, '\u{7}' | '\u{1b}'));
                if end == Some('\u{1b}') {
                    chars.next_if_eq(&'\\');
                }
            }
            Some(_) | None => {}
        }
    }
    plain
}
