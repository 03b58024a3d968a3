//! The rules. `ARCHITECTURE.md` says why they are there.

use super::Finding;
use super::facts::{Crate, Facts, Text};

/// Which crates of the workspace a crate may use.
const ARROWS: &[(&str, &[&str])] = &[
    ("protocol", &[]),
    ("edit", &["protocol"]),
    ("sandbox", &[]),
    ("terminal", &["protocol", "sandbox"]),
    ("tool-api", &["protocol"]),
    ("llm", &["protocol"]),
    ("store", &["protocol"]),
    ("permissions", &["protocol"]),
    ("files", &["protocol", "edit"]),
    (
        "tools",
        &["protocol", "tool-api", "edit", "files", "terminal"],
    ),
    ("agent", &["protocol", "tool-api", "llm", "store"]),
    (
        "app",
        &[
            "protocol", "edit", "sandbox", "terminal", "tool-api", "llm", "store", "files",
            "tools", "agent",
        ],
    ),
    ("cli", &["protocol", "app"]),
    ("benchdog-desktop", &["protocol", "app"]),
    ("tests", &["protocol", "app"]),
    ("xtask", &["protocol"]),
];

/// Which crates may use a library; a name that ends in `*` stands for all that begin like it.
const OWNERS: &[(&str, &[&str])] = &[
    ("tauri*", &["benchdog-desktop"]),
    ("rusqlite", &["store"]),
    ("portable-pty", &["terminal"]),
    ("vt100", &["terminal"]),
    ("landlock", &["sandbox"]),
    ("seccompiler", &["sandbox"]),
    ("similar", &["edit"]),
    ("ignore", &["files"]),
    ("globset", &["files"]),
    ("grep-*", &["files"]),
    ("image", &["files"]),
    ("tree-sitter*", &["permissions"]),
    ("jsonschema", &["tool-api"]),
    ("reqwest", &["llm", "tools", "mcp"]),
    ("ts-rs", &["protocol", "xtask"]),
];

/// Crates that take values and give values.
const PURE: &[&str] = &["protocol", "edit", "permissions"];

/// Libraries that reach for the world outside: runtime, clock, chance, system calls.
const IMPURE: &[&str] = &[
    "tokio", "jiff", "fastrand", "rustix", "tracing", "reqwest", "tempfile",
];

/// Longer files are split before they grow further.
const MAX_LINES: usize = 600;

/// Source that people write.
const SOURCE_ENDINGS: &[&str] = &[".rs", ".ts", ".tsx", ".mjs", ".css"];

/// Data that tests read; it follows the rules of whoever it imitates.
const FIXTURES: &str = "tests/fixtures/";

/// No crate uses one that the table does not give it. Tests of a crate may look sideways.
pub(super) fn arrows(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for user in &facts.crates {
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == user.name) else {
            findings.push(finding(
                &user.name,
                "has no row in the table of arrows".to_owned(),
            ));
            continue;
        };
        let ours = user
            .dependencies
            .iter()
            .filter(|used| used.path.is_some() && used.kind.as_deref() != Some("dev"));
        for used in ours.filter(|used| !allowed.contains(&used.name.as_str())) {
            findings.push(finding(&user.name, format!("may not use `{}`", used.name)));
        }
    }
    findings
}

/// No library has a second owner, not even in tests.
pub(super) fn owners(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for user in &facts.crates {
        for (library, owners) in OWNERS {
            let is_used = uses(user, |name| names(library, name));
            if is_used && !owners.contains(&user.name.as_str()) {
                findings.push(finding(
                    &user.name,
                    format!("uses `{library}`, which belongs to {}", owners.join(", ")),
                ));
            }
        }
    }
    findings
}

/// A pure crate uses nothing that reaches for the world outside.
pub(super) fn purity(facts: &Facts) -> Vec<Finding> {
    let pure = facts
        .crates
        .iter()
        .filter(|user| PURE.contains(&user.name.as_str()));
    pure.flat_map(|user| {
        let impure = user
            .dependencies
            .iter()
            .filter(|used| used.kind.is_none() && IMPURE.contains(&used.name.as_str()));
        impure.map(|used| {
            finding(
                &user.name,
                format!("is pure and may not use `{}`", used.name),
            )
        })
    })
    .collect()
}

