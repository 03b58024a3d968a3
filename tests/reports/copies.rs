//! The files of the cases are what their documents say, byte for byte in number: no tool on the way to a checkout may
//! change line ends, encodings or empty files.

use crate::case;
use std::fs;

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

/// A line like: - `input/ws/a.txt` (10 bytes)
fn listed(line: &str) -> Option<(&str, u64)> {
    let (name, rest) = line.strip_prefix("- `")?.split_once("` (")?;
    let bytes = rest.strip_suffix(" bytes)")?;
    Some((name, bytes.parse().ok()?))
}
