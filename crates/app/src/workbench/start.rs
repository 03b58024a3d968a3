//! Starting and stopping.

use crate::env::{self, Environment, XDG_RUNTIME_DIR};
use crate::hub::Hubs;
use crate::keys::Keys;
use crate::paths::Paths;
use crate::providers::DemoScript;
use crate::rpc::Ops;
use crate::settings::SettingsFile;
use crate::settle::settle_commits;
use crate::shell_log::ShellLogs;
use crate::shells::Presence;
use crate::startup::{Role, StartError, Startup};
use crate::strays::end_strays;
use crate::walls::FoundWalls;
use crate::workbench::edit_outside::{Copies, forget_copies};
use crate::workbench::{AppEvent, Workbench, lock};
use crate::workspace;
use files::{CommitOptions, Committer, Fsync, InPlace};
use protocol::command::{AppInfo, Empty, ProviderState};
use protocol::error::{ApiError, ErrorCode};
use protocol::event::SessionEvent;
use protocol::ids::SessionId;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::{Access, Clock, Finding, OpenError, OpenOptions, OpenReport, Store};
use terminal::{
    Leftovers, RetentionLimits, Shells, SpoolLimits, remove_session_output, runtime_root, sweep,
};
use tokio::sync::broadcast;

/// App-wide events that may wait for a slow window; it asks anew after missing some.
const CHANGES_BACKLOG: usize = 64;
/// Running commands get this long to end politely when the program closes.
const QUIT_GRACE: Duration = Duration::from_secs(2);
/// The first tidying waits until the window is there.
const TIDY_AFTER: Duration = Duration::from_secs(20);
/// Commands print, and days pass, while a window stays open.
const TIDY_AGAIN: Duration = Duration::from_secs(60 * 60);

impl Workbench {
    /// Opens everything. Must be called inside a runtime.
    ///
    /// # Errors
    /// [`StartError`]: a broken script, or a store that nothing can be done with.
    pub fn start(startup: Startup) -> Result<Arc<Self>, StartError> {
        let demo = DemoScript::parse(startup.script.as_deref(), startup.instant)
            .map_err(StartError::Script)?;
        let paths = find_paths(&startup).map_err(StartError::Store)?;
        let (store, report) = open_store(&paths.data).map_err(StartError::Store)?;
        if startup.role == Role::Headless && report.access != Access::Writable {
            return Err(StartError::Store(held(report.access, &paths.data)));
        }
        if report.access == Access::Writable {
            settle_commits(&store);
            forget_copies(&paths.data);
        }
        let (settings, settings_notice) = SettingsFile::load(&paths.config);
        let keys = Keys::load(&paths.config, startup.environment.clone());
        let read_only =
            (report.access != Access::Writable).then(|| held(report.access, &paths.data).message);
        let shells = shells(&startup.environment)?;
        let committer = Committer::new(CommitOptions {
            fsync: Fsync::On,
            in_place: InPlace::Allowed,
            lock_folder: paths.data.join("locks"),
        });
        let home = startup.environment.path(env::HOME);
        let walls = FoundWalls::new(home.as_deref(), &paths.config);
        let workbench = Arc::new(Self {
            run: uuid::Uuid::now_v7().to_string(),
            environment: startup.environment,
            host_program: small_host(startup.host_program),
            interaction: startup.interaction,
            demo,
            max_steps: startup.max_steps,
            provider: startup.provider,
            settings: Mutex::new(settings),
            keys: Mutex::new(keys),
            read_only,
            notice: Mutex::new(notice(&report).or(settings_notice)),
            workspace: Mutex::new(None),
            hubs: Hubs::default(),
            committer: Arc::new(committer),
            shells,
            shell_notes: Mutex::default(),
            shell_logs: ShellLogs::default(),
            walls: Arc::new(walls),
            copies: Copies::default(),
            ops: Ops::default(),
            changes: broadcast::channel(CHANGES_BACKLOG).0,
            paths,
            store,
        });
        if startup.role == Role::Window {
            workbench.reopen_workspace();
            if let Some(aside) = &report.set_aside {
                workbench.salvage(aside.path.clone());
            }
            workbench.watch_store();
            workbench.tidy_later();
        }
        Ok(workbench)
    }