/// No source file is too long. Tests do not count, nor does what a program wrote.
pub(super) fn long_files(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for text in facts
        .texts
        .iter()
        .filter(|text| is_source(text) && !is_test(&text.path) && !is_generated(text))
    {
        let lines = text
            .content
            .lines()
            .take_while(|line| line.trim() != "#[cfg(test)]")
            .count();
        if lines > MAX_LINES {
            findings.push(finding(
                &text.path,
                format!("has {lines} lines; {MAX_LINES} is the limit"),
            ));
        }
    }
    findings
}

/// Plans belong in issues, not in the source.
pub(super) fn stray_marks(facts: &Facts) -> Vec<Finding> {
    // Put together here, so that this file does not find itself.
    let marks = [
        ["TO", "DO"].concat(),
        ["FIX", "ME"].concat(),
        ["XX", "X"].concat(),
    ];
    let mut findings = Vec::new();
    for text in facts
        .texts
        .iter()
        .filter(|text| is_source(text) && !is_test(&text.path))
    {
        for (number, line) in (1..).zip(text.content.lines()) {
            if let Some(mark) = marks.iter().find(|mark| has_word(line, mark)) {
                findings.push(finding(
                    &format!("{}:{number}", text.path),
                    format!("leaves a {mark} behind"),
                ));
            }
        }
    }
    findings
}

/// A link of a document leads to a file of the repository.
pub(super) fn broken_links(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    let documents = facts
        .texts
        .iter()
        .filter(|text| text.path.ends_with(".md") && !text.path.starts_with(FIXTURES));
    for text in documents {
        for target in link_targets(&text.content) {
            let path = resolve(&text.path, target);
            if !facts.paths.contains(&path) {
                findings.push(finding(
                    &text.path,
                    format!("links to `{target}`, which does not exist"),
                ));
            }
        }
    }
    findings
}

/// A lock file names no host, so that it works behind any registry.
pub(super) fn lock_files(facts: &Facts) -> Vec<Finding> {
    let locks = facts
        .texts
        .iter()
        .filter(|text| text.path.ends_with("package-lock.json"));
    let with_host = locks.filter(|text| text.content.contains("\"resolved\": \"http"));
    with_host
        .map(|text| {
            finding(
                &text.path,
                "names a registry's host; see omit-lockfile-registry-resolved".to_owned(),
            )
        })
        .collect()
}

/// No text names a folder of the machine it was written on.
pub(super) fn machine_paths(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for text in &facts.texts {
        for word in facts
            .machine_words
            .iter()
            .filter(|word| text.content.contains(*word))
        {
            findings.push(finding(
                &text.path,
                format!("names `{word}`, a path of this machine"),
            ));
        }
    }
    findings
}

fn finding(place: &str, problem: String) -> Finding {
    Finding {
        place: place.to_owned(),
        problem,
    }
}

fn uses(user: &Crate, wanted: impl Fn(&str) -> bool) -> bool {
    user.dependencies.iter().any(|used| wanted(&used.name))
}

/// `pattern` stands for `name`.
fn names(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == pattern,
    }
}

fn is_source(text: &Text) -> bool {
    SOURCE_ENDINGS
        .iter()
        .any(|ending| text.path.ends_with(ending))
}

/// A file that only tests need.
fn is_test(path: &str) -> bool {
    let in_folder = path.starts_with("tests/") || path.split('/').any(|part| part == "tests");
    let by_name = [
        ".test.ts",
        ".test.tsx",
        ".spec.ts",
        "/tests.rs",
        "_tests.rs",
    ];
    in_folder || by_name.iter().any(|ending| path.ends_with(ending))
}

/// A file that says on its first line that a program wrote it.
fn is_generated(text: &Text) -> bool {
    text.content.starts_with("// Generated by")
}

/// `word` stands in `line` with nothing joined to it.
fn has_word(line: &str, word: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|part| part == word)
}

/// Targets of `[text](target)` that lie in the repository, without their anchors.
fn link_targets(markdown: &str) -> impl Iterator<Item = &str> {
    markdown
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|target| !target.contains("://") && !target.starts_with("mailto:"))
        .filter_map(|target| target.split('#').next())
        .filter(|target| !target.is_empty())
}

/// The path from the root that `target` means in the document `from`.
fn resolve(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
}
