//! Notebooks: what is shown, what may be changed, and that nothing else changes.

use crate::support::Bench;
use files::{
    CellEdit, CellKind, ContentHash, Error, NotebookApplied, NotebookPage, NotebookProposal,
    NotebookRequest, ReadOutcome, ReadRange, apply_notebook, plan_notebook,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;

const ALL: ReadRange = ReadRange {
    offset: None,
    limit: None,
};

/// As Jupyter writes it.
const STUDY: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "a1",
   "metadata": {
    "tags": ["keep"]
   },
   "source": [
    "# Title\n",
    "text"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "b2",
   "metadata": {},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "hi\n"
     ]
    }
   ],
   "source": [
    "import math\n",
    "print('hi')"
   ]
  }
 ],
 "metadata": {
  "kernelspec": {
   "display_name": "Python 3",
   "language": "python",
   "name": "python3"
  }
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

fn cells(bench: &Bench, name: &str, range: ReadRange) -> NotebookPage {
    match bench.read(name, range).expect("a readable notebook") {
        ReadOutcome::Notebook(page) => *page,
        other => panic!("expected cells, got {other:?}"),
    }
}

fn replace(cell: &str, source: &str) -> CellEdit {
    CellEdit::Replace {
        cell: cell.to_owned(),
        source: source.to_owned(),
        kind: None,
    }
}

fn insert(after: Option<&str>, kind: CellKind, source: &str) -> CellEdit {
    CellEdit::Insert {
        after: after.map(str::to_owned),
        kind,
        source: source.to_owned(),
    }
}

fn delete(cell: &str) -> CellEdit {
    CellEdit::Delete {
        cell: cell.to_owned(),
    }
}

impl Bench {
    fn plan_cell(&self, name: &str, edit: CellEdit) -> Result<NotebookProposal, Error> {
        let target = self.resolve(&self.path(name))?;
        plan_notebook(&target, NotebookRequest::new(edit), &self.plan_context())
    }

    fn edit_cell(&self, name: &str, edit: CellEdit) -> Result<NotebookApplied, Error> {
        apply_notebook(&self.plan_cell(name, edit)?, None, &self.apply_context())
    }
}

/// The bytes after an edit of a notebook that was read.
fn edited(text: &str, edit: CellEdit) -> String {
    let bench = Bench::new();
    let path = bench.write("n.ipynb", text);
    cells(&bench, "n.ipynb", ALL);
    bench.edit_cell("n.ipynb", edit).expect("an edit");
    fs::read_to_string(path).expect("the notebook")
}

#[test]
fn cells_are_shown_with_their_outputs() {
    let bench = Bench::new();
    bench.write("study.ipynb", STUDY);
    let page = cells(&bench, "study.ipynb", ALL);
    assert_eq!(
        page.text,
        "[notebook; language python; 2 cells]\n\
         [cell 1; markdown; id a1, cell-0]\n# Title\ntext\n\
         [cell 2; code; id b2, cell-1; execution 3]\nimport math\nprint('hi')\n\
         [output of cell 2]\nhi\n"
    );
    assert_eq!((page.first_cell, page.n_shown, page.n_cells), (1, 2, 2));
}

#[test]
fn outputs_are_text_without_colours_and_names_of_the_rest() {
    let outputs = json!([
        {"output_type": "error", "ename": "E", "evalue": "bad", "traceback": ["\u{1b}[31mline\u{1b}[0m", "two"]},
        {"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": "<Figure>", "x y": "no type"}},
        {"output_type": "execute_result", "data": {"text/plain": ["a\n", "b"]}},
        {"output_type": "stream", "text": "x".repeat(20_000)},
    ]);
    let cell = json!({"cell_type": "code", "source": "", "outputs": outputs});
    let notebook = json!({"nbformat": 4, "cells": [cell]});
    let bench = Bench::new();
    bench.write("n.ipynb", notebook.to_string());
    let page = cells(&bench, "n.ipynb", ALL).text;
    assert!(page.contains("E: bad\nline\ntwo\n"), "{page}");
    assert!(
        page.contains("<Figure>\n[not shown: image/png]\na\nb\n"),
        "{page}"
    );
    assert!(page.contains("[output cut: 10000 of"), "{page}");
    assert!(!page.contains("AAAA") && !page.contains("x y"), "{page}");
    assert!(page.len() < 12_000);
}

