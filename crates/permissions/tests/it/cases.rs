//! The cases of commands: what each would do, what it runs, and what the rules of the file say about it.

use permissions::{Class, Disk, Place, analyse};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const FILE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/fixtures/cases/shell-classify.json"
));

#[derive(Deserialize)]
struct File {
    context: Context,
    counts: BTreeMap<String, usize>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Context {
    home: PathBuf,
    workspace_roots: Vec<PathBuf>,
    cwd: PathBuf,
    env_known: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    command: String,
    class: String,
    units: Option<Vec<String>>,
    #[serde(default)]
    code: Vec<String>,
}

/// Nothing is looked up: every path is as it is named.
struct NoDisk;

impl Disk for NoDisk {
    fn resolve(&self, path: &Path) -> PathBuf {
        permissions::normalize(Path::new("/"), &path.to_string_lossy())
    }

    fn expand(&self, _folder: &Path, _pattern: &str) -> Option<Vec<PathBuf>> {
        None
    }

    fn git_is_plain(&self, _folder: &Path) -> bool {
        true
    }
}

fn place(context: &Context) -> Place {
    Place {
        cwd: context.cwd.clone(),
        home: context.home.clone(),
        roots: context.workspace_roots.clone(),
        variables: context.env_known.clone(),
        exported: context.env_known.keys().cloned().collect(),
    }
}

fn class_name(class: Class) -> &'static str {
    match class {
        Class::ReadOnly => "read_only",
        Class::Mutating => "mutating",
        Class::Network => "network",
        Class::Unparseable => "unparseable",
        Class::Destructive => "destructive",
    }
}

fn sorted(texts: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut texts: Vec<String> = texts.into_iter().collect();
    texts.sort();
    texts
}

#[test]
fn every_case_is_classified_as_the_file_says() {
    let file: File = serde_json::from_str(FILE).unwrap();
    assert_eq!(file.counts.values().sum::<usize>(), file.cases.len());
    let place = place(&file.context);
    let mut wrong = Vec::new();
    for case in &file.cases {
        let analysis = analyse(&case.command, &place, &NoDisk);
        let class = class_name(analysis.class);
        let units = sorted(analysis.units.iter().map(|unit| unit.text.clone()));
        let reasons: BTreeSet<String> = analysis
            .units
            .iter()
            .flat_map(|unit| &unit.reasons)
            .chain(&analysis.reasons)
            .map(ToString::to_string)
            .collect();
        let expected = case.units.clone().map(sorted);
        let units_agree = expected.as_ref().is_none_or(|expected| *expected == units);
        let names = |reason: &String| {
            let plain = reason.split(':').next().unwrap_or_default();
            case.code.iter().any(|code| code == reason || code == plain)
        };
        let codes_agree = case.code.is_empty() || reasons.iter().any(names);
        if class != case.class || !units_agree || !codes_agree {
            wrong.push(format!(
                "{} {:?}\n   class {class}, expected {}\n   units {units:?}, expected {expected:?}\n   codes {reasons:?}, expected {:?}",
                case.id, case.command, case.class, case.code
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} are wrong:\n{}",
        wrong.len(),
        file.cases.len(),
        wrong.join("\n")
    );
}
