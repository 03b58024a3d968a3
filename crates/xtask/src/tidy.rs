//! The house rules that a compiler does not know: who may use whom, who owns which library, how long a file may be.
//!
//! Gathering facts and judging them are apart, so that each rule is tested on facts that break it. A rule is a
//! function from facts to findings; nothing here changes a file.

mod facts;
mod rules;
#[cfg(test)]
mod tests;

use crate::repository::Repository;
use anyhow::{Result, bail};
use facts::Facts;

/// Something that breaks a rule, and where.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    place: String,
    problem: String,
}

/// Fails if any rule is broken, after naming everything that breaks one.
pub(crate) fn run(repository: &Repository) -> Result<()> {
    let facts = Facts::gather(repository)?;
    let findings = check(&facts);
    for finding in &findings {
        println!("{}: {}", finding.place, finding.problem);
    }
    match findings.len() {
        0 => Ok(()),
        n => bail!("{n} places break a house rule"),
    }
}

/// Everything that breaks a rule, in a fixed order.
fn check(facts: &Facts) -> Vec<Finding> {
    let mut findings: Vec<Finding> = [
        rules::arrows(facts),
        rules::owners(facts),
        rules::purity(facts),
        rules::long_files(facts),
        rules::stray_marks(facts),
        rules::broken_links(facts),
        rules::lock_files(facts),
        rules::machine_paths(facts),
    ]
    .concat();
    findings.sort();
    findings
}
