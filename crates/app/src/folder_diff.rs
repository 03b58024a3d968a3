//! What changed in a folder, and whose lines these are.
//!
//! The repository says how many lines changed, or the kept versions of a session do where the question is about that
//! session; the versions say which of them are the model's and the person's; the rest is somebody else's. Blocks.
//! Deliberately absent: changing anything.

pub(crate) mod file;
mod list;

use crate::authorship::{Now, Owned, owners};
use crate::env::Environment;
use crate::error::of_store;
use crate::git::Repository;
use crate::history::History;
use crate::put_back::read_now;
use edit::{LineDiff, TextFile};
use files::ContentHash;
use protocol::changes::{
    Authorship, DiffScope, FileAuthorship, LineCounts, OwnedLines, WorkspaceDiffState,
};
use protocol::error::{ApiError, ErrorCode};
use protocol::ids::SessionId;
use protocol::log::FileVersion;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use store::Store;

/// Files above this size are not compared; a change of a file above it is not shown.
const MAX_COMPARED_BYTES: usize = 1_000_000;
/// A file with a NUL this near to its start or its end is no text.
const SNIFFED_BYTES: usize = 8 * 1024;

/// A folder, and since when its changes count.
pub(crate) struct FolderDiff {
    pub(crate) store: Store,
    pub(crate) environment: Environment,
    pub(crate) workspace: PathBuf,
    pub(crate) scope: DiffScope,
    /// Versions of the session that count, by path.
    versions: BTreeMap<String, Vec<FileVersion>>,
}

/// The content of a file, now or before.
#[derive(Debug, Default)]
pub(crate) struct Side {
    pub(crate) bytes: Option<Vec<u8>>,
    /// With LF breaks; `None` where it is no text or too large. Empty where there is no file.
    pub(crate) text: Option<String>,
    pub(crate) binary: bool,
}

impl Side {
    pub(crate) fn of(bytes: Option<Vec<u8>>) -> Self {
        let Some(bytes) = bytes else {
            return Self {
                text: Some(String::new()),
                ..Self::default()
            };
        };
        let binary = looks_binary(&bytes);
        let text = match binary || bytes.len() > MAX_COMPARED_BYTES {
            true => None,
            false => text_of(&bytes),
        };
        Self {
            binary: binary || (text.is_none() && bytes.len() <= MAX_COMPARED_BYTES),
            text,
            bytes: Some(bytes),
        }
    }

    /// A file that is there but cannot be read, or is no plain file: shown like one that is no text.
    fn unreadable() -> Self {
        Self {
            bytes: Some(Vec::new()),
            text: None,
            binary: true,
        }
    }

    pub(crate) fn hash(&self) -> Option<String> {
        self.bytes
            .as_deref()
            .map(|bytes| ContentHash::of(bytes).to_hex())
    }
}

fn looks_binary(bytes: &[u8]) -> bool {
    let head = bytes.get(..SNIFFED_BYTES.min(bytes.len()));
    let tail = bytes.get(bytes.len().saturating_sub(SNIFFED_BYTES)..);
    let has_nul = |part: Option<&[u8]>| part.unwrap_or_default().contains(&0);
    // UTF-16 is full of NUL; the mark at its start says so.
    let is_utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    !is_utf16 && (has_nul(head) || has_nul(tail))
}

/// The text of bytes with LF breaks; `None` where they are no text.
pub(crate) fn text_of(bytes: &[u8]) -> Option<String> {
    TextFile::decode(bytes)
        .ok()
        .map(|file| file.text().to_owned())
}

/// Lines of one file by owner.
#[derive(Debug, Clone, Copy, Default)]
struct Columns {
    ai: LineCounts,
    you: LineCounts,
    other: LineCounts,
}

impl Columns {
    /// Splits what changed; nobody can have more than there is.
    fn of(total: LineCounts, owned: &Owned) -> Self {
        let lines = owned.lines();
        let split = |total: u64, ai: u64, human: u64| {
            let ai = ai.min(total);
            let human = human.min(total - ai);
            (ai, human, total - ai - human)
        };
        let added = split(total.added, lines.ai, lines.human);
        let removed = split(total.removed, owned.dropped.ai, owned.dropped.human);
        let counts = |added, removed| LineCounts { added, removed };
        Self {
            ai: counts(added.0, removed.0),
            you: counts(added.1, removed.1),
            other: counts(added.2, removed.2),
        }
    }
}