#[test]
fn cells_come_in_pages_and_all_must_be_read() {
    let bench = Bench::new();
    bench.write("n.ipynb", STUDY);
    let range = |offset| ReadRange {
        offset: Some(offset),
        limit: Some(1),
    };
    let check = |expected: &str| {
        let error = bench
            .plan_cell("n.ipynb", replace("b2", "x"))
            .expect_err(expected);
        assert_eq!(error.code(), expected, "{error}");
    };
    check("EDIT_REQUIRES_PRIOR_READ");
    let page = cells(&bench, "n.ipynb", range(1));
    assert!(
        page.text.ends_with("[more cells follow: use offset=2]\n"),
        "{}",
        page.text
    );
    check("EDIT_REQUIRES_PRIOR_READ");
    let page = cells(&bench, "n.ipynb", range(2));
    assert!(
        page.text
            .starts_with("[notebook; language python; 2 cells; cells 2-2 of 2]\n")
    );
    bench
        .plan_cell("n.ipynb", replace("b2", "x"))
        .expect("all cells were read");
    let error = bench.read("n.ipynb", range(3)).expect_err("after the end");
    assert_eq!(error.code(), "OFFSET_OUT_OF_RANGE");
    assert!(error.to_string().contains("2 cells"), "{error}");
    bench.write("n.ipynb", STUDY.replace("print", "Print"));
    check("FILE_CHANGED_SINCE_READ");
    fs::remove_file(bench.path("n.ipynb")).expect("a file");
    check("FILE_CHANGED_SINCE_READ");
}

#[test]
fn a_source_is_replaced_and_its_outputs_go() {
    let check = |edit: CellEdit, pieces: [(&str, &str); 3]| {
        let mut expected = STUDY.to_owned();
        for (old, new) in pieces {
            expected = expected.replacen(old, new, 1);
        }
        assert_eq!(edited(STUDY, edit.clone()), expected, "{edit:?}");
    };
    let (_, outputs) = STUDY.split_once("\"outputs\": ").expect("outputs");
    let (outputs, _) = outputs.split_once(",\n   \"source\"").expect("the end");
    let ran = ("\"execution_count\": 3", "\"execution_count\": null");
    let lines = "[\n    \"import math\\n\",\n    \"print('hi')\"\n   ]";
    let new = "[\n    \"x = \\\"\u{e9}\\\"\\n\",\n    \"\\ty\"\n   ]";
    check(
        replace("b2", "x = \"\u{e9}\"\n\ty"),
        [ran, (outputs, "[]"), (lines, new)],
    );
    check(replace("cell-1", ""), [ran, (outputs, "[]"), (lines, "[]")]);
    check(
        replace("a1", "# Title\r\n"),
        [
            (
                "[\n    \"# Title\\n\",\n    \"text\"\n   ]",
                "[\n    \"# Title\\n\"\n   ]",
            ),
            ("", ""),
            ("", ""),
        ],
    );
}

#[test]
fn a_cell_changes_its_kind() {
    let to = |cell: &str, kind| CellEdit::Replace {
        cell: cell.to_owned(),
        source: "s".to_owned(),
        kind: Some(kind),
    };
    let markdown: Value =
        serde_json::from_str(&edited(STUDY, to("b2", CellKind::Markdown))).expect("JSON");
    assert_eq!(
        markdown["cells"][1],
        json!({"cell_type": "markdown", "id": "b2", "metadata": {}, "source": ["s"]})
    );
    let code = edited(STUDY, to("a1", CellKind::Code));
    let start = "  {\n   \"cell_type\": \"code\",\n   \"execution_count\": null,\n   \"id\": \"a1\",\n   \"metadata\": {\n    \
                 \"tags\": [\"keep\"]\n   },\n   \"outputs\": [],\n   \"source\": [\n    \"s\"\n   ]\n  },\n";
    assert!(code.contains(start), "{code}");
    let raw = STUDY.replace("markdown", "raw");
    let kept: Value = serde_json::from_str(&edited(&raw, to("a1", CellKind::Code))).expect("JSON");
    assert_eq!(kept["cells"][0]["cell_type"], "raw");
}

