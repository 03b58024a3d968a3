//! The tools of one session, made for its folder.

use crate::file_backup::FileBackup;
use crate::shown_files::read_cache;
use crate::startup::Interaction;
use crate::tracked::look_at_files;
use crate::workbench::{Workbench, lock};
use files::{PlanSettings, ReadCache, Roots, WalkRules};
use protocol::session::SessionSummary;
use protocol::todo::Todo;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};
use store::StoredRead;
use tool_api::{Tool, ToolRegistry};
use tools::{
    ApplyPatch, AskUserQuestion, Edit, FileDeps, Glob, GrepSearch, KeepPicture, ListDirectory,
    ListShells, NotebookEdit, NowNs, PdfPrograms, ReadFile, RunShellCommand, SearchDeps, ShellDeps,
    ShellOutput, ShellStarted, TaskStop, TodoList, TodoWrite, WriteFile,
};

/// Files that this file names are hidden from every tool.
const IGNORE_FILE: &str = ".agentignore";

/// The tools of a session, and what keeps them true to its past.
pub(crate) struct Toolbox {
    pub(crate) registry: ToolRegistry,
    pub(crate) on_reload: agent::OnReload,
}

impl Workbench {
    /// The tools of a session.
    pub(crate) fn toolbox(
        self: &Arc<Self>,
        session: &SessionSummary,
        todos: &[Todo],
        shown: Vec<StoredRead>,
    ) -> io::Result<Toolbox> {
        let roots = Arc::new(Roots::new([&session.workspace])?);
        let cache = Arc::new(read_cache(&self.store, &session.session_id, shown));
        let shown = cache.clone();
        let now_ns: NowNs = Arc::new(|| i64::try_from(crate::clock::now_ns()).unwrap_or(i64::MAX));
        let search = SearchDeps {
            roots: roots.clone(),
            rules: Arc::new(WalkRules {
                ignore_name: IGNORE_FILE.to_owned(),
                excluded_names: Vec::new(),
                hidden_folders: vec![self.paths.data.clone()],
            }),
            cache: cache.clone(),
            now_ns: now_ns.clone(),
        };
        let files = self.file_deps(session, roots, cache, now_ns);
        let shell = self.shell_deps(session, files.clone());
        let list: TodoList = Arc::new(Mutex::new(todos.to_vec()));
        let reloaded = list.clone();
        let mut all: Vec<Arc<dyn Tool>> = vec![
            Arc::new(ReadFile::new(files.clone())),
            Arc::new(Edit::new(files.clone())),
            Arc::new(WriteFile::new(files.clone())),
            Arc::new(NotebookEdit::new(files.clone())),
            Arc::new(GrepSearch::new(search.clone())),
            Arc::new(Glob::new(search.clone())),
            Arc::new(ListDirectory::new(search)),
            Arc::new(RunShellCommand::new(shell.clone())),
            Arc::new(ShellOutput::new(shell.clone())),
            Arc::new(ListShells::new(shell.clone())),
            Arc::new(TaskStop::new(shell)),
            Arc::new(TodoWrite::new(list)),
        ];
        match self.interaction {
            Interaction::Person | Interaction::Script => all.push(Arc::new(AskUserQuestion)),
            Interaction::Reviewer | Interaction::Nobody => {}
        }
        if lock(&self.settings).get().apply_patch {
            all.push(Arc::new(ApplyPatch::new(files)));
        }
        let mut registry = ToolRegistry::default();
        for tool in all {
            registry.register(tool).map_err(io::Error::other)?;
        }
        Ok(Toolbox {
            registry,
            on_reload: on_reload(shown, reloaded),
        })
    }

    /// What the tools that read and change files share.
    fn file_deps(
        self: &Arc<Self>,
        session: &SessionSummary,
        roots: Arc<Roots>,
        cache: Arc<ReadCache>,
        now_ns: NowNs,
    ) -> FileDeps {
        FileDeps {
            roots,
            cache,
            committer: self.committer.clone(),
            backup: Arc::new(FileBackup::told(self, session.session_id.clone())),
            ignore_name: IGNORE_FILE.into(),
            settings: PlanSettings {
                edit_profile: lock(&self.settings).get().edit_profile,
                reviewer: self.interaction.reviewer(),
                ..PlanSettings::default()
            },
            now_ns,
            keep_picture: self.keep_picture(session),
            pdf: PdfPrograms::default(),
            outputs: self.spool_root(session),
        }
    }

    /// Pictures that the model is shown go where requests look for them.
    fn keep_picture(&self, session: &SessionSummary) -> KeepPicture {
        let (store, session_id) = (self.store.clone(), session.session_id.clone());
        Arc::new(move |bytes| Ok(store.put_image(&session_id, bytes).wait()?))
    }

    /// Where the output of a session's commands is kept whole.
    fn spool_root(&self, session: &SessionSummary) -> PathBuf {
        let folder = self.paths.data.join("shells");
        folder.join(session.session_id.as_str())
    }

    fn shell_deps(self: &Arc<Self>, session: &SessionSummary, files: FileDeps) -> ShellDeps {
        let weak: Weak<Self> = Arc::downgrade(self);
        let session_id = session.session_id.clone();
        let started: ShellStarted = Arc::new(move |shell| {
            if let Some(workbench) = weak.upgrade() {
                workbench.follow(shell, session_id.clone());
            }
        });
        ShellDeps {
            shells: self.shells.clone(),
            files,
            environment: Arc::new(
                self.environment
                    .iter()
                    .map(|(k, v)| (k.to_owned(), v.to_owned()))
                    .collect(),
            ),
            session_id: session.session_id.clone(),
            spool_root: self.spool_root(session),
            shell: terminal::find_shell(None, self.environment.get("PATH").unwrap_or_default()),
            host_program: self.host_program.clone(),
            started,
            look_at_files: look_at_files(&self.store, &session.session_id),
        }
    }
}

/// After a rewind the list is that of the past that remains, and what was shown in the past that went is no longer in
/// the model's context.
fn on_reload(shown: Arc<ReadCache>, list: TodoList) -> agent::OnReload {
    Arc::new(move |state| {
        *lock(&list) = state.todos().to_vec();
        shown.drop_residence();
    })
}
