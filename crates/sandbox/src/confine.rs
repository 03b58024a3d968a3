//! Walls that a process puts around itself and its children: Landlock for files, seccomp for the rest.
//!
//! Rights of Landlock go down the tree and only add up: what is inside a writable folder is writable, so protected
//! paths need a [`crate::Guard`] as well. Everything is prepared before the fork; [`Confinement::enter`] makes three
//! system calls.

use crate::policy::{FileAccess, Walls};
use crate::{Error, syscalls};
use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetStatus,
};
use seccompiler::BpfProgram;
use std::path::{Path, PathBuf};

/// What is asked for; an older kernel gives what it has.
const ASKED: ABI = ABI::V5;
/// Devices without which hardly a program runs.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
];

/// Walls that are ready to be put up.
pub struct Confinement {
    files: RulesetCreated,
    calls: BpfProgram,
}

impl Confinement {
    /// Prepares them for this policy.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the system cannot enforce it, or if it asks for what Landlock cannot do.
    pub fn prepare(walls: &Walls) -> Result<Self, Error> {
        let all = AccessFs::from_all(ASKED);
        let mut files = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(all)
            .and_then(Ruleset::create)
            .map_err(unavailable)?;
        for path in readable(&walls.policy.deny_read) {
            files = allow(files, &path, AccessFs::from_read(ASKED))?;
        }
        let devices = DEVICES.iter().map(Path::new);
        let own = [walls.private_tmp.as_path()];
        let writable = walls.writable().map(AsRef::as_ref);
        for path in devices.chain(own).chain(writable) {
            if path.exists() {
                files = allow(files, path, all)?;
            }
        }
        Ok(Self {
            files,
            calls: syscalls::filter(walls.policy.network)?,
        })
    }

    /// Puts them up around this thread and all it starts from now on. They cannot be taken down.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the system did not enforce them; then nothing may run.
    pub fn enter(self) -> Result<(), Error> {
        let status = self.files.restrict_self().map_err(unavailable)?;
        match status.ruleset {
            RulesetStatus::NotEnforced => return Err(unavailable("the kernel has no Landlock")),
            RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => {}
        }
        seccompiler::apply_filter(&self.calls).map_err(unavailable)
    }
}

/// Whether this system enforces them at all, asked without being confined.
#[must_use]
pub fn landlock_works() -> bool {
    let walls = Walls {
        policy: crate::policy::Policy {
            files: FileAccess::ReadOnly,
            network: crate::policy::Network::Off,
            git: crate::policy::GitAccess::Protected,
            extra_write: Vec::new(),
            deny_read: Vec::new(),
        },
        roots: Vec::new(),
        private_tmp: "/".into(),
    };
    std::thread::spawn(move || {
        Confinement::prepare(&walls)
            .and_then(Confinement::enter)
            .is_ok()
    })
    .join()
    .unwrap_or(false)
}

/// The largest parts of the system that hold none of these. Rights go down the tree, so what leads to a hidden path
/// cannot be listed either; all beside it can be read.
fn readable(hidden: &[PathBuf]) -> Vec<PathBuf> {
    let hidden: Vec<PathBuf> = hidden
        .iter()
        .filter_map(|path| path.canonicalize().ok())
        .collect();
    let mut parts = Vec::new();
    let mut waiting = vec![PathBuf::from("/")];
    while let Some(path) = waiting.pop() {
        let Ok(real) = path.canonicalize() else {
            continue;
        };
        if hidden.iter().any(|hidden| real.starts_with(hidden)) {
            continue;
        }
        let leads_there = hidden.iter().any(|hidden| hidden.starts_with(&real));
        match (leads_there, std::fs::read_dir(&path)) {
            (false, _) => parts.push(path),
            // What a link leads to is looked at where it is.
            (true, Ok(entries)) if real == path => {
                waiting.extend(entries.flatten().map(|entry| entry.path()));
            }
            (true, _) => {}
        }
    }
    parts
}

fn allow(
    files: RulesetCreated,
    path: &Path,
    access: landlock::BitFlags<AccessFs>,
) -> Result<RulesetCreated, Error> {
    let opened = PathFd::new(path).map_err(unavailable)?;
    files
        .add_rule(PathBeneath::new(opened, access))
        .map_err(unavailable)
}

fn unavailable(error: impl std::fmt::Display) -> Error {
    Error::Unavailable(format!("the command cannot be confined: {error}"))
}
