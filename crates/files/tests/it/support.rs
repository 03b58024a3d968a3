//! A workspace in a temporary folder, a store in memory, and shortcuts.

use files::{
    ApplyContext, Backup, BackupError, CommitOptions, Committer, ContentHash, Control, Error,
    Fsync, GitIgnored, InPlace, JournalId, JournalRow, LineRanges, PdfPages, PlanContext,
    PlanSettings, ReadCache, ReadContext, ReadLimits, ReadOutcome, ReadRange, ReadRecord, Resolved,
    Roots, SearchTarget, ShownAs, TextPage, WalkRules,
};
use std::collections::HashMap;
use std::fs;
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

pub(crate) const IGNORE_NAME: &str = ".agentignore";

/// Nanoseconds since the epoch.
#[expect(
    clippy::disallowed_methods,
    reason = "the tests are the caller that passes the clock in"
)]
pub(crate) fn now_ns() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("a clock after 1970");
    i64::try_from(since.as_nanos()).expect("a clock before 2262")
}

/// Blobs and journal rows in memory.
#[derive(Debug, Default)]
pub(crate) struct MemoryBackup {
    pub(crate) blobs: Mutex<HashMap<ContentHash, Vec<u8>>>,
    pub(crate) open_rows: Mutex<HashMap<JournalId, JournalRow>>,
    pub(crate) late_writes: Mutex<Vec<(PathBuf, ContentHash)>>,
    pub(crate) refuses: AtomicBool,
}

impl MemoryBackup {
    pub(crate) fn holds(&self, bytes: &[u8]) -> bool {
        self.blobs
            .lock()
            .expect("no panic")
            .values()
            .any(|blob| blob == bytes)
    }

    pub(crate) fn rows(&self) -> Vec<(JournalId, JournalRow)> {
        self.open_rows
            .lock()
            .expect("no panic")
            .iter()
            .map(|(id, row)| (*id, row.clone()))
            .collect()
    }
}

impl Backup for MemoryBackup {
    fn put(&self, bytes: &[u8]) -> Result<ContentHash, BackupError> {
        if self.refuses.load(std::sync::atomic::Ordering::Relaxed) {
            return Err("the store is full".into());
        }
        let hash = ContentHash::of(bytes);
        self.blobs
            .lock()
            .expect("no panic")
            .insert(hash, bytes.to_vec());
        Ok(hash)
    }

    fn journal_prepared(&self, row: &JournalRow) -> Result<JournalId, BackupError> {
        let mut rows = self.open_rows.lock().expect("no panic");
        let id = JournalId(rows.keys().map(|id| id.0).max().unwrap_or(0) + 1);
        rows.insert(id, row.clone());
        Ok(id)
    }

    fn journal_done(&self, id: JournalId) -> Result<(), BackupError> {
        self.open_rows.lock().expect("no panic").remove(&id);
        Ok(())
    }

    fn late_write(&self, path: &Path, hash: ContentHash) {
        self.late_writes
            .lock()
            .expect("no panic")
            .push((path.to_path_buf(), hash));
    }
}