#[test]
fn a_new_cell_stands_where_it_was_asked_for() {
    let code = edited(STUDY, insert(Some("a1"), CellKind::Code, "y = 2"));
    let value: Value = serde_json::from_str(&code).expect("JSON");
    let id = value["cells"][1]["id"].as_str().expect("an id");
    assert_eq!(id.len(), 8);
    let cell = format!(
        ",\n  {{\n   \"cell_type\": \"code\",\n   \"execution_count\": null,\n   \"id\": \"{id}\",\n   \"metadata\": {{}},\n   \
         \"outputs\": [],\n   \"source\": [\n    \"y = 2\"\n   ]\n  }}"
    );
    assert_eq!(code.replacen(&cell, "", 1), STUDY, "all else is as before");
    let old = STUDY.replace("\"nbformat_minor\": 5", "\"nbformat_minor\": 4");
    let first = edited(&old, insert(None, CellKind::Markdown, "intro"));
    let cell = "{\n   \"cell_type\": \"markdown\",\n   \"metadata\": {},\n   \"source\": [\n    \"intro\"\n   ]\n  },\n  ";
    assert_eq!(first.replacen(cell, "", 1), old, "no id before format 4.5");
    assert!(first.starts_with("{\n \"cells\": [\n  {\n   \"cell_type\": \"markdown\""));
    let empty = "{\n \"cells\": [],\n \"nbformat\": 4\n}\n";
    assert_eq!(
        edited(empty, insert(None, CellKind::Markdown, "a")),
        "{\n \"cells\": [\n  {\n   \"cell_type\": \"markdown\",\n   \"metadata\": {},\n   \"source\": [\n    \"a\"\n   ]\n  }\n ],\n \"nbformat\": 4\n}\n"
    );
    assert_eq!(
        edited(
            "{\"cells\":[],\"nbformat\":4}",
            insert(None, CellKind::Code, "a\nb")
        ),
        "{\"cells\":[{\"cell_type\":\"code\",\"execution_count\":null,\"metadata\":{},\"outputs\":[],\"source\":[\"a\\n\",\"b\"]}],\"nbformat\":4}"
    );
}

#[test]
fn a_cell_goes_with_its_comma() {
    let check = |text: &str, cell: &str, expected: &str| {
        assert_eq!(edited(text, delete(cell)), expected, "{cell}");
    };
    let three = "{\"nbformat\":4, \"cells\": [{\"id\":\"a\"}, {\"id\":\"b\"}, {\"id\":\"c\"}]}";
    check(
        three,
        "a",
        "{\"nbformat\":4, \"cells\": [{\"id\":\"b\"}, {\"id\":\"c\"}]}",
    );
    check(
        three,
        "b",
        "{\"nbformat\":4, \"cells\": [{\"id\":\"a\"}, {\"id\":\"c\"}]}",
    );
    check(
        three,
        "c",
        "{\"nbformat\":4, \"cells\": [{\"id\":\"a\"}, {\"id\":\"b\"}]}",
    );
    check(
        "{\"nbformat\":4,\"cells\":[ {} ]}",
        "cell-0",
        "{\"nbformat\":4,\"cells\":[]}",
    );
}

#[test]
fn refusals_say_why_and_write_nothing() {
    let bench = Bench::new();
    let path = bench.write("n.ipynb", STUDY);
    cells(&bench, "n.ipynb", ALL);
    let check = |edit: CellEdit, code: &str, reason: Option<&str>| {
        let error = bench.plan_cell("n.ipynb", edit).expect_err(code);
        assert_eq!((error.code(), error.reason()), (code, reason), "{error}");
    };
    let failure = "NOTEBOOK_EDIT_FAILURE";
    check(replace("zz", "x"), failure, Some("cell_not_found"));
    check(replace("cell-2", "x"), failure, Some("cell_not_found"));
    check(
        insert(Some("zz"), CellKind::Code, "x"),
        failure,
        Some("cell_not_found"),
    );
    check(replace("a1", "# Title\ntext"), "EDIT_NO_CHANGE", None);
    check(
        replace("b2", "# ... existing code ..."),
        "EDIT_OMISSION_PLACEHOLDER",
        None,
    );
    assert_eq!(fs::read_to_string(&path).expect("the notebook"), STUDY);
    bench.write("broken.ipynb", "{\"nbformat\": 4, \"cells\": [}");
    bench.page("broken.ipynb", ALL);
    let error = bench
        .plan_cell("broken.ipynb", delete("cell-0"))
        .expect_err("broken");
    assert_eq!((error.code(), error.reason()), (failure, Some("parse")));
}

