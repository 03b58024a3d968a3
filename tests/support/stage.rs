//! A workbench over fresh folders with a scripted model, and what a person does with it.

use crate::model_server::{Answer, ModelServer};
use app::env::Environment;
use app::{Interaction, ProviderOverride, Role, Startup, Watch, Workbench};
use protocol::command::{CreateSession, Decide, OpenSession, Send, SessionOp};
use protocol::confirmation::{Ask, Decision, Scope};
use protocol::error::ApiError;
use protocol::event::{Envelope, SessionEvent, Snapshot};
use protocol::ids::{OpId, SessionId};
use protocol::session::{Delivery, Outcome};
use protocol::settings::{ProviderEntry, ProviderKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Nothing in a journey takes this long; a journey that hangs fails instead.
const PATIENCE: Duration = Duration::from_secs(30);
/// Id of the scripted provider.
const PROVIDER: &str = "scripted";

/// The folder around everything. Whoever made it removes it.
struct Home {
    path: PathBuf,
    _own: Option<tempfile::TempDir>,
}

impl Home {
    fn own(folder: tempfile::TempDir) -> Self {
        Self {
            path: folder.path().to_owned(),
            _own: Some(folder),
        }
    }
}

/// A workbench, a session and a model.
pub struct Stage {
    home: Home,
    /// The folder of the session.
    pub folder: PathBuf,
    /// The model.
    pub model: ModelServer,
    /// The program.
    pub workbench: Arc<Workbench>,
    /// The session.
    pub session_id: SessionId,
    watch: Watch,
    window: Option<u64>,
}

/// Waits for something that must come.
///
/// # Panics
/// It did not come in time.
pub async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(value) => value,
        Err(_) => panic!("waited in vain for {what}"),
    }
}

/// A new client-made id.
#[must_use]
pub fn op() -> OpId {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    OpId(format!("op-{}", NEXT.fetch_add(1, Ordering::Relaxed)))
}

impl Stage {
    /// A stage whose model gives these answers.
    pub async fn new(answers: Vec<Answer>) -> Self {
        Self::with_files(answers, &[]).await
    }

    /// The same, with files in the folder.
    ///
    /// # Panics
    /// Something that always works did not.
    pub async fn with_files(answers: Vec<Answer>, files: &[(&str, &str)]) -> Self {
        Self::with_window(answers, files, None).await
    }

    /// The same, with a model that takes so many tokens.
    ///
    /// # Panics
    /// Something that always works did not.
    pub async fn with_window(
        answers: Vec<Answer>,
        files: &[(&str, &str)],
        window: Option<u64>,
    ) -> Self {
        let home = Home::own(tempfile::tempdir().expect("a folder for the test"));
        Self::in_home(home, answers, files, window).await
    }

    /// A stage whose folders stay when it goes, however it goes.
    ///
    /// # Panics
    /// Something that always works did not.
    pub async fn in_folder(home: &Path, answers: Vec<Answer>) -> Self {
        let home = Home {
            path: home.to_owned(),
            _own: None,
        };
        Self::in_home(home, answers, &[], None).await
    }

    /// A stage on the folders of one whose program is gone.
    pub async fn after_a_crash(home: tempfile::TempDir, session_id: SessionId) -> Self {
        let home = Home::own(home);
        let model = ModelServer::start(vec![Answer::Close]).await;
        let workbench = start(&home.path, &model.base_url, None);
        Self {
            folder: home.path.join("ws"),
            watch: workbench.watch(&session_id),
            home,
            model,
            workbench,
            session_id,
            window: None,
        }
    }

    async fn in_home(
        home: Home,
        answers: Vec<Answer>,
        files: &[(&str, &str)],
        window: Option<u64>,
    ) -> Self {
        let folder = home.path.join("ws");
        std::fs::create_dir(&folder).expect("a folder to work in");
        let folder = folder.canonicalize().expect("a real folder");
        for (name, text) in files {
            std::fs::write(folder.join(name), text).expect("a file to work on");
        }
        let model = ModelServer::start(answers).await;
        let workbench = start(&home.path, &model.base_url, window);
        let request = CreateSession {
            op: op(),
            workspace: folder.display().to_string(),
            provider_id: Some(PROVIDER.to_owned()),
        };
        let session_id = workbench
            .create_session(request)
            .await
            .expect("a session")
            .session_id;
        let watch = workbench.watch(&session_id);
        Self {
            home,
            folder,
            model,
            workbench,
            session_id,
            watch,
            window,
        }
    }

    /// The session as a second window sees it, which knows nothing but what is stored.
    ///
    /// # Panics
    /// It cannot be opened.
    pub async fn stored_snapshot(&self) -> Snapshot {
        let second = start(&self.home.path, &self.model.base_url, self.window);
        let request = OpenSession {
            session_id: self.session_id.clone(),
            around: None,
        };
        second
            .open_session(request)
            .await
            .expect("the session opens")
    }