/// A workspace and everything around it.
pub(crate) struct Bench {
    folder: TempDir,
    pub(crate) roots: Roots,
    pub(crate) cache: ReadCache,
    pub(crate) store: Arc<MemoryBackup>,
    backup: Arc<dyn Backup>,
    pub(crate) committer: Committer,
    pub(crate) settings: PlanSettings,
    pub(crate) limits: ReadLimits,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(InPlace::Allowed)
    }

    pub(crate) fn with(in_place: InPlace) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let workspace = folder.path().join("ws");
        fs::create_dir(&workspace).expect("a workspace");
        let locks = folder.path().join("locks");
        fs::create_dir(&locks).expect("a lock folder");
        let store = Arc::new(MemoryBackup::default());
        let backup: Arc<dyn Backup> = Arc::clone(&store) as Arc<dyn Backup>;
        Self {
            roots: Roots::new([&workspace]).expect("a workspace"),
            folder,
            cache: ReadCache::default(),
            store,
            backup,
            committer: Committer::new(CommitOptions {
                fsync: Fsync::On,
                in_place,
                lock_folder: locks,
            }),
            settings: PlanSettings::default(),
            limits: ReadLimits::default(),
        }
    }

    /// The workspace, without links.
    pub(crate) fn ws(&self) -> PathBuf {
        self.roots.first().expect("a root").to_path_buf()
    }

    /// A place outside the workspace.
    pub(crate) fn outside(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("it exists")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.ws().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(&path, bytes).expect("a file");
        path
    }

    pub(crate) fn resolve(&self, path: &Path) -> Result<Resolved, Error> {
        files::resolve(path.to_str().expect("UTF-8"), &self.roots)
    }

    pub(crate) fn read(&self, name: &str, range: ReadRange) -> Result<ReadOutcome, Error> {
        self.read_with(name, range, None)
    }

    /// Asks for pages of a document.
    pub(crate) fn read_pages(&self, name: &str, pages: &str) -> Result<ReadOutcome, Error> {
        let pages = PdfPages::parse(pages).expect("pages");
        self.read_with(name, ReadRange::default(), Some(pages))
    }

    fn read_with(
        &self,
        name: &str,
        range: ReadRange,
        pages: Option<PdfPages>,
    ) -> Result<ReadOutcome, Error> {
        let context = ReadContext {
            cache: &self.cache,
            roots: &self.roots,
            ignore_name: IGNORE_NAME,
            limits: self.limits,
            now_ns: now_ns(),
        };
        files::read_file(&self.resolve(&self.path(name))?, range, pages, &context)
    }

    pub(crate) fn page(&self, name: &str, range: ReadRange) -> TextPage {
        match self.read(name, range).expect("a readable file") {
            ReadOutcome::Page(page) => *page,
            other => panic!("expected a page of {name}, got {other:?}"),
        }
    }

    /// Records the file as read without showing it.
    pub(crate) fn note_read(&self, path: &Path, seen: LineRanges, shown_as: ShownAs) {
        let bytes = fs::read(path).expect("a file to read");
        self.cache.note_read(ReadRecord {
            path: path.canonicalize().expect("it exists"),
            stat: files::stat_of(path).expect("a file"),
            hash: Some(ContentHash::of(&bytes)),
            shown_as,
            full: true,
            seen,
            resident: true,
            hashed_at_ns: now_ns(),
            last_read_at_ns: now_ns(),
            last_write_at_ns: None,
        });
    }

    pub(crate) fn plan_context(&self) -> PlanContext<'_> {
        PlanContext {
            cache: &self.cache,
            roots: &self.roots,
            ignore_name: IGNORE_NAME,
            settings: self.settings,
            now_ns: now_ns(),
        }
    }

    pub(crate) fn apply_context(&self) -> ApplyContext<'_> {
        ApplyContext {
            committer: &self.committer,
            backup: &self.backup,
            cache: &self.cache,
            settings: self.settings,
            now_ns: now_ns(),
        }
    }

    pub(crate) fn backup(&self) -> Arc<dyn Backup> {
        Arc::clone(&self.backup)
    }

    /// Names in the workspace that look like temporary files.
    pub(crate) fn temp_files(&self) -> Vec<String> {
        names(&self.ws())
            .into_iter()
            .filter(|name| name.starts_with(".~bd-"))
            .collect()
    }

    pub(crate) fn target(&self) -> SearchTarget {
        files::search_target(None, &self.roots, IGNORE_NAME).expect("the workspace")
    }
}

/// Runs a system tool; `false` where it is missing or does not do it here.
#[expect(
    clippy::disallowed_methods,
    reason = "tests may use the tools of the system"
)]
pub(crate) fn tool(program: &str, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .output()
        .is_ok_and(|output| output.status.success())
}

/// All names below a folder, depth first.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        names.push(entry.file_name().to_string_lossy().into_owned());
        if entry.file_type().expect("a type").is_dir() {
            names.extend(self::names(&entry.path()));
        }
    }
    names
}

pub(crate) fn rules() -> WalkRules {
    WalkRules {
        ignore_name: IGNORE_NAME.to_owned(),
        excluded_names: Vec::new(),
        hidden_folders: Vec::new(),
    }
}

/// A search that nobody stops.
pub(crate) fn control() -> Control<'static> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    Control {
        cancel: &NEVER,
        progress: &|_| {},
        max_time: Duration::from_secs(20),
    }
}

pub(crate) const HIDDEN: GitIgnored = GitIgnored::Hidden;

/// Writes over the bytes of a file as some programs do, and gives what was there.
pub(crate) fn rewrite_in_place(path: &Path, bytes: &[u8]) -> Vec<u8> {
    let mut file = fs::File::options()
        .read(true)
        .write(true)
        .open(path)
        .expect("a file");
    let mut before = Vec::new();
    file.read_to_end(&mut before).expect("the old bytes");
    file.set_len(0).expect("room");
    file.rewind().expect("the start");
    file.write_all(bytes).expect("a write");
    before
}