#[test]
fn a_person_may_change_the_source_or_keep_the_cell() {
    let bench = Bench::new();
    let path = bench.write("n.ipynb", STUDY);
    cells(&bench, "n.ipynb", ALL);
    let proposal = bench
        .plan_cell("n.ipynb", replace("a1", "# New"))
        .expect("a plan");
    let kept = apply_notebook(&proposal, Some("# Title\ntext"), &bench.apply_context());
    assert_eq!(kept.expect_err("kept").code(), "USER_KEPT_ORIGINAL");
    assert_eq!(fs::read_to_string(&path).expect("the notebook"), STUDY);
    let applied =
        apply_notebook(&proposal, Some("# Mine"), &bench.apply_context()).expect("a write");
    assert!(applied.changed_by_user);
    let expected = STUDY.replace("\"# Title\\n\",\n    \"text\"", "\"# Mine\"");
    assert_eq!(fs::read_to_string(&path).expect("the notebook"), expected);
    assert!(
        bench.store.holds(STUDY.as_bytes()),
        "the old bytes are kept"
    );
    bench
        .edit_cell("n.ipynb", delete("b2"))
        .expect("the model knows the file as it is now");
}

#[test]
fn edits_follow_each_other_without_reading_again() {
    let bench = Bench::new();
    bench.write("n.ipynb", STUDY);
    cells(&bench, "n.ipynb", ALL);
    bench
        .edit_cell("n.ipynb", insert(Some("b2"), CellKind::Code, "y = 2"))
        .expect("an insert");
    bench
        .edit_cell("n.ipynb", insert(None, CellKind::Markdown, "intro"))
        .expect("an insert");
    bench
        .edit_cell("n.ipynb", delete("cell-1"))
        .expect("a deletion");
    let page = cells(&bench, "n.ipynb", ALL).text;
    let sources: Vec<&str> = page.lines().filter(|line| !line.starts_with('[')).collect();
    assert_eq!(
        sources,
        ["intro", "import math", "print('hi')", "hi", "y = 2"]
    );
}

#[test]
fn a_notebook_the_model_wrote_can_be_edited() {
    let bench = Bench::new();
    let target = bench.resolve(&bench.path("new.ipynb")).expect("a path");
    let request = files::ChangeRequest::Write { content: STUDY };
    let proposal = files::plan(&target, &request, &bench.plan_context()).expect("a plan");
    files::apply(
        &proposal,
        files::Decided::AsProposed,
        &bench.apply_context(),
    )
    .expect("a write");
    bench.edit_cell("new.ipynb", delete("a1")).expect("an edit");
    bench.edit_cell("new.ipynb", delete("b2")).expect("another");
}

/// How a program writes JSON.
#[derive(Debug, Clone)]
enum Style {
    Spread(&'static str),
    Inline,
    Minified,
}

/// Writes a value in a style; `depth` counts from 0.
fn write(value: &Value, style: &Style, depth: usize) -> String {
    let (open, comma, close, colon) = match style {
        Style::Spread(unit) => (
            format!("\n{}", unit.repeat(depth + 1)),
            format!(",\n{}", unit.repeat(depth + 1)),
            format!("\n{}", unit.repeat(depth)),
            ": ",
        ),
        Style::Inline => (String::new(), ", ".to_owned(), String::new(), ": "),
        Style::Minified => (String::new(), ",".to_owned(), String::new(), ":"),
    };
    let parts: Vec<String> = match value {
        Value::Array(items) => items
            .iter()
            .map(|item| write(item, style, depth + 1))
            .collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, item)| format!("{}{colon}{}", json!(name), write(item, style, depth + 1)))
            .collect(),
        other => return other.to_string(),
    };
    let (start, end) = if value.is_array() {
        ('[', ']')
    } else {
        ('{', '}')
    };
    if parts.is_empty() {
        return format!("{start}{end}");
    }
    format!("{start}{open}{}{close}{end}", parts.join(&comma))
}

