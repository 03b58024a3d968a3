//! Writes the wire fixtures as typed TypeScript values: the compiler then checks that both sides mean the same bytes.

use crate::repository::Repository;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

/// Where the fixtures lie, from the root of the repository.
const FIXTURES: &str = "tests/fixtures/wire";

/// Folders of fixtures: their TypeScript type and how the values are called.
const GROUPS: &[(&str, &str, &str)] = &[
    ("events", "Envelope", "wireEvents"),
    ("items", "Item", "wireItems"),
    ("displays", "Display", "wireDisplays"),
    ("asks", "Ask", "wireAsks"),
    ("decisions", "Decision", "wireDecisions"),
];

/// The whole file.
pub(super) fn render(repository: &Repository) -> Result<String> {
    let types = GROUPS.iter().map(|(_, name, _)| *name).chain(["Snapshot"]);
    let mut out = format!(
        "import type {{ {} }} from './index';\n",
        types.collect::<Vec<_>>().join(", ")
    );
    for (folder, type_name, name) in GROUPS {
        writeln!(
            out,
            "\nexport const {name}: Readonly<Record<string, {type_name}>> = {{"
        )?;
        for (stem, json) in read_folder(repository, folder)? {
            writeln!(out, "{stem}: {},", json.trim_end())?;
        }
        out.push_str("};\n");
    }
    let snapshot = read(repository, "snapshot.json")?;
    writeln!(
        out,
        "\nexport const wireSnapshot: Snapshot = {};",
        snapshot.trim_end()
    )?;
    Ok(out)
}

/// The files of a folder by the stem of their names.
fn read_folder(repository: &Repository, folder: &str) -> Result<BTreeMap<String, String>> {
    let path = repository.path(FIXTURES).join(folder);
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(&path).with_context(|| format!("read {}", path.display()))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if let Some(stem) = name.strip_suffix(".json") {
            files.insert(
                stem.to_owned(),
                read(repository, &format!("{folder}/{name}"))?,
            );
        }
    }
    Ok(files)
}

fn read(repository: &Repository, name: &str) -> Result<String> {
    let path = repository.path(FIXTURES).join(name);
    fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))
}
