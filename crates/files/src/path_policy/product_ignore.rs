//! The product's own ignore file: what it names is never read, written or shown, whatever git thinks of it.

use crate::path_policy::Roots;
use ignore::Match;
use ignore::gitignore::GitignoreBuilder;
use std::path::Path;

/// The pattern that hides `path`, if an ignore file called `ignore_name` between a root and the path has one.
///
/// Files nearer to the path win; inside one file the last matching line wins, as git does it.
#[must_use]
pub fn ignored_by(path: &Path, roots: &Roots, ignore_name: &str) -> Option<String> {
    let root = roots
        .as_slice()
        .iter()
        .find(|root| path.starts_with(root))?;
    let folders = path
        .ancestors()
        .skip(1)
        .take_while(|folder| folder.starts_with(root));
    for folder in folders {
        let ignore_file = folder.join(ignore_name);
        if !ignore_file.is_file() {
            continue;
        }
        let mut builder = GitignoreBuilder::new(folder);
        if let Some(error) = builder.add(&ignore_file) {
            tracing::warn!(path = %ignore_file.display(), %error, "part of an ignore file is not usable");
        }
        let Ok(rules) = builder.build() else {
            continue;
        };
        match rules.matched_path_or_any_parents(path, path.is_dir()) {
            Match::Ignore(glob) => return Some(glob.original().to_owned()),
            Match::Whitelist(_) => return None,
            Match::None => {}
        }
    }
    None
}
