//! Which file a path from the model means, and on which side of the workspace boundary it lies.
//!
//! A path is judged as text first, before any system call, so that no spelling can reach a device or a network share.
//! Then it is resolved through the file system, never by editing the text, since a link changes what `..` means. The
//! result holds no link. Deliberately absent: what happens outside the boundary; the permission rules decide that.

mod forbidden;
mod product_ignore;
mod suggest;

pub use forbidden::ForbiddenClass;
pub use product_ignore::ignored_by;
pub(crate) use suggest::similar_names;
pub use suggest::suggestions;

use crate::error::Error;
use forbidden::PathStyle;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Longest path that is accepted, in characters.
pub const MAX_PATH_CHARS: usize = 4096;

/// The folders the session may work in, in configuration order, without links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots(Vec<PathBuf>);

impl Roots {
    /// Resolves the folders once, so that the boundary compares real places.
    pub fn new<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> io::Result<Self> {
        let roots = folders
            .into_iter()
            .map(|folder| folder.as_ref().canonicalize());
        Ok(Self(roots.collect::<io::Result<_>>()?))
    }

    /// All folders.
    #[must_use]
    pub fn as_slice(&self) -> &[PathBuf] {
        &self.0
    }

    /// The folder relative names and output paths refer to.
    #[must_use]
    pub fn first(&self) -> Option<&Path> {
        self.0.first().map(PathBuf::as_path)
    }

    /// Where a resolved path lies.
    #[must_use]
    pub fn locate(&self, path: &Path) -> Location {
        if self.0.iter().any(|root| path.starts_with(root)) {
            Location::Inside
        } else {
            Location::Outside
        }
    }

    /// The folders without those that lie in another one, so that nothing is searched twice.
    #[must_use]
    pub fn outermost(&self) -> Vec<PathBuf> {
        let mut kept: Vec<PathBuf> = Vec::new();
        for root in &self.0 {
            let inner = self
                .0
                .iter()
                .any(|other| other != root && root.starts_with(other));
            if !inner && !kept.contains(root) {
                kept.push(root.clone());
            }
        }
        kept
    }
}

/// Side of the workspace boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// Below one of the roots.
    Inside,
    /// Anywhere else; needs a grant.
    Outside,
}

/// What was found at the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Something is there.
    Exists,
    /// Nothing is there.
    Missing,
    /// A link whose target is missing.
    DanglingLink,
}

/// A way of writing the path that was tried because the literal one does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// White space around the path was dropped.
    Trimmed,
    /// Backslashes of a shell were dropped.
    Unescaped,
    /// Both.
    TrimmedUnescaped,
}

impl Variant {
    /// What was done, for the result text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trimmed => "without surrounding white space",
            Self::Unescaped => "without shell escapes",
            Self::TrimmedUnescaped => "without surrounding white space and shell escapes",
        }
    }
}

/// A path that passed the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The path as the model wrote it.
    pub requested: String,
    /// The final target: absolute, no link in any existing part.
    pub path: PathBuf,
    /// Side of the boundary.
    pub location: Location,
    /// What was there at that moment.
    pub presence: Presence,
    /// Set if another spelling was used than the one given; to be named in the result.
    pub variant: Option<Variant>,
}

/// Checks the spelling, follows links and finds the side of the boundary.
pub fn resolve(requested: &str, roots: &Roots) -> Result<Resolved, Error> {
    check_spelling(requested, roots)?;
    let (spelling, variant) = choose_spelling(requested);
    // Drops `.` and doubled or trailing separators, which never change the meaning; `..` stays.
    let spelled: PathBuf = spelling.components().collect();
    forbidden::check_place(&spelled)?;
    let (path, presence) = follow(&spelled)?;
    forbidden::check_place(&path)?;
    Ok(Resolved {
        requested: requested.to_owned(),
        location: roots.locate(&path),
        path,
        presence,
        variant,
    })
}

