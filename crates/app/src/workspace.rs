//! A folder to work in: checked, resolved once, and then always named by its full real path.

use protocol::command::WorkspaceInfo;
use protocol::error::{ApiError, ErrorCode};
use std::path::{Path, PathBuf};

/// Bytes of `.git/HEAD` that are read at the most.
const MAX_HEAD_BYTES: usize = 4_096;

/// Resolves a folder.
///
/// # Errors
/// `WORKSPACE_UNUSABLE` with a sentence: missing, a file, or no right to read it.
pub(crate) fn open(path: &str) -> Result<WorkspaceInfo, ApiError> {
    let refuse = |words: String| ApiError {
        args: vec![path.to_owned()],
        ..ApiError::new(ErrorCode::WorkspaceUnusable, words)
    };
    if path.trim().is_empty() {
        return Err(refuse("no folder was given; choose one".to_owned()));
    }
    let real = std::fs::canonicalize(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => refuse(format!(
            "the folder {path} does not exist; choose another or create it"
        )),
        std::io::ErrorKind::PermissionDenied => refuse(format!(
            "you may not open {path}; change its rights or choose another folder"
        )),
        _ => refuse(format!("cannot open {path}: {error}")),
    })?;
    if !real.is_dir() {
        return Err(refuse(format!(
            "{path} is a file; choose the folder it lies in"
        )));
    }
    std::fs::read_dir(&real).map_err(|error| {
        refuse(format!(
            "cannot read the folder {path}: {error}; change its rights or choose another folder"
        ))
    })?;
    let Some(text) = real.to_str() else {
        return Err(refuse(format!(
            "the path of {path} is not Unicode; rename the folder"
        )));
    };
    Ok(WorkspaceInfo {
        path: text.to_owned(),
        name: real.file_name().map_or_else(
            || text.to_owned(),
            |name| name.to_string_lossy().into_owned(),
        ),
        branch: branch(&real),
    })
}

/// The branch of the git work tree a folder lies in, read without running git.
fn branch(folder: &Path) -> Option<String> {
    let git = folder
        .ancestors()
        .map(|parent| parent.join(".git"))
        .find(|git| git.exists())?;
    let git_dir = if git.is_file() {
        linked_git_dir(&git)?
    } else {
        git
    };
    let head = read_start(&git_dir.join("HEAD"))?;
    let head = head.trim();
    match head.strip_prefix("ref: refs/heads/") {
        Some(name) => Some(name.to_owned()),
        None => head.get(..7).map(str::to_owned),
    }
}

/// A linked work tree or submodule has a file that names its real folder.
fn linked_git_dir(file: &Path) -> Option<PathBuf> {
    let text = read_start(file)?;
    let target = text.trim().strip_prefix("gitdir:")?.trim();
    Some(file.parent()?.join(target))
}

fn read_start(path: &Path) -> Option<String> {
    use std::io::Read;
    let mut text = String::new();
    std::fs::File::open(path)
        .ok()?
        .take(MAX_HEAD_BYTES as u64)
        .read_to_string(&mut text)
        .ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_folder_has_one_name_however_it_is_reached() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().join("my-app");
        std::fs::create_dir(&real).unwrap();
        let plain = open(real.to_str().unwrap()).unwrap();
        assert_eq!(open(&format!("{}/", real.display())).unwrap(), plain);
        #[cfg(unix)]
        {
            let link = dir.path().join("link");
            std::os::unix::fs::symlink(&real, &link).unwrap();
            assert_eq!(open(link.to_str().unwrap()).unwrap(), plain);
        }
        assert_eq!(plain.name, "my-app");
    }

    #[test]
    fn what_is_no_folder_is_refused_in_words() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.txt");
        std::fs::write(&file, "x").unwrap();
        for (path, words) in [
            (
                dir.path().join("gone").display().to_string(),
                "does not exist",
            ),
            (file.display().to_string(), "is a file"),
            (" ".to_owned(), "no folder"),
        ] {
            let error = open(&path).unwrap_err();
            assert_eq!(error.code, ErrorCode::WorkspaceUnusable);
            assert!(error.message.contains(words), "{}", error.message);
        }
    }

    #[test]
    fn the_branch_is_read_from_plain_and_linked_work_trees() {
        let dir = tempfile::tempdir().unwrap();
        let git = dir.path().join(".git");
        std::fs::create_dir(&git).unwrap();
        std::fs::write(git.join("HEAD"), "ref: refs/heads/fix/eof\n").unwrap();
        assert_eq!(branch(dir.path()).as_deref(), Some("fix/eof"));
        std::fs::write(git.join("HEAD"), "0123456789abcdef\n").unwrap();
        assert_eq!(branch(dir.path()).as_deref(), Some("0123456"));
        let linked = dir.path().join("linked");
        std::fs::create_dir(&linked).unwrap();
        std::fs::write(linked.join(".git"), "gitdir: ../.git\n").unwrap();
        assert_eq!(branch(&linked).as_deref(), Some("0123456"));
    }
}
