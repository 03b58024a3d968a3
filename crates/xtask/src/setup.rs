//! Makes a fresh checkout ready: system packages, Node.js, npm packages, test tools.
//!
//! Each step looks first and does nothing where everything is there, so that it costs a fraction of a second the
//! second time. What is fetched goes into the checkout (`target/tools`, `node_modules`), except system packages.

mod node;
mod packages;
mod tools;

pub(crate) use node::Node;
pub(crate) use tools::Tools;

use crate::repository::Repository;
use anyhow::Result;

/// Something only the person can put right; shown as it is, with exit code 2.
#[derive(Debug)]
pub(crate) struct Unprepared(pub(crate) String);

impl std::fmt::Display for Unprepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unprepared {}

/// What building and starting the window needs.
pub(crate) fn for_run(repository: &Repository) -> Result<Node> {
    packages::ensure(repository, packages::FOR_RUN)?;
    let node = Node::ensure(repository)?;
    node.install(repository, "ui")?;
    Ok(node)
}

/// What all tests need.
pub(crate) fn for_test(repository: &Repository) -> Result<(Node, Tools)> {
    packages::ensure(repository, packages::FOR_TEST)?;
    let node = Node::ensure(repository)?;
    node.install(repository, "ui")?;
    node.install(repository, "tests/window")?;
    let tools = Tools::ensure(repository)?;
    Ok((node, tools))
}
