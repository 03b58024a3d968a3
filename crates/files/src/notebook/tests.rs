use super::plan::known_after;
use super::*;
use edit::LineRanges;

#[test]
fn what_is_no_notebook_is_told_apart() {
    let check = |text: &str, reason: &str| {
        let problem = Notebook::parse(text.as_bytes()).expect_err(text);
        assert_eq!(problem.reason(), reason, "{text}");
    };
    check("", "parse");
    check("[]", "parse");
    check("{\"nbformat\": 4}", "parse");
    check("{\"nbformat\": 4, \"cells\": {}}", "parse");
    check("{\"nbformat\": 4, \"cells\": [1]}", "parse");
    check("{\"nbformat\": 3, \"worksheets\": []}", "nbformat");
    check("{\"cells\": []}", "nbformat");
}

#[test]
fn ids_come_before_numbers() {
    let text = "{\"nbformat\":4,\"nbformat_minor\":5,\"cells\":[{\"id\":\"a\"},{\"id\":\"cell-0\"},{\"id\":\"d\"},{\"id\":\"d\"}]}";
    let notebook = Notebook::parse(text.as_bytes()).expect("a notebook");
    let check = |id: &str, expected: Result<usize, &str>| {
        let found = notebook.index_of(id);
        assert_eq!(found.map_err(|problem| problem.reason()), expected, "{id}");
    };
    check("a", Ok(0));
    check("cell-0", Ok(1));
    check("cell-3", Ok(3));
    check("cell-4", Err("cell_not_found"));
    check("cell-", Err("cell_not_found"));
    check("d", Err("duplicate_id"));
}

#[test]
fn what_is_known_moves_with_the_cells() {
    let seen = LineRanges::from_iter([1..2, 3..4]);
    let check = |edit: CellEdit, index: usize, expected: &[(usize, usize)]| {
        let change = CellChange {
            index,
            id: None,
            kind: "code".to_owned(),
            n_cells: 0,
        };
        let known = known_after(&seen, &change, &edit);
        let ranges = known.ranges().iter();
        let known: Vec<(usize, usize)> = ranges.map(|range| (range.start, range.end)).collect();
        assert_eq!(known, expected, "{edit:?}");
    };
    let source = String::new();
    let cell = String::new();
    let insert = CellEdit::Insert {
        after: None,
        kind: CellKind::Code,
        source: source.clone(),
    };
    check(insert, 1, &[(1, 2), (4, 5)]);
    check(CellEdit::Delete { cell: cell.clone() }, 1, &[(1, 3)]);
    let replace = CellEdit::Replace {
        cell,
        source,
        kind: None,
    };
    check(replace, 2, &[(1, 2)]);
}
