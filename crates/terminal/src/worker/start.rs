//! From a request to a running command, each step only after the one before: files, socket, terminal, supervisor, its
//! word that the command runs.
//!
//! A command that does not come up leaves nothing behind: no process, no folder. Deliberately absent: checks of who may
//! run what, which happened before.

use super::Worker;
use super::clock::Clock;
use super::socket::{Report, Socket};
use super::terminal::Terminal;
use crate::aftermath::{ProcessIdentity, ShellIdentity};
use crate::error::Error;
use crate::outcome::Medium;
use crate::runtime::{Passing, random_token};
use crate::session::{Facts, Served, Shared};
use crate::shellhost::SHELLHOST_ARG;
use crate::shells::{Means, Place, SpawnRequest};
use crate::spool::{self, Spool};
use crate::status::StatusFile;
use crate::wire::{HostConfig, SandboxConfig};
use sandbox::Walls;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::Instant;

/// Longer commands are run from a file: one argument may have 128 KiB on Linux.
const COMMAND_ARGUMENT_MAX_BYTES: usize = 100_000;

/// Starts the command of the request. Blocks for some milliseconds.
pub(crate) fn start(
    request: SpawnRequest,
    runtime_dir: &Path,
    means: Means,
) -> Result<Worker, Error> {
    let spool_dir = request.spool_dir.clone();
    let socket = Socket::listen(runtime_dir);
    let files = socket.and_then(|socket| Ok((socket, create_spool_dir(&spool_dir)?)));
    let started = files.and_then(|(socket, ())| {
        Starting {
            request,
            socket,
            means,
        }
        .start()
        .inspect_err(|_| remove(&spool_dir))
    });
    started.map_err(|error| Error::SpawnFailed {
        reason: error.to_string(),
    })
}

fn create_spool_dir(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        spool::create_private_dir(parent)?;
    }
    spool::create_new_private_dir(path)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

fn remove(spool_dir: &Path) {
    if let Err(error) = std::fs::remove_dir_all(spool_dir) {
        tracing::warn!(%error, directory = %spool_dir.display(), "a folder stayed behind");
    }
}

struct Starting {
    request: SpawnRequest,
    socket: Socket,
    means: Means,
}

impl Starting {
    fn start(self) -> io::Result<Worker> {
        let spool = Spool::create(&self.request.spool_dir, self.means.limits)?;
        let status = self.write_status()?;
        let token = random_token()?;
        let script = self.write_script()?;
        let config = self.write_config(&token, script.as_ref())?;
        let (wake, waker) = wakers()?;
        let started = Instant::now();
        let Terminal {
            pty,
            master,
            input,
            output,
        } = Terminal::open(self.request.size, self.means.terminals)?;
        let mut host = self.spawn(input, output, &config.0)?;
        let reported = self.socket.accept(&master, &token);
        let report = reported.inspect_err(|_| end_host(&mut host))?;
        rustix::io::ioctl_fionbio(&master, true)?;
        let (size, place) = (self.request.size, self.request.place);
        let facts = Facts {
            medium: if pty.is_some() {
                Medium::Terminal
            } else {
                Medium::Pipe
            },
            ..facts(self.request, &report, &host, started)
        };
        let terminal = Arc::new(master);
        let mut worker = Worker {
            shared: Arc::new(Shared::new(
                facts,
                size,
                place,
                Served {
                    terminal: Arc::clone(&terminal),
                    waker,
                },
            )),
            terminal,
            pty,
            host,
            control: Some(report.control),
            lines: report.lines,
            wake,
            spool,
            status,
            status_at: started,
            script,
            missing_since: None,
            clock: Clock::new(started),
            buffer: vec![0; super::READ_BYTES],
            fresh: String::new(),
        };
        if place == Place::Background {
            worker.spool.keep_clean();
        }
        report
            .early
            .into_iter()
            .for_each(|message| worker.learn(message));
        Ok(worker)
    }

    fn write_status(&self) -> io::Result<StatusFile> {
        let request = &self.request;
        let path = request.spool_dir.join("status.json");
        StatusFile::create(path, request.id.as_str(), &request.command, &request.cwd)
    }

    /// Writes the command to a file if it is too long for an argument.
    fn write_script(&self) -> io::Result<Option<Passing>> {
        if self.request.command.len() <= COMMAND_ARGUMENT_MAX_BYTES {
            return Ok(None);
        }
        let path = self.socket.path.with_extension("sh");
        let mut file = spool::create_private_file(&path)?;
        let script = Passing(path);
        file.write_all(self.request.command.as_bytes())?;
        Ok(Some(script))
    }

    /// Writes what the supervisor has to know; it removes the file when it has read it.
    fn write_config(&self, token: &str, script: Option<&Passing>) -> io::Result<Passing> {
        let request = &self.request;
        let script = script.map(|script| script.0.as_path());
        let config = HostConfig {
            token: token.to_owned(),
            socket: self.socket.path.clone(),
            program: request.shell.program().to_owned(),
            args: request.shell.arguments(&request.command, script),
            cwd: request.cwd.clone(),
            env: request
                .env
                .iter()
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
            status_file: request.spool_dir.join("status.json"),
            sandbox: request.sandbox.as_ref().map(|sandbox| SandboxConfig {
                backend: sandbox.backend.clone(),
                walls: Walls {
                    policy: sandbox.policy.clone(),
                    roots: sandbox.roots.clone(),
                    private_tmp: request.spool_dir.join("tmp"),
                },
                aside: request.spool_dir.join("undone"),
            }),
        };
        let path = self.socket.path.with_extension("json");
        let mut file = spool::create_private_file(&path)?;
        let written = Passing(path);
        file.write_all(&serde_json::to_vec(&config)?)?;
        Ok(written)
    }

    /// Starts the supervisor on the terminal; it takes it over by itself. This way the system need not copy this
    /// process, which may be large, for the moment between fork and exec.
    fn spawn(&self, input: OwnedFd, output: OwnedFd, config_path: &Path) -> io::Result<Child> {
        #[expect(clippy::disallowed_methods, reason = "this crate starts the processes")]
        let mut command = Command::new(&self.request.host_program);
        command.arg(SHELLHOST_ARG).arg(config_path);
        // The supervisor needs nothing of the environment, and its own may be read by what it runs.
        command.env_clear();
        command
            .stdin(input)
            .stdout(output.try_clone()?)
            .stderr(output);
        command.spawn()
    }
}

fn facts(request: SpawnRequest, report: &Report, host: &Child, started: Instant) -> Facts {
    Facts {
        id: request.id,
        owner: request.owner,
        command: request.command,
        cwd: request.cwd,
        medium: Medium::Terminal,
        sandbox: request.sandbox.map(|sandbox| sandbox.policy),
        identity: ShellIdentity::of(
            ProcessIdentity::of(i32::try_from(host.id()).unwrap_or_default()),
            ProcessIdentity {
                pid: report.pid,
                start: report.pid_start,
            },
        ),
        spool_dir: request.spool_dir,
        started,
        timeout: request.timeout,
        on_timeout: request.on_timeout,
    }
}

/// What is written into the second is read from the first; neither waits.
fn wakers() -> io::Result<(UnixStream, UnixStream)> {
    let (wake, waker) = UnixStream::pair()?;
    wake.set_nonblocking(true)?;
    waker.set_nonblocking(true)?;
    Ok((wake, waker))
}

fn end_host(host: &mut Child) {
    // Killed or already dead; both are collected below.
    host.kill().ok();
    if let Err(error) = host.wait() {
        tracing::warn!(%error, "the supervisor was not collected");
    }
}
