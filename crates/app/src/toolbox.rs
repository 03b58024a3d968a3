//! The tools of one session, made for its folder.

use crate::file_backup::FileBackup;
use crate::shown_files::read_cache;
use crate::startup::Interaction;
use crate::tracked::look_at_files;
use crate::walls::{FoundWalls, SandboxWish};
use crate::workbench::{Workbench, lock};
use agent::machine::Repeats;
use agent::{NewTools, ToolFacts};
use files::{PlanSettings, ReadCache, Roots, WalkRules};
use protocol::session::SessionSummary;
use protocol::settings::{EditProfile, ShellOnTimeout};
use protocol::todo::Todo;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use store::StoredRead;
use terminal::OnTimeout;
use tool_api::{Tool, ToolRegistry};
use tools::{
    ApplyPatch, AskUserQuestion, Edit, FileDeps, Glob, GrepSearch, KeepPicture, ListDirectory,
    ListShells, NotebookEdit, NowNs, PdfPrograms, ReadFile, RunShellCommand, SandboxChoice,
    SearchDeps, ShellDeps, ShellOutput, ShellStarted, ShellWrite, TaskStop, TodoList, TodoWrite,
    WriteFile,
};

/// Files that this file names are hidden from every tool.
const IGNORE_FILE: &str = ".agentignore";

/// The tools of a session, and what keeps them true to its past.
pub(crate) struct Toolbox {
    pub(crate) registry: ToolRegistry,
    pub(crate) on_reload: agent::OnReload,
    pub(crate) retool: agent::Retool,
}

/// What the person can choose about tools; it counts from the next turn on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Chosen {
    edit_profile: EditProfile,
    apply_patch: bool,
    on_timeout: OnTimeout,
    sandbox: SandboxWish,
}

/// A command that printed something this short a time ago is at work.
const AT_WORK: Duration = Duration::from_secs(30);

/// What the tools of a session are made from, whatever is chosen.
#[derive(Clone)]
struct Parts {
    search: SearchDeps,
    shell: ShellDeps,
    list: TodoList,
    interaction: Interaction,
    walls: Arc<FoundWalls>,
    roots: Vec<PathBuf>,
}

impl Parts {
    fn registry(&self, chosen: Chosen) -> io::Result<ToolRegistry> {
        let mut shell = self.shell.clone();
        shell.files.settings.edit_profile = chosen.edit_profile;
        shell.on_timeout = chosen.on_timeout;
        shell.sandbox = self.walls.choice(chosen.sandbox, &self.roots);
        let files = shell.files.clone();
        let search = self.search.clone();
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
            Arc::new(ShellWrite::new(shell.clone())),
            Arc::new(ListShells::new(shell.clone())),
            Arc::new(TaskStop::new(shell)),
            Arc::new(TodoWrite::new(self.list.clone())),
        ];
        match self.interaction {
            Interaction::Person | Interaction::Script => all.push(Arc::new(AskUserQuestion)),
            Interaction::Reviewer | Interaction::Nobody => {}
        }
        if chosen.apply_patch {
            all.push(Arc::new(ApplyPatch::new(files)));
        }
        let mut registry = ToolRegistry::default();
        for tool in all {
            registry.register(tool).map_err(io::Error::other)?;
        }
        Ok(registry)
    }
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
        let canonical_root = roots.first().map(PathBuf::from).into_iter().collect();
        let cache = Arc::new(read_cache(&self.store, &session.session_id, shown));
        let now_ns: NowNs = Arc::new(|| i64::try_from(crate::clock::now_ns()).unwrap_or(i64::MAX));
        let files = self.file_deps(session, roots.clone(), cache.clone(), now_ns.clone());
        let parts = Parts {
            search: SearchDeps {
                roots,
                rules: Arc::new(WalkRules {
                    ignore_name: IGNORE_FILE.to_owned(),
                    excluded_names: Vec::new(),
                    hidden_folders: vec![self.paths.data.clone()],
                }),
                cache: cache.clone(),
                now_ns,
            },
            shell: self.shell_deps(session, files),
            list: Arc::new(Mutex::new(todos.to_vec())),
            interaction: self.interaction,
            walls: self.walls.clone(),
            roots: canonical_root,
        };
        let chosen = self.chosen_tools();
        Ok(Toolbox {
            registry: parts.registry(chosen)?,
            on_reload: on_reload(cache, parts.list.clone()),
            retool: self.retool(parts, chosen),
        })
    }

    fn chosen_tools(&self) -> Chosen {
        let settings = lock(&self.settings);
        Chosen {
            edit_profile: settings.get().edit_profile,
            apply_patch: settings.get().apply_patch,
            on_timeout: self.on_timeout(settings.get().shell_on_timeout),
            sandbox: SandboxWish {
                mode: settings.get().sandbox,
                network: settings.get().sandbox_network,
                required: settings.get().sandbox_required,
            },
        }
    }

    /// Where nobody is there who could end it, a command that hangs must not go on for ever.
    fn on_timeout(&self, chosen: ShellOnTimeout) -> OnTimeout {
        match (chosen, self.interaction) {
            (ShellOnTimeout::Kill, _) => OnTimeout::Kill,
            (ShellOnTimeout::Background, _) => OnTimeout::Move,
            (ShellOnTimeout::Auto, Interaction::Person) => {
                OnTimeout::MoveIfActive { silence: AT_WORK }
            }
            (
                ShellOnTimeout::Auto,
                Interaction::Script | Interaction::Reviewer | Interaction::Nobody,
            ) => OnTimeout::Kill,
        }
    }

    /// Other tools for a running session, once something else is chosen.
    fn retool(self: &Arc<Self>, parts: Parts, chosen: Chosen) -> agent::Retool {
        let weak: Weak<Self> = Arc::downgrade(self);
        let last = Mutex::new(chosen);
        Arc::new(move || {
            let chosen = weak.upgrade()?.chosen_tools();
            let mut last = lock(&last);
            if *last == chosen {
                return None;
            }
            match parts.registry(chosen) {
                Ok(registry) => {
                    *last = chosen;
                    let registry = Arc::new(registry);
                    let facts = facts_of_all(&registry);
                    Some(NewTools { registry, facts })
                }
                Err(error) => {
                    tracing::error!(%error, "the tools stay as they were");
                    None
                }
            }
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
            on_timeout: OnTimeout::Kill,
            sandbox: SandboxChoice::Off,
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

/// What the machine must know of tools, by name.
pub(crate) fn facts_of_all(registry: &ToolRegistry) -> BTreeMap<String, ToolFacts> {
    registry
        .iter()
        .map(|tool| (tool.name().to_owned(), facts_of(tool.as_ref())))
        .collect()
}

/// Shells are looked at again and again, because what is asked about changes by itself.
fn facts_of(tool: &dyn Tool) -> ToolFacts {
    let facts = ToolFacts::of_kind(tool.kind());
    match tool.name() {
        "shell_output" | "list_shells" => ToolFacts {
            repeats: Repeats::Polling,
            ..facts
        },
        _ => facts,
    }
}