fn check_spelling(requested: &str, roots: &Roots) -> Result<(), Error> {
    let refuse = |problem: String| Err(Error::InvalidParams { problem });
    if requested.is_empty() {
        return refuse("the path is empty; give an absolute path".to_owned());
    }
    if requested.contains('\0') {
        return refuse("the path contains a NUL character".to_owned());
    }
    if requested.chars().count() > MAX_PATH_CHARS {
        return refuse(format!(
            "the path is longer than {MAX_PATH_CHARS} characters"
        ));
    }
    forbidden::check_spelling(requested, PathStyle::of_this_system())?;
    let trimmed = requested.trim();
    if Path::new(trimmed).is_absolute() {
        return Ok(());
    }
    if trimmed.starts_with('~') || trimmed.starts_with('$') {
        return refuse(format!(
            "{requested} is not an absolute path; ~ and variables are not expanded, write the folder out"
        ));
    }
    match roots.first() {
        Some(root) => refuse(format!(
            "{requested} is not an absolute path; under the workspace root it would be {}",
            root.join(trimmed).display()
        )),
        None => refuse(format!("{requested} is not an absolute path")),
    }
}

fn choose_spelling(requested: &str) -> (PathBuf, Option<Variant>) {
    let literal = PathBuf::from(requested);
    if literal.is_absolute() && exists(&literal) {
        return (literal, None);
    }
    let trimmed = requested.trim();
    let mut spellings = vec![(trimmed.to_owned(), Variant::Trimmed)];
    if !cfg!(windows) {
        spellings.push((unescape(requested), Variant::Unescaped));
        spellings.push((unescape(trimmed), Variant::TrimmedUnescaped));
    }
    let mut found: Vec<(String, Variant)> = Vec::new();
    for (spelling, variant) in spellings {
        let is_new = spelling != requested && found.iter().all(|(known, _)| *known != spelling);
        if is_new && Path::new(&spelling).is_absolute() && exists(Path::new(&spelling)) {
            found.push((spelling, variant));
        }
    }
    match <[_; 1]>::try_from(found) {
        Ok([(spelling, variant)]) => (PathBuf::from(spelling), Some(variant)),
        // White space in front would make the path relative; it cannot be meant.
        Err(_) if !literal.is_absolute() => (PathBuf::from(trimmed), Some(Variant::Trimmed)),
        Err(_) => (literal, None),
    }
}

/// Removes the backslashes a shell would remove outside quotes.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => plain.extend(chars.next()),
            other => plain.push(other),
        }
    }
    plain
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn follow(spelled: &Path) -> Result<(PathBuf, Presence), Error> {
    let unverifiable = |source| Error::Unverifiable {
        path: spelled.to_path_buf(),
        source,
    };
    match spelled.canonicalize() {
        Ok(path) => return Ok((path, Presence::Exists)),
        Err(error) if is_absence(&error) => {}
        Err(error) => return Err(unverifiable(error)),
    }
    for ancestor in spelled.ancestors().skip(1) {
        let base = match ancestor.canonicalize() {
            Ok(base) => base,
            Err(error) if is_absence(&error) => continue,
            Err(error) => return Err(unverifiable(error)),
        };
        let rest = spelled.strip_prefix(ancestor).unwrap_or(Path::new(""));
        return append(base, rest);
    }
    Err(unverifiable(io::ErrorKind::NotFound.into()))
}

fn append(base: PathBuf, rest: &Path) -> Result<(PathBuf, Presence), Error> {
    if rest.components().any(|part| part == Component::ParentDir) {
        return Err(Error::InvalidParams {
            problem: format!(
                "`..` after a folder that does not exist: {} below {}",
                rest.display(),
                base.display()
            ),
        });
    }
    let dangling = rest
        .components()
        .next()
        .is_some_and(|first| exists(&base.join(first)));
    let presence = if dangling {
        Presence::DanglingLink
    } else {
        Presence::Missing
    };
    Ok((base.join(rest), presence))
}

#[cfg(test)]
mod tests;
