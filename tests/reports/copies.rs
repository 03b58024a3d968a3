//! The files of the cases are what their documents say, byte for byte in number: no tool on the way to a checkout may
//! change line ends, encodings or empty files. Where the folder that the copies were made from lies beside the checkout,
//! they are compared with it whole.

use crate::case;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the copies come from, seen from the root of a checkout.
const ORIGINALS: &str = "../shared/cases";

#[test]
fn each_file_of_a_case_has_the_size_its_document_names() {
    let mut files = 0;
    for folder in fs::read_dir(case::all()).unwrap() {
        let folder = folder.unwrap().path();
        let Ok(document) = fs::read_to_string(folder.join("README.md")) else {
            continue;
        };
        for (name, bytes) in document.lines().filter_map(listed) {
            let path = folder.join(name);
            let found =
                fs::metadata(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_eq!(found.len(), bytes, "{}", path.display());
            files += 1;
        }
    }
    assert!(files > 0, "no document lists a file");
}

#[test]
fn each_copy_of_a_case_equals_its_original() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let originals = root.join(ORIGINALS);
    if !originals.is_dir() {
        return;
    }
    let copies = root.join("tests/fixtures/cases");
    let files = files_below(&copies);
    assert!(!files.is_empty(), "no case was copied");
    // What only tells Git to leave the copies alone has no original.
    let is_case = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| name != ".gitattributes")
    };
    for copy in files.into_iter().filter(is_case) {
        let original = originals.join(copy.strip_prefix(&copies).unwrap());
        let (ours, theirs) = (fs::read(&copy).unwrap(), fs::read(&original));
        let theirs = theirs.unwrap_or_else(|error| panic!("{}: {error}", original.display()));
        assert!(
            ours == theirs,
            "{} differs from its original",
            copy.display()
        );
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files_below(&path)),
            false => found.push(path),
        }
    }
    found
}

/// A line like: - `input/ws/a.txt` (10 bytes)
fn listed(line: &str) -> Option<(&str, u64)> {
    let (name, rest) = line.strip_prefix("- `")?.split_once("` (")?;
    let bytes = rest.strip_suffix(" bytes)")?;
    Some((name, bytes.parse().ok()?))
}
