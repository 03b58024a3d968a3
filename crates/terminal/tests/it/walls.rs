//! Commands behind walls: real programs try to get out, behind each kind of wall.

use crate::harness::{Bench, text};
use sandbox::{Backend, Fate, FileAccess, GitAccess, Network, Policy};
use std::fs;
use std::path::{Path, PathBuf};
use terminal::{Outcome, Sandbox, SpawnRequest, model_text};

const WRITE: Policy = Policy {
    files: FileAccess::WorkspaceWrite,
    network: Network::Off,
    git: GitAccess::Protected,
    extra_write: Vec::new(),
    deny_read: Vec::new(),
};
const READ: Policy = Policy {
    files: FileAccess::ReadOnly,
    network: Network::Off,
    git: GitAccess::Protected,
    extra_write: Vec::new(),
    deny_read: Vec::new(),
};

/// A workspace with a repository, and a folder beside it.
struct Place {
    bench: Bench,
    root: PathBuf,
    outside: PathBuf,
}

impl Place {
    fn new() -> Self {
        let bench = Bench::new();
        let folder = bench.folder.path().canonicalize().unwrap();
        let (root, outside) = (folder.join("ws"), folder.join("outside"));
        fs::create_dir(&outside).unwrap();
        fs::create_dir_all(root.join(".git/hooks")).unwrap();
        fs::write(root.join(".git/config"), "[core]\n").unwrap();
        Self {
            bench,
            root,
            outside,
        }
    }

    async fn run(&self, command: &str, backend: &Backend, policy: &Policy) -> Outcome {
        let request = SpawnRequest {
            cwd: self.root.clone(),
            sandbox: Some(Sandbox {
                backend: backend.clone(),
                policy: policy.clone(),
                roots: vec![self.root.clone()],
            }),
            ..self.bench.request(command)
        };
        let shell = self.bench.shells.start(request).await.unwrap();
        (*crate::harness::within(shell.wait()).await).clone()
    }
}

/// The walls this system has; without any there is nothing to test, and that must not pass unseen.
fn backends() -> Vec<Backend> {
    let mut found = Vec::new();
    found.extend(bubblewrap());
    if sandbox::landlock_works() {
        found.push(Backend::Landlock);
    }
    assert!(
        !found.is_empty(),
        "neither bubblewrap nor Landlock works here; install the package bubblewrap"
    );
    found
}

fn bubblewrap() -> Option<Backend> {
    terminal::find_walls()
        .ok()
        .filter(|found| *found != Backend::Landlock)
}

#[tokio::test]
async fn the_workspace_can_be_written_and_nothing_else() {
    for backend in backends() {
        let place = Place::new();
        let outside = place.outside.join("x").display().to_string();
        let command = format!(
            "echo in > in.txt && mkdir -p a/b && mv in.txt a/b && t=$(mktemp) && echo t > $t && cat $t; \
             echo out > {outside}; echo out > /etc/benchdog-test; echo out > /dev/null; test -t 1 && echo tty; cat a/b/in.txt"
        );
        let outcome = place.run(&command, &backend, &WRITE).await;
        let printed = text(&outcome);
        assert!(printed.starts_with("t\n"), "{backend:?}: {printed}");
        assert!(printed.ends_with("tty\nin"), "{backend:?}: {printed}");
        assert!(!place.outside.join("x").exists(), "{backend:?}");
        assert!(!Path::new("/etc/benchdog-test").exists(), "{backend:?}");
        assert_eq!(outcome.exit.code, Some(0), "{backend:?}");
        let tmp = place.bench.folder.path().join("shells/s/0/tmp");
        crate::harness::until("its temporary files are gone", || !tmp.exists()).await;
    }
}

#[tokio::test]
async fn a_reader_changes_nothing_and_the_model_is_told_why() {
    for backend in backends() {
        let place = Place::new();
        let outcome = place
            .run("cat .git/config; touch a.txt", &backend, &READ)
            .await;
        assert!(!place.root.join("a.txt").exists(), "{backend:?}");
        assert!(text(&outcome).starts_with("[core]"), "{backend:?}");
        assert!(outcome.is_denied(), "{backend:?}: {}", text(&outcome));
        let told = model_text("x", ".", &outcome);
        assert_eq!(told.matches("SANDBOX_DENIED").count(), 1, "{told}");
    }
}

