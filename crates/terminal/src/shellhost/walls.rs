//! The walls around one command: put up before it runs, looked at when it ended.

use crate::wire::{HostConfig, HostMessage, SandboxConfig};
use sandbox::{Backend, Guard, Protection, Touched, arguments, protections};
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes of paths in one message; keeps it below the longest line.
const MAX_TOLD_BYTES: usize = 16 * 1024;

/// Keeps what the walls themselves cannot keep.
pub(super) struct Keeper {
    guard: Guard,
    aside: PathBuf,
    private_tmp: PathBuf,
}

impl Keeper {
    /// Makes the folder for temporary files, and looks at what must not change.
    pub(super) fn before(config: &SandboxConfig) -> io::Result<Self> {
        let private_tmp = config.walls.private_tmp.clone();
        DirBuilder::new().mode(0o700).create(&private_tmp)?;
        let watched = protections(&config.walls)
            .into_iter()
            .filter_map(|protection| match (protection, &config.backend) {
                (Protection::Mount(_), Backend::Bubblewrap { .. }) => None,
                (Protection::Mount(path), Backend::Landlock) | (Protection::Watch(path), _) => {
                    Some(path)
                }
            });
        Ok(Self {
            guard: Guard::before(watched).map_err(io::Error::other)?,
            aside: config.aside.clone(),
            private_tmp,
        })
    }

    /// Puts back what changed so far.
    pub(super) fn check(&self) -> Option<HostMessage> {
        told(self.guard.check(&self.aside))
    }

    /// The same once nothing runs any more; then nobody needs the temporary files.
    pub(super) fn after(self) -> Option<HostMessage> {
        // What cannot be removed goes with the output of the command later.
        std::fs::remove_dir_all(&self.private_tmp).ok();
        self.check()
    }
}

fn told(mut touched: Vec<Touched>) -> Option<HostMessage> {
    let mut bytes = 0;
    touched.retain(|one| {
        bytes += one.path.as_os_str().len();
        bytes <= MAX_TOLD_BYTES
    });
    (!touched.is_empty()).then_some(HostMessage::Touched { list: touched })
}

/// What is started: the shell, or the program that puts walls around it.
pub(super) fn program(config: &HostConfig) -> (&Path, Vec<OsString>) {
    let args = config.args.iter().map(OsString::from);
    match &config.sandbox {
        Some(SandboxConfig {
            backend: Backend::Bubblewrap { program, with_proc },
            walls,
            ..
        }) => {
            let mut all = arguments(walls, &config.cwd, *with_proc);
            all.push(config.program.clone().into());
            all.extend(args);
            (program, all)
        }
        Some(SandboxConfig {
            backend: Backend::Landlock,
            ..
        })
        | None => (&config.program, args.collect()),
    }
}

/// Lets the command have its own temporary files, and lets it put up its walls itself where no program does.
pub(super) fn confine(command: &mut Command, config: &SandboxConfig) -> io::Result<()> {
    command.env("TMPDIR", &config.walls.private_tmp);
    match config.backend {
        Backend::Bubblewrap { .. } => Ok(()),
        Backend::Landlock => confine_itself(command, config),
    }
}

#[cfg(target_os = "linux")]
fn confine_itself(command: &mut Command, config: &SandboxConfig) -> io::Result<()> {
    use std::os::unix::process::CommandExt;
    let prepared = sandbox::Confinement::prepare(&config.walls).map_err(io::Error::other)?;
    let mut prepared = Some(prepared);
    let enter = move || match prepared.take() {
        Some(confinement) => confinement.enter().map_err(io::Error::other),
        None => Err(io::Error::other("the command was started twice")),
    };
    // SAFETY: everything was prepared; `enter` makes system calls. Only an error allocates, and this process has one
    // thread, so no lock can be held by another.
    #[expect(unsafe_code, reason = "the walls must stand before the command runs")]
    unsafe {
        command.pre_exec(enter);
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn confine_itself(_command: &mut Command, _config: &SandboxConfig) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}
