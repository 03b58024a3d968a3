//! A registry with every tool over a fresh folder, and the steps a call goes through.

use files::{
    Backup, BackupError, CommitOptions, Committer, ContentHash, Fsync, InPlace, JournalId,
    JournalRow, PlanSettings, ReadCache, Roots, WalkRules,
};
use protocol::confirmation::Preview;
use protocol::diff::FileDiff;
use protocol::message::Part;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use terminal::{OnTimeout, ShellHandle, Shells, SpoolLimits};
use tokio_util::sync::CancellationToken;
use tool_api::{BuildError, ExecContext, Invocation, ToolRegistry, ToolResult};
use tools::{
    ApplyPatch, AskUserQuestion, Edit, FileDeps, Glob, GrepSearch, KeepPicture, ListDirectory,
    ListShells, NotebookEdit, NowNs, PdfPrograms, ReadFile, RunShellCommand, SandboxChoice,
    SearchDeps, ShellDeps, ShellOutput, ShellWrite, TaskStop, TodoList, TodoWrite, WriteFile,
};

/// Old bytes and journal rows in memory.
#[derive(Default)]
pub(crate) struct MemoryBackup {
    kept: Mutex<BTreeMap<String, Vec<u8>>>,
    open: Mutex<BTreeMap<i64, JournalRow>>,
    next: AtomicI64,
}

impl MemoryBackup {
    pub(crate) fn holds(&self, bytes: &[u8]) -> bool {
        self.kept
            .lock()
            .unwrap()
            .contains_key(&ContentHash::of(bytes).to_hex())
    }
}

impl Backup for MemoryBackup {
    fn put(&self, bytes: &[u8]) -> Result<ContentHash, BackupError> {
        let hash = ContentHash::of(bytes);
        self.kept
            .lock()
            .unwrap()
            .insert(hash.to_hex(), bytes.to_vec());
        Ok(hash)
    }
    fn journal_prepared(&self, row: &JournalRow) -> Result<JournalId, BackupError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        self.open.lock().unwrap().insert(id, row.clone());
        Ok(JournalId(id))
    }
    fn journal_done(&self, id: JournalId) -> Result<(), BackupError> {
        self.open.lock().unwrap().remove(&id.0);
        Ok(())
    }
    fn late_write(&self, _path: &Path, _hash: ContentHash) {}
}

pub(crate) struct Kit {
    _home: tempfile::TempDir,
    pub(crate) folder: PathBuf,
    pub(crate) registry: ToolRegistry,
    /// What the tools for files share.
    pub(crate) files: FileDeps,
    pub(crate) backup: Arc<MemoryBackup>,
    pub(crate) shells: Shells,
    pub(crate) started: Arc<Mutex<Vec<ShellHandle>>>,
    pub(crate) cancel: CancellationToken,
}

impl Kit {
    pub(crate) fn new() -> Self {
        Self::with(PdfPrograms::default())
    }

    /// With these programs for PDF documents.
    pub(crate) fn with(pdf: PdfPrograms) -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("ws");
        std::fs::create_dir(&folder).unwrap();
        let folder = folder.canonicalize().unwrap();
        let backup = Arc::new(MemoryBackup::default());
        let shells = Shells::new(&home.path().join("run"), SpoolLimits::default()).unwrap();
        let started: Arc<Mutex<Vec<ShellHandle>>> = Arc::default();
        let (registry, files) = registry(
            home.path(),
            &folder,
            backup.clone(),
            (shells.clone(), started.clone()),
            pdf,
        );
        Self {
            _home: home,
            folder,
            registry,
            files,
            backup,
            shells,
            started,
            cancel: CancellationToken::new(),
        }
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.folder.join(name)).unwrap()
    }

    pub(crate) fn context(&self) -> ExecContext {
        ExecContext {
            session_id: "s".into(),
            call_id: "c".into(),
            cancel: self.cancel.clone(),
        }
    }

    /// Builds and prepares a call; the code of the refusal otherwise.
    pub(crate) async fn prepare(
        &self,
        tool: &str,
        args: Value,
    ) -> Result<Box<dyn Invocation>, String> {
        let mut invocation = match self.registry.build(tool, &args) {
            Ok((invocation, _)) => invocation,
            Err(BuildError::Refused(failure)) => return Err(failure.code),
            Err(BuildError::Schema(error)) => return Err(format!("schema {error}")),
            Err(BuildError::UnknownTool { .. }) => return Err("unknown".to_owned()),
        };
        invocation
            .prepare(&self.context())
            .await
            .map_err(|failure| failure.code)?;
        Ok(invocation)
    }

    /// A call as if it had been allowed.
    pub(crate) async fn run(&self, tool: &str, args: Value) -> ToolResult {
        match self.prepare(tool, args).await {
            Ok(invocation) => invocation.execute(self.context()).await,
            Err(code) => panic!("{tool} was refused: {code}"),
        }
    }
}