    /// The folder of last time is the folder of this time, as long as it is there.
    fn reopen_workspace(&self) {
        let newest = lock(&self.settings)
            .get()
            .recent_workspaces
            .first()
            .cloned();
        match newest.map(|path| workspace::open(&path)) {
            Some(Ok(info)) => *lock(&self.workspace) = Some(info),
            Some(Err(error)) => tracing::info!(%error, "the last folder is not opened"),
            None => {}
        }
    }

    /// Ends everything that runs, and closes the store.
    pub async fn close(&self) {
        for hub in self.hubs.all() {
            if let Some(commands) = hub.running().await {
                self.settle_shells(&hub.session_id).await;
                let (reply, closed) = tokio::sync::oneshot::channel();
                if commands.send(agent::Command::Close(reply)).await.is_ok()
                    && closed.await.is_err()
                {
                    tracing::warn!("a session ended without closing");
                }
            }
        }
        let leftovers = match lock(&self.settings).get().kill_leftovers_on_quit {
            true => Leftovers::End,
            false => Leftovers::Leave,
        };
        let shells = self.shells.list();
        self.shells.shut_down(QUIT_GRACE, leftovers).await;
        for shell in shells.iter().filter(|shell| shell.is_gone()) {
            self.keep_run(shell, Presence::Gone);
        }
        let (committer, store) = (self.committer.clone(), self.store.clone());
        let data = self.paths.data.clone();
        let closed = tokio::task::spawn_blocking(move || {
            forget_copies(&data);
            committer.settle();
            store.close();
        });
        if let Err(error) = closed.await {
            tracing::error!(%error, "the store was not closed cleanly");
        }
    }

    /// What the program is, and where it stands.
    ///
    /// # Errors
    /// None of its own.
    pub async fn app_info(self: &Arc<Self>, _request: Empty) -> Result<AppInfo, ApiError> {
        let providers = self.entries().into_iter().map(|entry| {
            let has_key = lock(&self.keys).get(&entry).is_some();
            ProviderState { entry, has_key }
        });
        Ok(AppInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            run: self.run.clone(),
            platform: std::env::consts::OS.to_owned(),
            system_language: self.environment.language(),
            workspace: lock(&self.workspace).clone(),
            store_notice: lock(&self.notice).take(),
            store: *self.store.state().borrow(),
            providers: providers.collect(),
            data_dir: self.paths.data.display().to_string(),
        })
    }

    /// Takes over what can still be read of a history that was set aside. It may take seconds, so the window is there
    /// first; the file itself stays as it is.
    fn salvage(self: &Arc<Self>, damaged: PathBuf) {
        let workbench = self.clone();
        tokio::task::spawn_blocking(move || match workbench.store.salvage(&damaged) {
            Ok(found) => {
                tracing::info!(
                    ?found,
                    "what could be read of the old history was taken over"
                );
                workbench.announce(AppEvent::SessionsChanged);
            }
            Err(error) => tracing::warn!(%error, "nothing was taken over from the old history"),
        });
    }

    /// Tells every window when the store cannot be written, or can again.
    fn watch_store(self: &Arc<Self>) {
        let (mut state, weak) = (self.store.state(), Arc::downgrade(self));
        tokio::spawn(async move {
            while state.changed().await.is_ok() {
                let Some(workbench) = weak.upgrade() else {
                    return;
                };
                let now = *state.borrow_and_update();
                for hub in workbench.hubs.all() {
                    let ts = crate::clock::timestamp();
                    hub.publisher
                        .publish(SessionEvent::Store { state: now }, None, ts);
                }
                workbench.announce(AppEvent::Store { state: now });
            }
        });
    }

    fn tidy_later(self: &Arc<Self>) {
        let weak = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut wait = TIDY_AFTER;
            loop {
                tokio::time::sleep(wait).await;
                let Some(workbench) = weak.upgrade() else {
                    return;
                };
                workbench.tidy().await;
                wait = TIDY_AGAIN;
            }
        });
    }

    pub(crate) async fn tidy(&self) {
        let (store, output) = (self.store.clone(), self.paths.data.join("shells"));
        let shells = self.shells.clone();
        let upkeep = move || {
            let gone = store.tidy()?;
            for session_id in &gone {
                shells.forget_ended(session_id.as_str());
                remove_output(&output, session_id);
            }
            sweep_output(&output, &shells);
            Ok::<_, store::Error>((gone, store.back_up_daily()?))
        };
        match tokio::task::spawn_blocking(upkeep).await {
            Ok(Ok((gone, copy))) => {
                tracing::debug!(gone = gone.len(), ?copy, "the store was tidied");
            }
            Ok(Err(error)) => tracing::warn!(%error, "the store was not tidied"),
            Err(error) => tracing::error!(%error, "tidying the store failed inside"),
        }
    }
}

