//! Which walls this system can put around commands.

use sandbox::{Backend, FileAccess, GitAccess, Network, Policy, Walls};
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

/// Where systems install bubblewrap. Not the search path: a project may have changed that one.
const BUBBLEWRAP: &[&str] = &[
    "/usr/bin/bwrap",
    "/usr/local/bin/bwrap",
    "/bin/bwrap",
    "/run/current-system/sw/bin/bwrap",
];

/// Looks for the best walls by trying them. Takes some milliseconds; the answer is the same as long as the program runs.
///
/// # Errors
/// [`sandbox::Error::Unavailable`] with the reason if there are none.
pub fn find_walls() -> Result<Backend, sandbox::Error> {
    let walls = Walls {
        policy: Policy {
            files: FileAccess::ReadOnly,
            network: Network::Off,
            git: GitAccess::Protected,
            extra_write: Vec::new(),
            deny_read: Vec::new(),
        },
        roots: Vec::new(),
        // Any folder will do; nothing is written.
        private_tmp: "/usr".into(),
    };
    let installed = BUBBLEWRAP.iter().map(Path::new).find(|path| path.is_file());
    Backend::find(installed, &walls, &succeeds)
}

fn succeeds(program: &Path, args: &[OsString]) -> bool {
    #[expect(clippy::disallowed_methods, reason = "this crate starts the processes")]
    let mut command = Command::new(program);
    command
        .args(args)
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
