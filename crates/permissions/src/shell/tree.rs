//! The grammar's tree of a text, with a bound on the work.

use std::ops::ControlFlow;
use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// The parser reports about every hundred steps. Ordinary commands of the greatest length stay far below this many
/// reports; text made to be ambiguous runs into it after some tens of milliseconds.
const MAX_PARSER_REPORTS: usize = 20_000;

/// The tree of `text`; `None` when it costs too much.
pub(super) fn parse(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .ok()?;
    let mut reports = 0;
    let mut progress = |_: &tree_sitter::ParseState| {
        reports += 1;
        match reports > MAX_PARSER_REPORTS {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    let mut read = |offset: usize, _| bytes.get(offset..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}

/// The children of a node, in time linear in their number.
pub(super) fn children<'tree>(node: Node<'tree>) -> Vec<Node<'tree>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// The children of a node that are what `field` names.
pub(super) fn fields<'tree>(node: Node<'tree>, field: &str) -> Vec<Node<'tree>> {
    let mut cursor = node.walk();
    node.children_by_field_name(field, &mut cursor).collect()
}