/// What the commands of a session printed goes with it.
fn remove_output(output: &Path, session_id: &SessionId) {
    if let Err(error) = remove_session_output(output, session_id.as_str()) {
        tracing::warn!(%error, "the output of a deleted session stayed");
    }
}

/// Output that is old or too much goes.
fn sweep_output(output: &Path, shells: &Shells) {
    let now = crate::clock::system_now();
    match sweep(output, &shells.in_use(), RetentionLimits::default(), now) {
        Ok(swept) => tracing::debug!(?swept, "old output was looked at"),
        Err(error) => tracing::warn!(%error, "old output was not looked at"),
    }
}

fn find_paths(startup: &Startup) -> Result<Paths, ApiError> {
    Paths::find(&startup.environment).ok_or_else(|| {
        ApiError::new(
            ErrorCode::StoreUnusable,
            "no home folder is known; set BENCHDOG_HOME to a folder",
        )
    })
}

/// Each command is supervised by a process of its own, which starts sooner the less it links: the small program beside
/// ours where it is, else ours.
fn small_host(ours: PathBuf) -> PathBuf {
    let small = ours.with_file_name(format!("shellhost{}", std::env::consts::EXE_SUFFIX));
    if small.is_file() { small } else { ours }
}

fn shells(environment: &Environment) -> Result<Shells, StartError> {
    let folder = runtime_root(environment.get(XDG_RUNTIME_DIR), &std::env::temp_dir());
    Shells::new(&folder, SpoolLimits::default()).map_err(|error| {
        let words = format!(
            "cannot make {}: {error}; free some space or fix its rights",
            folder.display()
        );
        StartError::Store(ApiError::new(ErrorCode::Internal, words))
    })
}

fn open_store(data: &Path) -> Result<(Store, OpenReport), ApiError> {
    let clock = Clock::new(crate::clock::timestamp);
    let options = OpenOptions {
        end_strays: end_strays(),
        ..OpenOptions::new(clock)
    };
    Store::open(data, options).map_err(|error| {
        let remedy = match &error {
            OpenError::Held { .. } => "wait a moment and start again",
            OpenError::Newer { .. } => "update Benchdog, or set BENCHDOG_HOME to another folder",
            OpenError::Backup { .. } => "free some space and start again",
            OpenError::Io { .. } => {
                "fix the rights or free some space, or set BENCHDOG_HOME to another folder"
            }
            OpenError::Database { .. } => {
                "close the program that holds it, or set BENCHDOG_HOME to another folder"
            }
        };
        let mut cause = String::new();
        let mut source = std::error::Error::source(&error);
        while let Some(inner) = source {
            cause.push_str(&format!(": {inner}"));
            source = inner.source();
        }
        ApiError::new(
            ErrorCode::StoreUnusable,
            format!("{error}{cause}; {remedy}"),
        )
    })
}

fn held(access: Access, data: &Path) -> ApiError {
    let data = data.display();
    let words = match access {
        Access::Writable => String::new(),
        Access::Held => format!(
            "another Benchdog is using {data}; use that one, close it, or set BENCHDOG_HOME to another folder"
        ),
        Access::Unwritable => format!("{data} may not be written; fix its rights"),
        Access::NoRoom => {
            format!("there is no room left for {data}; free some space and start again")
        }
        Access::Newer => format!("{data} was made by a newer version; update Benchdog"),
    };
    ApiError::new(ErrorCode::ReadOnly, words)
}

fn notice(report: &OpenReport) -> Option<ApiError> {
    let aside = report.set_aside.as_ref()?;
    let what = match aside.finding {
        Finding::Empty => "was empty",
        Finding::Missing => "was missing, though what belongs to it was there",
        Finding::NotADatabase => "was not a database",
        Finding::Foreign => "belongs to another program",
        Finding::Damaged => "was damaged",
    };
    let path = aside.path.display().to_string();
    let words =
        format!("the history {what}; it is kept unchanged in {path}, and a new one was begun");
    Some(ApiError {
        args: vec![path],
        ..ApiError::new(ErrorCode::StoreUnusable, words)
    })
}
