//! Which walls this system can put up.

use crate::bubblewrap;
use crate::policy::Walls;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What keeps a command inside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Backend {
    /// The program bubblewrap.
    Bubblewrap {
        /// Where it is.
        program: PathBuf,
        /// Whether it can mount a `/proc` of its own.
        with_proc: bool,
    },
    /// Landlock and seccomp. Protected paths can only be put back afterwards.
    Landlock,
}

/// Runs a program and says whether it succeeded.
pub type Probe<'a> = &'a dyn Fn(&Path, &[OsString]) -> bool;

impl Backend {
    /// The best that works here. `bubblewrap` is where that program is, if it is installed; it is tried with the same
    /// line as a real command, because whether it works depends on the system more than on itself.
    ///
    /// # Errors
    /// [`crate::Error::Unavailable`] with the reason if there is none.
    pub fn find(
        bubblewrap: Option<&Path>,
        walls: &Walls,
        probe: Probe<'_>,
    ) -> Result<Self, crate::Error> {
        let works = |program: &Path, with_proc: bool| {
            let mut args = bubblewrap::arguments(walls, Path::new("/"), with_proc);
            args.push("true".into());
            probe(program, &args)
        };
        for with_proc in [true, false] {
            if let Some(program) = bubblewrap
                && works(program, with_proc)
            {
                return Ok(Self::Bubblewrap {
                    program: program.to_path_buf(),
                    with_proc,
                });
            }
        }
        if Self::landlock() {
            return Ok(Self::Landlock);
        }
        Err(crate::Error::Unavailable(match bubblewrap {
            Some(program) => format!(
                "{} does not work here, and the kernel has no Landlock",
                program.display()
            ),
            None => "bubblewrap is not installed, and the kernel has no Landlock; install the package bubblewrap".to_owned(),
        }))
    }

    fn landlock() -> bool {
        #[cfg(target_os = "linux")]
        return crate::confine::landlock_works();
        #[cfg(not(target_os = "linux"))]
        return false;
    }
}
