//! Making a new file look like the one it replaces.
//!
//! Kept: permission bits, sticky bit, owner, group, user attributes, access list, security label. Dropped on purpose:
//! set-user-id, set-group-id and capabilities, since the content they vouched for is another one now.

use super::CommitWarning;
use crate::stat::FileFacts;
use rustix::fs::{Gid, Mode, Uid};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use xattr::FileExt;

/// Access bits and the sticky bit.
const KEPT_MODE_BITS: u32 = 0o1777;
const SET_ID_BITS: u32 = 0o6000;

const ACCESS_LIST: &str = "system.posix_acl_access";
const SECURITY_LABEL: &str = "security.selinux";
#[cfg(target_os = "macos")]
const SYSTEM_ATTRIBUTES: &str = "com.apple.";

/// Why a copy of the metadata is not possible.
#[derive(Debug)]
pub(super) enum NotReproducible {
    /// Owner or access list cannot be given to a new file: the old inode must stay.
    NeedsInPlace,
    /// Anything else.
    Failed(io::Error),
}

/// Gives `to` the metadata of `from`.
pub(super) fn copy(
    from: &File,
    facts: &FileFacts,
    to: &File,
) -> Result<Vec<CommitWarning>, NotReproducible> {
    let mut warnings = Vec::new();
    copy_owner(facts, to)?;
    if !copy_attributes(from, to)? {
        warnings.push(CommitWarning::MetadataNotKept);
    }
    // Last, since a change of owner clears bits.
    let mode = Mode::from_raw_mode(facts.mode & KEPT_MODE_BITS);
    rustix::fs::fchmod(to, mode).map_err(|errno| NotReproducible::Failed(errno.into()))?;
    if facts.mode & SET_ID_BITS != 0 {
        warnings.push(CommitWarning::ModeBitsCleared);
    }
    Ok(warnings)
}

fn copy_owner(facts: &FileFacts, to: &File) -> Result<(), NotReproducible> {
    let now = FileFacts::of_open(to).map_err(NotReproducible::Failed)?;
    if (now.uid, now.gid) == (facts.uid, facts.gid) {
        return Ok(());
    }
    let owner = (now.uid != facts.uid).then(|| Uid::from_raw(facts.uid));
    let group = (now.gid != facts.gid).then(|| Gid::from_raw(facts.gid));
    rustix::fs::fchown(to, owner, group).map_err(|_| NotReproducible::NeedsInPlace)
}

/// What a file carries beside bytes, owner and mode, kept for a file of another name or a later time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Attributes {
    kept: Vec<(OsString, Vec<u8>)>,
    /// Some are not to be given to another file, or could not be read.
    lacks_some: bool,
}

impl Attributes {
    /// Those of an open file.
    pub(crate) fn of(file: &File) -> Self {
        let mut found = Self::default();
        // A file system without attributes has none to lose.
        for name in file.list_xattr().into_iter().flatten() {
            match class_of(&name) {
                AttributeClass::Dropped => found.lacks_some = true,
                AttributeClass::Optional | AttributeClass::Required => {
                    match file.get_xattr(&name) {
                        Ok(Some(value)) => found.kept.push((name, value)),
                        Ok(None) => {}
                        Err(_) => found.lacks_some = true,
                    }
                }
            }
        }
        found
    }

    /// Gives them to a new file, as far as that can be done.
    pub(crate) fn give(&self, to: &File) -> Option<CommitWarning> {
        let set = |(name, value): &(OsString, Vec<u8>)| {
            to.get_xattr(name).ok().flatten().as_ref() == Some(value)
                || to.set_xattr(name, value).is_ok()
        };
        let n_set = self.kept.iter().filter(|one| set(one)).count();
        (self.lacks_some || n_set < self.kept.len()).then_some(CommitWarning::MetadataNotKept)
    }
}

enum AttributeClass {
    Optional,
    Required,
    Dropped,
}

fn class_of(name: &OsStr) -> AttributeClass {
    match name.to_str() {
        Some(ACCESS_LIST) => AttributeClass::Required,
        Some(SECURITY_LABEL) => AttributeClass::Optional,
        Some(name) if name.starts_with("user.") => AttributeClass::Optional,
        #[cfg(target_os = "macos")]
        Some(name) if name.starts_with(SYSTEM_ATTRIBUTES) => AttributeClass::Optional,
        _ => AttributeClass::Dropped,
    }
}

/// Whether everything could be kept.
fn copy_attributes(from: &File, to: &File) -> Result<bool, NotReproducible> {
    let names = match from.list_xattr() {
        Ok(names) => names,
        // A file system without attributes has none to lose.
        Err(_) => return Ok(true),
    };
    let mut kept_all = true;
    let mut has_access_list = false;
    for name in names {
        match class_of(&name) {
            AttributeClass::Required => {
                has_access_list = true;
                copy_one(from, to, &name).map_err(|_| NotReproducible::NeedsInPlace)?;
            }
            AttributeClass::Optional => kept_all &= copy_one(from, to, &name).is_ok(),
            AttributeClass::Dropped => kept_all = false,
        }
    }
    if !has_access_list {
        drop_inherited_access_list(to)?;
    }
    Ok(kept_all)
}

fn copy_one(from: &File, to: &File, name: &OsStr) -> io::Result<()> {
    let Some(value) = from.get_xattr(name)? else {
        return Ok(());
    };
    // A label the new file got by itself need not be set, which may be forbidden.
    if to.get_xattr(name).ok().flatten().as_ref() == Some(&value) {
        return Ok(());
    }
    to.set_xattr(name, &value)
}

/// A folder's default access list must not widen who may read the file.
fn drop_inherited_access_list(to: &File) -> Result<(), NotReproducible> {
    match to.get_xattr(ACCESS_LIST) {
        Ok(Some(_)) => to
            .remove_xattr(ACCESS_LIST)
            .map_err(|_| NotReproducible::NeedsInPlace),
        Ok(None) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(folder: &tempfile::TempDir, name: &str) -> File {
        File::create(folder.path().join(name)).unwrap()
    }

    #[test]
    fn attributes_are_given_on_and_what_is_not_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let old = file(&folder, "old");
        old.set_xattr("user.note", b"keep").unwrap();
        let attributes = Attributes::of(&old);
        let new = file(&folder, "new");
        assert_eq!(attributes.give(&new), None);
        assert_eq!(
            new.get_xattr("user.note").unwrap().as_deref(),
            Some(&b"keep"[..])
        );

        let odd = Attributes {
            kept: vec![("nobody.knows".into(), b"x".to_vec())],
            lacks_some: false,
        };
        assert_eq!(odd.give(&new), Some(CommitWarning::MetadataNotKept));
        let dropped = Attributes {
            kept: Vec::new(),
            lacks_some: true,
        };
        assert_eq!(dropped.give(&new), Some(CommitWarning::MetadataNotKept));
    }
}