    /// The path of a file as a tool gets it.
    #[must_use]
    pub fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// Where the program keeps its data.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.home.path.join("home")
    }

    /// The bytes of a file.
    ///
    /// # Panics
    /// It is not there.
    #[must_use]
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.join(name)).expect("the file is there")
    }

    /// Says something.
    ///
    /// # Errors
    /// As the command.
    pub async fn say(&self, text: &str) -> Result<(), ApiError> {
        self.say_when(text, Delivery::Steer).await
    }

    /// Says something, now or after the turn.
    ///
    /// # Errors
    /// As the command.
    pub async fn say_when(&self, text: &str, delivery: Delivery) -> Result<(), ApiError> {
        let request = Send {
            op: op(),
            session_id: self.session_id.clone(),
            text: text.to_owned(),
            delivery,
        };
        self.workbench.send(request).await.map(|_| ())
    }

    /// Presses Stop.
    ///
    /// # Panics
    /// The command failed.
    pub async fn stop(&self) {
        let request = SessionOp {
            op: op(),
            session_id: self.session_id.clone(),
        };
        self.workbench
            .cancel(request)
            .await
            .expect("stop always works");
    }

    /// The next event that `pick` takes.
    pub async fn until<T>(
        &mut self,
        what: &str,
        mut pick: impl FnMut(&Envelope) -> Option<T>,
    ) -> T {
        let watch = &mut self.watch;
        soon(what, async move {
            loop {
                let envelope = watch.next().await.expect("the stream goes on");
                if let Some(found) = pick(&envelope) {
                    return found;
                }
            }
        })
        .await
    }

    /// The next question.
    pub async fn question(&mut self) -> Ask {
        self.until("a question", |envelope| match &envelope.event {
            SessionEvent::AskOpened { ask } => Some((**ask).clone()),
            _ => None,
        })
        .await
    }

    /// The end of the turn.
    pub async fn outcome(&mut self) -> Outcome {
        self.until("the end of the turn", |envelope| match &envelope.event {
            SessionEvent::TurnEnded { outcome, .. } => Some(outcome.clone()),
            _ => None,
        })
        .await
    }

    /// Answers a question.
    ///
    /// # Errors
    /// As the command.
    pub async fn decide(&self, ask: &Ask, decision: Decision) -> Result<(), ApiError> {
        let request = Decide {
            op: op(),
            session_id: self.session_id.clone(),
            call_id: ask.call_id.clone(),
            proposal_id: ask.proposal_id.clone(),
            decision,
        };
        self.workbench.decide(request).await.map(|_| ())
    }

    /// Allows what is asked, once.
    ///
    /// # Panics
    /// The answer was not taken.
    pub async fn allow(&self, ask: &Ask) {
        self.decide(ask, Decision::Allow { scope: Scope::Once })
            .await
            .expect("the answer is taken");
    }

    /// The session as a window would see it.
    ///
    /// # Panics
    /// It cannot be opened.
    pub async fn snapshot(&self) -> Snapshot {
        let request = OpenSession {
            session_id: self.session_id.clone(),
            around: None,
        };
        self.workbench
            .open_session(request)
            .await
            .expect("the session opens")
    }

    /// Ends the program in order and starts it again on the same folders.
    pub async fn restart(self) -> Self {
        soon("the program to close", self.workbench.close()).await;
        let Self {
            home,
            folder,
            model,
            workbench,
            session_id,
            window,
            ..
        } = self;
        drop(workbench);
        let workbench = start(&home.path, &model.base_url, window);
        let watch = workbench.watch(&session_id);
        Self {
            home,
            folder,
            model,
            workbench,
            session_id,
            watch,
            window,
        }
    }
}

fn start(home: &Path, base_url: &str, window: Option<u64>) -> Arc<Workbench> {
    let path = std::env::vars()
        .find(|(name, _)| name == "PATH")
        .map(|(_, value)| value)
        .unwrap_or_default();
    let environment = Environment::of([
        (
            "BENCHDOG_HOME".to_owned(),
            home.join("home").display().to_string(),
        ),
        ("PATH".to_owned(), path),
        ("HOME".to_owned(), home.display().to_string()),
    ]);
    let entry = ProviderEntry {
        id: PROVIDER.to_owned(),
        kind: ProviderKind::OpenaiChat,
        base_url: base_url.to_owned(),
        model: "scripted".to_owned(),
        key_env: None,
        context_window: window,
        vision: None,
    };
    let startup = Startup {
        environment,
        host_program: host_program(),
        role: Role::Window,
        interaction: Interaction::Person,
        script: None,
        instant: true,
        max_steps: None,
        provider: Some(ProviderOverride { entry }),
    };
    match Workbench::start(startup) {
        Ok(workbench) => workbench,
        Err(error) => panic!("the workbench starts: {error}"),
    }
}

/// The supervisor is a binary of this package, beside the test binaries.
fn host_program() -> PathBuf {
    let mut folder = std::env::current_exe().expect("the path of this test");
    folder.pop();
    if folder.ends_with("deps") {
        folder.pop();
    }
    folder.join("tests-shellhost")
}