fn ascii(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

fn source_value(source: &str, as_lines: bool) -> Value {
    if as_lines {
        json!(source.split_inclusive('\n').collect::<Vec<_>>())
    } else {
        json!(source)
    }
}

fn text() -> impl Strategy<Value = String> {
    proptest::string::string_regex("[a-c\u{e9}\u{1f600}\"\\\\/ \t\n{}\\[\\],:\u{7}]{0,12}")
        .expect("a pattern")
}

prop_compose! {
    fn cell()(id in 0u32..1_000_000, is_code: bool, source in text(), as_lines: bool, output in text(), tag in text()) -> Value {
        let mut cell = json!({
            "cell_type": if is_code { "code" } else { "markdown" },
            "id": format!("c{id}"),
            "metadata": {"tag": tag},
            "source": source_value(&source, as_lines),
        });
        if is_code {
            cell["execution_count"] = json!(id);
            cell["outputs"] = json!([{"output_type": "stream", "name": "stdout", "text": [output]}]);
        }
        cell
    }
}

fn style() -> impl Strategy<Value = Style> {
    prop_oneof![
        Just(Style::Spread(" ")),
        Just(Style::Spread("  ")),
        Just(Style::Spread("    ")),
        Just(Style::Spread("\t")),
        Just(Style::Inline),
        Just(Style::Minified),
    ]
}

/// The whole as a program in this style would write it.
fn written(cells: &[Value], (style, crlf, escaped, end): (&Style, bool, bool, &str)) -> String {
    let notebook =
        json!({"cells": cells, "metadata": {"note": "\u{e9}"}, "nbformat": 4, "nbformat_minor": 5});
    let mut text = write(&notebook, style, 0) + end;
    if escaped {
        text = ascii(&text);
    }
    if crlf {
        text.replace('\n', "\r\n")
    } else {
        text
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_change_is_what_the_program_of_the_file_would_have_written(
        cells in prop::collection::vec(cell(), 1..5),
        (style, crlf, escaped) in (style(), any::<bool>(), any::<bool>()),
        end in prop_oneof![Just(""), Just("\n")],
        (at, what) in (0usize..5, 0u8..3),
        source in text(),
    ) {
        let at = at % cells.len();
        let form = (&style, crlf, escaped, end);
        let before = written(&cells, form);
        let lines = |cell: &Value| cell["source"].is_array();
        let mut after = cells.clone();
        let old: String = match &cells[at]["source"] {
            Value::String(text) => text.clone(),
            other => other.as_array().expect("lines").iter().map(|line| line.as_str().expect("text")).collect(),
        };
        prop_assume!(what != 0 || old != source);
        let id = format!("cell-{at}");
        let edit = match what {
            0 => {
                after[at]["source"] = source_value(&source, lines(&cells[at]));
                if cells[at]["cell_type"] == "code" {
                    after[at]["execution_count"] = Value::Null;
                    after[at]["outputs"] = json!([]);
                }
                replace(&id, &source)
            }
            1 => {
                after.remove(at);
                delete(&id)
            }
            _ => insert(Some(&id), CellKind::Code, &source),
        };
        let bench = Bench::new();
        let path = bench.write("n.ipynb", &before);
        read_all(&bench);
        let applied = bench.edit_cell("n.ipynb", edit).expect("an edit");
        if what == 2 {
            let n_lines = cells.iter().filter(|cell| lines(cell)).count();
            let id = applied.written.cell.id.clone().expect("an id");
            after.insert(at + 1, json!({
                "cell_type": "code", "execution_count": null, "id": id, "metadata": {}, "outputs": [],
                "source": source_value(&source, n_lines * 2 >= cells.len()),
            }));
        }
        let now = fs::read_to_string(path).expect("the notebook");
        // An empty list of cells, or one that was inline, shows no style; then the values are all there is to compare.
        prop_assert_eq!(&now, &written(&after, form));
        prop_assert_eq!(ContentHash::of(now.as_bytes()), applied.committed.hash);
    }
}

fn read_all(bench: &Bench) {
    cells(bench, "n.ipynb", ALL);
}