fn registry(
    home: &Path,
    folder: &Path,
    backup: Arc<MemoryBackup>,
    (shells, started): (Shells, Arc<Mutex<Vec<ShellHandle>>>),
    pdf: PdfPrograms,
) -> (ToolRegistry, FileDeps) {
    let roots = Arc::new(Roots::new([folder]).unwrap());
    let cache = Arc::new(ReadCache::default());
    let now_ns: NowNs = Arc::new(now_ns);
    let search = SearchDeps {
        roots: roots.clone(),
        rules: Arc::new(WalkRules {
            ignore_name: ".agentignore".to_owned(),
            excluded_names: Vec::new(),
            hidden_folders: Vec::new(),
        }),
        cache: cache.clone(),
        now_ns: now_ns.clone(),
    };
    let files = FileDeps {
        roots,
        cache,
        committer: Arc::new(Committer::new(CommitOptions {
            fsync: Fsync::Off,
            in_place: InPlace::Allowed,
            lock_folder: home.join("locks"),
        })),
        backup: backup.clone(),
        ignore_name: ".agentignore".into(),
        settings: PlanSettings::default(),
        now_ns,
        keep_picture: keep_in(backup),
        pdf,
        outputs: home.join("spool"),
    };
    let shared = files.clone();
    let shell = ShellDeps {
        shells,
        files: files.clone(),
        environment: Arc::new(std::env::vars().collect()),
        session_id: "s".into(),
        spool_root: home.join("spool"),
        shell: terminal::find_shell(None, ""),
        host_program: env!("CARGO_BIN_EXE_tools-shellhost").into(),
        on_timeout: OnTimeout::Kill,
        sandbox: SandboxChoice::Off,
        started: Arc::new(move |shell| started.lock().unwrap().push(shell)),
        look_at_files: Arc::new(|| Box::new(Vec::new)),
    };
    let tools: [Arc<dyn tool_api::Tool>; 10] = [
        Arc::new(ReadFile::new(files.clone())),
        Arc::new(Edit::new(files.clone())),
        Arc::new(WriteFile::new(files.clone())),
        Arc::new(NotebookEdit::new(files.clone())),
        Arc::new(ApplyPatch::new(files)),
        Arc::new(GrepSearch::new(search.clone())),
        Arc::new(Glob::new(search.clone())),
        Arc::new(ListDirectory::new(search)),
        Arc::new(TodoWrite::new(TodoList::default())),
        Arc::new(AskUserQuestion),
    ];
    let mut registry = ToolRegistry::default();
    for tool in tools.into_iter().chain(shell_tools(shell)) {
        registry.register(tool).unwrap();
    }
    (registry, shared)
}

fn shell_tools(deps: ShellDeps) -> [Arc<dyn tool_api::Tool>; 5] {
    [
        Arc::new(RunShellCommand::new(deps.clone())),
        Arc::new(ShellOutput::new(deps.clone())),
        Arc::new(ShellWrite::new(deps.clone())),
        Arc::new(ListShells::new(deps.clone())),
        Arc::new(TaskStop::new(deps)),
    ]
}

/// Pictures are kept beside the old bytes of files.
fn keep_in(backup: Arc<MemoryBackup>) -> KeepPicture {
    Arc::new(move |bytes| backup.put(&bytes).map(|hash| hash.to_hex()))
}

pub(crate) fn now_ns() -> i64 {
    #[expect(
        clippy::disallowed_methods,
        reason = "the records are compared with real file times"
    )]
    let now = std::time::SystemTime::now();
    i64::try_from(
        now.duration_since(std::time::UNIX_EPOCH)
            .unwrap()
            .as_nanos(),
    )
    .unwrap()
}

pub(crate) fn text(result: &ToolResult) -> &str {
    match result.content.as_slice() {
        [Part::Text { text }] => text,
        other => panic!("one text expected, got {other:?}"),
    }
}

pub(crate) fn shown(invocation: &dyn Invocation) -> FileDiff {
    match invocation.question().preview {
        Preview::Edit { diff } | Preview::Write { diff, .. } => *diff,
        other => panic!("a change expected, got {other:?}"),
    }
}