/// How many lines differ.
fn count_changes(old: &str, new: &str) -> LineCounts {
    let hunks = LineDiff::of_lines(old, new).hunks();
    LineCounts {
        added: hunks.iter().map(|hunk| hunk.new.len() as u64).sum(),
        removed: hunks.iter().map(|hunk| hunk.old.len() as u64).sum(),
    }
}

impl FolderDiff {
    /// Looks up what the session did.
    pub(crate) fn new(
        store: Store,
        environment: Environment,
        workspace: &str,
        session: Option<&SessionId>,
        scope: DiffScope,
    ) -> Result<Self, ApiError> {
        if session.is_none() && scope != DiffScope::Head {
            return Err(ApiError::new(
                ErrorCode::BadRequest,
                "changes of a session need the session; open one",
            ));
        }
        let versions = match session {
            Some(session) => versions_in(&store, session, scope)?,
            None => BTreeMap::new(),
        };
        Ok(Self {
            store,
            environment,
            workspace: PathBuf::from(workspace),
            scope,
            versions,
        })
    }

    fn repository(&self) -> Result<Repository, WorkspaceDiffState> {
        Repository::open(&self.workspace, &self.environment)
    }

    fn display_path(&self, path: &Path) -> String {
        let shown = path.strip_prefix(&self.workspace).unwrap_or(path);
        shown.display().to_string()
    }

    /// A file as it now is.
    fn now(&self, path: &Path) -> Side {
        match read_now(path) {
            Ok(bytes) => Side::of(bytes),
            Err(error) => {
                tracing::debug!(%error, path = %path.display(), "a file is shown without its content");
                Side::unreadable()
            }
        }
    }

    fn blob(&self, hash: &str) -> Option<Vec<u8>> {
        self.store.read_blocking(|reader| reader.blob(hash)).ok()
    }

    /// The owners of a file that the session changed.
    fn owned(&self, path: &str, now: &Side) -> Option<Owned> {
        let versions = self.versions.get(path)?;
        let hash = now.hash();
        let texts = |hash: &str| text_of(&self.blob(hash)?);
        let state = Now {
            hash: hash.as_deref(),
            text: now.text.as_deref().unwrap_or_default(),
        };
        Some(owners(versions, &texts, &state))
    }

    /// Who wrote each line of the files that the session changed.
    pub(crate) fn authorship(&self) -> Authorship {
        let mut totals = OwnedLines::default();
        let mut files = Vec::new();
        for path in self.versions.keys() {
            let now = whole(self.now(Path::new(path)));
            let owned = self.owned(path, &now).unwrap_or_default();
            let lines = owned.lines();
            totals.ai += lines.ai;
            totals.human += lines.human;
            totals.other += lines.other;
            totals.base += lines.base;
            files.push(FileAuthorship {
                path: path.clone(),
                display_path: self.display_path(Path::new(path)),
                lines,
                runs: owned.runs,
            });
        }
        Authorship { files, totals }
    }
}

/// Large texts have owners too.
fn whole(side: Side) -> Side {
    let text = match (&side.text, &side.bytes) {
        (None, Some(bytes)) if !side.binary => text_of(bytes),
        (text, _) => text.clone(),
    };
    Side { text, ..side }
}

/// The versions of a session that count, by path, oldest first.
fn versions_in(
    store: &Store,
    session: &SessionId,
    scope: DiffScope,
) -> Result<BTreeMap<String, Vec<FileVersion>>, ApiError> {
    let (facts, newest_turn) = store
        .read_blocking(|reader| {
            let turn = match scope {
                DiffScope::Turn => reader.session(session, None)?.last_turn,
                DiffScope::Head | DiffScope::Session => 0,
            };
            reader.summary(session)?;
            Ok((reader.file_facts(session)?, turn))
        })
        .map_err(of_store)?;
    let counts = |turn: u32| match scope {
        DiffScope::Turn => turn == newest_turn,
        DiffScope::Head | DiffScope::Session => true,
    };
    let counted = facts.into_iter().filter(|fact| counts(fact.turn)).collect();
    let mut versions: BTreeMap<String, Vec<FileVersion>> = BTreeMap::new();
    for version in History(counted).versions() {
        versions
            .entry(version.path.clone())
            .or_default()
            .push(version.clone());
    }
    Ok(versions)
}