#[tokio::test]
async fn what_runs_later_stays_as_it_is() {
    for backend in backends() {
        let place = Place::new();
        let command = "echo evil > .git/hooks/pre-commit; echo evil >> .git/config; \
             mv .git moved && mkdir .git && echo evil > .git/config; \
             mkdir -p .vscode && echo evil > .vscode/tasks.json; echo fine > fine.txt";
        let outcome = place.run(command, &backend, &WRITE).await;
        let git = place.root.join(".git");
        assert_eq!(
            fs::read(git.join("config")).unwrap(),
            b"[core]\n",
            "{backend:?}"
        );
        assert!(!git.join("hooks/pre-commit").exists(), "{backend:?}");
        assert!(!place.root.join(".vscode").exists(), "{backend:?}");
        assert_eq!(fs::read(place.root.join("fine.txt")).unwrap(), b"fine\n");
        let told = model_text("x", ".", &outcome);
        assert!(told.contains(".vscode is protected"), "{backend:?}: {told}");
        let kept = outcome.touched.iter().find_map(|one| match &one.fate {
            Fate::PutBack { kept: Some(kept) } if one.path.ends_with(".vscode") => Some(kept),
            _ => None,
        });
        let kept = kept.unwrap_or_else(|| panic!("{backend:?}: {:?}", outcome.touched));
        assert_eq!(fs::read(kept.join("tasks.json")).unwrap(), b"evil\n");
    }
}

#[tokio::test]
async fn the_network_is_off_or_on() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    for backend in backends() {
        let place = Place::new();
        let command = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected");
        let off = place.run(&command, &backend, &WRITE).await;
        assert!(
            !text(&off).contains("connected"),
            "{backend:?}: {}",
            text(&off)
        );
        let policy = Policy {
            network: Network::On,
            ..WRITE
        };
        let on = place.run(&command, &backend, &policy).await;
        assert_eq!(text(&on), "connected", "{backend:?}");
    }
}

#[tokio::test]
async fn a_secret_is_hidden() {
    for backend in backends() {
        let place = Place::new();
        let secret = place.outside.join("key");
        fs::write(&secret, "secret").unwrap();
        let policy = Policy {
            deny_read: vec![place.outside.clone()],
            ..WRITE
        };
        let command = format!(
            "cat {0}; ls {1}; cat {1}/*",
            secret.display(),
            place.outside.display()
        );
        let outcome = place.run(&command, &backend, &policy).await;
        assert!(
            !text(&outcome).contains("secret"),
            "{backend:?}: {}",
            text(&outcome)
        );
        let beside = place
            .run(
                "echo in > in.txt; cat in.txt .git/config",
                &backend,
                &policy,
            )
            .await;
        assert_eq!(text(&beside), "in\n[core]", "{backend:?}");
    }
}

#[tokio::test]
async fn a_commit_can_be_allowed_without_its_hooks() {
    let Some(backend) = bubblewrap() else {
        return;
    };
    let place = Place::new();
    let policy = Policy {
        git: GitAccess::Write,
        ..WRITE
    };
    let command = "rm -rf .git/nothing; echo x > .git/index.new && mv .git/index.new .git/index && echo written; \
         echo evil > .git/hooks/a; echo evil > .git/config";
    let outcome = place.run(command, &backend, &policy).await;
    assert!(text(&outcome).starts_with("written"), "{}", text(&outcome));
    assert!(!place.root.join(".git/hooks/a").exists());
    assert_eq!(
        fs::read(place.root.join(".git/config")).unwrap(),
        b"[core]\n"
    );
}

#[tokio::test]
async fn job_control_and_ctrl_c_work_behind_walls() {
    for backend in backends() {
        let place = Place::new();
        let outcome = place
            .run(
                "sleep 0.05 & wait; echo waited; set -m; (echo in a group); kill -INT $$; sleep 5",
                &backend,
                &WRITE,
            )
            .await;
        assert!(
            text(&outcome).starts_with("waited\nin a group"),
            "{backend:?}: {}",
            text(&outcome)
        );
        assert_ne!(outcome.exit.code, Some(0), "{backend:?}");
    }
}
